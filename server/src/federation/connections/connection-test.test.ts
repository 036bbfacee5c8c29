/** The test of a connection: with a real OpenID provider in the place of the organization's, and bad ones. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { newPlace } from '../../../test/support/connections.ts'
import { newOperator } from '../../../test/support/console.ts'
import { expectStatus } from '../../../test/support/http.ts'
import {
  OTHER_CLIENT,
  type OtherProvider,
  startOtherProvider,
  visitOther,
} from '../../../test/support/other-provider.ts'
import { newServer } from '../../../test/support/plain-server.ts'
import { freePort } from '../../../test/support/postgres.ts'
import { type Answer, startTestApp, type TestBrowser } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { connections, domains } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A connection to a provider that runs, and its test in a browser. */
async function start(t: TestContext, fields: object = {}) {
  const app = await startTestApp(t, { CONNECTIONS_ALLOW_PRIVATE: 'true' })
  const place = await newPlace(app)
  const connection = await place.add(place.admin, fields)
  const port = await freePort()
  const other = await startOtherProvider(port, connection.redirectUri)
  t.after(() => other.close())
  const settings = { issuer: other.url, clientId: OTHER_CLIENT.id, clientSecret: OTHER_CLIENT.secret }
  expectStatus(await place.admin.patch(connection.path, settings), 200)
  const request = async () =>
    String(expectStatus(await place.admin.post(`${connection.path}/test`), 200).body.testUrl)
  const read = async () => expectStatus(await place.admin.get(connection.path), 200).body
  return { app, ...place, connection, other, request, read }
}

/** Opens the page of a test, and returns the address of the provider that its button leads to. */
async function begin(browser: TestBrowser, url: string) {
  const page = await browser.follow(await browser.get(url))
  assert.equal(page.status, 200, String(page.body))
  return browser.submit(page)
}

/** The whole test. */
async function through(browser: TestBrowser, other: OtherProvider, url: string): Promise<Answer> {
  const away = await begin(browser, url)
  return browser.get(await visitOther(other, away.headers.get('location')))
}

const ANA = { sub: 'ana', email: 'ana@acme.example', email_verified: true, name: 'Ana' }

test('a test shows what the provider states, starts no session, and lets the connection be enabled', async (t) => {
  const { app, admin, system, accountId, connection, other, request, read } = await start(t, {
    requiredClaims: { email: ['ana@acme.example'] },
  })
  await app.db.insert(domains).values({
    ...{ systemId: system.id, accountId, name: 'acme.example', setBy: 'account', word: 'w' },
    ...{ token: crypto.randomUUID(), status: 'verified', verifiedAt: sql`now()` },
  })
  other.claims = ANA
  const browser = app.newBrowser()

  const before = await admin.patch(connection.path, { enabled: true })
  const result = await through(browser, other, await request())
  const tested = await read()
  const enabled = await admin.patch(connection.path, { enabled: true })
  const [attempt] = (await admin.get(`${connection.path}/attempts`)).body
  const users = await app.platform.get('/admin/users?email=ana@acme.example')
  const account = await browser.get('/account')

  assert.equal(before.body.code, 'connection_untested')
  const body = String(result.body)
  assert.equal(result.status, 200, body)
  for (const shown of ['The test succeeded', 'ana@acme.example', other.url, 'No member of the organization'])
    assert.ok(body.includes(shown), shown)
  assert.match(body, /reports no second factor/)
  assert.ok(tested.testedAt !== null && tested.lastError === null && !tested.changedSinceTest)
  assert.deepEqual([enabled.status, enabled.body.enabled], [200, true])
  assert.deepEqual(
    [attempt.outcome, attempt.code, attempt.subject, attempt.email],
    ['tested', null, 'ana', 'ana@acme.example'],
  )
  assert.equal(users.body.total, 0)
  assert.equal(account.status, 303, 'no user is signed in')
  const entries = await app.audited({ targetId: connection.id })
  assert.deepEqual(entries.map(({ action, actorType }) => [action, actorType]).slice(2), [
    ['connection.test_requested', 'user'],
    ['connection.tested', 'anonymous'],
    ['connection.enabled', 'user'],
  ])
})

