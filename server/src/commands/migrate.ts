/** `migrate`: applies the migrations that are missing; a server also does so when it starts. */
import type { Config } from '../config/config.ts'
import { type Planned, planMigrations } from '../database/migrations/plan.ts'
import { hasDatabase, openDatabase } from '../start.ts'
import type { CommandOutcome, Options } from './command.ts'

export async function runMigrate(settings: () => Config, options: Options): Promise<CommandOutcome> {
  const config = settings()
  const finishes = options.finish === true
  if (options.plan) return planned(await missingIn(config), finishes)
  const applied: string[] = []
  const mode = finishes ? 'finish' : 'start'
  const { close } = await openDatabase(config, {
    migrations: mode,
    onApplied: (name) => applied.push(name),
  })
  await close()
  const lines = applied.length > 0 ? applied.map((name) => `Applied: ${name}`) : ['No migration is missing.']
  return { code: 0, lines, data: { applied } }
}

async function missingIn(config: Config): Promise<Planned[]> {
  const isAlone = config.DATABASE_URL === undefined
  if (!hasDatabase(config)) return (await planMigrations(undefined, isAlone)).steps
  const { database, close } = await openDatabase(config, { migrations: 'off' })
  return planMigrations(database.db, isAlone)
    .then(({ steps }) => steps)
    .finally(close)
}

const TIMES = {
  start: 'now: "tenantry migrate", or the start of a server',
  background: 'later: servers, while they run',
  finish: 'later: "tenantry migrate --finish"',
}

/** 2: the command without `--plan` would apply something. */
function planned(missing: Planned[], finishes: boolean): CommandOutcome {
  const due = finishes ? missing : missing.filter(({ when }) => when === 'start')
  const lines = missing.map(({ name, when, effect }) => `${name}\n  ${effect}\n  ${TIMES[when]}`)
  const data = { missing: missing.map((step) => ({ ...step, isDue: due.includes(step) })) }
  return {
    code: due.length > 0 ? 2 : 0,
    lines: lines.length > 0 ? lines : ['No migration is missing.'],
    data,
  }
}
