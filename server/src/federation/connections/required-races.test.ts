/** Required single sign-on, concurrent with a sign-in with a password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetSessions } from '../../../test/support/browser-sessions.ts'
import { ON_POSTGRES, withLock } from '../../../test/support/locks.ts'
import { newClosable } from '../../../test/support/sso-required.ts'
import { backOf } from '../../../test/support/sso-sign-in.ts'
import { authUrl, codeFields, newPkce } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { and, eq, isNull, sql } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

/** The browser has the login, and no session any more. */
async function forgetAll({ app, user }: Awaited<ReturnType<typeof newClosable>>): Promise<void> {
  await app.db.update(sessions).set({ expiresAt: sql`now()` }).where(eq(sessions.userId, user.id))
  await forgetSessions(app.db, user.id)
}

const living = ({ app, user }: Awaited<ReturnType<typeof newClosable>>) =>
  app.db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, user.id), isNull(sessions.endedAt), sql`${sessions.expiresAt} > now()`))

test(
  'P141: a sign-in with a password that waits while it is required opens no session',
  ON_POSTGRES,
  async (t) => {
    const place = await newClosable(t)
    const { app, accountId, system } = place
    const browser = app.newBrowser()
    await place.login(browser)
    await forgetAll(place)
    const account = sql`select from accounts where id = ${accountId} for update`

    // The change waits for the account, and the sign-in behind it.
    const [change, signIn] = await withLock(app.db, account, async (waiting) => {
      const change = app.platform.patch(place.at, { ssoRequired: true })
      await waiting(1)
      const signIn = browser.get(authUrl(system as never, newPkce().challenge, { prompt: 'none' }))
      await waiting(2)
      return [[change], [signIn]] as const
    })

    assert.equal((await change[0]).status, 200)
    const end = await browser.follow(await signIn[0])
    assert.equal(backOf(end).code, undefined, JSON.stringify(backOf(end)))
    assert.match(backOf(end).error ?? '', /access_denied|login_required/)
    assert.deepEqual(await living(place), [])
  },
)

test(
  'P141: a session that was opened while the change waits has ended when it is required',
  ON_POSTGRES,
  async (t) => {
    const place = await newClosable(t)
    const { app, system, user } = place
    const browser = app.newBrowser()
    await place.login(browser)
    await forgetAll(place)
    // A sign-in locks this row last.
    const last = sql`select from system_users where user_id = ${user.id} and system_id = ${system.id} for update`
    const pkce = newPkce()

    const [change, signIn] = await withLock(app.db, last, async (waiting) => {
      const signIn = browser.get(authUrl(system as never, pkce.challenge, { prompt: 'none' }))
      await waiting(1)
      const change = app.platform.patch(place.at, { ssoRequired: true })
      await waiting(2)
      return [[change], [signIn]] as const
    })

    const end = await browser.follow(await signIn[0])
    assert.equal((await change[0]).status, 200)
    assert.ok(backOf(end).code, JSON.stringify(backOf(end)))
    const tokens = await app.token(system as never, codeFields(system as never, { back: backOf(end), pkce }))
    assert.equal(tokens.status, 400)
    assert.deepEqual(await living(place), [])
  },
)

test('P141: of many sign-ins with a password at once with the change, none opens a session that lasts', async (t) => {
  const place = await newClosable(t)
  const { app } = place

  const [change] = await concurrently<{ status: number }>(5, async (nth) => {
    if (nth === 0) return app.platform.patch(place.at, { ssoRequired: true })
    return (await place.login(app.newBrowser())).end
  })

  assert.equal(change!.status, 200)
  assert.deepEqual(await living(place), [])
})
