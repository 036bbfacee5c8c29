/** Another OpenID provider, for those tests that sign in with one: oidc-provider again, with keys and people of its own. */
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { newVisitor, type Visitor } from '../src/testing.ts'

export const OTHER_CLIENT = { id: 'tenantry', secret: 'the secret that the other provider gave us' }
export type Claims = { sub: string; [claim: string]: unknown }

/** What a test may have the provider say, and do to what it answers. */
export type OtherProvider = {
  url: string
  /** Who signs in there next. */
  person: Claims
  /** Another ID token in the place of the one it has made; it is signed with the provider's own key. */
  forge?: ((idToken: string) => Promise<string>) | undefined
  key: { kid: string; privateKey: CryptoKey }
  close(): void
}

/** `port`: where it listens, and what its issuer says. `api`: what it answers at a path to who has an access token. */
export async function startOtherProvider(
  port: number,
  redirectUri: string,
  more: Configuration = {},
  api: Record<string, object> = {},
): Promise<OtherProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = 'other-key'
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } as JWK
  const people = new Map<string, Claims>()
  const issuer = `http://localhost:${port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: OTHER_CLIENT.id, client_secret: OTHER_CLIENT.secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['a key of the other provider'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name', 'locale'] },
    conformIdTokenClaims: false,
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: async () => people.get(accountId) ?? { sub: accountId } }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ accountId: oidc.account!.accountId, clientId: oidc.client!.clientId })
      grant.addOIDCScope([...oidc.requestParamScopes].join(' '))
      await grant.save()
      return grant
    },
    ...more,
  })
  const other: OtherProvider = { url: issuer, person: { sub: 'nobody' }, key: { kid, privateKey }, close: () => server.close() }
  provider.use(async (ctx, next) => {
    if (Object.hasOwn(api, ctx.path)) {
      const token = await provider.AccessToken.find(ctx.get('authorization').slice('Bearer '.length))
      ctx.body = token ? api[ctx.path] : undefined
      return
    }
    await next()
    const body = ctx.body as { id_token?: string } | undefined
    if (other.forge && body?.id_token) body.id_token = await other.forge(body.id_token)
  })
  const handle = provider.callback()
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
    people.set(other.person.sub, other.person)
    void provider.interactionFinished(request, response, { login: { accountId: other.person.sub } })
  })
  await new Promise<void>((resolve) => void server.listen(port, 'localhost', resolve))
  server.unref()
  return other
}

/** Goes to the provider from where we have sent the browser, signs in there, and answers the address it is sent back to. */
export async function visitOther(other: OtherProvider, location: string | null): Promise<string> {
  const there: Visitor = newVisitor(other.url)
  const end = await there.follow(await there.get(location!))
  const back = end.headers.get('location')
  if (!back) throw new Error(`the other provider did not send back: ${end.status} ${String(end.body).slice(0, 300)}`)
  return back
}
