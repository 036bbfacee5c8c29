/** Secrets that are replaced in their files while a server runs. Uses its own PostgreSQL and mail server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { adminClient } from '../support/http.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { serviceToken } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const CLIENT = { id: 'replaced-platform', secret: 'a-secret-for-the-replaced-tests' }
const folder = mkdtempSync(join(tmpdir(), 'tenantry-secrets-'))
const path = (name: string) => join(folder, name)
/** Replaces a file like an orchestrator: a reader sees the former content or the new one. */
function replace(name: string, content: string): void {
  writeFileSync(path(`${name}.new`), `${content}\n`)
  renameSync(path(`${name}.new`), path(name))
}

let postgres: Postgres
let admin: pg.Client
let server: TestServer
let smtp: Awaited<ReturnType<typeof startSmtpServer>>
const cleanUps: (() => Promise<void>)[] = []
/** What the mail server accepts, and how often it has refused a login. */
const mail = { password: 'first mail password', refusals: 0 }

/** The connections to PostgreSQL, which the server opens through a proxy that counts them. */
const logins = { count: 0 }
const proxy = createServer((near) => {
  logins.count += 1
  const { hostname, port } = new URL(postgres.url)
  const far = connect(Number(port), hostname)
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const)
    from.on('error', () => to.destroy()).pipe(to)
})
const POOL = 3

const urlOf = (password: string) => {
  const url = new URL(postgres.url)
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  url.username = 'tenant'
  url.password = password
  return url.href
}
const mailUrl = () => `smtps://sender:${encodeURIComponent(mail.password)}@${smtp.address}`

before(async () => {
  postgres = await startPostgres()
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query(`create role tenant login superuser password 'first'`)
  smtp = await startSmtpServer(
    { after: (close) => void cleanUps.push(close) },
    {
      secure: true,
      authOptional: false,
      onAuth({ password }, _session, done) {
        if (password === mail.password) return done(null, { user: 'sender' })
        mail.refusals += 1
        done(new Error('wrong'))
      },
    },
  )
  replace('database', urlOf('first'))
  replace('mail', mailUrl())
  replace('metrics', 'the-first-metrics-token')
  server = await startServer({
    env: {
      SECRET_KEY: 'a key for the replaced secrets, long enough',
      DATABASE_URL_FILE: path('database'),
      MAIL_URL_FILE: path('mail'),
      METRICS_ENABLED: 'true',
      METRICS_TOKEN_FILE: path('metrics'),
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      DATABASE_POOL: String(POOL),
    },
  })
})
after(async () => {
  await server?.close()
  for (const cleanUp of cleanUps) await cleanUp()
  await admin.end()
  proxy.close()
  await postgres.close()
  rmSync(folder, { recursive: true })
})

const closeConnections = () =>
  admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tenant'`)
const health = async () => (await fetch(`${server.url}/health`)).status

test('a replaced database password is read from DATABASE_URL_FILE when the login is refused', async (t) => {
  assert.equal(await health(), 200)

  await admin.query(`alter role tenant password 'second'`)
  await closeConnections()
  await t.waitFor(async () => assert.equal(await health(), 503), SOON)
  replace('database', 'not a URL')
  assert.equal(await health(), 503)
  replace('database', urlOf('second'))

  await t.waitFor(async () => assert.equal(await health(), 200), SOON)
  const token = await serviceToken(server.url, CLIENT.id, CLIENT.secret)
  const platform = adminClient(server.url, token)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => platform.post('/admin/users', { email: `${n}@example.test` })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
})

test('with the new password in the file, no request fails for the replaced one', async () => {
  const others = await admin.query(`select pid from pg_stat_activity where usename = 'tenant'`)
  await admin.query(`alter role tenant password 'third'`)
  replace('database', urlOf('third'))
  const before = logins.count

  // The pool opens connections that it did not have; those with the former password stay open.
  const statuses = await Promise.all(Array.from({ length: 40 }, () => health()))

  assert.ok(others.rows.length > 0)
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.ok(logins.count - before <= 2 * (POOL + 1))
})

test('a refused login is not repeated by each request', async (t) => {
  await admin.query(`alter role tenant password 'fourth'`)
  await closeConnections()
  await t.waitFor(async () => assert.equal(await health(), 503), SOON)

  const before = logins.count
  const began = performance.now()
  for (let n = 0; n < 60; n += 1) await Promise.all(Array.from({ length: 10 }, () => health()))
  const seconds = (performance.now() - began) / 1_000

  // Once a second, all connections of the process may be refused at the same time.
  const made = logins.count - before
  t.diagnostic(`${made} logins of 600 requests in ${seconds} s`)
  assert.ok(made < 60 * Math.ceil(seconds), `${made} logins in ${seconds} s`)
  replace('database', urlOf('fourth'))
  await t.waitFor(async () => assert.equal(await health(), 200), SOON)
})

test('a replaced mail password is read from MAIL_URL_FILE when the login is refused, and the email is sent', async (t) => {
  const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
  const sendTo = async (email: string) => {
    const { body } = await platform.post('/admin/users', { email })
    assert.equal((await platform.post(`/admin/users/${body.id}/send-password-reset`, {})).status, 202)
  }
  await sendTo('before@example.test')
  await t.waitFor(async () => assert.equal(smtp.deliveriesTo('before@example.test').length, 1), SOON)
  assert.equal(mail.refusals, 0)

  mail.password = 'second mail password'
  replace('mail', mailUrl())
  smtp.dropConnections()
  await sendTo('after@example.test')

  await t.waitFor(async () => assert.equal(smtp.deliveriesTo('after@example.test').length, 1), SOON)
  // The server notes it once the SMTP server has accepted it.
  await t.waitFor(async () => {
    const { body } = await platform.get('/admin/mail')
    assert.deepEqual(
      body.data.map(({ status, attempts }: { status: string; attempts: number }) => [status, attempts]),
      [
        ['sent', 1],
        ['sent', 1],
      ],
    )
  }, SOON)
  assert.equal(mail.refusals, 1)
})

test('a replaced METRICS_TOKEN_FILE is accepted, and the former token is refused', async (t) => {
  const scrape = async (token: string) =>
    (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
  assert.equal(await scrape('the-first-metrics-token'), 200)

  replace('metrics', 'the-second-metrics-token')

  await t.waitFor(async () => assert.equal(await scrape('the-second-metrics-token'), 200), SOON)
  assert.equal(await scrape('the-first-metrics-token'), 401)
  rmSync(path('metrics'))
  await new Promise((passed) => setTimeout(passed, 1_100)) // the file is read again
  assert.equal(await scrape('the-second-metrics-token'), 200)
})
