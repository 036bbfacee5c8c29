/**
 * Runs the fills of this version in the background, once no process of an earlier version runs. Every
 * process tries; one at a time changes a batch, so the others continue when it is killed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../database/database.ts'
import { isBlocked } from '../database/faults.ts'
import { fillAll } from '../database/migrations/fill.ts'
import { readProgram } from '../database/migrations/program.ts'
import { readApplied } from '../database/migrations/queries.ts'
import { missingSteps } from '../database/migrations/steps.ts'
import type { Worker } from './queue.ts'

/** 5 s, in ms, plus or minus half of it at random so that processes do not run together. */
const INTERVAL = 5_000
/** The share of the time in which batches run; the rest is left to requests. */
const SHARE = 0.5

export function startFills({ db, log }: { db: Db; log: FastifyBaseLogger }): Pick<Worker, 'stop'> {
  const [program, ending] = [readProgram(), new AbortController()]
  const { signal } = ending
  const hasFills = program.migrations.some(({ kind }) => kind === 'fill')

  async function fill(): Promise<void> {
    const steps = missingSteps(program, await readApplied(db), false)
    for (const { migration, when } of steps) {
      if (when !== 'background') continue
      const result = await fillAll(db, migration, program, { share: SHARE, signal })
      if (result !== 'done') return
      log.info({ migration: migration.name }, 'changed all rows')
    }
  }

  async function loop(): Promise<void> {
    while (hasFills && !signal.aborted) {
      await pause(INTERVAL * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await fill().catch((error) => {
        if (!isBlocked(error)) log.warn({ err: error }, 'a fill failed; it is retried')
      })
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
