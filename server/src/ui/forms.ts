/** The elements of forms, and the state of a form that is shown again. */
import type { FastifyRequest } from 'fastify'
import type { Rejection } from '../authentication/attempts.ts'
import { NAME_MAX } from '../authentication/passkey-names.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import type { KeyOf, Message } from '../texts/message.ts'
import { LANGUAGE_TAGS, type Locale, type Texts, textsOf } from '../texts/texts.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from './html.ts'
import { icons } from './icons.ts'
import type { SystemLook } from './layout.ts'
import { providerIcon } from './provider-icons.ts'

/** The error message of the form, and links to the fields that have an error. */
export function errorSummary(
  locale: Locale,
  form: string | undefined,
  faulty: readonly { id: string; label: string }[] = [],
): Content {
  if (!form && faulty.length === 0) return undefined
  const fields = faulty.map(({ id, label }, index) => html`${index > 0 && ', '}<a href="#${id}">${label}</a>`)
  return html`<div class="alert" role="alert">
${form && html`<p id="form-error">${form}</p>`}
${faulty.length > 0 && html`<p>${fill(textsOf(locale).checkFields, { fields })}</p>`}
</div>`
}

type Field = {
  id: string
  label: string
  /** A link at the other end of the line of the label. Tab goes from the field before to the input first. */
  beside?: Html | undefined
  error: string | undefined
  /** Help text. */
  hint?: Html | undefined
  /** The id of another element that describes the field. */
  describedBy?: string | undefined
  input: (more: Html) => Html
}

/** An input with its label, error and hint. */
export function field({ id, label, beside, error, hint, describedBy, input }: Field): Html {
  const said = [error ? `${id}-error` : describedBy, hint && `${id}-hint`].filter(Boolean).join(' ')
  const more = html`${said && html` aria-describedby="${said}"`}${error && html` aria-invalid="true"`}`
  return html`<div class="field${beside && ' with-link'}">
<label for="${id}">${label}</label>
${input(more)}
${beside}
${error && html`<p class="fault" id="${id}-error">${error}</p>`}${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>`
}

export type ProviderButton = { id: string; name: string; url: string }

/** Buttons to identity providers, with their logos. */
export const providerButtons = (providers: readonly ProviderButton[], text: Message<'provider'>): Html =>
  html`<div class="actions providers">
${providers.map(({ id, name, url }) => html`<a class="button quiet" href="${url}">${providerIcon(id)}<span>${fill(text, { provider: bdi(name) })}</span></a>\n`)}</div>`

/**
 * The ways to sign in without a typed password: a passkey across the width, then the providers in two columns
 * in the order of the configuration; an odd last one has the width. The visible text of a provider is its
 * name, which its accessible name contains (WCAG 2.5.3).
 */
export function signInWays(
  locale: Locale,
  { passkey, providers }: { passkey?: Html | undefined; providers: readonly ProviderButton[] },
): Html {
  const { continueWith } = textsOf(locale)
  const isOdd = providers.length % 2 === 1
  return html`<div class="ways providers${providers.length === 0 && ' scripted'}">
${passkey}${providers.map(({ id, name, url }, at) => html`<a class="button quiet${isOdd && at === providers.length - 1 && ' wide'}" href="${url}" aria-label="${fillPlain(continueWith, { provider: name })}">${providerIcon(id)}<span>${bdi(name)}</span></a>\n`)}</div>`
}

export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`

export const signedInAs = (locale: Locale, email: string): Html =>
  html`<p class="note">${textsOf(locale).signedInAs} ${bdi(email)}</p>`

type Exits = { csrf: string; another?: string | undefined; abort?: string | undefined }

/** The exits of a signed-in user: sign in as another user, or cancel and return to the application. */
export function exits(locale: Locale, { csrf, another, abort }: Exits): Content {
  if (another === undefined && abort === undefined) return false
  const exit = (action: string, id: string, label: string) => html`<form method="post" action="${action}">
${csrfField(csrf)}
<button type="submit" id="${id}" class="link">${label}</button>
</form>`
  return html`<div class="exits">
