/**
 * Writes what the process has counted, every ten seconds and when it stops; and once a day, in one process at
 * a time, the numbers of active users and the sums of old hours.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { giveBackCollected, startCollecting, takeCollected } from './count.ts'
import {
  acquireStatsLock,
  addActivity,
  addCounters,
  beginDay,
  deleteDays,
  storeActiveUsers,
  sumHours,
} from './queries.ts'

/** 10 s, in ms. */
const INTERVAL = 10_000
/** 10 minutes, in ms: between two looks for a day that has ended. */
const NIGHTLY = 600_000

type StatsParts = {
  db: Db
  config: Pick<Config, 'RETENTION_STATS_HOURS_DAYS' | 'RETENTION_STATS_DAYS'>
  log: FastifyBaseLogger
}

/** Writes what was collected; what could not be written is kept for the next call. */
export async function flush(db: Db): Promise<void> {
  const { counted, active } = takeCollected()
  try {
    await addCounters(db, counted)
  } catch (error) {
    giveBackCollected({ counted, active })
    throw error
  }
  try {
    await addActivity(db, active)
  } catch (error) {
    giveBackCollected({ counted: [], active })
    throw error
  }
}

/** Once a day, in one process. */
export const runNightly = ({ db, config }: Pick<StatsParts, 'db' | 'config'>): Promise<void> =>
  inTransaction(db, async (tx) => {
    if (!(await acquireStatsLock(tx)) || !(await beginDay(tx))) return
    await storeActiveUsers(tx)
    await sumHours(tx, config.RETENTION_STATS_HOURS_DAYS)
    await deleteDays(tx, config.RETENTION_STATS_DAYS)
  })

export function startStats(parts: StatsParts): { stop(): Promise<void> } {
  const { db, log } = parts
  const ending = new AbortController()
  const { signal } = ending
  const stopCollecting = startCollecting()
  const safely = (work: Promise<void>, what: string) =>
    work.catch((error: unknown) => log.warn({ err: error }, `${what}; it is tried again`))

  async function loop(): Promise<void> {
    let nightlyAt = performance.now() + NIGHTLY * Math.random()
    while (!signal.aborted) {
      await pause(INTERVAL, undefined, { signal }).catch(() => {})
      await safely(flush(db), 'cannot write statistics')
      if (signal.aborted || performance.now() < nightlyAt) continue
      nightlyAt = performance.now() + NIGHTLY
      await safely(runNightly(parts), 'cannot sum up statistics')
    }
  }

  const looping = loop()
  return {
    async stop() {
      ending.abort()
      await looping
      stopCollecting()
    },
  }
}
