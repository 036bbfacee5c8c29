import type pg from 'pg'
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
