/**
 * The data folder: the embedded database, the generated secret key, and the email outbox. It is locked by one
 * process: two processes on one embedded database silently lose rows.
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from './config/config.ts'
import { randomToken } from './crypto/seal.ts'

/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5

/**
 * Creates the folder if it does not exist, for the user of the server only. Returns its absolute path. Throws
 * ConfigError if it is not writable, or open to other users.
 */
export function openDataDir(given: string): string {
  const folder = resolve(given)
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a writable folder: ${(error as Error).message}.`)
  }
  if (isOpen(folder) && readdirSync(folder).some((name) => !OWN.test(name)))
    throw new ConfigError(
      `DATA_DIR ${folder} is open to other users, and has files of others. Name a folder of its own, or: chmod 700 ${folder}`,
    )
  makePrivate(folder)
  for (const name of ['lock', 'secret-key', 'outbox'])
    if (existsSync(join(folder, name))) makePrivate(join(folder, name))
  return folder
}

/** The folder of the emails of a server without SMTP. */
export const outboxOf = ({ DATA_DIR }: { DATA_DIR: string }): string => join(resolve(DATA_DIR), 'outbox')

/** What the server creates in its folder, and what a new file system has. */
const OWN = /^(database|lock|secret-key)\b|^(outbox|cache|lost\+found)$/

/** Whether another user of the machine may enter the folder or read the file. Windows has other rights. */
const isOpen = (path: string): boolean => process.getuid !== undefined && (statSync(path).mode & 0o077) !== 0

/**
 * Makes a folder or a file accessible to the user of the server only. Whoever can read the lock can block the
 * start, and whoever can write to the folder can replace the database. Throws ConfigError if that is
 * impossible.
 */
export function makePrivate(path: string): void {
  if (!isOpen(path)) return
  try {
    chmodSync(path, statSync(path).mode & 0o700)
  } catch {
    // the folder of another user
  }
  if (isOpen(path))
    throw new ConfigError(
      `DATA_DIR: other users can open ${path}, and this user cannot change that. Name a folder of the user of the server.`,
    )
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
