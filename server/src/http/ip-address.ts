import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type IpAddress = ReturnType<typeof ipaddr.process>

/**
 * Undefined unless `text` is an IP address in standard notation: ipaddr.js also accepts octal and shortened
 * forms. An IPv4-mapped address (RFC 4291 section 2.5.5.2) becomes the IPv4 address.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const version = isIP(text)
  if (version === 0 || text.includes('%')) return undefined
  if (version === 4) return ipaddr.process(text)
  // URL rewrites IPv6 in hexadecimal: ipaddr.js takes `::192.0.2.1` for IPv4-mapped, which it is not.
  return ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1))
}

/** The address of a client whose proxy states none: all such clients have one limit. */
const NO_ADDRESS = 'unknown'

/**
 * Makes each entry of X-Forwarded-For an address, or NO_ADDRESS, so that no client chooses a text that is
 * counted and stored. Ports, which some proxies append (`203.0.113.7:51234`, `[2001:db8::1]:443`), are
 * removed: otherwise each connection of a client has another address, and a proxy is not trusted.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return
  const entries = forwarded.split(',').map((entry) => entry.trim())
  headers['x-forwarded-for'] = entries.filter(Boolean).map(addressIn).join(', ')
}

function addressIn(entry: string): string {
  const address = entry
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1')
    .replace(/^([^:]+):\d+$/, '$1')
    .replace(/%.*$/s, '')
  return isIP(address) === 0 ? NO_ADDRESS : address
}

/**
 * The network that a limit counts: an IPv4 address itself, the /64 of an IPv6 address, which belongs to one
 * subscriber. All texts that are no address, such as `unknown` from a proxy, are one network. Undefined for
 * loopback: that is a proxy on this machine which TRUST_PROXY does not name, so all clients share it.
 */
export function networkOf(ip: string | null): string | undefined {
  if (ip === null) return undefined
  if (isIP(ip) === 4) return ip.startsWith('127.') ? undefined : ip
  const address = parseIpAddress(ip.replace(/%.*$/, ''))
  if (!address) return NO_ADDRESS
  if (address.range() === 'loopback') return undefined
  if (address instanceof ipaddr.IPv4) return address.toString() // IPv4-mapped, or with a zone
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::/64`
}

/**
 * The networks of which one subscriber may have any: an IPv4 address, and the /64, /56 and /48 of an IPv6
 * address. What is limited per network is limited in each of them. Empty for loopback.
 */
export function networksOf(ip: string | null): string[] {
  const network = networkOf(ip)
  if (network === undefined) return []
  if (!network.endsWith('::/64')) return [network]
  const [one, two, three, four] = network.split(':') as [string, string, string, string]
  const site = `${one}:${two}:${three}`
  const half = (Number.parseInt(four, 16) & 0xff00).toString(16)
  return [network, `${site}:${half}::/56`, `${site}::/48`]
}

/**
 * The largest of these networks, whose senders share what is divided among networks: otherwise one subscriber
 * with a /48 is 65,536 of them. Undefined for loopback.
 */
export const siteOf = (ip: string | null): string | undefined => networksOf(ip).at(-1)
