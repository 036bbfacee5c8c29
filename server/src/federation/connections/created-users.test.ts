/** The users whom the connections of an organization create, and who have nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../../test/support/http.ts'
import { insertInParts } from '../../../test/support/many-rows.ts'
import { signInAs, startConnection } from '../../../test/support/sso-sign-in.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { systemUsers } from '../../database/schema.ts'

test('P53: the connections of an account leave at most 100,000 users behind who have nothing else', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, accountId, system, person, name } = place
  await insertInParts(app.db, 100_000, (from, to) =>
    app.db.execute(sql`
      with made as (insert into users (email) select n || '@' || ${name}::text
        from generate_series(${from}::int, ${to}::int) n returning id, email)
      insert into system_users (user_id, system_id, email, created_by_account)
      select id, ${system.id}::uuid, email, ${accountId}::uuid from made`),
  )
  const codeFor = async (sub: string) => (await signInAs(place, person(sub))).back.code !== undefined
  const isUser = async (sub: string) =>
    (await app.platform.get(`/admin/users?email=${sub}@${name}`)).body.total === 1

  const before = [await codeFor('new'), await isUser('new')]
  const known = await codeFor('1')
  const after = await codeFor('new')
  const { body } = await app.platform.get(`/admin/memberships?accountId=${accountId}&pageSize=100`)
  const added = body.data.find(({ user }: { user: { email: string } }) => user.email === `new@${name}`)
  expectStatus(await place.admin.delete(`/admin/memberships/${added.id}`), 204)
  const full = await codeFor('another')

  assert.deepEqual(before, [false, false])
  assert.deepEqual([known, after], [true, true], 'a member is not counted')
  assert.equal(full, false, 'who was removed is')
  const own = await app.db.select().from(systemUsers).where(eq(systemUsers.userId, added.user.id))
  assert.equal(own[0]?.createdByAccount, accountId)
})
