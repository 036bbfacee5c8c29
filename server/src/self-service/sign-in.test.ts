/** Sign-in and re-authentication for /account: the built-in client of our own /auth. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeProofs, removePasswords } from '../../test/support/browser-sessions.ts'
import { appCode, secretOn, sendTo, stepOf, uidOf, withinStep } from '../../test/support/factors.ts'
import { visitOther } from '../../test/support/other-provider.ts'
import { addressOf, start, unique } from '../../test/support/social.ts'
import { type Answer, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { identities, sessions } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const text = (answer: Answer) => String(answer.body)
const cookieOf = (browser: TestBrowser) => browser.jar.get('_session /')?.value
const locationOf = (answer: Answer) => answer.headers.get('location') ?? ''
const SECURITY = '/account/security'
const CLIENT = 'tenantry-account'

const open = async (browser: TestBrowser, path: string) => browser.follow(await browser.get(path))
const signIn = async (browser: TestBrowser, { email }: { email: string }, path = '/account') =>
  browser.follow(await browser.submit(await open(browser, path), { email, password: PASSWORD }))

/** A user without a password, signed in 400 seconds ago by a provider that is no longer configured. */
async function federatedOnly(app: App) {
  const user = await app.newUser()
  const browser = app.newBrowser()
  await signIn(browser, user)
  const credential = crypto.randomUUID()
  const identity = { id: credential, userId: user.id, provider: 'google', issuer: 'google', subject: user.id }
  await app.db.insert(identities).values(identity)
  await removePasswords(app.db, user.id)
  await changeProofs(app.db, user.id, { age: 400, login: { method: 'social', credential } })
  return { user, browser }
}

test('a sign-in returns to the page that was asked for, also from an address below it', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()

  const sessions = await signIn(app.newBrowser(), user, '/account/sessions')
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.post('/account/sessions/end', { all: 'yes' }))
  const below = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
  const first = await signIn(app.newBrowser(), user)

  for (const page of [sessions, below]) assert.match(text(page), /id="end-others"/)
  assert.match(text(first), /id="givenName"/)
})

test('P05: a callback leads to a page of ours only, and without the state of this browser to the first one', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  const login = await open(browser, '/account/sessions')
  const outsider = app.newBrowser()
  const foreign = new URL(locationOf(await outsider.get('/account/email')), app.url)
  const callback = (query: Record<string, string>) => `/account/callback?${new URLSearchParams(query)}`

  const refused = [
    await browser.get('/account/callback'),
    await browser.get(callback({ state: foreign.searchParams.get('state')! })),
    await browser.get(callback({ state: 'x', next: 'https://evil.example/', page: '//evil.example' })),
    await app.newBrowser().get(callback({ state: foreign.searchParams.get('state')! })),
  ]
  const kept = browser.jar.get('_account /account')!
  browser.jar.set('_account /account', { value: 'x'.repeat(43), path: '/account' })
  const own = new URL(locationOf(await app.newBrowser().get('/account/email')), app.url)
  const tampered = await browser.get(callback({ state: own.searchParams.get('state')! }))
  browser.jar.set('_account /account', kept)
  const another = await browser.get('/account/email')
  const done = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))

  for (const answer of [...refused, tampered]) assert.equal(locationOf(answer), '/account')
  assert.match(locationOf(another), /^\/auth\?/)
  assert.match(text(done), /id="end-others"/, 'two sign-ins can be in progress')
})

test('P05: /auth redirects for the built-in client to its own callback only', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  await signIn(browser, user)
  const ask = (more: Record<string, string>) =>
    browser.get(
      `/auth?${new URLSearchParams({ client_id: CLIENT, response_type: 'none', scope: 'openid', redirect_uri: `${app.url}/account/callback`, ...more })}`,
    )

  const own = await ask({ state: 'x' })
  const foreign = [
    await ask({ redirect_uri: 'https://evil.example/account/callback' }),
    await ask({ redirect_uri: `${app.url}/account/callback/../../evil` }),
    await ask({ redirect_uri: `${app.url}/account` }),
  ]

  assert.deepEqual(
    [...new URL(locationOf(own)).searchParams.keys()].toSorted(),
    ['iss', 'state'],
    'no code and no token',
  )
  for (const answer of foreign) assert.deepEqual([answer.status, locationOf(answer)], [400, ''])
})

