/** A product with openid-client: its system with a member, and a sign-in through our pages. */
import * as client from 'openid-client'
import { type Driver, PASSWORD, type TestBrowser } from './testing.ts'

export const CALLBACK = 'https://app.example/cb'
export const SIGNED_OUT = 'https://app.example/goodbye'
/** The test server uses plain http. */
export const OPTIONS = { execute: [client.allowInsecureRequests] }

/** A system with a member, and the library configured by discovery. */
export async function product(app: Driver, authentication?: (secret: string) => client.ClientAuth) {
  const system = await app.newSystem({
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [SIGNED_OUT],
    allowClientCredentials: true,
    allowDeviceFlow: true,
  })
  const user = await app.newUser({ name: 'Pat Example', emailVerified: true })
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const secret: string = system.clientSecret
  const config = await client.discovery(
    new URL(app.url),
    system.clientId,
    undefined,
    authentication?.(secret) ?? client.ClientSecretBasic(secret),
    OPTIONS,
  )
  return { system, user, membership, config }
}

type Product = Awaited<ReturnType<typeof product>>

/** Submits our pages from a URL on until they redirect elsewhere or end. */
export async function through(
  browser: TestBrowser,
  target: string,
  email: string,
): Promise<{ location: string | null; body: unknown }> {
  const code = URL.parse(target)?.searchParams.get('user_code')
  let page = await browser.follow(await browser.get(target))
  for (let steps = 0; steps < 8 && /<form/.test(String(page.body)); steps++) {
    const button = /<button type="submit" id="(?:submit|logout-confirm)" name="(\w+)" value="(\w+)"/.exec(
      String(page.body),
    )
    const typed =
      /name="user_code"[^>]* type="text"/.test(String(page.body)) && code ? { user_code: code } : {}
    const fields = /name="password"/.test(String(page.body)) ? { email, password: PASSWORD } : typed
    page = await browser.follow(
      await browser.submit(page, { ...fields, ...(button && { [button[1]!]: button[2]! }) }),
    )
  }
  return { location: page.headers.get('location'), body: page.body }
}

/** A sign-in as in the library's documentation. */
export async function signIn(
  { config, user }: Product,
  browser: TestBrowser,
  more: Record<string, string> = {},
  pushed = false,
) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const parameters = {
    redirect_uri: CALLBACK,
    scope: 'openid email profile offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    ...more,
  }
  const start = pushed
    ? await client.buildAuthorizationUrlWithPAR(config, parameters)
    : client.buildAuthorizationUrl(config, parameters)
  const { location } = await through(browser, start.href, user.email)
  const tokens = await client.authorizationCodeGrant(config, new URL(location!), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  })
  return { start, tokens }
}

/** The URL of an RP-initiated logout that returns to the product with the state `bye`. */
export const endOf = ({ config }: Product, { id_token }: client.TokenEndpointResponse): URL =>
  client.buildEndSessionUrl(config, {
    id_token_hint: id_token!,
    post_logout_redirect_uri: SIGNED_OUT,
    state: 'bye',
  })
