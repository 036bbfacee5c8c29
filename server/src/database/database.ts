/**
 * The database: PostgreSQL by DATABASE_URL, else PGlite (PostgreSQL compiled to WebAssembly) in DATA_DIR or in memory.
 * One dialect, one schema; the rest of the code sees only `Db`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { isDatabaseFault } from '../errors.ts'
import { loadPglite, loadPostgres, type PgDatabase, type PgQueryResultHKT } from '../tuning/drizzle.ts'

/** A connection or an open transaction, on PostgreSQL or PGlite. Every query function takes one first. */
export type Db = PgDatabase<PgQueryResultHKT>

export type Database = { db: Db; kind: 'postgresql' | 'pglite'; close(): Promise<void> }

const MIGRATIONS = { migrationsFolder: join(import.meta.dirname, '../../migrations') }
/** Any fixed number: two processes that start together take turns on it. */
const MIGRATION_LOCK = 7_236_110

/** Opens PostgreSQL and applies the migrations that are missing. Throws the driver's error when it can't be reached. */
export async function openPostgres(url: string, poolSize: number): Promise<Database> {
  // Bounds in ms: a caller gets its 503 within 5 s, whatever the database does.
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
  pool.on('error', () => {}) // an idle connection was cut; the next query opens another and reports what is wrong
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tenantry-migrations',
    connectionTimeoutMillis: 5_000,
  })
  const { drizzle, migrate } = loadPostgres()
  const over = (client: pg.Client | pg.Pool | pg.PoolClient) => drizzle({ client, casing: 'snake_case' })
  const shared = sharedConnection(settings, pool)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(over(client), MIGRATIONS)
  } catch (error) {
    await pool.end()
    throw error
  } finally {
    await client.end().catch(() => {}) // ends the lock too
  }
  return {
    db: Object.assign(over(pool), {
      transaction: transactionsOf(pool, over),
      [READS]: over(shared as unknown as pg.Client),
    }),
    kind: 'postgresql',
    close: async () => {
      shared.end()
      await pool.end()
    },
  }
}

/** On a handle outside a transaction: the handle for reads that share a connection. */
const READS = Symbol('reads')

/** In ms: a read waits for nobody but who changes a table, and others wait behind it. */
const SHARED_LOCK_TIMEOUT = 50
/** In ms: so long after such a wait, reads go through the pool. */
const SHARED_PAUSE = 1_000
/** A statement that the connection has lost, has twice, or has planned for a table that looks otherwise by now. */
const SPOILED = new Set(['26000', '42P05', '0A000'])

/**
 * One connection for the short reads of many requests, sent without waiting for the answers to those before (decision
 * 0035). It is opened when first used, and anew after it was lost. What would wait for a table is asked through the pool.
 */
function sharedConnection(settings: pg.ClientConfig, pool: pg.Pool) {
  type Opened = { connected: Promise<pg.Client>; leave(): void }
  let current: Opened | undefined
  let pausedUntil = 0
  let ended = false
  const open = (): Opened => {
    const client = new pg.Client({ ...settings, pipeline: true, lock_timeout: SHARED_LOCK_TIMEOUT })
    const opened: Opened = {
      connected: client.connect().then(() => client),
      leave() {
        if (current === opened) current = undefined
        void client.end() // what is under way is answered first
      },
    }
    client.on('error', opened.leave).on('end', opened.leave)
    opened.connected.catch(opened.leave)
    return opened
  }
  const shared = {
    async query(statement: pg.QueryConfig, values: unknown[], isFirst = true): Promise<pg.QueryResult> {
      if (ended || performance.now() < pausedUntil) return pool.query(statement, values)
      current ??= open()
      const { connected, leave } = current
      const client = await connected
      try {
        return await client.query(statement, values)
      } catch (error) {
        const { code = '' } = error as { code?: string }
        if (code === '55P03') {
          pausedUntil = performance.now() + SHARED_PAUSE
          return pool.query(statement, values)
        }
        if (!isFirst || !SPOILED.has(code)) throw error
        leave()
        return shared.query(statement, values, false)
      }
    },
    /** Does not wait for the goodbye: a database that hangs would keep us. */
    end(): void {
      ended = true
      current?.leave()
    },
  }
  return shared
}

/**
 * Drizzle's transactions, with two things it leaves out: a connection on which `begin` failed goes back, and one that
 * the database stopped answering is closed at once instead of waiting for its `rollback` and then serving others.
 */
function transactionsOf(
  pool: pg.Pool,
  over: (client: pg.PoolClient) => Pick<Db, 'transaction'>,
): Db['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    let fault: Error | undefined
    let released = false
    const release = (error?: Error) => {
      if (!released) client.release(error)
      released = true
    }
    const watched: typeof work = async (tx) => {
      try {
        return await work(tx)
      } catch (error) {
        if (isDatabaseFault(error)) {
          fault = error as Error
          release(fault)
        }
        throw error
      }
    }
    try {
      return await over(client).transaction(watched as never, config)
    } catch (error) {
      fault ??= isDatabaseFault(error) ? (error as Error) : undefined
      throw fault ?? error
    } finally {
      release(fault)
    }
  }
}

/** Opens the embedded database in a folder, or in memory without one. The caller holds the folder's lock. */
export async function openPglite(folder?: string): Promise<Database> {
  if (folder && !existsSync(folder)) {
    // A crash in the seconds this takes leaves nothing under the folder's name: half a database would not open again.
    const unfinished = `${folder}.new`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    await (await openPgliteAsItIs(unfinished)).close()
    renameSync(unfinished, folder)
  }
  if (folder) chmodSync(folder, 0o700) // PGlite makes files that anybody on the machine may read and write
  return openPgliteAsItIs(folder)
}