test('the built-in client gets no code, token, device code or account selection, and is no system', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const browser = app.newBrowser()
  await signIn(browser, user)
  const auth = (more: Record<string, string>) =>
    browser.get(
      `/auth?${new URLSearchParams({ client_id: CLIENT, scope: 'openid', redirect_uri: `${app.url}/account/callback`, code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', ...more })}`,
    )
  const signedIn = await app.signIn(system, { email: user.email })

  const responses = []
  for (const response_type of ['code', 'token', 'id_token', 'code id_token', 'code none'])
    responses.push(await auth({ response_type }))
  const chosen = await auth({ response_type: 'none', prompt: 'select_account' })
  const grants = []
  for (const fields of [
    { grant_type: 'authorization_code', code: 'x', redirect_uri: `${app.url}/account/callback` },
    { grant_type: 'refresh_token', refresh_token: String(signedIn.refresh_token ?? 'x') },
    { grant_type: 'client_credentials' },
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
  ] as Record<string, string>[])
    grants.push(
      await browser.post('/token', { client_id: CLIENT, ...fields }, { accept: 'application/json' }),
    )
  const device = await browser.post(
    '/device/auth',
    { client_id: CLIENT, scope: 'openid' },
    { accept: 'application/json' },
  )
  const { body: systems } = await app.platform.get('/admin/systems?limit=100')
  const opened = await app.db
    .select({ systemId: sessions.systemId })
    .from(sessions)
    .where(eq(sessions.userId, user.id))

  for (const answer of responses) {
    const back = locationOf(answer) === '' ? undefined : new URL(locationOf(answer))
    const given = back && new URLSearchParams(back.hash.slice(1) || back.search)
    assert.ok(given ? given.has('error') && !given.has('code') : answer.status === 400)
  }
  assert.match(locationOf(chosen), /\/account\/callback\?/)
  for (const answer of [...grants, device]) {
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.match(String(answer.body.error), /^(unauthorized_client|invalid_request)$/)
  }
  assert.ok((systems.data as { clientId: string }[]).every(({ clientId }) => clientId !== CLIENT))
  assert.deepEqual(opened, [{ systemId: system.id }])
})

test('a cancelled sign-in leads to an error page with a link to /account', async (t) => {
  const app = await startTestApp(t)
  const browser = app.newBrowser()
  const login = await open(browser, SECURITY)

  const left = await browser.follow(await sendTo(browser, login, 'abort', {}))

  assert.equal(left.status, 403)
  assert.match(text(left), /access_denied/)
  assert.match(text(left), /href="\/account"/)
})

test('a forgotten password is reset from the sign-in of /account', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  const login = await open(browser, '/account')
  const forgot = await browser.get(/href="([^"]+)" id="forgot-password"/.exec(text(login))![1]!)

  const sent = await browser.submit(forgot, { email: user.email })
  const unknown = await browser.submit(forgot, { email: 'nobody@example.test' })

  assert.deepEqual([sent.status, unknown.status], [200, 200])
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind),
    ['password_reset'],
  )
  assert.doesNotMatch(text(login), /id="register"/)
  assert.equal((await browser.get(`/interaction/${uidOf(login)}/register`)).status, 404)
})

