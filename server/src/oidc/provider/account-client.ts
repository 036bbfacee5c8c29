/**
 * The built-in client of the user's own pages, /account (decision 0040). It is the same in every process
 * and has no row: it is no system, cannot be deleted, and every user may sign in to it. Its only response
 * type is `none` (OAuth 2.0 Multiple Response Type Encoding Practices, section 4): no code, no token and
 * no session is ever issued to it.
 */
import type { AdapterPayload, Client } from 'oidc-provider'
import type { Config } from '../../config.ts'

export const ACCOUNT_CLIENT_ID = 'tenantry-account'
export const ACCOUNT_CALLBACK = '/account/callback'

export const isAccountClient = (client: Client | undefined): boolean => client?.clientId === ACCOUNT_CLIENT_ID

const metadata = new Map<string, AdapterPayload>()

/** Client metadata (OpenID Connect Dynamic Client Registration section 2). */
export function accountClient({ BASE_URL }: Pick<Config, 'BASE_URL'>): AdapterPayload {
  const known = metadata.get(BASE_URL)
  if (known) return known
  const made = {
    client_id: ACCOUNT_CLIENT_ID,
    client_name: new URL(BASE_URL).hostname,
    token_endpoint_auth_method: 'none',
    grant_types: [],
    response_types: ['none'],
    redirect_uris: [`${BASE_URL}${ACCOUNT_CALLBACK}`],
    scope: 'openid',
    skip_consent: true,
  } as unknown as AdapterPayload
  metadata.set(BASE_URL, made)
  return made
}
