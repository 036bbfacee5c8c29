/**
 * Credentials that are valid only together with a code that is emailed in the same sign-in: imported ones of
 * an unverified address, and those from before the platform has changed the address.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeProofs } from '../../../test/support/browser-sessions.ts'
import {
  afterPassword,
  appCode,
  codeOf,
  mailedCode,
  memberWithApp,
  sendTo,
  stepOf,
  withinStep,
} from '../../../test/support/factors.ts'
import {
  type Answer,
  authUrl,
  type Driver,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../../test/support/testing.ts'
import { hashPassword } from '../../crypto/password-hash.ts'
import { identities } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type SystemLike = Parameters<Driver['authorize']>[0] & { id: string }

const JSON_ONLY = { accept: 'application/json' }
const mail = () => `${crypto.randomUUID()}@x.test`
const hash = hashPassword(PASSWORD, null)
const text = (answer: Answer) => String(answer.body)

/** The page after the password at /account. */
async function atAccount(browser: TestBrowser, email: string): Promise<Answer> {
  const login = await browser.follow(await browser.get('/account'))
  return browser.follow(await browser.submit(login, { email, password: PASSWORD }))
}

/** The step after the password, in a new browser; undefined at the end of the sign-in. */
const next = async (app: App, system: SystemLike, email: string) =>
  stepOf(await afterPassword(app.newBrowser(), system, email))

/** Types the emailed code. */
const confirm = async (app: App, browser: TestBrowser, page: Answer, email: string) =>
  browser.follow(await sendTo(browser, page, 'verify-email', { code: await mailedCode(app, email) }))

/** A member whose user the platform has imported with the hash of PASSWORD. */
async function imported(t: TestContext, fields: object = {}) {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true, allowClientCredentials: true })
  const email = mail()
  const line = JSON.stringify({ email, passwordHash: await hash, ...fields })
  const type = { 'content-type': 'application/x-ndjson' }
  const { body } = await app.platform.post('/admin/users/import', line, type)
  const { id } = JSON.parse(typeof body === 'string' ? body : JSON.stringify(body))
  await app.newMembership({ userId: id, systemId: system.id })
  return { app, system, email, id: id as string }
}

/** A member whose address the platform has changed. */
async function moved(t: TestContext) {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, allowClientCredentials: true })
  await app.platform.patch(`/admin/users/${user.id}`, { emailVerified: true })
  const move = (email: string) => app.platform.patch(`/admin/users/${user.id}`, { email })
  return { app, system, user, move, to: mail() }
}

test('P09: an imported password of an unverified address signs in only with an emailed code, which confirms it', async (t) => {
  const { app, system, email, id } = await imported(t)
  const browser = app.newBrowser()

  const asked = await afterPassword(browser, system, email)
  const code = await mailedCode(app, email)
  const silent = await browser.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))
  const account = await browser.get('/account')
  const wrong = await sendTo(browser, asked, 'verify-email', { code: code === '000000' ? '1' : '000000' })
  const skipped = await sendTo(browser, asked, 'consent', {})
  const before = (await app.platform.get(`/admin/users/${id}`)).body.emailVerified
  const done = await browser.follow(await sendTo(browser, asked, 'verify-email', { code }))
  const replayed = await browser.follow(await sendTo(browser, asked, 'verify-email', { code }))

  assert.equal(stepOf(asked), 'verify-email')
  assert.match(text(asked), /Confirm once that/)
  assert.match(String(silent.headers.get('location')), /error=login_required/)
  assert.deepEqual([account.status, wrong.status, skipped.status], [303, 401, 303])
  assert.ok(codeOf(done))
  assert.doesNotMatch(String(replayed.headers.get('location')), /[?&]code=/)
  assert.deepEqual([before, (await app.platform.get(`/admin/users/${id}`)).body.emailVerified], [false, true])
  assert.equal(await next(app, system, email), undefined, 'the next sign-in asks for no code')
  assert.equal((await atAccount(app.newBrowser(), email)).status, 200)
})

test('P09: /account asks for the code too, and a code of another sign-in is wrong', async (t) => {
  const { app, system, email } = await imported(t)
  const elsewhere = app.newBrowser()
  const other = await afterPassword(elsewhere, system, email)
  const code = await mailedCode(app, email)
  const browser = app.newBrowser()
  const asked = await atAccount(browser, email)

  const crossed = await sendTo(browser, asked, 'verify-email', { code })
  const done = await confirm(app, browser, asked, email)
  const late = await elsewhere.follow(await elsewhere.get(authUrl(system, newPkce().challenge)))

  assert.deepEqual([stepOf(other), stepOf(asked)], ['verify-email', 'verify-email'])
  assert.equal(crossed.status, 401)
  assert.match(text(done), /id="givenName"/)
  assert.ok(codeOf(late), 'confirmed for every browser that has verified the password')
})

for (const [what, verify] of [
  [
    'a verification link',
    async ({ app, id, email }) => {
      const { token } = await app.mailedLink('resend-verification', { id, email })
      return app.newBrowser().post('/verify-email', { token }, JSON_ONLY)
    },
  ],
  [
    'a statement of the platform',
    ({ app, id }) => app.platform.patch(`/admin/users/${id}`, { emailVerified: true }),
  ],
] satisfies [string, (of: Awaited<ReturnType<typeof imported>>) => Promise<{ status: number }>][]) {
  test(`P09: ${what} does not confirm an imported password`, async (t) => {
    const user = await imported(t)

    const verified = await verify(user)

    assert.equal(verified.status, 200)
    assert.equal((await user.app.platform.get(`/admin/users/${user.id}`)).body.emailVerified, true)
    assert.equal(await next(user.app, user.system, user.email), 'verify-email')
  })
}

