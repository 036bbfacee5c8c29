/** Checks of the fields of a system that the schema cannot express. */
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { Failure, type FieldFault, invalid } from '../../errors.ts'
import { targetsOf, urlFault } from '../../http/outbound.ts'
import { imagesAt } from '../images/queries.ts'
import { APPLICATION_ADDRESSES, isOnOwnOrigin } from './application.ts'
import { keySetFaults } from './client-keys.ts'
import { findClients, type System } from './queries.ts'
import { addressFault, applicationType, httpsUriFault, originFault, uriFaults } from './redirect-uris.ts'
import type { Fields } from './schemas.ts'

const faultAt = (path: string, message: string | undefined): FieldFault[] =>
  message ? [{ path, message }] : []

/**
 * The URL of an upload is compared with the present one, which has the scheme of the issuer (branding.ts).
 */
const logoFault = (logoUrl: string | undefined, issuer: string): string | undefined =>
  logoUrl === undefined || logoUrl.startsWith(imagesAt({ BASE_URL: issuer }))
    ? undefined
    : httpsUriFault(logoUrl)

/** Checks what the schema cannot express for a field alone. Throws invalid_request with all faults. */
export function checkFields(
  fields: Fields,
  config: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE' | 'BASE_URL'>,
): void {
  const { BASE_URL: issuer } = config
  const targets = targetsOf(config)
  const { redirectUris, postLogoutRedirectUris, allowedOrigins = [], backchannelLogoutUri } = fields
  const { jwks, jwksUri, allowedScopes, branding } = fields
  const errors = [
    ...uriFaults('redirectUris', redirectUris),
    ...uriFaults('postLogoutRedirectUris', postLogoutRedirectUris),
    ...allowedOrigins.flatMap((origin, place) =>
      faultAt(`/allowedOrigins/${place}`, originFault(origin, issuer)),
    ),
    ...faultAt(
      '/backchannelLogoutUri',
      typeof backchannelLogoutUri === 'string' ? urlFault(backchannelLogoutUri, targets) : undefined,
    ),
    ...(['invitationUri', ...APPLICATION_ADDRESSES] as const).flatMap((field) =>
      faultAt(
        `/${field}`,
        typeof fields[field] === 'string' ? addressFault(fields[field], issuer) : undefined,
      ),
    ),
    ...keySetFaults(jwks),
    ...faultAt('/jwksUri', typeof jwksUri === 'string' ? urlFault(jwksUri, targets) : undefined),
    ...faultAt(
      '/allowedScopes',
      allowedScopes?.includes('openid') === false ? 'must contain openid' : undefined,
    ),
    ...faultAt('/branding/logoUrl', logoFault(branding?.logoUrl, issuer)),
  ]
  if (errors.length > 0) throw new Failure('invalid_request', { errors })
}

/**
 * Checks the fields of a system against each other. Call it inside the transaction. Throws invalid_request.
 */
export function checkWhole(system: System): void {
  if (system.clientType === 'public' && system.allowClientCredentials) {
    throw invalid(
      '/allowClientCredentials',
      'is for confidential clients: a public client cannot authenticate (RFC 6749 section 4.4)',
    )
  }
  if (system.clientType === 'confidential' && system.allowedOrigins.length > 0)
    throw invalid('/allowedOrigins', 'is for public clients: a browser must not have the secret of a client')
  checkAuthentication(system)
  checkProfile(system)
  for (const field of ['invitationUri', 'initiateLoginUri'] as const) {
    const uri = system[field]
    if (uri !== null && !isOnOwnOrigin(uri, system.redirectUris))
      throw invalid(`/${field}`, 'must have the origin of one of redirectUris')
  }
  if (system.platform && system.allowDeviceFlow)
    throw invalid('/allowDeviceFlow', 'is not allowed for a platform system')
  checkActing(system)
  checkServiceAccounts(system)
  if (!applicationType([...system.redirectUris, ...system.postLogoutRedirectUris])) {
    throw invalid(
      '/redirectUris',
      "must not contain both an app's own scheme and https on a loopback address; use http for the loopback address",
    )
  }
}

