/** Required single sign-on, concurrent with a sign-in with a password. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { forgetSessions } from '../../../test/support/browser-sessions.ts'
import { newExemptible } from '../../../test/support/exempt-members.ts'
import { ON_POSTGRES, withLock } from '../../../test/support/locks.ts'
import { newClosable } from '../../../test/support/sso-required.ts'
import { backOf } from '../../../test/support/sso-sign-in.ts'
import { authUrl, codeFields, newPkce } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { and, eq, isNull, sql } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

type Place = Pick<Awaited<ReturnType<typeof newClosable>>, 'app' | 'user'>

/** The browser has the login, and no session any more. */
async function forgetAll({ app, user }: Place): Promise<void> {
  await app.db.update(sessions).set({ expiresAt: sql`now()` }).where(eq(sessions.userId, user.id))
  await forgetSessions(app.db, user.id)
}

const living = ({ app, user }: Place) =>
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

/** A browser of the exempt member with the login and the factor, and no session any more. */
async function exemptBrowser(t: TestContext) {
  const place = await newExemptible(t)
  await place.exempt()
  await place.require()
  const browser = place.app.newBrowser()
  const { end } = await place.enter(browser)
  assert.ok(backOf(end).code, JSON.stringify(backOf(end)))
  const asMember = { ...place, user: place.contractor }
  await forgetAll(asMember)
  const { id } = place.contractorAs
  const pkce = newPkce()
  const signsIn = () => browser.get(authUrl(place.system as never, pkce.challenge, { prompt: 'none' }))
  const ends = () => place.app.platform.patch(place.memberAt, { ssoExempt: false })
  return { place: asMember, id, browser, pkce, signsIn, ends }
}

test(
  'P142: an exempt sign-in that waits while the exemption ends opens no session',
  ON_POSTGRES,
  async (t) => {
    const { place, id, browser, signsIn, ends } = await exemptBrowser(t)
    const membership = sql`select from memberships where id = ${id} for update`

    const [change, signIn] = await withLock(place.app.db, membership, async (waiting) => {
      const change = ends()
      await waiting(1)
      const signIn = signsIn()
      await waiting(2)
      return [[change], [signIn]] as const
    })

    assert.equal((await change[0]).status, 200)
    const back = backOf(await browser.follow(await signIn[0]))
    assert.equal(back.code, undefined, JSON.stringify(back))
    assert.deepEqual(await living(place), [])
  },
)

test(
  'P142: an exempt session that was opened while the change waits has ended with the exemption',
  ON_POSTGRES,
  async (t) => {
    const { place, browser, pkce, signsIn, ends } = await exemptBrowser(t)
    const { app, system, user } = place
    const last = sql`select from system_users where user_id = ${user.id} and system_id = ${system.id} for update`

    const [change, signIn] = await withLock(app.db, last, async (waiting) => {
      const signIn = signsIn()
      await waiting(1)
      const change = ends()
      await waiting(2)
      return [[change], [signIn]] as const
    })

    const back = backOf(await browser.follow(await signIn[0]))
    assert.equal((await change[0]).status, 200)
    assert.ok(back.code, JSON.stringify(back))
    const tokens = await app.token(system as never, codeFields(system as never, { back, pkce }))
    assert.equal(tokens.status, 400)
    assert.deepEqual(await living(place), [])
  },
)
