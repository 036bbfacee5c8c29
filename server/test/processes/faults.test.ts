/** Responses while PostgreSQL is down, hangs or lacks connections. Uses its own PostgreSQL. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createSeal } from '../../src/crypto/seal.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'
import { failureOf } from '../../src/database/faults.ts'
import { systems } from '../../src/database/schema.ts'
import { inTransaction } from '../../src/database/transaction.ts'
import { ensurePlatform } from '../../src/platform.ts'
import { TIME_OF_REQUEST } from '../../src/request-time.ts'
import { freePort, type Postgres, setReadOnly, startPostgres } from '../support/postgres.ts'
import { createProduct } from '../support/small-product.ts'
import {
  type Answer,
  adminClient,
  authUrl,
  basicAuth,
  newBrowser,
  newPkce,
  signInTo,
  tokenRequest,
} from '../support/testing.ts'
import { endsBefore } from '../support/waiting.ts'

const CLIENT = { id: 'faults-platform', secret: 'a-secret-for-the-fault-tests' }
let postgres: Postgres
const open: { app: FastifyInstance; database: Database }[] = []

before(async () => {
  postgres = await startPostgres({ durable: true }) // without fsync a crash may lose commits
})
after(async () => {
  for (const { app, database } of open) {
    await app.close()
    await database.close()
  }

  await postgres.close()
})

/** A server on that PostgreSQL, with one member of one system. */
async function startServer(settings: NodeJS.ProcessEnv = {}) {
  const port = await freePort()
  const config = readConfig({
    PORT: String(port),
    LOG_LEVEL: 'silent',
    DATABASE_URL: postgres.url,
    SECRET_KEY: 'a key for the fault tests, long enough',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    MAIL_URL: 'smtp://127.0.0.1:1',
    ...settings,
  })
  const database = await openPostgres(postgres.url, config.DATABASE_POOL)
  const seal = createSeal(config.SECRET_KEY ?? '')
  await ensurePlatform(database.db, seal, config)
  const app = await buildApp({ config, database, seal })
  await app.listen({ port, host: 'localhost' })
  open.push({ app, database })
  const url = config.BASE_URL
  return { url, ...(await createProduct(url, CLIENT)) }
}

/**
 * One and a half times the time that a request may wait, in ms: a statement or a turn with a timeout of its
 * own would take longer.
 */
const LATE = 1.5 * TIME_OF_REQUEST

const timed = async (work: () => Promise<Answer>) => {
  const asked = work()
  const isInTime = await endsBefore(LATE, asked)
  return { answer: await asked, isInTime }
}

/** Every kind of request that needs the database. */
function requests(
  { url, admin, system }: Awaited<ReturnType<typeof startServer>>,
  tokens: { access_token: string; refresh_token?: string },
) {
  const visitor = newBrowser(url)
  const ofToken = (what: string) =>
    visitor.post(
      `/token/${what}`,
      { token: tokens.refresh_token ?? '' },
      { authorization: basicAuth(system), accept: 'application/json' },
    )
  return {
    refresh: () =>
      tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }),
    'an unknown code': () =>
      tokenRequest(url, system, {
        grant_type: 'authorization_code',
        code: 'unknown',
        redirect_uri: 'https://app.example/cb',
        code_verifier: newPkce().verifier,
      }),
    'POST /token/revocation': () => ofToken('revocation'),
    'POST /token/introspection': () => ofToken('introspection'),
    'GET /me': () => adminClient(url, tokens.access_token).get('/me'),
    'GET /admin/users': () => admin.get('/admin/users'),
    'POST /admin/users': () => admin.post('/admin/users', { email: `${crypto.randomUUID()}@example.test` }),
    'GET /auth': () => visitor.get(authUrl(system, newPkce().challenge)),
    'GET /health': () => visitor.get('/health'),
  }
}

const RETRY = /^[1-9]\d*$/

