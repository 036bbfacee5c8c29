import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { startTestApp, type TestBrowser } from '../../../test/support/testing.ts'
import { loadSigningKeys } from '../../oidc/keys/signing-keys.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const SIGNED_OUT = 'https://app.example/goodbye'

/** A user signed in to two systems in one browser, and to the first of them in another browser. */
async function signedInTwice(app: App) {
  const { newSystem, newUser, newMembership, signIn } = app
  const [system, second] = [await newSystem({ postLogoutRedirectUris: [SIGNED_OUT] }), await newSystem()]
  const user = await newUser()
  for (const { id } of [system, second]) await newMembership({ userId: user.id, systemId: id })
  const here = await signIn(system, { email: user.email })
  const beside = await signIn(second, { email: user.email, visitor: here.visitor })
  const otherwhere = await signIn(system, { email: user.email })
  return { system, second, user, here, beside, otherwhere, browser: here.visitor }
}

/** The confirmation page and the response to one of its buttons, or the redirect without that page. */
async function confirm(
  browser: TestBrowser,
  parameters: Record<string, string> = {},
  fields: Record<string, string> = { logout: 'yes' },
) {
  const page = await browser.get(`/session/end?${new URLSearchParams(parameters)}`)
  const next = page.status === 303 ? page : await browser.submit(page, fields)
  return { page, after: await browser.follow(next) }
}

test('logout asks for confirmation and ends all sessions of that browser only', async (t) => {
  const app = await startTestApp(t)
  const { system, second, user, here, beside, otherwhere, browser } = await signedInTwice(app)

  const { page, after } = await confirm(browser)

  assert.match(String(page.body), /id="logout-confirm" name="logout" value="yes"/)
  assert.match(String(after.body), /You are signed out/)
  assert.deepEqual(
    [(await app.me(here.access_token)).status, (await app.me(beside.access_token)).status],
    [401, 401],
  )
  assert.equal((await app.refresh(system, here.refresh_token!)).body.error, 'invalid_grant')
  assert.equal((await app.refresh(second, beside.refresh_token!)).body.error, 'invalid_grant')
  assert.equal((await app.me(otherwhere.access_token)).status, 200)
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: browser,
    parameters: { prompt: 'none' },
  })
  assert.equal(silent.back.error, 'login_required')
  const ended = await app.findEvents({ userId: user.id, type: 'session.ended' })
  assert.deepEqual(new Set(ended.map((event) => event.data.sid)), new Set([sidOf(here), sidOf(beside)]))
})

test('an old cookie has no session after logout', async (t) => {
  const app = await startTestApp(t)
  const { system, user, browser } = await signedInTwice(app)
  const cookies = new Map(browser.jar)
  await confirm(browser)

  const thief = app.newBrowser()
  for (const [name, cookie] of cookies) thief.jar.set(name, cookie)

  const silent = await app.authorize(system, {
    email: user.email,
    visitor: thief,
    parameters: { prompt: 'none' },
  })
  assert.equal(silent.back.error, 'login_required')
})

test('declining the logout keeps every session', async (t) => {
  const app = await startTestApp(t)
  const { system, user, here, beside, browser } = await signedInTwice(app)

  const { after } = await confirm(
    browser,
    { client_id: system.clientId, post_logout_redirect_uri: SIGNED_OUT },
    {},
  )

  assert.ok(after.status < 400)
  assert.deepEqual(
    [(await app.me(here.access_token)).status, (await app.me(beside.access_token)).status],
    [200, 200],
  )
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: browser,
    parameters: { prompt: 'none' },
  })
  assert.ok(silent.back.code)
})

test('with an id_token_hint the user returns to the registered URI without a confirmation', async (t) => {
  const app = await startTestApp(t)
  const { here, beside, otherwhere, browser } = await signedInTwice(app)

  const { page, after } = await confirm(browser, {
    id_token_hint: here.id_token,
    post_logout_redirect_uri: SIGNED_OUT,
    state: 'a b&c',
  })

  assert.deepEqual([page.status, after.headers.get('location')], [303, `${SIGNED_OUT}?state=a+b%26c`])
  const gone = page.headers
    .getSetCookie()
    .filter((line) => /^_session=;.*expires=Thu, 01 Jan 1970/i.test(line))
  assert.equal(gone.length, 1)
  const statuses = [here, beside, otherwhere].map(async (each) => (await app.me(each.access_token)).status)
  assert.deepEqual(await Promise.all(statuses), [401, 401, 200])
  assert.equal((await browser.get('/account')).status, 303)
})

