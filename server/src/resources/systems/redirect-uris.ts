/**
 * Which addresses a system may have people and messages sent to. They are matched exactly, so
 * what is registered must be what it looks like: no wildcard, no second spelling of a host,
 * nothing that a browser would run.
 */
import type { FieldFault } from '../../errors.ts'
import { spellingFault, webAddressFault } from '../../http/web-address.ts'

/** Ours: no standard bounds them. */
export const URIS_MAX = 100

/** RFC 8252 section 7.3. The library compares the same three names. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** RFC 8252 section 7.1: a domain of the app's maker turned round, so that no other app has it by chance. */
const PRIVATE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//i

/** https anywhere, http on a loopback address. */
function webUriFault(uri: string): string | undefined {
  const fault = webAddressFault(uri)
  if (fault) return fault
  const { protocol, hostname } = new URL(uri)
  const plain = protocol === 'http:' && !LOOPBACK.has(hostname)
  return plain ? 'must be https; plain http is for localhost, 127.0.0.1 and [::1]' : undefined
}

export const httpsUriFault = (uri: string) =>
  webUriFault(uri) ?? (/^https:/i.test(uri) ? undefined : 'must be https')

/** Where people are sent back to: a web address or an app's own scheme. */
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

/** The faults of a list, by place: `/redirectUris/3`. */
export function uriFaults(field: string, uris: readonly string[] = []): FieldFault[] {
  return uris.flatMap((uri, place) => {
    const message = redirectUriFault(uri)
    return message ? [{ path: `/${field}/${place}`, message }] : []
  })
}

/**
 * The `application_type` (OpenID Connect registration, section 2) under which the protocol library takes all
 * of these: `native` admits an app's schemes and any port of a loopback address, but no https there; `web`
 * the other way round. None when they can't stand in one system.
 */
export function applicationType(uris: readonly string[]): 'native' | 'web' | undefined {
  const parsed = uris.map((uri) => new URL(uri))
  const inApp = parsed.some((url) => url.protocol !== 'https:' && url.protocol !== 'http:')
  const secureLoopback = parsed.some((url) => url.protocol === 'https:' && LOOPBACK.has(url.hostname))
  if (inApp && secureLoopback) return undefined
  return inApp || (!secureLoopback && parsed.some((url) => url.protocol === 'http:')) ? 'native' : 'web'
}
