/** The clients of the protocol library: systems, service accounts, and the built-in client of /account. */

import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import { installationName } from '../../config/installation-name.ts'
import { readHandle } from '../../database/transaction.ts'
import { isServiceClientId } from '../../resources/service-accounts/changes.ts'
import { findServiceClient, type ServiceClient } from '../../resources/service-accounts/queries.ts'
import type { RegisteredKeys } from '../../resources/systems/client-keys.ts'
import { type Client, cachedClient, clientOf } from '../../resources/systems/queries.ts'
import { applicationType } from '../../resources/systems/redirect-uris.ts'
import {
  ACCOUNT_CALLBACK,
  ACCOUNT_CLIENT_ID,
  CONSOLE_CALLBACK,
  INVITATION_CALLBACK,
} from '../policy/client.ts'
import { type Storage, unused } from '../policy/storage.ts'

/** Our own client metadata; see `extraClientMetadata` in provider.ts. */
export const CLIENT_EXTRAS = [
  'system_id',
  'allow_client_credentials',
  'allow_acting',
  'platform',
  'multi_account',
  'open',
  'skip_consent',
  'require_email_otp',
  'require_mfa',
  'branding',
  'introspectable_by',
  'security_profile',
  'require_pkce',
  'access_token_type',
  'registered_keys',
  'keys_period',
  'previous_secret_hash',
  'service_account',
] as const

/** RFC 8693 (token-exchange.ts). */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

export function clientAdapter({ db, config }: Storage): Adapter {
  return {
    ...unused,
    async find(clientId) {
      if (clientId === ACCOUNT_CLIENT_ID) return accountClient(config)
      if (isServiceClientId(clientId)) {
        const found = await findServiceClient(await readHandle(db), clientId)
        if (found) return serviceClientMetadata(found)
      }
      const system = cachedClient(db, clientId) ?? (await clientOf(db, clientId, await readHandle(db)))
      return system && clientMetadata(system)
    },
  }
}

/** By the system as it is cached. */
const metadataByClient = new WeakMap<Client, AdapterPayload>()

/** A system as client metadata (OpenID Connect Dynamic Client Registration 1.0 section 2). */
function clientMetadata(system: Client): AdapterPayload {
  const known = metadataByClient.get(system) ?? metadataOf(system)
  metadataByClient.set(system, known)
  return known
}

function metadataOf(system: Client): AdapterPayload {
  const isPublic = system.clientType === 'public'
  return {
    client_id: system.clientId,
    client_name: system.name,
    ...authenticationOf(system),
    require_pkce: system.requirePkce,
    access_token_type: system.accessTokenType,
    ...(system.requireSignedRequestObject && { require_signed_request_object: true }),
    ...(system.securityProfile === 'fapi2' && FAPI_2),
    // `native` lets loopback redirects use any port (RFC 8252 section 7.3) and allows private schemes.
    application_type: applicationType([...system.redirectUris, ...system.postLogoutRedirectUris]) ?? 'web',
    // client_credentials is refused by allow_client_credentials; without it here the
    // error would be invalid_request.
    grant_types: [
      'authorization_code',
      'refresh_token',
      ...(system.allowDeviceFlow ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
      'client_credentials',
      TOKEN_EXCHANGE, // the same, by allow_acting
    ],
    // the library requires a redirect URI for `code`
    response_types: system.redirectUris.length > 0 ? ['code'] : [],
    redirect_uris: system.redirectUris,
    post_logout_redirect_uris: system.postLogoutRedirectUris.flatMap(spellingsOf),
    scope: system.allowedScopes.join(' '),
    id_token_signed_response_alg: system.idTokenAlg,
    system_id: system.id,
    // a public client cannot authenticate
    allow_client_credentials: system.allowClientCredentials && !isPublic,
    allow_acting: system.allowActingForMembers && !isPublic,
    platform: system.platform,
    multi_account: system.multiAccount,
    open: system.open, // users who are not members can join
    skip_consent: system.skipConsent,
    require_email_otp: system.requireEmailOtp,
    require_mfa: system.requireMfa,
    branding: system.branding,
    introspectable_by: system.introspectableBy,
  } as AdapterPayload
}

/**
 * A service account as client metadata: it can only use client credentials (service-accounts.ts). Without its
 * name, which an account admin chooses: anyone can send a browser to our own pages with its client id.
 */
const serviceClientMetadata = (found: ServiceClient): AdapterPayload =>
  ({
    client_id: found.clientId,
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: '-', // its keys are compared: see provider/client-secrets.ts
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    system_id: found.systemId,
    access_token_type: found.system.accessTokenType,
    introspectable_by: found.system.introspectableBy,
    service_account: found,
  }) as AdapterPayload

/**
 * A logout URI with an empty path has two spellings, with a slash and without (RFC 3986 section 6.2.3). Some
 * client libraries send the other one.
 */
const spellingsOf = (uri: string): string[] => {
  const origin = /^https?:\/\/[^/?]+(?=\/?$)/i.exec(uri)?.[0]
  return origin === undefined ? [uri] : [origin, `${origin}/`]
}

const FAPI_2 = {
  security_profile: 'fapi2',
  require_pushed_authorization_requests: true,
  dpop_bound_access_tokens: true,
}

/**
 * 5 minutes, in ms. The library verifies with fetched keys for as long as its client object exists, also with
 * those that are no longer published. It gets another object in each period.
 */
const KEYS_PERIOD = 300_000

/** How a client authenticates, and its keys. */
function authenticationOf(system: Client) {
  const { tokenEndpointAuthMethod: method, jwks, jwksUri } = system
  return {
    // client_secret_post is accepted as well
    token_endpoint_auth_method: method === 'client_secret' ? 'client_secret_basic' : method,
    ...(method === 'client_secret' && {
      client_secret: system.secretHash ?? '-', // a hash: see provider/client-secrets.ts
      ...(system.previousAccepted && { previous_secret_hash: system.previousSecretHash }),
    }),
    ...(jwks && { jwks }),
    ...(jwksUri !== null && { jwks_uri: jwksUri, keys_period: Math.floor(Date.now() / KEYS_PERIOD) }),
    ...((jwks || jwksUri !== null) && { registered_keys: { jwks, jwksUri } satisfies RegisteredKeys }),
  }
}

const accountMetadata = new Map<string, AdapterPayload>()

/** Client metadata (OpenID Connect Dynamic Client Registration section 2). */
function accountClient({ BASE_URL }: Pick<Config, 'BASE_URL'>): AdapterPayload {
  const known = accountMetadata.get(BASE_URL)
  if (known) return known
  const made = {
    client_id: ACCOUNT_CLIENT_ID,
    client_name: installationName({ BASE_URL }),
    token_endpoint_auth_method: 'none',
    grant_types: [],
    response_types: ['none'],
    redirect_uris: [ACCOUNT_CALLBACK, CONSOLE_CALLBACK, INVITATION_CALLBACK].map(
      (path) => `${BASE_URL}${path}`,
    ),
    scope: 'openid',
    skip_consent: true,
  } as unknown as AdapterPayload
  accountMetadata.set(BASE_URL, made)
  return made
}
