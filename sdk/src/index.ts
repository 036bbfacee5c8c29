/**
 * The client of Tenantry for the backend of a product: verifies access tokens, guards routes, refuses what was revoked
 * within a second of it, checks webhooks, and calls the admin API. It asks the server for its public keys, for one
 * stream of events and for service tokens, and never once per request.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { type Admin, type Call, connect, METHODS, type Options } from './admin.ts'
import { createFeed, type Event, type Feed, type FollowOptions } from './feed.ts'

export { type Admin, ApiError, type Options } from './admin.ts'
export type { Event, FollowOptions } from './feed.ts'

/** Two clocks may differ by so much, in s. */
const CLOCK_TOLERANCE = 5
/** Longer than any token of ours; nothing longer is looked at. */
const TOKEN_MAX = 16_384

/** code -> status, `error` of RFC 6750 section 3.1, and what it means. */
const REFUSALS = {
  missing_token: [401, undefined, 'There is no bearer token.'],
  invalid_token: [401, 'invalid_token', 'The access token is not one of ours for this application.'],
  expired_token: [401, 'invalid_token', 'The access token has expired.'],
  revoked_token: [401, 'invalid_token', 'The access token was revoked.'],
  wrong_account: [403, 'insufficient_scope', 'The access token is for another account.'],
  role_required: [403, 'insufficient_scope', 'A role is missing.'],
  permission_required: [403, 'insufficient_scope', 'A permission is missing.'],
  admin_required: [403, 'insufficient_scope', 'Only an admin of the account may do this.'],
  invalid_webhook: [400, undefined, 'This is no webhook of ours, or an old one.'],
  keys_unavailable: [503, undefined, 'The keys to verify tokens with can not be had at the moment.'],
  feed_down: [503, undefined, 'Whether the token was revoked can not be known at the moment.'],
} as const satisfies Record<string, readonly [number, string | undefined, string]>

/**
 * A request to you that is not to be served. Fastify and Express answer with `statusCode` and `headers` by themselves
 * when a handler throws it; the guards answer it, and do not throw.
 */
export class AccessError extends Error {
  override name = 'AccessError'
  readonly code: keyof typeof REFUSALS
  readonly statusCode: 400 | 401 | 403 | 503
  /** `WWW-Authenticate` of RFC 6750, or `Retry-After`. */
  readonly headers: Record<string, string>

  constructor(code: keyof typeof REFUSALS, { scope, ...options }: ErrorOptions & { scope?: string } = {}) {
    const [status, error, meaning] = REFUSALS[code]
    super(meaning, options)
    this.code = code
    this.statusCode = status
    const told = error ? `error="${error}", error_description="${meaning}"` : 'realm="tenantry"'
    const challenge = `Bearer ${told}${scope && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope) ? `, scope="${scope}"` : ''}`
    this.headers =
      status === 503 ? { 'retry-after': '1' } : status === 400 ? {} : { 'www-authenticate': challenge }
  }
}

/** Who asks, as the verified access token has it. Scope your data by `accountId`, never by `sub`. */
export type Claims = {
  /** The id of the user. */
  sub: string
  /** The id of the account; it never changes for a token. */
  accountId: string
  /** Names of the roles in this account, and the union of their scopes, as they were when the token was issued. */
  roles: string[]
  permissions: string[]
  /** Whether one of the roles is admin: of this account, of no other. */
  isAdmin: boolean
  profiles: string[]
  /** The session, the same for all tokens of one sign-in; and the token. */
  sid: string
  jti: string
  /** In s since 1970. */
  issuedAt: number
  expiresAt: number
  /** The whole token, with `scope`, `amr`, `auth_time` and what else is in it. */
  payload: JWTPayload
}

/** What a guard asks for beyond a valid token; all of it must hold. */
export type Demands = {
  /** The name of the path parameter that has to be the account of the token. */
  account?: string
  role?: string
  permission?: string
  /** That the person is an admin of the token's account. */
  admin?: boolean
}

