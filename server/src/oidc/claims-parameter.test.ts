/** The parameter `claims` (OpenID Connect Core section 5.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { setProofs } from '../../test/support/browser-sessions.ts'
import { product, signIn } from '../../test/support/openid-client.ts'
import {
  authUrl,
  type Driver,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'

type System = Parameters<Driver['signIn']>[0]
const request = (claims: object | string, more: Record<string, string> = {}) => ({
  scope: 'openid',
  claims: typeof claims === 'string' ? claims : JSON.stringify(claims),
  ...more,
})

/** JSON escapes what no text has. */
const NO_TEXT = [
  '{"id_token":{"sub":{"value":"\\ud800"}}}',
  '{"id_token":{"acr":{"values":["\\udfff"]}}}',
  '{"userinfo":{"email":{"value":"\\u0000"}}}',
  '{"id_token":{"\\ud800":null}}',
]

/** The page or redirect that answers a request to /auth; with a password if the login page does. */
async function answerTo(
  browser: TestBrowser,
  system: System,
  parameters: Record<string, string>,
  email?: string,
) {
  const page = await browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))
  const asksPassword = /name="password"/.test(String(page.body))
  return email && asksPassword
    ? browser.follow(await browser.submit(page, { email, password: PASSWORD }))
    : page
}
const parametersOf = (answer: { headers: Headers }) =>
  Object.fromEntries(new URL(answer.headers.get('location') ?? 'about:blank').searchParams)

test('openid-client: requested claims are in the ID token and at /me, once the user has consented to each', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)
  await app.platform.patch(`/admin/users/${shop.user.id}`, { givenName: 'Pat', locale: 'en' })
  const parameters = request({
    id_token: { given_name: { essential: true }, unknown: null },
    userinfo: { email: null, locale: null },
  })

  const page = await answerTo(app.newBrowser(), shop.system, parameters, shop.user.email)
  const browser = app.newBrowser()
  const first = (await signIn(shop, browser, parameters)).tokens
  const again = await answerTo(browser, shop.system, parameters)
  const more = await answerTo(browser, shop.system, request({ id_token: { name: null } }))
  const pushed = (await signIn(shop, app.newBrowser(), parameters, true)).tokens
  const refreshed = await client.refreshTokenGrant(
    shop.config,
    (await signIn(shop, browser, { ...parameters, scope: 'openid offline_access' })).tokens.refresh_token!,
  )

  assert.match(String(page.body), /View these details of your profile <small>given name and language</)
  assert.match(String(page.body), /View your email address/)
  assert.doesNotMatch(String(page.body), /View your profile/)
  assert.ok(parametersOf(again).code, 'consent is asked once')
  assert.match(String(more.body), /View these details of your profile <small>name</)
  for (const tokens of [first, pushed, refreshed]) {
    const idToken = tokens.claims()!
    const me = await client.fetchUserInfo(shop.config, tokens.access_token, shop.user.id)
    assert.deepEqual([idToken.given_name, idToken.email, idToken.locale], ['Pat', undefined, undefined])
    assert.deepEqual(
      [me.given_name, me.email, me.locale, me.name],
      [undefined, shop.user.email, 'en', undefined],
    )
    const access = decodeJwt(tokens.access_token)
    assert.deepEqual(access.userinfo_claims, ['email', 'locale'])
    assert.deepEqual([access.email, access.given_name, access.locale], [undefined, undefined, undefined])
  }
  const [entry] = await app.audited({ action: 'consent.granted', actorId: shop.user.id })
  const [, asked] = entry!.changes!.claims as [null, string[]]
  assert.deepEqual(asked.toSorted(), ['email', 'given_name', 'locale'])
})

test('a system with skipConsent asks nothing, and the JSON of the consent step lists the claims', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const asking = await app.newMember()
  const claims = { id_token: { email: null } }
  const { id_token } = await app.signIn(system, { email: user.email, parameters: request(claims) })

  const browser = app.newBrowser()
  const page = await answerTo(browser, asking.system, request(claims), asking.user.email)
  const path = /action="([^"]+)\/consent"/.exec(String(page.body))![1]!
  const step = (await browser.get(path, { accept: 'application/json' })).body

  assert.equal(decodeJwt(id_token).email, user.email)
  assert.deepEqual([step.step, step.scopes, step.claims], ['consent', ['openid'], ['email']])
})

test('discovery lists the claims of every scope and the claims parameter', async (t) => {
  const { url } = await startTestApp(t)
  const discovery = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as {
    claims_parameter_supported: boolean
    claims_supported: string[]
    scopes_supported: string[]
  }

  assert.equal(discovery.claims_parameter_supported, true)
  assert.deepEqual(discovery.scopes_supported.toSorted(), [
    'address',
    'email',
    'offline_access',
    'openid',
    'phone',
    'profile',
  ])
  const some = ['sub', 'account_id', 'acr', 'email', 'birthdate', 'phone_number_verified', 'address']
  assert.deepEqual(
    some.filter((claim) => !discovery.claims_supported.includes(claim)),
    [],
  )
})

test('P55: claims of scopes that the system cannot request are not obtained', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ allowedScopes: ['openid'] })
  const each = { email: { essential: true }, email_verified: null, name: null }

  const page = await answerTo(
    app.newBrowser(),
    system,
    request({ id_token: each, userinfo: each }),
    user.email,
  )
  const tokens = await app.signIn(system, {
    email: user.email,
    parameters: request({ id_token: each, userinfo: each }),
  })
  const { body: me } = await app.me(tokens.access_token)

  assert.match(String(page.body), /Identify you/)
  assert.doesNotMatch(String(page.body), /View your email address|details of your profile/)
  for (const claims of [decodeJwt(tokens.id_token), decodeJwt(tokens.access_token), me])
    assert.deepEqual([claims.email, claims.email_verified, claims.name], [undefined, undefined, undefined])
})

