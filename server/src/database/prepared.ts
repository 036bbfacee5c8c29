import type { Db } from './database.ts'

/**
 * A statement that is built once for each handle instead of at each call, and that PostgreSQL plans once for
 * each connection: most of the time of a token request is these two. `build` ends in `.prepare(name)`; values
 * are passed as `sql.placeholder`.
 */
export const prepared = <Statement extends object>(build: (db: Db) => Statement) =>
  builtOnce(build, (handle) => handle)

/**
 * Prepares a statement that reads a few rows by an index and takes no lock: outside a transaction it uses the
 * shared connection (connections/shared-reads.ts).
 */
export const preparedRead = <Statement extends object>(build: (db: Db) => Statement) =>
  builtOnce(build, (handle) => handle.reads ?? handle)

function builtOnce<Statement extends object>(
  build: (db: Db) => Statement,
  through: (handle: Db) => Db,
): (db: Db) => Statement {
  const built = new WeakMap<Db, Statement>()
  return (db) => {
    const handle = through(db)
    const known = built.get(handle)
    if (known) return known
    const statement = build(handle)
    built.set(handle, statement)
    return statement
  }
}
