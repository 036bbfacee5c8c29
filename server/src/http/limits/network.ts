import ipaddr from 'ipaddr.js'
import { parseIpAddress } from '../ip-address.ts'

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
