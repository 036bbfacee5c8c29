/** No request to /auth with the parameter `test` reaches the application, whatever it contains. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { keySet, newClientKey, requestObjectOf } from '../../test/support/client-keys.ts'
import {
  type Answer,
  authUrl,
  basicAuth,
  type Driver,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { testSignIns } from '../database/schema.ts'

/** A system with a member, and the address of a test with other parameters added or replaced. */
async function start(t: TestContext, fields: object = {}) {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember(fields)
  const newTest = async (more: Record<string, string> = {}) => {
    const { status, body } = await app.platform.post(`/admin/systems/${system.id}/test-sign-ins`, {})
    assert.equal(status, 201, JSON.stringify(body))
    const url = new URL(body.url)
    for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value)
    return url
  }
  return { app, system, user, newTest }
}

const open = async (visitor: TestBrowser, url: URL | string) => visitor.follow(await visitor.get(String(url)))

/** Submits the login and every later form, without consenting to anything else than what a page asks. */
async function finish(visitor: TestBrowser, first: Answer, email: string): Promise<Answer> {
  let page = first
  for (let forms = 0; forms < 5 && /name="(password|accountId)"/.test(String(page.body)); forms += 1)
    page = await visitor.follow(await visitor.submit(page, { email, password: PASSWORD }))
  return page
}

/** Shown as text and in a link to our console, so that the user sees which redirect URI is wrong. */
const SENT = 'https://app.example/other'

/** A page of ours: no redirect, and no form or script that posts to the application. */
function assertStays(page: Answer, what: string): void {
  assert.equal(page.headers.get('location'), null, what)
  const body = String(page.body)
    .replace(`>${SENT}<`, '')
    .replace(/href="\/console\/[^"]*"/, '')
  assert.doesNotMatch(body, /app\.example|the-state|[?&"]code[="]/, what)
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, what)
}

async function assertNothingOpened(app: Driver, user: { id: string }): Promise<void> {
  const { total } = (await app.platform.get(`/admin/sessions?userId=${user.id}`)).body
  assert.equal(total, 0)
  assert.deepEqual(await app.audited({ action: 'session.opened', actorId: user.id }), [])
}

const MODES = [{}, { response_mode: 'form_post' }, { response_mode: 'fragment' }, { response_mode: 'query' }]

test('P62: a test of a sign-in ends on our page in every response mode, before and after a consent', async (t) => {
  for (const fields of [{}, { skipConsent: true }]) {
    const { app, user, newTest } = await start(t, fields)
    const visitor = app.newBrowser()
    for (const mode of MODES.slice(0, 2)) {
      const page = await finish(visitor, await open(visitor, await newTest(mode)), user.email)
      assertStays(page, JSON.stringify(mode))
      assert.match(String(page.body), /What <bdi>[^<]+<\/bdi> would receive/)
    }
    await assertNothingOpened(app, user)
  }
  const { app, system, user, newTest } = await start(t)
  const { visitor } = await app.signIn(system, { email: user.email })
  for (const mode of MODES)
    for (const prompt of [{}, { prompt: 'none' }, { prompt: 'consent' }]) {
      const page = await finish(
        visitor,
        await open(visitor, await newTest({ ...mode, ...prompt })),
        user.email,
      )
      assertStays(page, JSON.stringify({ ...mode, ...prompt }))
    }
  assert.equal((await app.platform.get(`/admin/sessions?userId=${user.id}`)).body.total, 1)
})

test('P62: an error of a test is shown to the user and not sent to the application', async (t) => {
  const { app, system, newTest } = await start(t)
  const wrong: Record<string, string>[] = [
    { prompt: 'none' },
    { prompt: 'none login' },
    { scope: 'openid phone' },
    { response_type: 'token' },
    { code_challenge: 'short' },
    { response_mode: 'web_message' },
    { max_age: 'x' },
    { account_id: 'x' },
    { claims: '{' },
    { request: 'x' },
    { redirect_uri: SENT },
  ]
  for (const more of wrong)
    for (const mode of MODES.slice(0, 2)) {
      const page = await open(app.newBrowser(), await newTest({ ...mode, ...more }))
      assertStays(page, JSON.stringify(more))
      assert.equal(page.status, 400, JSON.stringify(more))
    }
  const stranger = await app.newUser()
  for (const mode of MODES.slice(0, 2)) {
    const visitor = app.newBrowser()
    const left = await finish(visitor, await open(visitor, await newTest(mode)), stranger.email)
    assertStays(left, 'not a member')
    const uid = /\/interaction\/([\w-]+)/.exec(String(left.body))![1]
    const csrf = /name="csrf" value="([^"]+)"/.exec(String(left.body))![1]!
    assertStays(await visitor.follow(await visitor.post(`/interaction/${uid}/abort`, { csrf })), 'left')
  }
  assert.equal((await app.audited({ action: 'session.opened', systemId: system.id })).length, 0)
})

test('P62: an unknown, expired or foreign test is an error page, and signs no user in', async (t) => {
  const { app, system, user, newTest } = await start(t, { skipConsent: true })
  const other = await start(t)
  const expired = await newTest()
  await app.db.update(testSignIns).set({ expiresAt: sql`now()` }).where(eq(testSignIns.systemId, system.id))
  const foreign = (await other.newTest()).searchParams.get('test')!
  const { visitor } = await app.signIn(system, { email: user.email })
  const at = (value: string) => authUrl(system, newPkce().challenge, { test: value })
  const twice = `${at('one')}&test=two`
  for (const browser of [visitor, app.newBrowser()])
    for (const url of [expired, at('garbage'), at(''), at(crypto.randomUUID()), at(foreign), twice]) {
      const page = await open(browser, url)
      assert.equal(page.status, 400, String(url))
      assertStays(page, String(url))
      assert.doesNotMatch(String(page.body), /name="password"/)
    }
})

test('P62: a pushed or signed request cannot carry a test, nor a test beside it', async (t) => {
  const app = await startTestApp(t)
  const key = await newClientKey()
  const { system, user } = await app.newMember({ jwks: keySet(key), skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const { body } = await app.platform.post(`/admin/systems/${system.id}/test-sign-ins`, {})
  const secret = new URL(body.url).searchParams.get('test')!
  const plain = Object.fromEntries(new URL(authUrl(system, newPkce().challenge), app.url).searchParams)
  const push = (fields: Record<string, string>) =>
    visitor.post('/request', fields, { authorization: basicAuth(system), accept: 'application/json' })
  const device = await visitor.post(
    '/device/auth',
    { scope: 'openid', test: secret },
    { authorization: basicAuth(system), accept: 'application/json' },
  )
  assert.equal((await push({ ...plain, test: secret })).status, 400)
  assert.notEqual(device.status, 200)
  const pushed = (await push(plain)).body.request_uri
  const signed = await requestObjectOf(system, key, app.url, { claims: plain })
  const hidden = await requestObjectOf(system, key, app.url, { claims: { ...plain, test: secret } })
  const requests: Record<string, string>[] = [
    { request_uri: pushed, test: secret },
    { request_uri: pushed, test: 'garbage' },
    { request: signed, test: secret },
    { request: hidden },
    { request: hidden, test: secret },
  ]
  for (const request of requests) {
    const query = new URLSearchParams({ client_id: system.clientId, ...request })
    assertStays(await open(visitor, `/auth?${query}`), JSON.stringify(Object.keys(request)))
  }
  assert.equal((await app.platform.get(`/admin/sessions?userId=${user.id}`)).body.total, 1)
})
