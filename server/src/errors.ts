/**
 * Every error of the API. A handler throws `new Failure('role_not_found')`; a violated constraint becomes the
 * failure of its name (database/faults.ts); problems.ts responds with problem+json (RFC 9457). Any other
 * error is a defect: it is logged, and the response is 500 without its message. docs/errors.md is generated
 * from this file.
 */
import { type Static, type TSchemaOptions, Type } from 'typebox'

/** Status and title by code. A code is never renamed, because clients switch on it. */
export const FAILURES = {
  invalid_request: { status: 400, title: 'The request does not match the schema of the operation.' },
  role_not_in_system: { status: 400, title: 'A role does not belong to the system.' },
  profile_not_in_system: { status: 400, title: 'A profile does not belong to the system.' },
  membership_place_missing: { status: 400, title: 'A membership requires either systemId or accountId.' },
  issuer_multi_tenant: {
    status: 400,
    title: 'People of several organizations can sign in at this issuer.',
  },
  metadata_invalid: {
    status: 400,
    title: 'The metadata of the SAML provider is not readable, or does not fit the connection.',
  },
  provider_answer_invalid: { status: 400, title: 'The response of the identity provider is invalid.' },
  provider_refused: { status: 400, title: 'The identity provider did not authenticate the user.' },
  provider_state_invalid: {
    status: 400,
    title:
      'The response of the identity provider does not belong to a sign-in of this browser, or was used already.',
  },
  context_required: {
    status: 400,
    title: 'A request to the API of the console requires the header Tenantry-Context.',
  },
  user_required: {
    status: 400,
    title: 'A change through the API of the console requires the header Tenantry-User.',
  },
  links_not_allowed: { status: 400, title: 'The message of an invitation must not contain a link.' },
  link_invalid: { status: 400, title: 'The link is incomplete or invalid.' },
  cookies_required: {
    status: 400,
    title: 'The browser keeps no cookies, without which a sign-in is not possible.',
  },
  invalid_token: { status: 401, title: 'The access token is missing, invalid, expired or revoked.' },
  insufficient_user_authentication: {
    status: 401,
    title: 'The operation requires that the user has authenticated within the last 5 minutes.',
  },
  sign_in_required: {
    status: 401,
    title: 'No user is signed in to the console in this browser, or a step of the sign-in is left.',
  },
  second_factor_required: {
    status: 401,
    title: 'The context of the console requires that the user has verified a second factor.',
  },
  link_requires_sign_in: {
    status: 403,
    title: 'The link works only in a browser in which its user is signed in.',
  },
  insufficient_authority: { status: 403, title: "The token's authority does not allow this operation." },
  sso_not_enabled: {
    status: 403,
    title:
      'The system does not allow single sign-on of its organizations, or does not let their admins set it up.',
  },
  saml_disabled: { status: 403, title: 'Connections with SAML are switched off in this installation.' },
  account_suspended: { status: 403, title: 'The account is suspended.' },
  user_shared: {
    status: 403,
    title: 'The email address belongs to the user in all systems. Only the user and the platform change it.',
  },
  csrf_rejected: { status: 403, title: 'The form was not sent by a page of this server, or has expired.' },
  read_only: {
    status: 403,
    title: 'In this context of the console the user can read, but not change anything.',
  },
  context_not_found: { status: 404, title: 'The user has no such context in the console.' },
  not_found: { status: 404, title: 'The resource does not exist.' },
  system_not_found: { status: 404, title: 'The system does not exist.' },
  role_not_found: { status: 404, title: 'The role does not exist in the system.' },
  image_not_found: { status: 404, title: 'No such image was uploaded.' },
  profile_not_found: { status: 404, title: 'The profile does not exist in the system.' },
  user_not_in_system: { status: 404, title: 'The user was removed from the system by another request.' },
  user_not_found: { status: 404, title: 'The user does not exist.' },
  account_not_found: { status: 404, title: 'The account does not exist.' },
  membership_not_found: { status: 404, title: 'The membership does not exist.' },
  invitation_not_found: { status: 404, title: 'The invitation does not exist in the account.' },
  connection_not_found: { status: 404, title: 'The connection does not exist in the account.' },
  domain_not_found: { status: 404, title: 'The domain does not exist in the account.' },
  service_account_not_found: { status: 404, title: 'The service account does not exist in the account.' },
  service_account_key_not_found: { status: 404, title: 'The service account has no such key.' },
  identity_not_found: { status: 404, title: 'The user has no identity at this provider.' },
  factor_not_found: { status: 404, title: 'The user has no such second factor.' },
  checkpoint_not_found: {
    status: 404,
    title: 'The audit log has no block yet: entries are added about a minute after they are written.',
  },
  session_not_found: { status: 404, title: 'The session does not exist.' },
  interaction_finished: {
    status: 404,
    title:
      'The sign-in was completed or has ended. Only pages have this code; JSON has interaction_not_found.',
  },
  interaction_not_found: {
    status: 404,
    title: 'The sign-in has ended or expired. Start again from the application.',
  },
  job_not_found: { status: 404, title: 'The background job does not exist.' },
  operator_not_found: { status: 404, title: 'The operator does not exist.' },
  webhook_not_found: { status: 404, title: 'The webhook does not exist in the system.' },
  test_sign_in_not_found: { status: 404, title: 'The test of a sign-in does not exist in the system.' },
  event_not_found: { status: 404, title: 'The event does not exist.' },
  email_not_found: { status: 404, title: 'The email does not exist, or was deleted.' },
  delivery_not_found: { status: 404, title: 'The delivery does not exist.' },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method. Allow lists the methods.',
  },
  user_changed: { status: 409, title: 'Another user has signed in to the console in this browser.' },
  operator_exists: { status: 409, title: 'The user is an operator of the console for this system already.' },
  email_taken: { status: 409, title: 'Another user has this email address.' },
  external_id_taken: { status: 409, title: 'Another account of the system has this external id.' },
  client_id_taken: { status: 409, title: 'Another system has this client id.' },
  role_name_taken: { status: 409, title: 'Another role of the system has this name.' },
  profile_name_taken: { status: 409, title: 'Another profile of the system has this name.' },
  membership_exists: { status: 409, title: 'The user is already a member of the account.' },
  invitation_exists: { status: 409, title: 'A pending invitation to the account has this email address.' },
  invitation_ended: { status: 409, title: 'The invitation is no longer pending.' },
  connection_exists: { status: 409, title: 'A connection of the account has this name.' },
  connection_fixed: {
    status: 409,
    title: 'After a test that succeeded, the issuer and the subject of a connection do not change.',
  },
  connection_incomplete: {
    status: 409,
    title: 'A test needs the issuer, the client id and the client secret.',
  },
  connection_untested: { status: 409, title: 'A connection is enabled after a test that succeeded.' },
  connection_required: {
    status: 409,
    title: 'Required single sign-on needs an enabled connection.',
  },
  factor_missing: {
    status: 409,
    title: 'The member has no second factor that counts in the system.',
  },
  link_taken: { status: 409, title: 'The subject of the connection is linked to another member.' },
  link_exists: { status: 409, title: 'The member is linked to another subject of the connection.' },
  domain_exists: { status: 409, title: 'The account has this domain already.' },
  sso_in_use: {
    status: 409,
    title: 'An organization of the system has domains or connections. Delete them first.',
  },
  service_accounts_not_allowed: { status: 409, title: 'The system does not allow service accounts.' },
  not_organization: { status: 409, title: 'The account is not an organization.' },
  account_taken: {
    status: 409,
    title: 'The system allows one account for each user, and the user already has one.',
  },
  account_occupied: {
    status: 409,
    title: 'The system allows one member for each account, and the account already has one.',
  },
  personal_account_taken: { status: 409, title: 'The user already has a personal account in the system.' },
  invalid_transition: { status: 409, title: 'The status of the membership cannot change to this status.' },
  last_admin: { status: 409, title: 'The account would have no active admin.' },
  limit_reached: { status: 409, title: 'A limit is reached. The detail names it.' },
  last_admin_role: {
    status: 409,
    title: 'The system has accounts and would have no admin role. Repeat with force=true to proceed.',
  },
  platform_system: {
    status: 409,
    title: 'A platform system cannot be deleted, and its accounts can neither be deleted nor suspended.',
  },
  identity_taken: { status: 409, title: 'The identity is linked to another user.' },
  identity_conflict: {
    status: 409,
    title:
      'The identity provider states another address than before, or another identity is linked to the user.',
  },
  identity_linked: { status: 409, title: 'The user already has an identity at this provider.' },
  passkey_taken: { status: 409, title: 'The passkey is already registered.' },
  idempotency_key_in_use: { status: 409, title: 'A request with this Idempotency-Key is in progress.' },
  email_already_verified: { status: 409, title: 'The email address of the user is already verified.' },
  only_way_in: {
    status: 409,
    title: 'The identity cannot be removed: the user would have no way to sign in.',
  },
  sign_in_not_testable: {
    status: 409,
    title:
      'The sign-in of the system cannot be tested: it has no redirect URI, or accepts only pushed or signed requests.',
  },
  webhook_disabled: { status: 409, title: 'The webhook is disabled. Enable it first.' },
  cursor_expired: {
    status: 410,
    title: 'The events after the cursor have been deleted, or the cursor is from another event log.',
  },
  link_expired: { status: 410, title: 'The link was used, has expired, or was invalidated.' },
  version_conflict: { status: 412, title: 'The resource has changed since the version in If-Match.' },
  payload_too_large: { status: 413, title: 'The request body is too large.' },
  unsupported_media_type: { status: 415, title: 'The media type of the request body is not supported.' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for a different request.' },
  too_many_requests: { status: 429, title: 'Too many requests. Retry after the time in Retry-After.' },
  internal: { status: 500, title: 'An internal error occurred.' },
  provider_unavailable: { status: 503, title: 'The identity provider is not available at the moment.' },
  unavailable: {
    status: 503,
    title: 'The service is not available at the moment. Retry after the time in Retry-After.',
  },
} as const satisfies Record<string, { status: number; title: string }>

