/**
 * A fill changes existing rows in batches, in the order of a key. Each batch is a transaction that also
 * stores the last key, so a fill continues where a killed process has stopped.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../database.ts'
import type { Migration, Program } from './program.ts'
import { advanceFill, fillNext, limitLocks, lockFill, recordApplied } from './queries.ts'

/** Rows of a batch: halved and doubled to stay near `TARGET`. */
const SIZE = { min: 50, first: 500, max: 5_000 }
/** In ms: how long a batch may lock its rows. */
const TARGET = 50
/** In ms: a batch gives up before PostgreSQL looks for a deadlock, which could end a request. */
const LIMITS = { lock: 200, statement: 2_000 }
/** In ms: between two attempts while another process fills. */
const BUSY = 200

export type Progress = 'filled' | 'done' | 'busy'

/** One batch of at most `size` rows. */
export function fillBatch(db: Db, migration: Migration, program: Program, size: number): Promise<Progress> {
  return db.transaction(async (tx) => {
    await limitLocks(tx, LIMITS)
    const row = await lockFill(tx, migration, program)
    if (!row) return 'busy'
    if (row.finishedAt) return 'done'
    const next = await fillNext(tx, migration, row.cursor, size)
    if (next) await advanceFill(tx, migration, next)
    else await recordApplied(tx, migration, program)
    return next ? 'filled' : 'done'
  })
}

/** The size of the next batch, after one that took `took` ms. */
const nextSize = (size: number, took: number): number => {
  if (took > TARGET) return Math.max(SIZE.min, Math.floor(size / 2))
  return took < TARGET / 2 ? Math.min(SIZE.max, size * 2) : size
}

/**
 * `share`: of the time in which a batch runs; the rest is left to requests. Ends early if `signal` aborts.
 */
export async function fillAll(
  db: Db,
  migration: Migration,
  program: Program,
  { share = 1, signal }: { share?: number; signal?: AbortSignal } = {},
): Promise<void> {
  for (let size = SIZE.first; !signal?.aborted; ) {
    const began = performance.now()
    const progress = await fillBatch(db, migration, program, size)
    if (progress === 'done') return
    const took = performance.now() - began
    if (progress === 'filled') size = nextSize(size, took)
    const rest = progress === 'busy' ? BUSY : took * (1 / share - 1)
    if (rest > 0) await pause(rest, undefined, { signal }).catch(() => {})
  }
}
