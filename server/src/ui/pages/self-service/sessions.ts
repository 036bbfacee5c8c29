/** Sessions of the user in applications. */
import { browserOf } from '../../../authentication/passkey-names.ts'
import { textsOf } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { timeAt } from '../../times.ts'
import { type AccountPage, framed } from './frame.ts'
import { badge, emptyList, joined, panel, row, rowButton, rowList } from './rows.ts'

type Session = {
  sid: string
  /** Names of the system and the account. */
  system: string
  account: string
  browserUid: string | null
  ip: string | null
  userAgent: string | null
  /** The user who acts in this session, and the reason. */
  actor?: string | null
  reason?: string | null
  createdAt: Date
}

/** `here`: the browser of the request. */
type SessionsPage = AccountPage & { sessions: Session[]; here: string }

export function sessionsPage(page: SessionsPage): string {
  const { locale, csrf, notice, sessions } = page
  const texts = textsOf(locale, 'profile')
  const list = html`<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
${rowList(sessions.map((session) => sessionRow(page, session)))}
</form>`
  return framed({
    reader: page,
    at: '/account/sessions',
    heading: texts.sessionsTitle,
    lead: texts.sessionsLead,
    notice,
    body: html`${panel({ body: sessions.length > 0 ? list : emptyList(icons.device, texts.sessionsNone) })}
${endOthers(page)}`,
  })
}

function sessionRow(page: SessionsPage, session: Session): Html {
  const { system, account, browserUid, actor, reason, ip, createdAt } = session
  const texts = textsOf(page.locale, 'profile')
  const browser = browserOf(session.userAgent) ?? texts.unknownBrowser
  const openedBy: Content = actor
    ? fill(texts.sessionActor, { actor: bdi(actor), reason: bdi(reason ?? '') })
    : joined(bdi(browser), ip && bdi(ip))
  const since = fill(texts.sessionSince, { time: timeAt(page, createdAt) })
  const name = html`${bdi(system)}${browserUid === page.here && badge(texts.sessionHere, 'good')}`
  const end = rowButton({
    name: 'sid',
    value: session.sid,
    text: texts.end,
    of: fillPlain(texts.endOf, { system }),
  })
  return row(icons.device, name, [openedBy, joined(account && bdi(account), since)], end)
}

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
