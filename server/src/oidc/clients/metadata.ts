/**
 * The metadata of each kind of client: a system, a service account, and the built-in client of /account. The
 * protocol library makes its client objects from it.
 */
import type { AdapterPayload } from 'oidc-provider'
import { installationName, type NamedInstallation } from '../../config/installation-name.ts'
import type { ServiceClient } from '../../resources/service-accounts/queries.ts'
import { addressesOf } from '../../resources/systems/application.ts'
import type { ClientSystem as System } from '../../resources/systems/queries.ts'
import { applicationType } from '../../resources/systems/redirect-uris.ts'
import {
  ACCOUNT_CALLBACK,
  ACCOUNT_CLIENT_ID,
  CONSOLE_CALLBACK,
  INVITATION_CALLBACK,
  type OwnMetadata,
} from './client.ts'

/** RFC 8693 (provider/token-exchange.ts). */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The metadata by the system as it is cached. */
const metadataBySystem = new WeakMap<System, AdapterPayload>()

/** A system as client metadata (OpenID Connect Dynamic Client Registration 1.0 section 2). */
export function systemMetadata(system: System): AdapterPayload {
  const known = metadataBySystem.get(system) ?? metadataOf(system)
  metadataBySystem.set(system, known)
  return known
}

function metadataOf(system: System): AdapterPayload {
  return {
    client_id: system.clientId,
    client_name: system.name,
    ...authenticationOf(system),
    ...(system.requireSignedRequestObject && { require_signed_request_object: true }),
    ...(system.securityProfile === 'fapi2' && FAPI_2),
    // `native` lets loopback redirects use any port (RFC 8252 section 7.3) and allows private schemes.
    application_type: applicationType([...system.redirectUris, ...system.postLogoutRedirectUris]) ?? 'web',
    // client_credentials is refused by allowClientCredentials; without it here the
    // error would be invalid_request.
    grant_types: [
      'authorization_code',
      'refresh_token',
      ...(system.allowDeviceFlow ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
      'client_credentials',
      TOKEN_EXCHANGE, // the same, by allowActing
    ],
    // the library requires a redirect URI for `code`
    response_types: system.redirectUris.length > 0 ? ['code'] : [],
    redirect_uris: system.redirectUris,
    post_logout_redirect_uris: system.postLogoutRedirectUris.flatMap(spellingsOf),
    scope: system.allowedScopes.join(' '),
    id_token_signed_response_alg: system.idTokenAlg,
    tenantry: ownMetadataOf(system),
  }
}

/** Our own metadata of a client that is no system. */
const NO_SYSTEM: OwnMetadata = {
  systemId: null,
  platform: false,
  multiAccount: false,
  open: false,
  skipConsent: false,
  requireEmailOtp: false,
  requireMfa: false,
  requirePkce: true,
  securityProfile: null,
  allowClientCredentials: false,
  allowActing: false,
  accessTokenType: 'at+jwt',
  accessTokenAlg: 'ES256',
  introspectableBy: [],
  allowedOrigins: [],
  branding: {},
  addresses: {
    clientUri: null,
    initiateLoginUri: null,
    policyUri: null,
    tosUri: null,
    supportUri: null,
  },
  registeredKeys: null,
  keysPeriod: null,
  previousSecretHash: null,
  serviceAccount: null,
}

function ownMetadataOf(system: System): OwnMetadata {
  const { id, jwks, jwksUri, previousAccepted, previousSecretHash } = system
  const isPublic = system.clientType === 'public'
  const isBySecret = system.tokenEndpointAuthMethod === 'client_secret'
  return {
    systemId: id,
    platform: system.platform,
    multiAccount: system.multiAccount,
    open: system.open, // users who are not members can join
    skipConsent: system.skipConsent,
    requireEmailOtp: system.requireEmailOtp,
    requireMfa: system.requireMfa,
    requirePkce: system.requirePkce,
    securityProfile: system.securityProfile,
    // a public client cannot authenticate
    allowClientCredentials: system.allowClientCredentials && !isPublic,
    allowActing: system.allowActingForMembers && !isPublic,
    accessTokenType: system.accessTokenType,
    accessTokenAlg: system.accessTokenAlg,
    introspectableBy: system.introspectableBy,
    allowedOrigins: system.allowedOrigins,
    branding: system.branding,
    addresses: addressesOf(system),
    registeredKeys: jwks || jwksUri !== null ? { jwks, jwksUri } : null,
    keysPeriod: jwksUri === null ? null : Math.floor(Date.now() / KEYS_PERIOD),
    previousSecretHash: isBySecret && previousAccepted ? previousSecretHash : null,
    serviceAccount: null,
  }
}

/**
 * A service account as client metadata: it can only use client credentials (service-accounts.ts). Without its
 * name, which an account admin chooses: anyone can send a browser to our own pages with its client id.
 */
export const serviceAccountMetadata = (found: ServiceClient): AdapterPayload => ({
  client_id: found.clientId,
  token_endpoint_auth_method: 'client_secret_basic',
  client_secret: '-', // its keys are compared: see provider/client-secrets.ts
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
  tenantry: {
    ...NO_SYSTEM,
    systemId: found.systemId,
    accessTokenType: found.system.accessTokenType,
    accessTokenAlg: found.system.accessTokenAlg,
    introspectableBy: found.system.introspectableBy,
    serviceAccount: found,
  },
})

/**
 * A logout URI with an empty path has two spellings, with a slash and without (RFC 3986 section 6.2.3). Some
 * client libraries send the other one.
 */
const spellingsOf = (uri: string): string[] => {
  const origin = /^https?:\/\/[^/?]+(?=\/?$)/i.exec(uri)?.[0]
  return origin === undefined ? [uri] : [origin, `${origin}/`]
}

const FAPI_2 = {
  require_pushed_authorization_requests: true,
  dpop_bound_access_tokens: true,
}

/**
 * 5 minutes, in ms. The library verifies with fetched keys for as long as its client object exists, also with
 * those that are no longer published. It gets another object in each period.
 */
const KEYS_PERIOD = 300_000

/** How a client authenticates, and its keys. */
function authenticationOf(system: System): Partial<AdapterPayload> {
  const { tokenEndpointAuthMethod: method, jwks, jwksUri } = system
  return {
    // client_secret_post is accepted as well
    token_endpoint_auth_method: method === 'client_secret' ? 'client_secret_basic' : method,
    ...(method === 'client_secret' && {
      client_secret: system.secretHash ?? '-', // a hash: see provider/client-secrets.ts
    }),
    ...(jwks && { jwks }),
    ...(jwksUri !== null && { jwks_uri: jwksUri }),
  }
}

const accountMetadata = new WeakMap<NamedInstallation, AdapterPayload>()

/** Client metadata (OpenID Connect Dynamic Client Registration section 2). */
export function accountClientMetadata(config: NamedInstallation): AdapterPayload {
  const known = accountMetadata.get(config)
  if (known) return known
  const made: AdapterPayload = {
    client_id: ACCOUNT_CLIENT_ID,
    client_name: installationName(config),
    token_endpoint_auth_method: 'none',
    grant_types: [],
    response_types: ['none'],
    redirect_uris: [ACCOUNT_CALLBACK, CONSOLE_CALLBACK, INVITATION_CALLBACK].map(
      (path) => `${config.BASE_URL}${path}`,
    ),
    scope: 'openid',
    tenantry: { ...NO_SYSTEM, skipConsent: true },
  }
  accountMetadata.set(config, made)
  return made
}
