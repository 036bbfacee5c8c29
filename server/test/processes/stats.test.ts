/** Statistics of several processes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { serviceToken } from '../support/testing.ts'

const CLIENT = { id: 'stats-client', secret: 'a-secret-for-the-statistics' }
let postgres: Postgres | undefined
let made: { url: string; drop(): Promise<void> }

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  made = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
})
after(async () => {
  await made.drop()
  await postgres?.close()
})

test('two processes together count every token, and lose none when they stop', async () => {
  const env = {
    DATABASE_URL: made.url,
    SECRET_KEY: 'a key for tests, 32 characters or more',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
  }
  const servers = [await startServer({ env }), await startServer({ env })]
  const requests = servers.flatMap(({ url }, at) =>
    Array.from({ length: 20 + at }, () => serviceToken(url, CLIENT.id, CLIENT.secret)),
  )
  await Promise.all(requests)

  await Promise.all(servers.map((server) => server.kill('SIGTERM')))

  await Promise.all(servers.map((server) => server.close()))
  const client = new pg.Client(made.url)
  await client.connect()
  const { rows } = await client.query<{ key: string; count: number; systems: number }>(
    'select key, sum(count)::int as count, count(distinct system_id)::int as systems from counters group by key',
  )
  await client.end()
  assert.deepEqual(rows, [{ key: 'client_credentials', count: 82, systems: 2 }])
})
