/**
 * What an error of the database says: whether the request can be repeated, and which failure it is by the
 * violated constraint or the class of its SQLSTATE (PostgreSQL, appendix A).
 */
import { DatabaseUnavailable, FAILURES, Failure, type FailureCode } from '../errors.ts'

/** `code` is the SQLSTATE; `routine` is the function of PostgreSQL that reported the error. */
type DriverError = Error & { code?: string; constraint?: string; routine?: string; cause?: unknown }

/** The error and its causes, outermost first: Drizzle wraps the error of the driver. */
function* chain(error: unknown): Generator<DriverError> {
  for (let each = error; each instanceof Error; each = (each as DriverError).cause) yield each as DriverError
}

/** The message of the innermost error, which Drizzle and Node wrap. */
export function rootCauseOf(error: unknown): string {
  const { cause, errors, message, code } = error as Error & { errors?: unknown[]; code?: string }
  if (cause ?? errors?.[0]) return rootCauseOf(cause ?? errors?.[0])
  return message || (code ?? 'unknown')
}

/** SQLSTATE 22021 and 22P05: a NUL character in a text, which PostgreSQL cannot store. */
const UNSTORABLE = new Set(['22021', '22P05'])
/** SQLSTATE of a write on a server that is read-only, as the old primary after a failover. */
const READ_ONLY = '25006'
/**
 * SQLSTATE of errors that a repetition can avoid: connection exception (08), deadlock or serialization
 * failure (40), insufficient resources (53), operator intervention (57), an input or output error (58), a
 * read-only server, a transaction that waited or took too long (25P03, 25P04), lock timeout (55P03).
 */
const TRANSIENT = new RegExp(`^((08|40|53|57|58)[0-9A-Z]{3}|${READ_ONLY}|25P0[34]|55P03)$`)
/** A prepared statement that the connection does not have, or has already. */
const LOST_STATEMENT = new Set(['26000', '42P05'])

/** Whether a prepared statement no longer fits its connection or the tables, and has to be prepared again. */
export function isStaleStatement(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return LOST_STATEMENT.has(code ?? '') || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * Whether the database could not be reached or could not execute the statement
 * now. The request can be repeated.
 */
export const isDatabaseFault = (error: unknown): boolean =>
  chain(error).some(
    (each) =>
      each instanceof DatabaseUnavailable || TRANSIENT.test(each.code ?? '') || isStaleStatement(each),
  )

/** Whether the server refused a write because it is read-only. */
export const isReadOnlyServer = (error: unknown): boolean =>
  chain(error).some((each) => each.code === READ_ONLY)

/** Whether the connection was lost, or its server does not answer, stops or starts. */
export const isServerGone = (error: unknown): boolean =>
  chain(error).some(
    (each) => each instanceof DatabaseUnavailable || /^(08[0-9A-Z]{3}|57P0[123])$/.test(each.code ?? ''),
  )

/**
 * Whether the server or a pooler refused the user or the password (SQLSTATE class 28). PgBouncer reports it
 * as a violation of the protocol.
 */
export const isLoginRefused = (error: unknown): boolean =>
  chain(error).some(
    ({ code = '', message }) =>
      /^28/.test(code) || (code === '08P01' && /authentication failed/i.test(message)),
  )

/** Whether another transaction was in the way: a lock or statement timeout, or a deadlock. */
export const isBlocked = (error: unknown): boolean =>
  chain(error).some((each) => /^(55P03|57014|40P01)$/.test(each.code ?? ''))

/** Whether PostgreSQL refused a value of a statement (SQLSTATE class 22, data exception). */
export const isDataException = (error: unknown): boolean =>
  chain(error).some((each) => /^22/.test(each.code ?? ''))

/** Whether a statement reached the lock timeout (SQLSTATE 55P03). */
export const isLockTimeout = (error: unknown): boolean => chain(error).some((each) => each.code === '55P03')

/**
 * The code of a violated constraint. Citus adds the number of the shard to the name of a constraint:
 * `email_taken_102170`.
 */
function codeOf(constraint: string): FailureCode | undefined {
  const names = [constraint, constraint.replace(/_\d+$/, '')]
  return names.find((name): name is FailureCode => Object.hasOwn(FAILURES, name))
}

/**
 * The failure of an error: the error itself, that of the violated constraint, or
 * `unavailable` for a database fault.
 */
export function failureOf(error: unknown): Failure | undefined {
  for (const each of chain(error)) {
    if (each instanceof Failure) return each
    const violated = each.constraint === undefined ? undefined : codeOf(each.constraint)
    if (violated) return new Failure(violated, { cause: error })
    if (each.code !== undefined && UNSTORABLE.has(each.code)) {
      return new Failure('invalid_request', {
        detail: 'A text contains the character U+0000, which cannot be stored.',
        cause: error,
      })
    }
  }
  return isDatabaseFault(error) ? new Failure('unavailable', { retryAfter: 2, cause: error }) : undefined
}
