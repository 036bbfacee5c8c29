/**
 * One transaction for everything that a request does, opened when it is first needed. Its context
 * is kept in an AsyncLocalStorage, since the protocol library calls the storage adapter without a handle
 * of ours. A statement on another handle beside an open transaction would wait forever on PGlite and take a
 * second connection on PostgreSQL.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from './database.ts'
import type { ArtifactBatch } from './write-batch.ts'

type Config = Parameters<Db['transaction']>[1]

/** What a context does besides its work. */
type Options = {
  /**
   * Runs first in the transaction, before the statement that opened it. The
   * transaction does not open if it throws.
   */
  onOpen?: (tx: Db) => Promise<void>
}

/**
 * Work that can call `inTransaction`: all of a context, or the `work` of one such call in it. The calls of
 * one scope are executed one after the other, because savepoints of one connection cannot overlap.
 */
type Scope = {
  context: TransactionContext
  /** The handle of the call, on which calls within it open their savepoints. */
  tx: Db | undefined
  ended: boolean
  /** The last call of the scope, until it has ended. Never rejects. */
  last: Promise<void> | undefined
}

type Opened = { tx: Promise<Db>; done: Promise<unknown>; end(rollback: { cause: unknown } | undefined): void }

/** Ends a transaction that is rolled back without an error. */
const REFUSED = new Error('the request is refused')

export class TransactionContext {
  readonly #db: Db
  readonly #onOpen: Options['onOpen']
  // Most requests of the protocol write nothing: nothing is created for a transaction before one is opened.
  #opened: Opened | undefined
  #tx: Db | undefined
  readonly #all: Scope = { context: this, tx: undefined, ended: false, last: undefined }
  #refused = false
  #kept = false
  #failure: { cause: unknown } | undefined
  #effects: (() => unknown)[] = []
  /** Set while writes are collected; undefined where they are executed at once. */
  artifacts: ArtifactBatch | undefined

  constructor(db: Db, { onOpen }: Options) {
    this.#db = db
    this.#onOpen = onOpen
  }

  get isActive(): boolean {
    return !this.#all.ended
  }

  get isOpen(): boolean {
    return this.#opened !== undefined
  }

  get isFailed(): boolean {
    return this.#failure !== undefined
  }

  /** The transaction if it is open, else the connection. */
  read(): Db | Promise<Db> {
    return this.#tx ?? this.#opened?.tx ?? this.#db
  }

