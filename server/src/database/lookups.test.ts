/** Rows that several requests read by their keys in one statement. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordStatements } from '../../test/support/statements.ts'
import { startTestApp } from '../../test/support/testing.ts'
import { RequestTime, withRequestTime } from '../request-time.ts'
import { findArtifact, findArtifactWithMember } from '../resources/artifacts/queries.ts'
import { findMember } from '../resources/sessions/queries.ts'
import { findEnabledUser, findSignIn } from '../resources/sign-ins/queries.ts'
import { eq, inArray } from './drizzle.ts'
import { artifacts, sessions } from './schema.ts'
import { inTransaction } from './transaction.ts'

/** Users of a system, each with a session. 40 need more than one statement. */
async function start(t: Parameters<typeof startTestApp>[0], count: number) {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const signIn = async () => {
    const { id: userId, email } = await app.newUser()
    await app.newMembership({ userId, systemId: system.id })
    const { access_token: token } = await app.signIn(system, { email })
    const [, payload = ''] = token.split('.')
    const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }
    return { userId, token, sid }
  }
  const members = []
  for (let n = 0; n < count; n += 1) members.push(await signIn())
  return { ...app, members }
}

test('each of many concurrent requests gets its own user', async (t) => {
  const { url, members } = await start(t, 40)

  const subjects = await Promise.all(
    [...members, ...members.toReversed()].map(async ({ token }) => {
      const answer = await fetch(`${url}/me`, { headers: { authorization: `Bearer ${token}` } })
      return ((await answer.json()) as { sub: string }).sub
    }),
  )

  const ids = members.map(({ userId }) => userId)
  assert.deepEqual(subjects, [...ids, ...ids.toReversed()])
})

test('lookups of one turn of the event loop take one statement per 16 keys', async (t) => {
  const { db, url, members } = await start(t, 40)
  const statements = recordStatements(db)
  await fetch(`${url}/health`) // the statements of the lookups are recorded as those of this request
  const before = statements().length
  const keys = ['unknown', ...members.map(({ sid }) => sid)]

  const found = await Promise.all(keys.map((sid) => findMember(db, sid)))

  assert.deepEqual(
    found.map((member) => member?.user.id),
    [undefined, ...members.map(({ userId }) => userId)],
  )
  assert.equal(statements().length - before, Math.ceil(keys.length / 16))
})

/** A row, and none. */
const BOTH = new Set(['object', 'undefined'])

/** The row without what depends on the time of the statement. */
const timeless = (found: unknown) =>
  JSON.parse(JSON.stringify(found ?? null, (name, value) => (/^(readAt|usedFor)$/.test(name) ? 0 : value)))

test('each lookup finds among others what it finds alone', async (t) => {
  const { db, newSystem, newUser, newMembership, signIn } = await startTestApp(t)
  const systems = [await newSystem({ skipConsent: true }), await newSystem({ multiAccount: true })]
  const users = [await newUser(), await newUser(), await newUser()]
  const members: [number, number][] = [
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 1],
  ]
  for (const [user, system] of members)
    await newMembership({ userId: users[user]!.id, systemId: systems[system]!.id })
  for (const [user] of members.slice(0, 2)) await signIn(systems[0]!, { email: users[user]!.email })
  const ids = users.map(({ id }) => id)
  const opened = await db.select({ sid: sessions.sid }).from(sessions).where(inArray(sessions.userId, ids))
  const sids = opened.map(({ sid }) => sid)
  const stored = await db
    .select({ model: artifacts.model, hash: artifacts.idHash })
    .from(artifacts)
    .where(inArray(artifacts.userId, ids))
  const userIds = [users[0]!.id, crypto.randomUUID(), users[1]!.id, users[2]!.id, users[1]!.id]
  const systemIds = [systems[0]!.id, systems[1]!.id, crypto.randomUUID()]
  const pairs = userIds.flatMap((userId) => systemIds.map((systemId) => ({ userId, systemId })))
  const unknown = { model: 'Session', hash: Buffer.from('unknown') }
  const lookups: (() => Promise<object | undefined>)[][] = [
    ['unknown', ...sids, sids[0]!].map((sid) => () => findMember(db, sid)),
    [unknown, ...stored].map(
      ({ model, hash }) =>
        () =>
          findArtifact(db, model, hash),
    ),
    [unknown, ...stored].map(
      ({ model, hash }) =>
        () =>
          findArtifactWithMember(db, model, hash),
    ),
    [...pairs, { userId: userIds[0]!, systemId: null }].map(
      ({ userId, systemId }) =>
        () =>
          findEnabledUser(db, userId, systemId),
    ),
    pairs.map(
      (pair, nth) => () =>
        findSignIn(db, { ...pair, sid: nth % 2 ? undefined : sids[0], accountId: undefined }),
    ),
  ]

  for (const asked of lookups)
    for (const some of [asked, asked.slice(0, 3)]) {
      const alone = []
      for (const look of some) alone.push(await look())

      const together = await Promise.all(some.map((look) => look()))

      assert.deepEqual(together.map(timeless), alone.map(timeless))
      if (some === asked) assert.deepEqual(new Set(alone.map((found) => typeof found)), BOTH)
    }
})

test('two lookups of one key give two objects', async (t) => {
  const { db, members } = await start(t, 1)

  const [one, other] = await Promise.all([findMember(db, members[0]!.sid), findMember(db, members[0]!.sid)])

  assert.deepEqual(one, other)
  assert.notEqual(one, other)
  assert.notEqual(one?.grant, other?.grant)
})

test('a value that the database refuses fails only its own lookup', async (t) => {
  const { db, members } = await start(t, 2)
  const [one, other] = members

  const results = await Promise.allSettled([one!.sid, 'a\0b', other!.sid].map((sid) => findMember(db, sid)))

  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value?.user.id : 'refused')),
    [one!.userId, 'refused', other!.userId],
  )
})

test('a statement for several requests is not limited by the time of one of them', async (t) => {
  const { db, members } = await start(t, 2)
  class UsedUpMeanwhile extends RequestTime {
    #reads = 0
    override get left() {
      return this.#reads++ === 0 ? super.left : 0
    }
  }

  const found = await Promise.all(
    [new UsedUpMeanwhile(), new RequestTime()].map((time, nth) =>
      withRequestTime(time, () => findMember(db, members[nth]!.sid)),
    ),
  )

  assert.deepEqual(
    found.map((member) => member?.user.id),
    members.map(({ userId }) => userId),
  )
})

test('a lookup in a transaction reads the rows that the transaction has written', async (t) => {
  const { db, members } = await start(t, 2)
  const { sid } = members[0]!

  const read = await inTransaction(db, async (tx) => {
    await tx.update(sessions).set({ acr: 'changed' }).where(eq(sessions.sid, sid))
    return findMember(tx, sid)
  })

  assert.equal(read?.acr, 'changed')
})
