/** Until when authentications and factors of a user are valid in a system. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { afterPassword, continueSignIn, memberWithApp, stepOf } from '../../../test/support/factors.ts'
import {
  authUrl,
  type Driver,
  newPkce,
  startTestApp,
  type TestBrowser,
} from '../../../test/support/testing.ts'

/** 1 minute, in ms. */
const MINUTE = 60_000

/** A member of two systems, of which the first acts. */
async function member(t: TestContext) {
  const app = await startTestApp(t)
  const fields = { allowClientCredentials: true, multiAccount: true, skipConsent: true }
  const [shop, bank] = [await app.newSystem(fields), await app.newSystem(fields)]
  const user = await app.newUser()
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  return { app, shop, bank, user, service: await app.serviceOf(shop) }
}

/** The error of a request with `prompt=none`; null with a code. */
async function silently(browser: TestBrowser, system: Parameters<typeof authUrl>[0]): Promise<string | null> {
  const answer = await browser.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))
  return new URL(answer.headers.get('location')!).searchParams.get('error')
}

const endSessions = (service: Driver['platform'], { id }: { id: string }) =>
  service.delete(`/admin/sessions/by-user/${id}`)

/** The clock of the process differs from that of the database. */
function shiftClock(t: TestContext, by: number): void {
  const now = Date.now
  t.mock.method(Date, 'now', () => now() + by)
}

test('an authentication does not outlive its end by a system if the clock of its process is ahead', async (t) => {
  const { app, shop, bank, user, service } = await member(t)
  shiftClock(t, MINUTE)
  const { visitor } = await app.authorize(bank, { email: user.email })
  t.mock.restoreAll()

  await endSessions(service, user)

  assert.deepEqual([await silently(visitor, shop), await silently(visitor, bank)], ['login_required', null])
})

test('a user signs in at once after a system has ended the sessions if the clock of the process is behind', async (t) => {
  const { app, shop, user, service } = await member(t)
  await endSessions(service, user)
  shiftClock(t, -MINUTE)

  const { back } = await app.authorize(shop, { email: user.email })

  assert.ok(back.code)
})

test('after a system has unlinked a provider it accepts no earlier authentication, and another one does', async (t) => {
  const { app, shop, bank, user, service } = await member(t)
  const { visitor } = await app.authorize(shop, { email: user.email })
  await app.authorize(bank, { email: user.email, visitor })
  const before = await silently(visitor, shop)

  const { status } = await service.delete(`/admin/users/${user.id}/social/google`)

  assert.deepEqual([before, status], [null, 204])
  assert.deepEqual([await silently(visitor, shop), await silently(visitor, bank)], ['login_required', null])
  assert.ok((await app.authorize(shop, { email: user.email })).back.code)
})

test('after a system has disabled the factors it accepts no earlier one, and another system does', async (t) => {
  const app = await startTestApp(t)
  const { system: shop, user, browser, done } = await memberWithApp(app, { allowClientCredentials: true })
  await continueSignIn(browser, done)
  const bank = await app.newSystem({ skipConsent: true, requireMfa: true })
  await app.newMembership({ userId: user.id, systemId: bank.id })
  await app.authorize(bank, { email: user.email, visitor: browser })
  const before = [await silently(browser, shop), await silently(browser, bank)]

  const { status } = await (await app.serviceOf(shop)).post(`/admin/users/${user.id}/disable-mfa`)

  assert.deepEqual([...before, status], [null, null, 200])
  const after = [await silently(browser, shop), await silently(browser, bank)]
  assert.deepEqual(after, ['login_required', null])
  const next = async (system: typeof bank) =>
    stepOf(await afterPassword(app.newBrowser(), system, user.email))
  assert.deepEqual([await next(shop), await next(bank)], ['enrol', 'second-factor'])
})
