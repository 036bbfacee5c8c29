/**
 * Sign-ins that lose against a concurrent change: they are refused and store nothing. A lock of the test
 * decides the order of the requests, which PGlite cannot: it has one connection.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ON_POSTGRES, withLock } from '../../test/support/locks.ts'
import {
  type Answer,
  authUrl,
  codeFields,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { sessions } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A sign-in after the password step. */
async function authenticated(app: App, fields: object = {}) {
  const member = await app.newMember({ skipConsent: true, ...fields })
  const [visitor, pkce] = [app.newBrowser(), newPkce()]
  const page = await visitor.follow(await visitor.get(authUrl(member.system, pkce.challenge)))
  const login = await visitor.submit(page, { email: member.user.email, password: PASSWORD })
  return { ...member, visitor, pkce, location: login.headers.get('location')! }
}

type Submission = {
  visitor: ReturnType<App['newBrowser']>
  page: Answer
  user: { id: string; email: string }
}

/** Submits the password while all sessions of the user are ended: the password is verified first. */
async function submitWhileEnded(app: App, { visitor, page, user }: Submission): Promise<Answer> {
  const submitting = await withLock(
    app.db,
    sql`select from users where id = ${user.id} for update`,
    async (waiting) => {
      const answer = visitor.submit(page, { email: user.email, password: PASSWORD })
      await waiting(1)
      await app.platform.delete(`/admin/sessions/by-user/${user.id}`)
      return { answer }
    },
  )
  return visitor.follow(await submitting.answer)
}

const sessionsOf = async ({ platform }: App, userId: string) =>
  (await platform.get(`/admin/sessions?userId=${userId}`)).body.data.length
const openedBy = async (app: App, actorId: string) =>
  (await app.audited({ action: 'session.opened', actorId })).length

test('P04: of concurrent resumes of one sign-in one gets a code, and only it opens a session', async (t) => {
  const app = await startTestApp(t)
  const { system, user, visitor, pkce, location } = await authenticated(app)

  const resumed = await Promise.all(Array.from({ length: 4 }, () => visitor.get(location)))

  const codes = resumed.flatMap(({ headers }) => headers.get('location')?.match(/.*[?&]code=.*/) ?? [])
  assert.equal(codes.length, 1, 'the others are refused, or lead to the page of a finished sign-in')
  const [to] = codes
  const back = Object.fromEntries(new URL(to!).searchParams)
  const tokens = await app.token(system, codeFields(system, { back, pkce }))
  assert.equal(tokens.status, 200)
  assert.deepEqual([await sessionsOf(app, user.id), await openedBy(app, user.id)], [1, 1])
})

test('P04: a sign-in whose user is signed out before its end stores nothing', ON_POSTGRES, async (t) => {
  const app = await startTestApp(t)
  const { user, membership, visitor, location } = await authenticated(app)

  const resumed = await withLock(
    app.db,
    sql`select from memberships where id = ${membership.id} for update`,
    async (waiting) => {
      const resuming = visitor.get(location)
      await waiting(1)
      const ended = await app.platform.delete(`/admin/sessions/by-user/${user.id}`)
      assert.equal(ended.status, 200)
      return { resuming }
    },
  ).then(({ resuming }) => resuming)

  assert.equal(resumed.status, 400)
  assert.match(String(resumed.body), /expired/)
  assert.deepEqual([await sessionsOf(app, user.id), await openedBy(app, user.id)], [0, 0])
})

test('a password step whose sign-in was ended meanwhile stores nothing', ON_POSTGRES, async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const again = authUrl(system, newPkce().challenge, { prompt: 'login' })
  const page = await visitor.follow(await visitor.get(again))
  const lastLogin = async () => (await app.platform.get(`/admin/users/${user.id}`)).body.lastLoginAt
  const before = await lastLogin()

  const answer = await submitWhileEnded(app, { visitor, page, user })

  assert.equal(answer.status, 404)
  assert.ok(before)
  assert.equal(await lastLogin(), before)
  assert.equal((await app.audited({ action: 'user.login', actorId: user.id })).length, 1)
})

test('a sign-in from a new device that was ended meanwhile sends no email', ON_POSTGRES, async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const again = authUrl(system, newPkce().challenge, { prompt: 'login' })
  const page = await visitor.follow(await visitor.get(again))
  for (const cookie of visitor.jar.keys()) if (cookie.includes('known')) visitor.jar.delete(cookie)
  await app.db.update(sessions).set({ userAgent: 'elsewhere' }).where(eq(sessions.userId, user.id))

  const answer = await submitWhileEnded(app, { visitor, page, user })
  const kinds = async () => (await app.emailsTo(user.email)).map(({ kind }) => kind)
  const refused = await kinds()
  await app.signIn(system, { email: user.email })

  assert.equal(answer.status, 404)
  assert.deepEqual(refused, [])
  assert.deepEqual(await kinds(), ['new_device'])
})

test('a password step waits for another change of the user, and keeps it', ON_POSTGRES, async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const visitor = app.newBrowser()
  const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))

  const answer = await withLock(
    app.db,
    sql`update users set name = 'Ada' where id = ${user.id}`,
    async (waiting) => {
      const submitting = visitor.submit(page, { email: user.email, password: PASSWORD })
      await waiting(1)
      return { submitting }
    },
  ).then(({ submitting }) => submitting)

  const { name, lastLoginAt } = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.equal(answer.status, 303)
  assert.deepEqual([name, typeof lastLoginAt], ['Ada', 'string'])
})

for (const parameters of [{}, { response_mode: 'fragment' }]) {
  const where = parameters.response_mode ?? 'query'
  test(
    `a membership removed during a sign-in gives the message and access_denied (${where})`,
    ON_POSTGRES,
    async (t) => {
      const app = await startTestApp(t)
      const { system, user } = await app.newMember({ skipConsent: true })
      const other = await app.newSystem({ skipConsent: true })
      const membership = await app.newMembership({ userId: user.id, systemId: other.id })
      const { visitor } = await app.signIn(system, { email: user.email })

      const { removing, asking } = await withLock(
        app.db,
        sql`select from memberships where id = ${membership.id} for update`,
        async (waiting) => {
          const removing = app.platform.delete(`/admin/memberships/${membership.id}`)
          await waiting(1)
          const asking = visitor.get(authUrl(other, newPkce().challenge, parameters))
          await waiting(2)
          return { removing, asking }
        },
      )
      const removed = await removing
      const message = await visitor.follow(await asking)
      const back = new URL((await visitor.follow(await visitor.submit(message))).headers.get('location')!)

      const answer = new URLSearchParams(parameters.response_mode ? back.hash.slice(1) : back.search)
      assert.equal(removed.status, 204)
      assert.equal(back.origin, new URL(other.redirectUris[0]).origin)
      assert.deepEqual([answer.get('error'), answer.get('state')], ['access_denied', 'the-state'])
      assert.equal(await openedBy(app, user.id), 1)
    },
  )
}
