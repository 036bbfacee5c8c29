/** The audit log in monthly partitions (ops/partitions/audit.sql), on PostgreSQL. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import { createSeal } from '../../src/crypto/seal.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database } from '../../src/database/database.ts'
import { getTableConfig, sql } from '../../src/database/drizzle.ts'
import { audit } from '../../src/database/schema.ts'
import { deleteAll } from '../../src/jobs/cleanup/cleanup.ts'
import { maintainPartitions } from '../../src/jobs/cleanup/partitions.ts'
import { openCheckpointKey } from '../../src/journal/audit/chain/checkpoint.ts'
import { extendToEnd, restartChain } from '../../src/journal/audit/chain/extend.ts'
import { verifyAudit } from '../../src/journal/audit/chain/verify.ts'
import { createMonth, monthOf, readPartitions } from '../../src/journal/audit/partitions/queries.ts'
import { stampEntries } from '../../src/journal/audit/stamp.ts'
import { createDatabase, executeFile, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, startToEnd, type TestServer } from '../support/servers.ts'
import { type AdminClient, adminClient, serviceToken } from '../support/testing.ts'

const CONVERSION = join(import.meta.dirname, '../../../ops/partitions/audit.sql')
const SECRET_KEY = 'a key for tests, 32 characters or more'
const PLATFORM = { id: 'partitions', secret: 'a-secret-for-tests-of-partitions' }
const never = new AbortController().signal
const seal = createSeal(SECRET_KEY)
stampEntries(seal)
const key = await openCheckpointKey(seal)

let postgres: Postgres | undefined
let made: { url: string; drop(): Promise<void> }
let opened: Database
let server: TestServer
let platform: AdminClient
const now = new Date()
/** A retention with which the 13th month before this one has just expired. */
const DAYS = Math.floor((now.getTime() - monthOf(now, -13).to.getTime()) / 86_400_000)
const config = readConfig({ RETENTION_AUDIT_DAYS: String(DAYS) })

