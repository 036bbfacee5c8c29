import type pg from 'pg'
import { DatabaseUnavailable } from '../../errors.ts'
import { measureError } from './measure.ts'

/** The part of a connection or pool that Drizzle uses. */
export type Queries = {
  query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult>
}

/**
 * Rethrows an error of the driver. The server's own errors have a class of their own and a SQLSTATE; a lost
 * connection, a refused one and a timeout are a plain `Error` of the driver or of the socket, and become
 * `DatabaseUnavailable`. A subclass like `TypeError` is a defect and is rethrown unchanged.
 */
export function rethrowDriverError(error: unknown): never {
  const isPlain = error instanceof Error && (error.constructor === Error || error instanceof AggregateError)
  measureError(error, !isPlain)
  throw isPlain ? new DatabaseUnavailable({ cause: error }) : error
}

/** Throws an error of a new connection: whatever the reason, the database is not available. */
export function rethrowConnectError(error: unknown): never {
  if (!/^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '')) rethrowDriverError(error)
  measureError(error, false)
  throw new DatabaseUnavailable({ cause: error })
}
