import { csrfField, errorSummary, leaveForm } from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { type Locale, textsOf } from '../i18n/texts.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type CheckMailPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  email: string
  /** The sealed registration of this browser; undefined for a signed-in user. */
  registration?: string | undefined
  /** To register with a different address (new registrations), and to cancel (signed-in users). */
  register: string
  abort: string
  /** Messages by field. */
  notice?: string | undefined
  error?: string | undefined
}

/** The link can be opened on any device; the sign-in continues in this browser. */
export function checkMailPage(page: CheckMailPage): string {
  const { locale, system, action, csrf, email, registration, notice, error } = page
  const texts = textsOf(locale)
  const hidden = html`${csrfField(csrf)}${registration && html`<input type="hidden" name="registration" value="${registration}">`}`
  return layout({
    locale,
    system,
    heading: texts.checkMailTitle,
    lead: fill(texts.checkMailLead, { email: bdi(email) }),
    faulty: Boolean(error),
    body: html`${errorSummary(locale, error)}
${notice && html`<p class="notice" role="status">${notice}</p>`}
<form method="post" action="${action}">
${hidden}
<div class="actions"><button type="submit" id="submit">${texts.confirmedContinue}</button></div>
</form>
<form method="post" action="${action}" class="close">
${hidden}
<input type="hidden" name="resend" value="yes">
<div class="actions"><button type="submit" id="resend" class="quiet">${texts.mailAgain}</button></div>
</form>
${registration ? html`<p class="note"><a href="${page.register}" id="register">${texts.anotherAddress}</a></p>` : leaveForm(locale, page.abort, csrf)}`,
    icon: icons.envelope,
  })
}
