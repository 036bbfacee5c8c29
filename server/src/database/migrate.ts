import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { sql } from '../tuning/drizzle.ts'
import { type Db, MIGRATIONS } from './database.ts'
import type { Queries } from './driver-errors.ts'

/** Any fixed number: processes that start at the same time apply the migrations one after the other. */
const MIGRATION_LOCK = 7_236_110

/** Whatever the role's settings, migrations take as long as they need, and wait for another process. */
const BEGIN = `begin; set local statement_timeout = 0; set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`

/** The migrator opens a transaction of its own: within ours it is a savepoint. */
const NESTED: Record<string, string> = {
  begin: 'savepoint migrations',
  commit: 'release savepoint migrations',
  rollback: 'rollback to savepoint migrations',
}

type Migrator = {
  over: (client: Queries) => Db
  migrate: (db: never, config: typeof MIGRATIONS) => Promise<void>
}

/**
 * Applies the migrations that are missing, in one transaction. Its lock ends with it, so a pooler in
 * transaction mode, which gives the connection to another client afterwards, does not keep the lock.
 *
 * Returns whether there is a pooler: it reports another process than the one that executes the statements.
 */
export async function applyMigrations(
  client: pg.Client,
  { over, migrate }: Migrator,
): Promise<{ isPooled: boolean }> {
  await client.query(BEGIN)
  const locked = await client.query<{ pid: number }>(
    'select pg_advisory_xact_lock($1), pg_backend_pid() as pid',
    [MIGRATION_LOCK],
  )
  const nested: Queries = {
    query(statement, values) {
      const text = typeof statement === 'string' ? statement : statement.text
      const config = typeof statement === 'string' ? {} : statement
      return client.query({ ...config, text: NESTED[text.trim()] ?? text }, values)
    },
  }
  await migrate(over(nested) as never, MIGRATIONS)
  await client.query('commit')
  return { isPooled: locked.rows[0]?.pid !== (client as pg.Client & { processID: number }).processID }
}

type Journal = { entries: { tag: string; when: number }[] }

/**
 * The names of the migrations that are missing, in their order; `isNew`: none was applied. Without `db`:
 * those of a new database. Changes nothing.
 */
export async function plan(db: Db | undefined): Promise<{ isNew: boolean; missing: string[] }> {
  const journal = join(MIGRATIONS.migrationsFolder, 'meta/_journal.json')
  const { entries } = JSON.parse(readFileSync(journal, 'utf8')) as Journal
  const newest = db ? await newestApplied(db) : 0
  const missing = entries.filter(({ when }) => when > newest).map(({ tag }) => tag)
  return { isNew: newest === 0, missing }
}

/** The time of the newest migration that was applied, as in the journal; 0 without one. */
async function newestApplied(db: Db): Promise<number> {
  const rowsOf = async (statement: ReturnType<typeof sql>) =>
    ((await db.execute(statement)) as unknown as { rows: { value: unknown }[] }).rows
  const [table] = await rowsOf(sql`select to_regclass('drizzle.__drizzle_migrations') as value`)
  if (!table?.value) return 0
  const [newest] = await rowsOf(sql`select max(created_at) as value from drizzle.__drizzle_migrations`)
  return Number(newest?.value ?? 0)
}