export type FailureCode = keyof typeof FAILURES

/**
 * A fault of one value. `path` is a JSON Pointer (RFC 6901): `/email` and `/roles/0` in the body,
 * `/query/page` in the query string, `/headers/if-match` in the header fields.
 */
export type FieldFault = { path: string; message: string }

export class Failure extends Error {
  override name = 'Failure'
  readonly code: FailureCode
  readonly status: number
  readonly detail: string | undefined
  readonly errors: FieldFault[] | undefined
  /** Seconds to wait, for 429 and 503. */
  readonly retryAfter: number | undefined
  /** The user who has the email address, for `email_taken`. */
  readonly userId: string | undefined
  /** The pending invitation, for `invitation_exists`. */
  readonly invitationId: string | undefined

  constructor(
    code: FailureCode,
    more: {
      detail?: string
      errors?: FieldFault[]
      retryAfter?: number
      userId?: string | undefined
      invitationId?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(more.detail ?? FAILURES[code].title, { cause: more.cause })
    this.code = code
    this.status = FAILURES[code].status
    this.detail = more.detail
    this.errors = more.errors
    this.retryAfter = more.retryAfter
    this.userId = more.userId
    this.invitationId = more.invitationId
  }
}

/** `invalid_request` for one value. */
export const invalid = (path: string, message: string) =>
  new Failure('invalid_request', { detail: `${path}: ${message}`, errors: [{ path, message }] })

/**
 * The database could not be reached, did not answer in time, or closed the connection.
 * `cause` is the driver's error.
 */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'

