/**
 * The stored form of an email address: one form for each mailbox, computed here and never by the database,
 * whose rules of letter case depend on its locale. Stored forms are compared byte by byte.
 */
import { domainToASCII, domainToUnicode } from 'node:url'

/** Lengths in characters (RFC 5321 section 4.5.3.1). */
export const ADDRESS_MAX = 254
const LOCAL_MAX = 64

/**
 * White space, invisible, control, format and bidirectional, unassigned and private characters, and those
 * that NFC converts to ASCII.
 */
const REFUSED = /[\s\p{C}\p{Z}\p{DI}\u037E\u1FEF\u212A]/u
/** Quoted local parts, address literals and lists of addresses are not accepted. */
const PARTS = /^(?<local>[^@<>"(),:;[\]\\]+)@(?<domain>[^@<>"(),:;[\]\\]+)$/
const LABEL = /^[a-z0-9_-]{1,63}$/

const asciiLowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** In octets, without the trailing dot (RFC 1035 section 2.3.4). */
export const DOMAIN_MAX = 253

/**
 * The stored form of a domain that can have a record of its own: that of the domain of an address. Undefined
 * for a name of one label and for an IP address.
 */
export function storedDomain(text: string): string | undefined {
  const domain = REFUSED.test(text) ? undefined : domainOf(text.normalize('NFC'))
  const isName = domain !== undefined && domain.length <= DOMAIN_MAX && /\.(?!\d+$)[^.]+$/.test(domain)
  return isName ? domain : undefined
}

/**
 * The A-labels of a domain (RFC 5890 section 2.3.2.1). Undefined if a label is not the only spelling of its
 * A-label, except for ASCII letter case: UTS 46 maps characters such as full-width letters to others.
 */
function domainOf(domain: string): string | undefined {
  const given = asciiLowerCase(domain).replace(/\.$/, '')
  const ascii = domainToASCII(given)
  const [labels, typed] = [ascii.split('.'), given.split('.')]
  const whole =
    labels.length === typed.length &&
    labels.every((label, at) => LABEL.test(label) && isOnlySpelling(label, typed[at]!))
  return whole ? ascii : undefined
}

function isOnlySpelling(label: string, typed: string): boolean {
  if (!label.startsWith('xn--')) return label === typed
  const unicode = domainToUnicode(label)
  return (typed === label || typed === unicode) && unicode !== label && domainToASCII(unicode) === label
}

/**
 * The stored form: NFC, ASCII letters in lower case, the domain as A-labels without a trailing dot. Plus tags
 * are kept. Undefined if the text is not an address that can be stored.
 */
export function storedAddress(text: string): string | undefined {
  const { local = '', domain = '' } = PARTS.exec(text.normalize('NFC'))?.groups ?? {}
  if (local === '' || REFUSED.test(text)) return undefined
  const host = domainOf(domain)
  const address = `${asciiLowerCase(local)}@${host}`
  const fits = [...local].length <= LOCAL_MAX && [...address].length <= ADDRESS_MAX
  return host !== undefined && fits ? address : undefined
}

/**
 * The key by which the user of a typed address is looked up. A text without a stored form is its own key,
 * which no user has.
 */
export const addressKey = (typed: string): string => storedAddress(typed) ?? typed
