/**
 * A sign-in by a connection, concurrent with a change that ends what it may open: after the answer of the
 * change nothing works, whichever of the two locks the rows first.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { decodeJwt } from 'jose'
import { forgetSessions } from '../../../test/support/browser-sessions.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { ON_POSTGRES, withLock } from '../../../test/support/locks.ts'
import { backOf, signInAs, startConnection, tokensOf } from '../../../test/support/sso-sign-in.ts'
import { type Answer, authUrl, codeFields, newPkce, PASSWORD } from '../../../test/support/testing.ts'
import { and, eq, isNull, sql } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

type Place = Awaited<ReturnType<typeof newPlace>>
type Change = {
  name: string
  /** Before the user signs in. */
  prepare?: (place: Place) => Promise<unknown>
  run: (place: Place) => Promise<Answer>
}

/** A member who is signed in by the connection in a browser, who has no session any more. */
async function newPlace(t: TestContext) {
  const started = await startConnection(t)
  const { app, person, system, accountId, name } = started
  const { platform } = app
  const user = await app.newUser({ email: `ana@${name}`, password: PASSWORD })
  const role = await app.newRole(system.id)
  const member = await app.newMembership({
    ...{ userId: user.id, systemId: system.id, accountId, roles: [role.id] },
  })
  const browser = app.newBrowser()
  const give = (roles: string[]) => platform.patch(`/admin/memberships/${member.id}/roles`, { add: roles })
  const silently = async () => {
    const pkce = newPkce()
    const url = authUrl(system as never, pkce.challenge, { account_id: accountId, prompt: 'none' })
    return { pkce, end: await browser.get(url) }
  }
  const living = () =>
    app.db
      .select()
      .from(sessions)
      .where(and(eq(sessions.userId, user.id), isNull(sessions.endedAt), sql`${sessions.expiresAt} > now()`))
  const enter = async () => {
    await tokensOf(started, await signInAs(started, person('ana'), browser))
    await app.db.update(sessions).set({ expiresAt: sql`now()` }).where(eq(sessions.userId, user.id))
    await forgetSessions(app.db, user.id)
  }
  return { ...started, platform, user, role, member, browser, give, silently, living, enter }
}

const ofConnection = ({ accountId, connection }: Place) =>
  `/admin/accounts/${accountId}/connections/${connection.id}`
const patchRole = ({ platform, system, role }: Place, patch: object) =>
  platform.patch(`/admin/systems/${system.id}/roles/${role.id}`, patch)

const CHANGES: Change[] = [
  {
    name: 'the connection is disabled',
    run: (place) => place.platform.patch(ofConnection(place), { enabled: false }),
  },
  {
    name: 'the connection is deleted',
    run: (place) => place.platform.delete(ofConnection(place)),
  },
  {
    name: 'the sessions of the connection end',
    run: (place) => place.platform.delete(`${ofConnection(place)}/sessions`),
  },
  {
    name: 'all links end',
    run: (place) => place.platform.delete(`${ofConnection(place)}/links`),
  },
  {
    name: 'the link of the member ends',
    run: ({ platform, accountId, member }) =>
      platform.delete(`/admin/accounts/${accountId}/members/${member.id}/link`),
  },
  {
    name: 'the account is suspended',
    run: ({ platform, accountId }) => platform.patch(`/admin/accounts/${accountId}`, { status: 'suspended' }),
  },
  {
    name: 'the member gets a reserved role',
    run: async ({ app, system, give }) =>
      give([(await app.newRole(system.id, { assignableByAccountAdmins: false })).id]),
  },
  {
    name: 'a role of the member becomes reserved',
    run: (place) => patchRole(place, { assignableByAccountAdmins: false }),
  },
  {
    name: 'a reserved role of the member may act for members from now on',
    prepare: async (place) => {
      expectStatus(await place.platform.patch(ofConnection(place), { reservedRoles: true }), 200)
      return expectStatus(await patchRole(place, { assignableByAccountAdmins: false }), 200)
    },
    run: (place) => patchRole(place, { canActForMembers: true }),
  },
  {
    name: 'the connection may not sign in reserved roles any more',
    prepare: async (place) => {
      expectStatus(await place.platform.patch(ofConnection(place), { reservedRoles: true }), 200)
      return expectStatus(await patchRole(place, { assignableByAccountAdmins: false }), 200)
    },
    run: (place) => place.platform.patch(ofConnection(place), { reservedRoles: false }),
  },
]