/** Throws AccessError `wrong_account` (403) unless the token is for this account. */
export function requireAccount(claims: Claims, accountId: string | undefined): void {
  if (accountId === undefined || claims.accountId !== accountId) throw new AccessError('wrong_account')
}

/** Throws AccessError `role_required` (403) unless the person has the role, by its name. */
export function requireRole(claims: Claims, role: string): void {
  if (!claims.roles.includes(role)) throw new AccessError('role_required')
}

/** Throws AccessError `permission_required` (403) unless one of the roles has this scope. */
export function requirePermission(claims: Claims, permission: string): void {
  if (!claims.permissions.includes(permission))
    throw new AccessError('permission_required', { scope: permission })
}

/**
 * Throws AccessError `admin_required` (403) unless the person is an admin of the token's account. Which account that is
 * `requireAccount` has to settle: an admin of one is nobody in another.
 */
export function requireAdmin(claims: Claims): void {
  if (!claims.isAdmin) throw new AccessError('admin_required')
}

const claimsOfRequests = new WeakMap<object, Claims>()

/** The claims of a request that a guard let through; throws when none did. */
export function claimsOf(request: object): Claims {
  const claims = claimsOfRequests.get(request)
  if (!claims) throw new Error('No guard of Tenantry stands before this route.')
  return claims
}

