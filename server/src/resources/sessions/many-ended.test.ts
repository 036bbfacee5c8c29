/** A system whose sessions have nearly all ended: they are kept for months. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertInParts } from '../../../test/support/many-rows.ts'
import { type Driver, startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { sql } from '../../database/drizzle.ts'

const ENDED = 10_000

/** How many rows of `sessions` statements have read, as PostgreSQL has counted them so far. */
async function rowsRead({ db }: Driver): Promise<number> {
  const { rows } = (await db.execute(sql`select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_user_tables where relname = 'sessions'`)) as { rows: { read: string }[] }
  return Number(rows[0]!.read)
}

test('a list of the active sessions of a system reads few of those that have ended', {
  skip: process.env.DATABASE_URL === undefined, // the embedded database does not count
}, async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({
    allowClientCredentials: true,
    skipConsent: true,
  })
  // PostgreSQL counts later what an update has read, an insert reads nothing.
  await insertInParts(app.db, ENDED, (from, to) =>
    app.db.execute(sql`
      insert into sessions (sid, system_id, user_id, account_id, membership_id, "grant", created_at, expires_at)
      select 'over' || n || id, system_id, user_id, account_id, id, '{}', now() - interval '2 days',
        now() - interval '1 day'
      from memberships, generate_series(${from}::int, ${to}::int) n where id = ${membership.id}`),
  )
  await app.signIn(system, { email: user.email })
  await app.db.execute(sql`analyze sessions`)
  const service = await app.serviceOf(system)
  const before = await rowsRead(app)

  const { data } = (await service.get('/admin/sessions')).body

  assert.equal(data.length, 1)
  await t.waitFor(async () => assert.ok((await rowsRead(app)) > before), SOON)
  const read = (await rowsRead(app)) - before
  assert.ok(read < ENDED / 2, `${read} rows`)
})