${another !== undefined && exit(another, 'another', textsOf(locale).notYou)}
${abort !== undefined && exit(abort, 'leave', textsOf(locale).cancel)}
</div>`
}

/** A button that cancels and returns to the application. */
export const leaveForm = (locale: Locale, action: string, csrf: string): Html =>
  html`<form method="post" action="${action}" class="leave">
${csrfField(csrf)}
<button type="submit" id="leave" class="link">${textsOf(locale).cancel}</button>
</form>`

/** A form that continues the interaction, or an address of ours. */
export type NextStep = { href: string } | { action: string; csrf: string }

/** The button of a page from which the flow goes on. `text`: if it does not lead to the application. */
export function nextStep(
  locale: Locale,
  system: SystemLook | undefined,
  next: NextStep,
  text?: Message<never>,
): Html {
  const { continue: go, returnTo } = textsOf(locale)
  const label = text ? fill(text, {}) : system ? fill(returnTo, { system: bdi(system.name) }) : go
  if ('href' in next) return nextLink(next.href, label)
  return html`<form method="post" action="${next.action}">
${csrfField(next.csrf)}
<div class="actions"><button type="submit" id="submit">${label}</button></div>
</form>`
}

const nextLink = (href: string, label: Content, isQuiet = false): Html =>
  html`<div class="actions"><a class="button${isQuiet && ' quiet'}" id="next" href="${href}">${label}</a></div>`

type WayOn = {
  /** The page has another button that is more important. */
  isQuiet?: boolean
  label?: Message<'system'>
  /** The page of the user's own pages. */
  own?: string
}

/**
 * The button at the end of a flow: to the application that the page shows (look.ts), else to the user's own
 * pages.
 */
export function wayOn(
  locale: Locale,
  system: SystemLook | undefined,
  { isQuiet, label = textsOf(locale).continueTo, own = '/account' }: WayOn = {},
): Html {
  return system?.next === undefined
    ? nextLink(own, textsOf(locale).homeProfile, isQuiet)
    : nextLink(system.next, fill(label, { system: bdi(system.name) }), isQuiet)
}

export type PasswordField = {
  locale: Locale
  id: string
  label: string
  /** The current password of the user, or a new one. */
  kind: 'current' | 'new'
  error: string | undefined
  hint?: Html | undefined
  describedBy?: string | undefined
  focus?: boolean
  isRequired?: boolean
  beside?: Html | undefined
}

/** A password field with a button that shows the password (reveal.js). */
export function passwordField({
  locale,
  id,
  label,
  kind,
  error,
  hint,
  describedBy,
  focus = false,
  isRequired = true,
  beside,
}: PasswordField): Html {
  const show = fillPlain(textsOf(locale).showField, { field: label })
  return field({
    id,
    label,
    beside,
    error,
    hint,
    describedBy,
    input: (more) => html`<span class="password">
<input id="${id}" name="${id}" type="password" autocomplete="${kind}-password" autocapitalize="none" autocorrect="off" spellcheck="false"${isRequired && html` required`}${focus && html` autofocus`}${more}>
<button type="button" class="reveal" aria-controls="${id}" aria-pressed="false" aria-label="${show}" title="${show}" hidden>${icons.eye}</button>
</span>`,
  })
}

export type PasskeyForm = {
  action: string
  csrf: string
  /** Options of navigator.credentials.get or .create, in their JSON form. */
  options: object
  use: 'get' | 'create'
  label: string
  /** Message shown when the browser returned no passkey. */
  fault: string
}

/** A form for a passkey. passkey.js submits it; it is hidden without scripting. */
export function passkeyForm({ action, csrf, options, use, label, fault }: PasskeyForm): Html {
  return html`<form method="post" action="${action}" class="scripted" data-passkey="${use}" data-options="${JSON.stringify(options)}">
