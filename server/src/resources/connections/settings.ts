/** What the settings of a connection may be. */
import type { Config } from '../../config/config.ts'
import { Failure, invalid } from '../../errors.ts'
import { type Targets, urlFault } from '../../http/outbound.ts'
import { isShared } from './shared-issuers.ts'

/** What the server may call for a connection. */
export const connectionTargets = ({
  CONNECTIONS_ALLOW_PRIVATE,
}: Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE'>): Targets => (CONNECTIONS_ALLOW_PRIVATE ? 'internal' : 'public')

type Settings = Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE' | 'BASE_URL'>
/** In characters. */
const ISSUER_MAX = 500

type Given = {
  issuer: string | null
  scopes: string[]
  requiredClaims: Record<string, string[]>
}

/** Throws `invalid_request` or `issuer_multi_tenant`. */
export function demandSettings(config: Settings, { issuer, scopes, requiredClaims }: Given): void {
  if (!scopes.includes('openid')) throw invalid('/scopes', 'must contain openid')
  if (issuer === null) return
  if (issuer.length > ISSUER_MAX) throw invalid('/issuer', `must have at most ${ISSUER_MAX} characters`)
  const fault = urlFault(issuer, connectionTargets(config), 'connection')
  if (fault) throw invalid('/issuer', fault)
  // OpenID Connect Discovery 1.0 section 4.1: the metadata is at the issuer, with a path appended.
  if (issuer.includes('?')) throw invalid('/issuer', 'must have no query')
  if (isShared(issuer, { requiredClaims }, config.BASE_URL)) throw new Failure('issuer_multi_tenant')
}

/** Why an address of a SAML provider is not accepted, if at all. */
export const providerUrlFault = (config: Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE'>, url: string) =>
  urlFault(url, connectionTargets(config), 'connection')

export type ConnectionKind = 'oidc' | 'saml'
export type MissingSetting = 'issuer' | 'clientId' | 'clientSecret' | 'ssoUrl' | 'certificates'

const NEEDED = {
  oidc: ['issuer', 'clientId', 'clientSecret'],
  saml: ['issuer', 'ssoUrl', 'certificates'],
} as const satisfies Record<ConnectionKind, MissingSetting[]>

type Set = {
  kind: ConnectionKind
  issuer: string | null
  clientId: string | null
  hasSecret: boolean
  ssoUrl: string | null
  certificates: unknown[]
}

/** What a test needs and is not there yet. */
export function missingOf(connection: Set): MissingSetting[] {
  const { kind, issuer, clientId, hasSecret, ssoUrl, certificates } = connection
  const given = {
    issuer: issuer !== null,
    clientId: clientId !== null,
    clientSecret: hasSecret,
    ssoUrl: ssoUrl !== null,
    certificates: certificates.length > 0,
  }
  return NEEDED[kind].filter((name) => !given[name])
}

type Base = Pick<Config, 'BASE_URL'>

/** The redirect URI that is registered at a provider of OpenID Connect. */
export const redirectUriOf = ({ BASE_URL }: Base, id: string): string => `${BASE_URL}/sso/${id}/callback`

/** Where a tile of the provider leads. */
export const startUrlOf = ({ BASE_URL }: Base, id: string): string => `${BASE_URL}/sso/${id}/start`

/** How a SAML provider knows us: an assertion for one connection is void at another. */
export const samlAddressesOf = ({ BASE_URL }: Base, id: string): { acsUrl: string; entityId: string } => ({
  acsUrl: `${BASE_URL}/sso/${id}/acs`,
  entityId: `${BASE_URL}/sso/${id}/metadata`,
})

type OfProvider = {
  redirectUri: string | null
  acsUrl: string | null
  entityId: string | null
  startUrl: string
}

/** What is registered at the provider of a connection, and where a tile of the provider leads. */
export const addressesOf = (base: Base, { id, kind }: { id: string; kind: ConnectionKind }): OfProvider => ({
  redirectUri: kind === 'oidc' ? redirectUriOf(base, id) : null,
  ...(kind === 'saml' ? samlAddressesOf(base, id) : { acsUrl: null, entityId: null }),
  startUrl: startUrlOf(base, id),
})
