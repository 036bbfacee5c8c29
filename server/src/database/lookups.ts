/**
 * Reads of one row by its key, which are what most requests of the protocol need. To start a statement with
 * several joins and subqueries takes PostgreSQL longer than to find its row, so rows that requests ask for in
 * the same turn of the event loop are read by one statement (decision 0039).
 */
import DataLoader from 'dataloader'
import { inRequestTime, RequestTime, withRequestTime } from '../request-time.ts'
import { tracedStatement } from '../tracing.ts'
import type { Db } from './database.ts'
import { type AnyPgTable, getTableName, type SQL, type Subquery, sql } from './drizzle.ts'
import { isDataException } from './faults.ts'
import { preparedRead } from './prepared.ts'

type Type = 'text' | 'uuid' | 'bytea'

/** Named as the table, so that columns of the table are selected from it. */
type RowOf<Table extends AnyPgTable> = Subquery<Table['_']['name'], Record<string, unknown>>

/** The keys of a statement: a table `wanted` with a row for each. */
export type WantedKeys<Column extends string> = Record<Column, SQL> & {
  rows: SQL
  /** The number of the row. */
  nth: SQL<number>
  /** The row of a table that meets a condition, to be joined `always`. */
  rowOf<Table extends AnyPgTable>(table: Table, condition: SQL | undefined): RowOf<Table>
}

/** The condition of such a join. */
export const always = sql`true`

type Prepared<Row> = { execute(values: Record<string, unknown>): Promise<Row[]> }
type Select<Row> = { prepare(name: string): Prepared<Row> }

/** There is a statement for each of these numbers of keys. Keys that are missing in it are null. */
const SIZES = [1, 2, 4, 8, 16] as const
const SIZE_MAX = Math.max(...SIZES)

function wantedOf<Column extends string>(
  db: Db,
  columns: Record<Column, Type>,
  size: number,
): WantedKeys<Column> {
  const names = Object.keys(columns) as Column[]
  const keyOf = (nth: number) => (name: Column) =>
    sql`${sql.placeholder(placeOf(name, nth))}::${sql.raw(columns[name])}`
  const rows = Array.from({ length: size }, (_, nth) => [sql.raw(String(nth)), ...names.map(keyOf(nth))])
  const lists = rows.map((row) => sql`(${sql.join(row, sql`, `)})`)
  const quoted = ['nth', ...names].map((name) => `"${name}"`).join(', ')
  return {
    ...(Object.fromEntries(names.map((name) => [name, sql.raw(`wanted."${name}"`)])) as Record<Column, SQL>),
    rows: sql`(values ${sql.join(lists, sql`, `)}) as wanted(${sql.raw(quoted)})`,
    nth: sql<number>`wanted.nth`,
    rowOf<Table extends AnyPgTable>(table: Table, condition: SQL | undefined) {
      const found = db
        .select()
        .from(table as AnyPgTable)
        .where(condition)
      // With a limit, the planner searches for each row by an index. Without one it plans a scan of the whole
      // table while that is small, and executes it when the table has grown. For a single key it uses the
      // index anyway.
      return (size === 1 ? found : found.limit(1)).as(getTableName(table)) as unknown as RowOf<Table>
    },
  }
}

/** The name of a value of a statement. */
const placeOf = (column: string, nth: number) => `${column} ${nth}`

/**
 * The cost: to start a statement takes PostgreSQL longer than to find its row, on every token request. The
 * threat is a result that reaches the wrong request, or one request that fails the others. So:
 *
 * 1. keys that requests ask for in one turn of the event loop become the numbered rows of `wanted`;
 * 2. each result is assigned by that number, in an object of its own, and nothing is cached: a lookup sees
 *    every change that was committed before it was asked for;
 * 3. a value that PostgreSQL refuses (SQLSTATE class 22) leads to one statement for each key;
 * 4. the statement has a time of its own, so that a request that has waited long ends its own wait only.
 *
 * Prepares the reads of a row by its key. `build` selects `nth` and other columns from `wanted.rows`, joined
 * with the tables in which the row is found: at most one row for each key, and none for a key of nulls.
 * Outside of a transaction the statement is executed for the keys of many requests.
 */
export function lookup<Column extends string, Row extends { nth: number }>(
  name: string,
  columns: Record<Column, Type>,
  build: (db: Db, wanted: WantedKeys<Column>) => Select<Row>,
): (db: Db, key: Record<Column, unknown>) => Promise<Omit<Row, 'nth'> | undefined> {
  type Key = Record<Column, unknown>
  type Found = Omit<Row, 'nth'> | undefined
  const names = Object.keys(columns) as Column[]
  const statements = SIZES.map((size) =>
    preparedRead((db) =>
      build(db, wantedOf(db, columns, size)).prepare(size === 1 ? name : `${name}_${size}`),
    ),
  )
  const read = async (db: Db, keys: readonly Key[]): Promise<Found[]> => {
    const place = SIZES.findIndex((size) => size >= keys.length)
    const values: Record<string, unknown> = {}
    for (let nth = 0; nth < SIZES[place]!; nth += 1)
      for (const column of names) values[placeOf(column, nth)] = keys[nth]?.[column] ?? null
    const found = new Array<Found>(keys.length).fill(undefined)
    for (const { nth, ...row } of await statements[place]!(db).execute(values)) found[nth] = row
    return found
  }
  const readAll = (db: Db, keys: readonly Key[]): Promise<(Found | Error)[]> =>
    read(db, keys).catch((error: unknown) => {
      // A value of one request that PostgreSQL refuses must not fail the others.
      if (keys.length === 1 || !isDataException(error)) throw error
      return Promise.all(keys.map((key) => read(db, [key]).then(([row]) => row, errorOf)))
    })
  // The statement of several requests has a time of its own. That of a request limits its own wait (below).
  const readInTime = (db: Db, keys: readonly Key[]) =>
    withRequestTime(new RequestTime(), () => readAll(db, keys))
  const loaders = new WeakMap<Db, DataLoader<Key, Found>>()
  const loaderOf = (db: Db) => {
    const known = loaders.get(db)
    if (known) return known
    const loader = new DataLoader<Key, Found>((keys) => readInTime(db, keys), {
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

/** DataLoader takes any other value for a row. */
const errorOf = (error: unknown): Error =>
  error instanceof Error ? error : new Error('lookup', { cause: error })