test('P149: the address works in one browser, until the test succeeds, another one begins or a setting changes', async (t) => {
  const { app, admin, connection, other, request, read } = await start(t)
  other.claims = ANA
  const [first, second] = [app.newBrowser(), app.newBrowser()]
  const statusOf = async (browser: TestBrowser, url: string) =>
    (await browser.follow(await browser.get(url))).status
  const one = await request()

  assert.equal(await statusOf(first, one), 200)
  assert.equal(await statusOf(second, one), 400)
  assert.equal(await statusOf(first, one), 200)
  assert.equal(await statusOf(first, `/sso/${crypto.randomUUID()}/test?token=${one.split('=')[1]}`), 400)
  assert.equal(await statusOf(second, `/sso/${connection.id}/test?token=x`), 400)
  assert.equal(await statusOf(second, `/sso/${connection.id}/test`), 400)
  const forged = await first.post(`/sso/${connection.id}/test`, { csrf: 'x' })
  assert.ok([303, 403].includes(forged.status) && !forged.headers.get('location')?.startsWith(other.url))
  const another = await request()
  assert.equal(await statusOf(first, one), 400)
  const away = await begin(second, another)
  await admin.patch(connection.path, { clientId: 'changed' })
  const late = await second.get(await visitOther(other, away.headers.get('location')))
  assert.equal(late.status, 400)
  await admin.patch(connection.path, { clientId: OTHER_CLIENT.id })
  const expired = await request()
  await app.db.update(connections).set({ testExpiresAt: sql`now()` }).where(eq(connections.id, connection.id))
  assert.equal(await statusOf(first, expired), 400)
  assert.equal((await read()).testedAt, null)
  const last = await request()
  assert.equal((await through(first, other, last)).status, 200)
  assert.equal(await statusOf(first, last), 400)
})

test('P51: the test that a user has requested ends with the right to set up the connection', async (t) => {
  const { app, service, system, accountId, connection, other, read } = await start(t)
  other.claims = ANA
  const roles = expectStatus(await service.get(`/admin/systems/${system.id}/roles`), 200).body
  const admin = roles.find(({ isAdmin }: { isAdmin: boolean }) => isAdmin)
  const losses: Record<string, (user: { id: string; memberId: string }) => Promise<Answer>> = {
    'no member': ({ memberId }) => service.delete(`/admin/memberships/${memberId}`),
    'no admin': ({ memberId }) =>
      service.patch(`/admin/memberships/${memberId}/roles`, { remove: [admin.id] }),
    blocked: ({ memberId }) => service.patch(`/admin/memberships/${memberId}`, { status: 'blocked' }),
    disabled: ({ id }) => app.platform.patch(`/admin/users/${id}`, { disabled: true }),
  }
  const statuses: Record<string, number> = {}
  for (const [name, lose] of [...Object.entries(losses), ['still an admin', undefined] as const]) {
    const { id, email } = await app.newUser()
    const member = await app.newMembership({ userId: id, systemId: system.id, accountId, roles: [admin.id] })
    const eve = app.as((await app.signIn(system as never, { email })).access_token)
    const { testUrl } = expectStatus(await eve.post(`${connection.path}/test`), 200).body
    const browser = app.newBrowser()
    const away = await begin(browser, testUrl)
    if (lose) assert.ok((await lose({ id, memberId: member.id })).status < 300, name)
    statuses[name] = (await browser.get(await visitOther(other, away.headers.get('location')))).status
    assert.equal((await read()).testedAt === null, lose !== undefined, name)
  }

  assert.deepEqual(statuses, {
    ...{ 'no member': 400, 'no admin': 400, blocked: 400, disabled: 400 },
    'still an admin': 200,
  })
})

test('P51: the test of an operator succeeds, until the operator is removed', async (t) => {
  const { app, system, connection, other, read } = await start(t)
  other.claims = ANA
  const outcomes: unknown[] = []
  for (const [systemId, isRemoved] of [
    [system.id, true],
    [null, true],
    [system.id, false],
    [null, false],
  ] as const) {
    const { client, operatorId } = await newOperator(app, { systemId })
    const { testUrl } = expectStatus(await client.post(`${connection.path}/test`), 200).body
    const browser = app.newBrowser()
    const away = await begin(browser, testUrl)
    if (isRemoved) expectStatus(await app.platform.delete(`/admin/operators/${operatorId}`), 204)
    outcomes.push((await browser.get(await visitOther(other, away.headers.get('location')))).status)
  }

  assert.deepEqual(outcomes, [400, 400, 200, 200])
  assert.notEqual((await read()).testedAt, null)
})

