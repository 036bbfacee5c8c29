/**
 * Every way the API can refuse, once. A handler throws `new Failure('role_not_found')`; a broken constraint becomes
 * the failure of its name; problems.ts answers problem+json (RFC 9457). Anything else thrown is a bug: it is logged and
 * answers 500 without its message. docs/errors.md is written from this file.
 */
import { type Static, Type } from 'typebox'

/** code -> status and title. A code is never renamed: clients switch on it. */
export const FAILURES = {
  invalid_request: { status: 400, title: 'The request is not of the shape this operation takes.' },
  role_not_in_system: { status: 400, title: 'A role is not one of this system.' },
  profile_not_in_system: { status: 400, title: 'A profile is not one of this system.' },
  membership_place_missing: { status: 400, title: 'A membership needs either systemId or accountId.' },
  provider_answer_invalid: {
    status: 400,
    title: 'What the other identity provider answered can not be used.',
  },
  provider_refused: { status: 400, title: 'The other identity provider did not sign the person in.' },
  provider_state_invalid: {
    status: 400,
    title: 'This browser has not asked for this answer, or has used it already.',
  },
  link_invalid: { status: 400, title: 'This is not the whole link.' },
  invalid_token: { status: 401, title: 'The access token is missing, expired, revoked or not one of ours.' },
  insufficient_authority: { status: 403, title: 'This token never may do this.' },
  user_shared: {
    status: 403,
    title: 'This user is also a member of other systems; only the platform may do this.',
  },
  csrf_rejected: { status: 403, title: 'The form was not sent from our own page, or is too old.' },
  not_found: { status: 404, title: 'There is nothing here.' },
  system_not_found: { status: 404, title: 'No system has this id.' },
  role_not_found: { status: 404, title: 'No role of this system has this id.' },
  profile_not_found: { status: 404, title: 'No profile of this system has this id.' },
  user_not_found: { status: 404, title: 'No user has this id.' },
  account_not_found: { status: 404, title: 'No account has this id.' },
  membership_not_found: { status: 404, title: 'No membership has this id.' },
  identity_not_found: { status: 404, title: 'The user has no identity of this provider.' },
  session_not_found: { status: 404, title: 'No session has this id.' },
  interaction_not_found: {
    status: 404,
    title: 'This sign-in has ended or expired. Start again from the application.',
  },
  webhook_not_found: { status: 404, title: 'No webhook of this system has this id.' },
  event_not_found: { status: 404, title: 'No event has this id.' },
  delivery_not_found: { status: 404, title: 'No delivery has this id.' },
  email_taken: { status: 409, title: 'Another user has this e-mail address.' },
  client_id_taken: { status: 409, title: 'Another system has this client id.' },
  role_name_taken: { status: 409, title: 'Another role of this system has this name.' },
  profile_name_taken: { status: 409, title: 'Another profile of this system has this name.' },
  membership_exists: { status: 409, title: 'The user is already a member of this account.' },
  account_taken: {
    status: 409,
    title: 'In this system a user has one account, and this user has one already.',
  },
  account_occupied: {
    status: 409,
    title: 'In this system an account has one member, and this account has one already.',
  },
  personal_account_taken: { status: 409, title: 'The user has a personal account in this system already.' },
  invalid_transition: { status: 409, title: 'A membership can not go from its status to this one.' },
  last_admin: { status: 409, title: 'The account would be left without an active admin.' },
  platform_system: { status: 409, title: "The platform's own systems can not be deleted." },
  identity_taken: { status: 409, title: 'This identity is linked to another user.' },
  identity_linked: { status: 409, title: 'The user has an identity of this provider already.' },
  passkey_taken: { status: 409, title: 'This passkey is registered already.' },
  idempotency_key_in_use: { status: 409, title: 'A request with this Idempotency-Key is under way.' },
  email_already_verified: { status: 409, title: "The user's e-mail address is verified already." },
  only_way_in: { status: 409, title: 'The user could not sign in any more: this is the only way in.' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled. Enable it first.' },
  cursor_expired: {
    status: 410,
    title: 'What followed this cursor has been deleted, or it is of another log.',
  },
  link_expired: {
    status: 410,
    title: 'This link was used, has expired, or a newer one has taken its place.',
  },
  version_conflict: { status: 412, title: 'The resource has changed since the version of If-Match.' },
  payload_too_large: { status: 413, title: 'The body is larger than this operation takes.' },
  unsupported_media_type: { status: 415, title: 'The body is not of a type this operation takes.' },
  idempotency_key_reused: { status: 422, title: 'This Idempotency-Key was used for another request.' },
  too_many_requests: { status: 429, title: 'Too many attempts. Wait before the next.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  provider_unavailable: {
    status: 503,
    title: 'The other identity provider can not be reached at the moment.',
  },
  unavailable: { status: 503, title: 'The service can not answer at the moment. Try again soon.' },
} as const satisfies Record<string, { status: number; title: string }>

export type FailureCode = keyof typeof FAILURES

/** A fault of one field: a JSON pointer into the body, or the name of a query parameter. */
export type FieldFault = { path: string; message: string }

export class Failure extends Error {
  override name = 'Failure'
  readonly code: FailureCode
  readonly status: number
  readonly detail: string | undefined
  readonly errors: FieldFault[] | undefined
  /** Seconds to wait, for 429 and 503. */
  readonly retryAfter: number | undefined

  constructor(
    code: FailureCode,
    more: { detail?: string; errors?: FieldFault[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(more.detail ?? FAILURES[code].title, { cause: more.cause })
    this.code = code
    this.status = FAILURES[code].status
    this.detail = more.detail
    this.errors = more.errors
    this.retryAfter = more.retryAfter
  }
}

/** A 400 that names one field. */
export const invalid = (path: string, message: string) =>
  new Failure('invalid_request', { detail: `${path}: ${message}`, errors: [{ path, message }] })

type DriverError = Error & { code?: string; constraint?: string; cause?: unknown }

/** The error and what caused it, outermost first: Drizzle wraps the driver's. */
function* chain(error: unknown): Generator<DriverError> {
  for (let each = error; each instanceof Error; each = (each as DriverError).cause) yield each as DriverError
}

/** SQLSTATE 22021, 22P05: a NUL character in a text; the only values we pass that PostgreSQL itself can't take. */
const UNSTORABLE = new Set(['22021', '22P05'])
/**
 * Connection (08), resources (53), operator (57), deadlock and serialisation (40), lock timeout (55P03), a prepared statement
 * that the connection has lost or has twice (26000, 42P05), and the socket's own.
 */
const FAULT =
  /^(08|53|57|40|55P03$|26000$|42P05$|E(CONN[A-Z]+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NETDOWN|NOTFOUND|AI_[A-Z]+)$)/
/** By its words: what `pg` itself says has no code, and the code of a plan that is out of date (0A000) means other things too. */
const LOST =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|after calling end on the pool|timeout expired|cached plan must not change result type|PGlite is closed/

/** Whether the database could not be reached or could not answer: a reason to try again, never a verdict. */
export function isDatabaseFault(error: unknown): boolean {
  for (const each of chain(error)) {
    if ((typeof each.code === 'string' && FAULT.test(each.code)) || LOST.test(each.message)) return true
  }
  return false
}

/** Whether a statement gave up waiting for what another transaction holds (SQLSTATE 55P03). */
export const isLockTimeout = (error: unknown): boolean => chain(error).some((each) => each.code === '55P03')

/** The failure behind an error: itself, the one named by the constraint that broke, or that of an absent database. */
export function failureOf(error: unknown): Failure | undefined {
  for (const each of chain(error)) {
    if (each instanceof Failure) return each
    if (each.constraint !== undefined && each.constraint in FAILURES)
      return new Failure(each.constraint as FailureCode, { cause: error })
    if (each.code !== undefined && UNSTORABLE.has(each.code)) {
      return new Failure('invalid_request', {
        detail: 'A text contains a character that can not be stored (U+0000).',
        cause: error,
      })
    }
  }
  return isDatabaseFault(error) ? new Failure('unavailable', { retryAfter: 2, cause: error }) : undefined
}

/** The body of every refusal (RFC 9457, with `code`, `errors` and `requestId`). */
export const problem = (codes: readonly string[]) =>
  Type.Object({
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.Optional(Type.String()),
    code: Type.Enum(codes as string[]),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    requestId: Type.String(),
  })

export type Problem = Static<ReturnType<typeof problem>>

export function problemOf(failure: Failure, requestId: string): Problem {
  return {
    type: 'about:blank',
    title: FAILURES[failure.code].title,
    status: failure.status,
    ...(failure.detail && { detail: failure.detail }),
    code: failure.code,
    ...(failure.errors && { errors: failure.errors }),
    requestId,
  }
}

/** The `response` entries for the failures a route can answer, grouped by status. */
export function failures(...codes: FailureCode[]) {
  const byStatus = Map.groupBy(codes, (code) => FAILURES[code].status)
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, problem(same)]))
}
