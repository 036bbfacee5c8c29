/** An external OpenID provider for tests: oidc-provider with its own keys and users. */
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { type Answer, newBrowser, type TestBrowser } from './testing.ts'

export const OTHER_CLIENT = { id: 'tenantry', secret: 'the secret that the other provider gave us' }
export type Claims = { sub: string; [claim: string]: unknown }

/** The provider; tests set its claims and modify its responses. */
export type OtherProvider = {
  url: string
  /** The claims of the next user who signs in. */
  claims: Claims
  /** The field `user` of its next form, as Apple sends it. */
  said?: string | undefined
  /** Replaces the ID token; tests sign the new one with the provider's key. */
  forge?: ((idToken: string) => Promise<string>) | undefined
  key: { kid: string; privateKey: CryptoKey }
  close(): void
}

type Ways = {
  /** Responses to requests with an access token, by path. */
  api?: Record<string, object>
  /** The host to listen on. */
  host?: string
  /** Verifies client secrets that are not fixed. */
  isSecret?: (given: string) => Promise<boolean>
}

/** `port` is the port to listen on and part of the issuer. */
export async function startOtherProvider(
  port: number,
  redirectUri: string,
  more: Configuration = {},
  { api = {}, host = 'localhost', isSecret }: Ways = {},
): Promise<OtherProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = 'other-key'
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } as JWK
  const claimsOf = new Map<string, Claims>()
  const issuer = `http://${host}:${port}`
  const provider = new Provider(issuer, {
    clients: [
      { client_id: OTHER_CLIENT.id, client_secret: OTHER_CLIENT.secret, redirect_uris: [redirectUri] },
    ],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['a key of the other provider'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'locale'],
    },
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: async () => claimsOf.get(accountId) ?? { sub: accountId },
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.account!.accountId,
        clientId: oidc.client!.clientId,
      })
      grant.addOIDCScope([...oidc.requestParamScopes].join(' '))
      await grant.save()
      return grant
    },
    ...more,
  })
  if (isSecret) Object.assign(provider.Client.prototype, { compareClientSecret: isSecret })
  const other: OtherProvider = {
    url: issuer,
    claims: { sub: 'nobody' },
    key: { kid, privateKey },
    close: () => server.close(),
  }
  provider.use(async (ctx, next) => {
    if (Object.hasOwn(api, ctx.path)) {
      const token = await provider.AccessToken.find(ctx.get('authorization').slice('Bearer '.length))
      ctx.body = token ? api[ctx.path] : undefined
      return
    }
    await next()
    const body = ctx.body as { id_token?: string } | string | undefined
    if (typeof body === 'string') ctx.body = body.replace('</form>', `${fieldOf(other.said)}</form>`)
    else if (other.forge && body?.id_token) body.id_token = await other.forge(body.id_token)
  })
  const handle = provider.callback()
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
    claimsOf.set(other.claims.sub, other.claims)
    void provider.interactionFinished(request, response, { login: { accountId: other.claims.sub } })
  })
  await new Promise<void>((resolve) => void server.listen(port, host, resolve))
  server.unref()
  return other
}

const fieldOf = (said: string | undefined) =>
  said === undefined
    ? ''
    : `<input type="hidden" name="user" value="${said.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"/>`

/** Signs in at the provider, starting at our redirect. */
async function signInThere(other: OtherProvider, location: string | null): Promise<Answer> {
  const there: TestBrowser = newBrowser(other.url)
  return there.follow(await there.get(location!))
}

/** Signs in at the provider, starting at our redirect. Returns the callback URL. */
export async function visitOther(other: OtherProvider, location: string | null): Promise<string> {
  const end = await signInThere(other, location)
  const back = end.headers.get('location')
  if (!back)
    throw new Error(`the other provider did not send back: ${end.status} ${String(end.body).slice(0, 300)}`)
  return back
}

/** Signs in with form_post. Returns the action of the form and its fields. */
export async function visitOtherForm(other: OtherProvider, location: string | null) {
  const { status, body } = await signInThere(other, location)
  const action = /<form method="post" action="([^"]+)">/.exec(String(body))?.[1]
  if (!action) throw new Error(`the other provider sent no form: ${status} ${String(body).slice(0, 300)}`)
  const inputs = String(body).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  const plain = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  return { action, fields: Object.fromEntries([...inputs].map(([, name, value]) => [name!, plain(value!)])) }
}
