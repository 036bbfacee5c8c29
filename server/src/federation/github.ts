/** GitHub (github.com or GitHub Enterprise Server): OAuth 2.0, and the REST API for the user. */
import * as oidc from 'openid-client'
import { githubIssuer } from '../config/identity-providers.ts'
import { type ProviderPerson, personOf } from './identity.ts'

export const githubServer = (issuer: string): oidc.ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/login/oauth/authorize`,
  token_endpoint: `${issuer}/login/oauth/access_token`,
})

const apiOf = (issuer: string) =>
  issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

/**
 * The subject is the account number, since logins can be renamed and reused. Only the primary address is
 * used.
 */
export async function githubPerson(
  configuration: oidc.Configuration,
  { access_token: token }: { access_token: string },
): Promise<ProviderPerson> {
  const api = apiOf(configuration.serverMetadata().issuer)
  const ask = async (path: string): Promise<unknown> => {
    const answer = await oidc.fetchProtectedResource(
      configuration,
      token,
      new URL(`${api}${path}`),
      'GET',
      null,
      new Headers(HEADERS),
    )
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    return answer.json()
  }
  const user = (await ask('/user')) as { id?: unknown; name?: unknown } | null
  const addresses = (await ask('/user/emails')) as {
    email?: unknown
    primary?: unknown
    verified?: unknown
  }[]
  const primary = Array.isArray(addresses) ? addresses.find((each) => each?.primary === true) : undefined
  return personOf({
    iss: githubIssuer(configuration.serverMetadata().issuer),
    sub: Number.isSafeInteger(user?.id) ? String(user?.id) : undefined,
    name: user?.name,
    email: primary?.email,
    email_verified: primary?.verified,
  })
}
