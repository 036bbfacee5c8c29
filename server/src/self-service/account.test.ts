/** The account pages over HTTP. */
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { changeProofs, removePasswords } from '../../test/support/browser-sessions.ts'
import { type Answer, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { consents, identities } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const NEW = 'a wholly other sentence'

/** Signs in to the account pages. */
async function signInToPages(
  app: App,
  email: string,
  password = PASSWORD,
): Promise<{ browser: TestBrowser; page: Answer }> {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account'))
  const page = await browser.follow(await browser.submit(login, { email, password }))
  return { browser, page }
}

const text = (answer: Answer) => String(answer.body)
const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(text(page))?.[1] ?? ''

test('the account pages require a session of this browser', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const outsider = app.newBrowser()

  const mine = await visitor.get('/account')
  const theirs = await outsider.get('/account')

  assert.equal(mine.status, 200)
  assert.ok(text(mine).includes(user.email))
  assert.equal(mine.headers.get('cache-control'), 'no-store')
  assert.match(mine.headers.get('content-security-policy')!, /default-src 'none'/)
  for (const path of ['', '/password', '/sessions', '/accounts', '/applications']) {
    const answer = await outsider.get(`/account${path}`)
    assert.equal(answer.status, 303)
    assert.match(answer.headers.get('location')!, /^\/auth\?client_id=tenantry-account&/)
  }
  const { searchParams } = new URL(theirs.headers.get('location')!, app.url)
  assert.equal(searchParams.get('redirect_uri'), `${app.url}/account/callback`)
})

test('P25: a sign-in to the account pages gives a new session id, used by all systems', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })

  const { browser, page } = await signInToPages(app, user.email)
  const first = browser.jar.get('_session /')?.value
  await changeProofs(app.db, user.id, { age: 400 })
  const login = await browser.follow(await browser.get('/account/email'))
  const again = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
  const second = browser.jar.get('_session /')?.value
  const { back } = await app.authorize(system, {
    email: user.email,
    password: 'not asked for',
    visitor: browser,
  })

  assert.equal(page.status, 200)
  assert.match(text(again), /action="\/account\/email"/)
  assert.notEqual(first, second)
  assert.ok(back.code, 'signed in without another password')
  const thief = app.newBrowser()
  thief.jar.set('_session /', { value: first!, path: '/' })
  thief.jar.set('_session.sig /', browser.jar.get('_session.sig /')!)
  assert.equal((await thief.get('/account')).status, 303)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.login' })
  assert.deepEqual([entry?.actorId, entry?.systemId, entry?.outcome], [user.id, null, 'success'])
})

test('P25: a sign-in by another user ends the session of the first', async (t) => {
  const app = await startTestApp(t)
  const [mallory, alice] = [await app.newUser(), await app.newUser()]
  const { browser } = await signInToPages(app, mallory.email)
  const before = browser.jar.get('_session /')
  await changeProofs(app.db, mallory.id, { age: 400 })
  const login = await browser.follow(await browser.get('/account/email'))

  const left = await browser.follow(await browser.submit(login, { email: alice.email, password: PASSWORD }))
  const done = await browser.follow(await browser.submit(left))

  assert.ok(text(login).includes(mallory.email))
  assert.match(text(done), /action="\/account\/email"/)
  assert.ok(text(await browser.get('/account')).includes(alice.email))
  const thief = app.newBrowser()
  thief.jar.set('_session /', before!)
  thief.jar.set('_session.sig /', browser.jar.get('_session.sig /')!)
  assert.equal((await thief.get('/account')).status, 303)
})

/** The number of password hashes a request computed, by their native async resources. */
async function countHashes<T>(work: () => Promise<T>): Promise<{ answer: T; hashes: number }> {
  let hashes = 0
  const hook = createHook({ init: (_id, type) => void (type === 'undefined' && hashes++) }).enable()
  try {
    return { answer: await work(), hashes }
  } finally {
    hook.disable()
  }
}

