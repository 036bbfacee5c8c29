/**
 * Sign-in for our own pages, /account, /console and /invitation: an authorization request to our own /auth as
 * the built-in client (oidc/clients/metadata.ts), and its callback. The response contains no code: the pages
 * rely on the browser session. `state` only selects the page at which this browser continues.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { AAL2 } from '../authentication/assurance.ts'
import type { Config } from '../config/config.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { ACCOUNT_CLIENT_ID } from '../oidc/clients/client.ts'
import { pagePolicy } from '../ui/layout.ts'
import { errorPage } from '../ui/pages/error.ts'

type Parts = { seal: Seal; config: Config }

/** Pages that sign in together. */
export type SignInTarget = {
  path: '/account' | '/console' | '/invitation'
  /** The path of the redirect URI. */
  callback: string
  /** The page of an address, at which a sign-in may continue; without one, the first page. */
  pageOf(address: string): string
  /** Whether a sign-in that failed or was cancelled also continues at the page. */
  returnsOnError?: boolean
}

const nameOf = (config: Config, { path }: SignInTarget) => cookieName(config, '__Secure-', path.slice(1))
const contextOf = ({ path }: SignInTarget, browser: string) => `${path.slice(1)}:sign-in:${browser}`
/** `randomToken`: 256 bits, base64url. */
const BROWSER = /^[\w-]{43}$/

/** The random number of this browser that its `state` values are bound to. */
function browserOf({ config }: Parts, target: SignInTarget, request: FastifyRequest): string | undefined {
  const value = request.cookies[nameOf(config, target)]
  return value && BROWSER.test(value) ? value : undefined
}

/** `maxAge`: seconds (OpenID Connect Core section 3.1.2.1). `asAnother`: than the signed-in user. */
type Requirements = {
  page: string
  maxAge?: number | undefined
  secondFactor: boolean
  loginHint?: string
  asAnother?: boolean
}

/**
 * Redirects to /auth. `state` (RFC 6749 section 4.1.1) is the page to continue at, sealed for this browser,
 * so that several sign-ins can be in progress in it.
 */
export function startSignIn(
  parts: Parts,
  target: SignInTarget,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, maxAge, secondFactor, loginHint, asAnother = false }: Requirements,
): void {
  const { seal, config } = parts
  const browser = browserOf(parts, target, request) ?? randomToken()
  const attributes = cookieAttributes(config, target.path)
  reply.setCookie(nameOf(config, target), browser, { ...attributes, maxAge: config.TTL_INTERACTION })
  const query = new URLSearchParams({
    client_id: ACCOUNT_CLIENT_ID,
    response_type: 'none',
    redirect_uri: `${config.BASE_URL}${target.callback}`,
    scope: 'openid',
    state: seal.seal(target.pageOf(page), contextOf(target, browser)).toString('base64url'),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(secondFactor && { acr_values: AAL2 }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(asAnother && { prompt: 'login' }),
  })
  reply.redirect(`/auth?${query}`, 303)
}

/**
 * The callback of the authorization request. Without a `state` of this browser it redirects
 * to the first page, which checks the browser session again.
 */
export function completeSignIn(
  parts: Parts,
  target: SignInTarget,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { state, error } = request.query as { state?: unknown; error?: unknown }
  const page = openState(parts.seal, target, browserOf(parts, target, request), state)
  if (page === undefined || error === undefined || target.returnsOnError)
    return reply.redirect(target.pageOf(page ?? ''), 303)
  const html = errorPage({
    locale: languageOf(request),
    code: error === 'access_denied' ? error : 'server_error',
    requestId: request.id,
    next: { href: target.path },
  })
  return reply
    .code(403)
    .header('content-security-policy', pagePolicy({ forms: 'own' }))
    .type('text/html')
    .send(html)
}

function openState(
  seal: Seal,
  target: SignInTarget,
  browser: string | undefined,
  state: unknown,
): string | undefined {
  if (browser === undefined || typeof state !== 'string') return undefined
  try {
    return seal.open(Buffer.from(state, 'base64url'), contextOf(target, browser))
  } catch {
    return undefined // sealed for another browser, or not by us
  }
}
