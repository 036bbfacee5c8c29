/** The sign-in by a connection of an organization: through our pages, at a real OpenID provider. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { sql } from '../../src/database/drizzle.ts'
import { domains } from '../../src/database/schema.ts'
import { newPlace, noteTested } from './connections.ts'
import { newName } from './domains.ts'
import { expectStatus } from './http.ts'
import { OTHER_CLIENT, type OtherProvider, startOtherProvider, visitOther } from './other-provider.ts'
import { freePort } from './postgres.ts'
import { type Answer, authUrl, codeFields, newPkce, startTestApp, type TestBrowser } from './testing.ts'
import { SOON } from './waiting.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** An organization with a verified domain, and an enabled connection to a provider that runs. */
export async function startConnection(
  t: TestContext,
  { system: ofSystem = {}, ...fields }: { system?: object } & Record<string, unknown> = {},
  settings: Record<string, string> = {},
) {
  const app = await startTestApp(t, { CONNECTIONS_ALLOW_PRIVATE: 'true', ...settings })
  const place = await newPlace(app, { skipConsent: true, ...ofSystem })
  const name = newName()
  const verify = (accountId: string) =>
    app.db.insert(domains).values({
      ...{ systemId: place.system.id, accountId, name, setBy: 'account', word: 'w' },
      ...{ token: crypto.randomUUID(), status: 'verified', verifiedAt: sql`now()` },
    })
  const connect = async (owner: { admin: App['platform']; path: string }, more: object = {}) => {
    const connection = expectStatus(
      await owner.admin.post(owner.path.replace('domains', 'connections'), { name: 'Okta', kind: 'oidc' }),
      201,
    ).body
    const path = `${owner.path.replace('domains', 'connections')}/${connection.id}`
    const other = await startOtherProvider(await freePort(), connection.redirectUri)
    t.after(() => other.close())
    // The ID token has all claims, as the test states them.
    other.forge = async (idToken) =>
      new SignJWT({ ...decodeJwt(idToken), ...other.claims })
        .setProtectedHeader({ alg: 'RS256', kid: other.key.kid })
        .sign(other.key.privateKey)
    const settings = {
      issuer: other.url,
      clientId: OTHER_CLIENT.id,
      clientSecret: OTHER_CLIENT.secret,
      ...more,
    }
    expectStatus(await owner.admin.patch(path, settings), 200)
    await noteTested(app, connection.id)
    expectStatus(await owner.admin.patch(path, { enabled: true }), 200)
    return { id: String(connection.id), path, other }
  }
  await verify(place.accountId)
  const connection = await connect(place, fields)
  const person = (sub: string, more: object = {}) => ({
    ...{ sub, email: `${sub}@${name}`, email_verified: true, name: `The ${sub}`, ...more },
  })
  const attempts = async () =>
    (await place.admin.get(`${connection.path}/attempts`)).body.map(
      ({ outcome, code }: { outcome: string; code: string | null }) => [outcome, code],
    )
  return { app, ...place, name, verify, connect, connection, other: connection.other, person, attempts }
}

export type Started = Awaited<ReturnType<typeof startConnection>>

/** The page of the connections, for a request that names the account. */
export async function open(
  { app, system, accountId }: Pick<Started, 'app' | 'system' | 'accountId'>,
  browser: TestBrowser,
  more: Record<string, string | undefined> = {},
) {
  const pkce = newPkce()
  const url = authUrl(system as never, pkce.challenge, { account_id: accountId, ...more })
  return { pkce, page: await browser.follow(await browser.get(url)), app }
}

/** The login page of a request that names no organization. */
export const openLogin = (place: Started, browser: TestBrowser, more = {}) =>
  open(place, browser, { account_id: undefined, ...more })

/** An organization whose connection is offered: the login page follows its change within a second. */
export async function startOffering(t: TestContext, fields?: Parameters<typeof startConnection>[1]) {
  const place = await startConnection(t, fields)
  await showsOffer(t, place, true)
  return place
}

export const showsOffer = (t: TestContext, place: Started, isShown: boolean) =>
  t.waitFor(
    async () =>
      assert.equal(
        String((await openLogin(place, place.app.newBrowser())).page.body).includes('single-sign-on'),
        isShown,
      ),
    { ...SOON, interval: 100 },
  )

export const linkTo = (page: Answer, id: string) =>
  new RegExp(`href="([^"]+/connection/${id}(?:\\?hint=[\\w-]+)?)"`).exec(String(page.body))?.[1] ?? ''

/** Goes to the provider from a page, and back: the last page, or the redirect to the application. */
export async function goThrough(
  browser: TestBrowser,
  page: Answer,
  id: string,
  other: OtherProvider,
): Promise<Answer> {
  const away = await browser.get(linkTo(page, id))
  assert.equal(away.status, 303, String(away.body))
  return browser.follow(await browser.get(await visitOther(other, away.headers.get('location'))))
}

export async function signIn(
  place: Started,
  browser: TestBrowser,
  more: Record<string, string | undefined> = {},
) {
  const { pkce, page } = await open(place, browser, more)
  const end = await goThrough(browser, page, place.connection.id, place.other)
  return { pkce, end, back: backOf(end) }
}

export const backOf = (end: Answer): Record<string, string> => {
  const location = end.headers.get('location')
  return location ? Object.fromEntries(new URL(location).searchParams) : {}
}

export async function tokensOf(
  { app, system }: Started,
  { pkce, back, end }: Awaited<ReturnType<typeof signIn>>,
) {
  assert.ok(back.code, `${end.status} ${JSON.stringify(back)} ${String(end.body).slice(0, 2000)}`)
  return expectStatus(await app.token(system as never, codeFields(system as never, { back, pkce })), 200).body
}

export const signInAs = (place: Started, claims: object, browser = place.app.newBrowser(), more = {}) => {
  place.other.claims = claims as never
  return signIn(place, browser, more)
}
