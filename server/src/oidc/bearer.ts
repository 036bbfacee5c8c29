/**
 * Authenticates callers of the admin API by their bearer token and the current
 * state of its session or system.
 */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Caller, demand } from '../http/authority.ts'
import { findMember, isRevoked } from '../resources/sessions/queries.ts'
import { isOfSecret } from '../resources/sessions/service-tokens.ts'
import { clientOf } from '../resources/systems/queries.ts'
import type { ServiceClaims, TokenVerifier, UserClaims } from './provider/token-verifier.ts'

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

/** RFC 6750 section 2.1; the scheme is case-insensitive. */
const BEARER = /^bearer ([\w\-.~+/]+=*)$/i

async function callerOf(parts: BearerParts, request: FastifyRequest): Promise<Caller> {
  const presented = BEARER.exec(request.headers.authorization ?? '')?.[1]
  const token = presented === undefined ? undefined : await parts.tokens.verify(presented)
  const caller =
    token?.kind === 'user'
      ? await userCaller(parts, request, token.claims)
      : token?.kind === 'service'
        ? await serviceCaller(parts, request, token.claims)
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
  return {
    authority: !member.isAdmin ? 'none' : member.platform ? 'platform' : 'account',
    actor: { ...request.actor, type: 'user', id: claims.sub },
    systemId: member.systemId,
    accountId: member.accountId,
    expiresAt: new Date(claims.exp * 1_000),
  }
}

/** The backend of a system that is still allowed to use client credentials. */
async function serviceCaller(
  { db, config }: BearerParts,
  request: FastifyRequest,
  claims: ServiceClaims,
): Promise<Caller | undefined> {
  if (claims.cnf) return undefined
  const [system, revoked] = await Promise.all([clientOf(db, claims.client_id), isRevoked(db, claims.jti)])
  if (!system?.allowClientCredentials || revoked || !isOfSecret(claims.jti, system)) return undefined
  const isWidened = config.SERVICE_TOKEN_REACH === 'platform'
  return {
    authority: system.platform || isWidened ? 'platform' : 'system',
    actor: { ...request.actor, type: 'service', id: claims.client_id },
    systemId: system.id,
    accountId: null,
    expiresAt: new Date(claims.exp * 1_000),
  }
}
