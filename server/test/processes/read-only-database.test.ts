/** `/health` of a server whose PostgreSQL has become read-only. Uses its own PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Postgres, setReadOnly, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { SOON } from '../support/waiting.ts'

/** 2 s, in ms: PostgreSQL counts a session when it is idle, at most a second later, or has ended. */
const SETTLED = 2_000
/** Connections of the pool; one more is shared by reads. */
const POOL = 4

let postgres: Postgres
let server: TestServer

before(async () => {
  postgres = await startPostgres()
  const SECRET_KEY = 'a key for the read-only tests, long enough'
  server = await startServer({ env: { SECRET_KEY, DATABASE_URL: postgres.url, DATABASE_POOL: String(POOL) } })
})
after(async () => {
  await server.close()
  await postgres.close()
})

async function health(): Promise<[status: number, database: string]> {
  const answer = await fetch(`${server.url}/health`)
  const { checks } = (await answer.json()) as { checks: { database: string } }
  return [answer.status, checks.database]
}

const READ_ONLY = [503, 'read_only']
const OK = [200, 'ok']

test('/health is 503 while PostgreSQL is read-only, and 200 again by itself', async (t) => {
  assert.deepEqual(await health(), OK)

  await setReadOnly(postgres.url, 'on')
  await t.waitFor(async () => assert.deepEqual(await health(), READ_ONLY), SOON)
  const live = await fetch(`${server.url}/health/live`)
  await setReadOnly(postgres.url, 'off')

  assert.equal(live.status, 200)
  await t.waitFor(async () => assert.deepEqual(await health(), OK), SOON)
})

test('health checks of a read-only database open each connection at most once in a second', async (t) => {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  t.after(() => admin.end())
  const opened = async () => {
    await admin.query('select pg_stat_clear_snapshot()')
    const { rows } = await admin.query(
      `select sum(sessions)::int as sessions from pg_stat_database where datname = 'postgres'`,
    )
    return rows[0].sessions as number
  }
  await setReadOnly(postgres.url, 'on')
  t.after(() => setReadOnly(postgres.url, 'off'))
  await t.waitFor(async () => assert.deepEqual(await health(), READ_ONLY), SOON)
  const before = await opened()
  const begun = performance.now()
  const checks = 200

  for (let turn = 0; turn < checks; turn += 1) assert.deepEqual(await health(), READ_ONLY)

  const replacements = 1 + Math.ceil((performance.now() - begun) / 1_000)
  await wait(SETTLED)
  const count = (await opened()) - before
  t.diagnostic(`${count} connections for ${checks} checks, ${replacements} replacements`)
  assert.ok(replacements * (POOL + 1) < checks / 2, 'the checks take too long to show it')
  assert.ok(count <= (replacements + SETTLED / 1_000) * (POOL + 1), `${count} connections`)
})

test('/health notices a database that new connections find read-only, and that it is so no longer', async (t) => {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  t.after(() => admin.end())
  const setDefault = async (state: string) => {
    await admin.query('set default_transaction_read_only = off')
    await admin.query(`alter database postgres set default_transaction_read_only = ${state}`)
  }
  const closeOthers = () =>
    admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tenantry'`)

  await setDefault('on')
  await closeOthers()
  await t.waitFor(async () => assert.deepEqual(await health(), READ_ONLY), SOON)
  await setDefault('off')

  // The connections that were opened meanwhile are read-only until they are closed.
  await t.waitFor(async () => assert.deepEqual(await health(), OK), SOON)
})
