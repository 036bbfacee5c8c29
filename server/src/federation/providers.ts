/**
 * Other identity providers: authorization code flow with PKCE, `state` and `nonce`, by openid-client.
 * Provider metadata is read at the first sign-in, so that an unavailable provider does not affect the others.
 */
import * as oidc from 'openid-client'
import type { Config } from '../config/config.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { Failure, type FailureCode } from '../errors.ts'
import { call } from '../http/outbound.ts'
import { APPLE_REQUEST, appleClaims, appleName, appleSecret, appleServer } from './apple.ts'
import { githubPerson, githubServer } from './github.ts'
import { type ProviderPerson, personOf } from './identity.ts'

/** 1 hour, in ms: the lifetime of cached provider metadata. The library refreshes the keys. */
const METADATA_MAX = 3_600_000

/** Values of one authorization request that its response is verified against. */
export type AuthorizationValues = { state: string; nonce: string; verifier: string }
export const newAuthorizationValues = (): AuthorizationValues => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
})

export type Providers = {
  find(id: unknown): SocialProvider | undefined
  /** The authorization URL. Throws `provider_unavailable`. */
  begin(provider: SocialProvider, values: AuthorizationValues): Promise<URL>
  /**
   * Verifies the response and returns the user of the provider. `said`: the user field of Apple. Throws a
   * failure whose code starts with `provider_`.
   */
  complete(
    provider: SocialProvider,
    values: AuthorizationValues,
    query: URLSearchParams,
    said?: string,
  ): Promise<ProviderPerson>
}

const OPENID_REQUEST = { scope: 'openid email profile' } as const

export function createProviders(config: Config): Providers {
  const known = new Map<string, { configured: Promise<oidc.Configuration>; until: number }>()
  /** The providers whose secret was replaced in its file, by id. */
  const renewed = new Map<string, SocialProvider>()
  const present = (provider: SocialProvider) => renewed.get(provider.id) ?? provider
  /** Reads the file again. Whether the secret is another than that of a provider. */
  const hasChanged = (used: SocialProvider): boolean => {
    if (!isSameSecret(present(used), used)) return true // another sign-in has met it before
    const now = config.rereadProvider(used.id)
    if (!now || isSameSecret(now, used)) return false
    renewed.set(used.id, now)
    known.delete(used.id)
    return true
  }
  const callback = ({ id }: SocialProvider) =>
    `${config.BASE_URL}/social/${config.social.length === 1 ? '' : `${id}/`}callback`

  /** Concurrent calls share one request; a failure is not cached. */
  function configured(provider: SocialProvider): Promise<oidc.Configuration> {
    const cached = known.get(provider.id)
    if (cached && cached.until > performance.now()) return cached.configured
    const entry = {
      configured: configure(present(provider), config.SOCIAL_ALLOW_PRIVATE),
      until: performance.now() + METADATA_MAX,
    }
    known.set(provider.id, entry)
    entry.configured.catch(() => known.get(provider.id) === entry && known.delete(provider.id))
    return entry.configured
  }

  return {
    find: (id) => config.social.find((provider) => provider.id === id),
    async begin(provider, { state, nonce, verifier }) {
      return oidc.buildAuthorizationUrl(await configured(provider), {
        redirect_uri: callback(provider),
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(provider.kind === 'github' ? { scope: 'read:user user:email' } : { ...OPENID_REQUEST, nonce }),
        ...(provider.kind === 'apple' && APPLE_REQUEST),
      })
    },
    async complete(provider, values, query, said) {
      const used = present(provider)
      try {
        return await person(provider, values, query, said)
      } catch (error) {
        // A provider that refuses the client has not used the code.
        if (!isClientRefused(error) || !hasChanged(used)) throw failureOf(error)
      }
      return person(provider, values, query, said).catch((error) => {
        throw failureOf(error)
      })
    },
  }

  async function person(
    provider: SocialProvider,
    { state, nonce, verifier }: AuthorizationValues,
    query: URLSearchParams,
    said?: string,
  ): Promise<ProviderPerson> {
    const configuration = await configured(provider)
    const here = new URL(`${callback(provider)}?${query}`)
    const checks = { expectedState: state, pkceCodeVerifier: verifier }
    if (provider.kind === 'github')
      return await githubPerson(configuration, await oidc.authorizationCodeGrant(configuration, here, checks))
    const more = { ...checks, expectedNonce: nonce, idTokenExpected: true }
    const tokens = await oidc.authorizationCodeGrant(configuration, here, more)
    if (provider.kind === 'apple')
      return personOf({ ...appleClaims(tokens.claims() ?? {}), ...appleName(said) })
    return await openidPerson(configuration, tokens)
  }
}

