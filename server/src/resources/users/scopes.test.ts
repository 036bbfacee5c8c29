/** What a system states about a user, and the credentials it sets, are valid in that system only. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { appCode, begin, secretOn, sendTo, stepOf, uidOf } from '../../../test/support/factors.ts'
import { authUrl, type Driver, newPkce, PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { users } from '../../database/schema.ts'

const OPEN = { allowClientCredentials: true, multiAccount: true, skipConsent: true }
const KNOWN = 'a password that a system knows'
const mail = () => `${crypto.randomUUID()}@x.test`
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]

/** A system whose service client acts, and another one. */
async function twoSystems(t: TestContext) {
  const app = await startTestApp(t)
  const [shop, bank] = [await app.newSystem(OPEN), await app.newSystem(OPEN)]
  return { app, shop, bank, service: await app.serviceOf(shop), rival: await app.serviceOf(bank) }
}

const opens = async (
  app: Driver,
  system: Parameters<Driver['authorize']>[0],
  email: string,
  password: string,
) => (await app.authorize(system, { email, password })).back.code !== undefined

/** Whether a sign-in opens the account pages, which accept only credentials that are valid everywhere. */
async function opensAccount(app: Driver, email: string, password: string): Promise<boolean> {
  const browser = app.newBrowser()
  const page = await browser.follow(await browser.get('/account'))
  const done = await browser.follow(await browser.submit(page, { email, password }))
  return (await browser.get('/account')).status === 200 && done.status === 200
}

test('P09: a password that a system sets for a user of the platform opens that system only', async (t) => {
  const { app, shop, bank, service } = await twoSystems(t)
  const user = await app.newUser({ password: undefined })
  const joined = await service.post('/admin/memberships', { userId: user.id, systemId: shop.id })

  const set = await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const inShop = await opens(app, shop, user.email, KNOWN)
  await service.delete(`/admin/memberships/${joined.body.id}`)
  await app.newMembership({ userId: user.id, systemId: bank.id })

  assert.deepEqual([set.status, inShop], [200, true])
  assert.deepEqual(
    [await opens(app, bank, user.email, KNOWN), await opensAccount(app, user.email, KNOWN)],
    [false, false],
  )
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.hasPassword, false)
})

test('P09: a user that a system creates as verified with a password signs in nowhere else', async (t) => {
  const { app, shop, bank, service, rival } = await twoSystems(t)
  const email = mail()
  const made = await service.post('/admin/users', { email, password: KNOWN, emailVerified: true })
  await service.post('/admin/memberships', { userId: made.body.id, systemId: shop.id, status: 'blocked' })
  await rival.post('/admin/memberships', { userId: made.body.id, systemId: bank.id, accountName: 'Treasury' })

  const withKnown = await opens(app, bank, email, KNOWN)
  const set = await rival.post(`/admin/users/${made.body.id}/set-password`, { password: PASSWORD })

  assert.deepEqual([withKnown, outcome(set)], [false, [200, undefined]])
  assert.equal(await opens(app, bank, email, PASSWORD), true)
  assert.equal(await opens(app, shop, email, PASSWORD), false)
  assert.equal((await rival.get(`/admin/users/${made.body.id}`)).body.emailVerified, false)
})

test('P09: a factor enrolled with the password of a system is neither asked for nor accepted elsewhere', async (t) => {
  const { app, shop, bank, service, rival } = await twoSystems(t)
  for (const [client, { id }] of [
    [service, shop],
    [rival, bank],
  ] as const)
    await client.patch(`/admin/systems/${id}`, { requireMfa: true })
  const made = await service.post('/admin/users', { email: mail(), password: KNOWN })
  const { id, email } = made.body
  await service.post('/admin/memberships', { userId: id, systemId: shop.id })
  await rival.post('/admin/memberships', { userId: id, systemId: bank.id })
  const browser = app.newBrowser()
  const enroll = await browser.follow(
    await browser.submit(await begin(browser, shop), { email, password: KNOWN }),
  )
  const secret = secretOn(enroll)
  await sendTo(browser, enroll, 'enrol', { code: appCode(secret) })

  const link = await app.mailedLink('send-password-reset', { id, email })
  await app
    .newBrowser()
    .post('/reset-password', { token: link.token, password: PASSWORD }, { accept: 'application/json' })
  const owner = app.newBrowser()
  const page = await owner.follow(await owner.submit(await begin(owner, bank), { email, password: PASSWORD }))

  assert.equal(stepOf(page), 'enrol')
  assert.notEqual(secretOn(page), secret)
  assert.deepEqual((await service.get(`/admin/users/${id}`)).body.mfaEnabled, true)
  assert.deepEqual((await rival.get(`/admin/users/${id}`)).body.mfaEnabled, false)
})