${csrfField(csrf)}
<input type="hidden" name="passkey" value="">
<div class="actions"><button type="submit" id="passkey">${use === 'get' && icons.fingerprint}${label}</button></div>
<p class="fault" role="alert" data-fault="${fault}"></p>
</form>`
}

/** The attribute of a form that says whether the device can create a passkey (passkey.js). */
export const tellsPasskeys = html` data-passkey="tell"`

/**
 * The same on the login page: the button is above the password form, the form itself after it, so that the
 * first form of the page is that of the password. The browser also offers passkeys in the autofill of the
 * email field.
 */
export const passkeyOffer = ({ action, csrf, options, label, fault }: Omit<PasskeyForm, 'use'>) => ({
  button: html`<button type="submit" id="passkey" form="passkey-form" class="quiet passkey scripted">${icons.fingerprint}${label}</button>
<p class="fault" id="passkey-fault" role="alert" data-fault="${fault}"></p>
`,
  form: html`<form method="post" action="${action}" id="passkey-form" data-passkey="get" data-options="${JSON.stringify(options)}" data-offered hidden>
${csrfField(csrf)}
<input type="hidden" name="passkey" value="">
</form>`,
})

export const passkeyNameField = ({
  id,
  label,
  value,
  error,
  hint,
}: {
  id: string
  label: string
  value: string
  error?: string | undefined
  hint?: string | undefined
}) =>
  field({
    id,
    label,
    error,
    hint: hint === undefined ? undefined : html`${hint}`,
    input: (more) =>
      html`<input id="${id}" name="name" type="text" autocomplete="off" value="${value}" maxlength="${NAME_MAX}" required${error && html` autofocus`}${more}>`,
  })

/** The fields of the forms; `form` is an error of no single field. */
type FieldName =
  | 'form'
  | 'email'
  | 'password'
  | 'passwordAgain'
  | 'code'
  | 'recoveryCode'
  | 'name'
  | 'accountName'

type SentenceKey = KeyOf<Texts, 'wait'>

/** The state of a page that is shown again after a form was submitted. */
export type PageState = {
  status?: number
  values?: { email?: string; name?: string; accountName?: string }
  /** A success message. */
  notice?: SentenceKey
  errors?: { [Name in FieldName]?: SentenceKey }
  /** Seconds; `{wait}` in a sentence. */
  retryAfter?: number | undefined
}

/** A state that is shown again after so many seconds: a wait that is over is no error any more. */
export function stateAfter<State extends PageState>(state: State, seconds: number): State {
  const { retryAfter, errors, status, ...rest } = state
  if (retryAfter === undefined) return state
  const left = retryAfter - seconds
  return left > 0 ? { ...state, retryAfter: left } : (rest as State)
}

export type Sentences = { notice: string | undefined; errors: { [Name in FieldName]?: string } }

/** The notice and the errors in a language. */
export function sentencesOf({ notice, errors = {}, retryAfter = 0 }: PageState, locale: Locale): Sentences {
  const wait = durationOf(retryAfter, locale)
  const say = (key: SentenceKey) => fillPlain<'wait'>(textsOf(locale)[key], { wait })
  const sentences = Object.entries(errors).map(([name, key]) => [name, say(key)])
  return { notice: notice && say(notice), errors: Object.fromEntries(sentences) }
}

/** `4 seconds`, `15 minutes`. */
export function durationOf(seconds: number, locale: Locale): string {
  return seconds < 90
    ? formatOf('second', locale).format(seconds)
    : formatOf('minute', locale).format(Math.ceil(seconds / 60))
}

const FORMATS = new Map<string, Intl.NumberFormat>()

/** A format is kept: to make one takes longer than to render a page. */
function formatOf(unit: 'second' | 'minute', locale: Locale): Intl.NumberFormat {
  const key = `${unit} ${locale}`
  const known = FORMATS.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(LANGUAGE_TAGS[locale], { style: 'unit', unit, unitDisplay: 'long' })
  FORMATS.set(key, made)
  return made
}

/**
 * A rejected credential as the state of a page. A client that asks for JSON gets
 * `too_many_requests` instead of the page.
 */
export function rejectedState(
  request: FastifyRequest,
  rejection: Rejection,
  wrong: NonNullable<PageState['errors']>,
): PageState {
  if (rejection.rejected === 'wrong') return { status: 401, errors: wrong }
  const { retryAfter } = rejection
  if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter })
  return { status: 429, errors: { form: 'tooManyAttempts' }, retryAfter }
}
