/** More members and sessions than a test can create by requests, and the worker of the background jobs. */
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Db } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'
import { startJobWorker } from '../../src/jobs/background/worker.ts'
import { endBatch } from '../../src/lifecycle/end-sessions.ts'
import { deletionBatch } from '../../src/lifecycle/remove-system.ts'
import { insertInParts } from './many-rows.ts'

/** Active sessions of a membership, opened a day ago. Their ids are the first in every order of ids. */
export const insertSessions = (db: Db, membershipId: string, count: number) =>
  insertInParts(db, count, (from, to) =>
    db.execute(sql`
      insert into sessions (sid, system_id, user_id, account_id, membership_id, "grant", created_at, expires_at)
      select '--' || to_char(n, 'FM00000') || ${membershipId}::text, system_id, user_id, account_id, id, '{}',
        now() - interval '1 day' - make_interval(secs => n), now() + interval '1 day'
      from memberships, generate_series(${from}::int, ${to}::int) n where id = ${membershipId}`),
  )

/** Members of a system, each with a personal account. `name`: different for each call. */
export const insertMembers = (db: Db, systemId: string, count: number, name: string) => {
  const id = (of: string) => sql`md5(${of + name} || n)::uuid`
  const email = sql`${name} || n || '@example.test'`
  const each = (from: number, to: number) => sql`from generate_series(${from}::int, ${to}::int) n`
  return insertInParts(db, count, async (from, to) => {
    const all = each(from, to)
    await db.execute(sql`insert into users (id, email) select ${id('u')}, ${email} ${all}`)
    await db.execute(sql`insert into system_users (user_id, system_id, email)
      select ${id('u')}, ${systemId}, ${email} ${all}`)
    await db.execute(sql`insert into accounts (id, system_id, name, kind, personal_of)
      select ${id('a')}, ${systemId}, ${email}, 'personal', ${id('u')} ${all}`)
    await db.execute(sql`insert into memberships
        (id, user_id, system_id, account_id, status, exclusive, added_by, activated_at, email)
      select ${id('m')}, ${id('u')}, ${systemId}, ${id('a')}, 'active', true, 'system', now(), ${email} ${all}`)
  })
}

export function startJobs(t: TestContext, db: Db) {
  const log = pino({ level: 'silent' })
  const worker = startJobWorker({ db, log, steps: { end_sessions: endBatch, delete_system: deletionBatch } })
  t.after(() => worker.stop())
  return worker
}
