/** Rows that several requests read by their keys in one statement. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordStatements } from '../../test/support/statements.ts'
import { startTestApp } from '../../test/support/testing.ts'
import { RequestTime, withRequestTime } from '../request-time.ts'
import { findMember } from '../resources/sessions/queries.ts'
import { eq } from '../tuning/drizzle.ts'
import { sessions } from './schema.ts'
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

test('concurrent requests of many users get each their own user', async (t) => {
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

test('lookups of one turn of the event loop take a statement for each 16 keys', async (t) => {
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
