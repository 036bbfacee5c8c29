/** Names that a tenant or a user has chosen, as emails show them. */

/** Control characters, line ends and bidirectional controls. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu

export const onOneLine = (text: string): string => text.replace(CONTROLS, ' ')

/** Prevents that an email client makes a link of the name. */
export const unlinked = (name: string): string => name.replace(/(?<=\S)[.:@。．｡](?=\S)/gu, '\u2060$&\u2060')

/** Without what an email client could show as another address than that of the sender. */
export const senderName = (name: string): string =>
  onOneLine(name)
    .replace(/[@＠﹫<>＜＞﹤﹥]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()

/** A domain, such as `evil.example` or `evil1.com`; a number such as 2.0 is none. */
const DOMAIN = /[\p{L}\p{N}]\p{M}*[.。]\p{L}|\p{L}\p{M}*[.。][\p{L}\p{N}]/u
/** Digits of a telephone number, however they are grouped. */
const NUMBER = 7

/**
 * Whether a name can be a message: with an address, a domain or a telephone number. An organization can have
 * any name, and invitations send it to people who know neither. Full-width and invisible characters are read
 * as the plain ones.
 */
export function isMessage(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/\p{Cf}/gu, '')
  return (
    onOneLine(name) !== name ||
    /[@/]/.test(plain) ||
    DOMAIN.test(plain) ||
    (plain.match(/\p{Nd}/gu) ?? []).length >= NUMBER
  )
}
