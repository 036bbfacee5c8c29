/** Change of the password, or the first password of a user without one. */

import { textsOf } from '../../../texts/texts.ts'
import { passwordField } from '../../forms.ts'
import { fill, type Html, html } from '../../html.ts'
import { type AccountPage, framed } from './frame.ts'
import { panel, panelForm } from './rows.ts'

type PasswordPage = AccountPage & {
  user: { email: string; hasPassword: boolean }
  /** In characters. */
  lengths: { min: number; max: number }
}

export function passwordPage(page: PasswordPage): string {
  const { locale, csrf, user, lengths, notice, errors = {} } = page
  const texts = textsOf(locale, 'profile')
  const words = textsOf(locale)
  const labels = {
    current: texts.currentPassword,
    password: words.newPassword,
    passwordAgain: words.newPasswordAgain,
  }
  const hint = fill(words.newPasswordHint, { min: lengths.min, max: lengths.max })
  const first = user.hasPassword ? 'current' : 'password'
  const focus = (['current', 'password', 'passwordAgain'] as const).find((id) => errors[id]) ?? first
  const input = (id: keyof typeof labels, hint?: Html) =>
    passwordField({
      locale,
      id,
      label: labels[id],
      kind: id === 'current' ? 'current' : 'new',
      error: errors[id],
      hint,
      focus: id === focus,
    })
  return framed({
    reader: page,
    at: '/account/password',
    crumb: { href: '/account/security', text: texts.securityTitle },
    heading: user.hasPassword ? texts.passwordTitle : texts.firstPasswordTitle,
    lead: texts.passwordLead,
    notice,
    errors,
    labels,
    body: panel({
      body: panelForm({
        action: '/account/password',
        csrf,
        hidden: html`<input name="email" type="text" autocomplete="username" value="${user.email}" hidden>`,
        body: html`${user.hasPassword && input('current')}
${input('password', hint)}
${input('passwordAgain')}`,
        foot: [html`<button type="submit" id="submit">${words.savePassword}</button>`],
      }),
    }),
  })
}