/** A response to a form with the values that differ between browsers masked. */
function masked({ status, headers, body }: Answer, email: string) {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return {
    status,
    headers: kept,
    body: String(body)
      .replaceAll(email, 'EMAIL')
      .replace(/[\w-]{43}(?="|&quot;)/g, 'RANDOM')
      .replace(/\/interaction\/[\w-]+/g, 'INTERACTION'),
  }
}

test('P06: all failed logins get one response at the cost of one hash', async (t) => {
  const app = await startTestApp(t)
  const [user, passwordless, disabled] = [
    await app.newUser(),
    await app.newUser({ password: undefined }),
    await app.newUser(),
  ]
  await app.platform.patch(`/admin/users/${disabled.id}`, { disabled: true })
  const attempt = async (email: string, password: string) => {
    const browser = app.newBrowser()
    const page = await browser.follow(await browser.get('/account'))
    const { answer, hashes } = await countHashes(() => browser.submit(page, { email, password }))
    return { ...masked(answer, email), hashes }
  }

  const wrong = await attempt(user.email, 'not this one')
  const others = {
    unknown: await attempt(`user-${randomBytes(6).toString('hex')}@example.test`, 'not this one'),
    passwordless: await attempt(passwordless.email, 'not this one'),
    disabled: await attempt(disabled.email, PASSWORD),
  }

  assert.deepEqual([wrong.status, wrong.hashes], [401, 1])
  assert.match(wrong.body, /<p id="form-error">[^<]+/)
  for (const [kind, answer] of Object.entries(others)) assert.deepEqual(answer, wrong, kind)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.login' })
  assert.equal(entry?.outcome, 'failure')
})

test('P26: forms of the account pages require our origin and the token of the session', async (t) => {
  const app = await startTestApp(t)
  const [user, other] = [await app.newUser(), await app.newUser()]
  const { browser, page } = await signInToPages(app, user.email)
  const { page: foreign } = await signInToPages(app, other.email)
  const csrf = csrfOf(page)
  const posts = ['', '/password', '/sessions/end', '/applications/revoke', '/email', '/security/codes']
  const fields = { name: 'Mallory', current: PASSWORD, password: NEW, all: 'yes', email: user.email }

  for (const path of posts) {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      assert.equal((await browser.post(`/account${path}`, { ...fields, csrf }, headers)).status, 403, path)
    for (const bad of ['', csrfOf(foreign)])
      assert.equal((await browser.post(`/account${path}`, { ...fields, csrf: bad })).status, 403, path)
  }
  await browser.get('/account?name=Mallory')
  await browser.get('/account/sessions/end?all=yes')

  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.equal(read.name, null)
  assert.equal((await browser.get('/account')).status, 200)
  assert.equal((await signInToPages(app, user.email)).page.status, 200)
})

test('a profile change is audited, recorded and shown in the chosen language', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser, page } = await signInToPages(app, user.email)

  const done = await browser.follow(
    await browser.submit(page, {
      name: ' Ada <Lovelace> ',
      givenName: 'Ada',
      familyName: '',
      locale: 'pt-BR',
    }),
  )
  const refused = await browser.submit(done, { name: 'x'.repeat(101), email: 'mallory@example.test' })

  assert.match(
    text(done),
    /lang="pt-BR"[\s\S]*Suas alterações foram salvas\.[\s\S]*value="Ada &lt;Lovelace&gt;"/,
  )
  assert.equal(refused.status, 400)
  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.deepEqual(
    [read.name, read.givenName, read.familyName, read.locale, read.email],
    ['Ada <Lovelace>', 'Ada', null, 'pt-BR', user.email],
  )
  const [entry] = await app.audited({ targetId: user.id, action: 'user.updated' })
  assert.equal(entry?.actorId, user.id)
  assert.deepEqual(Object.keys(entry?.changes ?? {}).sort(), ['givenName', 'locale', 'name'])
  assert.equal((await app.findEvents({ userId: user.id, type: 'user.updated' })).length, 1)
})

test('a password change ends all other sessions and changes this session id', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const elsewhere = await app.signIn(system, { email: user.email })
  const { browser } = await signInToPages(app, user.email)
  const before = browser.jar.get('_session /')?.value
  const form = await browser.get('/account/password')

  const wrong = await browser.submit(form, { current: 'not this one', password: NEW, passwordAgain: NEW })
  const same = await browser.submit(form, { current: PASSWORD, password: PASSWORD, passwordAgain: PASSWORD })
  const done = await browser.follow(
    await browser.submit(form, { current: PASSWORD, password: NEW, passwordAgain: NEW }),
  )

  assert.deepEqual([wrong.status, same.status, done.status], [401, 400, 200])
  assert.match(text(done), /Your password was changed/)
  assert.notEqual(browser.jar.get('_session /')?.value, before)
  assert.equal((await app.me(elsewhere.access_token)).status, 401)
  assert.equal((await elsewhere.visitor.get('/account')).status, 303)
  assert.equal((await signInToPages(app, user.email)).page.status, 401)
  assert.equal((await signInToPages(app, user.email, NEW)).page.status, 200)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.password_changed' })
  assert.equal(entry?.actorId, user.id)
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind),
    ['password_changed'],
  )
})

