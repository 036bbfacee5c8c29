/** What is missing in a database, for the commands `migrate --plan` and `check`. */
import type { Db } from '../database.ts'
import { type Kind, ownProgram, readProgram } from './program.ts'
import { readApplied } from './queries.ts'
import { demandUsable, type MigrationStep, missingSteps } from './steps.ts'

export type Planned = { name: string; kind: Kind; when: MigrationStep['when']; effect: string }

/**
 * The missing migrations in their order; `isNew`: none was applied. Without `db`: those of a new database.
 * Changes nothing. Throws ConfigError if this version cannot use the database.
 */
export async function planMigrations(
  db: Db | undefined,
  isAlone: boolean,
): Promise<{ isNew: boolean; steps: Planned[] }> {
  const program = readProgram()
  const applied = db ? await readApplied(db) : []
  demandUsable(program, applied)
  return { isNew: applied.length === 0, steps: planned(missingSteps(program, applied, isAlone)) }
}

const planned = (steps: MigrationStep[]): Planned[] =>
  steps.map(({ migration: { name, kind, effect }, when }) => ({ name, kind, when, effect }))

/** The missing migrations of the database that the process uses. */
export async function listMissing(db: Db, isAlone: boolean): Promise<Planned[]> {
  return planned(missingSteps(ownProgram(), await readApplied(db), isAlone))
}
