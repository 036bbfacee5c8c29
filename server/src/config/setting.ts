/** The kinds of settings: each parses its text and describes itself for docs/configuration.md. */
import { isIP } from 'node:net'
import { storedAddress } from '../email-address.ts'
import { senderName } from '../texts/names.ts'
import { POSTGRES_URL, readPostgresUrl } from './postgres-url.ts'
import { hasEncodedCredentials, isEncoded } from './url-credentials.ts'

export type Setting<T> = {
  /** The default as the documentation shows it. The value itself is `parse(undefined)`. */
  default: string
  doc: string
  allowed: string
  /** Returns the value, or throws an Error whose message completes "NAME must be …". */
  parse(text: string | undefined): T
}

export function text(
  defaultValue: string,
  doc: string,
  allowed = 'text',
  valid: (given: string) => boolean = () => true,
): Setting<string> {
  return {
    default: defaultValue,
    doc,
    allowed,
    parse(given = defaultValue) {
      if (!valid(given)) throw new Error(allowed)
      return given
    },
  }
}

export function optionalSetting(
  doc: string,
  allowed: string,
  valid: (given: string) => boolean,
  defaultText = 'none',
): Setting<string | undefined> {
  return {
    default: defaultText,
    doc,
    allowed,
    parse(given) {
      if (given === undefined) return undefined
      if (!valid(given)) throw new Error(allowed)
      return given
    },
  }
}

export function integer(defaultValue: number, min: number, max: number, doc: string): Setting<number> {
  const allowed = `a whole number from ${min} to ${max}`
  return {
    default: String(defaultValue),
    doc,
    allowed,
    parse(given) {
      if (given === undefined) return defaultValue
      const value = Number(given)
      if (!/^\d+$/.test(given) || value < min || value > max) throw new Error(allowed)
      return value
    },
  }
}

/** A duration in seconds, up to ten years. */
export const seconds = (defaultValue: number, doc: string) =>
  integer(defaultValue, 1, 315_360_000, `${doc} In seconds.`)

export function choiceSetting<const Values extends readonly string[]>(
  values: Values,
  defaultValue: Values[number],
  doc: string,
): Setting<Values[number]> {
  const allowed = `one of ${values.join(', ')}`
  return {
    default: defaultValue,
    doc,
    allowed,
    parse(given = defaultValue) {
      if (!values.includes(given)) throw new Error(allowed)
      return given
    },
  }
}

export function flag(defaultValue: boolean, doc: string): Setting<boolean> {
  const choice = choiceSetting(['true', 'false'], String(defaultValue) as 'true' | 'false', doc)
  return { ...choice, parse: (given) => choice.parse(given) === 'true' }
}

export function list<T>(
  defaultText: string,
  doc: string,
  allowed: string,
  item: (part: string) => T | undefined,
): Setting<T[]> {
  return {
    default: defaultText || 'none',
    doc,
    allowed,
    parse(given = defaultText) {
      const parts = given.split(',').map((part) => part.trim())
      return parts.filter(Boolean).map((part) => {
        const value = item(part)
        if (value === undefined) throw new Error(allowed)
        return value
      })
    },
  }
}

export function ratio(defaultValue: number, doc: string): Setting<number> {
  const allowed = 'a number from 0 to 1'
  return {
    default: String(defaultValue),
    doc,
    allowed,
    parse(given) {
      if (given === undefined) return defaultValue
      if (!/^(0|1|0?\.\d{1,10}|1\.0+)$/.test(given)) throw new Error(allowed)
      return Number(given)
    },
  }
}

/** The form of OpenTelemetry: values are percent-encoded. */
export function headers(doc: string): Setting<Record<string, string>> {
  const allowed = 'name=value pairs separated by commas'
  return {
    default: 'none',
    doc,
    allowed,
    parse(given = '') {
      const pairs = given.split(',').filter((pair) => pair.trim() !== '')
      return Object.fromEntries(
        pairs.map((pair) => {
          const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7E ]*?)\s*$/.exec(pair) ?? []
          if (name === undefined || value === undefined || !isEncoded(value)) throw new Error(allowed)
          return [name, decodeURIComponent(value)]
        }),
      )
    },
  }
}

/** The hosts that name the machine itself (RFC 8252 section 7.3). The protocol library compares the same. */
export const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The issuer: an origin without path, https unless it is a loopback address. */
export const baseUrl: Setting<string> = {
  default: 'http://localhost:PORT',
  doc:
    'The public origin of the server and the issuer (`iss`). ' +
    'Links, endpoint URLs and cookies are built from it, never from request headers.',
  allowed: 'an origin such as https://id.example.com: https (http only on localhost), no path',
  parse(given) {
    if (given === undefined) return ''
    const url = URL.parse(given)
    const plain = url?.protocol === 'http:' && LOOPBACK.has(url.hostname)
    if (!url || !(plain || url.protocol === 'https:') || url.href !== `${url.origin}/` || url.username)
      throw new Error(this.allowed)
    return url.origin
  },
}

