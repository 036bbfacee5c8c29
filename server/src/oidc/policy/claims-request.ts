/**
 * The parameter `claims` (OpenID Connect Core section 5.5): single claims that a request adds to those of its
 * scopes. It can add only claims of scopes that the system may request; it removes none and sets no value.
 */
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { acrOf } from '../../authentication/assurance.ts'
import { hasOnlyText } from '../../text.ts'
import { scopeOfClaim } from './scopes.ts'

type Requested = { essential?: boolean; value?: unknown; values?: unknown[] } | null
type Members = Record<string, Requested>
const TARGETS = ['id_token', 'userinfo'] as const
type ClaimsRequest = { [target in (typeof TARGETS)[number]]?: Members }

/** Whether the limited parameter names the user that the application expects. */
export const namesUser = (claims: unknown): boolean =>
  typeof claims === 'string' && (JSON.parse(claims) as ClaimsRequest).id_token?.sub?.value !== undefined

/** Claims whose requested value matters: the library compares `sub`; for `acr` see `demandAcr`. */
const COMPARED = new Set(['sub', 'acr'])

/**
 * Replaces the parameter by what it requests of the supported claims of scopes that the client may request.
 * The library has parsed it before, and rejects a claim that is requested with neither null nor an object.
 */
export function limitClaims({ oidc }: KoaContextWithOIDC): void {
  const { params, client } = oidc
  if (typeof params?.claims !== 'string') return
  const allowed = new Set(client?.scope?.split(' '))
  const given = JSON.parse(params.claims) as ClaimsRequest
  if (!hasOnlyText(given))
    throw new errors.InvalidRequest('a text of claims has half of a surrogate pair or U+0000')
  // Otherwise any system could ask whether a visitor is a certain user.
  if (oidc.prompts.has('none') && TARGETS.some((target) => given[target]?.sub?.value !== undefined))
    throw new errors.InvalidRequest('with prompt=none the user is named by id_token_hint, not by claims')
  const limited: ClaimsRequest = {}
  for (const target of TARGETS) {
    const known = Object.entries(given[target] ?? {}).filter(([name]) =>
      allowed.has(scopeOfClaim(name) ?? ''),
    )
    if (known.length > 0)
      limited[target] = Object.fromEntries(known.map(([name, value]) => [name, limit(name, value)]))
  }
  const isEmpty = !oidc.requestParamScopes.has('openid') || Object.keys(limited).length === 0
  params.claims = isEmpty ? undefined : JSON.stringify(limited)
}

function limit(name: string, value: Requested): Requested {
  if (value === null) return null
  if (value.values !== undefined && !Array.isArray(value.values))
    throw new errors.InvalidRequest(`the claims parameter requests ${name} with an invalid value`)
  const essential = value.essential === true && { essential: true }
  if (!COMPARED.has(name)) return essential || null
  return {
    ...essential,
    ...(value.value !== undefined && { value: value.value }),
    ...(value.values !== undefined && { values: value.values }),
  }
}

/** Whether scopes or claims that were granted contain a claim; those of `openid` are in every token. */
export const isClaimGranted = (
  claim: string,
  { scopes, claims }: { scopes: readonly string[]; claims: readonly string[] },
): boolean => {
  const scope = scopeOfClaim(claim) ?? ''
  return scope === 'openid' || scopes.includes(scope) || claims.includes(claim)
}

/** The requested claims that the requested scopes do not contain. */
export const claimsBeyondScopes = ({ oidc }: KoaContextWithOIDC): string[] => {
  const scopes = [...oidc.requestParamScopes]
  return [...oidc.requestParamClaims].filter((claim) => !isClaimGranted(claim, { scopes, claims: [] }))
}

/** The names of the claims that a request adds to the response of /me; undefined if there are none. */
export function userinfoClaims(claims: { userinfo?: object | undefined } | undefined): string[] | undefined {
  const names = Object.keys(claims?.userinfo ?? {}).filter((claim) => scopeOfClaim(claim) !== 'openid')
  return names.length > 0 ? names : undefined
}

/** The request for `acr` in the parameter. */
function requestedAcr({ oidc: { params } }: KoaContextWithOIDC) {
  if (typeof params?.claims !== 'string') return undefined
  const { acr } = (JSON.parse(params.claims) as ClaimsRequest).id_token ?? {}
  if (acr?.value === undefined && acr?.values === undefined) return undefined
  const values = [...(acr.value === undefined ? [] : [acr.value]), ...(acr.values ?? [])]
  return { values: values.filter((each) => typeof each === 'string'), essential: acr.essential === true }
}

/** Whether an ID token must have the time of the authentication (OpenID Connect Core section 2). */
export const demandsAuthTime = ({ oidc: { params } }: KoaContextWithOIDC): boolean =>
  typeof params?.claims === 'string' &&
  (JSON.parse(params.claims) as ClaimsRequest).id_token?.auth_time?.essential === true

/** The requested authentication classes: of the parameter `claims`, otherwise of `acr_values`. */
export const requestedAcrValues = (ctx: KoaContextWithOIDC): string =>
  requestedAcr(ctx)?.values.join(' ') ?? String(ctx.oidc.params?.acr_values ?? '')

/**
 * `unmet_authentication_requirements` if the user has not authenticated as an essential `acr` requires
 * (OpenID Connect Core section 5.5.1.1).
 */
export function unmetAcr(
  ctx: KoaContextWithOIDC,
  amr: readonly string[],
): errors.UnmetAuthenticationRequirements | undefined {
  const requested = requestedAcr(ctx)
  return requested?.essential && !requested.values.includes(acrOf(amr))
    ? new errors.UnmetAuthenticationRequirements('the requested acr cannot be obtained')
    : undefined
}
