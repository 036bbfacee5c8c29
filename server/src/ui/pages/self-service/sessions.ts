/** Sessions of the user in applications. */
import { browserOf } from '../../../authentication/passkey-names.ts'
import { LANGUAGE_TAGS, textsOf } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, type Content, fill, fillPlain, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { type AccountPage, framed } from './frame.ts'
import { badge, row, rowButton } from './rows.ts'

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
export function sessionsPage({
  locale,
  csrf,
  notice,
  sessions,
  here,
}: AccountPage & { sessions: Session[]; here: string }): string {
  const texts = textsOf(locale, 'profile')
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const openedBy = ({ actor, reason, userAgent, ip }: Session): Content => {
    const browser = browserOf(userAgent) ?? texts.unknownBrowser
    if (!actor) return html`${bdi(browser)}${ip && html` · ${bdi(ip)}`}`
    return fill(texts.sessionActor, { actor: bdi(actor), reason: bdi(reason ?? '') })
  }
  const item = (session: Session) => {
    const details = [
      bdi(session.account),
      openedBy(session),
      fill(texts.sessionSince, { time: `${time.format(session.createdAt)} UTC` }),
    ]
    const name = html`${bdi(session.system)}${session.browserUid === here && badge(texts.sessionHere)}`
    const of = fillPlain(texts.endOf, { system: session.system })
    return row(name, details, rowButton('sid', session.sid, texts.end, of))
  }
  return framed({
    locale,
    at: '/account/sessions',
    icon: icons.device,
    heading: texts.sessionsTitle,
    lead: sessions.length > 0 ? texts.sessionsLead : texts.sessionsNone,
    notice,
    body: html`${
      sessions.length > 0 &&
      html`<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
<ul class="scopes">
${sessions.map(item)}</ul>
</form>`
    }
<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
<input type="hidden" name="all" value="yes">
<p class="hint" id="others-hint">${texts.endOthersHint}</p>
<div class="actions"><button type="submit" id="end-others" class="quiet" aria-describedby="others-hint">${texts.endOthers}</button></div>
</form>`,
  })
}
