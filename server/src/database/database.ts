/**
 * The database: PostgreSQL when DATABASE_URL is set, else PGlite (PostgreSQL compiled to WebAssembly) in
 * DATA_DIR or in memory. Both have one SQL dialect and one schema; the rest of the code uses only `Db`.
 */
import { join } from 'node:path'
import type { PgDatabase, PgQueryResultHKT } from '../tuning/drizzle.ts'

/**
 * A connection pool or an open transaction, on PostgreSQL or PGlite. It is the first parameter of every query
 * function. `reads`, where present, is a handle for short reads outside a transaction (shared-reads.ts).
 */
export type Db = PgDatabase<PgQueryResultHKT> & { readonly reads?: PgDatabase<PgQueryResultHKT> }

export type Database = { db: Db; kind: 'postgresql' | 'pglite'; close(): Promise<void> }

/** `migrates`: whether to apply the migrations that are missing. */
export type Opening = { migrates: boolean }

export const MIGRATIONS = { migrationsFolder: join(import.meta.dirname, '../../migrations') }
