/**
 * The identity providers of organizations: rows, and their metadata in memory. Whoever sets up a connection
 * names a server, so that calls for one are counted, and their failures have one text.
 */

import * as oidc from 'openid-client'
import PQueue from 'p-queue'
import type { Config } from '../../config/config.ts'
import { inTurn } from '../../crypto/gate.ts'
import { Failure } from '../../errors.ts'
import { urlFault } from '../../http/outbound.ts'
import type { OidcConfigured } from '../../resources/connections/configured.ts'
import { connectionTargets, redirectUriOf } from '../../resources/connections/settings.ts'
import {
  type AuthorizationValues,
  authentication,
  authorizationUrl,
  type Calls,
  configured,
  discovered,
  grantedBy,
  providerFailureOf,
} from '../openid.ts'

/** 1 hour, in ms: the lifetime of cached metadata. The library refreshes the keys. */
const METADATA_MAX = 3_600_000
/** Connections in the memory of a process. The one that was used least recently is read again. */
const KNOWN_MAX = 500
/** 256 kB: Entra ID has many keys, and groups make large answers. */
const BODY_MAX = 262_144
/** Calls of a connection at the same time, and in a minute; of these, those that fail from one network. */
const AT_ONCE = 4
const A_MINUTE = 60
const FAILED_MAX = 20
/** Networks whose failed answers are counted. */
const NETWORKS_MAX = 10_000
/** In ms. */
const MINUTE = 60_000

/** In seconds, by which clocks may differ. */
const TOLERANCE = 60

/** Signatures with a key of the provider. Never `none`, and none by a secret that both sides have. */
const ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((kind) => ['256', '384', '512'].map((bits) => kind + bits))
const ACCEPTED = [...ALGORITHMS, 'EdDSA', 'Ed25519']

/** Characters of an address in the metadata. */
const URL_MAX = 2_048
const TEXTS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const
const LISTS = ['id_token_signing_alg_values_supported', 'token_endpoint_auth_methods_supported'] as const
const FLAGS = ['authorization_response_iss_parameter_supported'] as const
/** Of the lists: algorithms, and the ways to authenticate that we have. */
const WORDS = new Set([...ACCEPTED, 'client_secret_basic', 'client_secret_post'])

type Claims = Record<string, unknown>
type Known = { version: number; configuration: Promise<oidc.Configuration>; until: number }

export type ConnectionProviders = {
  /** The authorization URL. Throws a failure whose code starts with `provider_`. */
  begin(connection: OidcConfigured, values: AuthorizationValues, more?: Record<string, string>): Promise<URL>
  /**
   * Verifies the response. `stated`: the claims of the ID token; `all`: with those of the userinfo endpoint,
   * if the ID token has no address. `network`: of the browser (`siteOf`). Throws a failure whose code starts
   * with `provider_`.
   */
  complete(
    connection: OidcConfigured,
    values: AuthorizationValues,
    query: URLSearchParams,
    network: string | undefined,
  ): Promise<{ stated: Claims; all: Claims }>
}

export function createConnectionProviders(
  config: Pick<Config, 'BASE_URL' | 'CONNECTIONS_ALLOW_PRIVATE'>,
): ConnectionProviders {
  const known = new Map<string, Known>()
  const turns = countCalls()
  const failures = countFailures()
  const targets = connectionTargets(config)

  /** Concurrent calls share one request; a failure is not cached. */
  function configurationOf(connection: OidcConfigured): Promise<oidc.Configuration> {
    const { id } = connection
    const version = connection.updatedAt.getTime()
    const cached = known.get(id)
    known.delete(id)
    if (cached && cached.version === version && cached.until > performance.now()) {
      known.set(id, cached)
      return cached.configuration
    }
    const calls: Calls = {
      ...{ purpose: 'connection', targets, bodyMax: BODY_MAX, isSilent: true },
      inTurn: (work) => turns(id, work),
    }
    const entry = {
      version,
      configuration: configure(connection, calls),
      until: performance.now() + METADATA_MAX,
    }
    known.set(id, entry)
    for (const oldest of known.keys()) if (known.size > KNOWN_MAX) known.delete(oldest)
    entry.configuration.catch(() => known.get(id) === entry && known.delete(id))
    return entry.configuration
  }

  return {
    async begin(connection, values, more = {}) {
      try {
        const redirectUri = redirectUriOf(config, connection.id)
        return await authorizationUrl(await configurationOf(connection), redirectUri, values, {
          ...more,
          scope: connection.scopes.join(' '),
          nonce: values.nonce,
          ...(connection.mfaAcr.length > 0 && { acr_values: connection.mfaAcr.join(' ') }),
        })
      } catch (error) {
        throw providerFailureOf(error)
      }
    },
    async complete(connection, values, query, network) {
      // A refusal of the provider costs no call.
      const succeeded = query.has('code') ? failures.begin(connection.id, network) : () => {}
      try {
        const configuration = await configurationOf(connection)
        const here = new URL(`${redirectUriOf(config, connection.id)}?${query}`)
        const tokens = await grantedBy(configuration, here, values)
        succeeded()
        const stated: Claims = { ...tokens.claims() }
        if (stated.email || !configuration.serverMetadata().userinfo_endpoint) return { stated, all: stated }
        const more = await oidc.fetchUserInfo(configuration, tokens.access_token, String(stated.sub))
        return { stated, all: { ...more, ...stated } }
      } catch (error) {
        throw providerFailureOf(error)
      }
    },
  }

  async function configure(connection: OidcConfigured, calls: Calls): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = connection
    const server = usedOf((await discovered(connection, calls)).serverMetadata())
    const { authorization_endpoint: address, id_token_signing_alg_values_supported: announced } = server
    // The browser is sent there.
    if (address === undefined || urlFault(address, targets, 'connection'))
      throw new Failure('provider_answer_invalid')
    const algorithms = (announced ?? ['RS256']).filter((each) => ACCEPTED.includes(each))
    if (algorithms.length === 0) throw new Failure('provider_answer_invalid')
    return configured(
      { ...server, id_token_signing_alg_values_supported: algorithms },
      clientId,
      authentication(clientSecret),
      { ...calls, reduce: (url, body) => (url === server.jwks_uri ? usedKeys(body) : body) },
      { [oidc.clockTolerance]: TOLERANCE },
    )
  }
}

