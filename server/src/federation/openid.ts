/**
 * The requests to an identity provider: authorization code flow with PKCE, `state` and `nonce`, by
 * openid-client. The caller knows where the provider is configured (providers.ts).
 */
import * as oidc from 'openid-client'
import { Failure, type FailureCode } from '../errors.ts'
import { type Answer, type Call, call, type Fault } from '../http/outbound.ts'
import { type ProviderPerson, personOf } from './identity.ts'

/** How a provider is called, and what may be called. */
export type Calls = Required<Pick<Call, 'purpose' | 'targets'>> &
  Pick<Call, 'bodyMax'> & {
    /** Waits for a turn, or throws. Default: at once. */
    inTurn?: <T>(work: () => Promise<T>) => Promise<T>
    /** What is kept of an answer. Default: all of it. */
    reduce?: (url: string, body: Buffer) => Buffer
    /** The cause of a failed call is not shown: it would tell a tenant what is in our network. */
    isSilent?: boolean
  }

/** Values of one authorization request that its response is verified against. */
export type AuthorizationValues = { state: string; nonce: string; verifier: string }
export const newAuthorizationValues = (): AuthorizationValues => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
})

/**
 * The provider at these endpoints. Without the checks that are set here, the library trusts TLS for what
 * comes from the token endpoint, as OpenID Connect Core 3.1.3.7 allows.
 */
export function configured(
  server: oidc.ServerMetadata,
  clientId: string,
  authentication: oidc.ClientAuth,
  calls: Calls,
  metadata?: Partial<oidc.ClientMetadata>,
): oidc.Configuration {
  const configuration = new oidc.Configuration(server, clientId, metadata, authentication)
  configuration[oidc.customFetch] = fetchBy(calls)
  for (const set of settingsOf(calls)) set(configuration)
  return configuration
}

/** Reads the metadata of an issuer. Throws `provider_unavailable`. */
export async function discovered(
  { issuer, clientId, clientSecret }: { issuer: string; clientId: string; clientSecret: string },
  calls: Calls,
): Promise<oidc.Configuration> {
  try {
    return await oidc.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
      [oidc.customFetch]: fetchBy(calls),
      execute: settingsOf(calls),
    })
  } catch (error) {
    throw new Failure('provider_unavailable', { retryAfter: 10, cause: error })
  }
}

/** Where http is allowed, `call` decides for which addresses. */
const settingsOf = ({ targets }: Calls) => [
  oidc.enableNonRepudiationChecks,
  ...(targets === 'public' ? [] : [oidc.allowInsecureRequests]),
]

/** The address at which the authorization begins. `parameters`: beyond those that protect its response. */
export const authorizationUrl = async (
  configuration: oidc.Configuration,
  redirectUri: string,
  { state, verifier }: AuthorizationValues,
  parameters: Record<string, string>,
): Promise<URL> =>
  oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })

/** `here`: the redirect URI with the query of the response. `withoutIdToken`: the provider issues none. */
export const grantedBy = (
  configuration: oidc.Configuration,
  here: URL,
  { state, nonce, verifier }: AuthorizationValues,
  withoutIdToken = false,
): Promise<Granted> =>
  oidc.authorizationCodeGrant(configuration, here, {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...(!withoutIdToken && { expectedNonce: nonce, idTokenExpected: true }),
  })

/**
 * RFC 6749 section 5.2: also 401 with a challenge, which the library reports otherwise. GitHub has its own
 * code.
 */
export const isClientRefused = (error: unknown): boolean =>
  error instanceof oidc.WWWAuthenticateChallengeError ||
  (error instanceof oidc.ResponseBodyError &&
    ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'].includes(error.error))

/** HTTP Basic, unless the provider supports only credentials in the body. */
export function authentication(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (taken.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

/** The only function for outbound calls: the URLs come from provider metadata. */
const fetchBy =
  ({ inTurn, reduce, isSilent = false, ...given }: Calls): oidc.CustomFetch =>
  async (url, { method, headers, body }) => {
    const send = (): Promise<Answer | Fault> =>
      call(url, {
        ...given,
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body && { body: String(body) }),
      })
    const answer = await (inTurn ? inTurn(send) : send())
    if ('fault' in answer)
      throw new Failure('provider_unavailable', {
        retryAfter: 10,
        ...(!isSilent && { detail: answer.reason }),
      })
    const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each ?? '']),
    )
    const kept = reduce ? reduce(url, answer.body) : answer.body
    return new Response(kept.length > 0 ? new Uint8Array(kept) : null, {
      status: answer.status,
      headers: fields as [string, string][],
    })
  }

export type Granted = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers

/**
 * The claims of the ID token. If it has no address, the userinfo endpoint is read, whose `sub` must be the
 * same; the issuer is always that of the ID token.
 */
export async function openidPerson(
  configuration: oidc.Configuration,
  tokens: Granted,
): Promise<ProviderPerson> {
  const claims = tokens.claims()
  const person = personOf(claims ?? {})
  if (person.email || !configuration.serverMetadata().userinfo_endpoint) return person
  const more = await oidc.fetchUserInfo(configuration, tokens.access_token, person.subject)
  return personOf({ ...claims, ...more, iss: claims?.iss })
}

/** Only an OAuth error of the provider is shown to the user. */
export function providerFailureOf(error: unknown): Failure {
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