test('a sign-in with the password of a system is no sign-in to another system or to /account', async (t) => {
  const { app, shop, bank, service } = await twoSystems(t)
  const user = await app.newUser()
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const { visitor } = await app.signIn(shop, { email: user.email, password: KNOWN })
  const silently = (system: Parameters<Driver['authorize']>[0]) =>
    visitor.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))
  const answers = async () =>
    Promise.all(
      [shop, bank].map(async (system) => {
        const location = new URL((await silently(system)).headers.get('location')!)
        return location.searchParams.get('error') ?? 'code'
      }),
    )

  const withKnown = await answers()
  const account = await visitor.get('/account')
  await app.signIn(bank, { email: user.email, visitor })
  const withBoth = await answers()

  assert.deepEqual(withKnown, ['code', 'login_required'])
  assert.equal(account.status, 303)
  assert.deepEqual(withBoth, ['code', 'code'])
  assert.equal((await visitor.get('/account')).status, 200)
})

for (const [what, change] of [
  ['a new password', (service, id) => service.post(`/admin/users/${id}/set-password`, { password: KNOWN })],
  ['disabling the user', (service, id) => service.patch(`/admin/users/${id}`, { disabled: true })],
  ['ending the sessions', (service, id) => service.delete(`/admin/sessions/by-user/${id}`)],
] satisfies [string, (service: Driver['platform'], id: string) => Promise<{ status: number }>][]) {
  test(`${what} by a system ends access there at once, and nowhere else`, async (t) => {
    const { app, shop, bank, service } = await twoSystems(t)
    const user = await app.newUser()
    for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
    const { visitor, ...inShop } = await app.signIn(shop, { email: user.email })
    const inBank = await app.signIn(bank, { email: user.email, visitor })

    const changed = await change(service, user.id)

    assert.equal(changed.status, 200)
    assert.equal((await app.me(inShop.access_token)).status, 401)
    assert.equal((await app.me(inBank.access_token)).status, 200)
    const silently = async (system: Parameters<Driver['authorize']>[0]) => {
      const answer = await visitor.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))
      return new URL(answer.headers.get('location')!).searchParams.get('error')
    }
    assert.deepEqual([await silently(shop), await silently(bank)], ['login_required', null])
    assert.equal(await opens(app, bank, user.email, PASSWORD), true)
  })
}

test('a user whom a system has added is asked before it reads the profile, and may decline', async (t) => {
  const { app, shop, bank, service } = await twoSystems(t)
  const user = await app.newUser({ name: 'Ada Lovelace' })
  await app.newMembership({ userId: user.id, systemId: bank.id })
  await service.post('/admin/memberships', { userId: user.id, systemId: shop.id, accountName: 'Acme' })
  const read = async () => (await service.get(`/admin/users/${user.id}`)).body.name
  const visitor = app.newBrowser()
  await app.signIn(bank, { email: user.email, visitor })
  const start = (parameters = {}) => visitor.get(authUrl(shop, newPkce().challenge, parameters))

  const silent = await start({ prompt: 'none' })
  const asked = await visitor.follow(await start())
  const declined = await visitor.follow(await visitor.submit(asked, { decision: 'deny' }))
  const before = await read()
  const again = await visitor.follow(await start())
  const accepted = await visitor.follow(await visitor.submit(again))

  assert.match(String(silent.headers.get('location')), /error=login_required/)
  assert.match(String(asked.body), /Acme/)
  assert.deepEqual([declined.status, declined.headers.get('location')], [200, null])
  assert.match(String(declined.body), /did not join/)
  assert.match(String(accepted.headers.get('location')), /code=/)
  assert.deepEqual([before, await read()], [null, 'Ada Lovelace'])
  assert.match(String((await start({ prompt: 'none' })).headers.get('location')), /code=/)
})