test('a password reset replaces an unconfirmed password, and asks for no code', async (t) => {
  const { app, system, email, id } = await imported(t)
  const { token } = await app.mailedLink('send-password-reset', { id, email })

  const reset = await app.newBrowser().post('/reset-password', { token, password: PASSWORD }, JSON_ONLY)

  assert.equal(reset.status, 200)
  assert.equal(await next(app, system, email), undefined)
})

test('no code is asked for a verified address, a password in plain text and a password of a system', async (t) => {
  const { app, system, email } = await imported(t, { emailVerified: true })
  const service = await app.serviceOf(system)
  const [plain, own] = [mail(), mail()]
  const made = [
    await app.platform.post('/admin/users', { email: plain, password: PASSWORD }),
    await service.post('/admin/users', { email: own, passwordHash: await hash }),
  ]
  for (const { body } of made) await app.newMembership({ userId: body.id, systemId: system.id })

  const steps = [email, plain, own].map((each) => next(app, system, each))

  assert.deepEqual(await Promise.all(steps), [undefined, undefined, undefined])
})

test('P09: at /account an unconfirmed password does not replace a recent sign-in to change it', async (t) => {
  const { app, system, email, id } = await imported(t)
  const browser = app.newBrowser()
  await confirm(app, browser, await atAccount(browser, email), email)
  const credential = crypto.randomUUID()
  await app.platform.patch(`/admin/users/${id}`, { email: `new-${email}` })
  const identity = { id: credential, userId: id, provider: 'one', issuer: 'https://one.test', subject: id }
  await app.db.insert(identities).values(identity)
  await changeProofs(app.db, id, { age: 400, login: { method: 'social', credential } })

  const [profile, password] = [await browser.get('/account'), await browser.get('/account/password')]

  assert.deepEqual([profile.status, password.status], [200, 303])
  assert.equal(await next(app, system, `new-${email}`), 'verify-email')
})

test('P09: after the platform has changed the address, its credentials need a code sent to the new one', async (t) => {
  const { app, system, user, move, to } = await moved(t)
  const browser = app.newBrowser()
  await app.signIn(system, { email: user.email, visitor: browser })

  await move(to)
  const within = await browser.follow(await browser.get(authUrl(system, newPkce().challenge)))
  const account = await browser.get('/account')
  const done = await confirm(app, browser, within, to)

  assert.equal(stepOf(within), 'verify-email')
  assert.equal(account.status, 303)
  assert.ok(codeOf(done))
  assert.equal(await mailedCode(app, user.email), 'none', 'the old address gets no code')
  assert.equal(await next(app, system, to), undefined)
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.emailVerified, true)
})

test('one code confirms the password and the second factor that were valid with the earlier address', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  const to = mail()
  await app.platform.patch(`/admin/users/${user.id}`, { email: to })
  const browser = app.newBrowser()
  const asked = await afterPassword(browser, system, to)

  const factor = await confirm(app, browser, asked, to)
  await withinStep()
  const done = await browser.follow(await sendTo(browser, factor, 'second-factor', { code: appCode(secret) }))

  assert.deepEqual([stepOf(asked), stepOf(factor)], ['verify-email', 'second-factor'])
  assert.ok(codeOf(done))
})

test('P09: the second factor of an earlier address needs the code also after a password reset', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  const to = mail()
  await app.platform.patch(`/admin/users/${user.id}`, { email: to })
  const { token } = await app.mailedLink('send-password-reset', { ...user, email: to })
  await app.newBrowser().post('/reset-password', { token, password: PASSWORD }, JSON_ONLY)
  const browser = app.newBrowser()

  const factor = await afterPassword(browser, system, to)
  await withinStep()
  const asked = await browser.follow(
    await sendTo(browser, factor, 'second-factor', { code: appCode(secret) }),
  )
  const done = await confirm(app, browser, asked, to)

  assert.deepEqual([stepOf(factor), stepOf(asked)], ['second-factor', 'verify-email'])
  assert.ok(codeOf(done))
})

test('restoring the previous verified address restores the credentials, not those set in between', async (t) => {
  const { app, system, user, move, to } = await moved(t)
  await move(to)
  const inBetween = await next(app, system, to)
  await move(user.email)
  const restored = await next(app, system, user.email)
  await move(to)
  const { token } = await app.mailedLink('send-password-reset', { ...user, email: to })
  await app.newBrowser().post('/reset-password', { token, password: PASSWORD }, JSON_ONLY)
  const reset = await next(app, system, to)

  await move(user.email)

  assert.deepEqual([inBetween, restored, reset], ['verify-email', undefined, undefined])
  assert.equal(await next(app, system, user.email), 'verify-email')
})

test('a password that a system has set opens that system without a code after a change of the address', async (t) => {
  const { app, system, user, move, to } = await moved(t)
  const service = await app.serviceOf(system)
  await service.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })

  await move(to)

  assert.equal(await next(app, system, to), undefined)
  assert.equal(stepOf(await atAccount(app.newBrowser(), to)), 'verify-email')
})
