/**
 * Which addresses a system may have people and messages sent to. They are matched exactly, so what is registered must
 * be what it looks like: no wildcard, no second spelling of a host, nothing that a browser would run.
 */
import type { FieldFault } from '../errors.ts'

/** Ours: no standard bounds them. */
export const URIS_MAX = 100
const URI_MAX = 2_000

/** RFC 8252 section 7.3. The library compares the same three names. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** RFC 3986 section 2, and percent signs only before two digits. */
const URI_CHARACTERS = /^(?:[\w\-.~:/?[\]@!$&'()+,;=]|%[0-9a-f]{2})+$/i
/** Scheme, two slashes, host, port: no user before the host, no character in it that a header or a policy could misread. */
const WEB = /^https?:\/\/(?<host>[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?=[/?]|$)/i
/** RFC 8252 section 7.1: a domain of the app's maker turned round, so that no other app has it by chance. */
const PRIVATE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//i

/** Why an address can't be given as it stands, or nothing when it can. */
function spellingFault(uri: string): string | undefined {
  if (uri.length > URI_MAX) return `is longer than ${URI_MAX} characters`
  if (uri.includes('#')) return 'must have no fragment'
  if (uri.includes('*')) return 'must have no wildcard: addresses are matched exactly'
  if (!URI_CHARACTERS.test(uri)) return 'has characters that do not belong in an address'
  return undefined
}

/** https anywhere, http on a loopback address. */
export function webUriFault(uri: string): string | undefined {
  const url = URL.parse(uri)
  const host = WEB.exec(uri)?.groups?.host?.toLowerCase()
  const spelling = spellingFault(uri)
  if (spelling) return spelling
  if (!url || host === undefined) return 'must be an https address with a host and without a user name'
  if (host !== url.hostname) return `must name its host as ${url.hostname}`
  if (url.protocol === 'http:' && !LOOPBACK.has(host)) return 'must be https; plain http is for localhost, 127.0.0.1 and [::1]'
  return undefined
}

export const httpsUriFault = (uri: string) => webUriFault(uri) ?? (/^https:/i.test(uri) ? undefined : 'must be https')

/** Where people are sent back to: a web address or an app's own scheme. */
function redirectUriFault(uri: string): string | undefined {
  if (/^https?:/i.test(uri)) return webUriFault(uri)
  const spelling = spellingFault(uri)
  if (spelling) return spelling
  if (!PRIVATE.test(uri)) return "must be https, http on a loopback address, or an app's scheme such as com.example.app:/callback"
  const url = URL.parse(uri)
  return !url || url.username || url.password || /^[^:]+:\/\/[^/?]*@/.test(uri) ? 'must have no user name' : undefined
}

/** The faults of a list, by place: `/redirectUris/3`. */
export function uriFaults(field: string, uris: readonly string[] = []): FieldFault[] {
  return uris.flatMap((uri, place) => {
    const message = redirectUriFault(uri)
    return message ? [{ path: `/${field}/${place}`, message }] : []
  })
}

/**
 * The `application_type` (OpenID Connect registration, section 2) under which the protocol library takes all of these:
 * `native` admits an app's schemes and any port of a loopback address, but no https there; `web` the other way round.
 * None when they can't stand in one system.
 */
export function applicationType(uris: readonly string[]): 'native' | 'web' | undefined {
  const parsed = uris.map((uri) => new URL(uri))
  const inApp = parsed.some((url) => url.protocol !== 'https:' && url.protocol !== 'http:')
  const secureLoopback = parsed.some((url) => url.protocol === 'https:' && LOOPBACK.has(url.hostname))
  if (inApp && secureLoopback) return undefined
  return inApp || (!secureLoopback && parsed.some((url) => url.protocol === 'http:')) ? 'native' : 'web'
}
