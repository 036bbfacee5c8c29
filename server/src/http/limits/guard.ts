/** Guessing, made slow: whatever is checked under a limit is checked here, and counted before anybody knows the answer. */
import PQueue from 'p-queue'
import { inTurn } from '../../crypto/gate.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { forget, giveBack, reserve, secondsToWait } from './queries.ts'
import type { Limit } from './rules.ts'

const tooMany = (seconds: number) => new Failure('too_many_requests', { retryAfter: Math.max(1, seconds) })

/** Whether it was right, and if not for how many seconds the next attempt has to wait. */
export type Outcome = { right: boolean; wait: number }

/**
 * Judges one attempt under its limits. Throws `too_many_requests` when one is reached: then nothing is judged and nothing
 * counted, so hammering prolongs no wait. An attempt that could not be judged is given back.
 */
export async function guarded(
  db: Db,
  given: readonly Limit[],
  check: () => Promise<boolean>,
): Promise<Outcome> {
  if (given.length === 0) return { right: await check(), wait: 0 }
  // By one order for all, so that no two wait for each other.
  const asked = given.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const seconds = await secondsToWait(db, asked)
  if (seconds > 0) throw tooMany(seconds)
  const reserved = asked.filter(({ rule }) => rule.counts === 'attempts')
  await inTransaction(db, async (tx) => {
    for (const limit of reserved)
      if (!(await reserve(tx, limit))) throw tooMany(await secondsToWait(tx, asked))
  })
  let right: boolean
  try {
    right = await check()
  } catch (error) {
    for (const limit of reserved) await giveBack(db, limit).catch(() => {}) // `error` says what is wrong
    throw error
  }
  if (!right) {
    for (const limit of asked) if (limit.rule.counts === 'failures') await reserve(db, limit) // a limit that is reached stays so
    return { right, wait: await secondsToWait(db, asked) }
  }
  const past = asked.filter(({ rule }) => rule.onSuccess === 'forget')
  if (past.length > 0) await forget(db, past)
  for (const limit of asked) if (limit.rule.onSuccess === 'giveBack') await giveBack(db, limit)
  return { right, wait: 0 }
}

const queues = new Map<string, PQueue>()

/**
 * Runs the work of one key in sequence, within this process: correct attempts made at the same time do not count as
 * guesses. Throws `unavailable` if the wait is too long.
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