test('without PostgreSQL requests get 503 within 5 s, JWKS works, and it recovers', async () => {
  const server = await startServer()
  const { user } = await server.newMember()
  const tokens = await signInTo(server.url, server.system, { email: user.email })

  await postgres.stop('immediate')
  const away = await Promise.all(
    Object.entries(requests(server, tokens)).map(async ([name, ask]) => ({ name, ...(await timed(ask)) })),
  )
  const keys = [
    await fetch(`${server.url}/jwks`),
    await fetch(`${server.url}/.well-known/openid-configuration`),
    await fetch(`${server.url}/health/live`),
  ]
  await postgres.start()

  for (const { name, answer, isInTime } of away) {
    assert.equal(answer.status, 503, `${name}: ${JSON.stringify(answer.body)}`)
    assert.ok(isInTime, name)
    if (name !== 'GET /health') assert.match(answer.headers.get('retry-after') ?? '', RETRY, name)
    if (name !== 'GET /auth') assert.match(answer.headers.get('content-type') ?? '', /json/, name)
    assert.doesNotMatch(
      JSON.stringify(answer.body),
      /invalid_grant|invalid_token|select|at \/|ECONNREFUSED/,
      name,
    )
  }
  assert.deepEqual(
    keys.map((answer) => answer.status),
    [200, 200, 200],
  )
  const again = await requests(server, tokens).refresh()
  assert.equal(again.status, 200, 'the refresh token was not used up by the failed attempts')
  assert.equal((await requests(server, again.body)['GET /me']()).status, 200)
})

test('while PostgreSQL is frozen requests get 503 within 5 s, and the server recovers', async () => {
  const server = await startServer({ DATABASE_POOL: '5' })
  const tokens = await signInTo(server.url, server.system, { email: (await server.newMember()).user.email })

  signal('SIGSTOP')
  const asked = Object.entries(requests(server, tokens)).map(async ([name, ask]) => ({
    name,
    ...(await timed(ask)),
  }))
  const keys = fetch(`${server.url}/jwks`)
  const first = await Promise.race([keys, ...asked])
  const frozen = await Promise.all(asked)
  signal('SIGCONT')

  for (const { name, answer, isInTime } of frozen) {
    assert.equal(answer.status, 503, `${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
    assert.ok(isInTime, name)
  }
  assert.equal(first, await keys, 'it waits for none of them')
  assert.equal((await keys).status, 200)
  const again = await requests(server, tokens).refresh()
  assert.equal(again.status, 200, JSON.stringify(again.body))
})

/** Signals the postmaster and all of its children. */
function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
  const parent = postgres.pid()
  const children = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === parent)
  for (const pid of [parent, ...children.map(Number)]) process.kill(pid, name)
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined // the process has exited
  }
}

/** On a busy machine a request waits for the only connection for too long, and is sent again. */
async function untilServed<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!/^Error: no code: 503 /.test(String(error))) throw error
    }
}

test('ten concurrent sign-ins succeed with a pool of one connection', async () => {
  const server = await startServer({ DATABASE_POOL: '1' })
  const users = await Promise.all(Array.from({ length: 10 }, server.newMember))

  const tokens = await Promise.all(
    users.map(({ user }) => untilServed(() => signInTo(server.url, server.system, { email: user.email }))),
  )
  const refreshed = await Promise.all(tokens.map((each) => requests(server, each).refresh()))

  assert.deepEqual(
    refreshed.map((answer) => answer.status),
    Array(10).fill(200),
  )
})

/** Locks a table from another connection. */
async function onTheSide<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  return work(client).finally(() => client.end())
}

test('connections cut under load cause 503 and no wrong result or rejected token', async () => {
  const server = await startServer()
  const clients = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { user } = await server.newMember()
      return {
        id: user.id,
        ask: requests(server, await signInTo(server.url, server.system, { email: user.email })),
      }
    }),
  )
  let over = false
  const answered = clients.flatMap(({ id, ask }) =>
    ['GET /me' as const, 'POST /token/introspection' as const].map(async (what) => {
      const answers: string[] = []
      while (!over) {
        const { status, body } = await ask[what]()
        answers.push(
          status === 200 ? (body.sub === id ? 'theirs' : `${what}: ${JSON.stringify(body)}`) : String(status),
        )
      }
      return answers
    }),
  )

  const cut = await onTheSide(async (client) => {
    const pids: number[] = []
    for (let times = 0; times < 5; times++) {
      await new Promise((passed) => setTimeout(passed, 50))
      const { rows } = await client.query(
        `select pid, pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tenantry'`,
      )
      pids.push(...rows.map(({ pid }) => pid))
    }
    return pids
  })
  over = true

  const kinds = new Set((await Promise.all(answered)).flat())
  assert.deepEqual([kinds.delete('theirs'), [...kinds].filter((kind) => kind !== '503')], [true, []])
  assert.ok(new Set(cut).size >= 5, 'each time a connection that had been opened anew')
  for (const { ask } of clients)
    assert.deepEqual([(await ask['GET /me']()).status, (await ask.refresh()).status], [200, 200])
})

