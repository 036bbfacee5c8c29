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
import { bdi, type Content, fill, type Html, html } from '../html.ts'
import { layout, type SystemLook } from '../layout.ts'
import { connectionWays, type OfferedConnection } from './connection-sign-in.ts'

export type LoginPage = {
  locale: Locale
  system: SystemLook
  /** The form of the password. */
  action: string
  csrf: string
  /** What the page asks for; the password for the address in `values`. */
  asks?: 'both' | 'address' | 'password'
  values?: { email?: string | undefined }
  /** Sign-in with a passkey: the form action and the options of navigator.credentials.get. */
  passkey?: { action: string; options: object } | undefined
  /** External identity providers. */
  providers?: readonly ProviderButton[]
  /** The connections of organizations that the address belongs to. */
  connections?: readonly OfferedConnection[]
  /** The form of the address alone, which asks for its connections. */
  address?: string | undefined
  /** From the password back to the address. */
  change?: string | undefined
  /** Why no connection is offered. */
  notice?: string | undefined
  /** Links to registration and password reset. */
  links?: { register?: string; forgotPassword: string } | undefined
  /** Messages by field; `form` belongs to no field: wrong email address or password. */
  errors?: { form?: string | undefined; email?: string | undefined; password?: string | undefined }
}

export function loginPage(page: LoginPage): string {
  const { locale, system, action, csrf, asks = 'both', passkey, connections = [], errors = {} } = page
  const providers = asks === 'password' ? [] : (page.providers ?? [])
  const texts = textsOf(locale)
  const { form } = errors
  const labels = { email: texts.email, password: texts.password }
  const faulty = (['email', 'password'] as const)
    .filter((id) => errors[id])
    .map((id) => ({ id, label: labels[id] }))
  const offer =
    passkey && passkeyOffer({ ...passkey, csrf, label: texts.passkeySignIn, fault: texts.passkeyNone })
  const hasLinks = connections.length > 0 || providers.length > 0
  const isAddress = asks === 'address'
  return layout({
    locale,
    system,
    heading: texts.signInTo,
    names: { system: system.name },
    faulty: Boolean(form) || faulty.length > 0,
    body: html`${errorSummary(locale, form, faulty)}
${page.notice && html`<p class="note" role="status">${page.notice}</p>`}
${connectionWays(locale, connections)}
${(offer || providers.length > 0) && signInWays(locale, { passkey: offer?.button, providers })}
${(offer || hasLinks) && html`<p class="or${!hasLinks && ' scripted'}">${asks === 'password' ? texts.or : texts.orWithEmail}</p>`}
<form method="post" action="${isAddress ? page.address : action}"${passkey && !isAddress && tellsPasskeys}>
${csrfField(csrf)}
${asks === 'password' ? enteredAddress(page) : addressField(page)}
${!isAddress && passwordOf(page)}
<div class="actions"><button type="submit" id="submit">${isAddress ? texts.continue : texts.signIn}</button>
${asks === 'both' && singleSignOn(page)}</div>
</form>
${offer?.form}
${
  page.links?.register &&
  html`<p class="note">${fill(texts.newHere, { system: bdi(system.name) })} <a href="${page.links.register}" id="register">${texts.signUp}</a></p>`
}`,
  })
}

/** The focus starts at the email address if it is empty or invalid, or nothing else is asked for. */
const startsAtEmail = ({ asks, values, errors }: LoginPage): boolean =>
  asks === 'address' || (asks !== 'password' && (!values?.email || Boolean(errors?.email)))

const addressField = (page: LoginPage): Html =>
  field({
    id: 'email',
    label: textsOf(page.locale).email,
    error: page.errors?.email,
    describedBy: page.errors?.form && 'form-error',
    input: (more) =>
      html`<input id="email" name="email" type="email" autocomplete="${page.passkey ? 'username webauthn' : 'username'}" autocapitalize="none" spellcheck="false" maxlength="254" required value="${page.values?.email}"${startsAtEmail(page) && html` autofocus`}${more}>`,
  })

/** The address that the page before has asked for. Password managers store the password with it. */
const enteredAddress = ({ locale, values, change }: LoginPage): Html =>
  field({
    id: 'email',
    label: textsOf(locale).email,
    beside: html`<a href="${change}" id="change-address">${textsOf(locale).changeAddress}</a>`,
    error: undefined,
    input: (more) =>
      html`<input id="email" name="email" type="email" autocomplete="username" readonly value="${values?.email}"${more}>`,
  })

function passwordOf(page: LoginPage): Html {
  const { locale, links, errors = {} } = page
  const texts = textsOf(locale)
  return passwordField({
    locale,
    id: 'password',
    label: texts.password,
    kind: 'current',
    beside: links && html`<a href="${links.forgotPassword}" id="forgot-password">${texts.forgotTitle}</a>`,
    error: errors.password,
    describedBy: errors.form && 'form-error',
    focus: !startsAtEmail(page),
  })
}

const singleSignOn = ({ locale, address, connections = [] }: LoginPage): Content =>
  address !== undefined &&
  connections.length === 0 &&
  html`<button type="submit" class="quiet" id="single-sign-on" formaction="${address}" formnovalidate>${textsOf(locale).singleSignOn}</button>`