test('P80, P157: a response of another browser, connection or state, or a used one, is refused', async (t) => {
  const { app, admin, add, connection, other, request } = await start(t)
  other.claims = ANA
  const settings = { issuer: other.url, clientId: OTHER_CLIENT.id, clientSecret: OTHER_CLIENT.secret }
  const neighbor = await add(admin, settings)
  const { testUrl } = (await admin.post(`${neighbor.path}/test`)).body
  const [browser, stranger] = [app.newBrowser(), app.newBrowser()]
  await begin(browser, testUrl)
  const away = await begin(browser, await request())
  const back = await visitOther(other, away.headers.get('location'))
  const kept = new Map(browser.jar)
  const refused = async (url: string, who = browser) => {
    const { status } = await who.get(url)
    assert.equal(status, 400, url)
  }

  await refused(back, stranger)
  await refused(back.replace(connection.id, neighbor.id))
  await refused(back.replace(/state=[^&]+/, 'state=x'))
  await refused(back.replace(/state=[^&]+/, ''))
  await refused(`/sso/${connection.id}/callback`)
  assert.equal((await browser.get(back)).status, 200)
  for (const [name, cookie] of kept) browser.jar.set(name, cookie)
  await refused(back)
  await request()
  await refused(back)
  assert.equal((await admin.get(neighbor.path)).body.testedAt, null)
})

test('P77: an ID token that is forged or for somebody else is refused, and the log says so', async (t) => {
  const { app, admin, connection, other, request, read } = await start(t)
  other.claims = ANA
  const now = Math.floor(Date.now() / 1_000)
  const signed =
    (change: object, alg = 'RS256') =>
    async (idToken: string) =>
      new SignJWT({ ...decodeJwt(idToken), ...change })
        .setProtectedHeader({ alg, kid: other.key.kid })
        .sign(alg === 'HS256' ? Buffer.from(OTHER_CLIENT.secret) : other.key.privateKey)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forgeries: Record<string, NonNullable<OtherProvider['forge']>> = {
    aud: signed({ aud: 'another client' }),
    azp: signed({ aud: [OTHER_CLIENT.id, 'b'], azp: 'b' }),
    iss: signed({ iss: 'https://evil.example' }),
    nonce: signed({ nonce: 'another' }),
    'no nonce': signed({ nonce: undefined }),
    expired: signed({ iat: now - 900, exp: now - 600 }),
    'no sub': signed({ sub: undefined }),
    'HS256 with the client secret': signed({}, 'HS256'),
    'alg none': async (idToken) => `${part({ alg: 'none' })}.${part(decodeJwt(idToken))}.`,
    'not signed': async (idToken) => `${idToken.slice(0, idToken.lastIndexOf('.'))}.${'A'.repeat(342)}`,
    none: async () => '',
  }

  const browser = app.newBrowser()
  await browser.get(await request())
  const at = `/sso/${connection.id}/test`
  for (const [name, forge] of Object.entries(forgeries)) {
    other.forge = forge
    const page = await through(browser, other, at)
    assert.equal(page.status, 400, name)
    assert.match(String(page.body), /The test failed/, name)
    assert.match(String(page.body), /href="\/sso\/[\w-]+\/test"/, name)
  }
  const failed = await read()
  const attempts = (await admin.get(`${connection.path}/attempts`)).body
  other.forge = undefined
  const again = await through(browser, other, at)

  assert.deepEqual([failed.testedAt, failed.lastError], [null, 'provider_answer_invalid'])
  assert.deepEqual(
    attempts.map(({ outcome, code, subject }: Record<string, unknown>) => [outcome, code, subject]),
    Object.keys(forgeries).map(() => ['refused', 'provider_answer_invalid', null]),
  )
  assert.equal(again.status, 200)
  assert.equal((await read()).lastError, null)
})

