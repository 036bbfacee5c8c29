/** What an application requires of a request: the claims of its token, and the errors that refuse it. */
import type { JWTPayload } from 'jose'

/** The answer by error code: HTTP status, `error` (RFC 6750 section 3.1) and message. */
const ERRORS = {
  missing_token: [401, undefined, 'The request has no bearer token.'],
  invalid_token: [
    401,
    'invalid_token',
    'The access token is invalid or was not issued for this application.',
  ],
  expired_token: [401, 'invalid_token', 'The access token has expired.'],
  revoked_token: [401, 'invalid_token', 'The access token has been revoked.'],
  wrong_account: [403, 'insufficient_scope', 'The access token is for another account.'],
  role_required: [403, 'insufficient_scope', 'The user does not have the required role.'],
  permission_required: [403, 'insufficient_scope', 'The user does not have the required permission.'],
  admin_required: [403, 'insufficient_scope', 'The user is not an admin of the account.'],
  invalid_webhook: [
    400,
    undefined,
    'Webhook signature verification failed: signature mismatch or timestamp outside tolerance.',
  ],
  keys_unavailable: [503, undefined, 'The public keys of the server are unavailable.'],
  feed_down: [503, undefined, 'The event stream is disconnected, so revocation cannot be checked.'],
} as const satisfies Record<string, readonly [number, string | undefined, string]>

/**
 * A request to your application that must be rejected. When a handler throws it, Fastify and Express respond
 * with `statusCode` and `headers`. The guards send the response themselves and do not throw.
 */
export class AccessError extends Error {
  override name = 'AccessError'
  readonly code: keyof typeof ERRORS
  readonly statusCode: 400 | 401 | 403 | 503
  /** `WWW-Authenticate` (RFC 6750 section 3) or `Retry-After`. */
  readonly headers: Record<string, string>

  constructor(code: keyof typeof ERRORS, { scope, ...options }: ErrorOptions & { scope?: string } = {}) {
    const [status, error, message] = ERRORS[code]
    super(message, options)
    this.code = code
    this.statusCode = status
    const parameters = error ? `error="${error}", error_description="${message}"` : 'realm="tenantry"'
    const scopeParameter = scope && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope) ? `, scope="${scope}"` : ''
    const challenge = `Bearer ${parameters}${scopeParameter}`
    this.headers =
      status === 503 ? { 'retry-after': '1' } : status === 400 ? {} : { 'www-authenticate': challenge }
  }
}

/**
 * The claims of a verified access token. Scope your data by `accountId` and key sessions by `membershipId`,
 * never by `sub`, which is the same in every account of the user.
 */
export type Claims = {
  /** The id of the user, or the client id of a service account. */
  sub: string
  /** The id of the account. */
  accountId: string
  /**
   * The id of the membership: this user in this account. The same for every sign-in to the account. Of a
   * service account, its own id.
   */
  membershipId: string
  /**
   * Names of the roles in this account, and the union of their scopes, as of the time the token was issued.
   */
  roles: string[]
  permissions: string[]
  /** Whether one of the roles is an admin role of this account. */
  isAdmin: boolean
  profiles: string[]
  /** The user who acts for `sub`, such as a member of the support (RFC 8693 section 4.1). */
  actorId: string | undefined
  /** Whether it is the token of a program of a tenant, not of a user. */
  isServiceAccount: boolean
  /**
   * The id of the session, the same for all tokens of one sign-in. Of a service account, the id of its key.
   */
  sid: string
  /** The id of the token. */
  jti: string
  /** In seconds since 1970, like `expiresAt`. */
  issuedAt: number
  expiresAt: number
  /** The complete payload, including `scope`, `amr` and `auth_time`. */
  payload: JWTPayload
}

/** Conditions of a guard in addition to a valid token. All of them must be met. */
export type Requirements = {
  /** The name of the path parameter that must equal the account of the token. */
  account?: string
  role?: string
  permission?: string
  /** Whether the user must be an admin of the token's account. */
  admin?: boolean
}

/** Throws AccessError `wrong_account` (403) unless the token is for this account. */
export function requireAccount(claims: Claims, accountId: string | undefined): void {
  if (accountId === undefined || claims.accountId !== accountId) throw new AccessError('wrong_account')
}

/** Throws AccessError `role_required` (403) unless the user has the role with this name. */
export function requireRole(claims: Claims, role: string): void {
  if (!claims.roles.includes(role)) throw new AccessError('role_required')
}

/** Throws AccessError `permission_required` (403) unless one of the user's roles has this scope. */
export function requirePermission(claims: Claims, permission: string): void {
  if (!claims.permissions.includes(permission))
    throw new AccessError('permission_required', { scope: permission })
}

/**
 * Throws AccessError `admin_required` (403) unless the user is an admin of the token's account. Check the
 * account with `requireAccount`: an admin of one account has no rights in another.
 */
export function requireAdmin(claims: Claims): void {
  if (!claims.isAdmin) throw new AccessError('admin_required')
}