test('a connection cut between two statements of a transaction causes 503, and the process continues', async () => {
  const server = await startServer()
  const { database } = open.at(-1)!

  const cut = inTransaction(database.db, async (tx) => {
    const [own] = await tx.select({ pid: sql<number>`pg_backend_pid()` }).from(systems).limit(1)
    await onTheSide((client) => client.query('select pg_terminate_backend($1)', [own?.pid]))
    await new Promise((passed) => setTimeout(passed, 200)) // until the connection is closed
    await tx.execute(sql`select 1`)
  })

  await assert.rejects(cut, (error) => failureOf(error)?.code === 'unavailable')
  assert.equal((await server.admin.get('/admin/users')).status, 200)
})

test('a database that becomes read-only causes 503 for writes, and the server recovers', async () => {
  const server = await startServer()
  const tokens = await signInTo(server.url, server.system, { email: (await server.newMember()).user.email })
  const ask = requests(server, tokens)

  await setReadOnly(postgres.url, 'on')
  const writes = [await ask['POST /admin/users'](), await ask.refresh(), await ask['GET /auth']()]
  const read = await ask['GET /me']()
  await setReadOnly(postgres.url, 'off')

  for (const { status, headers, body } of writes)
    assert.deepEqual([status, headers.get('retry-after')], [503, '2'], JSON.stringify(body))
  assert.equal(read.status, 200)
  assert.deepEqual([(await ask['POST /admin/users']()).status, (await ask.refresh()).status], [201, 200])
})

test('a lock on a table causes 503 within 5 s, and the server recovers', async () => {
  const server = await startServer()
  const tokens = await signInTo(server.url, server.system, { email: (await server.newMember()).user.email })
  const ask = requests(server, tokens)

  const timings = await onTheSide(async (client) => {
    await client.query('begin; lock table sessions in access exclusive mode')
    return Promise.all(Array.from({ length: 6 }, () => timed(ask['GET /me'])))
  })

  for (const { answer, isInTime } of timings) {
    assert.equal(answer.status, 503, JSON.stringify(answer.body))
    assert.ok(isInTime)
  }
  assert.equal((await ask['GET /me']()).status, 200)
})

test('a locked table affects only requests that read it', async () => {
  const server = await startServer()
  const tokens = await signInTo(server.url, server.system, { email: (await server.newMember()).user.email })
  const ask = requests(server, tokens)
  let over = false
  let ended = 0
  const untilOver = async (work: () => Promise<unknown>) => {
    for (; !over; ended += 1) await work()
  }

  const others = await onTheSide(async (client) => {
    // read for each service token
    await client.query('begin; lock table revoked_tokens in access exclusive mode')
    const waiting = Array.from({ length: 2 }, () => untilOver(ask['GET /admin/users']))
    const asked: Answer[] = []
    for (let times = 0; times < 20; times++) asked.push(await ask['POST /token/introspection']())
    const meanwhile = ended
    await client.query('rollback')
    over = true
    await Promise.all(waiting)
    return { asked, meanwhile }
  })

  for (const { status, body } of others.asked) assert.deepEqual([status, body.active], [200, true])
  // If each of the twenty waited behind one that waits for the lock, at least as many would have ended.
  assert.ok(others.meanwhile < 15, `${others.meanwhile} requests that wait for the lock`)
})

test('a schema change while the server runs fails no statement for more than one request', async () => {
  const server = await startServer()
  const tokens = await signInTo(server.url, server.system, { email: (await server.newMember()).user.email })
  const ask = requests(server, tokens)
  const types = ['varchar(200)', 'text']

  const statuses = await onTheSide(async (client) => {
    const seen: number[] = [(await ask['GET /me']()).status]
    for (const type of types) {
      await client.query(`alter table users alter column locale type ${type}`)
      for (let times = 0; times < 3; times++) seen.push((await ask['GET /me']()).status)
    }
    return seen
  })

  assert.deepEqual(statuses.slice(1), Array(6).fill(statuses[0]))
  assert.equal(statuses[0], 200)
})

test('a hanging database does not delay the stop of a server', async () => {
  const server = await startServer()
  const tokens = await signInTo(server.url, server.system, { email: (await server.newMember()).user.email })
  assert.equal((await requests(server, tokens)['GET /me']()).status, 200)
  const { app, database } = open.pop()!
  await app.close()

  signal('SIGSTOP')
  const isClosed = await endsBefore(20_000, database.close())
  signal('SIGCONT')

  assert.ok(isClosed)
})
