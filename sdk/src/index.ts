/**
 * Tenantry client for the backend of an application: verifies access tokens, guards routes, rejects revoked
 * tokens within a second, verifies webhooks, and calls the admin API. It requests the public keys, one event
 * stream and service tokens from the server, and makes no request per verified token.
 */
import {
  AccessError,
  type Claims,
  type Requirements,
  requireAccount,
  requireAdmin,
  requirePermission,
  requireRole,
} from './access.ts'
import { connect, type Options } from './admin.ts'
import { createFeed, type Feed, type FollowOptions } from './feed.ts'
import { type Admin, adminOf } from './operations.ts'
import { type Organization, organizationOf } from './organization.ts'
import { createVerifier } from './verify.ts'

export {
  AccessError,
  type Claims,
  type Requirements,
  requireAccount,
  requireAdmin,
  requirePermission,
  requireRole,
} from './access.ts'
export { ApiError, type Options } from './admin.ts'
export type { Event, FollowOptions } from './feed.ts'
export type { Admin } from './operations.ts'
export type {
  Account,
  Change,
  Invitation,
  InvitationResult,
  Membership,
  NewInvitation,
  Organization,
  Profile,
  Role,
} from './organization.ts'
export { verifyWebhook } from './verify.ts'

const claimsByRequest = new WeakMap<object, Claims>()

/** The claims of a request that passed a guard. Throws if the route has no guard. */
export function claimsOf(request: object): Claims {
  const claims = claimsByRequest.get(request)
  if (!claims) throw new Error('This route has no Tenantry guard.')
  return claims
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
   * type, signature (ES256 or RS256) and times (RFC 9068 section 4). Rejects service tokens, ID tokens and
   * DPoP-bound tokens. Throws AccessError: `invalid_token`, `expired_token`, `revoked_token` (401),
   * `keys_unavailable`, `feed_down` (503).
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
   *
   * const query = { disabled: true, order: 'createdAt' }
   * for await (const { id, email } of tenantry.admin.each('/admin/users', { query })) console.log(id, email)
   * ```
   */
  admin: Admin

  /**
   * Calls the admin API with the access token of a user of your application, who must be an admin of the
   * account of the token: for pages where tenants manage their members. The system needs `accountAdminApi`;
   * `clientSecret` is not used.
   *
   * Each call first verifies the token like `verify`, without revocation, and throws AccessError if it is
   * invalid or has expired. The account is the `account_id` of the verified token. The server then decides by
   * the current state. Throws ApiError, among others with the codes `invalid_token` (the session has ended),
   * `insufficient_authority` (the user is not an admin) and `membership_not_found` (also for members of other
   * accounts).
   *
   * @example
   * ```js
   * const { members, invitations, roles } = tenantry.organization(token)
   * const [role] = await roles.assignable()
   * await invitations.invite({ email: 'alice@example.com', roles: [role.id] })
   * const { data } = await members.list({ status: 'pending', page: 1 })
   * for (const { id } of data) await members.approve(id)
   * ```
   */
  organization(token: string): Organization
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
  let knownSystemId: string | undefined
  const systemId = async (find: () => Promise<string>) => {
    knownSystemId ??= await find()
    return knownSystemId
  }
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
    admin: adminOf(connection.request),
    organization: (token) => {
      const claims = () => verifyToken(token, undefined)
      const admin = adminOf(async (method, path, given) => {
        await claims()
        return connection.request(method, path, given, token)
      })
      return organizationOf({ admin, claims, systemId })
    },
  }
}
