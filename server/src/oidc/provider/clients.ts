/** Systems as the protocol library knows them: clients. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { AdapterPayload, Client as LibraryClient, Provider } from 'oidc-provider'
import { type Seal, sameText } from '../../crypto/seal.ts'
import type { Branding } from '../../database/schema.ts'
import { markOf } from '../../resources/sessions/service-tokens.ts'
import type { Client } from '../../resources/systems/queries.ts'
import { applicationType } from '../../resources/systems/redirect-uris.ts'
import { hashSecret } from '../../resources/systems/secret.ts'
import type { Brand } from '../../ui/brand.ts'
import { requestContext } from '../storage/storage.ts'

/** Members of the client metadata that are ours; see `extraClientMetadata` in provider.ts. */
export const CLIENT_EXTRAS = [
  'system_id',
  'allow_client_credentials',
  'platform',
  'multi_account',
  'open',
  'skip_consent',
  'require_email_otp',
  'require_mfa',
  'branding',
  'previous_secret_hash',
] as const

/** What the library keeps of how a system presents itself. */
export const brandOf = (client: LibraryClient): Brand => ({
  name: client.clientName ?? client.clientId,
  branding: (client.branding ?? {}) as Branding,
})

const made = new WeakMap<Client, AdapterPayload>()

/** A system in the terms of OpenID Connect Dynamic Client Registration section 2; made once for what clientOf holds. */
export function clientMetadata(system: Client): AdapterPayload {
  const known = made.get(system) ?? withDigest(metadataOf(system))
  made.set(system, known)
  return known
}

/** The library recognises a client by what its metadata is as JSON, in each request: a digest stands for that. */
function withDigest(metadata: AdapterPayload): AdapterPayload {
  const digest = hash('sha256', JSON.stringify(metadata), 'base64url')
  return Object.defineProperty(metadata, 'toJSON', { value: () => digest })
}

function metadataOf(system: Client): AdapterPayload {
  const isPublic = system.clientType === 'public'
  return {
    client_id: system.clientId,
    client_name: system.name,
    ...(isPublic ? {} : { client_secret: system.secretHash ?? '-' }), // a hash: see compareHashedSecrets
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic', // the body is accepted as well
    // `native` lets loopback redirects use any port (RFC 8252 section 7.3) and allows private schemes.
    application_type: applicationType([...system.redirectUris, ...system.postLogoutRedirectUris]) ?? 'web',
    // client_credentials is refused by allow_client_credentials: what isn't listed here would be called invalid_request.
    grant_types: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
      'client_credentials',
    ],
    response_types: system.redirectUris.length > 0 ? ['code'] : [], // the library refuses a client that can redirect nowhere
    redirect_uris: system.redirectUris,
    post_logout_redirect_uris: system.postLogoutRedirectUris,
    scope: system.allowedScopes.join(' '),
    id_token_signed_response_alg: system.idTokenAlg,
    system_id: system.id,
    allow_client_credentials: system.allowClientCredentials && !isPublic, // a public client has nothing to prove itself with
    platform: system.platform,
    multi_account: system.multiAccount,
    open: system.open, // to people who are not members yet
    skip_consent: system.skipConsent,
    require_email_otp: system.requireEmailOtp,
    require_mfa: system.requireMfa,
    branding: system.branding,
    ...(system.previousAlive && { previous_secret_hash: system.previousSecretHash }),
  } as AdapterPayload
}

/** As they are stored, hashed. */
type Secrets = { clientSecret?: string; previous_secret_hash?: string }
/** What a client last proved itself with, as a plain digest (the keyed hash is several times its work), and the mark of that secret. */
type Proof = { digest: Buffer; mark: string }
const proofs = new WeakMap<object, Proof>()
const marks = new WeakMap<object, string>()

/** The mark of the secret by which the client of a request has proved itself. None is no mark of any secret. */
export const secretMark = (ctx: object): string => marks.get(ctx) ?? ''

/**
 * Compares what a client sent with the stored hashes: the current secret's and, for the time of a rotation's grace,
 * the one before. Overriding this method is the library's own way to keep secrets hashed (panva/node-oidc-provider#1410).
 */
export function compareHashedSecrets(provider: Provider, seal: Seal): void {
  provider.Client.prototype.compareClientSecret = function compare(this: Secrets, actual: string) {
    const known = proofs.get(this) // its secrets never change: other metadata, another client
    const digest = hash('sha256', actual, 'buffer')
    const proof = known && timingSafeEqual(digest, known.digest) ? known : prove(this, seal, actual, digest)
    if (!proof) return false
    if (proof !== known) proofs.set(this, proof)
    const ctx = requestContext()
    if (ctx) marks.set(ctx, proof.mark)
    return true
  }
}

function prove(
  { clientSecret, previous_secret_hash }: Secrets,
  seal: Seal,
  actual: string,
  digest: Buffer,
): Proof | undefined {
  const stored = hashSecret(seal, actual)
  const found = [clientSecret, previous_secret_hash].find(
    (each) => each !== undefined && sameText(stored, each),
  )
  return found === undefined ? undefined : { digest, mark: markOf(found) }
}
