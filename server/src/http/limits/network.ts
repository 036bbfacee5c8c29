import { isIPv4, isIPv6 } from 'node:net'

/**
 * Whom an address stands for: IPv4 itself, of IPv6 the /64 that one subscriber has. None for loopback: it is no
 * client's but that of a proxy on this machine which TRUST_PROXY does not name, and so of everybody.
 */
export function networkOf(ip: string | null): string | undefined {
  const plain = ip?.replace(/%.*$/, '') ?? ''
  if (isIPv4(plain)) return plain.startsWith('127.') ? undefined : plain
  if (!isIPv6(plain)) return undefined
  const groups = groupsOf(plain)
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high, low] = groups.slice(6) as [number, number] // an IPv4 address (RFC 4291 section 2.5.5.2)
    return networkOf([high >> 8, high & 255, low >> 8, low & 255].join('.'))
  }
  if (groups.every((group, index) => group === (index === 7 ? 1 : 0))) return undefined
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address; a URL writes each as hexadecimal, and only the longest run of zeros as `::`. */
function groupsOf(ip: string): number[] {
  const [before = '', after = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const [head, tail] = [before, after].map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head!.length - tail!.length).fill('0')
  return [...head!, ...zeros, ...tail!].map((group) => Number.parseInt(group, 16))
}