function checkActing({ allowActingForMembers, clientType, platform, securityProfile }: System): void {
  if (!allowActingForMembers) return
  if (clientType === 'public') throw invalid('/allowActingForMembers', 'is for confidential clients')
  if (platform) throw invalid('/allowActingForMembers', 'is not allowed for a platform system')
  if (securityProfile) throw invalid('/allowActingForMembers', 'must be false if securityProfile is set')
}

/** Their tokens are bearer tokens, which the FAPI 2.0 Security Profile does not allow (section 5.3.2.1). */
function checkServiceAccounts({ allowServiceAccounts, platform, securityProfile }: System): void {
  if (!allowServiceAccounts) return
  if (platform) throw invalid('/allowServiceAccounts', 'is not allowed for a platform system')
  if (securityProfile) throw invalid('/allowServiceAccounts', 'must be false if securityProfile is set')
}

function checkAuthentication(system: System): void {
  const { clientType, tokenEndpointAuthMethod: method, jwks, jwksUri } = system
  const hasKeys = jwks !== null || jwksUri !== null
  if (clientType === 'public' && method !== 'none')
    throw invalid('/tokenEndpointAuthMethod', 'must be none for a public client')
  if (clientType === 'confidential' && method === 'none')
    throw invalid(
      '/tokenEndpointAuthMethod',
      'must be client_secret or private_key_jwt for a confidential client',
    )
  if (clientType === 'public' && hasKeys)
    throw invalid(
      jwks ? '/jwks' : '/jwksUri',
      'is for confidential clients: a public client has no private key',
    )
  if (jwks && jwksUri !== null) throw invalid('/jwksUri', 'must be null if jwks is set')
  if (clientType === 'public' && !system.requirePkce)
    throw invalid('/requirePkce', 'must be true for a public client (RFC 9700 section 2.1.1)')
  if (method === 'private_key_jwt' && !hasKeys)
    throw invalid('/tokenEndpointAuthMethod', 'requires jwks or jwksUri')
  if (system.requireSignedRequestObject && !hasKeys)
    throw invalid('/requireSignedRequestObject', 'requires jwks or jwksUri')
}

/** FAPI 2.0 Security Profile sections 5.3.2.1, 5.3.2.2 and 5.4.1. */
function checkProfile(system: System): void {
  if (system.securityProfile !== 'fapi2') return
  if (system.tokenEndpointAuthMethod !== 'private_key_jwt')
    throw invalid('/tokenEndpointAuthMethod', 'must be private_key_jwt if securityProfile is fapi2')
  if (system.idTokenAlg !== 'ES256') throw invalid('/idTokenAlg', 'must be ES256 if securityProfile is fapi2')
  if (system.accessTokenAlg !== 'ES256')
    throw invalid('/accessTokenAlg', 'must be ES256 if securityProfile is fapi2')
  if (!system.requirePkce) throw invalid('/requirePkce', 'must be true if securityProfile is fapi2')
  if (system.allowDeviceFlow) throw invalid('/allowDeviceFlow', 'must be false if securityProfile is fapi2')
}

/**
 * Checks that systems which are to introspect the tokens of another exist and authenticate. Throws
 * invalid_request. `before` may contain systems that have been deleted since.
 */
export async function checkIntrospectors(
  tx: Db,
  clientIds: readonly string[] = [],
  before: readonly string[] = [],
) {
  const found = await findClients(
    tx,
    clientIds.filter((each) => !before.includes(each)),
  )
  const errors = clientIds.flatMap((clientId, place) =>
    before.includes(clientId) || found.get(clientId)?.clientType === 'confidential'
      ? []
      : [{ path: `/introspectableBy/${place}`, message: 'is not the client id of a confidential client' }],
  )
  if (errors.length > 0) throw new Failure('invalid_request', { errors })
}
