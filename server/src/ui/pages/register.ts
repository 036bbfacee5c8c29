import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, field, type ProviderButton, passwordField, signInWays } from '../forms.ts'
import { fill, type Html, html } from '../html.ts'
import { layout, type SystemLook } from '../layout.ts'
import { connectionWays, type OfferedConnection } from './connection-sign-in.ts'

const FIELDS = ['email', 'password', 'name', 'accountName'] as const
type Field = (typeof FIELDS)[number]

export type RegisterPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  /** Whether the user creates an organization account and names it. */
  multiAccount: boolean
  /** Length of a password in characters. */
  lengths: { min: number; max: number }
  signIn: string
  /** The connections of organizations that the typed address belongs to. */
  connections?: readonly OfferedConnection[]
  /** External identity providers: who signs in there for the first time is registered. */
  providers?: readonly ProviderButton[]
  values?: { [Name in Exclude<Field, 'password'>]?: string | undefined }
  /** Messages by field. */
  errors?: { [Name in Field | 'form']?: string | undefined }
}

/** The password is entered once; a mistyped one can be reset by email. */
export function registerPage(page: RegisterPage): string {
  const { locale, system, action, csrf, multiAccount, lengths, signIn, values = {}, errors = {} } = page
  const { providers = [], connections = [] } = page
  const texts = textsOf(locale)
  const labels = {
    email: texts.email,
    password: texts.password,
    name: texts.name,
    accountName: texts.organizationName,
  }
  const faulty = FIELDS.filter((id) => errors[id]).map((id) => ({ id, label: labels[id] }))
  const focus = faulty[0]?.id ?? (values.email ? 'password' : 'email')
  const about = (id: Field) => ({
    id,
    label: labels[id],
    error: errors[id],
    describedBy: errors.form && 'form-error',
  })
  const row = (id: Field, attributes: Html) =>
    field({
      ...about(id),
      input: (more) =>
        html`<input id="${id}" name="${id}"${attributes}${id === focus && html` autofocus`}${more}>`,
    })
  return layout({
    locale,
    system,
    heading: texts.registerTitle,
    names: { system: system.name },
    faulty: Boolean(errors.form) || faulty.length > 0,
    body: html`${errorSummary(locale, errors.form, faulty)}
${connectionWays(locale, connections)}
${providers.length > 0 && signInWays(locale, { providers })}
${(connections.length > 0 || providers.length > 0) && html`<p class="or">${texts.orWithEmail}</p>`}
<form method="post" action="${action}">
${csrfField(csrf)}
${row('email', html` type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required value="${values.email}"`)}
${passwordField({ ...about('password'), locale, kind: 'new', hint: fill(texts.newPasswordHint, lengths), focus: focus === 'password' })}
${row('name', html` type="text" autocomplete="name" maxlength="100" value="${values.name}"`)}
${multiAccount && row('accountName', html` type="text" autocomplete="organization" maxlength="100" required value="${values.accountName}"`)}
<div class="actions"><button type="submit" id="submit">${texts.register}</button></div>
</form>
<p class="note">${texts.alreadyRegistered} <a href="${signIn}" id="sign-in">${texts.signIn}</a></p>`,
  })
}