test('an id_token_hint of another user does not replace the confirmation', async (t) => {
  const app = await startTestApp(t)
  const { system, here, browser } = await signedInTwice(app)
  const other = await app.newUser()
  await app.newMembership({ userId: other.id, systemId: system.id })
  const { id_token: hint } = await app.signIn(system, { email: other.email })

  const page = await browser.get(`/session/end?${new URLSearchParams({ id_token_hint: hint })}`)

  assert.match(String(page.body), /id="logout-confirm"/)
  assert.equal((await app.me(here.access_token)).status, 200)
})

test('P31: an ID token of another browser, and an access token, do not replace the confirmation', async (t) => {
  const app = await startTestApp(t)
  const { here, otherwhere, browser } = await signedInTwice(app)
  const signed = await app.newSystem({ idTokenAlg: 'ES256' })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: signed.id })
  const own = await app.signIn(signed, { email: user.email })
  const ask = (visitor: TestBrowser, hint: string) =>
    visitor.get(`/session/end?${new URLSearchParams({ id_token_hint: hint })}`)

  const pages = [await ask(browser, otherwhere.id_token), await ask(own.visitor, own.access_token)]

  for (const page of pages) assert.match(String(page.body), /id="logout-confirm"/)
  const statuses = [here, own].map(async (each) => (await app.me(each.access_token)).status)
  assert.deepEqual(await Promise.all(statuses), [200, 200])
})

test('a form of an application is redirected to /session/end with its parameters', async (t) => {
  const app = await startTestApp(t)
  const { here, browser } = await signedInTwice(app)
  const parameters = { id_token_hint: here.id_token, post_logout_redirect_uri: SIGNED_OUT, state: 'a b&c' }
  const ofApplication = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }

  const asked = await app.newBrowser().post('/session/end', parameters, ofApplication)
  const { pathname, searchParams } = new URL(asked.headers.get('location')!, app.url)
  const after = await browser.follow(await browser.get(`${pathname}?${searchParams}`))
  const long = await app.newBrowser().post('/session/end', { state: 'x'.repeat(9_000) })

  assert.equal(asked.status, 303)
  assert.deepEqual([pathname, Object.fromEntries(searchParams)], ['/session/end', parameters])
  assert.equal(after.headers.get('location'), `${SIGNED_OUT}?state=a+b%26c`)
  assert.equal(long.status, 400)
  assert.match(String(long.body), /<!doctype html>/)
})

test('with a client_id the user returns to the registered URI', async (t) => {
  const app = await startTestApp(t)
  const { system, browser } = await signedInTwice(app)

  const { after } = await confirm(browser, {
    client_id: system.clientId,
    post_logout_redirect_uri: SIGNED_OUT,
  })

  assert.equal(after.headers.get('location'), SIGNED_OUT)
})

test('P31: a URI that is not exactly registered gets an error page and ends nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, second, here, beside, browser } = await signedInTwice(app)
  const unlike = [
    `${SIGNED_OUT}/`,
    `${SIGNED_OUT}?x=1`,
    `${SIGNED_OUT}#f`,
    'https://APP.example/goodbye2',
    `${SIGNED_OUT}.evil.example`,
    'https://app.example@evil.example/goodbye',
    'https://app.example.evil.example/goodbye',
    'https://evil.example',
    '//evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/goodbye',
  ]
  const hint = here.id_token
  const asked: Record<string, string>[] = unlike.flatMap((uri) => [
    { client_id: system.clientId, post_logout_redirect_uri: uri },
    { id_token_hint: hint, post_logout_redirect_uri: uri },
  ])
  const ofAnother = [{ client_id: second.clientId }, { id_token_hint: beside.id_token }].map((whose) => ({
    ...whose,
    post_logout_redirect_uri: SIGNED_OUT,
  }))

  for (const parameters of [...asked, ...ofAnother]) {
    const page = await browser.get(`/session/end?${new URLSearchParams(parameters)}`)

    assert.deepEqual([page.status, page.headers.get('location')], [400, null], JSON.stringify(parameters))
    assert.match(String(page.body), /id="error-parameter"><bdi>post_logout_redirect_uri</)
    assert.match(String(page.body), /You could not be signed out/)
  }
  assert.equal((await app.me(here.access_token)).status, 200)
})

