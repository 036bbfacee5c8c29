/**
 * What is over goes, a little at a time, and signing keys are followed by new ones. Every process looks now and then;
 * one at a time deletes (takeTurn).
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { deleteRemovedKeys, rotateKeys } from '../../oidc/provider/signing-keys.ts'
import { numberEvents } from '../../resources/events/queries.ts'
import { getTableName } from '../../tuning/drizzle.ts'
import type { Worker } from '../queue.ts'
import { deleteEvents, deleteOverdue, overdue, takeTurn } from './queries.ts'

/** Rows in one transaction: some 20 ms. */
const BATCH = 500
/** Between two batches, in ms: most of the time the database is everybody else's. */
const REST = 50
/** 5 minutes, in ms, between two looks of a process, give or take a half: they don't all look at once. */
const EVERY = 300_000

type Parts = { db: Db; seal: Seal; config: Config; log: FastifyBaseLogger }

export function startRetention(parts: Parts): Pick<Worker, 'stop'> {
  const ending = new AbortController()
  const { signal } = ending

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await look(parts, signal)
      await rest(EVERY * (0.5 + Math.random()), signal)
    }
  }

  const running = run()
  return {
    async stop() {
      ending.abort()
      await running
    },
  }
}

/** Never throws: what was not done now is done the next time. */
async function look(parts: Parts, signal: AbortSignal): Promise<void> {
  const { db, seal, config, log } = parts
  try {
    const removed = await deleteRemovedKeys(db)
    if (removed.length > 0) log.info({ removed }, 'signing keys removed')
    const days = config.KEY_ROTATION_DAYS
    const added = days > 0 ? await rotateKeys(db, seal, config, days) : []
    if (added.length > 0) log.info({ added }, 'new signing keys are published')
    const deleted = await deleteAll(parts, signal)
    if (Object.keys(deleted).length > 0) log.info({ deleted }, 'what was over is deleted')
  } catch (error) {
    log.warn({ err: error }, 'what is over could not be deleted; it is tried again')
  }
}

/** Deletes all that is over, or what it comes to before it is stopped or another process is at it. Answers how much, by table. */
export async function deleteAll(
  { db, config }: Pick<Parts, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  const days = config.RETENTION_EVENTS_DAYS
  const tasks = overdue(config).map((rows) => ({
    name: getTableName(rows.table),
    batch: (tx: Db) => deleteOverdue(tx, rows, BATCH),
  }))
  if (days > 0) tasks.push({ name: 'events', batch: (tx) => deleteEvents(tx, days, BATCH) })
  for (const { name, batch } of tasks) {
    for (let full = true; full && !signal.aborted; ) {
      if (name === 'events') await numberEvents(db) // where nobody reads the log, nobody else does
      const done = await inTransaction(db, async (tx) => ((await takeTurn(tx)) ? batch(tx) : undefined))
      if (!done) return deleted
      if (done.deleted > 0) deleted[name] = (deleted[name] ?? 0) + done.deleted
      full = done.found === BATCH
      if (full) await rest(REST, signal)
    }
  }
  return deleted
}

/** Resolves after `ms`, or when the signal says so. */
const rest = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {})
