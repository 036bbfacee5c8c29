/**
 * Access tokens of service accounts (`grant_type=client_credentials`): programs of a tenant, with the roles
 * and the account of the service account, for the system of the account. They are bearer tokens of the
 * lifetime of a user's access token, and our own APIs do not accept them.
 */
import { errors } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { writeHandle } from '../../database/transaction.ts'
import { refusalOfClient, touchKey } from '../../resources/service-accounts/queries.ts'
import { defaultResource } from '../grants.ts'
import type { EcSigner, SigningKey } from '../keys/signing-keys.ts'
import { type ServiceContext, UNTYPED_CLAIMS } from '../policy/claims.ts'
import { requestState } from '../policy/request-state.ts'
import { claimsOf } from '../storage/service-accounts.ts'
import { accessTokenSigner, rsaTokenSigner } from './service-grant.ts'

type Parts = { config: Config; db: Db }

/** What signs the access tokens of each algorithm. */
type Signers = { ES256: EcSigner; RS256: SigningKey }

export function serviceAccountGrant({ config, db }: Parts, signers: Signers) {
  const sign = { ES256: accessTokenSigner(signers.ES256), RS256: rsaTokenSigner(signers.RS256) }
  return async (ctx: ServiceContext): Promise<void> => {
    const { client } = ctx.oidc
    const found = client.tenantry.serviceAccount
    const key = requestState(ctx).serviceKey
    if (!found || !key) throw new Error('the client has not authenticated with a key')
    demandPlain(ctx, config)
    const refusal = refusalOfClient(found)
    if (refusal !== undefined) throw new errors.UnauthorizedClient(refusal)
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
      ...(client.tenantry.accessTokenType === 'JWT' && UNTYPED_CLAIMS),
    }
    const { accessTokenAlg, accessTokenType } = client.tenantry
    const access_token = await sign[accessTokenAlg](accessTokenType, payload)
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