test('P31: a URI without client_id or id_token_hint is not used', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await signedInTwice(app)

  for (const uri of [SIGNED_OUT, 'https://evil.example', '//evil.example', 'javascript:alert(1)']) {
    const { page, after } = await confirm(browser, { post_logout_redirect_uri: uri })

    assert.doesNotMatch(page.headers.get('content-security-policy')!, /evil|javascript/, uri)
    assert.deepEqual([after.status, after.headers.get('location')], [200, null], uri)
    assert.match(String(after.body), /You are signed out/)
  }
})

test('P31: an expired id_token_hint is still accepted', async (t) => {
  const app = await startTestApp(t)
  const { here, browser } = await signedInTwice(app)
  const now = Math.floor(Date.now() / 1_000)
  const expired = await resigned(app, here.id_token, { iat: now - 700, exp: now - 100 })

  const { after } = await confirm(browser, {
    id_token_hint: expired,
    post_logout_redirect_uri: SIGNED_OUT,
  })

  assert.equal(after.headers.get('location'), SIGNED_OUT)
  assert.equal((await app.me(here.access_token)).status, 401)
})

test('P31: a hint not signed by us for that client gets an error page and ends nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, second, here, browser } = await signedInTwice(app)
  const [header, claims, signature] = here.id_token.split('.') as [string, string, string]
  const json64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = json64({ ...decodeProtectedHeader(here.id_token), alg: 'none' })
  const claimed = decodeJwt(here.id_token)
  const broken = `${signature.slice(0, 8)}${signature[8] === 'A' ? 'B' : 'A'}${signature.slice(9)}`
  const hints: Record<string, Record<string, string>> = {
    'alg none': { id_token_hint: `${unsigned}.${claims}.` },
    'alg none with the signature': { id_token_hint: `${unsigned}.${claims}.${signature}` },
    'a broken signature': { id_token_hint: `${header}.${claims}.${broken}` },
    'no signature': { id_token_hint: `${header}.${claims}.` },
    'claims edited': {
      id_token_hint: `${header}.${json64({ ...claimed, sub: crypto.randomUUID() })}.${signature}`,
    },
    'another audience': {
      id_token_hint: `${header}.${json64({ ...claimed, aud: second.clientId })}.${signature}`,
    },
    'two audiences': {
      id_token_hint: await resigned(app, here.id_token, { aud: [system.clientId, second.clientId] }),
    },
    'an unknown audience': { id_token_hint: await resigned(app, here.id_token, { aud: 'unknown' }) },
    'no audience': { id_token_hint: await resigned(app, here.id_token, { aud: undefined }) },
    'another issuer': { id_token_hint: await resigned(app, here.id_token, { iss: 'https://evil.example' }) },
    'an access token': { id_token_hint: here.access_token },
    'no token': { id_token_hint: 'x' },
    'the hint of one application with the client_id of another': {
      id_token_hint: here.id_token,
      client_id: second.clientId,
    },
  }

  for (const [about, hint] of Object.entries(hints)) {
    const parameters = { post_logout_redirect_uri: SIGNED_OUT, ...hint }
    const page = await browser.get(`/session/end?${new URLSearchParams(parameters)}`)

    assert.deepEqual([page.status, page.headers.get('location')], [400, null], about)
    assert.doesNotMatch(String(page.body), /id="logout-confirm"/, about)
    const parameter = 'client_id' in hint ? 'client_id' : 'id_token_hint'
    assert.match(String(page.body), new RegExp(`id="error-parameter"><bdi>${parameter}<`), about)
  }
  assert.equal((await app.me(here.access_token)).status, 200)
})

