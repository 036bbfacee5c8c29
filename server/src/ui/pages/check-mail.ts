import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, tellsPasskeys } from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'
import { codeField, resendForm } from './mailed-code.ts'

export type CheckMailPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  email: string
  /** The id of the registration. */
  registration: string
  /** The address that leads back to the registration. */
  register: string
  /** Messages by field. */
  notice?: string | undefined
  errors?: { form?: string | undefined; code?: string | undefined }
}

/** The code that was emailed to the address of a registration. */
export function checkMailPage(page: CheckMailPage): string {
  const { locale, system, action, csrf, email, registration, notice, errors = {} } = page
  const { form, code } = errors
  const texts = textsOf(locale)
  const hidden = html`${csrfField(csrf)}<input type="hidden" name="registration" value="${registration}">`
  return layout({
    locale,
    system,
    heading: texts.checkMailTitle,
    lead: fill(texts.checkMailLead, { email: bdi(email) }),
    faulty: Boolean(form ?? code),
    body: html`${errorSummary(locale, form)}
${notice && html`<p class="notice" role="status">${notice}</p>`}
<form method="post" action="${action}"${tellsPasskeys}>
${hidden}
${codeField(texts.code, code, form)}
<div class="actions"><button type="submit" id="submit">${texts.continue}</button></div>
</form>
<div class="elsewhere">
${resendForm(locale, { action, hidden, wait: 0 })}
<a href="${page.register}" id="register">${texts.anotherAddress}</a>
</div>`,
    icon: icons.envelope,
  })
}
