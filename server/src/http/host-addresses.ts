/**
 * The addresses of a host name that a caller has registered. `dns.lookup` would occupy one of libuv's few
 * threads until the name server answers, and password hashing needs those threads: a name server that never
 * answers would stop sign-ins. The resolver used here needs no thread and has its own timeout.
 */
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

export type Address = { address: string; family: number }
/** Returns all addresses of a host name. Throws UnknownHost if it has none or no name server answers. */
export type Resolve = (hostname: string) => Promise<Address[]>

export class UnknownHost extends Error {
  /** The code of the DNS, for example ENOTFOUND or ETIMEOUT. */
  readonly code: string

  constructor(code: string) {
    super(`the host name is not resolved: ${code}`)
    this.code = code
  }
}

/** 1.5 s, in ms, for the first attempt; the second has twice as long. */
const QUERY = { timeout: 1_500, tries: 2 }
const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
const LOOPBACK: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** RFC 6761 section 6.3, with or without a trailing dot. */
export const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname)

/**
 * Names are resolved by the hosts file, then by DNS. A name is absolute: the search domains of the machine
 * are not appended.
 */
export function resolverOf({
  servers,
  hostsFile = HOSTS_FILE,
}: {
  servers?: string[]
  hostsFile?: string
} = {}) {
  const resolver = new Resolver(QUERY)
  if (servers) resolver.setServers(servers)
  const resolve: Resolve = async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const local = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (local.length > 0) return local
    if (isLocalName(name)) return LOOPBACK
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)]
    if (found.length > 0) return found
    throw new UnknownHost(codeOf(ipv4) ?? codeOf(ipv6) ?? 'ENODATA')
  }
  return resolve
}

const addressesOf = (result: PromiseSettledResult<string[]>, family: number): Address[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

const codeOf = (result: PromiseSettledResult<string[]>): string | undefined =>
  result.status === 'rejected' ? (result.reason as NodeJS.ErrnoException).code : undefined

/** The addresses of a name in a hosts file (hosts(5)). */
function addressesIn(hosts: string, name: string): Address[] {
  const lines = hosts.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
  return lines
    .filter(([address = '', ...names]) => isIP(address) !== 0 && names.includes(name))
    .map(([address = '']) => ({ address, family: isIP(address) }))
}
