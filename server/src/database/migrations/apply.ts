/**
 * Applies migrations. Each is one transaction together with its row of `migrations`, so a migration that
 * fails leaves the schema as it was, for the version that is running. Those that do not block queries
 * (isOnline) run outside a transaction, and can be repeated.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError } from '../../config/config.ts'
import type { Db, MigrationMode as Mode } from '../database.ts'
import { isBlocked, rootCauseOf } from '../faults.ts'
import { fillAll } from './fill.ts'
import { GONE_AFTER, lockVersions, olderVersions } from './presence-queries.ts'
import type { Migration, Program } from './program.ts'
import { dropInvalidIndex, executeStatement, limitLocks, readApplied, recordApplied } from './queries.ts'
import { demandUsable, type MigrationStep, missingSteps } from './steps.ts'

/** In ms: how long a statement waits for a lock, and how long it may take, lock included. */
const LIMITS = { lock: 500, statement: 2_000 }
const UNLIMITED = { lock: 0, statement: 0 }
/** In ms. */
const RETRY = { for: 60_000, after: 500 }

export type MigrationTarget = {
  db: Db
  program: Program
  /** No other process can use the database. */
  isAlone: boolean
  /** Runs `work` while no other process migrates. */
  exclusively(work: () => Promise<void>): Promise<void>
  /** Called after each migration. */
  onApplied?: ((name: string) => void) | undefined
}

/** The steps that `mode` applies. Throws ConfigError if this version cannot use the database. */
export async function dueSteps(
  { db, program, isAlone }: MigrationTarget,
  mode: Mode,
): Promise<MigrationStep[]> {
  if (mode === 'off') return []
  const applied = await readApplied(db)
  demandUsable(program, applied)
  const steps = missingSteps(program, applied, isAlone)
  const due = mode === 'finish' ? steps : steps.filter(({ when }) => when === 'start')
  if (mode === 'check' && due.length > 0 && applied.length > 0)
    throw new ConfigError(
      `The database lacks ${due.map(({ migration }) => migration.name).join(', ')}. Run "tenantry migrate", ` +
        'or set MIGRATIONS=start.',
    )
  return due
}

export async function migrate(target: MigrationTarget, mode: Mode): Promise<void> {
  if ((await dueSteps(target, mode)).length === 0) return
  await target.exclusively(async () => {
    const due = await dueSteps(target, mode) // another process may have applied them meanwhile
    for (const { migration } of due) {
      await applyOne(target, migration)
      target.onApplied?.(migration.name)
    }
  })
}

/** Whether a failed attempt can have changed something: the next one continues where it has ended. */
const isPartial = ({ isOnline, kind }: Migration) => isOnline || kind === 'fill'

async function applyOne(target: MigrationTarget, migration: Migration): Promise<void> {
  let late = performance.now() + RETRY.for
  for (;;) {
    const began = performance.now()
    try {
      return await attempt(target, migration)
    } catch (error) {
      if (error instanceof ConfigError) throw error
      // Longer than a blocked statement waits: it was not blocked from the beginning.
      const hasAdvanced = isPartial(migration) && performance.now() - began > LIMITS.statement
      if (hasAdvanced) late = performance.now() + RETRY.for
      if (!isBlocked(error) || performance.now() > late) throw failed(migration, error)
      await pause(RETRY.after * (0.5 + Math.random()))
    }
  }
}

function failed(migration: Migration, error: unknown): ConfigError {
  const { name } = migration
  const state = isPartial(migration) ? 'It continues when it is repeated' : 'It has changed nothing'
  const hint = isBlocked(error) ? ', because another transaction was in the way for a minute' : ''
  return new ConfigError(
    `The migration ${name} failed${hint}: ${rootCauseOf(error)}. ${state}. Servers of the version before can run.`,
  )
}

/** Throws ConfigError while a process runs whose version does not know the migration. */
async function demandNoneOlder(db: Db, { number, name }: Migration): Promise<void> {
  const older = await olderVersions(db, number)
  if (older.length === 0) return
  const list = older.map(({ version, count }) => `${count} of version ${version}`).join(', ')
  throw new ConfigError(
    `The migration ${name} was not applied, because processes of earlier versions run: ${list}. ` +
      `Stop them, or wait for ${GONE_AFTER} seconds if they were killed, and repeat the command.`,
  )
}

async function attempt({ db, program, isAlone }: MigrationTarget, migration: Migration): Promise<void> {
  const { kind, isOnline, statements } = migration
  const endsEarlier = !isAlone && (kind === 'fill' || kind === 'contract')
  if (endsEarlier) await demandNoneOlder(db, migration)
  if (kind === 'fill') {
    while ((await fillAll(db, migration, program)) === 'older') await demandNoneOlder(db, migration)
    return
  }
  if (isOnline) {
    for (const statement of statements) {
      await dropInvalidIndex(db, statement)
      await executeStatement(db, statement)
    }
    return recordApplied(db, migration, program)
  }
  await db.transaction(async (tx) => {
    await limitLocks(tx, kind === 'init' ? UNLIMITED : LIMITS)
    if (endsEarlier) {
      await lockVersions(tx)
      await demandNoneOlder(tx, migration)
    }
    for (const statement of statements) await executeStatement(tx, statement)
    await recordApplied(tx, migration, program)
  })
}
