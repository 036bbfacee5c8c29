import pg from 'pg'
import { isDatabaseFault } from '../errors.ts'
import { loadPostgres } from '../tuning/drizzle.ts'
import { type Database, type Db, MIGRATIONS } from './database.ts'
import { openSharedReads } from './shared-reads.ts'

/** Any fixed number: processes that start at the same time apply the migrations one after the other. */
const MIGRATION_LOCK = 7_236_110

/** Opens PostgreSQL and applies the migrations that are missing. Throws the driver's error when it can't be reached. */
export async function openPostgres(url: string, poolSize: number): Promise<Database> {
  // Timeouts in ms: whatever the database does, a caller gets its 503 within 5 s.
  const settings = {
    connectionString: url,
    application_name: 'tenantry',
    connectionTimeoutMillis: 3_000,
    statement_timeout: 4_000,
    query_timeout: 4_500,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
  }
  const pool = new pg.Pool({ ...settings, max: poolSize })
  pool.on('error', () => {}) // an idle connection was lost; the next query opens another, or reports the error
  const { drizzle, migrate } = loadPostgres()
  const over = (client: pg.Client | pg.Pool | pg.PoolClient) => drizzle({ client, casing: 'snake_case' })
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tenantry-migrations',
    connectionTimeoutMillis: 5_000,
  })
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(over(client), MIGRATIONS)
  } catch (error) {
    await pool.end()
    throw error
  } finally {
    await client.end().catch(() => {}) // releases the lock as well
  }
  const shared = openSharedReads(settings, pool)
  return {
    db: Object.assign(over(pool), {
      transaction: transactionsOf(pool, over),
      reads: over(shared as unknown as pg.Client),
    }),
    kind: 'postgresql',
    close: async () => {
      shared.end()
      await pool.end()
    },
  }
}

/**
 * Transactions on connections of the pool. A connection keeps one handle, so that what `prepared` builds on it is built
 * once and not in each transaction. A connection that the database stopped answering is closed at once instead of
 * waiting for its `rollback` and being used again.
 */
function transactionsOf(pool: pg.Pool, over: (client: pg.PoolClient) => Db): Db['transaction'] {
  const handles = new WeakMap<pg.PoolClient, Db>()
  const handleOf = (client: pg.PoolClient): Db => {
    const handle = handles.get(client) ?? Object.assign(over(client), { transaction: savepointsOn(client) })
    handles.set(client, handle)
    return handle
  }
  return async (work, config) => {
    const client = await pool.connect()
    let fault: Error | undefined
    try {
      await client.query(config?.isolationLevel ? `begin isolation level ${config.isolationLevel}` : 'begin')
      const result = await work(handleOf(client) as Parameters<typeof work>[0])
      await client.query('commit')
      return result
    } catch (error) {
      if (isDatabaseFault(error)) fault = error as Error
      else await client.query('rollback').catch((lost: Error) => (fault = lost))
      throw error
    } finally {
      client.release(fault)
    }
  }
}

/** A transaction within the transaction of a connection: a savepoint. Nested ones shadow each other by their name. */
function savepointsOn(client: pg.PoolClient): Db['transaction'] {
  return async function (this: Db, work) {
    await client.query('savepoint nested')
    try {
      const result = await work(this as Parameters<typeof work>[0])
      await client.query('release savepoint nested')
      return result
    } catch (error) {
      if (!isDatabaseFault(error))
        await client.query('rollback to savepoint nested; release savepoint nested')
      throw error
    }
  }
}
