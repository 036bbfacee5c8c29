/** Counts the successful responses of the token endpoint by grant. */
import type Provider from 'oidc-provider'
import { afterCommit } from '../../database/transaction.ts'
import { count } from '../../journal/stats/count.ts'

const GRANTS: Record<string, string> = {
  authorization_code: 'code',
  refresh_token: 'refresh',
  client_credentials: 'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code': 'device',
  'urn:ietf:params:oauth:grant-type:token-exchange': 'exchange',
}

export function countTokens(provider: Provider): void {
  provider.on('grant.success', ({ oidc: { client, params } }) => {
    const grant = GRANTS[String(params?.grant_type)] ?? 'other'
    afterCommit(() => count('tokens', client?.tenantry.systemId ?? null, grant))
  })
}