  /** The transaction; opens it if necessary. */
  write(config?: Config): Db | Promise<Db> {
    if (this.#all.ended) throw new Error('the transaction context has ended')
    if (this.#tx) return this.#tx
    this.#opened ??= this.#open(config)
    return this.#opened.tx
  }

  /** The request is refused: its writes are rolled back, unless `keep` was or will be called. */
  refuse(): void {
    this.#refused = true
  }

  /** Commits the writes even if the request is refused, as those of a revocation that answers a replay. */
  keep(): void {
    this.#kept = true
  }

  /**
   * The request failed by `cause`, although the caller of this method may hide it: everything is rolled back.
   */
  fail(cause: unknown): void {
    this.#failure ??= { cause }
  }

  /** Runs `effect` when the transaction has committed, at once if none is open. */
  afterCommit(effect: () => unknown): void {
    if (this.#opened) this.#effects.push(effect)
    else effect()
  }

  /**
   * Runs `work` in the transaction: in a savepoint if it is open, else `work` opens it. Waits for earlier
   * calls of the same scope. If `work` fails, writes of other statements meanwhile are undone as well.
   */
  async join<T>(scope: Scope, work: (tx: Db) => Promise<T>, config?: Config): Promise<T> {
    const run = () => this.#join(scope, work, config)
    const result = scope.last ? scope.last.then(run) : run()
    const end = () => {
      if (scope.last === last) scope.last = undefined
    }
    const last = result.then(end, end)
    scope.last = last
    return await result
  }

  async #join<T>(parent: Scope, work: (tx: Db) => Promise<T>, config?: Config): Promise<T> {
    if (parent.ended) throw new Error('the work that called inTransaction has ended')
    const runWork = (tx: Db) => inScope({ context: this, tx, ended: false, last: undefined }, () => work(tx))
    const effects = this.#effects.length
    try {
      if (this.#opened) return await (parent.tx ?? (await this.#opened.tx)).transaction(runWork)
    } catch (error) {
      this.#effects.length = effects
      throw error
    }
    try {
      return await runWork(await this.write(config))
    } catch (error) {
      await this.#rollBack({ cause: error })
      throw error
    }
  }

  /**
   * Runs all of the context's work. The only place that decides whether a transaction commits or rolls back.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await inScope(this.#all, work)
      if (this.#failure) throw this.#failure.cause
      if (this.#refused && !this.#kept) await this.#rollBack({ cause: REFUSED })
      else await this.#commit()
      return result
    } catch (error) {
      await this.#rollBack({ cause: error })
      throw error
    }
  }

  #open(config: Config): Opened {
    const { promise: outcome, resolve: end } = Promise.withResolvers<{ cause: unknown } | undefined>()
    const { promise: tx, resolve, reject } = Promise.withResolvers<Db>()
    const done = this.#db.transaction(async (begun) => {
      await this.#onOpen?.(begun)
      this.#tx = begun
      resolve(begun)
      const rollback = await outcome
      if (rollback) throw rollback.cause
    }, config)
    done.catch(reject)
    return { tx, done, end }
  }

  async #commit(): Promise<void> {
    const opened = this.#opened
    if (!opened) return
    opened.end(undefined)
    await opened.done
    this.#close()
    for (const effect of this.#effects.splice(0)) effect()
  }

  /** Never throws: the connection may be lost, and the cause of the rollback is what the caller reports. */
  async #rollBack(rollback: { cause: unknown }): Promise<void> {
    const opened = this.#opened
    if (!opened) return
    opened.end(rollback)
    await opened.done.catch(() => {})
    this.#close()
    this.#effects = []
  }

  #close(): void {
    this.#opened = undefined
    this.#tx = undefined
  }
}

const scopes = new AsyncLocalStorage<Scope>()

/** Runs `work` in a scope, and waits for the calls that it has not awaited itself. */
async function inScope<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  try {
    return await scopes.run(scope, work)
  } finally {
    scope.ended = true
    if (scope.last) await scope.last
  }
}

/** The context of the request in progress, if it has one. */
export const currentTransaction = (): TransactionContext | undefined => scopes.getStore()?.context

/**
 * Runs `work` in a new context. Commits when `work` returns and rolls back when it
 * throws or the context is refused.
 */
export function inTransactionContext<T>(
  db: Db,
  work: (context: TransactionContext) => Promise<T>,
  options: Options = {},
): Promise<T> {
  const context = new TransactionContext(db, options)
  return context.run(() => work(context))
}

/**
 * Runs `work` in one transaction: all of it is committed, or none of it. Within a context it joins the
 * context's transaction, in a savepoint if that is already open; `config` then has no effect. Concurrent
 * calls are executed one after the other.
 */
export function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>, config?: Config): Promise<T> {
  const scope = scopes.getStore()
  if (scope?.context.isActive) return scope.context.join(scope, work, config)
  return inTransactionContext(db, async (own) => work(await own.write(config)))
}

/** The handle to read with: the context's transaction if one is open, else `db`. */
export function readHandle(db: Db): Db | Promise<Db> {
  return currentTransaction()?.read() ?? db
}

/**
 * The handle to write with: the context's transaction, which this opens if necessary; `db` outside a context.
 */
export function writeHandle(db: Db): Db | Promise<Db> {
  return currentTransaction()?.write() ?? db
}

/** Runs `effect` when the transaction of the context has committed; at once if none is open. */
export function afterCommit(effect: () => unknown): void {
  const context = currentTransaction()
  if (context?.isActive) context.afterCommit(effect)
  else effect()
}
