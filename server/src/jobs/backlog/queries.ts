/** The SQL of the state of the queues. */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { backgroundJobs, deliveries, logoutDeliveries, mail, webhooks } from '../../database/schema.ts'

/** Rows of a queue that are counted. */
export const BACKLOG_COUNTED_MAX = 10_000

/** Consecutive failed batches after which a background job is overdue: a retry will not help. */
const FAILING = 5

/**
 * `size`: at most COUNTED_MAX. `oldest`: the age in seconds of the oldest of these. `overdue`: for how many
 * seconds the first one could have been sent already; a retry that waits is not overdue.
 */
export type Backlog = {
  queue: 'emails' | 'webhooks' | 'logouts' | 'jobs'
  size: number
  oldest: number
  overdue: number
}

const age = (since: ReturnType<typeof sql>) =>
  sql`greatest(0, coalesce(extract(epoch from now() - ${since}), 0))::float8`

/** All queues in one statement that reads at most COUNTED_MAX rows of each. */
export async function readBacklogs(db: Db): Promise<Backlog[]> {
  const limit = sql.raw(String(BACKLOG_COUNTED_MAX))
  const found = await db.execute(sql`
    select 'emails' as queue, count(*)::int as size, ${age(sql`min(created_at)`)} as oldest,
      ${age(sql`min(next_attempt_at)`)} as overdue
    from (select created_at, next_attempt_at from ${mail} where status = 'pending'
      order by next_attempt_at limit ${limit}) as emails
    union all
    select 'logouts', count(*)::int, ${age(sql`min(created_at)`)}, ${age(sql`min(next_attempt_at)`)}
    from (select created_at, next_attempt_at from ${logoutDeliveries}
      order by next_attempt_at limit ${limit}) as logouts
    union all
    select 'webhooks', count(*)::int, ${age(sql`min(created_at)`)},
      ${age(sql`(select min(due_at) from ${webhooks} where enabled
        and coalesce(paused_until <= now(), true) and coalesce(leased_until <= now(), true))`)}
    from (select created_at from ${deliveries} where status = 'pending' limit ${limit}) as deliveries
    union all
    select 'jobs', count(*)::int, ${age(sql`min(created_at)`)},
      ${age(sql`min(case when failures >= ${FAILING} then created_at else next_batch_at end)`)}
    from (select created_at, next_batch_at, failures from ${backgroundJobs} where finished_at is null
      limit ${limit}) as jobs`)
  return (found as unknown as { rows: Backlog[] }).rows
}