for (const { name, prepare, run } of CHANGES) {
  test(`P151: a sign-in that waits for the account opens no session if ${name}`, ON_POSTGRES, async (t) => {
    const place = await newPlace(t)
    await prepare?.(place)
    await place.enter()
    const { app, accountId, silently, living } = place
    // A suspension waits for the account too, in front of the sign-in.
    const isSuspension = name.includes('suspended')
    const account = sql`select from accounts where id = ${accountId} for no key update`

    const { change, signIn } = await withLock(app.db, account, async (waiting) => {
      const started = isSuspension ? run(place) : undefined
      if (started) await waiting(1)
      const answers = { signIn: [silently()], change: [started ?? Promise.resolve()] }
      await waiting(started ? 2 : 1)
      return started ? answers : { ...answers, change: [Promise.resolve(await run(place))] }
    })

    expectOk((await change[0]) as Answer)
    const { end } = await signIn[0]!
    assert.equal(end.status, 303)
    assert.equal(backOf(end).code, undefined, JSON.stringify(backOf(end)))
    assert.match(backOf(end).error ?? '', /access_denied|login_required/)
    assert.deepEqual(await living(), [])
  })

  test(
    `P151: a session that was opened while the change waits has ended when ${name}`,
    ON_POSTGRES,
    async (t) => {
      const place = await newPlace(t)
      await prepare?.(place)
      await place.enter()
      const { app, system, user, silently, living } = place
      // A sign-in locks this row last.
      const last = sql`select from system_users where user_id = ${user.id} and system_id = ${system.id} for update`

      const answers = await withLock(app.db, last, async (waiting) => {
        const signIn = silently()
        await waiting(1)
        const change = run(place)
        await waiting(2)
        return { signIn: [signIn], change: [change] }
      })
      const { pkce, end } = await answers.signIn[0]!
      expectOk(await answers.change[0]!)

      assert.ok(backOf(end).code, `${end.status} ${JSON.stringify(backOf(end))}`)
      const tokens = await app.token(
        system as never,
        codeFields(system as never, { back: backOf(end), pkce }),
      )
      assert.equal(tokens.status, 400)
      assert.deepEqual(await living(), [])
      assert.equal(backOf((await silently()).end).code, undefined)
    },
  )
}

const expectOk = ({ status, body }: Answer) => assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)

test(
  'P151: a login that replaces the session of another kind locks the membership before that session',
  ON_POSTGRES,
  async (t) => {
    const place = await newPlace(t)
    const { app, member, browser, system, user } = place
    const { access_token: token } = await tokensOf(place, await signInAs(place, place.person('ana'), browser))
    const pkce = newPkce()
    const url = authUrl(system as never, pkce.challenge, { prompt: 'login' })
    const page = await browser.follow(await browser.get(url))
    const row = sql`select from memberships where id = ${member.id} for update`
    const free = sql`select sid from sessions where sid = ${String(decodeJwt(token).sid)} for update skip locked`

    const { found, answered } = await withLock(app.db, row, async (waiting) => {
      const step = await browser.submit(page, { email: user.email, password: PASSWORD })
      const answered = browser.follow(step)
      await waiting(1)
      const { rows } = (await app.db.execute(free)) as unknown as { rows: unknown[] }
      return { found: rows.length, answered: [answered] }
    })

    assert.equal(found, 1, 'the sign-in that waits for the membership has not locked the session')
    assert.ok(backOf(await answered[0]!).code)
    assert.deepEqual(
      (await place.living()).map(({ connectionId }) => connectionId),
      [null],
    )
  },
)