/**
 * RFC 6749 section 5.2: also 401 with a challenge, which the library reports otherwise. GitHub has its own
 * code.
 */
const isClientRefused = (error: unknown): boolean =>
  error instanceof oidc.WWWAuthenticateChallengeError ||
  (error instanceof oidc.ResponseBodyError &&
    ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'].includes(error.error))

function isSameSecret(one: SocialProvider, other: SocialProvider): boolean {
  if (one.kind === 'apple') return other.kind === 'apple' && one.key.privateKey.equals(other.key.privateKey)
  return other.kind !== 'apple' && one.clientSecret === other.clientSecret
}

async function configure(provider: SocialProvider, allowPrivate: boolean): Promise<oidc.Configuration> {
  const { issuer, clientId } = provider
  const fetch = fetchBy(allowPrivate)
  // Without the checks the library trusts TLS for what comes from the token endpoint, as
  // OpenID Connect Core 3.1.3.7 allows.
  const settings = [oidc.enableNonRepudiationChecks, ...(allowPrivate ? [oidc.allowInsecureRequests] : [])]
  if (provider.kind === 'github' || provider.kind === 'apple') {
    const known =
      provider.kind === 'github'
        ? new oidc.Configuration(
            githubServer(issuer),
            clientId,
            undefined,
            oidc.ClientSecretPost(provider.clientSecret),
          )
        : new oidc.Configuration(appleServer(issuer), clientId, undefined, appleSecret(provider.key))
    known[oidc.customFetch] = fetch
    for (const set of settings) set(known)
    return known
  }
  try {
    return await oidc.discovery(new URL(issuer), clientId, undefined, authentication(provider.clientSecret), {
      [oidc.customFetch]: fetch,
      execute: settings,
    })
  } catch (error) {
    throw new Failure('provider_unavailable', { retryAfter: 10, cause: error })
  }
}

/** HTTP Basic, unless the provider supports only credentials in the body. */
function authentication(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (taken.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

/** The only function for outbound calls: the URLs come from provider metadata. */
const fetchBy =
  (allowPrivate: boolean): oidc.CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await call(url, {
      purpose: 'identity_provider',
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      targets: allowPrivate ? 'private' : 'public',
      ...(body && { body: String(body) }),
    })
    if ('fault' in answer)
      throw new Failure('provider_unavailable', { detail: answer.reason, retryAfter: 10 })
    const given = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each ?? '']),
    )
    return new Response(answer.body.length > 0 ? new Uint8Array(answer.body) : null, {
      status: answer.status,
      headers: given as [string, string][],
    })
  }

type Granted = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers

/**
 * The claims of the ID token. If it has no address, the userinfo endpoint is read, whose `sub` must be the
 * same; the issuer is always that of the ID token.
 */
async function openidPerson(configuration: oidc.Configuration, tokens: Granted): Promise<ProviderPerson> {
  const claims = tokens.claims()
  const person = personOf(claims ?? {})
  if (person.email || !configuration.serverMetadata().userinfo_endpoint) return person
  const more = await oidc.fetchUserInfo(configuration, tokens.access_token, person.subject)
  return personOf({ ...claims, ...more, iss: claims?.iss })
}

/** Only an OAuth error of the provider is shown to the user. */
function failureOf(error: unknown): Failure {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof Failure) return each
    if (each instanceof oidc.AuthorizationResponseError || each instanceof oidc.ResponseBodyError)
      return refusal(each)
  }
  return new Failure('provider_answer_invalid', { cause: error })
}

const WORDS_MAX = 200

export function refusal({
  error,
  error_description: more,
}: {
  error: string
  error_description?: string | undefined
}): Failure {
  const code: FailureCode =
    error === 'server_error' || error === 'temporarily_unavailable'
      ? 'provider_unavailable'
      : 'provider_refused'
  return new Failure(code, { detail: [error, more].filter(Boolean).join(': ').slice(0, WORDS_MAX) })
}