test('P55: the claims parameter neither sets nor removes a claim of the account and the authentication', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const other = await app.newMember()
  const OURS = ['sub', 'account_id', 'membership_id', 'roles', 'is_admin', 'permissions', 'sid', 'acr', 'amr']
  const forged = {
    account_id: { value: other.membership.accountId, essential: true },
    membership_id: { value: other.membership.id },
    roles: { values: ['admin'] },
    is_admin: { value: true },
    auth_time: null,
    iss: { value: 'https://attacker.example' },
    aud: { value: 'other' },
    __proto__: null,
    constructor: { value: 'x' },
  }
  const plain = await app.signIn(system, { email: user.email, parameters: { scope: 'openid' } })
  const { visitor } = plain

  const tokens = await app.signIn(system, {
    email: user.email,
    visitor,
    parameters: request(`{"id_token":${JSON.stringify(forged)},"userinfo":{"__proto__":{"is_admin":true}}}`),
  })

  const ofToken = (token: string) => {
    const claims = decodeJwt(token)
    return [claims.iss, claims.aud, ...OURS.map((name) => claims[name])]
  }
  assert.deepEqual(ofToken(tokens.id_token), ofToken(plain.id_token))
  assert.deepEqual(ofToken(tokens.access_token), ofToken(plain.access_token))
  assert.ok(ofToken(tokens.id_token).every((value) => value !== undefined))
  assert.deepEqual((await app.me(tokens.access_token)).body, (await app.me(plain.access_token)).body)
  for (const name of OURS)
    for (const claims of [{ id_token: { [name]: 1 } }, { userinfo: { [name]: [] } }]) {
      const answer = parametersOf(await answerTo(visitor, system, request(claims)))
      assert.deepEqual([answer.error, answer.code], ['invalid_request', undefined], name)
    }
})

test('P55: a requested sub is compared with the user, and never replaces it', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const asked = (value: string) => request({ id_token: { sub: { value } } })

  const own = parametersOf(await answerTo(visitor, system, asked(user.id)))
  const other = await answerTo(visitor, system, asked((await app.newUser()).id))

  assert.ok(own.code)
  assert.match(String(other.body), /name="password"/)
})

test('P55: an essential acr is obtained by the second factor, or the request is refused', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const [aal1, aal2] = ['urn:tenantry:aal1', 'urn:tenantry:aal2']
  const ask = (acr: object, more = {}) => answerTo(visitor, system, request({ id_token: { acr } }, more))

  const factor = await ask({ essential: true, value: aal2 })
  const silent = parametersOf(await ask({ essential: true, values: [aal2] }, { prompt: 'none' }))
  const met = parametersOf(await ask({ essential: true, values: [aal2, aal1] }))
  const unknown = parametersOf(await ask({ essential: true, value: 'phr' }))
  const voluntary = parametersOf(await ask({ values: ['phr'] }))
  const invalid = parametersOf(await ask({ essential: true, values: aal2 }))

  assert.match(String(factor.body), /authenticator app/i)
  assert.deepEqual([silent.error, silent.code], ['interaction_required', undefined])
  assert.ok(met.code)
  assert.deepEqual([unknown.error, unknown.code], ['unmet_authentication_requirements', undefined])
  assert.ok(voluntary.code)
  assert.equal(invalid.error, 'invalid_request')
})

test('P55: with prompt=none the claim sub does not tell which user is signed in', async (t) => {
  const app = await startTestApp(t)
  const { system: home, user } = await app.newMember({ skipConsent: true })
  const [other, curious] = [await app.newUser(), await app.newSystem()]
  const { visitor } = await app.signIn(home, { email: user.email })
  const ask = async (value: string) => {
    const claims = JSON.stringify({ id_token: { sub: { value } } })
    const url = authUrl(curious, newPkce().challenge, { scope: 'openid', prompt: 'none', claims })
    return (await visitor.get(url)).headers.get('location')
  }

  const answers = [await ask(user.id), await ask(other.id)]

  assert.equal(answers[0], answers[1])
  assert.match(answers[0]!, /error=invalid_request/)
})

test('an ID token for which auth_time is essential has it: another provider does not suffice', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  await setProofs(app.db, user.id, [{ method: 'social', credential: null, age: 0 }])
  const essential = request({ id_token: { auth_time: { essential: true } } })
  const timeIn = async (parameters: Record<string, string>) =>
    decodeJwt((await app.signIn(system, { email: user.email, visitor, parameters })).id_token).auth_time

  const voluntary = await timeIn(request({ id_token: { auth_time: null } }))
  const silent = parametersOf(await answerTo(visitor, system, { ...essential, prompt: 'none' }))
  const page = await answerTo(visitor, system, essential)
  const after = await timeIn(essential)
  const later = parametersOf(await answerTo(visitor, system, { ...essential, prompt: 'none' }))

  assert.equal(voluntary, undefined)
  assert.equal(silent.error, 'login_required')
  assert.match(String(page.body), /name="password"/)
  assert.equal(typeof after, 'number')
  assert.ok(later.code)
})

test('P42: claims with half of a surrogate pair or U+0000 are invalid_request, not an error of the server', async (t) => {
  const app = await startTestApp(t)
  const { system } = await app.newMember()

  const errors = []
  for (const claims of NO_TEXT)
    errors.push(parametersOf(await answerTo(app.newBrowser(), system, request(claims))).error)

  assert.deepEqual(
    errors,
    NO_TEXT.map(() => 'invalid_request'),
  )
})
