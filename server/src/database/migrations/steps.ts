/** Which migrations a database needs, and when they are applied. Reads and changes nothing. */
import { ConfigError } from '../../config/config.ts'
import { MIGRATION_KINDS, type Migration, type Program } from './program.ts'
import type { Applied } from './queries.ts'

/**
 * `start`: before a process of this version serves. `background`: by these processes, while they serve.
 * `finish`: by `tenantry migrate --finish`, or before the next release starts.
 */
export type MigrationStep = { migration: Migration; when: 'start' | 'background' | 'finish' }

/** Releases before the one that has added the migration. */
const releaseOf = ({ releases }: Program, { number }: Migration) =>
  releases.filter((newest) => newest < number).length

function whenOf(program: Program, migration: Migration): MigrationStep['when'] {
  const isOwn = releaseOf(program, migration) === program.releases.length
  if (!isOwn || migration.kind === 'init' || migration.kind === 'expand') return 'start'
  return migration.kind === 'fill' ? 'background' : 'finish'
}

/**
 * The migrations that the database does not have, in the order in which they are applied: by release, within
 * a release by kind. A new database gets all of them at once, and one that no other process can use
 * (`isAlone`) too.
 */
export function missingSteps(program: Program, applied: Applied[], isAlone: boolean): MigrationStep[] {
  const finished = new Set(applied.filter(({ finishedAt }) => finishedAt).map(({ number }) => number))
  const missing = program.migrations.filter(({ number }) => !finished.has(number))
  if (applied.length === 0) return missing.map((migration) => ({ migration, when: 'start' }))
  const orderOf = (migration: Migration) => [
    releaseOf(program, migration),
    MIGRATION_KINDS.indexOf(migration.kind),
    migration.number,
  ]
  const before = (one: number[], other: number[]) => {
    const at = one.findIndex((value, index) => value !== other[index])
    return one[at]! - other[at]!
  }
  return missing
    .sort((one, other) => before(orderOf(one), orderOf(other)))
    .map((migration) => ({ migration, when: isAlone ? 'start' : whenOf(program, migration) }))
}

/** Throws ConfigError if this version cannot use the database. */
export function demandUsable({ version, migrations }: Program, applied: Applied[]): void {
  const known = new Map(migrations.map((migration) => [migration.number, migration]))
  for (const { number, name, kind, hash, version: by } of applied) {
    const own = known.get(number)
    if (!own && kind === 'contract')
      throw new ConfigError(
        `The database was upgraded by Tenantry ${by}, and version ${version} can no longer use it (${name}). ` +
          `Start version ${by} or newer, or restore a backup of before the upgrade.`,
      )
    if (own && own.hash !== hash)
      throw new ConfigError(
        `The database has another ${name} than version ${version}: it was applied by ${by}, which is another ` +
          'build. Start that build, or use another database.',
      )
  }
}
