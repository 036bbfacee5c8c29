/** Sign-in step: a code sent by email. */

import { templateOf } from '../../texts/message.ts'
import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, durationOf, errorSummary, field, leaveForm } from '../forms.ts'
import { bdi, fill, type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type MailedCodePage = {
  locale: Locale
  system: SystemLook
  action: string
  abort: string
  csrf: string
  email: string
  /** Whether a valid code was sent; else the user must request one. */
  underWay: boolean
  /** Seconds until another one can be requested; 0: at once. */
  wait?: number | undefined
  /** The code confirms the password, or another credential, of the sign-in. */
  confirms?: boolean
  /** Messages by field. */
  notice?: string | undefined
  errors?: { form?: string | undefined; code?: string | undefined }
}

type MailedCode = Required<Pick<MailedCodePage, 'email' | 'underWay' | 'wait'>>

/** The JSON of the step. The code is sent, or `resend` for another one. */
export const mailedCodeJson = ({ email, underWay, wait }: MailedCode) => ({
  fields: [
    { name: 'code', type: 'code', length: 6, required: underWay },
    { name: 'resend', type: 'choice', required: false, options: [{ id: 'yes' }] },
  ],
  email,
  codeValid: underWay,
  resendAfter: wait,
})

export function mailedCodePage({
  locale,
  system,
  action,
  abort,
  csrf,
  email,
  underWay,
  wait = 0,
  confirms = false,
  notice,
  errors = {},
}: MailedCodePage): string {
  const texts = textsOf(locale)
  const { form, code } = errors
  const sent = confirms ? texts.mailedCodeConfirms : texts.mailedCodeLead
  const named = { email: bdi(email) }
  const time = { wait: durationOf(wait, locale) }
  const none =
    wait > 0 ? fill(texts.mailedCodeNoneYet, { ...named, ...time }) : fill(texts.mailedCodeNone, named)
  return layout({
    locale,
    system,
    icon: icons.envelope,
    heading: texts.mailedCodeTitle,
    lead: underWay ? fill(sent, named) : none,
    faulty: Boolean(form ?? code),
    body: html`${errorSummary(locale, form)}
${notice && html`<p class="notice" role="status">${notice}</p>`}
<form method="post" action="${action}">
${csrfField(csrf)}
${codeField(texts.code, code, form)}
<div class="actions"><button type="submit" id="submit">${texts.continue}</button></div>
</form>
<div class="elsewhere">
${resendForm(locale, { action, hidden: csrfField(csrf), wait })}
${leaveForm(locale, abort, csrf)}
</div>`,
  })
}

/** Requests another code. The button states the time until it is allowed (wait.js counts it down). */
export function resendForm(
  locale: Locale,
  { action, hidden, wait }: { action: string; hidden: Html; wait: number },
): Html {
  const { noEmail, sendAgain, sendAgainIn } = textsOf(locale)
  return html`<form method="post" action="${action}"${wait > 0 && html` data-wait="${wait}"`}>
${hidden}
<input type="hidden" name="resend" value="yes">
<p>${noEmail} <button type="submit" id="resend" class="link">${sendAgain}</button>${wait > 0 && html` <span id="resend-wait" data-in="${templateOf(sendAgainIn)}">${fill(sendAgainIn, { wait: durationOf(wait, locale) })}</span>`}</p>
</form>`
}

/** A field for 6 digits that phones can fill in. The server ignores blanks and hyphens of a pasted code. */
export const codeField = (label: string, error: string | undefined, form: string | undefined, focus = true) =>
  field({
    id: 'code',
    label,
    error,
    describedBy: form && 'form-error',
    input: (more) =>
      html`<input id="code" name="code" class="digits" type="text" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" maxlength="20" required${focus && html` autofocus`}${more}>`,
  })