test('another provider signs in its linked user to /account, and creates no user there', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  one.claims = { sub: unique(), email: user.email, email_verified: true }
  await app.db
    .insert(identities)
    .values({ userId: user.id, provider: 'one', issuer: one.url, subject: String(one.claims.sub) })
  const through = async () => {
    const browser = app.newBrowser()
    const login = await open(browser, '/account')
    const away = await browser.get(/href="(\/social\/one\/login\?uid=[\w-]+)"/.exec(text(login))![1]!)
    return browser.follow(await browser.get(await visitOther(one, locationOf(away))))
  }

  const mine = await through()
  const email = addressOf('unknown')
  one.claims = { sub: unique(), email, email_verified: true }
  const unknown = await through()

  assert.ok(text(mine).includes(user.email))
  assert.match(text(mine), /id="givenName"/)
  assert.equal(unknown.status, 403)
  assert.equal(
    (await app.platform.get(`/admin/users?email=${encodeURIComponent(email)}`)).body.data.length,
    0,
  )
})

test('a disabled user is signed out of /account and cannot sign in', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  await signIn(browser, user)
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: true })

  const login = await open(browser, '/account')
  const refused = await browser.submit(login, { email: user.email, password: PASSWORD })

  assert.equal(stepOf(login), 'login')
  assert.equal(refused.status, 401)
})

test('re-authentication offers the address of the user, and after 5 minutes takes the password again', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  await signIn(browser, user)
  const before = cookieOf(browser)
  const recent = await browser.get(SECURITY)
  await changeProofs(app.db, user.id, { age: 400 })

  const profile = await browser.get('/account')
  const asked = await open(browser, SECURITY)
  const wrong = await browser.submit(asked, { email: user.email, password: 'not this one' })
  const still = await browser.get(SECURITY)
  const done = await browser.follow(await browser.submit(asked, { email: user.email, password: PASSWORD }))

  assert.deepEqual([recent.status, profile.status, wrong.status, still.status], [200, 200, 401, 303])
  assert.equal(stepOf(asked), 'login')
  assert.match(text(asked), new RegExp(`id="email"[^>]*value="${user.email}"`))
  assert.match(text(done), /id="with-app"/)
  assert.notEqual(cookieOf(browser), before)
})

test('a sign-in by another provider alone opens no page that requires a recent one', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  await signIn(browser, user)
  await changeProofs(app.db, user.id, { age: 0, login: { method: 'social', credential: null } })

  const profile = await browser.get('/account')
  const asked = await open(browser, SECURITY)
  const still = await browser.get(SECURITY)
  const done = await browser.follow(await browser.submit(asked, { email: user.email, password: PASSWORD }))

  assert.deepEqual([profile.status, still.status], [200, 303])
  assert.equal(stepOf(asked), 'login')
  assert.match(text(done), /id="with-app"/)
})

test('another provider does not replace the password of a recent sign-in, and the page says so', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  one.claims = { sub: unique(), email: user.email, email_verified: true }
  await app.db
    .insert(identities)
    .values({ userId: user.id, provider: 'one', issuer: one.url, subject: String(one.claims.sub) })
  const browser = app.newBrowser()
  await signIn(browser, user)
  await changeProofs(app.db, user.id, { age: 400 })

  const asked = await open(browser, SECURITY)
  const away = await browser.get(/href="(\/social\/one\/login\?uid=[\w-]+)"/.exec(text(asked))![1]!)
  const again = await browser.follow(await browser.get(await visitOther(one, locationOf(away))))
  const done = await browser.follow(await browser.submit(again, { email: user.email, password: PASSWORD }))

  assert.doesNotMatch(text(asked), /another provider/)
  assert.match(text(again), /For this, signing in with another provider is not enough/)
  assert.match(text(done), /id="with-app"/)
})

/** The identity of a user at provider "one", who has no password. */
async function linkedOnly(t: TestContext) {
  const { app, one } = await start(t)
  const { user, browser } = await federatedOnly(app)
  one.claims = { sub: unique(), email: user.email, email_verified: true }
  const credential = crypto.randomUUID()
  const subject = String(one.claims.sub)
  const linked = { id: credential, userId: user.id, provider: 'one', issuer: one.url, subject }
  await app.db.insert(identities).values(linked)
  const age = (login?: { method: 'social'; credential: string }) =>
    changeProofs(app.db, user.id, { age: 400, ...(login && { login }) })
  await age({ method: 'social', credential })
  const through = async (page: Answer) => {
    const away = await browser.get(/href="(\/social\/one\/login\?uid=[\w-]+)"/.exec(text(page))![1]!)
    return browser.follow(await browser.get(await visitOther(one, locationOf(away))))
  }
  return { app, user, browser, age, through }
}

