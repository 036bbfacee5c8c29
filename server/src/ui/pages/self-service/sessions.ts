/** The browsers in which the user is signed in, with the applications that they use there. */
import { browserOf } from '../../../authentication/passkey-names.ts'
import { textsOf } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { timeAt } from '../../times.ts'
import { type AccountPage, framed } from './frame.ts'
import { badge, emptyList, joined, panel, row, rowButton, rowList } from './rows.ts'

export type SignedInDevice = {
  /** Of its newest session. */
  sid: string
  /** It is a browser with all of its sessions; else it is one session. */
  isBrowser: boolean
  /** The browser of the request. */
  isHere: boolean
  ip: string | null
  userAgent: string | null
  /** The user who acts in this session, and the reason. */
  actor?: string | null
  reason?: string | null
  createdAt: Date
  /** Names of the systems and organizations. */
  places: { system: string; account: string | null }[]
}

type SessionsPage = AccountPage & { devices: SignedInDevice[] }

export function sessionsPage(page: SessionsPage): string {
  const { locale, csrf, notice, devices } = page
  const texts = textsOf(locale, 'profile')
  const list = html`<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
${rowList(devices.map((device) => deviceRow(page, device)))}
</form>`
  return framed({
    reader: page,
    at: '/account/sessions',
    heading: texts.sessionsTitle,
    lead: texts.sessionsLead,
    notice,
    body: html`${panel({ body: devices.length > 0 ? list : emptyList(icons.device, texts.sessionsNone) })}
${endOthers(page)}`,
  })
}

function deviceRow(page: SessionsPage, device: SignedInDevice): Html {
  const { sid, isBrowser, isHere, places, actor, reason, ip, createdAt } = device
  const texts = textsOf(page.locale, 'profile')
  const browser = browserOf(device.userAgent) ?? texts.unknownBrowser
  const name = actor
    ? fill(texts.sessionActor, { actor: bdi(actor), reason: bdi(reason ?? '') })
    : bdi(browser)
  const since = fill(texts.sessionSince, { time: timeAt(page, createdAt) })
  const end = rowButton({
    name: isBrowser ? 'browser' : 'sid',
    value: sid,
    text: texts.end,
    of: fillPlain(texts.endOf, { system: isBrowser ? browser : places[0]!.system }),
  })
  const shown = html`${name}${isHere && badge(texts.sessionHere, 'good')}`
  return row(
    isPhone(device) ? icons.phone : icons.device,
    shown,
    [...places.map(placeOf), joined(ip && bdi(ip), since)],
    end,
  )
}

const isPhone = ({ userAgent }: SignedInDevice): boolean => /iPhone|Android|Mobile/.test(userAgent ?? '')

/** An application, and the organization in it. */
const placeOf = ({ system, account }: SignedInDevice['places'][number]): Content =>
  joined(bdi(system), account && bdi(account))

const endOthers = ({ locale, csrf }: SessionsPage): Html => {
  const texts = textsOf(locale, 'profile')
  return panel({
    id: 'others',
    title: texts.endOthers,
    hint: texts.endOthersHint,
    action: html`<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
<input type="hidden" name="all" value="yes">
<button type="submit" id="end-others" class="quiet danger" aria-describedby="others-hint">${texts.endOthers}</button>
</form>`,
  })
}
