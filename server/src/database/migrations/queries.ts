import type { Db } from '../database.ts'
import { and, eq, gt, sql } from '../drizzle.ts'
import { migrations } from '../schema.ts'
import type { Migration, Program } from './program.ts'

export type Applied = typeof migrations.$inferSelect

/** Applied migrations, by number. Empty if the database has no tables. */
export async function readApplied(db: Db): Promise<Applied[]> {
  const { rows } = (await db.execute(sql`select to_regclass('migrations') as found`)) as unknown as {
    rows: { found: string | null }[]
  }
  return rows[0]?.found ? db.select().from(migrations).orderBy(migrations.number) : []
}

/** Records a migration that is complete. */
export async function recordApplied(tx: Db, migration: Migration, { version }: Program): Promise<void> {
  const { number, name, kind, hash } = migration
  await tx
    .insert(migrations)
    .values({ number, name, kind, hash, version, finishedAt: sql`now()` })
    .onConflictDoUpdate({ target: migrations.number, set: { finishedAt: sql`now()` } })
}

/** Executes a statement of a migration. */
export async function executeStatement(db: Db, statement: string): Promise<void> {
  await db.execute(sql.raw(statement))
}

/**
 * Limits the locks of a migration in its transaction. A statement that waits for a table blocks every query
 * that comes after it, and waits for less time than PostgreSQL takes to detect a deadlock (1 s), so that the
 * migration gives up and not a request.
 */
export async function limitLocks(tx: Db, { lock, statement }: { lock: number; statement: number }) {
  await tx.execute(sql.raw(`set local lock_timeout = ${lock}`))
  await tx.execute(sql.raw(`set local statement_timeout = ${statement}`))
}

const CONCURRENT = /\bindex concurrently if not exists "?(\w+)"?/i

/** Drops the index that an interrupted `create index concurrently` has left: it exists, but is not used. */
export async function dropInvalidIndex(db: Db, statement: string): Promise<void> {
  const [, name] = CONCURRENT.exec(statement) ?? []
  if (!name) return
  const { rows } = (await db.execute(
    sql`select 1 from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`,
  )) as unknown as { rows: unknown[] }
  if (rows.length > 0) await db.execute(sql.raw(`drop index concurrently if exists "${name}"`))
}

/** The row of a fill. */
export async function startFill(tx: Db, migration: Migration, { version }: Program) {
  const { number, name, kind, hash } = migration
  await tx.insert(migrations).values({ number, name, kind, hash, version }).onConflictDoNothing()
  const [row] = await tx.select().from(migrations).where(eq(migrations.number, number))
  return row!
}

/** Changes the rows with the next keys after `cursor`. Returns the last key, undefined if there is none. */
export async function fillNext(
  tx: Db,
  { key, statements }: Migration,
  cursor: string | null,
  limit: number,
): Promise<{ last: string; rows: number } | undefined> {
  const [table, column] = [sql.identifier(key!.table), sql.identifier(key!.column)]
  const after = cursor === null ? sql`` : sql`where ${column} > ${cursor}`
  const found = (await tx.execute(
    sql`select (array_agg(key order by key))[1]::text as first,
        (array_agg(key order by key desc))[1]::text as last, count(*)::int as rows
      from (select ${column} as key from ${table} ${after} order by ${column} limit ${limit}) next`,
  )) as unknown as { rows: { first: string | null; last: string | null; rows: number }[] }
  const { first, last, rows } = found.rows[0]!
  if (first === null || last === null) return undefined
  const parts = statements[0]!.split(/(\$[12])/)
  const values: Record<string, string> = { $1: first, $2: last }
  const chunks = parts.map((part) => (part in values ? sql`${values[part]}` : sql.raw(part)))
  await tx.execute(sql.join(chunks))
  return { last, rows }
}

/** Stores how far a fill is. */
export async function advanceFill(
  tx: Db,
  { number }: Migration,
  next: { last: string; rows: number },
): Promise<void> {
  await tx
    .update(migrations)
    .set({ cursor: next.last, filled: sql`${migrations.filled} + ${next.rows}` })
    .where(eq(migrations.number, number))
}

/** Starts the fills again that come after a migration. */
export async function restartFills(tx: Db, newest: number): Promise<void> {
  await tx
    .update(migrations)
    .set({ cursor: null, filled: 0, finishedAt: null })
    .where(and(eq(migrations.kind, 'fill'), gt(migrations.number, newest)))
}
