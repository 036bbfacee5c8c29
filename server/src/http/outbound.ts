/**
 * The one way in which we call an address that somebody else has named. It reaches public addresses only: for each
 * connection the name is resolved once, every address it has is looked at, and the connection goes to one of these very
 * addresses, so that a name which changes its mind in between (DNS rebinding) gains nothing. No redirect is followed.
 */
import { lookup as lookupWithCallback } from 'node:dns'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { type IpAddress, parseIpAddress } from './ip-address.ts'
import { webAddressFault } from './web-address.ts'

/** 5 s, in ms, to resolve the name, connect, and agree on TLS. */
const CONNECT_MAX = 5_000
/** 15 s, in ms, for everything: no timeout of a socket notices a server that trickles its answer. */
const CALL_MAX = 15_000
/** 4 s, in ms: a kept connection that nobody used is closed; many a server closes it after 5 s. */
const IDLE_MAX = 4_000
/** 64 kB of an answer are read. */
const BODY_MAX = 65_536

export type Address = { address: string; family: number }
/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<Address[]>

export type Call = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Also addresses of this machine and of private networks, and http (WEBHOOK_ALLOW_PRIVATE). */
  allowPrivate?: boolean
  /** Ends the call before its time. */
  signal?: AbortSignal
  lookup?: Resolve
  /** Takes a connection of these and leaves it there; without them each call has one of its own. */
  connections?: Connections
}

/** Connections that are kept open between calls. */
export type Connections = { http: http.Agent; https: https.Agent; close(): void }

/** What was answered, whatever its status. Of a longer body its first 64 kB. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

export type Fault = {
  /** `address`: it may not be called. `name`: it has no address. `connection`: also of TLS, or cut. `timeout`, `aborted`. */
  fault: 'address' | 'name' | 'connection' | 'timeout' | 'aborted'
  /** For a log or the one who registered the address: it tells nothing of our network. */
  reason: string
}

const subnets = (...cidrs: string[]) => cidrs.map((cidr) => ipaddr.parseCIDR(cidr))

/** Ranges of ipaddr.js that allowPrivate opens: RFC 1122, RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE_RANGES = ['loopback', 'private', 'carrierGradeNat', 'uniqueLocal']

/** Forbidden always. Metadata services of clouds, which return credentials to the machine that asks. */
const METADATA = subnets('100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128')

/** The only unicast IPv6 that is allocated (RFC 4291 section 2.4); of the rest some contains an IPv4 address. */
const GLOBAL_UNICAST = subnets('2000::/3')

/** The well-known prefix of NAT64 (RFC 6052 section 2.1): its last 32 bits are the IPv4 address that is reached. */
const NAT64 = subnets('64:ff9b::/96')

const isIn = (address: IpAddress, list: ReturnType<typeof subnets>) =>
  list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** Whether the server must not connect to an address. One with a zone is refused: it names an interface of this machine. */
