/** The row of a user is locked by another transaction while somebody without authentication asks about it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOpenSystem } from '../../test/support/registration.ts'
import {
  authUrl,
  type Driver,
  formOf,
  newBrowser,
  newPkce,
  startTestApp,
} from '../../test/support/testing.ts'
import { SOON } from '../../test/support/waiting.ts'
import { eq } from '../database/drizzle.ts'
import { users } from '../database/schema.ts'

/** The forms of a sign-in that take an address. */
const FORMS = {
  'a wrong password': ['login', { password: 'a wrong password, surely' }],
  'a password reset': ['forgot-password', {}],
  'a registration': ['register', { password: 'a password of a visitor', name: 'Ana' }],
} as const

async function given(app: Driver) {
  const system = await newOpenSystem(app)
  const user = await app.newUser({ emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id })
  const ask = async ([at, fields]: (typeof FORMS)[keyof typeof FORMS], email: string) => {
    const visitor = newBrowser(app.url)
    const login = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const page = await visitor.get(formOf(login).action.replace(/\/login$/, `/${at === 'login' ? '' : at}`))
    return () => visitor.submit(at === 'login' ? login : page, { ...fields, email })
  }
  return { user, ask }
}

for (const [what, form] of Object.entries(FORMS))
  test(`P05: ${what} is answered like that of an unknown address while the row of the user is locked`, {
    skip: process.env.DATABASE_URL === undefined, // the embedded database does not wait for row locks
  }, async (t) => {
    const app = await startTestApp(t)
    const { user, ask } = await given(app)
    const unknown = `${crypto.randomUUID()}@example.test`
    const [ofUnknown, ofUser] = [await ask(form, unknown), await ask(form, String(user.email))]

    const answers = await app.db.transaction(async (tx) => {
      await tx
        .select()
        .from(users)
        .where(eq(users.id, String(user.id)))
        .for('update')
      return [await ofUnknown(), await ofUser()]
    })

    const [first, second] = answers.map(({ status, headers }) => [status, headers.has('location')])
    assert.deepEqual(second, first)
    const sent = async () => (await app.emailsTo(String(user.email))).length
    if (form[0] !== 'login') await t.waitFor(async () => assert.equal(await sent(), 1), SOON)
  })