test('a user whose only credential is a linked identity re-authenticates with its provider for 5 minutes', async (t) => {
  const { app, user, browser, age, through } = await linkedOnly(t)

  const asked = await open(browser, SECURITY)
  const done = await through(asked)
  const recent = await browser.get('/account/password')
  await age()
  const again = await open(browser, SECURITY)
  await through(again)
  const chosen = await browser.submit(await browser.get('/account/password'), {
    password: 'a wholly other sentence',
    passwordAgain: 'a wholly other sentence',
  })

  for (const page of [asked, again]) {
    assert.match(text(page), /Sign in again/)
    assert.doesNotMatch(text(page), /\/social\/two\/|name="password"/)
  }
  assert.match(text(done), /id="with-app"/)
  assert.equal(recent.status, 200)
  assert.equal(locationOf(chosen), '/account/password?done=passwordSaved')
  assert.deepEqual(
    (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'mailed_code'),
    [],
  )
})

test('P09: a user without a credential for /account gets no code there, but a link that sets a password', async (t) => {
  const app = await startTestApp(t)
  const { user, browser } = await federatedOnly(app)
  const asked = await open(browser, SECURITY)
  const sent = await browser.submit(asked)
  const byCode = await sendTo(browser, asked, 'email-otp', { code: '123456' })
  const another = await browser.get(
    /href="([^"]+)" id="another"/.exec(text(asked))![1]!.replace('&amp;', '&'),
  )
  const emails = await app.emailsTo(user.email)
  const [, token = ''] = /token=([\w-]{43})/.exec(emails.at(-1)?.text ?? '') ?? []
  const form = { token, password: PASSWORD }
  const reset = await app.newBrowser().post('/reset-password', form, { accept: 'application/json' })
  const done = await signIn(browser, user, SECURITY)

  assert.match(text(asked), /Set a password first/)
  assert.doesNotMatch(text(asked), /name="password"|name="code"/)
  assert.match(text(sent), /we sent a link/)
  assert.equal(byCode.status, 303, 'no step of a code')
  assert.match(text(another), /name="password"/)
  assert.deepEqual(
    emails.map(({ kind }) => kind),
    ['password_reset'],
  )
  assert.equal(reset.status, 200)
  assert.match(text(done), /id="with-app"/)
})

test('P09: after a sign-in with the password of a system, /account asks for a password of its own', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, allowClientCredentials: true })
  await removePasswords(app.db, user.id)
  const service = await app.serviceOf(system)
  await service.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })
  const { visitor } = await app.signIn(system, { email: user.email })

  const page = await open(visitor, '/account')

  assert.match(text(page), /Set a password first/)
  assert.ok(text(page).includes(user.email))
})

test('after the provider a second factor is still required', async (t) => {
  const { browser, age, through } = await linkedOnly(t)
  const page = await through(await open(browser, SECURITY))
  const secret = secretOn(page)
  await withinStep()
  const csrf = /name="csrf" value="([^"]+)"/.exec(text(page))![1]!
  await browser.post(`${SECURITY}/app`, { csrf, code: appCode(secret) })
  await age()

  const half = await through(await open(browser, SECURITY))
  const skipped = await browser.get('/account')
  const done = await browser.follow(
    await sendTo(browser, half, 'second-factor', { code: appCode(secret, 1) }),
  )

  assert.equal(stepOf(half), 'second-factor')
  assert.equal(skipped.status, 303)
  assert.match(text(done), /value="totp"/)
})