async function execute(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: made.url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

const names = async () => {
  const { months, others } = (await readPartitions(opened.db))!
  return { months: months.map(({ name }) => name), others }
}

/** Adds 500 entries, which fill a block of the chain, on the 10th of the month so many months ago. */
const fillMonth = (months: number) =>
  opened.db.execute(sql`
    insert into audit (action, outcome, actor_type, time)
    select ${`test.month_${months}`}, 'success', 'server', ${monthOf(now, -months).from.toISOString()}::timestamptz
      + interval '9 days' + n * interval '1 second' from generate_series(1, 500) n`)

const totalOf = async (months: number) => (await page(`action=test.month_${months}`)).total

const page = async (query: string) => {
  const { status, body } = await platform.get(`/admin/audit?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body as { total: number; data: { id: string; time: string }[] }
}

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  made = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  opened = await openPostgres(made.url, 5)
  const env = {
    DATABASE_URL: made.url,
    SECRET_KEY,
    ADMIN_CLIENT_ID: PLATFORM.id,
    ADMIN_CLIENT_SECRET: PLATFORM.secret,
    RETENTION_AUDIT_DAYS: '0',
  }
  assert.equal((await startToEnd(env, { args: ['migrate'] })).code, 0)
  for (const months of [20, 14, 13, 12, 1]) await fillMonth(months)
  // No server has written these entries.
  await restartChain({ db: opened.db, key, retentionDays: 0 })
  server = await startServer({ env })
  platform = adminClient(server.url, await serviceToken(server.url, PLATFORM.id, PLATFORM.secret))
})
after(async () => {
  await server?.close()
  await opened?.close()
  await made?.drop()
  await postgres?.close()
})

test('a server that is running reads and writes the same log before and after the conversion', async () => {
  const parts = { db: opened.db, key, retentionDays: 0 }
  await extendToEnd(parts)
  const before = await page('action=test.month_1&pageSize=100')

  await executeFile(made.url, CONVERSION)

  const next = monthOf(now, 1).name
  assert.deepEqual(await names(), { months: [next], others: ['audit_before', 'audit_default'] })
  assert.deepEqual(await page('action=test.month_1&pageSize=100'), before)
  const { status, body } = await platform.post('/admin/systems', { name: 'Shop' })
  assert.deepEqual([status, (await page(`targetId=${body.id}`)).total], [201, 1])
  await extendToEnd(parts)
  assert.deepEqual((await verifyAudit(opened.db, key)).faults, [])
})

test('each index of the log exists on every partition', async () => {
  const found = await opened.db.execute(sql`
    select (select count(*)::int from pg_index where indrelid = c.oid and indisvalid) as count from pg_class c
    where relname in ('audit', 'audit_before', 'audit_default', ${monthOf(now, 1).name})`)

  const counts = (found as unknown as { rows: { count: number }[] }).rows.map(({ count }) => count)
  assert.deepEqual(counts, Array(4).fill(getTableConfig(audit).indexes.length + 1))
})

test('the partitions of three months ahead are created once', async () => {
  const runs = [await maintainPartitions(opened.db, DAYS), await maintainPartitions(opened.db, DAYS)]

  assert.deepEqual(runs, [
    { created: [2, 3].map((later) => monthOf(now, later).name), dropped: [] },
    { created: [], dropped: [] },
  ])
})

/** Changes the log as if it was converted 16 months ago, without the partition of the 14th month. */
async function convertEarlier(): Promise<void> {
  const first = monthOf(now, -15).from.toISOString()
  await execute(`alter table audit detach partition audit_before;
    create table moved as with gone as (delete from audit_before where time >= '${first}' returning *)
      select * from gone;
    alter table audit attach partition audit_before for values from (minvalue) to ('${first}')`)
  for (const months of [15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert.ok(await opened.db.transaction((tx) => createMonth(tx, monthOf(now, -months))))
  await execute('insert into audit select * from moved; drop table moved')
}

test('an entry of a month without a partition is stored, and its month gets no partition', async () => {
  await convertEarlier()
  const total = await totalOf(14)

  const isCreated = await opened.db.transaction((tx) => createMonth(tx, monthOf(now, -14)))

  assert.deepEqual([isCreated, total, await opened.db.$count(sql`audit_default`)], [false, 500, 500])
  assert.deepEqual((await verifyAudit(opened.db, key)).faults, [])
})

test('an expired month remains while its entries are in blocks', async () => {
  const { dropped } = await maintainPartitions(opened.db, DAYS)

  assert.deepEqual(dropped, [monthOf(now, -15).name]) // without entries
  assert.equal(await totalOf(13), 500)
})

test('a partition that is in use is not dropped, and requests are answered while it is in use', async () => {
  await extendToEnd({ db: opened.db, key, retentionDays: DAYS })
  await opened.db.transaction(async (tx) => {
    await tx.execute(sql`select from audit limit 1`)
    const dropping = maintainPartitions(opened.db, DAYS)
    // Until the transaction ends, a drop without a short lock timeout blocks them: they would get 503.
    for (let nth = 0; nth < 10; nth += 1) await page('pageSize=1')
    assert.deepEqual((await dropping).dropped, [])
  })

  assert.equal(await totalOf(13), 500)
})

test('retention drops the month whose last entry has expired, and the log remains verifiable', async () => {
  const kept = (await page('pageSize=1')).total - 500

  const beforeDrop = (await verifyAudit(opened.db, key)).faults
  const { dropped } = await maintainPartitions(opened.db, DAYS)
  await deleteAll({ db: opened.db, config }, never)

  assert.deepEqual(dropped, [monthOf(now, -13).name])
  assert.deepEqual(await Promise.all([20, 14, 13, 12, 1].map(totalOf)), [0, 0, 0, 500, 500])
  assert.equal((await page('pageSize=1')).total, kept)
  assert.deepEqual([beforeDrop, (await verifyAudit(opened.db, key)).faults], [[], []])
})

test('an export has the entries of all partitions, newest first, each once', async () => {
  const { body } = await platform.get('/admin/audit/export')

  const entries: { id: string; time: string }[] = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const times = entries.map(({ time }) => time)
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length)
  assert.ok(entries.length > 1_000)
  assert.deepEqual(times, times.toSorted().reverse())
})

test('an expired entry of a month without a partition is deleted', async () => {
  await fillMonth(14)
  await deleteAll({ db: opened.db, config }, never)

  assert.equal(await totalOf(14), 0)
})

test('a month is dropped a week after it has expired if the chain is not extended', async () => {
  await fillMonth(16) // not in a block, before the partitions of months
  const { months } = (await readPartitions(opened.db))!

  const { dropped } = await maintainPartitions(opened.db, 1)

  const limit = Date.now() - 8 * 86_400_000
  assert.deepEqual(
    dropped,
    months.filter(({ to }) => to.getTime() <= limit).map(({ name }) => name),
  )
})
