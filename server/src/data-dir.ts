/**
 * The data folder: the embedded database, the generated secret key, and the email outbox. It is locked by one
 * process: two processes on one embedded database silently lose rows.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from './config/config.ts'
import { randomToken } from './crypto/seal.ts'

/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5

/**
 * Creates the folder if it does not exist. Returns its absolute path. Throws ConfigError if it is not
 * writable.
 */
export function openDataDir(given: string): string {
  const folder = resolve(given)
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a writable folder: ${(error as Error).message}.`)
  }
  return folder
}

/** Instead of `recursive: true`, which never returns on a file system without folders (/proc). */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * Locks the folder until `release`. Throws ConfigError if another process has the lock. It is a file lock of
 * the operating system, which Node offers only through SQLite: it is atomic, ends with the process, and works
 * between containers that share the folder. A file that contains a process id does none of these.
 */
export function lockDataDir(folder: string): { release(): void } {
  try {
    const lock = new DatabaseSync(join(folder, 'lock'))
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== BUSY)
      throw new ConfigError(`DATA_DIR: cannot lock ${folder}: ${(error as Error).message}.`)
    throw new ConfigError(
      `DATA_DIR ${folder} is in use by another process. The embedded database supports one process. ` +
        'Set DATABASE_URL to share a PostgreSQL database.',
    )
  }
}

/** The SECRET_KEY of the folder, if there is one. */
export function keyFileOf(folder: string): string | undefined {
  const file = join(folder, 'secret-key')
  try {
    const key = readFileSync(file, 'utf8').trim()
    if (key.length < 32)
      throw new ConfigError(`${file} is damaged: it has fewer than 32 characters. Restore it from a backup.`)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** The SECRET_KEY of the folder, generated if there is none. Requires the lock of the folder. */
export function secretKeyOf(folder: string): string {
  const known = keyFileOf(folder)
  if (known !== undefined) return known
  const file = join(folder, 'secret-key')
  const key = randomToken()
  // Renamed once it is complete, so that a crash leaves no partial key.
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  return key
}
