/**
 * The data folder: of the embedded database, the generated secret key and the mail outbox. Two processes on one
 * embedded database lose rows without a word, so one process holds the folder.
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
import { ConfigError } from './config.ts'
import { randomToken } from './crypto/seal.ts'

/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5

/** Makes the folder if need be and gives its absolute path. Throws ConfigError when we may not write there. */
export function openDataDir(given: string): string {
  const folder = resolve(given)
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a folder that can be written to: ${(error as Error).message}.`)
  }
  return folder
}

/** As `recursive: true` does, which on a file system that allows no folders (/proc) never returns. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * Takes the folder for this process until `release`, or throws ConfigError when another process has it. The lock is
 * the operating system's own on an open file, which Node reaches only through SQLite: it is taken by one process
 * whatever the timing, ends with that process however it ends, and holds between containers that share the folder. A
 * file with a process id in it can do none of these.
 */
export function lockDataDir(folder: string): { release(): void } {
  try {
    const lock = new DatabaseSync(join(folder, 'lock'))
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== BUSY)
      throw new ConfigError(`DATA_DIR ${folder} can not be locked: ${(error as Error).message}.`)
    throw new ConfigError(
      `DATA_DIR ${folder} is in use by another process. The embedded database serves one process; with DATABASE_URL several can share a PostgreSQL.`,
    )
  }
}

/** The SECRET_KEY of the folder, made when there is none. The caller holds the folder's lock. */
export function secretKeyOf(folder: string): string {
  const file = join(folder, 'secret-key')
  try {
    const key = readFileSync(file, 'utf8').trim()
    if (key.length < 32)
      throw new ConfigError(
        `${file} is damaged: it holds fewer than 32 characters. Put it back from a backup.`,
      )
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = randomToken()
  // Written whole under another name first: a crash leaves either no key or all of it.
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  return key
}
