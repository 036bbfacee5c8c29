/** Filters of the list of memberships by role and profile, and its order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'

test('memberships by role, by profile, and by the last change', async (t) => {
  const { platform, newSystem, newRole, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const [role, other] = [await newRole(system.id), await newRole(system.id)]
  const path = `/admin/systems/${system.id}/profiles`
  const profile = (await platform.post(path, { name: 'nurse' })).body
  const add = async (fields: object): Promise<string> =>
    (await newMembership({ userId: (await newUser()).id, systemId: system.id, ...fields })).id
  const both = await add({ roles: [role.id], profiles: [profile.id] })
  const plain = await add({})
  const second = await add({ roles: [role.id, other.id], status: 'pending' })
  const list = async (query: string): Promise<string[]> => {
    const { body } = await platform.get(`/admin/memberships?systemId=${system.id}&${query}`)
    assert.equal(body.total, body.data.length)
    return body.data.map(({ id }: { id: string }) => id)
  }

  assert.deepEqual(await list(`roleId=${role.id}`), [second, both])
  assert.deepEqual(await list(`roleId=${other.id}`), [second])
  assert.deepEqual(await list(`roleId=${role.id}&status=active`), [both])
  assert.deepEqual(await list(`profileId=${profile.id}`), [both])
  assert.deepEqual(await list(`profileId=${profile.id}&roleId=${other.id}`), [])
  assert.deepEqual(await list('sort=createdAt'), [second, plain, both])
  await platform.patch(`/admin/memberships/${plain}`, { status: 'blocked' })
  assert.deepEqual(await list('sort=updatedAt'), [plain, second, both])
  assert.equal((await platform.get('/admin/memberships?sort=email')).status, 400)
})
