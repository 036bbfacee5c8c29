/** Until when authentications of a user are valid in a system. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { authUrl, type Driver, newPkce, startTestApp } from '../../../test/support/testing.ts'

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

  const silently = async (system: typeof shop) =>
    String(
      (await visitor.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))).headers.get('location'),
    )
  assert.match(await silently(shop), /error=login_required/)
  assert.match(await silently(bank), /[?&]code=/)
})

test('a user signs in at once after a system has ended the sessions if the clock of the process is behind', async (t) => {
  const { app, shop, user, service } = await member(t)
  await endSessions(service, user)
  shiftClock(t, -MINUTE)

  const { back } = await app.authorize(shop, { email: user.email })

  assert.ok(back.code)
})
