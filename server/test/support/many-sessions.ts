/** More sessions than a test can open by signing in, and the worker of the background jobs. */
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Db } from '../../src/database/database.ts'
import { startJobWorker } from '../../src/jobs/background/worker.ts'
import { endBatch } from '../../src/resources/sessions/end.ts'
import { sql } from '../../src/tuning/drizzle.ts'
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

export function startJobs(t: TestContext, db: Db) {
  const log = pino({ level: 'silent' })
  const worker = startJobWorker({ db, log, steps: { end_sessions: endBatch } })
  t.after(() => worker.stop())
  return worker
}
