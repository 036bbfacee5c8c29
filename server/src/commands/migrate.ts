/** `migrate`: applies the migrations that are missing; a server also does so when it starts. */
import type { Config } from '../config.ts'
import { plan } from '../database/migrate.ts'
import { hasDatabase, openDatabase } from '../start.ts'
import type { Options, Outcome } from './command.ts'

export async function migrate(settings: () => Config, options: Options): Promise<Outcome> {
  const config = settings()
  const missing = await missingIn(config)
  if (options.plan) return planned(missing)
  if (missing.length > 0) await openDatabase(config, { migrates: true }).then(({ close }) => close())
  const lines = missing.length > 0 ? missing.map((name) => `Applied: ${name}`) : ['No migration is missing.']
  return { code: 0, lines, data: { applied: missing } }
}

async function missingIn(config: Config): Promise<string[]> {
  if (!hasDatabase(config)) return (await plan(undefined)).missing
  const { database, close } = await openDatabase(config, { migrates: false })
  return plan(database.db)
    .then(({ missing }) => missing)
    .finally(close)
}

function planned(missing: string[]): Outcome {
  const isDone = missing.length === 0
  const lines = isDone ? ['No migration is missing.'] : missing.map((name) => `Missing: ${name}`)
  return { code: isDone ? 0 : 2, lines, data: { missing } }
}
