/** The server during and after a failover of PostgreSQL. Uses its own PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Postgres, setReadOnly, startPostgres } from '../support/postgres.ts'
import { startServer, startToEnd, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { startPair } from '../support/standby.ts'
import { type Answer, adminClient, signInTo, tokenRequest } from '../support/testing.ts'
import { endsBefore, SOON } from '../support/waiting.ts'

const CLIENT = { id: 'failover-platform', secret: 'a-secret-for-the-failover-tests' }
const SETTINGS = {
  SECRET_KEY: 'a key for the failover tests, long enough',
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
  TTL_SERVICE_TOKEN: '3600', // `before` runs before the tests of all files
}

let postgres: Postgres
let server: TestServer
let product: Awaited<ReturnType<typeof createProduct>>

before(async () => {
  postgres = await startPostgres()
  server = await startServer({ env: { ...SETTINGS, DATABASE_URL: postgres.url } })
  product = await createProduct(server.url, CLIENT)
})
after(async () => {
  await server.close()
  await postgres.close()
})

async function onTheSide(...statements: string[]) {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    let found: Record<string, unknown>[] = []
    for (const statement of statements) found = (await client.query(statement)).rows
    return found
  } finally {
    await client.end()
  }
}

const newUser = () => product.admin.post('/admin/users', { email: `${crypto.randomUUID()}@example.test` })

/** Signs a user in, and returns requests with the tokens. */
async function signedIn({ url }: TestServer, { system, newMember }: typeof product) {
  const { user } = await newMember()
  const tokens = await signInTo(url, system, { email: user.email })
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
  return {
    refresh: () => tokenRequest(url, system, fields),
    me: () => adminClient(url, tokens.access_token).get('/me'),
  }
}

/** Statements after which each insertion in a table first waits or fails. */
const onInsert = (table: string, body: string) => [
  `create or replace function hinder_${table}() returns trigger language plpgsql as
    $$ begin ${body}; return new; end $$`,
  `create or replace trigger hinder before insert on ${table} for each row execute function hinder_${table}()`,
]

test('several servers: the one that accepts writes is used, at the start and after a failover', async (t) => {
  const pair = await startPair()
  t.after(pair.close)
  const [{ password, port }, { port: standbyPort }] = [pair.primary, pair.standby].map(
    ({ url }) => new URL(url),
  ) as [URL, URL]
  const servers = `127.0.0.1:${standbyPort},127.0.0.1:${port}`
  const DATABASE_URL = `postgres://postgres:${password}@${servers}/postgres?target_session_attrs=read-write`
  const pairServer = await startServer({ env: { ...SETTINGS, DATABASE_URL } })
  t.after(() => pairServer.close())
  const ask = await signedIn(pairServer, await createProduct(pairServer.url, CLIENT))

  let during: Answer[] = []
  await pair.failOver(async () => {
    during = await Promise.all([ask.refresh(), ask.me()])
  })
  let refreshed = await ask.refresh()
  const isBack = async () => {
    if (refreshed.status === 503) refreshed = await ask.refresh()
    assert.notEqual(refreshed.status, 503)
  }
  await t.waitFor(isBack, SOON)

  assert.deepEqual(
    during.map(({ status }) => status),
    [503, 503],
  )
  assert.deepEqual([refreshed.status, (await ask.me()).status], [200, 200])
})

test('after a refused write on a read-only server no earlier connection is used', async () => {
  const ask = await signedIn(server, product)
  const connections = (since: string) =>
    onTheSide(
      `select pid from pg_stat_activity where application_name = 'tenantry' and query_start > '${since}'`,
    ).then((rows) => rows.map(({ pid }) => pid))
  const now = async () => String((await onTheSide('select clock_timestamp()::text as now'))[0]?.now)

  await Promise.all([ask.me(), newUser(), newUser()])
  const earlier = await connections('-infinity')
  await setReadOnly(postgres.url, 'on')
  const refused = await newUser()
  const since = await now()
  await setReadOnly(postgres.url, 'off')
  const accepted = await Promise.all([newUser(), newUser(), ask.me()])

  const used = await connections(since)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2'])
  assert.deepEqual(
    accepted.map(({ status }) => status),
    [201, 201, 200],
  )
  assert.ok(earlier.length > 1 && used.length > 1)
  assert.deepEqual(
    used.filter((pid) => earlier.includes(pid)),
    [],
  )
})

test('statements and turns that are each in time cause 503 within 5 s together, and store nothing', async () => {
  const tables = ['users', 'audit', 'events']
  await onTheSide(...tables.flatMap((table) => onInsert(table, 'perform pg_sleep(1.8)')))
  const count = async () => (await onTheSide('select count(*) from users'))[0]?.count
  const before = await count()
  /** `all`: how long its statements and its turn would take together, in ms. */
  const timed = async ({ delay = 0, all }: { delay?: number; all: number }) => {
    await new Promise((passed) => setTimeout(passed, delay))
    const from = performance.now()
    const asked = newUser()
    const isInTime = await endsBefore(all, asked)
    return { status: (await asked).status, took: performance.now() - from, isInTime }
  }

  // Five have a share of the server at the same time; the last one waits 1.9 s for it.
  const five = Array.from({ length: 5 }, () => ({ all: 5_400 }))
  const answers = await Promise.all([...five, { delay: 2_600, all: 7_300 }].map(timed))
  await onTheSide(...tables.map((table) => `drop trigger hinder on ${table}`))

  for (const { status, took, isInTime } of answers) {
    assert.equal(status, 503)
    assert.ok(took > 4_000 && isInTime, `${took} ms`)
  }
  assert.equal(await count(), before)
})

test('a database that fails during a start stops it with one line, without statement and values', async () => {
  await onTheSide(...onInsert('installation', `raise exception 'stopping' using errcode = '57P01'`))
  const exit = await startToEnd({ ...SETTINGS, DATABASE_URL: postgres.url })
  await onTheSide('drop trigger hinder on installation')

  assert.deepEqual([exit.code, exit.stderr], [1, 'The database did not execute a statement: stopping.\n'])
})

test('a database that accepts no new connection causes 503, whatever its reason', async () => {
  const { href } = Object.assign(new URL(postgres.url), { pathname: '/template1' })
  const aside = new pg.Client({ connectionString: href })
  await aside.connect()
  const end = () =>
    aside.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres'")
  try {
    await aside.query('alter database postgres with allow_connections false')
    await end()
    const refused = [await newUser(), await newUser()]

    await aside.query('alter database postgres with allow_connections true')
    assert.deepEqual(
      refused.map(({ status }) => status),
      [503, 503],
    )
    assert.equal((await newUser()).status, 201)
  } finally {
    await aside.query('alter database postgres with allow_connections true')
    await aside.end()
  }
})

test('errors of PostgreSQL that pass cause 503, others 500', async () => {
  const passing = '08006 25006 25P03 40001 40P01 53300 55P03 57014 57P01 57P02 57P03 57P05 58030'.split(' ')
  const answers: Record<string, number> = {}

  for (const code of [...passing, 'XX000']) {
    await onTheSide(...onInsert('users', `raise exception 'hush' using errcode = '${code}'`))
    const { status, body } = await newUser()
    answers[code] = status
    assert.doesNotMatch(JSON.stringify(body), /hush|insert/)
  }
  await onTheSide('drop trigger hinder on users')

  assert.deepEqual(answers, { ...Object.fromEntries(passing.map((code) => [code, 503])), XX000: 500 })
  assert.equal((await newUser()).status, 201)
})
