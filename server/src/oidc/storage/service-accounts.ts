/** Tokens of service accounts, which are not stored: their claims, and a token that is presented. */
import type { AdapterPayload } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import {
  findServiceClient,
  refusalOfClient,
  type ServiceClient,
} from '../../resources/service-accounts/queries.ts'
import { isRevoked, rightsOf } from '../../resources/sessions/queries.ts'
import type { ServiceClaims } from '../keys/token-verifier.ts'

/** `membership_id` is the id of the service account, which acts in this account only. */
export function claimsOf({ id, accountId, rights }: ServiceClient) {
  const { roles, isAdmin, permissions } = rightsOf(rights)
  return { account_id: accountId, membership_id: id, roles, is_admin: isAdmin, permissions }
}

/** A token that is presented, with the claims as they are now; undefined if it is not accepted any more. */
export async function storedServiceAccountToken(
  db: Db,
  claims: ServiceClaims,
): Promise<AdapterPayload | undefined> {
  const found = await findServiceClient(db, claims.client_id)
  const [keyId] = claims.jti.split('.')
  if (!found || refusalOfClient(found) !== undefined) return undefined
  if (!found.keys?.some(({ id }) => id === keyId) || (await isRevoked(db, claims.jti))) return undefined
  const { client_id: clientId, jti, iat, exp, aud } = claims
  const extra = { sub: clientId, ...claimsOf(found) }
  return { kind: 'ClientCredentials', jti, clientId, iat, exp, aud, extra } as AdapterPayload
}
