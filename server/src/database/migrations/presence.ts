/**
 * The processes that use a database, with their versions. A process registers before it serves, and is
 * refused if the database was changed so that its version cannot use it. A migration that removes something
 * is refused while a process runs that does not know this migration.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { ConfigError } from '../../config/config.ts'
import type { Db } from '../database.ts'
import { deleteProcess, insertProcess, renewProcess, shareVersionsLock } from './presence-queries.ts'
import { type Program, readProgram } from './program.ts'
import { readApplied, restartFills } from './queries.ts'
import { demandUsable } from './steps.ts'

/** 10 s, in ms. */
const RENEWED = 10_000

type Presence = { stop(): Promise<void> }

/** Fills that this version does not know start again: it writes rows that they have to change. */
async function register(db: Db, id: string, program: Program): Promise<void> {
  const { version, migrations } = program
  await db.transaction(async (tx) => {
    await shareVersionsLock(tx)
    demandUsable(program, await readApplied(tx))
    const newest = migrations.at(-1)!.number
    await insertProcess(tx, { id, version, newest })
    await restartFills(tx, newest)
  })
}

type Parts = {
  db: Db
  log: FastifyBaseLogger
  /** The process was not seen for a time, in which the database was changed: it has to end. */
  onRefused(): void
}

/** Registers the process until `stop`. Throws ConfigError if its version cannot use the database. */
export async function startPresence({ db, log, onRefused }: Parts): Promise<Presence> {
  const [id, program, ending] = [crypto.randomUUID(), readProgram(), new AbortController()]
  const { signal } = ending
  await register(db, id, program)

  async function loop(): Promise<void> {
    for (;;) {
      await pause(RENEWED, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        if (!(await renewProcess(db, id))) await register(db, id, program)
      } catch (error) {
        if (!(error instanceof ConfigError)) continue // the database is not available
        log.error(error.message)
        onRefused()
        return
      }
    }
  }

  const looping = loop()
  return {
    async stop() {
      ending.abort()
      await looping
      await deleteProcess(db, id).catch(() => {}) // it counts as gone after a time
    },
  }
}
