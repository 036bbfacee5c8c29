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
type Given = {
  issuer: string | null
  scopes: string[]
  requiredClaims: Record<string, string[]>
}

/** Throws `invalid_request` or `issuer_multi_tenant`. */
export function demandSettings(config: Settings, { issuer, scopes, requiredClaims }: Given): void {
  if (!scopes.includes('openid')) throw invalid('/scopes', 'must contain openid')
  if (issuer === null) return
  const fault = urlFault(issuer, connectionTargets(config), 'connection')
  if (fault) throw invalid('/issuer', fault)
  // OpenID Connect Discovery 1.0 section 4.1: the metadata is at the issuer, with a path appended.
  if (issuer.includes('?')) throw invalid('/issuer', 'must have no query')
  if (isShared(issuer, { requiredClaims }, config.BASE_URL)) throw new Failure('issuer_multi_tenant')
}

/** What a test needs and is not there yet. */
export function missingOf({
  issuer,
  clientId,
  hasSecret,
}: {
  issuer: string | null
  clientId: string | null
  hasSecret: boolean
}): ('issuer' | 'clientId' | 'clientSecret')[] {
  const given = { issuer: issuer !== null, clientId: clientId !== null, clientSecret: hasSecret }
  return (['issuer', 'clientId', 'clientSecret'] as const).filter((name) => !given[name])
}

type OfProvider = { redirectUri: string; startUrl: string }

/** What is registered at the provider of a connection, and where a tile of the provider leads. */
export const addressesOf = ({ BASE_URL }: Pick<Config, 'BASE_URL'>, id: string): OfProvider => ({
  redirectUri: `${BASE_URL}/sso/${id}/callback`,
  startUrl: `${BASE_URL}/sso/${id}/start`,
})
