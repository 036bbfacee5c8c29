/** The accounts of all systems, with filters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Listed = { id: string; memberCount: number; adminCount: number; pendingCount: number }

/** A system with an account that has an admin, one without, and a personal account in another system. */
async function newWorld(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const other = await app.newSystem()
  const role = await app.newRole(system.id, { isAdmin: true })
  const users = [await app.newUser(), await app.newUser(), await app.newUser()]
  const [boss, clerk, owner] = users as [{ id: string }, { id: string }, { id: string }]
  const managed = await app.newMembership({ userId: boss.id, systemId: system.id, roles: [role.id] })
  const { accountId } = await app.newMembership({ userId: clerk.id, systemId: system.id })
  await app.newMembership({ userId: owner.id, accountId, status: 'pending', roles: [role.id] })
  const personal = await app.newMembership({ userId: owner.id, systemId: other.id })
  return {
    system,
    other,
    boss,
    managed: managed.accountId,
    unmanaged: accountId,
    personal: personal.accountId,
  }
}

test('the accounts of all systems, by system, kind, name, and without an admin', async (t) => {
  const app = await startTestApp(t)
  const { system, other, managed, unmanaged, personal } = await newWorld(app)
  const service = await app.serviceOf(system as never)
  const list = async (client: typeof service, query: string): Promise<Listed[]> =>
    (await client.get(`/admin/accounts?pageSize=100&${query}`)).body.data
  const ids = async (client: typeof service, query: string) => (await list(client, query)).map(({ id }) => id)
  const known = [managed, unmanaged, personal]
  const ofPlatform = async (query: string) =>
    (await ids(app.platform, query)).filter((id) => known.includes(id))

  assert.deepEqual(await ofPlatform(''), [personal, unmanaged, managed])
  assert.deepEqual(await ids(app.platform, `systemId=${system.id}`), [unmanaged, managed])
  assert.deepEqual(await ids(app.platform, `systemId=${other.id}`), [personal])
  assert.deepEqual(await ofPlatform('kind=personal'), [personal])
  assert.deepEqual(await ofPlatform('kind=organization'), [unmanaged, managed])
  assert.deepEqual(await ofPlatform('withoutAdmin=true'), [unmanaged])
  assert.deepEqual(await ids(app.platform, `systemId=${other.id}&withoutAdmin=true`), [])
  assert.deepEqual(await ids(app.platform, `search=${managed.slice(0, 8)}`), [managed])
  assert.deepEqual(await ids(service, ''), [unmanaged, managed])
  assert.deepEqual(await ids(service, 'withoutAdmin=true'), [unmanaged])
  assert.deepEqual(await ids(service, `systemId=${other.id}`), [])
  const counts = (await list(service, '')).map(({ memberCount, adminCount, pendingCount }) => [
    memberCount,
    adminCount,
    pendingCount,
  ])
  assert.deepEqual(counts, [
    [2, 0, 1],
    [1, 1, 0],
  ])
})

test('a system does not learn by a filter that the platform has disabled a user who has not entered', async (t) => {
  const app = await startTestApp(t)
  const { system, boss, managed, unmanaged } = await newWorld(app)
  const service = await app.serviceOf(system as never)
  const withoutAdmin = async (client: typeof service): Promise<string[]> => {
    const { data } = (await client.get(`/admin/accounts?withoutAdmin=true&systemId=${system.id}`)).body
    return data.map(({ id }: { id: string }) => id)
  }

  await app.platform.patch(`/admin/users/${boss.id}`, { disabled: true })

  assert.deepEqual(await withoutAdmin(service), [unmanaged])
  assert.deepEqual(await withoutAdmin(app.platform), [unmanaged, managed])
  await service.patch(`/admin/users/${boss.id}`, { disabled: true })
  assert.deepEqual(await withoutAdmin(service), [unmanaged, managed])
})