  constructor(options?: ErrorOptions) {
    super('The database is not available.', options)
  }
}

export const FieldError = Type.Object(
  {
    path: Type.String({
      description:
        'JSON Pointer (RFC 6901) to the value: `/email` in the body, `/query/page` in the query string, `/headers/if-match` in the header fields.',
    }),
    message: Type.String({ description: 'What is wrong with it, in English.' }),
  },
  { title: 'FieldError' },
)

/** The body of every error response (RFC 9457, with `code`, `errors` and `requestId`). */
export const problem = (codes: readonly string[], options: TSchemaOptions = {}) =>
  Type.Object({
    type: Type.String({ description: 'Always `about:blank`: `code` identifies the error.' }),
    title: Type.String({ description: 'The meaning of the code, in English.' }),
    status: Type.Integer({ description: 'The HTTP status code.' }),
    detail: Type.Optional(Type.String({ description: 'An explanation of this occurrence, in English.' })),
    code: Type.Unsafe<string>({
      type: 'string',
      enum: [...codes],
      description:
        'Identifies the error. A later version can add codes, and never changes the meaning of one.',
      ...options,
    }),
    errors: Type.Optional(
      Type.Array(FieldError, { description: 'The values that are invalid, ten at most.' }),
    ),
    userId: Type.Optional(Type.String({ description: 'The user who has the address, for `email_taken`.' })),
    invitationId: Type.Optional(
      Type.String({ description: 'The pending invitation, for `invitation_exists`.' }),
    ),
    requestId: Type.String({ description: 'Identifies the request in the logs and in the audit log.' }),
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
    ...(failure.userId !== undefined && { userId: failure.userId }),
    ...(failure.invitationId !== undefined && { invitationId: failure.invitationId }),
    requestId,
  }
}

/** The `response` entries for the failures of an operation, grouped by status. */
export function failures(...codes: FailureCode[]) {
  const byStatus = Map.groupBy(codes, (code) => FAILURES[code].status)
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, problem(same)]))
}
