/**
 * Access tokens of service accounts (`grant_type=client_credentials`): programs of a tenant, with the roles
 * and the account of the service account, for the system of the account. They are bearer tokens of the
 * lifetime of a user's access token, and our own APIs do not accept them.
 */
import { type AdapterPayload, errors } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { writeHandle } from '../../database/transaction.ts'
import { findServiceClient, type ServiceClient, touchKey } from '../../resources/service-accounts/queries.ts'
import { isRevoked, rightsOf } from '../../resources/sessions/queries.ts'
import { defaultResource } from '../grants.ts'
import { type ServiceContext, UNTYPED_CLAIMS } from '../policy/claims.ts'
import { requestState } from '../policy/request-state.ts'
import { serviceAccountOf } from './clients.ts'
import { accessTokenSigner } from './service-grant.ts'
import type { EcSigner } from './signing-keys.ts'
import type { ServiceClaims } from './token-verifier.ts'

type Parts = { config: Config; db: Db }

/** `membership_id` is the id of the service account, which acts in this account only. */
function claimsOf({ id, accountId, rights }: ServiceClient) {
  const { roles, isAdmin, permissions } = rightsOf(rights)
  return { account_id: accountId, membership_id: id, roles, is_admin: isAdmin, permissions }
}

export function serviceAccountGrant({ config, db }: Parts, signer: EcSigner) {
  const sign = accessTokenSigner(signer)
  return async (ctx: ServiceContext): Promise<void> => {
    const { client } = ctx.oidc
    const found = serviceAccountOf(client)
    const key = requestState(ctx).serviceKey
    if (!found || !key) throw new Error('the client has not authenticated with a key')
    demandPlain(ctx, config)
    if (!found.system.isAllowed)
      throw new errors.UnauthorizedClient('the system does not allow service accounts')
    if (found.disabled) throw new errors.UnauthorizedClient('the service account is disabled')
    if (key.isTouchDue) await touchKey(await writeHandle(db), key.id)
    const iat = Math.floor(Date.now() / 1_000)
    const exp = Math.min(iat + config.TTL_ACCESS_TOKEN, key.exp ?? Number.POSITIVE_INFINITY)
    const payload = {
      ...claimsOf(found),
      jti: `${key.id}.${crypto.randomUUID()}`, // begins with the key, as that of a user's token with its session
      sub: found.clientId,
      iat,
      exp,
      client_id: found.clientId,
      iss: config.BASE_URL,
      aud: found.system.clientId,
      ...(client.access_token_type === 'JWT' && UNTYPED_CLAIMS),
    }
    const access_token = sign(String(client.access_token_type), payload)
    ctx.body = { access_token, expires_in: exp - iat, token_type: 'Bearer' }
  }
}

/** A token has the permissions of the roles, no scopes (RFC 6749 section 3.3), and one audience. */
function demandPlain({ oidc: { params }, headers }: ServiceContext, { BASE_URL }: Config): void {
  const { scope = '', resource } = (params ?? {}) as Record<string, unknown>
  if (String(scope).trim() !== '')
    throw new errors.InvalidScope('a token of a service account has no scopes', String(scope))
  if (resource !== undefined && resource !== defaultResource(BASE_URL)) throw new errors.InvalidTarget()
  if (headers.dpop !== undefined)
    throw new errors.InvalidRequest('a token of a service account cannot be bound to a key')
}

/** A token that is presented, with the claims as they are now; undefined if it is not accepted any more. */
export async function storedServiceAccountToken(
  db: Db,
  claims: ServiceClaims,
): Promise<AdapterPayload | undefined> {
  const found = await findServiceClient(db, claims.client_id)
  const [keyId] = claims.jti.split('.')
  if (!found || found.disabled || !found.system.isAllowed) return undefined
  if (!found.keys?.some(({ id }) => id === keyId) || (await isRevoked(db, claims.jti))) return undefined
  const { client_id: clientId, jti, iat, exp, aud } = claims
  const extra = { sub: clientId, ...claimsOf(found) }
  return { kind: 'ClientCredentials', jti, clientId, iat, exp, aud, extra } as AdapterPayload
}
