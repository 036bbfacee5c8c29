/**
 * The identity providers of the settings. The metadata of a provider is read at the first sign-in, so that an
 * unavailable one does not affect the others.
 */
import * as oidc from 'openid-client'
import type { Config } from '../config/config.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { APPLE_REQUEST, appleClaims, appleName, appleSecret, appleServer } from './apple.ts'
import { githubPerson, githubServer } from './github.ts'
import { type ProviderPerson, personOf } from './identity.ts'
import {
  type AuthorizationValues,
  authorizationUrl,
  type Calls,
  configured,
  discovered,
  grantedBy,
  isClientRefused,
  openidPerson,
  providerFailureOf,
} from './openid.ts'

/** 1 hour, in ms: the lifetime of cached provider metadata. The library refreshes the keys. */
const METADATA_MAX = 3_600_000

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
  function configurationOf(provider: SocialProvider): Promise<oidc.Configuration> {
    const cached = known.get(provider.id)
    if (cached && cached.until > performance.now()) return cached.configured
    const entry = {
      configured: configure(present(provider), callsOf(config)),
      until: performance.now() + METADATA_MAX,
    }
    known.set(provider.id, entry)
    entry.configured.catch(() => known.get(provider.id) === entry && known.delete(provider.id))
    return entry.configured
  }

  return {
    find: (id) => config.social.find((provider) => provider.id === id),
    async begin(provider, values) {
      const { nonce } = values
      return authorizationUrl(await configurationOf(provider), callback(provider), values, {
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
        if (!isClientRefused(error) || !hasChanged(used)) throw providerFailureOf(error)
      }
      return person(provider, values, query, said).catch((error) => {
        throw providerFailureOf(error)
      })
    },
  }

  async function person(
    provider: SocialProvider,
    values: AuthorizationValues,
    query: URLSearchParams,
    said?: string,
  ): Promise<ProviderPerson> {
    const configuration = await configurationOf(provider)
    const isGithub = provider.kind === 'github'
    const here = new URL(`${callback(provider)}?${query}`)
    const tokens = await grantedBy(configuration, here, values, isGithub)
    if (isGithub) return await githubPerson(configuration, tokens)
    if (provider.kind === 'apple')
      return personOf({ ...appleClaims(tokens.claims() ?? {}), ...appleName(said) })
    return await openidPerson(configuration, tokens)
  }
}

function isSameSecret(one: SocialProvider, other: SocialProvider): boolean {
  if (one.kind === 'apple') return other.kind === 'apple' && one.key.privateKey.equals(other.key.privateKey)
  return other.kind !== 'apple' && one.clientSecret === other.clientSecret
}

const callsOf = ({ SOCIAL_ALLOW_PRIVATE }: Config): Calls => ({
  purpose: 'identity_provider',
  targets: SOCIAL_ALLOW_PRIVATE ? 'private' : 'public',
})

function configure(provider: SocialProvider, calls: Calls): Promise<oidc.Configuration> {
  const { issuer, clientId, kind } = provider
  if (kind === 'openid') return discovered(provider, calls)
  const known =
    kind === 'github'
      ? configured(githubServer(issuer), clientId, oidc.ClientSecretPost(provider.clientSecret), calls)
      : configured(appleServer(issuer), clientId, appleSecret(provider.key), calls)
  return Promise.resolve(known)
}
