/**
 * Calls to URLs that callers have registered. They reach public addresses only: the host name is resolved
 * once per connection, all its addresses are checked, and the connection uses one of the checked addresses,
 * which prevents DNS rebinding. Redirects are not followed.
 */
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config/config.ts'
import { LOOPBACK } from '../config/setting.ts'
import { giveBackSlot } from '../request-time.ts'
import { traced } from '../tracing.ts'
import { type Address, isLocalName, type Resolve, resolverOf, UnknownHost } from './host-addresses.ts'
import { type IpAddress, parseIpAddress } from './ip-address.ts'
import { webAddressFault } from './web-address.ts'

/** 5 s, in ms, for DNS, TCP and TLS together. */
const CONNECT_MAX = 5_000
/** 15 s, in ms, for the whole call: a socket timeout does not detect a response that arrives byte by byte. */
const CALL_MAX = 15_000
/** 4 s, in ms: an idle connection is closed before servers do, often after 5 s. */
const IDLE_MAX = 4_000
/** 64 kB: the rest of a response body is not read, unless the call says otherwise. */
const BODY_MAX = 65_536

export const USER_AGENT = 'Tenantry'

/**
 * `loopback`: public addresses, and those of this machine, also over http. `private`: private networks as
 * well, and http everywhere. `internal`: private networks as well, and http on this machine only.
 */
export type Targets = 'public' | 'loopback' | 'private' | 'internal'

/**
 * The addresses that tenants may register. An installation with a loopback issuer is used on its machine
 * only, so that its tenants are those who reach the machine's other servers anyway.
 */
export function targetsOf({
  WEBHOOK_ALLOW_PRIVATE,
  BASE_URL,
}: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE' | 'BASE_URL'>): Targets {
  if (WEBHOOK_ALLOW_PRIVATE) return 'private'
  return LOOPBACK.has(new URL(BASE_URL).hostname) ? 'loopback' : 'public'
}

export type Call = {
  /** The name of the call in traces, which have no address. */
  purpose?: 'webhook' | 'logout' | 'client_keys' | 'identity_provider' | 'connection'
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Of the response, in bytes. The rest is not read. Default: 64 kB. */
  bodyMax?: number
  /** Default: `public`. */
  targets?: Targets
  /** Aborts the call. */
  signal?: AbortSignal
  lookup?: Resolve
  /** Reuses these connections; by default each call opens its own. */
  connections?: OutboundConnections
}

/** Connections kept open between calls. */
export type OutboundConnections = { http: http.Agent; https: https.Agent; close(): void }

/** A response with any status, and the first part of its body. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

export type Fault = {
  /** `address`: forbidden. `name`: cannot be resolved. `connection`: TCP, TLS or HTTP failed. */
  fault: 'address' | 'name' | 'connection' | 'timeout' | 'aborted'
  /** The log and the caller who registered the URL read it: it reveals nothing about the internal network. */
  reason: string
}

const subnets = (...cidrs: string[]) => cidrs.map((cidr) => ipaddr.parseCIDR(cidr))

/** Ranges of ipaddr.js: RFC 1122, RFC 1918, RFC 6598, RFC 4193. */
const INTERNAL = ['loopback', 'private', 'carrierGradeNat', 'uniqueLocal']
const OPENED: Record<Targets, readonly string[]> = {
  public: [],
  loopback: ['loopback'],
  private: INTERNAL,
  internal: INTERNAL,
}

/** Forbidden always. Metadata services of clouds, which return credentials to the machine that asks. */
const METADATA = subnets(
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd00:c1::a9fe:a9fe/128',
  'fd20:ce::254/128',
)

/**
 * The only unicast IPv6 that is allocated (RFC 4291 section 2.4); of the rest some contains an IPv4 address.
 */
const GLOBAL_UNICAST = subnets('2000::/3')

