/**
 * A fill changes existing rows in batches, in the order of a key. Each batch is a transaction that also
 * stores the last key, so a fill continues where a killed process has stopped.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../database.ts'
import { olderVersions, tryLockVersions } from './presence-queries.ts'
import type { Migration, Program } from './program.ts'
import { advanceFill, fillNext, limitLocks, recordApplied, startFill } from './queries.ts'

/** Rows of a batch: halved and doubled to stay near `TARGET`. */
const SIZE = { min: 50, first: 500, max: 5_000 }
/** In ms: how long a batch may lock its rows. */
const TARGET = 50
/** In ms: a batch gives up before PostgreSQL looks for a deadlock, which could end a request. */
const LIMITS = { lock: 200, statement: 2_000 }
/** In ms: between two attempts while another process fills. */
const BUSY = 200

/** `older`: a process runs that does not know the fill, and writes rows that it has to change. */
type Progress = 'filled' | 'done' | 'busy' | 'older'

/** One batch of at most `size` rows. */
function fillBatch(db: Db, migration: Migration, program: Program, size: number): Promise<Progress> {
  return db.transaction(async (tx) => {
    await limitLocks(tx, LIMITS)
    if (!(await tryLockVersions(tx))) return 'busy'
    if ((await olderVersions(tx, migration.number)).length > 0) return 'older'
    const row = await startFill(tx, migration, program)
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
 * Changes all rows, unless `signal` aborts or an older version runs. `share`: of the time in which a batch
 * runs; the rest is left to requests.
 */
export async function fillAll(
  db: Db,
  migration: Migration,
  program: Program,
  { share = 1, signal }: { share?: number; signal?: AbortSignal } = {},
): Promise<'done' | 'older' | 'aborted'> {
  for (let size = SIZE.first; !signal?.aborted; ) {
    const began = performance.now()
    const progress = await fillBatch(db, migration, program, size)
    if (progress === 'done' || progress === 'older') return progress
    const took = performance.now() - began
    if (progress === 'filled') size = nextSize(size, took)
    const rest = progress === 'busy' ? BUSY : took * (1 / share - 1)
    if (rest > 0) await pause(rest, undefined, { signal }).catch(() => {})
  }
  return 'aborted'
}
