/**
 * Tenantry client for the backend of an application: verifies access tokens, guards routes, rejects revoked
 * tokens within a second, verifies webhooks, and calls the admin API. It requests the public keys, one event
 * stream and service tokens from the server, and makes no request per verified token.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { connect, type Options } from './admin.ts'
import { createFeed, type Event, type Feed, type FollowOptions } from './feed.ts'
import { type Admin, type Call, METHODS } from './operations.ts'

export { ApiError, type Options } from './admin.ts'
export type { Event, FollowOptions } from './feed.ts'
export type { Admin } from './operations.ts'

/** Tolerated difference between two clocks, in seconds. */
const CLOCK_TOLERANCE = 5
/** Maximum length of an access token in characters. Longer values are rejected before parsing. */
const TOKEN_MAX = 16_384

/** By error code: HTTP status, `error` (RFC 6750 section 3.1) and message. */
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
  /** The id of the user. */
  sub: string
  /** The id of the account. */
  accountId: string
  /** The id of the membership: this user in this account. The same for every sign-in to the account. */
  membershipId: string
  /**
   * Names of the roles in this account, and the union of their scopes, as of the time the token was issued.
   */
  roles: string[]
  permissions: string[]
  /** Whether one of the roles is an admin role of this account. */
  isAdmin: boolean
  profiles: string[]
  /** The id of the session, the same for all tokens of one sign-in. */
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

const claimsByRequest = new WeakMap<object, Claims>()

/** The claims of a request that passed a guard. Throws if the route has no guard. */
export function claimsOf(request: object): Claims {
  const claims = claimsByRequest.get(request)
  if (!claims) throw new Error('This route has no Tenantry guard.')
  return claims
}

/**
 * Verifies signature (Standard Webhooks, HMAC-SHA256) and timestamp of a webhook request and returns its
 * event. `rawBody` is the unparsed body. Pass several secrets during a rotation. `tolerance` is the maximum
 * difference between the timestamp and the current time, in seconds. Throws AccessError `invalid_webhook`
 * (400). The same event can be delivered more than once, with the same `id`.
 */
export function verifyWebhook(
  headers: Headers | Record<string, string | string[] | undefined>,
  rawBody: string | Uint8Array,
  secret: string | string[],
  { tolerance = 300 }: { tolerance?: number } = {},
): Event {
  const header = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  const keys = [secret].flat().map((each) => Buffer.from(String(each).replace(/^whsec_/, ''), 'base64'))
  if (keys.length === 0 || keys.some((key) => key.length < 16))
    throw new TypeError('A webhook secret is missing or too short.')
  const age = Math.abs(Date.now() / 1_000 - Number(/^\d+$/.exec(timestamp)?.[0]))
  const matches = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest()
    const signatures = header('webhook-signature')
      .split(' ')
      .filter((each) => each.startsWith('v1,'))
    return signatures
      .map((each) => Buffer.from(each.slice(3), 'base64'))
      .some((each) => each.length === 32 && timingSafeEqual(each, expected))
  })
  if (id === '' || !(age <= tolerance) || !matches) throw new AccessError('invalid_webhook')
  return JSON.parse(Buffer.from(rawBody).toString('utf8'))
}

/** Verifies signature and claims of access tokens, without revocation. */
function createVerifier({ issuer, clientId }: Options) {
  // Cached for 10 minutes, requested at most twice a minute.
  const remote = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  const keys: JWTVerifyGetKey = (header, token) =>
    remote(header, token).catch((cause) => {
      const unknown =
        cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys
      throw unknown ? cause : new AccessError('keys_unavailable', { cause })
    })
  return async (token: string, maxTokenAge: number | undefined): Promise<Claims> => {
    if (token.length > TOKEN_MAX) throw new AccessError('invalid_token')
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience: clientId,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['sub', 'iat', 'exp', 'jti', 'sid', 'account_id', 'membership_id'],
      ...(maxTokenAge !== undefined && { maxTokenAge }),
    }).catch((cause) => {
      if (cause instanceof AccessError) throw cause
      throw new AccessError(cause instanceof errors.JWTExpired ? 'expired_token' : 'invalid_token', { cause })
    })
    // A DPoP-bound token (RFC 9449) is not valid as a bearer token.
    if (payload.cnf || payload.client_id !== clientId) throw new AccessError('invalid_token')
    const { sub, jti, iat, exp, sid, account_id, membership_id, roles, permissions, is_admin, profiles } =
      payload as TokenPayload
    return {
      sub,
      accountId: account_id,
      membershipId: membership_id,
      roles: roles ?? [],
      permissions: permissions ?? [],
      isAdmin: is_admin === true,
      profiles: profiles ?? [],
      sid,
      jti,
      issuedAt: iat,
      expiresAt: exp,
      payload,
    }
  }
}

type TokenPayload = Record<'sub' | 'jti' | 'sid' | 'account_id' | 'membership_id', string> &
  Record<'iat' | 'exp', number> & {
    roles?: string[]
    permissions?: string[]
    profiles?: string[]
    is_admin?: boolean
  }

type GuardedRequest = { headers: { authorization?: string | undefined }; params?: unknown }
type FastifyReply = {
  code(status: number): { headers(values: Record<string, string>): { send(body: unknown): unknown } }
}
type ExpressResponse = {
  status(code: number): { set(values: Record<string, string>): { json(body: unknown): unknown } }
}

/** The body repeats the error of the `WWW-Authenticate` header (RFC 6750 section 3.1). */
const bodyOf = ({ code, message }: AccessError) => ({ error: code, error_description: message })

