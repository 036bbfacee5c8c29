/** How much a system may write by the admin API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { limits } from '../../database/schema.ts'

/** Of 16 kB each: more than a process takes from the budget at a time. */
const MANY = 80

test('a system that has written its bytes of the day gets 429 for writes, and can still read', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ allowClientCredentials: true })
  const service = await app.serviceOf(system)
  const path = `/admin/users/${user.id}`
  const write = () => service.patch(path, { metadata: { text: crypto.randomUUID().padEnd(16_000, 'x') } })

  const first = await write()
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${10 * 86_400_000}` })
    .where(sql`${limits.key} like 'writes:%'`)
  const statuses: number[] = []
  let last = first
  for (let count = 0; count < MANY && last.status === 200; count++) {
    last = await write()
    statuses.push(last.status)
  }
  const other = await app.newMember({ allowClientCredentials: true })
  const ofOther = await app.serviceOf(other.system)

  assert.equal(first.status, 200)
  assert.deepEqual([last.status, last.body.code], [429, 'too_many_requests'])
  assert.ok(Number(last.headers.get('retry-after')) > 0)
  assert.ok(statuses.length > 30, `${statuses.length} writes were accepted before`)
  assert.equal((await service.get(path)).status, 200)
  assert.equal((await ofOther.patch(`/admin/users/${other.user.id}`, { metadata: {} })).status, 200)
  assert.equal((await app.platform.patch(path, { name: 'A' })).status, 200)
})
