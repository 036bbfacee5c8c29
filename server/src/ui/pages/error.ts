import { type Catalog, type Locale, textsOf } from '../../texts/texts.ts'
import { durationOf, type NextStep, nextStep, wayOn } from '../forms.ts'
import { type Content, fill, html, protocolWord } from '../html.ts'
import { icons } from '../icons.ts'
import { type EndTone, layout, type SystemLook, systemName } from '../layout.ts'

export type ErrorPage = {
  locale: Locale
  /** A code of errors.ts or of OAuth (RFC 6749 section 4.1.2.1). */
  code: string
  requestId: string
  /** What the application has requested: the texts for its own errors. */
  purpose?: 'signIn' | 'logout' | 'test'
  /** The invalid parameter of the request. */
  parameter?: string | undefined
  /** Technical description in English, for the developers of the application. */
  description?: string | undefined
  system?: SystemLook | undefined
  next?: NextStep | undefined
  /** A form that sends a new link instead of the one with this token. */
  again?: { action: string; token: string } | undefined
  /** The link was of a registration, which begins again at the application. */
  registers?: boolean
  /** Seconds. */
  retryAfter?: number | undefined
  /**
   * The redirect URI that was sent; for operators the registered ones, and the page of the console that adds
   * it.
   */
  redirect?:
    | { sent: string; registered?: readonly string[] | undefined; console?: string | undefined }
    | undefined
}

export type ErrorKind =
  | 'request'
  | 'logout'
  | 'expired'
  | 'finished'
  | 'cookies'
  | 'denied'
  | 'form'
  | 'notFound'
  | 'right'
  | 'busy'
  | 'link'
  | 'linkUser'
  | 'provider'
  | 'conflict'
  | 'test'
  | 'trouble'

/** Texts by error code. All other codes are errors in the request of the application. */
const KINDS: Record<string, ErrorKind> = {
  interaction_not_found: 'expired',
  interaction_finished: 'finished',
  cookies_required: 'cookies',
  session_not_found: 'expired',
  access_denied: 'denied',
  csrf_rejected: 'form',
  not_found: 'notFound',
  account_not_found: 'notFound',
  membership_not_found: 'notFound',
  invitation_not_found: 'notFound',
  insufficient_authority: 'right',
  insufficient_user_authentication: 'expired',
  too_many_requests: 'busy',
  link_invalid: 'link',
  link_expired: 'link',
  link_requires_sign_in: 'linkUser',
  identity_conflict: 'conflict',
  identity_linked: 'provider',
  identity_taken: 'provider',
  provider_answer_invalid: 'provider',
  provider_refused: 'provider',
  provider_state_invalid: 'provider',
  provider_unavailable: 'provider',
  internal: 'trouble',
  server_error: 'trouble',
  unavailable: 'trouble',
  temporarily_unavailable: 'trouble',
}

type Look = { icon: (typeof icons)[keyof typeof icons]; end: EndTone }

const OVER: Look = { icon: icons.clock, end: 'plain' }
const REFUSED: Look = { icon: icons.barred, end: 'plain' }

/** What is over, has to wait or is not allowed is no fault. */
const LOOKS: Partial<Record<ErrorKind, Look>> = {
  expired: OVER,
  finished: OVER,
  link: OVER,
  busy: { icon: icons.clock, end: 'wait' },
  denied: REFUSED,
  right: REFUSED,
}

const FAULT: Look = { icon: icons.alert, end: 'bad' }

const REQUESTS = { signIn: 'request', logout: 'logout' } as const

export function errorPage({
  locale,
  code,
  requestId,
  purpose = 'signIn',
  parameter,
  description,
  system,
  next,
  again,
  registers,
  retryAfter,
  redirect,
}: ErrorPage): string {
  const texts = textsOf(locale, 'errors')
  const isRequest = !Object.hasOwn(KINDS, code)
  const kind = purpose === 'test' ? purpose : isRequest ? REQUESTS[purpose] : KINDS[code]!
  const isBusy = kind === 'busy' && retryAfter !== undefined
  return layout({
    locale,
    system,
    ...(LOOKS[kind] ?? FAULT),
    heading: texts[`${kind}Title`],
    lead: html`${fill(texts[`${kind}Lead`], { system: systemName(system, locale) })}${
      isRequest && parameter && html` ${fill(texts.requestParameter, { parameter: protocolWord(parameter) })}`
    }`,
    faulty: true,
    body: html`<p>${isBusy ? fill(texts.busyNextIn, { wait: durationOf(retryAfter, locale) }) : texts[`${kind}Next`]}</p>
${again && sendAgain(locale, again)}
${next ? nextStep(locale, system, next, kind === 'provider' ? textsOf(locale, 'connection').again : undefined) : wayOn(locale, system, { isQuiet: again !== undefined, ...(registers && { label: textsOf(locale).registerAgain }) })}
${details(texts, { code, parameter, description, requestId, redirect })}
${redirect?.console && html`<p><a id="in-console" href="${redirect.console}">${texts.inConsole}</a></p>`}`,
  })
}

const sendAgain = (locale: Locale, { action, token }: { action: string; token: string }) =>
  html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button type="submit" id="again">${textsOf(locale).resetAgain}</button></div>
</form>`

const registeredList = (texts: Catalog['errors'], registered: readonly string[]): Content =>
  registered.length === 0
    ? texts.nothingRegistered
    : html`<span id="registered">${registered.map((uri, place) => [place > 0 && html`<br>`, protocolWord(uri)])}</span>`

function details(
  texts: Catalog['errors'],
  {
    code,
    parameter,
    description,
    requestId,
    redirect,
  }: Pick<ErrorPage, 'code' | 'parameter' | 'description' | 'requestId' | 'redirect'>,
): Content {
  const rows: [string, Content][] = [
    [texts.detailCode, protocolWord(code, 'error-code')],
    [texts.detailParameter, parameter && protocolWord(parameter, 'error-parameter')],
    [texts.detailSent, redirect && protocolWord(redirect.sent, 'sent')],
    [texts.detailRegistered, redirect?.registered && registeredList(texts, redirect.registered)],
    [texts.detailDescription, description && html`<bdi lang="en">${description}</bdi>`],
    [texts.detailRequest, protocolWord(requestId, 'request-id')],
  ]
  return html`<dl class="details" aria-label="${texts.details}">
${rows.filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`)}
</dl>`
}
