/** Step-up: a session without the required factors continues with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import {
  afterPassword,
  appCode,
  begin,
  codeOf,
  continueSignIn,
  mailedCode,
  memberWithApp,
  secretOn,
  sendTo,
  stepOf,
  withinStep,
} from '../../test/support/factors.ts'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import type { Proof } from '../authentication/proofs.ts'
import { and, eq } from '../database/drizzle.ts'
import { artifacts, sessions, systemUsers } from '../database/schema.ts'

const AAL2 = 'urn:tenantry:aal2'
/** TTL_SESSION_MAX, in seconds. */
const LIFETIME = 1_209_600

test('P25: a step-up changes the session id, and the old id has no session', async (t) => {
  const app = await startTestApp(t)
  const { system: plain, user } = await app.newMember({ skipConsent: true })
  const strict = await app.newSystem({ skipConsent: true, requireMfa: true })
  await app.newMembership({ userId: user.id, systemId: strict.id })
  const { visitor } = await app.signIn(plain, { email: user.email })
  const cookie = () => visitor.jar.get('_session /')?.value
  const before = [cookie(), visitor.jar.get('_session.sig /')?.value]

  const page = await begin(visitor, strict)
  await withinStep()
  const enrolled = await sendTo(visitor, page, 'enrol', { code: appCode(secretOn(page)) })
  const done = await continueSignIn(visitor, enrolled)
  const thief = app.newBrowser()
  thief.jar.set('_session /', { value: before[0]!, path: '/' })
  thief.jar.set('_session.sig /', { value: before[1]!, path: '/' })

  assert.equal(stepOf(page), 'enrol')
  assert.ok(codeOf(done))
  assert.notEqual(cookie(), before[0])
  const stolen = await thief.get(authUrl(plain, newPkce().challenge, { prompt: 'none' }))
  assert.equal(new URL(stolen.headers.get('location')!).searchParams.get('error'), 'login_required')
  const back = await app.signIn(plain, { email: user.email, visitor, parameters: { prompt: 'none' } })
  assert.equal(decodeJwt(back.id_token).acr, AAL2, 'and it counts in the first system too')
  const [row] = await app.db
    .select()
    .from(sessions)
    .where(eq(sessions.sid, String(decodeJwt(back.access_token).sid)))
  assert.deepEqual([row?.acr, row?.amr], [AAL2, ['pwd', 'otp', 'mfa']])
})

test('a login a day old opens other systems; a second factor then requires a new login', async (t) => {
  const app = await startTestApp(t)
  const { system, user, browser, done, secret } = await memberWithApp(app)
  await continueSignIn(browser, done)
  const plain = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: plain.id })
  const aged = (age: number) => changeProofs(app.db, user.id, { age, idle: 60 })

  await aged(86_000)
  const before = await begin(browser, system)
  await aged(87_000)
  const elsewhere = await begin(browser, plain)
  const page = await begin(browser, system)
  const next = await browser.follow(await browser.submit(page, { email: user.email, password: PASSWORD }))
  await withinStep()
  const again = await browser.follow(await browser.submit(next, { code: appCode(secret) }))

  assert.ok(codeOf(before) && codeOf(elsewhere))
  assert.deepEqual([stepOf(page), stepOf(next)], ['login', 'second-factor'])
  assert.ok(codeOf(again))
})

test('after an hour without a sign-in, requireMfa asks again, also if another system was used since', async (t) => {
  const app = await startTestApp(t)
  const { system, user, browser, done } = await memberWithApp(app)
  await continueSignIn(browser, done)
  const plain = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: plain.id })
  await begin(browser, plain)
  const used = (idle: number) => changeProofs(app.db, user.id, { age: 20_000, idle })
  const isUsed = async () => {
    const [row] = await app.db
      .select({ payload: artifacts.payload })
      .from(artifacts)
      .where(and(eq(artifacts.model, 'Session'), eq(artifacts.userId, user.id)))
    const { proofs } = row!.payload as { proofs: Proof[] }
    return proofs.every(({ usedAt = 0 }) => Date.now() - usedAt < 600_000)
  }

  await used(3_500)
  const silent = await begin(browser, plain, { prompt: 'none' })
  const bySilent = await isUsed()
  const within = await begin(browser, system)
  const byWithin = await isUsed()
  await used(3_700)
  const elsewhere = await begin(browser, plain)
  const refused = await begin(browser, system, { prompt: 'none' })
  const page = await begin(browser, system)

  assert.ok(codeOf(silent) && codeOf(within) && codeOf(elsewhere))
  assert.deepEqual([bySilent, byWithin], [false, true], 'a silent request is no use by the user')
  assert.match(refused.headers.get('location') ?? '', /error=login_required/)
  assert.equal(stepOf(page), 'login')
})

