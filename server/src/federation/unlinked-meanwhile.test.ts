/** A sign-in through another provider, concurrent with the removal of that identity. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ON_POSTGRES, withLock } from '../../test/support/locks.ts'
import { addressOf, begin, findByEmail, rest, start, through, unique } from '../../test/support/social.ts'
import { sql } from '../database/drizzle.ts'

test('a sign-in and the removal of its identity do not deadlock', ON_POSTGRES, async (t) => {
  const { app, one } = await start(t)
  const system = await app.newSystem({ allowSelfRegister: true, skipConsent: true })
  const email = addressOf()
  one.claims = { sub: unique(), email, email_verified: true }
  const first = await begin(app, system)
  await rest(first.visitor, await through(first, one))
  const user = await findByEmail(app, email)
  // Without a password the identity is the only way in, and is not removed.
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse battery' })
  const again = await begin(app, system)

  const identity = sql`select from identities where user_id = ${user.id} for update`
  const { signingIn, removing } = await withLock(app.db, identity, async (waiting) => {
    const signingIn = through(again, one)
    await waiting(1)
    const removing = app.platform.delete(`/admin/users/${user.id}/social/one`)
    await waiting(2)
    return { signingIn, removing }
  })
  const [signedIn, removed] = await Promise.all([signingIn, removing])

  // Signed in, or a page if the identity was removed first: a deadlock is answered with 503.
  assert.ok([200, 303].includes(signedIn.status), String(signedIn.status))
  assert.equal(removed.status, 204)
})
