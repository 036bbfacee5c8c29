/** `check`: whether a server would start with these settings. It changes nothing. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import { withoutPassword } from '../config/postgres-url.ts'
import { warningsOf } from '../config/warnings.ts'
import { keyFileOf } from '../data-dir.ts'
import type { Db } from '../database/database.ts'
import { planMigrations } from '../database/migrations/plan.ts'
import { checkSmtp } from '../jobs/email/transport.ts'
import { loadSigningKeys } from '../oidc/keys/signing-keys.ts'
import { findSeal } from '../platform.ts'
import { hasDatabase, openDatabase } from '../start.ts'
import type { CommandOutcome } from './command.ts'

type Check = { name: string; state: 'ok' | 'warning' | 'fault'; detail: string }

const passed = (name: string, detail: string): Check => ({ name, state: 'ok', detail })
const failed = (name: string, { message }: Error): Check => ({
  name,
  state: 'fault',
  detail: message,
})

const warning = (detail: string): Check => ({ name: 'settings', state: 'warning', detail })

const MARKS = { ok: 'ok   ', warning: 'WARN ', fault: 'FAULT' }

export async function check(settings: () => Config): Promise<CommandOutcome> {
  const checks = await checksOf(settings)
  const isOk = checks.every(({ state }) => state !== 'fault')
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, state, detail }) => `  ${MARKS[state]}  ${name.padEnd(width)}  ${detail}`)
  const data = {
    ok: isOk,
    checks: checks.map(({ name, state, detail }) => ({ name, ok: state !== 'fault', state, detail })),
  }
  return { code: isOk ? 0 : 1, lines, data }
}

async function checksOf(settings: () => Config): Promise<Check[]> {
  let config: Config
  try {
    config = settings()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').map((message) => failed('settings', new Error(message)))
  }
  const rest = await Promise.all([databaseChecks(config), mailCheck(config)])
  return [
    passed('settings', `the issuer is ${config.BASE_URL}`),
    ...warningsOf(config).map(warning),
    ...rest.flat(),
  ]
}

async function databaseChecks(config: Config): Promise<Check[]> {
  if (!hasDatabase(config)) return [newFolderCheck(config)]
  try {
    const { database, folder, close } = await openDatabase(config, { migrations: 'off' })
    const place = config.DATABASE_URL ? withoutPassword(config.DATABASE_URL) : `embedded, in ${folder}`
    return await checksIn(database.db, config, place).finally(close)
  } catch (error) {
    return [failed('database', error as Error)]
  }
}

/** The nearest folder that exists must be writable. */
function newFolderCheck({ DATA_DIR }: Config): Check {
  const folder = resolve(DATA_DIR)
  const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))
  try {
    accessSync(nearest(folder), constants.W_OK | constants.X_OK)
    return passed('database', `embedded; the first start creates it in ${folder}`)
  } catch (error) {
    return failed('database', new Error(`DATA_DIR is not writable: ${(error as Error).message}`))
  }
}

async function checksIn(db: Db, config: Config, place: string): Promise<Check[]> {
  const { isNew, steps } = await planMigrations(db, config.DATABASE_URL === undefined)
  if (isNew) return [passed('database', `${place}; empty, the first start creates the tables`)]
  const names = steps.map(({ name }) => name).join(', ')
  const state = names ? `missing migrations: ${names}` : 'no migration is missing'
  return [passed('database', `${place}; ${state}`), ...(await keyChecks(db, config))]
}

async function keyChecks(db: Db, config: Config): Promise<Check[]> {
  const secretKey = config.SECRET_KEY ?? keyFileOf(config.DATA_DIR)
  if (secretKey === undefined)
    return [failed('keys', new Error('SECRET_KEY is not set, and DATA_DIR has none'))]
  try {
    const seal = await findSeal(db, { secretKey, previous: config.SECRET_KEY_PREVIOUS })
    if (!seal) return [passed('keys', 'the first start creates them')]
    const keys = await loadSigningKeys(db, seal)
    return [passed('keys', `SECRET_KEY is that of the database; it decrypts all ${keys.length} signing keys`)]
  } catch (error) {
    return [failed('keys', error as Error)]
  }
}

async function mailCheck({ MAIL_URL, DATA_DIR }: Config): Promise<Check> {
  if (!MAIL_URL) return passed('mail', `files in ${join(DATA_DIR, 'outbox')}`)
  const { host } = new URL(MAIL_URL)
  try {
    await checkSmtp(MAIL_URL)
    return passed('mail', `${host} accepts the connection`)
  } catch (error) {
    return failed('mail', new Error(`MAIL_URL: cannot use ${host}: ${(error as Error).message}`))
  }
}
