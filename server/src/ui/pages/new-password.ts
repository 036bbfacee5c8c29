import { type Locale, textsOf } from '../../texts/texts.ts'
import { errorSummary, passwordField } from '../forms.ts'
import { type Content, fill, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type NewPasswordPage = {
  locale: Locale
  /** Undefined for a link that no application has caused. */
  system?: SystemLook | undefined
  lead: Content
  action: string
  /** Hidden field of the form. */
  hidden: { csrf: string } | { token: string }
  /** Address of the user, for password managers. */
  email: string
  /** In characters. */
  lengths: { min: number; max: number }
  /** Messages by field. */
  errors?: NewPasswordErrors | undefined
}

export type NewPasswordErrors = { password?: string | undefined; passwordAgain?: string | undefined }

const FIELDS = ['password', 'passwordAgain'] as const

/** The password is entered twice, because a typing error would lock the user out. */
export function newPasswordPage({
  locale,
  system,
  lead,
  action,
  hidden,
  email,
  lengths,
  errors = {},
}: NewPasswordPage): string {
  const texts = textsOf(locale)
  const labels = { password: texts.newPassword, passwordAgain: texts.newPasswordAgain }
  const faulty = FIELDS.filter((id) => errors[id]).map((id) => ({ id, label: labels[id] }))
  const hint = fill(texts.newPasswordHint, { min: lengths.min, max: lengths.max })
  return layout({
    locale,
    system,
    icon: icons.key,
    heading: texts.newPasswordTitle,
    lead,
    faulty: faulty.length > 0,
    body: html`${errorSummary(locale, undefined, faulty)}
<form method="post" action="${action}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}<input name="email" type="text" autocomplete="username" value="${email}" hidden>
${FIELDS.map((id) =>
  passwordField({
    locale,
    id,
    label: labels[id],
    kind: 'new',
    error: errors[id],
    hint: id === 'password' ? hint : undefined,
    focus: id === (faulty[0]?.id ?? 'password'),
  }),
)}
<div class="actions"><button type="submit" id="submit">${texts.savePassword}</button></div>
</form>`,
  })
}
