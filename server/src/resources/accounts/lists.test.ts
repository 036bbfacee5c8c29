/** The accounts of all systems, with filters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { systemUsers } from '../../database/schema.ts'

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

test('a search of accounts finds the name and, for those who read it, the external id', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const boss = await app.newUser()
  const place = { userId: boss.id, systemId: system.id, roles: [role.id] }
  const { accountId } = await app.newMembership(place)
  const externalId = `crm:${crypto.randomUUID()}`
  await app.platform.patch(`/admin/accounts/${accountId}`, { externalId, name: 'Acme' })
  const service = await app.serviceOf(system as never)
  const admin = app.as((await app.signIn(system as never, { email: boss.email })).access_token)
  const found = async (client: typeof admin, path: string) =>
    (await client.get(path)).body.data.map(({ id }: { id: string }) => id)
  const part = externalId.slice(4, 20).toUpperCase()

  for (const client of [app.platform, service]) {
    assert.deepEqual(await found(client, `/admin/accounts?search=${part}`), [accountId])
    assert.deepEqual(await found(client, `/admin/systems/${system.id}/accounts?search=${part}`), [accountId])
    assert.deepEqual(await found(client, `/admin/search?q=${part}`), [accountId])
  }
  assert.deepEqual(await found(admin, `/admin/systems/${system.id}/accounts?search=${part}`), [])
  assert.deepEqual(await found(admin, `/admin/systems/${system.id}/accounts?search=ACM`), [accountId])
  assert.deepEqual(await found(admin, `/admin/search?q=${part}`), [])
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

/** An admin of two accounts and another member, who may have entered the system. */
async function newMembers(app: App, entered: boolean[]) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const roles = [await app.newRole(system.id, { isAdmin: true }), await app.newRole(system.id)].map(
    ({ id }) => id,
  )
  const users: string[] = []
  const members: string[] = []
  const accounts: string[] = []
  for (const isEntered of entered) {
    const { id: userId } = await app.newUser({ password: undefined })
    users.push(userId)
    for (const at of [0, 1]) {
      const place = accounts[at] === undefined ? { systemId: system.id } : { accountId: accounts[at] }
      const made = await app.newMembership({ userId, ...place, roles: [roles[users.length - 1]] })
      accounts[at] ??= made.accountId
      members.push(made.id)
    }
    const row = app.db.update(systemUsers).set({ enteredAt: sql`now()` })
    if (isEntered) await row.where(eq(systemUsers.userId, userId))
  }
  return { system, service: await app.serviceOf(system as never), roles, users, members }
}

/** The roles of all memberships have what they repeat of the membership and of the role. */
async function assertRepeated({ db }: App): Promise<void> {
  const { rows } = (await db.execute(sql`select mr.* from membership_roles mr
    join memberships m on m.id = mr.membership_id join roles r on r.id = mr.role_id
    where (mr.account_id, mr.user_id, mr.active, mr.is_admin)
      <> (m.account_id, m.user_id, m.status = 'active', r.is_admin)`)) as { rows: object[] }
  assert.deepEqual(rows, [])
}

async function assertListed(client: App['platform'], systemId: string): Promise<void> {
  const list = async (filter: string): Promise<Listed[]> =>
    (await client.get(`/admin/accounts?systemId=${systemId}${filter}`)).body.data
  const none = (await list('')).filter(({ adminCount }) => adminCount === 0)
  const listed = await list('&withoutAdmin=true')
  assert.deepEqual(
    listed.map(({ id }) => id),
    none.map(({ id }) => id),
  )
}

const nth = fc.nat({ max: 3 })
const change = fc.oneof(
  fc.record({ do: fc.constant('status' as const), nth, to: fc.constantFrom('active', 'blocked') }),
  fc.record({ do: fc.constant('user' as const), nth, disabled: fc.boolean(), bySystem: fc.boolean() }),
  fc.record({ do: fc.constant('roles' as const), nth, to: fc.subarray([0, 1]) }),
  fc.record({ do: fc.constant('remove' as const), nth }),
  fc.record({ do: fc.constant('role' as const), nth, isAdmin: fc.boolean() }),
  fc.record({ do: fc.constant('user' as const), nth, disabled: fc.boolean(), bySystem: fc.boolean() }),
)

test('the accounts without an admin are those that have 0 admins, after changes at the same time', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (entered, changes) => {
        const { system, service, roles, users, members } = await newMembers(app, entered)
        const answers = await Promise.all(
          changes.map((each) => {
            const member = `/admin/memberships/${members[each.nth]}`
            if (each.do === 'status') return platform.patch(member, { status: each.to })
            if (each.do === 'roles')
              return platform.patch(`${member}/roles`, { roles: each.to.map((at) => roles[at]) })
            if (each.do === 'remove') return platform.delete(member)
            const { disabled } = each as { disabled?: boolean }
            if (each.do === 'user')
              return (each.bySystem ? service : platform).patch(`/admin/users/${users[each.nth % 2]}`, {
                disabled,
              })
            const role = `/admin/systems/${system.id}/roles/${roles[each.nth % 2]}`
            return platform.patch(role, { isAdmin: each.isAdmin })
          }),
        )
        assert.ok(answers.every(({ status }) => status < 500))

        await assertRepeated(app)
        for (const client of [undefined, platform, service]) {
          await client?.patch(`/admin/users/${users[0]}`, { disabled: true })
          await assertListed(platform, system.id)
          await assertListed(service, system.id)
        }
      },
    ),
    { numRuns: 12 },
  )
})