/**
 * The event of a webhook, once its signature (Standard Webhooks, HMAC-SHA256) and its time are checked: `tolerance`, in
 * s, is how old it may be. `rawBody` is the body as it came, before anything parsed it. Several secrets while one is
 * rotated. Throws AccessError `invalid_webhook` (400). The same event may come more than once, with the same `id`.
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
  const genuine = keys.some((key) => {
    const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest()
    const given = header('webhook-signature')
      .split(' ')
      .filter((each) => each.startsWith('v1,'))
    return given
      .map((each) => Buffer.from(each.slice(3), 'base64'))
      .some((each) => each.length === 32 && timingSafeEqual(each, wanted))
  })
  if (id === '' || !(age <= tolerance) || !genuine) throw new AccessError('invalid_webhook')
  return JSON.parse(Buffer.from(rawBody).toString('utf8'))
}

/** Verifies what a token says by itself. */
function createVerifier({ issuer, clientId }: Options) {
  const remote = createRemoteJWKSet(new URL(`${issuer}/jwks`)) // kept for 10 min, asked for at most twice a minute
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
      requiredClaims: ['sub', 'iat', 'exp', 'jti', 'sid', 'account_id'],
      ...(maxTokenAge !== undefined && { maxTokenAge }),
    }).catch((cause) => {
      if (cause instanceof AccessError) throw cause
      throw new AccessError(cause instanceof errors.JWTExpired ? 'expired_token' : 'invalid_token', { cause })
    })
    // Bound to a key (RFC 9449): as a bearer's it proves nothing. And every user's token is for its own client.
    if (payload.cnf || payload.client_id !== clientId) throw new AccessError('invalid_token')
    const { sub, jti, iat, exp, sid, account_id, roles, permissions, is_admin, profiles } =
      payload as TokenPayload
    return {
      sub,
      accountId: account_id,
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

type TokenPayload = Record<'sub' | 'jti' | 'sid' | 'account_id', string> &
  Record<'iat' | 'exp', number> & {
    roles?: string[]
    permissions?: string[]
    profiles?: string[]
    is_admin?: boolean
  }

type Asked = { headers: { authorization?: string | undefined }; params?: unknown }
type FastifyAnswer = {
  code(status: number): { headers(values: Record<string, string>): { send(body: unknown): unknown } }
}
type ExpressAnswer = {
  status(code: number): { set(values: Record<string, string>): { json(body: unknown): unknown } }
}

/** RFC 6750 section 3.1 names the error in a header; for people who look at the body it is there as well. */
const bodyOf = ({ code, message }: AccessError) => ({ error: code, error_description: message })

/** What `createTenantry` gives. */
export type Tenantry = {
  /**
   * Who asks, by the access token of a request. It is verified here, with the public keys of the server: issuer,
   * audience, type, signature (ES256) and time (RFC 9068 section 4). Service tokens, ID tokens and tokens bound to a key
   * are refused. Throws AccessError: `invalid_token`, `expired_token`, `revoked_token` (401), `keys_unavailable`,
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
   * A guard of Fastify, for `onRequest` of a route or `addHook` of a whole scope. Refusals are answered as RFC 6750 has
   * it; `claimsOf(request)` is who was let through.
   *
   * @example
   * ```js
   * app.get('/accounts/:accountId/orders', { onRequest: tenantry.fastify({ account: 'accountId', permission: 'orders:read' }) }, (request) =>
   *   ordersOf(claimsOf(request).accountId),
   * )
   * ```
   */
  fastify(demands?: Demands): (request: Asked, reply: FastifyAnswer) => Promise<unknown>

  /**
   * The same as a middleware of Express. With `account` it stands at the route: before, Express knows no parameters.
   *
   * @example
   * ```js
   * app.get('/accounts/:accountId/orders', tenantry.express({ account: 'accountId', role: 'clerk' }), (request, response) => {
   *   response.json(ordersOf(claimsOf(request).accountId))
   * })
   * ```
   */
  express(
    demands?: Demands,
  ): (request: Asked, response: ExpressAnswer, next: (error?: unknown) => void) => void

  /**
   * From now on `verify` and the guards refuse what was revoked, within a second of it, by the stream of events. What
   * was revoked before the start is caught up with first: resolves then, or after `downAfter` without a server, which is
   * tried again for ever. Rejects with ApiError when the server refuses: a wrong secret, a system that may not use
   * client credentials. Keeps the process alive until `close`.
   *
   * @example
   * ```js
   * await tenantry.follow({ onFeedDown: 'refuse', downAfter: 30 })
   * ```
   */
  follow(options?: FollowOptions): Promise<void>

  /** Follows no longer. */
  close(): void

  /**
   * The admin API, with a service token of your system. Paths, fields and answers are typed by the OpenAPI document. No
   * call is repeated by itself; an `idempotency-key` makes a POST safe to repeat. Throws ApiError with the `code` of the
   * refusal, `unreachable` when there was no answer within 15 s.
   *
   * @example
   * ```js
   * const { data } = await tenantry.admin.get('/admin/users', { query: { search: 'alice@example.com' } })
   * const membership = await tenantry.admin.post('/admin/memberships', { body: { userId: data[0].id, accountId } })
   * await tenantry.admin.delete('/admin/memberships/{membershipId}', { path: { membershipId: membership.id } })
   * ```
   */
  admin: Admin
}

/**
 * A client of one server for one system. It does nothing until it is used.
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
    const claims = await verifyToken(token, feed?.accessTokenLife)
    const known = (await feed?.judge(claims)) ?? 'alive'
    if (known === 'alive') return claims
    throw new AccessError(known === 'revoked' ? 'revoked_token' : 'feed_down')
  }

  async function admit(request: Asked, { account, role, permission, admin }: Demands): Promise<void> {
    const token = /^bearer ([\w\-.~+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw new AccessError('missing_token')
    const claims = await verify(token)
    if (account !== undefined)
      requireAccount(claims, (request.params as Record<string, string> | undefined)?.[account])
    if (role !== undefined) requireRole(claims, role)
    if (permission !== undefined) requirePermission(claims, permission)
    if (admin) requireAdmin(claims)
    claimsOfRequests.set(request, claims)
  }

  return {
    verify,
    fastify: (demands = {}) => {
      return async (request, reply) => {
        try {
          return await admit(request, demands)
        } catch (error) {
          if (!(error instanceof AccessError)) throw error
          return reply.code(error.statusCode).headers(error.headers).send(bodyOf(error))
        }
      }
    },
    express: (demands = {}) => {
      return async (request, response, next) => {
        try {
          await admit(request, demands)
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
