/**
 * The database: PostgreSQL when DATABASE_URL is set, else PGlite (PostgreSQL compiled to WebAssembly) in
 * DATA_DIR or in memory. Both have one SQL dialect and one schema; the rest of the code uses only `Db`.
 */
import type { PgDatabase, PgQueryResultHKT } from './drizzle.ts'

/**
 * A connection pool or an open transaction, on PostgreSQL or PGlite. It is the first parameter of every query
 * function. `reads`, outside of a transaction, is a handle for short reads, which several requests can share
 * (connections/shared-reads.ts, lookups.ts).
 */
export type Db = PgDatabase<PgQueryResultHKT> & { readonly reads?: PgDatabase<PgQueryResultHKT> }

/** The connections of the pool of a process, and the requests that wait for one. */
export type Connections = { inUse: number; idle: number; waiting: number; max: number }

export type Database = {
  db: Db
  kind: 'postgresql' | 'pglite'
  /** Undefined of the embedded database. */
  connections?(): Connections
  close(): Promise<void>
}

/**
 * Which migrations are applied when a database is opened. `start` applies what this version needs, `finish`
 * all of its migrations. `check` refuses a database that lacks what this version needs, but creates the
 * tables of an empty one. `off` neither checks nor applies.
 */
export type MigrationMode = 'start' | 'check' | 'off' | 'finish'

export type Opening = {
  migrations: MigrationMode
  /** Called after each migration. */
  onApplied?: (name: string) => void
  /** How many times as long as usual PostgreSQL lets a statement wait and run; 1 by default. */
  patience?: number
}