async function openPgliteAsItIs(folder: string | undefined): Promise<Database> {
  // Loaded only here: 30 MB of WebAssembly that a server on PostgreSQL never needs.
  const [{ PGlite }, { pg_trgm }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/contrib/pg_trgm'),
  ])
  const { drizzle, migrate } = loadPglite()
  const client = await PGlite.create({ ...(folder && { dataDir: folder }), extensions: { pg_trgm } })
  const db = drizzle({ client, casing: 'snake_case' })
  await migrate(db, MIGRATIONS)
  return { db, kind: 'pglite', close: () => client.close() }
}

/**
 * One transaction for everything a protocol request does, begun at its first write and carried to the storage adapter
 * by AsyncLocalStorage. A second handle beside an open transaction would wait for ever on PGlite and would take a
 * second connection on PostgreSQL.
 */
export type UnitOfWork = {
  /** The transaction, opened now if it was not. */
  write(): Promise<Db>
  /** The transaction if there is one, else the plain connection. */
  read(): Promise<Db>
  /** Keeps what was written even when the request is refused (a revocation that answers a replay). */
  keep(): void
  kept: boolean
  /** Marks the request as failed by the database; nothing is kept. */
  fail(error: unknown): void
  failure: unknown
  finish(outcome: Outcome): Promise<void>
}

type Outcome = 'commit' | 'rollback'

const ROLLBACK = Symbol('rollback')

function createUnitOfWork(db: Db): UnitOfWork {
  // Most requests never write: nothing is made for a transaction until one is opened.
  let opened: { tx: Promise<Db>; done: Promise<unknown>; decide(outcome: Outcome): void } | undefined
  let ended = false
  const open = () => {
    // Settled whenever it is decided, also while the transaction is still being opened.
    const { promise: outcome, resolve: decide } = Promise.withResolvers<Outcome>()
    const { promise: tx, resolve, reject } = Promise.withResolvers<Db>()
    const done = db.transaction(async (begun) => {
      resolve(begun as unknown as Db)
      if ((await outcome) === 'rollback') throw ROLLBACK
    })
    done.catch(reject)
    return { tx, done, decide }
  }
  return {
    kept: false,
    failure: undefined,
    async write() {
      if (ended) throw new Error('the request has ended')
      opened ??= open()
      return opened.tx
    },
    async read() {
      return opened?.tx ?? db
    },
    keep() {
      this.kept = true
    },
    fail(error) {
      this.failure ??= error
    },
    async finish(how) {
      ended = true
      opened?.decide(how)
      await opened?.done.catch((error) => {
        if (error !== ROLLBACK) throw error
      })
    },
  }
}

const current = new AsyncLocalStorage<UnitOfWork>()

/** Runs `work` with a unit of work of its own; `work` decides by `finish` what becomes of it. */
export function inUnitOfWork<T>(db: Db, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
  const unit = createUnitOfWork(db)
  return current.run(unit, () => work(unit))
}

/** The unit of work of the request under way, if it has one. */
export const unitOfWork = (): UnitOfWork | undefined => current.getStore()

type Handle = Db & { [HANDLE]?: Db; [READS]?: Db }

/**
 * A statement that is built once for each handle instead of at every call, and that the database plans once for each
 * connection: what a token costs is mostly these two. `build` ends in `.prepare(name)`; values come in as `sql.placeholder`.
 */
export const prepared = <Statement extends object>(build: (db: Db) => Statement) =>
  builtOnce(build, (handle) => handle)

/** The same for what reads a few rows by an index and waits for nobody: outside a transaction all of it shares one connection. */
export const preparedRead = <Statement extends object>(build: (db: Db) => Statement) =>
  builtOnce(build, (handle) => handle[READS] ?? handle)

function builtOnce<Statement extends object>(
  build: (db: Db) => Statement,
  through: (handle: Handle) => Db,
): (db: Db) => Statement {
  const built = new WeakMap<Db, Statement>()
  return (db) => {
    const handle = through((db as Handle)[HANDLE] ?? db)
    const known = built.get(handle)
    if (known) return known
    const made = build(handle)
    built.set(handle, made)
    return made
  }
}

/** Asks a handle of `joinWhole` which one it stands for at this moment. */
const HANDLE = Symbol('handle')

type Whole = { tx: Db | undefined; effects: (() => void)[] }

const whole = new AsyncLocalStorage<Whole>()

/**
 * A handle that goes through the transaction of `inOneTransaction` where there is one, also to read; a transaction
 * begun on it is then a part of that one.
 */
export function joinWhole(db: Db): Db {
  return new Proxy(db, {
    get(plain, name) {
      const handle = whole.getStore()?.tx ?? plain
      if (name === HANDLE) return handle
      const member: unknown = Reflect.get(handle, name, handle)
      return typeof member === 'function' ? member.bind(handle) : member
    },
  })
}

/** Runs `work` with one transaction around everything that it and what it calls do on a handle of `joinWhole`. */
export async function inOneTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const all: Whole = { tx: undefined, effects: [] }
  try {
    return await db.transaction((tx) => {
      all.tx = tx
      return whole.run(all, () => work(tx))
    })
  } finally {
    all.tx = undefined // work that was begun meanwhile and goes on is not of this transaction
    for (const effect of all.effects) effect()
  }
}

/** Does what others may only see after the change: at once, or when the transaction of `inOneTransaction` has ended. */
export function afterCommit(effect: () => void): void {
  const all = whole.getStore()
  if (all?.tx) all.effects.push(effect)
  else effect()
}
