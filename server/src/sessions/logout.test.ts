import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { startTestApp, type Visitor } from '../testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const GOODBYE = 'https://app.example/goodbye'

/** A person signed in to two systems in one browser, and to the first of them in another browser. */
async function signedInTwice(app: App) {
  const { newSystem, newUser, newMembership, signIn } = app
  const [system, second] = [await newSystem({ postLogoutRedirectUris: [GOODBYE] }), await newSystem()]
  const user = await newUser()
  for (const { id } of [system, second]) await newMembership({ userId: user.id, systemId: id })
  const here = await signIn(system, { email: user.email })
  const beside = await signIn(second, { email: user.email, visitor: here.visitor })
  const otherwhere = await signIn(system, { email: user.email })
  return { system, second, user, here, beside, otherwhere, browser: here.visitor }
}

/** The confirmation page, and the answer to one of its buttons. */
async function confirm(
  browser: Visitor,
  parameters: Record<string, string> = {},
  fields: Record<string, string> = { logout: 'yes' },
) {
  const page = await browser.get(`/session/end?${new URLSearchParams(parameters)}`)
  return { page, after: await browser.follow(await browser.submit(page, fields)) }
}

test('logout asks first, then ends every session of that browser and none of another', async (t) => {
  const app = await startTestApp(t)
  const { system, second, user, here, beside, otherwhere, browser } = await signedInTwice(app)

  const { page, after } = await confirm(browser)

  assert.match(String(page.body), /id="logout-confirm" name="logout" value="yes"/)
  assert.match(String(after.body), /You are signed out/)
  assert.deepEqual([(await app.me(here.access_token)).status, (await app.me(beside.access_token)).status], [401, 401])
  assert.equal((await app.refresh(system, here.refresh_token!)).body.error, 'invalid_grant')
  assert.equal((await app.refresh(second, beside.refresh_token!)).body.error, 'invalid_grant')
  assert.equal((await app.me(otherwhere.access_token)).status, 200)
  const silent = await app.authorize(system, { email: user.email, visitor: browser, parameters: { prompt: 'none' } })
  assert.equal(silent.back.error, 'login_required')
  const ended = await app.happened({ userId: user.id, type: 'session.ended' })
  assert.deepEqual(new Set(ended.map((event) => event.data.sid)), new Set([sidOf(here), sidOf(beside)]))
})

test('an old cookie opens nothing after the logout', async (t) => {
  const app = await startTestApp(t)
  const { system, user, browser } = await signedInTwice(app)
  const cookies = new Map(browser.jar)
  await confirm(browser)

  const thief = app.visitor()
  for (const [name, cookie] of cookies) thief.jar.set(name, cookie)

  const silent = await app.authorize(system, { email: user.email, visitor: thief, parameters: { prompt: 'none' } })
  assert.equal(silent.back.error, 'login_required')
})

test('who stays signed in stays so, everywhere', async (t) => {
  const app = await startTestApp(t)
  const { system, user, here, beside, browser } = await signedInTwice(app)

  const { after } = await confirm(browser, { id_token_hint: here.id_token, post_logout_redirect_uri: GOODBYE }, {})

  assert.ok(after.status < 400)
  assert.deepEqual([(await app.me(here.access_token)).status, (await app.me(beside.access_token)).status], [200, 200])
  const silent = await app.authorize(system, { email: user.email, visitor: browser, parameters: { prompt: 'none' } })
  assert.ok(silent.back.code)
})

test('with an id_token_hint the person returns to the registered address, with the state', async (t) => {
  const app = await startTestApp(t)
  const { system, here, browser } = await signedInTwice(app)

  const { page, after } = await confirm(browser, {
    id_token_hint: here.id_token,
    post_logout_redirect_uri: GOODBYE,
    state: 'a b&c',
  })

  assert.match(String(page.body), new RegExp(system.name))
  assert.equal(after.headers.get('location'), `${GOODBYE}?state=a+b%26c`)
})

