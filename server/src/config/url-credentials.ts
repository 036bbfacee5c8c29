/**
 * User name and password in a URL. A character with a meaning in URLs ends them where it stands unencoded: of
 * `postgres://me:12/ab@host/name` the host would be `me`, and the rest of the password would be its path.
 */

/** Completes "must be a … URL; ". */
export const ENCODED = 'characters of the password such as `/`, `?`, `#`, `@` and `%` are percent-encoded'

/** Whether each `%` begins an encoded character, and the result is UTF-8. */
export function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** False for a URL whose password ends too early, or is not decodable. The message must not contain it. */
export function hasEncodedCredentials(url: string): boolean {
  const [, authority = '', rest = ''] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  return !/[@#]/.test(rest) && isEncoded(authority)
}