test('requireMfa asks for a factor again after a day, if only the password of the system is newer', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  const other = await app.newSystem({ skipConsent: true, requireMfa: true, allowClientCredentials: true })
  await app.newMembership({ userId: user.id, systemId: other.id })
  const [service, password] = [await app.serviceOf(other), 'a password that a system knows']
  await service.post(`/admin/users/${user.id}/set-password`, { password })
  const browser = app.newBrowser()
  const asked = await afterPassword(browser, system, user.email)
  await withinStep()
  await browser.follow(await browser.submit(asked, { code: appCode(secret) }))
  const signIn = async () => {
    const page = await begin(browser, other)
    return browser.follow(await browser.submit(page, { email: user.email, password }))
  }

  const same = await signIn()
  await changeProofs(app.db, user.id, { age: 90_000 })
  await app.db.update(systemUsers).set({ proofsAfter: null }).where(eq(systemUsers.systemId, other.id))
  const next = await signIn()

  assert.ok(codeOf(same), 'the factor of the first system counts here too')
  assert.equal(stepOf(next), 'second-factor')
})

test('an authentication is valid for TTL_SESSION_MAX, whatever prolongs its browser session', async (t) => {
  const app = await startTestApp(t)
  const { system: plain, user } = await app.newMember({ skipConsent: true })
  const other = await app.newSystem({ skipConsent: true, allowClientCredentials: true })
  await app.newMembership({ userId: user.id, systemId: other.id })
  const [service, password] = [await app.serviceOf(other), 'a password that a system knows']
  await service.post(`/admin/users/${user.id}/set-password`, { password })
  const { visitor: browser } = await app.signIn(plain, { email: user.email })
  const silent = async () => (await begin(browser, plain, { prompt: 'none' })).headers.get('location') ?? ''

  await changeProofs(app.db, user.id, { age: LIFETIME - 600 })
  const before = await silent()
  const page = await begin(browser, other, { prompt: 'login' })
  const renewed = await browser.follow(await browser.submit(page, { email: user.email, password }))
  await changeProofs(app.db, user.id, { age: LIFETIME + 60 })
  const signedInAgain = await begin(browser, other, { prompt: 'login' })
  const own = await browser.follow(await browser.submit(signedInAgain, { email: user.email, password }))
  const after = await silent()
  const pages = await browser.get('/account')

  assert.match(before, /[?&]code=/)
  assert.ok(codeOf(renewed) && codeOf(own))
  assert.match(after, /error=login_required/)
  assert.equal(pages.status, 303, 'the pages of the user require a sign-in too')
})

test('an emailed code is no second factor, and a system may require both', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, requireMfa: true, requireEmailOtp: true })
  const browser = app.newBrowser()
  const mailed = await afterPassword(browser, system, user.email)

  const page = await browser.follow(await browser.submit(mailed, { code: await mailedCode(app, user.email) }))
  await withinStep()
  const enrolled = await sendTo(browser, page, 'enrol', { code: appCode(secretOn(page)) })
  const done = await continueSignIn(browser, enrolled)

  assert.deepEqual([stepOf(mailed), stepOf(page)], ['email-otp', 'enrol'])
  assert.ok(codeOf(done))
  const [row] = await app.db.select().from(sessions).where(eq(sessions.userId, user.id))
  assert.deepEqual(row?.amr, ['pwd', 'otp', 'email', 'mfa'])
})

test('acr_values can request two factors, and discovery lists the values', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const asked = (acr_values: string) => begin(visitor, system, { acr_values })

  const [two, one, either, unknown] = [
    await asked(AAL2),
    await asked('urn:tenantry:aal1'),
    await asked(`${AAL2} urn:tenantry:aal1`),
    await asked('urn:elsewhere'),
  ]
  const discovery = (await app.as('').get('/.well-known/openid-configuration')).body

  assert.equal(stepOf(two), 'enrol')
  for (const page of [one, either, unknown]) assert.ok(codeOf(page))
  assert.deepEqual(discovery.acr_values_supported, ['urn:tenantry:aal1', AAL2])
})