/**
 * What is used of the metadata. It is kept for an hour, so that the rest, which is the provider's to fill, is
 * not: parsed, 256 kB of it can take several MB.
 */
function usedOf(metadata: oidc.ServerMetadata): oidc.ServerMetadata {
  const texts = TEXTS.flatMap((name) => {
    const value = metadata[name]
    return typeof value === 'string' && value.length <= URL_MAX ? [[name, value]] : []
  })
  const lists = LISTS.flatMap((name) => {
    const value = metadata[name]
    const words = Array.isArray(value) ? value.filter((each) => WORDS.has(each as string)) : []
    return Array.isArray(value) ? [[name, [...new Set(words)]]] : []
  })
  const flags = FLAGS.flatMap((name) => (metadata[name] === true ? [[name, true]] : []))
  return { issuer: metadata.issuer, ...Object.fromEntries([...texts, ...lists, ...flags]) }
}

/** Members of a key that verify a signature (RFC 7517, 7518), and the most that a provider has of them. */
const KEY = ['kty', 'use', 'alg', 'kid', 'n', 'e', 'crv', 'x', 'y']
const [KEYS_MAX, MEMBER_MAX] = [50, 1_500]

/** The keys of a provider without what is not used, as long as the library keeps them. */
function usedKeys(body: Buffer): Buffer {
  try {
    const { keys } = JSON.parse(body.toString()) as { keys: Record<string, unknown>[] }
    const used = keys.slice(0, KEYS_MAX).map((key) =>
      Object.fromEntries(
        KEY.flatMap((name) => {
          const value = key[name]
          return typeof value === 'string' && value.length <= MEMBER_MAX ? [[name, value]] : []
        }),
      ),
    )
    return Buffer.from(JSON.stringify({ keys: used }))
  } catch {
    return body // no set of keys: the library refuses it
  }
}

/**
 * Counts the answers that browsers bring and that the provider does not confirm, or has not confirmed yet, by
 * connection and network: anyone can begin a sign-in and bring an invented code, which costs a call.
 */
function countFailures() {
  const counted = new Map<string, Set<{ at: number }>>()
  return {
    /** Throws `provider_unavailable`. Returns what takes the answer out of the count. */
    begin(id: string, network: string | undefined): () => void {
      if (network === undefined) return () => {}
      const now = performance.now()
      const key = `${id} ${network}`
      const begun = counted.get(key) ?? new Set()
      for (const each of begun) if (each.at <= now - MINUTE) begun.delete(each)
      if (begun.size >= FAILED_MAX) throw new Failure('provider_unavailable', { retryAfter: 60 })
      const answer = { at: now }
      begun.add(answer)
      counted.delete(key)
      counted.set(key, begun)
      for (const oldest of counted.keys()) if (counted.size > NETWORKS_MAX) counted.delete(oldest)
      return () => void begun.delete(answer)
    },
  }
}

/** Runs calls of a connection in turn. Throws `provider_unavailable` if there are too many in a minute. */
function countCalls() {
  const counted = new Map<string, { queue: PQueue; begun: number[] }>()
  return async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const now = performance.now()
    const entry = counted.get(id) ?? { queue: new PQueue({ concurrency: AT_ONCE }), begun: [] }
    counted.delete(id)
    counted.set(id, entry)
    for (const [oldest, { queue }] of counted)
      if (counted.size > KNOWN_MAX && queue.pending === 0) counted.delete(oldest)
    entry.begun = entry.begun.filter((time) => time > now - MINUTE)
    if (entry.begun.length >= A_MINUTE) throw new Failure('provider_unavailable', { retryAfter: 60 })
    entry.begun.push(now)
    return inTurn(entry.queue, work)
  }
}
