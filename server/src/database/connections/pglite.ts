import { chmodSync, constants, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import PQueue from 'p-queue'
import { ConfigError } from '../../config/config.ts'
import { DatabaseUnavailable } from '../../errors.ts'
import type { Database, Db, Opening } from '../database.ts'
import { loadPglite } from '../drizzle.ts'
import { dueSteps, migrate } from '../migrations/apply.ts'
import { readProgram } from '../migrations/program.ts'
import { readApplied } from '../migrations/queries.ts'
import { countWrite } from './written-bytes.ts'

/** Opens the embedded database in a folder, or in memory without one. The caller has locked the folder. */
export async function openPglite(
  folder?: string,
  opening: Opening = { migrations: 'start' },
): Promise<Database> {
  if (folder && !existsSync(folder)) {
    // A database that is created only in part does not open again, so the folder
    // gets its name when it is complete.
    const unfinished = `${folder}.new`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    await (await openFolder(unfinished, { ...opening, migrations: 'start' })).close()
    renameSync(unfinished, folder)
  }
  // PGlite creates files that every user of the machine can read and write
  if (folder) chmodSync(folder, 0o700)
  return openFolder(folder, opening)
}

type Client = import('@electric-sql/pglite').PGlite

async function openClient(folder: string | undefined): Promise<Client> {
  // Loaded only here: 30 MB of WebAssembly that a server on PostgreSQL never needs.
  const [{ PGlite }, { pg_trgm }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/contrib/pg_trgm'),
  ])
  return PGlite.create({ ...(folder && { dataDir: folder }), extensions: { pg_trgm } })
}

/** Applies the migrations that `opening` names. The folder is copied before the first one of a version. */
async function openMigrated(
  folder: string | undefined,
  { migrations: mode, onApplied }: Opening,
): Promise<{ client: Client; db: Db }> {
  const { drizzle } = loadPglite()
  const program = readProgram()
  const open = async () => {
    const client = await openClient(folder)
    return { client, db: drizzle({ client, casing: 'snake_case' }) }
  }
  let opened = await open()
  try {
    const applied = await readApplied(opened.db)
    // An upgrade that has failed and is repeated keeps the copy of its beginning.
    const begins = applied.length > 0 && applied.every(({ version }) => version !== program.version)
    const target = () => ({
      db: opened.db,
      program,
      isAlone: true,
      exclusively: (work: () => Promise<void>) => work(), // the folder is locked
      onApplied,
    })
    const due = await dueSteps(target(), mode)
    if (due.length > 0 && folder && begins) {
      await opened.client.close()
      copyDatabase(folder, program.version)
      opened = await open()
    }
    await migrate(target(), mode)
    return opened
  } catch (error) {
    if (!opened.client.closed) await opened.client.close()
    throw error
  }
}

async function openFolder(folder: string | undefined, opening: Opening): Promise<Database> {
  const { client, db } = await openMigrated(folder, opening)
  let closed = false
  /** Errors of a closed database have neither a class nor a SQLSTATE. */
  const translated =
    <Given extends unknown[], Result>(method: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      method.apply(client, given).catch((error: unknown) => {
        throw closed ? new DatabaseUnavailable({ cause: error }) : error
      })
  const statements = new PQueue({ concurrency: 1 })
  /**
   * The database executes statements in this thread and, as long as one waits, without a pause: the
   * connections of many requests would keep the process from reading any other.
   */
  const afterOthers = <Given extends unknown[], Result>(query: (...given: Given) => Promise<Result>) => {
    const pausing = async (...given: Given): Promise<Result> => {
      await setImmediate()
      return query(...given)
    }
    return (...given: Given): Promise<Result> => statements.add(() => pausing(...given))
  }
  const counted =
    <Given extends unknown[], Result>(query: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const [statement, values] = given as unknown as [string, unknown[] | undefined]
      countWrite(statement, values)
      return query(...given)
    }
  const query = counted(afterOthers(translated(client.query)))
  const begin = translated(client.transaction) as Client['transaction']
  const transaction: Client['transaction'] = (work) =>
    begin((tx) => work(Object.assign(Object.create(tx), { query: counted(tx.query) })))
  Object.assign(client, { query, transaction })
  return {
    db: Object.assign(db, { reads: db }), // so that requests share their lookups
    kind: 'pglite',
    close: () => {
      closed = true
      return client.close()
    },
  }
}

/**
 * Copies the folder of a closed database to `<folder>.before-<version>`, and removes earlier copies. A copy
 * gets its name when it is complete.
 */
function copyDatabase(folder: string, version: string): void {
  const [parent, prefix] = [dirname(folder), `${basename(folder)}.before-`]
  const unfinished = `${folder}.copy`
  rmSync(unfinished, { recursive: true, force: true })
  try {
    mkdirSync(unfinished, { mode: 0o700 }) // the files in it are open to every user of the machine
    cpSync(folder, unfinished, { recursive: true, mode: constants.COPYFILE_FICLONE })
    chmodSync(unfinished, 0o700) // cpSync of Node 24 changes the mode
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new ConfigError(
      `DATA_DIR: cannot copy the database before the upgrade: ${(error as Error).message}. Nothing was changed.`,
    )
  }
  for (const name of readdirSync(parent))
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true })
  renameSync(unfinished, `${folder}.before-${version}`)
}
