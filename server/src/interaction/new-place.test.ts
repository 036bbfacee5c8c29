/** The letter about a sign-in from a new place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq, sql } from '../drizzle.ts'
import { sessions } from '../schema.ts'
import { newVisitor, startTestApp } from '../testing.ts'

const HOME = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Firefox at home' }
const HOTEL = { ...HOME, 'x-forwarded-for': '198.51.100.7' }
const LIBRARY = { ...HOME, 'user-agent': 'Chrome of the library' }

test('who signs in from a network or browser without a session in 90 days is told by mail: not at first, nor in a known browser', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const { system, user } = await app.newMember({ name: 'Shop', skipConsent: true })
  const told = async () => (await app.letters(user.email)).filter(({ kind }) => kind === 'new_place')
  const from = (always: Record<string, string>, jar = new Map()) => {
    const visitor = newVisitor(app.url, { always })
    for (const [key, cookie] of jar) visitor.jar.set(key, cookie)
    return app.signIn(system, { email: user.email, visitor, parameters: { prompt: 'login' } })
  }

  const first = await from(HOME)
  await from(HOME)
  await from(HOTEL, first.visitor.jar)
  const before = await told()
  await from(LIBRARY)
  const elsewhere = await told()
  await from(LIBRARY)
  await app.db.update(sessions).set({ lastSeenAt: sql`now() - interval '91 days'` }).where(eq(sessions.userId, user.id))
  await from(HOME)
  const later = await told()

  assert.deepEqual(before, [])
  assert.deepEqual(
    elsewhere.map(({ subject }) => subject),
    ['A sign-in to Shop from a new place'],
  )
  assert.match(elsewhere[0]!.text, /from the address 203\.0\.113\.9\./)
  assert.equal(later.length, 2)
})
