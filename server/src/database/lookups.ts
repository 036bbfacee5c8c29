/**
 * Reads of one row by its key, which are what most requests of the protocol need. Those that requests ask for
 * in the same turn of the event loop are read by one statement: PostgreSQL prepares the execution of such a
 * statement, with its joins and subqueries, in more time than it takes to find the row (decision 0039).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import DataLoader from 'dataloader'
import { isDataException } from '../errors.ts'
import { inRequestTime } from '../request-time.ts'
import { tracedStatement } from '../tracing.ts'
import { type AnyPgTable, getTableName, type SQL, type Subquery, sql } from '../tuning/drizzle.ts'
import type { Db } from './database.ts'
import { preparedRead } from './prepared.ts'

type Type = 'text' | 'uuid' | 'bytea'

/** The keys of a statement: a table `wanted` with a row for each. */
export type Wanted<Column extends string> = Record<Column, SQL> & {
  rows: SQL
  /** The number of the row. */
  nth: SQL<number>
  /** The row of a table that meets a condition, to be joined `always`. */
  rowOf(table: AnyPgTable, condition: SQL | undefined): Subquery
}

/** The condition of such a join. */
export const always = sql`true`

type Prepared<Row> = { execute(values: Record<string, unknown>): Promise<Row[]> }
type Select<Row> = { prepare(name: string): Prepared<Row> }

/** The numbers of keys that statements have. A statement with fewer keys has nulls, which find nothing. */
const SIZES = [1, 2, 4, 8, 16] as const
const SIZE_MAX = 16

/** Runs a statement for several requests outside of all of them. */
const outsideOfRequests = AsyncLocalStorage.snapshot()

function wantedOf<Column extends string>(
  db: Db,
  columns: Record<Column, Type>,
  size: number,
): Wanted<Column> {
  const names = Object.keys(columns) as Column[]
  const keyOf = (nth: number) => (name: Column) =>
    sql`${sql.placeholder(`${name}${nth}`)}::${sql.raw(columns[name])}`
  const rows = Array.from({ length: size }, (_, nth) => [sql.raw(String(nth)), ...names.map(keyOf(nth))])
  const lists = rows.map((row) => sql`(${sql.join(row, sql`, `)})`)
  const quoted = ['nth', ...names].map((name) => `"${name}"`).join(', ')
  return {
    ...(Object.fromEntries(names.map((name) => [name, sql.raw(`wanted."${name}"`)])) as Record<Column, SQL>),
    rows: sql`(values ${sql.join(lists, sql`, `)}) as wanted(${sql.raw(quoted)})`,
    nth: sql<number>`wanted.nth`,
    rowOf(table, condition) {
      const found = db.select().from(table).where(condition)
      // With a limit, the planner searches for each row by an index. Without one it plans a scan of the whole
      // table while that is small, and executes it when the table has grown. It does not for a single key.
      return (size === 1 ? found : found.limit(1)).as(getTableName(table)) as unknown as Subquery
    },
  }
}

/**
 * Prepares the reads of a row by its key. `build` selects `wanted.nth` and other columns from `wanted.rows`,
 * joined with the tables in which the row is found, at most one row for each key. Outside of a transaction the
 * statement is executed for the keys of many requests.
 */
export function lookup<Column extends string, Row extends { nth: number }>(
  name: string,
  columns: Record<Column, Type>,
  build: (db: Db, wanted: Wanted<Column>) => Select<Row>,
): (db: Db, key: Record<Column, unknown>) => Promise<Row | undefined> {
  type Key = Record<Column, unknown>
  const names = Object.keys(columns) as Column[]
  const statements = SIZES.map((size) =>
    preparedRead((db) => build(db, wantedOf(db, columns, size)).prepare(`${name}_${size}`)),
  )
  const read = async (db: Db, keys: readonly Key[]): Promise<(Row | undefined)[]> => {
    const place = SIZES.findIndex((size) => size >= keys.length)
    const values: Record<string, unknown> = {}
    for (let nth = 0; nth < SIZES[place]!; nth += 1)
      for (const column of names) values[`${column}${nth}`] = keys[nth]?.[column] ?? null
    const found = new Array<Row | undefined>(keys.length).fill(undefined)
    for (const row of await statements[place]!(db).execute(values)) found[row.nth] = row
    return found
  }
  const readAll = (db: Db, keys: readonly Key[]): Promise<(Row | undefined | Error)[]> =>
    read(db, keys).catch((error: unknown) => {
      // A value of one request that PostgreSQL refuses must not fail the others.
      if (keys.length === 1 || !isDataException(error)) throw error
      return Promise.all(
        keys.map((key) =>
          read(db, [key]).then(
            ([row]) => row,
            (own: Error) => own,
          ),
        ),
      )
    })
  const loaders = new WeakMap<Db, DataLoader<Key, Row | undefined>>()
  const loaderOf = (db: Db) => {
    const known = loaders.get(db)
    if (known) return known
    const loader = new DataLoader<Key, Row | undefined>((keys) => outsideOfRequests(readAll, db, keys), {
      cache: false,
      maxBatchSize: SIZE_MAX,
    })
    loaders.set(db, loader)
    return loader
  }
  const statement = { name }
  return async (db, key) => {
    if (!db.reads) return (await read(db, [key]))[0]
    const loader = loaderOf(db)
    return tracedStatement(statement, () => inRequestTime(() => loader.load(key)))
  }
}
