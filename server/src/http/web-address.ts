/**
 * Validation of registered URLs. They are compared exactly, so each must be in canonical form: no wildcard,
 * one spelling of the host, no character that a browser or a header could misinterpret.
 */

/** In characters; no standard limits it. */
const URI_MAX = 2_000
/** RFC 3986 section 2; percent signs only as percent-encoding. */
const URI_CHARACTERS = /^(?:[\w\-.~:/?[\]@!$&'()+,;=]|%[0-9a-f]{2})+$/i
/** Scheme, `//`, host, port: without user information. */
const WEB = /^https?:\/\/(?<host>[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?=[/?]|$)/i

/** The reason why a URL of any scheme is not accepted, if any. */
export function spellingFault(uri: string): string | undefined {
  if (uri.length > URI_MAX) return `is longer than ${URI_MAX} characters`
  if (uri.includes('#')) return 'must have no fragment'
  if (uri.includes('*')) return 'must have no wildcard: URLs are compared exactly'
  if (!URI_CHARACTERS.test(uri)) return 'has characters that are not allowed in a URL'
  return undefined
}

/**
 * The reason why a URL is not accepted as http or https, if any. The caller decides whether http is allowed.
 */
export function webAddressFault(uri: string): string | undefined {
  const url = URL.parse(uri)
  const host = WEB.exec(uri)?.groups?.host?.toLowerCase()
  const spelling = spellingFault(uri)
  if (spelling) return spelling
  if (!url || host === undefined) return 'must be an https URL with a host and without a user name'
  return host === url.hostname ? undefined : `must spell its host as ${url.hostname}`
}
