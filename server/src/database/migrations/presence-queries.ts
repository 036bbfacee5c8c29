import type { Db } from '../database.ts'
import { and, asc, eq, lt, sql } from '../drizzle.ts'
import { processes } from '../schema.ts'

/**
 * The key of an advisory lock: any fixed number. A process that registers has it shared; a migration that
 * depends on which processes run has it exclusively.
 */
const VERSIONS_LOCK = 7_236_111

/** In seconds: a process that was not seen for this time does not run. It renews its row every 10 seconds. */
export const GONE_AFTER = 30

const isGone = sql`${processes.seenAt} < now() - make_interval(secs => ${GONE_AFTER})`

type Process = typeof processes.$inferSelect

/** Prevents registrations until the transaction ends. Waits for processes that are being registered. */
export async function lockVersions(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${VERSIONS_LOCK}::bigint)`)
}

/** Takes the same lock, but returns false instead of waiting. */
export async function tryLockVersions(tx: Db): Promise<boolean> {
  const { rows } = (await tx.execute(
    sql`select pg_try_advisory_xact_lock(${VERSIONS_LOCK}::bigint) as locked`,
  )) as unknown as { rows: { locked: boolean }[] }
  return rows[0]!.locked
}

/** The shared lock. Waits until no migration depends on the processes that are registered. */
export async function shareVersionsLock(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${VERSIONS_LOCK}::bigint)`)
}

/** Processes that run, those that have started first in front. */
export const listProcesses = (db: Db): Promise<Process[]> =>
  db.select().from(processes).where(sql`not (${isGone})`).orderBy(asc(processes.startedAt), asc(processes.id))

/** The versions of processes that run and do not know a migration, each with their number. */
export async function olderVersions(db: Db, number: number): Promise<{ version: string; count: number }[]> {
  return db
    .select({ version: processes.version, count: sql<number>`count(*)::int` })
    .from(processes)
    .where(and(lt(processes.newest, number), sql`not (${isGone})`))
    .groupBy(processes.version)
    .orderBy(asc(processes.version))
}

/** Adds a process, and deletes the rows of those that do not run. */
export async function insertProcess(tx: Db, row: Pick<Process, 'id' | 'version' | 'newest'>): Promise<void> {
  await tx.delete(processes).where(isGone)
  await tx.insert(processes).values(row).onConflictDoNothing()
}

/** False if the process was not seen for so long that migrations were applied without it. */
export async function renewProcess(db: Db, id: string): Promise<boolean> {
  const renewed = await db
    .update(processes)
    .set({ seenAt: sql`now()` })
    .where(and(eq(processes.id, id), sql`not (${isGone})`))
    .returning({ id: processes.id })
  return renewed.length > 0
}

export async function deleteProcess(db: Db, id: string): Promise<void> {
  await db.delete(processes).where(eq(processes.id, id))
}