test('a temporary password must be replaced first', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  await app.platform.post(`/admin/users/${user.id}/set-password`, {
    password: 'from the office',
    mustChangePassword: true,
  })

  const { browser, page } = await signInToPages(app, user.email, 'from the office')
  const skipped = await browser.get('/account/sessions')
  const asked = await browser.follow(skipped)
  const done = await browser.follow(await browser.submit(asked, { password: NEW, passwordAgain: NEW }))

  for (const each of [page, asked]) assert.match(text(each), /action="\/interaction\/[^"]+\/change-password"/)
  assert.match(skipped.headers.get('location')!, /^\/auth\?/)
  assert.match(text(done), /action="\/account\/sessions\/end"/)
})

test('sessions of all systems are listed, and the user can end one or all', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const second = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: second.id })
  const outsider = await app.newMember({ skipConsent: true })
  const [one, two] = [
    await app.signIn(system, { email: user.email }),
    await app.signIn(second, { email: user.email }),
  ]
  const foreign = await app.signIn(outsider.system, { email: outsider.user.email })
  const sidOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid as string
  const { browser } = await signInToPages(app, user.email)

  const list = await browser.get('/account/sessions')
  await browser.submit(list, { sid: sidOf(foreign.id_token) })
  await browser.submit(list, { sid: sidOf(one.id_token) })
  const afterOne = [
    await app.me(one.access_token),
    await app.me(two.access_token),
    await app.me(foreign.access_token),
  ]
  await browser.submit(await browser.get('/account/sessions'), { all: 'yes' })

  for (const name of [system.name, second.name]) assert.ok(text(list).includes(name))
  assert.ok(!text(list).includes(outsider.system.name))
  assert.deepEqual(
    afterOne.map(({ status }) => status),
    [401, 200, 200],
  )
  assert.equal((await app.me(two.access_token)).status, 401)
  assert.equal((await two.visitor.get('/account')).status, 303)
  assert.equal((await browser.get('/account')).status, 200)
  const [ended] = await app.audited({ targetId: sidOf(one.id_token), action: 'session.ended' })
  assert.equal(ended?.actorId, user.id)
})

test('accounts are listed with roles and consents, and consent can be withdrawn', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember()
  const { access_token } = await app.signIn(system, { email: user.email })
  const { browser } = await signInToPages(app, user.email)

  const list = await browser.get('/account/applications')
  const done = await browser.follow(await browser.submit(list, { accountId: membership.account.id }))

  assert.ok(text(list).includes(system.name))
  assert.match(text(list), /Allowed: /)
  assert.doesNotMatch(text(done), /Allowed: /)
  assert.equal((await app.me(access_token)).status, 401)
  assert.equal((await app.db.select().from(consents).where(eq(consents.userId, user.id))).length, 0)
  const [entry] = await app.audited({ targetId: membership.account.id, action: 'consent.revoked' })
  assert.deepEqual([entry?.actorId, entry?.systemId], [user.id, system.id])
})

test('a user without password signs in again before setting one, after 5 minutes', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser } = await signInToPages(app, user.email)
  await removePasswords(app.db, user.id)
  const credential = crypto.randomUUID()
  const identity = { id: credential, userId: user.id, provider: 'one', issuer: 'https://one.test' }
  await app.db.insert(identities).values({ ...identity, subject: user.id })
  await changeProofs(app.db, user.id, { login: { method: 'social', credential } })

  const recent = await browser.get('/account/password')
  await changeProofs(app.db, user.id, { age: 400 })
  const old = await browser.get('/account/password')

  assert.equal(recent.status, 200)
  assert.doesNotMatch(text(recent), /name="current"/)
  assert.match(old.headers.get('location')!, /^\/auth\?.*&max_age=300(&|$)/)
})

test('P09: an emailed code opens no page of /account', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser } = await signInToPages(app, user.email)
  const before = await browser.get('/account')
  await changeProofs(app.db, user.id, { login: { method: 'mailedCode', credential: null } })

  const pages = [await browser.get('/account'), await browser.get('/account/security')]
  const login = await browser.follow(await browser.get('/account'))

  assert.deepEqual(
    [before, ...pages].map(({ status }) => status),
    [200, 303, 303],
  )
  assert.match(text(login), /name="password"/)
})
