/**
 * What the FAPI 2.0 Security Profile requires of systems that use it, beside their client metadata
 * (clients/metadata.ts) and the checks of the admin API. The sections are those of its final version.
 */
import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import { readHandle } from '../../database/transaction.ts'
import { CLIENT_ALGS } from '../../resources/systems/client-keys.ts'
import type { Storage } from '../policy/storage.ts'
import { isRepeat, touchSessionOf } from '../storage/artifacts.ts'

/** Section 5.4.1. */
const ALGS: unknown[] = CLIENT_ALGS.filter((alg) => alg !== 'RS256')
const algFault = (what: string) => `${what} must be signed with PS256, ES256 or EdDSA`
/** Section 5.3.2.2, in seconds. */
const CODE_MAX = 60

const isFapi2 = (client: Client | undefined): boolean => client?.tenantry.securityProfile === 'fapi2'

export const FAPI = {
  enabled: true,
  profile: (_ctx: KoaContextWithOIDC, client: Client) => (isFapi2(client) ? '2.0' : undefined),
} satisfies NonNullable<Configuration['features']>['fapi']

/** Sections 5.3.2.1 and 5.4.1. */
export function assertionFault(
  client: Client,
  aud: unknown,
  alg: unknown,
  issuer: string,
): string | undefined {
  if (!isFapi2(client)) return undefined
  if (!ALGS.includes(alg)) return algFault('it')
  return aud === issuer ? undefined : 'its aud is not the issuer alone'
}

/** FAPI 2.0 Message Signing section 5.3.1: `nbf` and `exp`, and 60 minutes at most. */
const REQUEST_MAX = 3_600

export function requestObjectFault(
  client: Client,
  { exp, nbf }: { exp?: unknown; nbf?: unknown },
  alg: unknown,
): string | undefined {
  if (!isFapi2(client)) return undefined
  if (!ALGS.includes(alg)) return algFault('the request object')
  const lifetime = Number(exp) - Number(nbf)
  const isRecent = lifetime > 0 && lifetime <= REQUEST_MAX && Number(nbf) > Date.now() / 1_000 - REQUEST_MAX
  return isRecent ? undefined : 'the request object must have nbf and exp within 60 minutes'
}

/** Called for a request without a challenge. Throws a refusal that names the setting, if there is one. */
export function isPkceRequired({ PKCE_REQUIRED }: Pick<Config, 'PKCE_REQUIRED'>, client: Client): boolean {
  if (client.tokenEndpointAuthMethod === 'none' || isFapi2(client)) return true
  if (PKCE_REQUIRED === 'public' || !client.tenantry.requirePkce) return false
  throw new errors.InvalidRequest(
    'code_challenge is missing. Turn on PKCE with S256 in the client: pkce: true (passport-oauth2, omniauth), code_challenge_method S256 (Authlib, oauth2-proxy), requireProofKey(true) (Spring Security), UsePkce (ASP.NET Core), OIDCPKCEMethod S256 (mod_auth_openidc); docs/protocol.md has more. Only for a client without PKCE, the platform can set requirePkce of the system to false',
  )
}

export const codeLifetime = ({ TTL_CODE }: Pick<Config, 'TTL_CODE'>, client: Client): number =>
  isFapi2(client) ? Math.min(TTL_CODE, CODE_MAX) : TTL_CODE

/**
 * Whether a refresh token is replaced. A repeated request does not replace it again. With the profile it is
 * never replaced, because it can only be used with the key of the client (section 5.3.2.1).
 */
export const rotatesRefreshTokens =
  ({ db }: Pick<Storage, 'db'>) =>
  async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    const { client, refreshToken } = ctx.oidc
    if (!isFapi2(client)) return !isRepeat(ctx)
    if (refreshToken) await touchSessionOf(ctx, await readHandle(db), refreshToken)
    return false
  }
