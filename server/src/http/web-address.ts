/**
 * Addresses of the web that somebody gives us to keep. What is registered must be what it looks like: no wildcard, no
 * second spelling of a host, nothing that a browser or a header would misread.
 */

/** Ours: no standard bounds it. */
const URI_MAX = 2_000
/** RFC 3986 section 2, and percent signs only before two digits. */
const URI_CHARACTERS = /^(?:[\w\-.~:/?[\]@!$&'()+,;=]|%[0-9a-f]{2})+$/i
/** Scheme, two slashes, host, port: no user before the host, no character in it that a header or a policy could misread. */
const WEB = /^https?:\/\/(?<host>[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?=[/?]|$)/i

/** Why an address can't be given as it stands, whatever its scheme, or nothing when it can. */
export function spellingFault(uri: string): string | undefined {
  if (uri.length > URI_MAX) return `is longer than ${URI_MAX} characters`
  if (uri.includes('#')) return 'must have no fragment'
  if (uri.includes('*')) return 'must have no wildcard: addresses are matched exactly'
  if (!URI_CHARACTERS.test(uri)) return 'has characters that do not belong in an address'
  return undefined
}

/** The same for an address of the web; whether it may be http is the caller's to say. */
export function webAddressFault(uri: string): string | undefined {
  const url = URL.parse(uri)
  const host = WEB.exec(uri)?.groups?.host?.toLowerCase()
  const spelling = spellingFault(uri)
  if (spelling) return spelling
  if (!url || host === undefined) return 'must be an https address with a host and without a user name'
  return host === url.hostname ? undefined : `must name its host as ${url.hostname}`
}