test('a user is not asked whether to be a member that the platform has added, or of the only system', async (t) => {
  const { app, shop, bank, service } = await twoSystems(t)
  const [both, only] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: both.id, systemId: bank.id })
  await app.newMembership({ userId: both.id, systemId: shop.id })
  await service.post('/admin/memberships', { userId: only.id, systemId: shop.id, accountName: 'Acme' })

  const outcomes = [both, only].map(({ email }) => opens(app, shop, email, PASSWORD))

  assert.deepEqual(await Promise.all(outcomes), [true, true])
})

test('P09: a passkey of a system has another user handle than one that is valid everywhere, and names it', async (t) => {
  const { app, shop, bank, service } = await twoSystems(t)
  const user = await app.newUser()
  for (const { id } of [shop, bank]) {
    await app.platform.patch(`/admin/systems/${id}`, { requireMfa: true })
    await app.newMembership({ userId: user.id, systemId: id })
  }
  const offered = async (system: typeof bank, password: string) => {
    const browser = app.newBrowser()
    const login = await begin(browser, system)
    const page = await browser.follow(await browser.submit(login, { email: user.email, password }))
    const { body } = await browser.get(`/interaction/${uidOf(page)}`, { accept: 'application/json' })
    return body.fields.find(({ type }: { type: string }) => type === 'passkey').options.user
  }

  const own = await offered(bank, PASSWORD)
  const ownAgain = await offered(shop, PASSWORD)
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const ofShop = await offered(shop, KNOWN)

  assert.deepEqual(ownAgain, own)
  assert.equal(own.displayName, user.email)
  assert.notEqual(ofShop.id, own.id)
  assert.equal(ofShop.displayName, `${user.email} (${shop.name})`)
})

test('a password by email replaces the passwords of every system', async (t) => {
  const { app, shop, service } = await twoSystems(t)
  const user = await app.newUser({ password: undefined })
  await app.newMembership({ userId: user.id, systemId: shop.id })
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })

  const { token } = await app.mailedLink('send-password-reset', user)
  await app
    .newBrowser()
    .post('/reset-password', { token, password: PASSWORD }, { accept: 'application/json' })

  assert.deepEqual(
    [await opens(app, shop, user.email, KNOWN), await opens(app, shop, user.email, PASSWORD)],
    [false, true],
  )
})

test('a user who must change the password of a system chooses one for that system', async (t) => {
  const { app, shop, bank, service } = await twoSystems(t)
  const user = await app.newUser()
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  const { temporaryPassword } = (await service.post(`/admin/users/${user.id}/reset-password`)).body
  const browser = app.newBrowser()
  const page = await browser.follow(
    await browser.submit(await begin(browser, shop), { email: user.email, password: temporaryPassword }),
  )

  const done = await browser.follow(await browser.submit(page, { password: KNOWN }))

  assert.match(String(done.headers.get('location')), /code=/)
  const passwords = [PASSWORD, KNOWN, temporaryPassword]
  const results = async (system: Parameters<Driver['authorize']>[0]) =>
    Promise.all(passwords.map((password) => opens(app, system, user.email, password)))
  assert.deepEqual(await results(shop), [false, true, false])
  assert.deepEqual(await results(bank), [true, false, false])
})

test('P09: tokens by the password of a system have nothing of the profile of the user', async (t) => {
  const { app, shop, service } = await twoSystems(t)
  const user = await app.newUser()
  await app.platform.patch(`/admin/users/${user.id}`, { emailVerified: true })
  await service.post('/admin/memberships', { userId: user.id, systemId: shop.id })
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const { access_token } = await app.signIn(shop, { email: user.email, password: KNOWN })
  await app.db.update(users).set({ updatedAt: sql`now() - interval '1 hour'` }).where(eq(users.id, user.id))
  const before = (await app.me(access_token)).body

  await app.platform.patch(`/admin/users/${user.id}`, { name: 'Real Name' })
  const after = (await app.me(access_token)).body

  assert.equal(before.email_verified, false)
  assert.deepEqual(after, before)
})