/**
 * The well-known prefix of NAT64 (RFC 6052 section 2.1): its last 32 bits are the IPv4 address that is
 * reached.
 */
const NAT64 = subnets('64:ff9b::/96')

const isIn = (address: IpAddress, list: ReturnType<typeof subnets>) =>
  list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/**
 * Whether the server must not connect to an address. One with a zone is refused: it names an interface of
 * this machine.
 */
export function isForbidden(text: string, targets: Targets): boolean {
  const given = parseIpAddress(text)
  if (!given) return true
  const address = isIn(given, NAT64) ? ipaddr.fromByteArray(given.toByteArray().slice(12)) : given
  if (isIn(address, METADATA)) return true
  const range = address.range()
  if (OPENED[targets].includes(range)) return false
  return range !== 'unicast' || (address.kind() === 'ipv6' && !isIn(address, GLOBAL_UNICAST))
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** The setting that opens private networks. */
function settingFor(purpose: Call['purpose']): string {
  if (purpose === 'connection') return 'CONNECTIONS_ALLOW_PRIVATE'
  return purpose === 'identity_provider' ? 'SOCIAL_ALLOW_PRIVATE' : 'WEBHOOK_ALLOW_PRIVATE'
}
/** What it opens. */
const openedBy = (purpose: Call['purpose']): Targets => (purpose === 'connection' ? 'internal' : 'private')

/** The reason why a URL cannot be registered, if any. The addresses of its host are checked at each call. */
export function urlFault(address: string, targets: Targets, purpose?: Call['purpose']): string | undefined {
  const fault = webAddressFault(address)
  if (fault) return fault
  const url = new URL(address)
  const refused = targetFault(url, targets)
  if (!refused || targetFault(url, openedBy(purpose))) return refused
  const http = purpose === 'connection' ? '' : 'http, '
  return `${refused}; ${settingFor(purpose)} allows ${http}this machine and private networks`
}

function targetFault({ protocol, hostname }: URL, targets: Targets): string | undefined {
  const host = bare(hostname)
  const isAddress = isIP(host) !== 0
  const isHere = isAddress ? parseIpAddress(host)?.range() === 'loopback' : isLocalName(host)
  const isHttpAllowed = targets === 'private' || (targets !== 'public' && isHere)
  if (protocol !== 'https:' && !isHttpAllowed) return 'must be https'
  const isRefused = isAddress ? isForbidden(host, targets) : isHere && targets === 'public'
  return isRefused ? 'must be a public address' : undefined
}

/**
 * The threat: a tenant registers a URL by which this server reaches the internal network or the metadata
 * service of a cloud (server-side request forgery), also by a name whose address changes after the check (DNS
 * rebinding), by a redirect, or by a response that never ends. So
 *
 * 1. the URL is checked at each call: https, no user name, no literal address that is not public
 *    (`targets` opens http and the private ranges, but no metadata service);
 * 2. the name is resolved once by a resolver that needs no thread, every address of it must be public, and
 *    the connection uses one of these;
 * 3. redirects are not followed, and certificates are always verified;
 * 4. the connection has 5 s, the whole call 15 s, and 64 kB of the body are read, or `bodyMax`.
 *
 * Never throws.
 */
export function call(address: string, options: Call = {}): Promise<Answer | Fault> {
  const { method = 'GET', purpose = 'other' } = options
  giveBackSlot()
  const attributes = { 'http.request.method': method, 'tenantry.purpose': purpose }
  return traced(`${method} ${purpose}`, { attributes, isRoot: true, status: outcomeOf }, () =>
    callInTime(address, options),
  )
}

const outcomeOf = (result: Answer | Fault) =>
  'fault' in result ? { 'error.type': result.fault } : { 'http.response.status_code': result.status }

async function callInTime(address: string, options: Call): Promise<Answer | Fault> {
  const { targets = 'public', purpose, signal } = options
  const fault = urlFault(address, targets, purpose)
  if (fault) return { fault: 'address', reason: fault }
  const url = new URL(address)
  const ending = new AbortController()
  const end = (why: Fault) => () => ending.abort(why)
  const connecting = setTimeout(end({ fault: 'timeout', reason: 'no connection within 5 s' }), CONNECT_MAX)
  const calling = setTimeout(end({ fault: 'timeout', reason: 'no complete response within 15 s' }), CALL_MAX)
  const aborted = end({ fault: 'aborted', reason: 'aborted' })
  signal?.addEventListener('abort', aborted, { once: true })
  if (signal?.aborted) aborted()
  const connected = () => clearTimeout(connecting)
  try {
    return await send(url, { ...options, signal: ending.signal }, connected)
  } catch (error) {
    return ending.signal.aborted
      ? (ending.signal.reason as Fault)
      : faultOf(error as NodeJS.ErrnoException, purpose)
  } finally {
    clearTimeout(connecting)
    clearTimeout(calling)
    signal?.removeEventListener('abort', aborted)
  }
}

export function keepConnections(): OutboundConnections {
  const kept = { keepAlive: true, timeout: IDLE_MAX }
  const agents = { http: new http.Agent(kept), https: new https.Agent(kept) }
  return {
    ...agents,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

const resolveHost = resolverOf()

const FORBIDDEN = 'TENANTRY_FORBIDDEN'

/**
 * The lookup function of a connection. Node does not call it for a literal address, which `urlFault` has
 * checked.
 */
const lookupBy =
  (resolve: Resolve, targets: Targets): LookupFunction =>
  (hostname, { all }, callback) => {
    const found = (addresses: Address[]) => {
      const forbidden =
        addresses.length === 0 || addresses.some(({ address }) => isForbidden(address, targets))
      if (forbidden) callback(Object.assign(new Error(), { code: FORBIDDEN }), [])
      else if (all) callback(null, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    }
    resolve(hostname).then(found, (error) => callback(error, []))
  }

type Sending = Call & { signal: AbortSignal }

/** Retries on a new connection if the server has just closed the reused one. */
async function send(url: URL, sending: Sending, connected: () => void): Promise<Answer> {
  const {
    method = 'GET',
    headers = {},
    body,
    signal,
    connections,
    targets = 'public',
    lookup = resolveHost,
    bodyMax = BODY_MAX,
  } = sending
  const [{ request }, ready] = url.protocol === 'https:' ? [https, 'secureConnect'] : [http, 'connect']
  const sent = request(url, {
    method,
    headers: { 'user-agent': USER_AGENT, ...headers },
    agent: connections?.[url.protocol === 'https:' ? 'https' : 'http'] ?? false,
    lookup: lookupBy(lookup, targets),
    signal,
    rejectUnauthorized: true, // also with NODE_TLS_REJECT_UNAUTHORIZED=0
  })
  sent.once('socket', (socket) => (sent.reusedSocket ? connected() : socket.once(ready, connected)))
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.on('error', reject)
    sent.once('close', () => reject(new Error('closed without a response')))
  })
  sent.end(body)
  try {
    const response = await responded
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await readSome(response, bodyMax),
    }
  } catch (error) {
    const { connections: _closed, ...unpooled } = sending
    if (sent.reusedSocket && !signal.aborted && isClosed(error)) return send(url, unpooled, connected)
    throw error
  }
}

const isClosed = (error: unknown) =>
  ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Leaving the loop early closes the connection. */
async function readSome(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= most) break
  }
  return Buffer.concat(chunks).subarray(0, most)
}

function faultOf(error: NodeJS.ErrnoException, purpose: Call['purpose']): Fault {
  const { code } = error
  if (code === FORBIDDEN)
    return {
      fault: 'address',
      reason: `its host has an address that is not public; see ${settingFor(purpose)}`,
    }
  return { fault: error instanceof UnknownHost ? 'name' : 'connection', reason: code ?? 'no connection' }
}
