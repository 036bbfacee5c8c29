/** Values that the sender of a request has chosen, as they are written to the log and to the audit log. */

/** Characters of a value. */
const VALUE_MAX = 300
/** Control, format and separator characters, of which JSON escapes only some: a terminal may act on them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export const withoutUnprintable = (value: string) => value.toWellFormed().replace(UNPRINTABLE, '\ufffd')

export const printable = (value: string) => withoutUnprintable(value.slice(0, VALUE_MAX))

const EMAIL = /[^\s@"'<>/?&=:;,]+(?:@|%40)[^\s@"'<>/?&=:;,]+/gi
/** The characters of tokens, codes and generated secrets. */
const LONG_WORD = /[\w-]{20,}/g
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Names of parameters and settings have neither digits nor capital letters. */
const isName = (word: string) => UUID.test(word) || !/[\dA-Z]/.test(word)

/** `printable`, without email addresses and what may be a token or a secret. */
export const masked = (value: string) =>
  printable(value)
    .replace(EMAIL, '<email>')
    .replace(LONG_WORD, (word) => (isName(word) ? word : '<value>'))

/** A URI without user name, password, query and fragment, which may contain a token. */
export function maskedUri(value: string): string {
  const url = URL.parse(value)
  if (!url) return masked(value.replace(/[?#].*$/s, '?…'))
  const { protocol, host, pathname, search, hash } = url
  const place = host === '' ? protocol : `${protocol}//${printable(host)}`
  return `${place}${masked(pathname)}${search && '?…'}${hash && '#…'}`
}
