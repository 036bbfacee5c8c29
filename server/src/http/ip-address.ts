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

/**
 * The network that a limit counts: an IPv4 address itself, the /64 of an IPv6 address, which belongs to one
 * subscriber. Undefined for loopback: that is a proxy on this machine which TRUST_PROXY does not name, so all
 * clients share it.
 */
export function networkOf(ip: string | null): string | undefined {
  const address = parseIpAddress(ip?.replace(/%.*$/, '') ?? '')
  if (!address || address.range() === 'loopback') return undefined
  if (address instanceof ipaddr.IPv4) return address.toString()
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::/64`
}
