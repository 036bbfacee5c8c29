/** An SMTP server that records the emails it receives. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

type Delivery = { from: string; to: string[]; raw: string }

/** Starts an SMTP server. `deliveriesTo` searches by the recipients of the envelope. */
export async function startSmtpServer(
  t: { after(close: () => Promise<void>): void },
  { port, ...options }: SMTPServerOptions & { port?: number } = {},
) {
  const deliveries: Delivery[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 1, // ms: the mailer keeps its connection open for the next email
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        deliveries.push({
          from,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // a client that hangs up is part of the tests
  const listening = server.listen(port ?? 0, '127.0.0.1')
  const sockets = new Set<Socket>()
  listening.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await once(listening, 'listening')
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = `127.0.0.1:${(listening.address() as { port: number }).port}`
  return {
    address,
    deliveries,
    dropConnections: () => {
      for (const socket of sockets) socket.destroy()
    },
    deliveriesTo: (recipient: string) => deliveries.filter(({ to }) => to.includes(recipient)),
  }
}

/** Parses an email: unfolded headers and the decoded parts (quoted-printable, RFC 2045 section 6.7). */
export function read({ raw }: Delivery) {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const bytes = raw
    .slice(end)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const body = Buffer.from(bytes, 'latin1').toString('utf8')
  const header = (name: string) =>
    headers
      .filter((line) => line.toLowerCase().startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
  const [, text = '', html = ''] = body.split(/^--.*$/m)
  return { headers, header, text, html }
}
