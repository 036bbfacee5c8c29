/**
 * Sign-in for /account: an authorization request to our own /auth as the built-in client
 * (oidc/provider/clients.ts), and its callback. The response contains no code:
 * /account relies on the browser session. `state` only selects the page at which this browser continues.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AAL2 } from '../authentication/assurance.ts'
import type { Config } from '../config.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import { ACCOUNT_CALLBACK, ACCOUNT_CLIENT_ID } from '../oidc/provider/clients.ts'
import { localeOf } from '../ui/i18n/texts.ts'
import { pagePolicy } from '../ui/layout.ts'
import { errorPage } from '../ui/pages/error.ts'

type Parts = { seal: Seal; config: Config }

const PAGES = [
  '/account',
  '/account/password',
  '/account/sessions',
  '/account/accounts',
  '/account/security',
  '/account/security/link',
  '/account/email',
]

/** The page of ours at or above `path`: the only targets after a sign-in. */
const pageOf = (path: string): string =>
  PAGES.findLast((page) => path === page || path.startsWith(`${page}/`)) ?? '/account'

const nameOf = (config: Config) => cookieName(config, '__Secure-', 'account')
const contextOf = (browser: string) => `account:sign-in:${browser}`
/** `randomToken`: 256 bits, base64url. */
const BROWSER = /^[\w-]{43}$/

/** The random number of this browser that its `state` values are bound to. */
function browserOf({ config }: Parts, request: FastifyRequest): string | undefined {
  const value = request.cookies[nameOf(config)]
  return value && BROWSER.test(value) ? value : undefined
}

/** `maxAge`: seconds (OpenID Connect Core section 3.1.2.1). */
type Requirements = { maxAge?: number | undefined; secondFactor: boolean }

/**
 * Redirects to /auth. `state` (RFC 6749 section 4.1.1) is the page to continue at, sealed for this browser,
 * so that several sign-ins can be in progress in it.
 */
export function startSignIn(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { maxAge, secondFactor }: Requirements,
): void {
  const { seal, config } = parts
  const browser = browserOf(parts, request) ?? randomToken()
  const attributes = cookieAttributes(config, '/account')
  reply.setCookie(nameOf(config), browser, { ...attributes, maxAge: config.TTL_INTERACTION })
  const page = pageOf(request.url.split('?')[0]!)
  const query = new URLSearchParams({
    client_id: ACCOUNT_CLIENT_ID,
    response_type: 'none',
    redirect_uri: `${config.BASE_URL}${ACCOUNT_CALLBACK}`,
    scope: 'openid',
    state: seal.seal(page, contextOf(browser)).toString('base64url'),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(secondFactor && { acr_values: AAL2 }),
  })
  reply.redirect(`/auth?${query}`, 303)
}

/**
 * The callback of the authorization request. Without a `state` of this browser it redirects
 * to /account, which checks the browser session again.
 */
export function completeSignIn(parts: Parts, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { state, error } = request.query as { state?: unknown; error?: unknown }
  const page = openState(parts.seal, browserOf(parts, request), state)
  if (page === undefined || error === undefined) return reply.redirect(pageOf(page ?? ''), 303)
  const html = errorPage({
    locale: localeOf(undefined, request.headers['accept-language']),
    code: error === 'access_denied' ? error : 'server_error',
    requestId: request.id,
    next: { href: '/account' },
  })
  return reply.code(403).header('content-security-policy', pagePolicy({})).type('text/html').send(html)
}

function openState(seal: Seal, browser: string | undefined, state: unknown): string | undefined {
  if (browser === undefined || typeof state !== 'string') return undefined
  try {
    return seal.open(Buffer.from(state, 'base64url'), contextOf(browser))
  } catch {
    return undefined // sealed for another browser, or not by us
  }
}