/**
 * An IP address or a CIDR range. A prefix length of 0 is rejected: it would trust every address as a proxy.
 */
export function isNetwork(given: string): boolean {
  const [address = '', prefix = '1', ...more] = given.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits
}

/** An IP address, with or without a port: an IPv6 address with one is in brackets. */
export function isResolver(given: string): boolean {
  if (isIP(given) !== 0) return true
  const {
    ipv4 = '',
    ipv6 = '',
    port,
  } = /^(?:(?<ipv4>[\d.]+)|\[(?<ipv6>[\da-fA-F:.]+)\])(?::(?<port>[1-9]\d{0,4}))?$/.exec(given)?.groups ?? {}
  return (isIP(ipv4) === 4 || isIP(ipv6) === 6) && (port === undefined || Number(port) <= 65_535)
}

export function postgresUrl(doc: string, defaultText: string): Setting<string | undefined> {
  return {
    default: defaultText,
    doc,
    allowed: POSTGRES_URL,
    parse(given) {
      if (given !== undefined) readPostgresUrl(given)
      return given
    },
  }
}

export function isSmtpUrl(given: string): boolean {
  const url = URL.parse(given)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && hasEncodedCredentials(given)
}
export const isEmail = (given: string) => storedAddress(given) !== undefined

/**
 * An address, with or without a display name. Rejects a value that email clients parse as several senders.
 */
export function sender(defaultValue: string, doc: string): Setting<string> {
  const allowed =
    'an email address, optionally with a name: Example <no-reply@example.com>; ' +
    'put a name that contains punctuation in double quotes'
  return {
    default: defaultValue,
    doc,
    allowed,
    parse(given = defaultValue) {
      if (!isEmail(readSender(given).address)) throw new Error(allowed)
      return given
    },
  }
}

const SENDER = /^(?:"(?<quoted>[^"\\\r\n]*)"|(?<plain>[^<>"(),:;@\r\n]*))\s*<(?<address>[^<>]+)>$/

/** The name and the address of a sender; the name is empty without one. */
export function readSender(given: string): { name: string; address: string } {
  const { quoted, plain, address } = SENDER.exec(given)?.groups ?? {}
  return { name: (quoted ?? plain ?? '').trim(), address: address ?? given }
}

/** A name that shows no address of its own in front of that of the sender. */
export const isSenderName = (given: string): boolean =>
  given.length <= 100 && given.trim() !== '' && senderName(given) === given

/**
 * The unreserved characters of RFC 3986 section 2.3. Ids and secrets of clients consist of them: the server
 * decodes the form-encoding of client_secret_basic (RFC 6749 section 2.3.1), which `curl -u` and many
 * libraries leave out, so that `+` and `%` arrive as other characters; `:` ends the id (RFC 7617 section 2).
 */
export const UNCHANGED = 'letters of ASCII, digits, `-`, `.`, `_` and `~`'

/**
 * A UUID is rejected, so that no client id equals a user id (RFC 9068 section 5).
 */
export const isClientId = (given: string) =>
  /^[\w.~-]{3,100}$/.test(given) && !/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(given)

/** The systems whose service tokens can access everything: none, all, or those with these client ids. */
export type ServiceTokenReach = 'system' | 'platform' | readonly string[]

export const serviceTokenReach: Setting<ServiceTokenReach> = {
  default: 'system',
  doc:
    'What the service token of a system can access at /admin: `system`, that system only; `platform`, ' +
    'everything; client ids separated by commas: everything for these clients, that system only for others. ' +
    'What such a token states about a user is valid in all systems: name only backends that you trust.',
  allowed: '`system`, `platform`, or client ids separated by commas',
  parse(given = 'system') {
    if (given === 'system' || given === 'platform') return given
    const ids = given.split(',').map((part) => part.trim())
    const invalid = ids.find((id) => !isClientId(id) || id === 'system' || id === 'platform')
    if (invalid !== undefined) throw new Error(`${this.allowed}; ${JSON.stringify(invalid)} is no client id`)
    return ids
  },
}

/** Whether the service token of a client can access everything. */
export const reachesPlatform = (reach: ServiceTokenReach, clientId: string): boolean =>
  reach === 'platform' || (reach !== 'system' && reach.includes(clientId))
