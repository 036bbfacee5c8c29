/** Who calls the admin API: the bearer token, and the live state behind it. Sets `request.caller` or refuses. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Caller, demand } from '../http/authority.ts'
import { findMember, isRevoked } from '../resources/sessions/queries.ts'
import { isOfSecret } from '../resources/sessions/service-tokens.ts'
import { clientOf } from '../resources/systems/clients.ts'
import type { ServiceClaims, TokenVerifier, UserClaims } from './provider/tokens.ts'

export type BearerParts = { db: Db; config: Config; tokens: TokenVerifier }

/** The onRequest hook of everything under /admin. A route declares which authorities it takes. */
export function adminGuard(parts: BearerParts) {
  return async (request: FastifyRequest): Promise<void> => {
    const caller = await callerOf(parts, request)
    request.caller = caller
    request.actor = caller.actor
    const { authority } = request.routeOptions.config
    if (request.is404 && caller.authority !== 'none') return
    demand(caller, Array.isArray(authority) ? authority : [])
  }
}

/** One space, one token (RFC 6750 section 2.1); the scheme in any letter case. */
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

/** A person, if the session lives and the membership is active; with authority if one of its roles is admin now, whatever the token says. */
async function userCaller(
  { db }: BearerParts,
  request: FastifyRequest,
  claims: UserClaims,
): Promise<Caller | undefined> {
  if (claims.cnf) return undefined // bound to a key (RFC 9449): a bearer of it proves nothing
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

/** A system's own backend, while the system still may use client credentials. */
async function serviceCaller(
  { db, config }: BearerParts,
  request: FastifyRequest,
  claims: ServiceClaims,
): Promise<Caller | undefined> {
  if (claims.cnf) return undefined
  const [system, revoked] = [await clientOf(db, claims.client_id), await isRevoked(db, claims.jti)]
  if (!system?.allowClientCredentials || revoked || !isOfSecret(claims.jti, system)) return undefined
  const widened = config.SERVICE_TOKEN_REACH === 'platform'
  return {
    authority: system.platform || widened ? 'platform' : 'system',
    actor: { ...request.actor, type: 'service', id: claims.client_id },
    systemId: system.id,
    accountId: null,
    expiresAt: new Date(claims.exp * 1_000),
  }
}
