/**
 * Executes background jobs: work that is too long for one transaction. The request has made the change
 * effective and inserted the job; here a worker of any process does the rest in batches. A batch and the
 * progress of its job are one transaction, so that after a `kill -9` another process continues where the last
 * committed batch ended, and nothing is done twice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../database/database.ts'
import { rootCauseOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { startWorker, type Worker } from '../queue.ts'
import {
  claimJobs,
  type Job,
  type JobKind,
  type LeasedJob,
  lockJob,
  type Progress,
  postponeJob,
  releaseJob,
  storeProgress,
} from './queries.ts'

/** Jobs of one process at the same time: one, so that requests keep most of the database. */
const CONCURRENCY = 1
/** Between two batches, in ms: the embedded database executes the waiting statements of requests. */
const PAUSE = 50
/** 2 s, in ms: then the next job has its turn. */
const ROUND_MAX = 2_000

/** Does one batch of a job, in its transaction. */
export type JobStep = (tx: Db, job: Job) => Promise<Progress>

type Parts = { db: Db; log: FastifyBaseLogger; steps: Record<JobKind, JobStep> }

export function startJobWorker(parts: Parts): Worker {
  const { db, log } = parts
  const stopping = new AbortController()
  const worker = startWorker<LeasedJob>({
    name: 'background job',
    concurrency: CONCURRENCY,
    claim: (limit) => claimJobs(db, limit),
    run: (claimed) => serve(parts, claimed, stopping.signal),
    log,
  })
  return {
    wake: () => worker.wake(),
    stop() {
      stopping.abort()
      return worker.stop()
    },
  }
}

/** Does batches until the round is over, the job waits, or the process stops. Never throws. */
async function serve(parts: Parts, claimed: LeasedJob, stopping: AbortSignal): Promise<void> {
  const { db, log } = parts
  const about = { job: claimed.id, kind: claimed.kind }
  const until = performance.now() + ROUND_MAX
  try {
    for (;;) {
      const progress = await doBatch(parts, claimed)
      if (!progress) return // another process has leased it since
      if (progress.wait === undefined) return log.info(about, 'background job finished')
      if (progress.wait > 0 || stopping.aborted || performance.now() > until) break
      await pause(PAUSE)
    }
    await releaseJob(db, claimed)
  } catch (error) {
    log.warn({ ...about, err: error }, 'a batch of a background job failed; it is repeated')
    await postponeJob(db, claimed, rootCauseOf(error)).catch(() => {}) // then it continues after the lease
  }
}

const doBatch = ({ db, steps }: Parts, claimed: LeasedJob): Promise<Progress | undefined> =>
  inTransaction(db, async (tx) => {
    const job = await lockJob(tx, claimed)
    if (!job) return undefined
    const progress = await steps[claimed.kind](tx, job)
    await storeProgress(tx, job.id, progress)
    return progress
  })
