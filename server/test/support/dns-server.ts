/** A name server that answers questions for TXT records from a table, by UDP and by TCP. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import dnsPacket, { type DecodedPacket, type Packet } from 'dns-packet'

/**
 * What a name has. A list: its records, each a text or the parts of one; empty for none. `cname`: an alias,
 * and what stands behind it. `silent`: no answer. `garbage`: no message of the DNS.
 */
export type Answered =
  | (string | string[])[]
  | { cname: string; records: string[] }
  | 'SERVFAIL'
  | 'REFUSED'
  | 'silent'
  | 'garbage'

/** RFC 6891: the size of a message by UDP that our resolver accepts is larger; a longer one is truncated. */
const UDP_MAX = 1_200
const RCODES: Record<string, number> = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }
/** Flags of an answer (RFC 1035 section 4.1.1): authoritative, recursion available; truncated. */
const [ANSWERED, TRUNCATED] = [dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.RECURSION_AVAILABLE, 0x0200]

type Asked = { name: string; release(): void }

export async function startDnsServer(t: { after(close: () => Promise<void>): void }) {
  const zone = new Map<string, Answered>()
  const asked: string[] = []
  /** Questions that wait for `release`, of names that are delayed. */
  const waiting: Asked[] = []
  const delayed = new Set<string>()

  function answerTo({ id, questions = [], flags = 0 }: DecodedPacket): Buffer | undefined {
    const name = questions[0]?.name.toLowerCase() ?? ''
    const found = zone.get(name)
    if (found === 'silent') return undefined
    if (found === 'garbage') return Buffer.from('not a message of the DNS')
    const code = found === undefined ? 'NXDOMAIN' : typeof found === 'string' ? found : undefined
    const packet: Packet = {
      type: 'response',
      id: id ?? 0,
      flags: ANSWERED | (flags & dnsPacket.RECURSION_DESIRED) | (code ? RCODES[code]! : 0),
      questions,
      answers: found === undefined || typeof found === 'string' ? [] : recordsOf(name, found),
    }
    return dnsPacket.encode(packet)
  }

  async function answer(message: Buffer): Promise<Buffer | undefined> {
    const question = dnsPacket.decode(message)
    const name = question.questions?.[0]?.name.toLowerCase() ?? ''
    asked.push(name)
    if (delayed.has(name)) await new Promise<void>((release) => waiting.push({ name, release }))
    return answerTo(question)
  }

  const udp = createSocket('udp4')
  udp.on('message', async (message, { port, address }) => {
    const sent = await answer(message)
    if (sent && !closed.signal.aborted)
      udp.send(sent.length > UDP_MAX ? truncated(message) : sent, port, address)
  })
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    socket.on('data', async (data) => {
      const sent = await answer(data.subarray(2)) // RFC 1035 section 4.2.2: the length stands before
      if (sent) socket.write(Buffer.concat([Buffer.from([sent.length >> 8, sent.length & 255]), sent]))
    })
  })
  const closed = new AbortController()
  const port = await bindBoth(udp, tcp)
  t.after(async () => {
    closed.abort()
    for (const { release } of waiting) release()
    for (const socket of sockets) socket.destroy()
    udp.close()
    tcp.close()
  })
  return {
    address: `127.0.0.1:${port}`,
    asked,
    waiting,
    set: (name: string, answered: Answered) => void zone.set(name.toLowerCase(), answered),
    clear: (name: string) => void zone.delete(name.toLowerCase()),
    /** Its questions wait until they are released. */
    delay: (name: string) => void delayed.add(name.toLowerCase()),
    release: (name: string) => {
      delayed.delete(name.toLowerCase())
      for (const each of waiting.filter((one) => one.name === name.toLowerCase())) each.release()
    },
  }
}

const recordsOf = (name: string, found: Exclude<Answered, string>): Packet['answers'] => {
  const texts = (owner: string, records: (string | string[])[]) =>
    records.map((data) => ({ type: 'TXT' as const, name: owner, ttl: 0, data }))
  if (Array.isArray(found)) return texts(name, found)
  return [{ type: 'CNAME', name, ttl: 0, data: found.cname }, ...texts(found.cname, found.records)]
}

/** The question again, with the flag by which a client asks by TCP. */
function truncated(message: Buffer): Buffer {
  const { id = 0, questions = [] } = dnsPacket.decode(message)
  return dnsPacket.encode({ type: 'response', id, flags: ANSWERED | TRUNCATED, questions })
}

/** One free port for both. */
async function bindBoth(
  udp: ReturnType<typeof createSocket>,
  tcp: ReturnType<typeof createServer>,
): Promise<number> {
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as { port: number }
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return port
}
