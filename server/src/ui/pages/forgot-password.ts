import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, field } from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type ForgotPasswordPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  signIn: string
  email?: string | undefined
  /** Messages by field. */
  errors?: { form?: string | undefined; email?: string | undefined }
}

export function forgotPasswordPage({
  locale,
  system,
  action,
  csrf,
  signIn,
  email,
  errors = {},
}: ForgotPasswordPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    heading: texts.forgotTitle,
    lead: texts.forgotLead,
    faulty: Boolean(errors.form ?? errors.email),
    body: html`${errorSummary(locale, errors.form)}
<form method="post" action="${action}">
${csrfField(csrf)}
${field({
  id: 'email',
  label: texts.email,
  error: errors.email,
  describedBy: errors.form && 'form-error',
  input: (more) =>
    html`<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required value="${email}" autofocus${more}>`,
})}
<div class="actions"><button type="submit" id="submit">${texts.sendLink}</button></div>
</form>
${backTo(locale, signIn)}`,
  })
}

export type ResetSentPage = { locale: Locale; system: SystemLook; email: string; signIn: string }

/** The page is the same whether or not the user exists, so that it does not disclose users. */
export function resetSentPage({ locale, system, email, signIn }: ResetSentPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.envelope,
    heading: texts.checkMailTitle,
    lead: fill(texts.resetSentLead, { email: bdi(email) }),
    body: html`<div class="actions"><a class="button" id="next" href="${signIn}">${texts.backToSignIn}</a></div>`,
  })
}

const backTo = (locale: Locale, signIn: string) =>
  html`<p class="note"><a href="${signIn}" id="sign-in">${textsOf(locale).backToSignIn}</a></p>`