test('P31: the state cannot inject a header or change the URI', async (t) => {
  const app = await startTestApp(t)
  const { system, browser } = await signedInTwice(app)
  const states = [
    'a\r\nset-cookie: planted=1',
    'a\r\n\r\n<script>',
    '@evil.example',
    '#x&state=other',
    'https://evil.example/',
  ]

  for (const state of states) {
    const { after } = await confirm(browser, {
      client_id: system.clientId,
      post_logout_redirect_uri: SIGNED_OUT,
      state,
    })

    const address = new URL(after.headers.get('location')!)
    assert.deepEqual(
      [address.origin + address.pathname, address.searchParams.getAll('state')],
      [SIGNED_OUT, [state]],
    )
    assert.equal(address.hash, '')
    assert.doesNotMatch(after.headers.getSetCookie().join(), /planted/)
  }
})

test('P31: a state that cannot be stored is invalid_request', async (t) => {
  const app = await startTestApp(t)
  const { system, here, browser } = await signedInTwice(app)
  const parameters = { client_id: system.clientId, post_logout_redirect_uri: SIGNED_OUT, state: 'a\0' }

  for (const each of [browser, app.newBrowser()]) {
    const page = await each.get(`/session/end?${new URLSearchParams(parameters)}`)

    assert.deepEqual([page.status, page.headers.getSetCookie()], [400, []])
    assert.match(String(page.body), /id="error-code"><bdi>invalid_request</)
  }
  assert.equal((await app.me(here.access_token)).status, 200)
})

test('a user without a session gets the same pages', async (t) => {
  const app = await startTestApp(t)
  const { system } = await signedInTwice(app)
  const outsider = app.newBrowser()

  const { after } = await confirm(outsider, {
    client_id: system.clientId,
    post_logout_redirect_uri: SIGNED_OUT,
  })

  assert.equal(after.headers.get('location'), SIGNED_OUT)
})

test('P26: a logout not posted by our own page ends nothing', async (t) => {
  const app = await startTestApp(t)
  const { here, browser, otherwhere } = await signedInTwice(app)
  const page = await browser.get('/session/end')
  const foreign = await otherwhere.visitor.get('/session/end')
  const hidden = (body: unknown) => /name="xsrf" value="([^"]+)"/.exec(String(body))![1]!

  const answers = [
    await browser.post(
      '/session/end/confirm',
      { xsrf: hidden(page.body), logout: 'yes' },
      { origin: 'https://evil.example' },
    ),
    await browser.post(
      '/session/end/confirm',
      { xsrf: hidden(page.body), logout: 'yes' },
      { origin: 'null' },
    ),
    await browser.post(
      '/session/end/confirm',
      { xsrf: hidden(page.body), logout: 'yes' },
      { 'sec-fetch-site': 'cross-site' },
    ),
    await browser.post('/session/end/confirm', { xsrf: hidden(foreign.body), logout: 'yes' }),
    await browser.post('/session/end/confirm', { logout: 'yes' }),
    await app.newBrowser().post('/session/end/confirm', { xsrf: hidden(page.body), logout: 'yes' }),
    await browser.get(
      `/session/end/confirm?${new URLSearchParams({ xsrf: hidden(page.body), logout: 'yes' })}`,
    ),
  ]

  for (const answer of answers) assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status))
  assert.equal((await app.me(here.access_token)).status, 200)
})

/** An ID token with changed claims and a valid signature. */
async function resigned({ db, seal }: App, idToken: string, claims: object): Promise<string> {
  const { alg, kid } = decodeProtectedHeader(idToken)
  const key = (await loadSigningKeys(db, seal)).find((each) => each.kid === kid)!
  return new SignJWT({ ...decodeJwt(idToken), ...claims })
    .setProtectedHeader({ alg: alg!, kid: kid! })
    .sign(key.privateJwk)
}

const sidOf = (tokens: { access_token: string }) => decodeJwt(tokens.access_token).sid
