/**
 * The URIs to which a system may redirect users or have messages sent. They are compared exactly, so each
 * must be unambiguous: no wildcard, no second spelling of a host, no scheme that a browser executes.
 */
import { LOOPBACK } from '../../config/setting.ts'
import type { FieldFault } from '../../errors.ts'
import { spellingFault, webAddressFault } from '../../http/web-address.ts'

/** A limit of our own. */
export const URIS_MAX = 100

/** A limit of our own. */
export const ORIGINS_MAX = 20

/**
 * RFC 8252 section 7.1: a reversed domain name of the app's publisher, so that two apps do not use the same
 * scheme by chance.
 */
const PRIVATE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//i

/** https anywhere, http on a loopback address. */
export function webUriFault(uri: string): string | undefined {
  const fault = webAddressFault(uri)
  if (fault) return fault
  const { protocol, hostname } = new URL(uri)
  const plain = protocol === 'http:' && !LOOPBACK.has(hostname)
  return plain ? 'must be https; plain http is for localhost, 127.0.0.1 and [::1]' : undefined
}

/** The origin of an app's pages with a scheme of its own, as a browser sends it: `capacitor://localhost`. */
const APP_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/
/** Schemes of no app: a page of these has no origin of its own, or none is a page. */
const NO_APP = /^(?:about|blob|data|file|filesystem|ftp|javascript|view-source|ws|wss):/

const isLoopback = (url: string): boolean => LOOPBACK.has(new URL(url).hostname)

/**
 * The reason why a URL is not one that our own pages lead to, if any. Plain http is for development only: a
 * page of a loopback address may be of any program of the person's computer.
 */
export function addressFault(uri: string, issuer: string): string | undefined {
  const fault = webAddressFault(uri)
  if (fault) return fault
  return /^https:/i.test(uri) || (isLoopback(uri) && isLoopback(issuer))
    ? undefined
    : 'must be https; plain http is for a loopback address while BASE_URL has one'
}

/**
 * Why a value is no origin (RFC 6454) that browsers may call us from. It is compared with the header `Origin`
 * character by character: no path, no wildcard, one spelling, and never `null`, which any sandboxed page has.
 */
export function originFault(origin: string, issuer: string): string | undefined {
  const spelling = spellingFault(origin)
  if (spelling) return spelling
  if (!/^https?:/i.test(origin))
    return APP_ORIGIN.test(origin) && !NO_APP.test(origin)
      ? undefined
      : 'must be an origin such as https://app.example or capacitor://localhost'
  const fault = webAddressFault(origin)
  if (fault) return fault
  const { origin: plain } = new URL(origin)
  return plain === origin ? addressFault(origin, issuer) : `must be an origin without a path: ${plain}`
}

/** RFC 6454; `null` for a private-use scheme. */
export const originOf = (uri: string): string => new URL(uri).origin

export const httpsUriFault = (uri: string) =>
  webUriFault(uri) ?? (/^https:/i.test(uri) ? undefined : 'must be https')

/** A URI to which users are redirected: a web URI or one with a private-use scheme. */
function redirectUriFault(uri: string): string | undefined {
  if (/^https?:/i.test(uri)) return webUriFault(uri)
  const spelling = spellingFault(uri)
  if (spelling) return spelling
  if (!PRIVATE.test(uri))
    return "must be https, http on a loopback address, or an app's scheme such as com.example.app:/callback"
  const url = URL.parse(uri)
  return !url || url.username || url.password || /^[^:]+:\/\/[^/?]*@/.test(uri)
    ? 'must have no user name'
    : undefined
}

/** The faults of a list, by index: `/redirectUris/3`. */
export function uriFaults(field: string, uris: readonly string[] = []): FieldFault[] {
  return uris.flatMap((uri, place) => {
    const message = redirectUriFault(uri)
    return message ? [{ path: `/${field}/${place}`, message }] : []
  })
}

/**
 * The `application_type` (OpenID Connect registration, section 2) with which the protocol library accepts all
 * of these URIs. `native` allows private-use schemes and any port of an http loopback address, but no https
 * loopback address; `web` the other way round. Undefined if no type allows all of them.
 */
export function applicationType(uris: readonly string[]): 'native' | 'web' | undefined {
  const parsed = uris.map((uri) => new URL(uri))
  const inApp = parsed.some((url) => url.protocol !== 'https:' && url.protocol !== 'http:')
  const secureLoopback = parsed.some((url) => url.protocol === 'https:' && LOOPBACK.has(url.hostname))
  if (inApp && secureLoopback) return undefined
  return inApp || (!secureLoopback && parsed.some((url) => url.protocol === 'http:')) ? 'native' : 'web'
}
