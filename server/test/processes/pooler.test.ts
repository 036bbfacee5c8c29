/** The server behind PgBouncer in transaction mode. Skipped without PgBouncer. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { startPgbouncer, withoutPgbouncer } from '../support/pgbouncer.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { startPair } from '../support/standby.ts'
import { adminClient, signInTo, tokenRequest } from '../support/testing.ts'

const CLIENT = { id: 'pooler-platform', secret: 'a-secret-for-the-pooler-tests' }
const SETTINGS = {
  SECRET_KEY: 'a key for the pooler tests, long enough',
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
}
const TIMEOUTS_OF_ROLE = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  .map((name) => `ALTER ROLE postgres SET ${name} = 2000;`)
  .join(' ')
const IGNORED =
  'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
const PREPARED = 'max_prepared_statements = 200'
/** Fewer connections than the server opens: they change between its clients all the time. */
const FEW = 'default_pool_size = 3'

describe('behind PgBouncer', { skip: withoutPgbouncer() }, () => {
  let postgres: Postgres

  before(async () => {
    postgres = await startPostgres()
  })
  after(() => postgres.close())

  /** Runs `work` with the settings of a server behind a PgBouncer with these settings. */
  async function behind<T>(
    settings: string[],
    work: (env: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    const pooler = await startPgbouncer(postgres.url, settings)
    return work({ ...SETTINGS, DATABASE_URL: pooler.url }).finally(() => pooler.close())
  }

  /** Executes the statements that the message of a failed start contains. */
  async function obey(message: string, url = postgres.url): Promise<number> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const statements = message.match(/ALTER ROLE [^;]+;/g) ?? []
    for (const statement of statements) await client.query(statement)
    await client.end()
    return statements.length
  }

  test('what PgBouncer lacks stops the start with one line that says what to set', async () => {
    const refused = await behind([PREPARED], (env) => startToEnd(env))
    const ignored = await behind([PREPARED, IGNORED], (env) => startToEnd(env))
    const obeyed = await obey(ignored.stderr)
    const unprepared = await behind([IGNORED, 'max_prepared_statements = 0'], (env) => startToEnd(env))

    for (const [exit, message] of [
      [
        refused,
        /the connection pooler refuses the timeouts .* ignore_startup_parameters to statement_timeout,/,
      ],
      [ignored, /the connection pooler does not pass the timeouts on.* SET statement_timeout = 4000;/],
      [unprepared, /the connection pooler does not support prepared statements.* max_prepared_statements/],
    ] as const) {
      assert.equal(exit.code, 1)
      assert.match(exit.stderr, /^DATABASE_URL: cannot use PostgreSQL at 127\.0\.0\.1:\d+\/postgres: .*\.\n$/)
      assert.match(exit.stderr, message)
    }
    assert.equal(obeyed, 3)
  })

  test('after a failover the pooler of the new primary is used', async (t) => {
    const pair = await startPair()
    t.after(pair.close)
    const settings = [PREPARED, IGNORED]
    await obey(TIMEOUTS_OF_ROLE, pair.primary.url)
    const poolers = [
      await startPgbouncer(pair.primary.url, settings),
      await startPgbouncer(pair.standby.url, settings),
    ]
    for (const pooler of poolers) t.after(pooler.close)
    const hosts = poolers.map(({ url }) => new URL(url).host).reverse()
    const DATABASE_URL = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
    const server = await startServer({ env: { ...SETTINGS, DATABASE_URL } })
    t.after(() => server.close())
    const { admin, newMember } = await createProduct(server.url, CLIENT)
    await newMember()

    let during = 0
    await pair.failOver(async () => {
      during = (await admin.get('/admin/users')).status
    })
    const statuses = new Set<number>()
    for (let times = 0; times < 100 && !statuses.has(200); times++) {
      statuses.add((await admin.get('/admin/users')).status)
      await new Promise((passed) => setTimeout(passed, 50))
    }

    assert.equal(during, 503)
    assert.deepEqual(
      [...statuses].filter((status) => status !== 503),
      [200],
    )
  })

  test('servers start one after the other, and serve concurrent sign-ins, refreshes and /me', async (t) => {
    await behind([PREPARED, IGNORED, FEW], async (env) => {
      const first = await startServer({ env })
      t.after(() => first.close())
      const { url } = first
      const second = await startServer({ env: { ...env, BASE_URL: url } })
      t.after(() => second.close())
      const { system, newMember } = await createProduct(url, CLIENT)
      const users = await Promise.all(Array.from({ length: 4 }, newMember))

      const statuses = await Promise.all(
        users.map(async ({ user }, nth) => {
          const at = [first, second][nth % 2]!.url
          let tokens = await signInTo(url, system, { email: user.email })
          const seen: unknown[] = []
          for (let turn = 0; turn < 5; turn++) {
            const me = await adminClient(at, tokens.access_token).get('/me')
            const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
            const refreshed = await tokenRequest(at, system, fields)
            seen.push(me.body.sub === user.id, refreshed.status)
            tokens = { ...tokens, ...refreshed.body }
          }
          return seen
        }),
      )

      assert.deepEqual(statuses, Array(4).fill(Array(5).fill([true, 200]).flat()))
      for (const server of [first, second]) await server.kill('SIGTERM')
    })
  })
})
