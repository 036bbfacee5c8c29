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
