/** Locks that a test holds on PostgreSQL: PGlite has one connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/database/database.ts'
import { type SQL, sql } from '../../src/database/drizzle.ts'

export const ON_POSTGRES = { skip: process.env.DATABASE_URL === undefined }

/**
 * Runs `work` while a row or a table is locked. `waiting` resolves when that many statements wait for
 * one. Advisory locks do not count: background jobs of the servers in this process wait for each other.
 */
export function withLock<T>(
  db: Db,
  lock: SQL,
  work: (waiting: (count: number) => Promise<void>) => Promise<T>,
) {
  const blocked = sql`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and wait_event <> 'advisory'`
  return db.transaction(async (tx) => {
    await tx.execute(lock)
    return work(async (count) => {
      for (let tries = 0; tries < 6_000; tries++) {
        const { rows } = (await db.execute(blocked)) as unknown as { rows: { count: number }[] }
        if (rows[0]!.count >= count) return
        await sleep(10)
      }
      throw new Error('no statement waits')
    })
  })
}
