import { type Locale, textsOf } from '../../texts/texts.ts'
import {
  csrfField,
  errorSummary,
  field,
  type ProviderButton,
  passkeyOffer,
  passwordField,
  signInWays,
  tellsPasskeys,
} from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { layout, type SystemLook } from '../layout.ts'
import { connectionWays, type OfferedConnection } from './connection-sign-in.ts'

export type LoginPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  values?: { email?: string | undefined }
  /** Sign-in with a passkey: the form action and the options of navigator.credentials.get. */
  passkey?: { action: string; options: object } | undefined
  /** External identity providers. */
  providers?: readonly ProviderButton[]
  /** The connections of organizations that the address belongs to. */
  connections?: readonly OfferedConnection[]
  /** The form that asks for the connections for an address. */
  address?: string | undefined
  /** Why no connection is offered. */
  notice?: string | undefined
  /** Links to registration and password reset. */
  links?: { register?: string; forgotPassword: string } | undefined
  /** Messages by field; `form` belongs to no field: wrong email address or password. */
  errors?: { form?: string | undefined; email?: string | undefined; password?: string | undefined }
}

export function loginPage({
  locale,
  system,
  action,
  csrf,
  values = {},
  passkey,
  providers = [],
  connections = [],
  address,
  notice,
  links,
  errors = {},
}: LoginPage): string {
  const texts = textsOf(locale)
  const { form } = errors
  const labels = { email: texts.email, password: texts.password }
  const faulty = (['email', 'password'] as const)
    .filter((id) => errors[id])
    .map((id) => ({ id, label: labels[id] }))
  const offer =
    passkey && passkeyOffer({ ...passkey, csrf, label: texts.passkeySignIn, fault: texts.passkeyNone })
  const hasLinks = connections.length > 0 || providers.length > 0
  // The focus starts at the email address if it is empty or invalid, else at the password.
  const startsAtEmail = !values.email || Boolean(errors.email)
  return layout({
    locale,
    system,
    heading: texts.signInTo,
    names: { system: system.name },
    faulty: Boolean(form) || faulty.length > 0,
    body: html`${errorSummary(locale, form, faulty)}
${notice && html`<p class="note" role="status">${notice}</p>`}
${connectionWays(locale, connections)}
${(offer || providers.length > 0) && signInWays(locale, { passkey: offer?.button, providers })}
${(offer || hasLinks) && html`<p class="or${!hasLinks && ' scripted'}">${texts.orWithEmail}</p>`}
<form method="post" action="${action}"${passkey && tellsPasskeys}>
${csrfField(csrf)}
${field({
  id: 'email',
  label: labels.email,
  error: errors.email,
  describedBy: form && 'form-error',
  input: (more) =>
    html`<input id="email" name="email" type="email" autocomplete="${passkey ? 'username webauthn' : 'username'}" autocapitalize="none" spellcheck="false" maxlength="254" required value="${values.email}"${startsAtEmail && html` autofocus`}${more}>`,
})}
${passwordField({
  locale,
  id: 'password',
  label: labels.password,
  kind: 'current',
  beside: links && html`<a href="${links.forgotPassword}" id="forgot-password">${texts.forgotTitle}</a>`,
  error: errors.password,
  describedBy: form && 'form-error',
  focus: !startsAtEmail,
})}
<div class="actions"><button type="submit" id="submit">${texts.signIn}</button>
${
  address !== undefined &&
  connections.length === 0 &&
  html`<button type="submit" class="quiet" id="single-sign-on" formaction="${address}" formnovalidate>${texts.singleSignOn}</button>`
}</div>
</form>
${offer?.form}
${
  links?.register &&
  html`<p class="note">${fill(texts.newHere, { system: bdi(system.name) })} <a href="${links.register}" id="register">${texts.signUp}</a></p>`
}`,
  })
}
