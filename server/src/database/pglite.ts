import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { DatabaseUnavailable } from '../errors.ts'
import { loadPglite } from '../tuning/drizzle.ts'
import type { Database, Opening } from './database.ts'
import { migrate } from './migrations/apply.ts'
import { readProgram } from './migrations/program.ts'

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

async function openFolder(folder: string | undefined, opening: Opening): Promise<Database> {
  // Loaded only here: 30 MB of WebAssembly that a server on PostgreSQL never needs.
  const [{ PGlite }, { pg_trgm }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/contrib/pg_trgm'),
  ])
  const { drizzle } = loadPglite()
  const client = await PGlite.create({ ...(folder && { dataDir: folder }), extensions: { pg_trgm } })
  let closed = false
  /** Errors of a closed database have neither a class nor a SQLSTATE. */
  const translated =
    <Given extends unknown[], Result>(method: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      method.apply(client, given).catch((error: unknown) => {
        throw closed ? new DatabaseUnavailable({ cause: error }) : error
      })
  Object.assign(client, { query: translated(client.query), transaction: translated(client.transaction) })
  const db = drizzle({ client, casing: 'snake_case' })
  const target = {
    db,
    program: readProgram(),
    isAlone: true,
    exclusively: (work: () => Promise<void>) => work(), // the folder is locked
    onApplied: opening.onApplied,
  }
  try {
    await migrate(target, opening.migrations)
  } catch (error) {
    await client.close()
    throw error
  }
  return {
    db,
    kind: 'pglite',
    close: () => {
      closed = true
      return client.close()
    },
  }
}
