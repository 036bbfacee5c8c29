import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { readPostgresUrl } from '../../config/postgres-url.ts'
import { TIME_OF_REQUEST } from '../../request-time.ts'
import type { Database, Db, Opening } from '../database.ts'
import { loadPostgres } from '../drizzle.ts'
import { isDatabaseFault, isReadOnlyServer } from '../faults.ts'
import { migrate } from '../migrations/apply.ts'
import { readProgram } from '../migrations/program.ts'
import type { Queries } from './driver-errors.ts'
import { measureTransaction } from './measure.ts'
import { type Lease, openPool, type Pool } from './pool.ts'
import { checkPooler } from './pooler.ts'
import { createServers, type Servers, tryEach } from './servers.ts'
import { openSharedReads } from './shared-reads.ts'

/**
 * Timeouts in ms, which PostgreSQL observes. It gives up before the server stops waiting: within 5 s a caller
 * gets its 503, whatever the database does.
 */
const timeouts = (patience: number) => ({
  statement_timeout: 4_000 * patience,
  lock_timeout: 2_000 * patience,
  idle_in_transaction_session_timeout: 10_000 * patience,
})

/**
 * Opens PostgreSQL. Throws the driver's error when it can't be reached. `reread` returns the URL as it is now
 * in its file, which is read when a login is refused.
 */
export async function openPostgres(
  url: string,
  poolSize: number,
  opening: Opening = { migrations: 'start' },
  reread: () => string | undefined = () => undefined,
): Promise<Database> {
  const servers = createServers(readPostgresUrl(url), () => {
    const now = reread()
    return now === undefined ? undefined : readPostgresUrl(now)
  })
  const { patience = 1 } = opening
  const settings = {
    ...timeouts(patience),
    application_name: 'tenantry',
    connectionTimeoutMillis: 3_000 * patience,
    query_timeout: TIME_OF_REQUEST * patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
  }
  const { drizzle } = loadPostgres()
  const over = (client: Queries) => drizzle({ client: client as pg.Client, casing: 'snake_case' })
  const { isPooled } = await migratePostgres(servers, over, opening)
  if (isPooled) await checkPooler(servers, settings, timeouts(patience))
  const pool = openPool(servers, { ...settings, max: poolSize })
  const shared = openSharedReads(servers, settings, pool)
  return {
    db: Object.assign(over(pool), {
      transaction: transactionsOf(pool, over),
      reads: over(shared),
    }),
    kind: 'postgresql',
    connections: pool.connections,
    close: async () => {
      shared.end()
      await pool.end()
    },
  }
}

/**
 * On connections of their own, because the timeouts of the others would interrupt a long migration. Returns
 * whether there is a pooler: it reports another process than the one that executes the statements.
 */
async function migratePostgres(
  servers: Servers,
  over: (client: Queries) => Db,
  { migrations, onApplied }: Opening,
): Promise<{ isPooled: boolean }> {
  const settings = { application_name: 'tenantry-migrations', connectionTimeoutMillis: 5_000 }
  const connect = () => tryEach(servers, () => new servers.Client(settings).connect())
  const client = await connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const isPooled = rows[0]?.pid !== (client as pg.Client & { processID: number }).processID
    const exclusively = async (work: () => Promise<void>) => {
      if (!isPooled) for (const setting of WITHOUT_TIMEOUTS) await client.query(setting)
      await whileLocked(connect, work)
    }
    const target = { db: over(client), program: readProgram(), isAlone: false, exclusively, onApplied }
    await migrate(target, migrations)
    return { isPooled }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Whatever the role's settings: an index is created for as long as it takes. */
const WITHOUT_TIMEOUTS = ['set statement_timeout = 0', 'set lock_timeout = 0']

/** Any fixed number: processes that start at the same time apply the migrations one after the other. */
const MIGRATION_LOCK = 7_236_110

/** In ms: between two attempts to get the lock. */
const LOCK_RETRY = 250

/**
 * Runs `work` while a transaction of another connection has the lock. The lock ends with the transaction, so
 * a pooler in transaction mode, which gives the connection to another client afterwards, does not keep it.
 */
async function whileLocked(connect: () => Promise<pg.Client>, work: () => Promise<void>): Promise<void> {
  const holder = await connect()
  try {
    while (!(await tryLock(holder))) await pause(LOCK_RETRY)
    await work()
  } finally {
    await holder.end().catch(() => {})
  }
}

/**
 * Begins a transaction that has the lock, or returns false. A statement that waits for the lock, or one with
 * parameters, would keep a snapshot, and `create index concurrently` of the process that has the lock would
 * wait for its end: both would wait forever, and PostgreSQL sees no deadlock, since the holder is idle.
 */
async function tryLock(holder: pg.Client): Promise<boolean> {
  const results = await holder.query(`begin; set local statement_timeout = 0; set local lock_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as taken`)
  const { rows } = (results as unknown as pg.QueryResult<{ taken: boolean }>[]).at(-1)!
  if (rows[0]!.taken) return true
  await holder.query('rollback')
  return false
}

/**
 * Transactions on connections of the pool. A connection keeps one handle, so that `prepared` builds its
 * statements once for each connection and not in each transaction. After a database fault the connection is
 * closed at once: its `rollback` would have to wait for an answer as well.
 */
function transactionsOf(pool: Pool, over: (client: Queries) => Db): Db['transaction'] {
  const handles = new WeakMap<object, Db>()
  const handleOf = ({ client, query }: Lease): Db => {
    const known = handles.get(client)
    if (known) return known
    const handle = Object.assign(over({ query }), { transaction: savepointsOn({ query }) })
    handles.set(client, handle)
    return handle
  }
  return async (work, config) => {
    const connection = await pool.lease()
    const since = performance.now()
    let fault: unknown
    let outcome = 'rollback'
    try {
      await connection.query(
        config?.isolationLevel ? `begin isolation level ${config.isolationLevel}` : 'begin',
      )
      const result = await work(handleOf(connection) as Parameters<typeof work>[0])
      // After a failed statement whose error was caught, `commit` rolls back without an error.
      const { command } = await connection.query('commit')
      if (command !== 'COMMIT') throw new Error('Transaction was rolled back instead of committed')
      outcome = 'commit'
      return result
    } catch (error) {
      if (isDatabaseFault(error)) fault = error
      // The connection is used again: it is closed only after another fault.
      if (!fault || isReadOnlyServer(error))
        await connection.query('rollback').catch((lost: Error) => (fault = lost))
      throw error
    } finally {
      connection.release(fault)
      measureTransaction(performance.now() - since, { outcome: fault ? 'fault' : outcome })
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
