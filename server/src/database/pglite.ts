import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { DatabaseUnavailable } from '../errors.ts'
import { loadPglite } from '../tuning/drizzle.ts'
import { type Database, MIGRATIONS, type Opening } from './database.ts'

/** Opens the embedded database in a folder, or in memory without one. The caller has locked the folder. */
export async function openPglite(
  folder?: string,
  { migrates }: Opening = { migrates: true },
): Promise<Database> {
  if (folder && !existsSync(folder)) {
    // A database that is created only in part does not open again, so the folder
    // gets its name when it is complete.
    const unfinished = `${folder}.new`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    await (await openFolder(unfinished, true)).close()
    renameSync(unfinished, folder)
  }
  // PGlite creates files that every user of the machine can read and write
  if (folder) chmodSync(folder, 0o700)
  return openFolder(folder, migrates)
}

async function openFolder(folder: string | undefined, migrates: boolean): Promise<Database> {
  // Loaded only here: 30 MB of WebAssembly that a server on PostgreSQL never needs.
  const [{ PGlite }, { pg_trgm }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/contrib/pg_trgm'),
  ])
  const { drizzle, migrate } = loadPglite()
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
  if (migrates) await migrate(db, MIGRATIONS)
  return {
    db,
    kind: 'pglite',
    close: () => {
      closed = true
      return client.close()
    },
  }
}