test('P105, P106: names and groups are text of bounded length, and the page shows no token or secret', async (t) => {
  const { app, admin, connection, other, request } = await start(t, {
    name: '<b>Okta</b> \u202etest',
    groupAttribute: 'name',
  })
  other.claims = { ...ANA, name: `<script>alert(1)</script>\u202e${'x'.repeat(5_000)}` }
  let idToken = ''
  other.forge = async (token) => {
    idToken = token
    return token
  }

  const { body } = await through(app.newBrowser(), other, await request())
  const attempts = JSON.stringify((await admin.get(`${connection.path}/attempts`)).body)
  const entries = JSON.stringify(await app.audited({ targetId: connection.id }))

  const page = String(body)
  assert.doesNotMatch(page, /<script>|<b>Okta|x{200}/)
  assert.ok(idToken.length > 100)
  for (const text of [page, attempts, entries])
    for (const secret of [idToken, OTHER_CLIENT.secret]) assert.ok(!text.includes(secret))
})

/** The page of a test with this issuer, whatever the operation would accept. */
async function testOf(app: App, issuer: string) {
  const place = await newPlace(app)
  const given = { clientId: 'a', clientSecret: 'b', issuer: 'https://acme.okta.com' }
  const connection = await place.add(place.admin, given)
  await app.db.update(connections).set({ issuer }).where(eq(connections.id, connection.id))
  const { testUrl } = (await place.admin.post(`${connection.path}/test`)).body
  const browser = app.newBrowser()
  const left = await begin(browser, testUrl)
  const isAway = !left.headers.get('location')?.startsWith('/sso/')
  const page = isAway ? left : await browser.follow(left)
  const { lastError } = (await place.admin.get(connection.path)).body
  return { status: page.status, lastError, body: String(page.body), location: page.headers.get('location') }
}

test('P158: metadata that leads elsewhere, is too large or unreadable is refused with one text, and no redirect is followed', async (t) => {
  const app = await startTestApp(t, { CONNECTIONS_ALLOW_PRIVATE: 'true' })
  const plain = await startTestApp(t)
  let reached = 0
  const target = await newServer(t, (_request, response) => {
    reached += 1
    response.end('{}')
  })
  const serving = (document: (issuer: string) => object, size = 0) =>
    newServer(t, (request, response) => {
      const issuer = `http://${request.headers.host}`
      const text = JSON.stringify({ issuer, ...document(issuer), filler: 'x'.repeat(size) })
      response.setHeader('content-type', 'application/json').end(text)
    })
  const whole = (issuer: string) => ({
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  })
  const redirecting = await newServer(t, (_request, response) => {
    response.writeHead(302, { location: target }).end()
  })
  const wrong: [string, string][] = [
    ['redirect', redirecting],
    ['garbage', await newServer(t, (_request, response) => void response.end('<html>'))],
    ['1 MB', await serving(whole, 1_000_000)],
    ['another issuer', await serving((issuer) => ({ ...whole(issuer), issuer: 'https://other.example' }))],
    [
      'metadata service',
      await serving((issuer) => ({ ...whole(issuer), authorization_endpoint: 'http://169.254.169.254/' })),
    ],
    [
      'script',
      await serving((issuer) => ({ ...whole(issuer), authorization_endpoint: 'javascript:alert(1)' })),
    ],
    ['no endpoint', await serving(() => ({}))],
    [
      'HS256 only',
      await serving((issuer) => ({
        ...whole(issuer),
        id_token_signing_alg_values_supported: ['HS256', 'none'],
      })),
    ],
    ['nothing listens', 'http://localhost:1'],
  ]

  for (const [name, issuer] of wrong) {
    const page = await testOf(app, issuer)
    assert.deepEqual([page.location, /The test failed/.test(page.body)], [null, true], name)
    assert.match(page.lastError, /^provider_(unavailable|answer_invalid)$/, name)
    assert.doesNotMatch(page.body, /ECONN|not public|ALLOW_PRIVATE|within 5 s/, name)
  }
  const good = await testOf(app, await serving(whole))
  assert.match(String(good.location), /^http:\/\/localhost:\d+\/auth\?/)
  for (const issuer of [
    target,
    target.replace('http:', 'https:'),
    'https://10.0.0.1',
    'https://169.254.169.254',
  ]) {
    const page = await testOf(plain, issuer)
    assert.deepEqual([page.lastError, page.location], ['provider_unavailable', null], issuer)
  }
  assert.equal(reached, 0)
})