test('with a client_id the person returns to the registered address', async (t) => {
  const app = await startTestApp(t)
  const { system, browser } = await signedInTwice(app)

  const { after } = await confirm(browser, { client_id: system.clientId, post_logout_redirect_uri: GOODBYE })

  assert.equal(after.headers.get('location'), GOODBYE)
})

test('the confirmation page lets its form lead to the application', async (t) => {
  const app = await startTestApp(t)
  const { here, browser } = await signedInTwice(app)

  const page = await browser.get(
    `/session/end?${new URLSearchParams({ id_token_hint: here.id_token, post_logout_redirect_uri: GOODBYE })}`,
  )

  assert.match(page.headers.get('content-security-policy')!, /form-action 'self' https:\/\/app\.example(;|$)/)
})

test('an address that is not registered to the letter is refused on a page of ours, and ends nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, second, here, browser } = await signedInTwice(app)
  const unlike = [
    `${GOODBYE}/`,
    `${GOODBYE}?x=1`,
    `${GOODBYE}#f`,
    'https://APP.example/goodbye2',
    'https://evil.example',
    '//evil.example',
    'javascript:alert(1)',
  ]
  const asked: Record<string, string>[] = unlike.map((uri) => ({ client_id: system.clientId, post_logout_redirect_uri: uri }))

  for (const parameters of [...asked, { client_id: second.clientId, post_logout_redirect_uri: GOODBYE }]) {
    const page = await browser.get(`/session/end?${new URLSearchParams(parameters)}`)

    assert.deepEqual([page.status, page.headers.get('location')], [400, null], JSON.stringify(parameters))
    assert.match(String(page.body), /id="error-parameter"><bdi>post_logout_redirect_uri</)
  }
  assert.equal((await app.me(here.access_token)).status, 200)
})

test('an address without the application it belongs to is not followed', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await signedInTwice(app)

  const { after } = await confirm(browser, { post_logout_redirect_uri: GOODBYE })

  assert.deepEqual([after.status, after.headers.get('location')], [200, null])
  assert.match(String(after.body), /You are signed out/)
})

test('who is not signed in is answered like anybody else', async (t) => {
  const app = await startTestApp(t)
  const { system } = await signedInTwice(app)
  const stranger = app.visitor()

  const { after } = await confirm(stranger, { client_id: system.clientId, post_logout_redirect_uri: GOODBYE })

  assert.equal(after.headers.get('location'), GOODBYE)
})

test('P26: a logout that did not come from our own page ends nothing', async (t) => {
  const app = await startTestApp(t)
  const { here, browser, otherwhere } = await signedInTwice(app)
  const page = await browser.get('/session/end')
  const foreign = await otherwhere.visitor.get('/session/end')
  const hidden = (body: unknown) => /name="xsrf" value="([^"]+)"/.exec(String(body))![1]!

  const answers = [
    await browser.post('/session/end/confirm', { xsrf: hidden(page.body), logout: 'yes' }, { origin: 'https://evil.example' }),
    await browser.post('/session/end/confirm', { xsrf: hidden(page.body), logout: 'yes' }, { origin: 'null' }),
    await browser.post('/session/end/confirm', { xsrf: hidden(page.body), logout: 'yes' }, { 'sec-fetch-site': 'cross-site' }),
    await browser.post('/session/end/confirm', { xsrf: hidden(foreign.body), logout: 'yes' }),
    await browser.post('/session/end/confirm', { logout: 'yes' }),
    await app.visitor().post('/session/end/confirm', { xsrf: hidden(page.body), logout: 'yes' }),
    await browser.get(`/session/end/confirm?${new URLSearchParams({ xsrf: hidden(page.body), logout: 'yes' })}`),
  ]

  for (const answer of answers) assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status))
  assert.equal((await app.me(here.access_token)).status, 200)
})

const sidOf = (tokens: { access_token: string }) => decodeJwt(tokens.access_token).sid