/** The client that `createTenantry` returns. */
export type Tenantry = {
  /**
   * Verifies an access token with the public keys of the server and returns its claims: issuer, audience,
   * type, signature (ES256) and times (RFC 9068 section 4). Rejects service tokens, ID tokens and DPoP-bound
   * tokens. Throws AccessError: `invalid_token`, `expired_token`, `revoked_token` (401), `keys_unavailable`,
   * `feed_down` (503).
   *
   * @example
   * ```js
   * const claims = await tenantry.verify(token)
   * requireAccount(claims, accountId)
   * requirePermission(claims, 'orders:read')
   * ```
   */
  verify(token: string): Promise<Claims>

  /**
   * A guard for Fastify, for `onRequest` of a route or `addHook` of a scope. It sends error responses
   * according to RFC 6750. In the handler, `claimsOf(request)` returns the claims.
   *
   * @example
   * ```js
   * const guard = tenantry.fastify({ account: 'accountId', permission: 'orders:read' })
   * app.get('/accounts/:accountId/orders', { onRequest: guard }, (request) =>
   *   ordersOf(claimsOf(request).accountId),
   * )
   * ```
   */
  fastify(requirements?: Requirements): (request: GuardedRequest, reply: FastifyReply) => Promise<unknown>

  /**
   * The same guard as Express middleware. With `account`, use it on the route itself: Express has no path
   * parameters in earlier middleware.
   *
   * @example
   * ```js
   * const guard = tenantry.express({ account: 'accountId', role: 'clerk' })
   * app.get('/accounts/:accountId/orders', guard, (request, response) => {
   *   response.json(ordersOf(claimsOf(request).accountId))
   * })
   * ```
   */
  express(
    requirements?: Requirements,
  ): (request: GuardedRequest, response: ExpressResponse, next: (error?: unknown) => void) => void

  /**
   * Follows the event stream, so that `verify` and the guards reject revoked tokens within a second. Reads
   * earlier revocations first, then resolves. If the server is unavailable, resolves after `downAfter` and
   * keeps retrying. Rejects with ApiError if the server rejects the client: a wrong secret, or a system that
   * may not use client credentials. Keeps the process running until `close`.
   *
   * @example
   * ```js
   * await tenantry.follow({ onFeedDown: 'refuse', downAfter: 30 })
   * ```
   */
  follow(options?: FollowOptions): Promise<void>

  /** Disconnects the event stream. */
  close(): void

  /**
   * Calls the admin API with a service token of your system. Paths, fields and responses are typed by the
   * OpenAPI document. Calls are not retried; with the header `idempotency-key` a POST can be repeated safely.
   * Throws ApiError with the `code` of the error response, or `unreachable` if there is no response within 15
   * s.
   *
   * @example
   * ```js
   * const { data } = await tenantry.admin.get('/admin/users', { query: { search: 'alice@example.com' } })
   * const body = { userId: data[0].id, accountId }
   * const { id: membershipId } = await tenantry.admin.post('/admin/memberships', { body })
   * await tenantry.admin.delete('/admin/memberships/{membershipId}', { path: { membershipId } })
   * ```
   */
  admin: Admin
}

/**
 * Creates a client for one system of one server. It makes no request until it is used.
 *
 * @example
 * ```js
 * const tenantry = createTenantry({
 *   issuer: 'https://id.example.com',
 *   clientId: process.env.TENANTRY_CLIENT_ID,
 *   clientSecret: process.env.TENANTRY_CLIENT_SECRET,
 * })
 * ```
 */
export function createTenantry(options: Options): Tenantry {
  const settings = { ...options, issuer: options.issuer.replace(/\/$/, '') }
  const connection = connect(settings)
  const verifyToken = createVerifier(settings)
  let feed: Feed | undefined

  async function verify(token: string): Promise<Claims> {
    const claims = await verifyToken(token, feed?.accessTokenLifetime)
    const status = (await feed?.statusOf(claims)) ?? 'active'
    if (status === 'active') return claims
    throw new AccessError(status === 'revoked' ? 'revoked_token' : 'feed_down')
  }

  async function authorize(
    request: GuardedRequest,
    { account, role, permission, admin }: Requirements,
  ): Promise<void> {
    const token = /^bearer ([\w\-.~+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw new AccessError('missing_token')
    const claims = await verify(token)
    if (account !== undefined)
      requireAccount(claims, (request.params as Record<string, string> | undefined)?.[account])
    if (role !== undefined) requireRole(claims, role)
    if (permission !== undefined) requirePermission(claims, permission)
    if (admin) requireAdmin(claims)
    claimsByRequest.set(request, claims)
  }

  return {
    verify,
    fastify: (requirements = {}) => {
      return async (request, reply) => {
        try {
          return await authorize(request, requirements)
        } catch (error) {
          if (!(error instanceof AccessError)) throw error
          return reply.code(error.statusCode).headers(error.headers).send(bodyOf(error))
        }
      }
    },
    express: (requirements = {}) => {
      return async (request, response, next) => {
        try {
          await authorize(request, requirements)
        } catch (error) {
          if (!(error instanceof AccessError)) return next(error)
          return void response.status(error.statusCode).set(error.headers).json(bodyOf(error))
        }
        next()
      }
    },
    follow(given = {}) {
      feed?.close()
      feed = createFeed(connection, given)
      return feed.ready
    },
    close: () => feed?.close(),
    admin: Object.fromEntries(
      METHODS.map((method) => [
        method,
        (path: string, given?: Call) => connection.request(method, path, given),
      ]),
    ) as Admin,
  }
}
