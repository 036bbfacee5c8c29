/** The client id of HTTP Basic (RFC 6749 section 2.3.1). Its secret is not verified. */

const BASIC = /^basic ([\w+/=-]+)$/i

export function basicClientOf(authorization: string): string | undefined {
  const credentials = BASIC.exec(authorization)?.[1]
  if (credentials === undefined) return undefined
  const [encoded = ''] = Buffer.from(credentials, 'base64').toString().split(':')
  return formDecoded(encoded)
}

/** An id has one name, whether a client encodes it or not. */
function formDecoded(id: string): string {
  try {
    return decodeURIComponent(id.replaceAll('+', ' '))
  } catch {
    return id // the library refuses it
  }
}
