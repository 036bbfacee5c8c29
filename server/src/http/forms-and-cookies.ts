/**
 * Forms that only our own pages may send, and the cookies of our pages. Those of the protocol are written by
 * the protocol library.
 */

import type { IncomingHttpHeaders } from 'node:http'
import cookies, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import Negotiator from 'negotiator'
import type { Config } from '../config/config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import { Failure } from '../errors.ts'
import { dropCookies } from './problems.ts'

/** The CSRF token of a sign-in: a keyed hash of its id, which a cookie binds to one browser. */
export const csrfToken = (seal: Seal, uid: string): string => seal.hash(uid, 'csrf').toString('base64url')

type Sent = { headers: IncomingHttpHeaders; body?: unknown }

/**
 * Whether a POST comes from our own page: checks its origin (Fetch metadata, Origin) and, for a form, the
 * CSRF token of the sign-in. JSON needs no token: a page of another origin could send it only after a CORS
 * preflight, which is not allowed here.
 */
export function isOwnForm(sent: Sent, baseUrl: string, token: string): boolean {
  if (!isSameOrigin(sent, baseUrl)) return false
  if (isJson(sent)) return true
  const given = (sent.body as { csrf?: unknown } | undefined)?.csrf
  return typeof given === 'string' && sameText(given, token)
}

const isJson = ({ headers }: Sent) =>
  String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith('application/json')

/** Whether the client renders its own screens: its `Accept` prefers JSON to HTML. Wildcards mean HTML. */
export function wantsJson({ headers }: Sent): boolean {
  const accepted = new Negotiator({ headers }).mediaTypes() // most preferred first, without parameters
  return (
    accepted.find((type) => /^(application\/json|text\/html)$/i.test(type))?.toLowerCase() ===
    'application/json'
  )
}

/**
 * Whether a form comes from our own page, by the headers that browsers set (Fetch metadata; Origin, RFC 6454
 * section 7).
 */
export function isSameOrigin({ headers }: { headers: IncomingHttpHeaders }, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  return (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (origin === undefined || origin === baseUrl)
  )
}

type Issuer = Pick<Config, 'BASE_URL'>

/**
 * Throws `csrf_rejected` for a form of an emailed link that another page has sent. Our pages of links have no
 * referrer: their forms have `Origin: null`, and Sec-Fetch-Site of a browser that sends it.
 */
export function demandOwnLinkForm({ headers }: Pick<Sent, 'headers'>, { BASE_URL }: Issuer): void {
  const { origin, ...others } = headers
  if (!isSameOrigin({ headers: origin === 'null' ? others : headers }, BASE_URL))
    throw new Failure('csrf_rejected')
}

/** randomToken: 256 bits, base64url. */
const TOKEN = /^[\w-]{43}$/

/** The token of an emailed link. Throws `link_invalid` for a malformed one. */
export function readLinkToken(sent: unknown): string {
  const { token } = (sent ?? {}) as { token?: unknown }
  if (typeof token !== 'string' || !TOKEN.test(token)) throw new Failure('link_invalid')
  return token
}

const isSecure = ({ BASE_URL }: Issuer) => BASE_URL.startsWith('https:')

/** Browsers enforce the prefix (RFC 6265bis section 4.1.3), which requires https. */
export const cookieName = (config: Issuer, prefix: '__Host-' | '__Secure-', name: string): string =>
  isSecure(config) ? `${prefix}${name}` : `_${name}`

/** `Max-Age` is in seconds; without it the cookie ends with the browser session. */
export const cookieAttributes = (config: Issuer, path: string) =>
  ({
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(config),
  }) as const satisfies CookieSerializeOptions

/** Adds `request.cookies` and `reply.setCookie` to the routes of `app`, and to no others. */
export async function acceptCookies(app: FastifyInstance): Promise<void> {
  await app.register(cookies)
  // After the hook of the plugin, which writes the header: a 5xx rolls back the state that a cookie refers
  // to.
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 500) dropCookies(reply)
  })
}
