/**
 * Drizzle, loaded once and from its CommonJS files. For each `import` of it Node would read the package's
 * package.json again, which has 180 kB, and each start would take a fifth of a second longer (decision 0016).
 */
import { createRequire } from 'node:module'

// drizzle-kit converts schema.ts to CommonJS, where `import.meta` is empty.
const load = createRequire(import.meta.filename ?? __filename)

// The annotations give these names the library's types.
const core: typeof import('drizzle-orm') = load('drizzle-orm')
const tables: typeof import('drizzle-orm/pg-core') = load('drizzle-orm/pg-core')

export const {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  getTableName,
  gt,
  inArray,
  is,
  isNull,
  lt,
  lte,
  ne,
  notInArray,
  or,
  sql,
} = core
export const {
  alias,
  bigint,
  boolean,
  check,
  customType,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
} = tables
export const { getTableConfig, PgTable, pgTable, timestamp, unionAll, unique, uniqueIndex, uuid } = tables

export type { SQL, Subquery, Table } from 'drizzle-orm'
export type { AnyPgColumn, AnyPgTable, PgColumn, PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** Loads only the driver of the database in use. */
export const loadPostgres = (): typeof import('drizzle-orm/node-postgres') =>
  load('drizzle-orm/node-postgres')
export const loadPglite = (): typeof import('drizzle-orm/pglite') => load('drizzle-orm/pglite')
