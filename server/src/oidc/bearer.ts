/**
 * Authenticates callers of the admin API by their bearer token and the current
 * state of its session or system.
 */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { reachesPlatform } from '../config/setting.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Caller, demand } from '../http/authority.ts'
import { isRead } from '../http/methods.ts'
import { classOf } from '../http/power.ts'
import { apiPathOf, changedIds, isSignInTooOld, signInTooOld } from '../http/recent-sign-in.ts'
import { isPower } from '../resources/roles/power.ts'
import { findMember, findRevoked, isRevoked } from '../resources/sessions/queries.ts'
import { isOfCredential } from '../resources/sessions/service-tokens.ts'
import { type ClientSystem, clientOf, findClients, isOfPlatform } from '../resources/systems/queries.ts'
import type { ServiceClaims, TokenVerifier, UserClaims } from './keys/token-verifier.ts'

export type BearerParts = { db: Db; config: Config; tokens: TokenVerifier }

/**
 * The onRequest hook of all routes under /admin: sets `request.caller`, and refuses
 * authorities the route does not declare.
 */
export function adminGuard(parts: BearerParts) {
  return async (request: FastifyRequest): Promise<void> => {
    const caller = await callerOf(parts, request)
    request.caller = caller
    request.actor = caller.actor
    const { authority } = request.routeOptions.config
    demand(caller, Array.isArray(authority) ? authority : [])
  }
}

/**
 * The preHandler hook of all routes under /admin: refuses an operation that requires a recent authentication
 * of the user (http/power.ts).
 */
export function demandRecentSignIn(db: Db) {
  return async (request: FastifyRequest): Promise<void> => {
    const { caller, method, routeOptions } = request
    if (!isSignInTooOld(caller)) return
    const url = apiPathOf(routeOptions.url ?? '')
    if (await isPower(db, classOf({ method, url }), request)) throw signInTooOld()
    if (isRead(request) || caller.authority !== 'platform') return
    const ids = changedIds(request)
    if (ids.length > 0 && (await isOfPlatform(db, ids))) throw signInTooOld()
  }
}

/**
 * Checks the tokens of long-lived requests again, all with two statements and one more for each user. Returns
 * the requests whose token has expired, was revoked, or whose caller has lost its authority.
 */
export function recheckTokens(parts: BearerParts) {
  return async (requests: FastifyRequest[]): Promise<Set<FastifyRequest>> => {
    const asked = await Promise.all(
      requests.map(async (request) => ({ request, token: await tokenOf(parts, request) })),
    )
    const services = asked.flatMap(({ token }) => (token?.kind === 'service' ? [token.claims] : []))
    const [clients, revoked] = await Promise.all([
      findClients(parts.db, [...new Set(services.map(({ client_id }) => client_id))]),
      findRevoked(parts.db, [...new Set(services.map(({ jti }) => jti))]),
    ])
    const isAccepted = async ({ request, token }: (typeof asked)[number]) => {
      if (!token) return false
      const { claims } = token
      const caller =
        token.kind === 'user'
          ? await userCaller(parts, request, token.claims)
          : revoked.has(claims.jti)
            ? undefined
            : serviceCaller(parts, request, token.claims, clients.get(claims.client_id))
      return Boolean(caller && isWithin(request, caller))
    }
    const accepted = await Promise.all(asked.map(isAccepted))
    return new Set(requests.filter((_, index) => !accepted[index]))
  }
}

/** Whether the caller of a request still has the authority and the system that it was accepted with. */
const isWithin = ({ caller: before }: FastifyRequest, { authority, systemId }: Caller): boolean =>
  authority === before.authority && systemId === before.systemId

/** RFC 6750 section 2.1; the scheme is case-insensitive. */
const BEARER = /^bearer ([\w\-.~+/]+=*)$/i

async function tokenOf({ tokens }: BearerParts, { headers }: FastifyRequest) {
  const presented = BEARER.exec(headers.authorization ?? '')?.[1]
  return presented === undefined ? undefined : tokens.verify(presented)
}

async function callerOf(parts: BearerParts, request: FastifyRequest): Promise<Caller> {
  const token = await tokenOf(parts, request)
  const caller =
    token?.kind === 'user'
      ? await userCaller(parts, request, token.claims)
      : token?.kind === 'service'
        ? await currentServiceCaller(parts, request, token.claims)
        : undefined
  if (!caller) throw new Failure('invalid_token')
  return caller
}

/**
 * A user whose session has not ended and whose membership is active. The authority is that of the
 * current roles, not of the token.
 */
async function userCaller(
  { db }: BearerParts,
  request: FastifyRequest,
  claims: UserClaims,
): Promise<Caller | undefined> {
  if (claims.cnf) return undefined // bound to a key (RFC 9449), so it is no bearer token
  const member = await findMember(db, claims.sid)
  if (
    member?.status !== 'active' ||
    member.user.disabled ||
    member.user.id !== claims.sub ||
    member.clientId !== claims.client_id
  )
    return undefined
  const account = member.accountAdminApi ? 'account' : 'none'
  // A user who acts for a member administers nothing.
  const isOwn = member.actorId === null
  const authority = !member.isAdmin || !isOwn ? 'none' : member.platform ? 'platform' : account
  return {
    authority,
    actor: {
      ...request.actor,
      type: 'user',
      id: member.actorId ?? claims.sub,
      ...(authority !== 'none' && { authority }),
    },
    systemId: member.systemId,
    accountId: member.accountId,
    expiresAt: new Date(claims.exp * 1_000),
    authenticatedAt: claims.auth_time ?? null,
    connectionId: member.connectionId,
  }
}

async function currentServiceCaller(
  parts: BearerParts,
  request: FastifyRequest,
  claims: ServiceClaims,
): Promise<Caller | undefined> {
  if (claims.cnf) return undefined
  const [system, revoked] = await Promise.all([
    clientOf(parts.db, claims.client_id),
    isRevoked(parts.db, claims.jti),
  ])
  return revoked ? undefined : serviceCaller(parts, request, claims, system)
}

/** The backend of a system that is still allowed to use client credentials. */
function serviceCaller(
  { config }: BearerParts,
  request: FastifyRequest,
  claims: ServiceClaims,
  system: ClientSystem | undefined,
): Caller | undefined {
  if (!system?.allowClientCredentials || !isOfCredential(claims.jti, system)) return undefined
  const isWidened = reachesPlatform(config.SERVICE_TOKEN_REACH, claims.client_id)
  const authority = system.platform || isWidened ? 'platform' : 'system'
  return {
    authority,
    actor: { ...request.actor, type: 'service', id: claims.client_id, authority },
    systemId: system.id,
    accountId: null,
    expiresAt: new Date(claims.exp * 1_000),
  }
}
