/** Metrics of several processes, on a port of their own and of a failing database. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { startProxy } from '../chaos/proxy.ts'
import { ON_POSTGRES } from '../support/locks.ts'
import { createDatabase, freePort } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { adminClient, serviceToken } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const CLIENT = { id: 'the-service', secret: 'a-secret-of-a-test-0123456789' }
const METRICS_TOKEN = 'the-token-of-the-metrics'

/** `isProxied`: the database is reached through a network that can fail. */
async function start(t: TestContext, env: Record<string, string> = {}, isProxied = false) {
  const { DATABASE_URL } = process.env
  const database = DATABASE_URL ? await createDatabase(DATABASE_URL) : undefined
  const port = await freePort()
  const proxy = database && isProxied ? await startProxy(Number(new URL(database.url).port)) : undefined
  const reached = new URL(database?.url ?? 'postgres://none')
  if (proxy) reached.port = String(proxy.port)
  const server = await startServer({
    env: {
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      METRICS_ENABLED: 'true',
      METRICS_PORT: String(port),
      ...(database && { DATABASE_URL: reached.href, SECRET_KEY: 'a key for tests, 32 characters or more' }),
      ...env,
    },
  })
  t.after(async () => {
    proxy?.set()
    await server.close()
    await proxy?.close()
    await database?.drop()
  })
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return { ...server, database, proxy, port, scrape }
}

/** A request on a connection of its own, which any of the processes accepts. */
const visit = (url: string, headers: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) => {
    get(url, { agent: false, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.once('end', () => resolve(body))
    }).once('error', reject)
  })

/** The sum of the series whose name and labels begin so. */
const sumOf = (text: string, beginning: string): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(beginning))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

const LIVE = 'http_request_duration_seconds_count{method="GET",route="/health/live",status="2xx"}'

test('only METRICS_PORT of 127.0.0.1 serves metrics, and it serves nothing else', async (t) => {
  const { url, port, scrape } = await start(t)

  const text = await scrape()
  const paths = ['/', '/health', '/admin/users', '/metrics/']
  const others = await Promise.all(paths.map((path) => fetch(`http://127.0.0.1:${port}${path}`)))
  const posted = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })

  assert.match(text, /^tenantry_build_info\{/m)
  assert.deepEqual(
    [...others, posted].map(({ status }) => status),
    [404, 404, 404, 404, 404],
  )
  assert.equal((await fetch(`${url}/metrics`)).status, 404, 'the port of the server')
  await assert.rejects(fetch(`http://127.0.0.2:${port}/metrics`))
})

test('with METRICS_TOKEN, METRICS_PORT requires the token', async (t) => {
  const { url, port } = await start(t, { METRICS_TOKEN })
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }

  const answers = await Promise.all([
    fetch(`http://127.0.0.1:${port}/metrics`),
    fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}x` } }),
    fetch(`http://127.0.0.1:${port}/metrics`, { headers }),
    fetch(`${url}/metrics`, { headers }),
  ])

  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 200, 404],
  )
})

test('a METRICS_PORT in use stops the start with one line', async (t) => {
  const { port, restart, kill } = await start(t)
  await kill('SIGTERM')
  const other = createServer().listen(port, '127.0.0.1')
  t.after(() => other.close())

  await assert.rejects(restart(), /METRICS_PORT: cannot listen on port \d+ of 127\.0\.0\.1: .*EADDRINUSE/)
})

test('the metrics of workers are added up, whichever worker is asked', ON_POSTGRES, async (t) => {
  const { url } = await start(t, { WORKERS: '2', METRICS_TOKEN, METRICS_PORT: '0' })
  const service = await serviceToken(url, CLIENT.id, CLIENT.secret)
  for (let times = 0; times < 40; times += 1) await visit(`${url}/health/live`)

  const authorization = `Bearer ${METRICS_TOKEN}`
  let asked: string[] = []
  await t.waitFor(async () => {
    asked = await Promise.all(Array.from({ length: 6 }, () => visit(`${url}/metrics`, { authorization })))
    for (const body of asked) assert.equal(sumOf(body, 'tenantry_workers{state="running"}'), 2)
  }, SOON)
  const text = asked[0]!

  assert.equal(sumOf(text, LIVE), 40)
  for (const body of asked) assert.equal(sumOf(body, LIVE), 40)
  assert.equal(sumOf(text, 'tenantry_workers{state="running"}'), 2)
  assert.equal(sumOf(text, 'tenantry_database_connections_max'), 20)
  assert.equal(sumOf(text, 'tenantry_tokens_total{grant="client_credentials"}'), 1)
  assert.equal(text.match(/^tenantry_queue_size\{queue="emails"\} /gm)?.length, 1)
  assert.ok(service.length > 0)
})

