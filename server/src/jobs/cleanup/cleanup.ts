/**
 * Deletes expired rows in small batches, notes expired invitations, and rotates the signing keys. Every
 * process runs it at intervals; an advisory lock lets one process at a time delete.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { readDistributed } from '../../database/distributed.ts'
import { getTableName } from '../../database/drizzle.ts'
import { inTransaction } from '../../database/transaction.ts'
import { readPartitions } from '../../journal/audit/partitions/queries.ts'
import { numberEvents } from '../../journal/events/queries.ts'
import type { Worker } from '../queue.ts'
import { maintainPartitions } from './partitions.ts'
import { acquireCleanupLock, deleteEvents, deleteExpired, expiredRows } from './queries.ts'

/** Rows in one transaction, which takes about 20 ms. */
const BATCH = 500
/** Pause between two batches, in ms, so that other queries are not delayed. */
const PAUSE = 50
/**
 * 5 minutes, in ms: the interval, plus or minus half of it at random so that processes do not run together.
 */
const INTERVAL = 300_000

export type CleanupParts = {
  db: Db
  config: Config
  log: FastifyBaseLogger
  /** Removes and adds signing keys where due, and returns their `kid`s. */
  rotateKeys(): Promise<{ removed: string[]; added: string[] }>
  /** Notes that invitations have expired. */
  expireInvitations(signal: AbortSignal): Promise<void>
  /** Records for each system how many addresses of others it asked about in each hour that is over. */
  recordAskedAddresses(): Promise<void>
}

export function startCleanup(parts: CleanupParts): Pick<Worker, 'stop'> {
  const ending = new AbortController()
  const { signal } = ending

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      await runOnce(parts, signal)
      await unlessAborted(INTERVAL * (0.5 + Math.random()), signal)
    }
  }

  const looping = loop()
  return {
    async stop() {
      ending.abort()
      await looping
    },
  }
}

/** Never throws: the next run does what this one could not. */
async function runOnce(parts: CleanupParts, signal: AbortSignal): Promise<void> {
  const { db, config, rotateKeys, expireInvitations, recordAskedAddresses, log } = parts
  try {
    const { removed, added } = await rotateKeys()
    if (removed.length > 0) log.info({ removed }, 'removed signing keys')
    if (added.length > 0) log.info({ added }, 'published new signing keys')
    await expireInvitations(signal)
    await recordAskedAddresses()
    const { created, dropped } = await maintainPartitions(db, config.RETENTION_AUDIT_DAYS)
    if (created.length > 0) log.info({ created }, 'created partitions of the audit log')
    if (dropped.length > 0) log.info({ dropped }, 'dropped expired partitions of the audit log')
    const deleted = await deleteAll(parts, signal)
    if (Object.keys(deleted).length > 0) log.info({ deleted }, 'deleted expired rows')
  } catch (error) {
    log.warn({ err: error }, 'cleanup failed; it is retried at the next run')
  }
}

/**
 * Deletes all expired rows, unless `signal` aborts or another process has the lock. Returns the count by
 * table.
 */
export async function deleteAll(
  { db, config }: Pick<CleanupParts, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  const days = config.RETENTION_EVENTS_DAYS
  const partitions = await readPartitions(db)
  const distributed = await readDistributed(db)
  const tasks = expiredRows(config, partitions?.others).map((rows) => {
    const name = getTableName(rows.table)
    const how = { limit: BATCH, isDistributed: distributed.has(name) }
    return { name, batch: (tx: Db) => deleteExpired(tx, rows, how) }
  })
  if (days > 0) tasks.push({ name: 'events', batch: (tx) => deleteEvents(tx, days, BATCH) })
  for (const { name, batch } of tasks) {
    for (let full = true; full && !signal.aborted; ) {
      if (name === 'events') await numberEvents(db) // without readers of the log nothing else numbers them
      const done = await inTransaction(db, async (tx) =>
        (await acquireCleanupLock(tx)) ? batch(tx) : undefined,
      )
      if (!done) return deleted
      if (done.deleted > 0) deleted[name] = (deleted[name] ?? 0) + done.deleted
      full = done.found === BATCH
      if (full) await unlessAborted(PAUSE, signal)
    }
  }
  return deleted
}

/** Resolves after `ms`, or when the signal aborts. */
const unlessAborted = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {})
