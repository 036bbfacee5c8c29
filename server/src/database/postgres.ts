import pg from 'pg'
import { isDatabaseFault } from '../errors.ts'
import { loadPostgres } from '../tuning/drizzle.ts'
import { type Database, type Db, MIGRATIONS } from './database.ts'
import { rethrowDriverError } from './driver-errors.ts'
import { openSharedReads } from './shared-reads.ts'

/** The part of a connection or pool that Drizzle uses. */
type Queries = {
  query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult>
}

/** Any fixed number: processes that start at the same time apply the migrations one after the other. */
const MIGRATION_LOCK = 7_236_110

/**
 * Opens PostgreSQL and applies the migrations that are missing. Throws the driver's
 * error when it can't be reached.
 */
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
  // An idle connection was lost; the next query opens another, or reports the error.
  pool.on('error', ignore)
  // One in use was lost between two statements; the next statement reports it.
  pool.on('connect', (client) => client.on('error', ignore))
  const { drizzle, migrate } = loadPostgres()
  const over = (client: Queries) => drizzle({ client: client as pg.Client, casing: 'snake_case' })
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tenantry-migrations',
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', ignore)
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
    db: Object.assign(over(translated(pool)), {
      transaction: transactionsOf(pool, over),
      reads: over(translated(shared)),
    }),
    kind: 'postgresql',
    close: async () => {
      shared.end()
      await pool.end()
    },
  }
}

/** An error event without a listener ends the process. */
const ignore = () => {}

/** The same queries, with the driver's errors translated. */
const translated = (connection: Queries): Queries => ({
  query: (statement, values) => connection.query(statement, values).catch(rethrowDriverError),
})

/** A connection of the pool, and its handle. */
type Connection = Queries & { db: Db; release(fault: Error | undefined): void }

/**
 * Transactions on connections of the pool. A connection keeps one handle, so that `prepared` builds its
 * statements once for each connection and not in each transaction. After a database fault the connection is
 * closed at once: its `rollback` would have to wait for an answer as well.
 */
function transactionsOf(pool: pg.Pool, over: (client: Queries) => Db): Db['transaction'] {
  const connections = new WeakMap<pg.PoolClient, Connection>()
  const connect = async (): Promise<Connection> => {
    const client = await pool.connect().catch(rethrowDriverError)
    const known = connections.get(client)
    if (known) return known
    const { query } = translated(client)
    const db = Object.assign(over({ query }), { transaction: savepointsOn({ query }) })
    const connection = { query, db, release: (fault?: Error) => client.release(fault) }
    connections.set(client, connection)
    return connection
  }
  return async (work, config) => {
    const connection = await connect()
    let fault: Error | undefined
    try {
      await connection.query(
        config?.isolationLevel ? `begin isolation level ${config.isolationLevel}` : 'begin',
      )
      const result = await work(connection.db as Parameters<typeof work>[0])
      // After a failed statement whose error was caught, `commit` rolls back without an error.
      const { command } = await connection.query('commit')
      if (command !== 'COMMIT') throw new Error('Transaction was rolled back instead of committed')
      return result
    } catch (error) {
      if (isDatabaseFault(error)) fault = error as Error
      else await connection.query('rollback').catch((lost: Error) => (fault = lost))
      throw error
    } finally {
      connection.release(fault)
    }
  }
}

/**
 * A transaction within the transaction of a connection: a savepoint. Nested ones
 * shadow each other by their name.
 */
function savepointsOn(connection: Queries): Db['transaction'] {
  return async function (this: Db, work) {
    await connection.query('savepoint nested')
    try {
      const result = await work(this as Parameters<typeof work>[0])
      await connection.query('release savepoint nested')
      return result
    } catch (error) {
      if (!isDatabaseFault(error))
        await connection.query('rollback to savepoint nested; release savepoint nested')
      throw error
    }
  }
}