test('counters of workers never fall: a worker is stopped, killed and replaced', ON_POSTGRES, async (t) => {
  const { url, children, scrape } = await start(t, { WORKERS: '2' })
  const ask = async (times: number) => {
    for (let time = 0; time < times; time += 1) await visit(`${url}/health/live`)
  }
  const state = (text: string, name: string) => sumOf(text, `tenantry_workers{state="${name}"}`)
  await ask(40)
  const before = await scrape()
  const [stopped = 0, killed = 0] = children()

  process.kill(stopped, 'SIGSTOP')
  const silent = await scrape()
  process.kill(stopped, 'SIGCONT')
  process.kill(killed, 'SIGKILL')
  await t.waitFor(() => assert.equal(children().length, 1), SOON)
  const without = await scrape()
  await t.waitFor(async () => assert.equal(state(await scrape(), 'running'), 2), SOON)
  await ask(20)
  let after = ''
  await t.waitFor(async () => {
    after = await scrape()
    assert.equal(state(after, 'running'), 2, 'both answered in time, which a busy machine may delay')
  }, SOON)

  assert.deepEqual(
    [before, silent, without].map((text) => sumOf(text, LIVE)),
    [40, 40, 40],
  )
  assert.deepEqual([state(silent, 'running'), state(silent, 'silent')], [1, 1])
  assert.equal(sumOf(after, LIVE), 60)
  assert.equal(sumOf(after, 'tenantry_database_connections_max'), 20, 'gauges are those of running workers')
})

test(
  'a database that does not answer is reported by workers, too, and no worker counts as silent',
  ON_POSTGRES,
  async (t) => {
    const { proxy, scrape } = await start(t, { WORKERS: '2' }, true)
    proxy!.set({ state: 'silent' })

    await t.waitFor(async () => assert.match(await scrape(), /^tenantry_database_up 0$/m), SOON)
    const text = await scrape()

    assert.equal(sumOf(text, 'tenantry_database_up'), 0)
    assert.equal(sumOf(text, 'tenantry_workers{state="silent"}'), 0)
  },
)

test('waits, transactions and timeouts of PostgreSQL are measured', ON_POSTGRES, async (t) => {
  const { url, database, scrape } = await start(t, { DATABASE_POOL: '2' })
  const platform = adminClient(url, await serviceToken(url, CLIENT.id, CLIENT.secret))
  const blocker = new pg.Client({ connectionString: database!.url })
  await blocker.connect()
  await blocker.query('begin; lock table users in access exclusive mode')

  const waiting = Array.from({ length: 6 }, (_, n) =>
    platform.post('/admin/users', { email: `user-${n}@example.test` }),
  )
  await t.waitFor(
    async () => assert.ok(sumOf(await scrape(), 'tenantry_database_connections{state="waiting"}') > 0),
    SOON,
  )
  const answers = await Promise.all(waiting)
  await blocker.end()
  const text = await scrape()

  assert.ok(answers.some(({ status }) => status === 503))
  assert.ok(sumOf(text, 'tenantry_database_errors_total{kind="lock_timeout"}') >= 2, text)
  assert.ok(sumOf(text, 'tenantry_database_wait_seconds_count') > 0)
  assert.ok(sumOf(text, 'tenantry_database_transaction_seconds_count{outcome="fault"}') >= 2)
  assert.ok(sumOf(text, 'tenantry_database_transaction_seconds_count{outcome="commit"}') > 0)
  assert.ok(sumOf(text, 'tenantry_refusals_total{kind="request",reason="unavailable"}') >= 2)
})

test(
  'a database that is gone costs no scrape: its gauges are missing, and database_up is 0',
  ON_POSTGRES,
  async (t) => {
    const { database, scrape } = await start(t)
    assert.equal(sumOf(await scrape(), 'tenantry_database_up'), 1)
    const admin = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await admin.connect()
    const name = new URL(database!.url).pathname.slice(1)
    await admin.query(`alter database "${name}" allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])

    await t.waitFor(
      async () => {
        const text = await scrape()
        assert.match(text, /^tenantry_database_up 0$/m)
        assert.doesNotMatch(text, /^tenantry_queue_size\{/m)
        assert.match(text, /^process_resident_memory_bytes /m)
      },
      { timeout: 20_000, interval: 1_000 },
    )
    await admin.query(`alter database "${name}" allow_connections true`)
    await admin.end()
  },
)
