/** Slows guessing: an attempt under a limit is counted before its result is known. */
import PQueue from 'p-queue'
import { inTurn } from '../../crypto/gate.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { forget, giveBack, reserve, secondsToWait } from './queries.ts'
import type { Limit } from './rules.ts'

const tooMany = (seconds: number) => new Failure('too_many_requests', { retryAfter: Math.max(1, seconds) })

/** `wait`: seconds until the next attempt is allowed. */
export type Outcome = { right: boolean; wait: number }

/**
 * Checks one attempt under its limits. Throws `too_many_requests` if a limit is reached; the attempt is then
 * neither checked nor counted, so repeated requests do not prolong the wait. An attempt that could not be
 * checked is not counted.
 */
export async function guarded(
  db: Db,
  given: readonly Limit[],
  check: () => Promise<boolean>,
): Promise<Outcome> {
  if (given.length === 0) return { right: await check(), wait: 0 }
  // Locked in the same order by all, to prevent deadlocks.
  const limits = given.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const reserved = limits.filter(({ rule }) => rule.counts === 'attempts')
  await reserveAll(db, limits, reserved)
  let right: boolean
  try {
    right = await check()
  } catch (error) {
    for (const limit of reserved) await giveBack(db, limit).catch(() => {}) // the first error is thrown
    throw error
  }
  if (!right) {
    // Without effect if the limit is reached.
    for (const limit of limits) if (limit.rule.counts === 'failures') await reserve(db, limit)
    return { right, wait: await secondsToWait(db, limits) }
  }
  const past = limits.filter(({ rule }) => rule.onSuccess === 'forget')
  if (past.length > 0) await forget(db, past)
  for (const limit of limits) if (limit.rule.onSuccess === 'giveBack') await giveBack(db, limit)
  return { right, wait: 0 }
}

/** Counts the attempt under all of `reserved`, or under none and throws if one of `limits` is reached. */
async function reserveAll(db: Db, limits: readonly Limit[], reserved: readonly Limit[]): Promise<void> {
  const [only] = reserved
  if (only && limits.length === 1) {
    if (await reserve(db, only)) return
    throw tooMany(await secondsToWait(db, limits))
  }
  const seconds = await secondsToWait(db, limits)
  if (seconds > 0) throw tooMany(seconds)
  if (reserved.length === 0) return
  await inTransaction(db, async (tx) => {
    for (const limit of reserved)
      if (!(await reserve(tx, limit))) throw tooMany(await secondsToWait(tx, limits))
  })
}

const queues = new Map<string, PQueue>()

/**
 * Runs the work of one key in sequence, within this process: correct attempts made at the same time do not
 * count as guesses. Throws `unavailable` if the wait is too long.
 */
export async function inSequence<T>(key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? new PQueue({ concurrency: 1 })
  queues.set(key, queue)
  try {
    return await inTurn(queue, work)
  } finally {
    if (queue.pending + queue.size === 0) queues.delete(key)
  }
}
