/** Cleanup by several processes on one PostgreSQL, during other work. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import { createSeal } from '../../src/crypto/seal.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'
import { deleteAll } from '../../src/jobs/cleanup/cleanup.ts'
import { acquireCleanupLock } from '../../src/jobs/cleanup/queries.ts'
import { stampEntries } from '../../src/journal/audit/stamp.ts'
import { deleteRemovedKeys, ensureSigningKeys, rotateKeys } from '../../src/oidc/keys/signing-keys.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { SOON } from '../support/waiting.ts'

const config = readConfig({})
const SECRET_KEY = 'a key for tests, 32 characters or more'
const seal = createSeal(SECRET_KEY)
stampEntries(seal)
const never = new AbortController().signal
let postgres: Postgres | undefined
let made: { url: string; drop(): Promise<void> }
/** The databases of two processes. */
let one: Database
let other: Database

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  made = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  one = await openPostgres(made.url, 5)
  other = await openPostgres(made.url, 5)
})
after(async () => {
  await one.close()
  await other.close()
  await made.drop()
  await postgres?.close()
})

const fill = (count: number) =>
  one.db.execute(sql`
    insert into artifacts (model, id_hash, payload, expires_at)
    select 'Interaction', convert_to('over ' || n, 'UTF8'), '{}', now() - interval '1 day' from generate_series(1, ${count}::int) n`)

const countLeft = async () => {
  const found = await one.db.execute(
    sql`select count(*)::int as count from artifacts where expires_at < now()`,
  )
  return (found as unknown as { rows: { count: number }[] }).rows[0]!.count
}

test('only one process deletes at a time, and everything expired is deleted', async () => {
  await fill(2_000)
  const { db } = one

  const whileBusy = await db.transaction(async (tx) => {
    assert.ok(await acquireCleanupLock(tx))
    return deleteAll({ db: other.db, config }, never)
  })
  const left = await countLeft()
  const both = await Promise.all([one, other].map(({ db }) => deleteAll({ db, config }, never)))
  // both may have yielded at the end
  if ((await countLeft()) > 0) both.push(await deleteAll({ db, config }, never))

  assert.deepEqual([whileBusy, left], [{}, 2_000])
  assert.equal(
    both.map((deleted) => deleted.artifacts ?? 0).reduce((sum, count) => sum + count),
    2_000,
  )
  assert.equal(await countLeft(), 0)
})

test('cleanup skips locked rows', async () => {
  await fill(700)
  const released = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const locking = one.db.transaction(async (tx) => {
    await tx.execute(sql`select from artifacts where id_hash = convert_to('over 5', 'UTF8') for update`)
    holding.resolve()
    await released.promise
  })
  await holding.promise

  const deleted = await deleteAll({ db: other.db, config }, never)
  released.resolve()
  await locking

  assert.deepEqual(deleted, { artifacts: 699 })
  assert.deepEqual(await deleteAll({ db: other.db, config }, never), { artifacts: 1 })
})

test('cleanup blocks no other statement: a lock timeout of 200 ms is enough', async (t) => {
  await fill(10_000)
  const client = new pg.Client({ connectionString: made.url })
  await client.connect()
  t.after(() => client.end())
  await client.query(`set lock_timeout = '200ms'`)
  const key = `convert_to('code ' || $1::int, 'UTF8')`
  const waits: number[] = []
  const work = { over: false }

  const writing = (async () => {
    for (let nth = 0; !work.over; nth += 1) {
      const began = performance.now()
      await client.query(
        `insert into artifacts (model, id_hash, payload, expires_at) values ('Interaction', ${key}, '{}', now() + interval '1 hour')
         on conflict (model, id_hash) do update set expires_at = excluded.expires_at`,
        [nth % 100],
      )
      // Includes an expired row that may be in deletion: a sign-in that is resumed.
      await client.query(
        `update artifacts set consumed_at = now() where id_hash = convert_to('over ' || $1::int, 'UTF8')`,
        [(nth * 37) % 10_000],
      )
      await client.query(`delete from artifacts where model = 'Interaction' and id_hash = ${key}`, [
        nth % 100,
      ])
      waits.push(performance.now() - began)
    }
  })()
  const deleted = await deleteAll({ db: other.db, config }, never).finally(() => {
    work.over = true
  })
  await writing

  waits.sort((a, b) => a - b)
  t.diagnostic(`${waits.length} rounds beside it, the longest ${Math.round(waits.at(-1)!)} ms`)
  assert.ok((deleted.artifacts ?? 0) > 9_000 && waits.length > 50)
})

const keys = async () => {
  const found = await one.db.execute(
    sql`select kid, active_from > now() as next, remove_from is not null as leaving from signing_keys order by kid`,
  )
  return (found as unknown as { rows: { kid: string; next: boolean; leaving: boolean }[] }).rows
}

test('expired signing keys are replaced by one process and deleted later', async () => {
  await ensureSigningKeys(one.db, seal)
  const old = (await keys()).map(({ kid }) => kid)
  const age = (days: number) =>
    one.db.execute(sql`update signing_keys set created_at = now() - make_interval(days => ${days})`)
  const rotate = () =>
    Promise.all([one, other, one, other].map(({ db }) => rotateKeys(db, seal, config, { days: 90 })))

  await age(89)
  const early = await rotate()
  await age(91)
  const added = (await rotate()).flat().sort()
  const again = await rotate()
  const rotated = await keys()
  const tooEarly = await deleteRemovedKeys(one.db)
  await one.db.execute(sql`update signing_keys set remove_from = now() where remove_from is not null`)
  const removed = (await Promise.all([one, other].map(({ db }) => deleteRemovedKeys(db)))).flat().sort()

  assert.deepEqual([early.flat(), again.flat(), tooEarly], [[], [], []])
  assert.equal(added.length, 2)
  assert.deepEqual(
    rotated.map(({ kid, next, leaving }) => [kid, next, leaving]),
    [...old.map((kid) => [kid, false, true]), ...added.map((kid) => [kid, true, false])].sort(),
  )
  assert.deepEqual(removed, old)
  assert.deepEqual(
    (await keys()).map(({ kid }) => kid),
    added,
  )
  const noted = await one.db.execute(
    sql`select action || ' ' || target_id as change from audit where target_type = 'signing_key'`,
  )
  assert.deepEqual(
    (noted as unknown as { rows: { change: string }[] }).rows.map(({ change }) => change).sort(),
    [
      ...added.map((kid) => `signing_key.added ${kid}`),
      ...old.map((kid) => `signing_key.removed ${kid}`),
    ].sort(),
  )
})

test('a server deletes expired rows and rotates keys by itself', async (t) => {
  await ensureSigningKeys(one.db, seal)
  await one.db.execute(
    sql`update signing_keys set active_from = now(), created_at = now() - interval '91 days'`,
  )
  const before = (await keys()).length
  await fill(1_200)

  const server = await startServer({ env: { DATABASE_URL: made.url, SECRET_KEY } })
  t.after(() => server.close())
  const isDone = async () => assert.deepEqual([await countLeft(), (await keys()).length], [0, before + 2])
  await t.waitFor(isDone, SOON)

  assert.equal((await server.kill('SIGTERM')).code, 0)
})
