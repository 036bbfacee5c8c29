/**
 * Two server processes of one issuer on one PostgreSQL, behind a proxy without sticky sessions: the sequence
 * number of a request selects the process.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeal } from '../../src/crypto/seal.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Db } from '../../src/database/database.ts'
import { asc, eq } from '../../src/database/drizzle.ts'
import { mail } from '../../src/database/schema.ts'
import { stampEntries } from '../../src/journal/audit/stamp.ts'
import { OTHER_CLIENT, type OtherProvider, startOtherProvider } from './other-provider.ts'
import { createDatabase, freePort, startPostgres } from './postgres.ts'
import { startServer } from './servers.ts'
import { read, startSmtpServer } from './smtp-server.ts'
import { type Driver, drive } from './testing.ts'

const CLIENT = { id: 'round-robin', secret: 'a-secret-for-a-round-robin' }
const SECRET_KEY = 'a key for two processes, long enough'
/** 20 s, in ms. */
const ARRIVAL_MAX = 20_000

async function forward(to: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { connection: _, ...headers } = incoming.headers
  headers['x-forwarded-for'] = [headers['x-forwarded-for'], incoming.socket.remoteAddress]
    .filter(Boolean)
    .join(', ')
  headers['x-forwarded-proto'] = 'http'
  const asked = request(new URL(incoming.url ?? '/', to), { method: incoming.method, headers, agent: false })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  const [[answer]] = await Promise.all([answered, pipeline(incoming, asked)])
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
  outgoing.flushHeaders() // a stream may be idle for long
  await pipeline(answer, outgoing)
}

async function startProxy() {
  /** `beat`: consecutive requests to one process. `asked`: the requests of each process, in order. */
  const proxy = {
    url: '',
    processes: [] as string[],
    beat: 1,
    asked: [] as { process: number; path: string }[],
  }
  const server = createServer((incoming, outgoing) => {
    const process = Math.floor(proxy.asked.length / proxy.beat) % proxy.processes.length
    proxy.asked.push({ process, path: incoming.url ?? '' })
    forward(proxy.processes[process]!, incoming, outgoing).catch(() => outgoing.destroy())
  })
  await once(server.listen(0, 'localhost'), 'listening')
  proxy.url = `http://localhost:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { proxy, close }
}

type Office = Awaited<ReturnType<typeof startSmtpServer>>

/** The emails delivered to an address, when none is pending. */
async function emailsTo(recipient: string, db: Db, office: Office) {
  const late = AbortSignal.timeout(ARRIVAL_MAX)
  for (;;) {
    const rows = await db
      .select()
      .from(mail)
      .where(eq(mail.recipient, recipient))
      .orderBy(asc(mail.createdAt))
    if (rows.every(({ status }) => status === 'sent'))
      return rows.map(({ id, kind }) => {
        const { header, text, html } = read(
          office.deliveriesTo(recipient).find(({ raw }) => raw.includes(id))!,
        )
        return { kind, subject: header('subject')[0] ?? '', text, html }
      })
    late.throwIfAborted()
    await sleep(20)
  }
}

const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

async function start() {
  const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
  if (postgres) closing.push(postgres.close)
  const { url: address, drop } = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  closing.push(drop)
  const office = await startSmtpServer({ after: (close) => closing.push(close) })
  const { proxy, close } = await startProxy()
  closing.push(close)
  const other = await startOtherProvider(await freePort(), `${proxy.url}/social/callback`)
  closing.push(other.close)
  const env = {
    DATABASE_URL: address,
    SECRET_KEY,
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    BASE_URL: proxy.url,
    TRUST_PROXY: '127.0.0.1,::1',
    MAIL_URL: `smtp://${office.address}`,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1,1,1,1,1,1',
    SOCIAL_ALLOW_PRIVATE: 'true',
    SOCIAL_ONE_ISSUER: other.url,
    SOCIAL_ONE_CLIENT_ID: OTHER_CLIENT.id,
    SOCIAL_ONE_CLIENT_SECRET: OTHER_CLIENT.secret,
    SOCIAL_ONE_TRUSTED_DOMAINS: '*',
  }
  for (let count = 0; count < 2; count++) {
    const server = await startServer({ env })
    closing.push(server.close)
    proxy.processes.push(server.url)
  }
  const { db, close: closeDatabase } = await openPostgres(address, 2)
  closing.push(closeDatabase)
  const seal = createSeal(SECRET_KEY)
  stampEntries(seal) // of changes that a test makes in its own process
  const app = await drive({ url: proxy.url, db, seal, client: CLIENT }, (recipient) =>
    emailsTo(recipient, db, office),
  )
  return { proxy, app, other }
}

let running: ReturnType<typeof start> | undefined

type Flow = { app: Driver; other: OtherProvider; asked: { process: number; path: string }[]; t: TestContext }

/**
 * Two tests of a flow: the process alternates with every request, or with every second one. Both processes
 * must have received requests that match `count`.
 */
export function flow(title: string, run: (flow: Flow) => Promise<void>, count = /^\/(?!admin\/)/): void {
  for (const [how, beat] of [
    ['one by one', 1],
    ['two by two', 2],
  ] as const)
    test(`${title}; ${how}`, async (t) => {
      running ??= start()
      const { proxy, app, other } = await running
      Object.assign(proxy, { beat, asked: [] })
      await run({ app, other, asked: proxy.asked, t })
      const times = [0, 1].map(
        (each) => proxy.asked.filter(({ process, path }) => process === each && count.test(path)).length,
      )
      assert.ok(times.every(Boolean), `the processes were asked ${times} times`)
    })
}