export function isForbidden(text: string, allowPrivate: boolean): boolean {
  const given = parseIpAddress(text)
  if (!given) return true
  const address = isIn(given, NAT64) ? ipaddr.fromByteArray(given.toByteArray().slice(12)) : given
  if (isIn(address, METADATA)) return true
  const range = address.range()
  if (PRIVATE_RANGES.includes(range)) return !allowPrivate
  return range !== 'unicast' || (address.kind() === 'ipv6' && !isIn(address, GLOBAL_UNICAST))
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')
/** RFC 6761 section 6.3, with the root's dot and without. */
const isLocalName = (hostname: string) => /(^|\.)localhost\.?$/.test(hostname)

/** Why an address can't be registered to be called, or nothing when it can. What its name resolves to is seen at each call. */
export function urlFault(address: string, allowPrivate: boolean): string | undefined {
  const fault = webAddressFault(address)
  if (fault) return fault
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:' && !allowPrivate) return 'must be https'
  const forbidden = isIP(bare(hostname)) !== 0 && isForbidden(bare(hostname), allowPrivate)
  return forbidden || (isLocalName(hostname) && !allowPrivate) ? 'must be a public address' : undefined
}

/** Never throws. */
export async function call(address: string, options: Call = {}): Promise<Answer | Fault> {
  const { allowPrivate = false, signal } = options
  const fault = urlFault(address, allowPrivate)
  if (fault) return { fault: 'address', reason: fault }
  const url = new URL(address)
  const ending = new AbortController()
  const end = (why: Fault) => () => ending.abort(why)
  const connecting = setTimeout(end({ fault: 'timeout', reason: 'no connection in time' }), CONNECT_MAX)
  const calling = setTimeout(end({ fault: 'timeout', reason: 'no whole answer in time' }), CALL_MAX)
  const aborted = end({ fault: 'aborted', reason: 'ended by us' })
  signal?.addEventListener('abort', aborted, { once: true })
  if (signal?.aborted) aborted()
  const connected = () => clearTimeout(connecting)
  try {
    return await send(url, { ...options, signal: ending.signal }, connected)
  } catch (error) {
    return ending.signal.aborted ? (ending.signal.reason as Fault) : faultOf(error as NodeJS.ErrnoException)
  } finally {
    clearTimeout(connecting)
    clearTimeout(calling)
    signal?.removeEventListener('abort', aborted)
  }
}

export function keepConnections(): Connections {
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

const resolveAll: Resolve = (hostname) => promisify(lookupWithCallback)(hostname, { all: true })

const FORBIDDEN = 'TENANTRY_FORBIDDEN'

/** What a connection is made by. Node does not ask it for an address that is a number: `urlFault` has looked at that. */
const lookupBy =
  (resolve: Resolve, allowPrivate: boolean): LookupFunction =>
  (hostname, { all }, callback) => {
    const found = (addresses: Address[]) => {
      const forbidden =
        addresses.length === 0 || addresses.some(({ address }) => isForbidden(address, allowPrivate))
      if (forbidden) callback(Object.assign(new Error(), { code: FORBIDDEN }), [])
      else if (all) callback(null, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    }
    resolve(hostname).then(found, (error) => callback(error, []))
  }

type Sending = Call & { signal: AbortSignal }

/** The name is for TLS and the Host header. A kept connection that was closed just now is no fault: it is asked again on another. */
async function send(url: URL, sending: Sending, connected: () => void): Promise<Answer> {
  const {
    method = 'GET',
    headers = {},
    body,
    signal,
    connections,
    allowPrivate = false,
    lookup = resolveAll,
  } = sending
  const [{ request }, ready] = url.protocol === 'https:' ? [https, 'secureConnect'] : [http, 'connect']
  const asked = request(url, {
    method,
    headers: { 'user-agent': 'Tenantry', ...headers },
    agent: connections?.[url.protocol === 'https:' ? 'https' : 'http'] ?? false,
    lookup: lookupBy(lookup, allowPrivate),
    signal,
    rejectUnauthorized: true, // also with NODE_TLS_REJECT_UNAUTHORIZED=0
  })
  asked.once('socket', (socket) => (asked.reusedSocket ? connected() : socket.once(ready, connected)))
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve)
    asked.on('error', reject)
    asked.once('close', () => reject(new Error('closed without an answer')))
  })
  asked.end(body)
  try {
    const response = await answered
    return { status: response.statusCode ?? 0, headers: response.headers, body: await readSome(response) }
  } catch (error) {
    const { connections: _closed, ...afresh } = sending
    if (asked.reusedSocket && !signal.aborted && isClosed(error)) return send(url, afresh, connected)
    throw error
  }
}

const isClosed = (error: unknown) =>
  ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The rest of a long body is left unread: leaving the loop closes the connection. */
async function readSome(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= BODY_MAX) break
  }
  return Buffer.concat(chunks).subarray(0, BODY_MAX)
}

function faultOf({ code, syscall }: NodeJS.ErrnoException): Fault {
  if (code === FORBIDDEN) return { fault: 'address', reason: 'its name has an address that is not public' }
  return { fault: syscall === 'getaddrinfo' ? 'name' : 'connection', reason: code ?? 'no connection' }
}
