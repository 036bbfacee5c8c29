/** What is measured about PostgreSQL. The embedded database has neither connections nor timeouts. */
import { counter, durations } from '../../measurements.ts'

/** The buckets reach from a millisecond to the time that a request may wait. */
const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5] as const

export const measureWait = durations(
  'tenantry_database_wait_seconds',
  'Time until a request gets a connection of the pool.',
  { labels: [], bounds: BOUNDS },
)

export const measureTransaction = durations(
  'tenantry_database_transaction_seconds',
  'Time of transactions from begin to the end.',
  { labels: ['outcome'], bounds: BOUNDS },
)

const countError = counter(
  'tenantry_database_errors_total',
  'Errors of the database that a repetition can avoid, by kind.',
  ['kind'],
)

/** SQLSTATE of PostgreSQL, or its class. */
const KINDS: Record<string, string> = {
  '57014': 'statement_timeout',
  '55P03': 'lock_timeout',
  '25P03': 'idle_timeout',
  '25P04': 'transaction_timeout',
  '40P01': 'deadlock',
  '40001': 'serialization',
  '25006': 'read_only',
  '53': 'resources',
  '57': 'shutdown',
  '58': 'input_output',
  '08': 'connection',
}

/** Counts an error of the driver: a lost or refused connection and a timeout have no SQLSTATE. */
export function measureError(error: unknown, isOfServer: boolean): void {
  const { code = '' } = error as { code?: string }
  const kind = isOfServer ? (KINDS[code] ?? KINDS[code.slice(0, 2)]) : 'connection'
  if (kind) countError({ kind })
}
