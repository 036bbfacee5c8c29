/** The parameter `query`: rows are found by the address and the name that their reader reads in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { insertInParts } from '../../../test/support/many-rows.ts'
import { type AdminClient, startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Shown = { id: string; email: string; name: string | null }
type Row = Partial<Shown> & { id: string; user?: Shown }
type Person = { name: string | null; stated: string | null | undefined; entered: boolean; moved: boolean }

const shownOf = ({ user, id, email, name }: Row) =>
  [user?.email ?? email, user ? user.name : name, id] as const

async function newWorld(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, skipConsent: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const boss = await app.newUser({ name: 'Boss' })
  const place = { userId: boss.id, systemId: system.id, roles: [role.id] }
  const { accountId } = await app.newMembership(place)
  const service = await app.serviceOf(system as never)
  const admin = app.as((await app.signIn(system as never, { email: boss.email })).access_token)
  return { app, system, accountId, service, admin, boss }
}
type World = Awaited<ReturnType<typeof newWorld>>

/** A member with the names and addresses of a person. All of these are secrets to somebody. */
async function newPerson({ app, service, accountId }: World, { name, stated, entered, moved }: Person) {
  const user = await app.newUser({ name, emailVerified: true, password: undefined })
  await app.newMembership({ userId: user.id, accountId })
  if (stated !== undefined) await service.patch(`/admin/users/${user.id}`, { name: stated })
  if (entered)
    await app.db.execute(sql`update system_users set entered_at = now() where user_id = ${user.id}`)
  const later = `${crypto.randomUUID()}@moved.test`
  if (moved) await app.platform.patch(`/admin/users/${user.id}`, { email: later })
  return {
    id: user.id,
    secrets: [name, stated, user.email, later].filter((each) => each != null) as string[],
  }
}

const word = fc.constantFrom('Ana Souza', 'ÉMILE Dü', '\u5c71\u7530', 'o%_\\', 'Zoe', 'anna')
const person = fc.record<Person>({
  name: fc.option(word),
  stated: fc.oneof(fc.constant(undefined), fc.option(word)),
  entered: fc.boolean(),
  moved: fc.boolean(),
})

test('no caller finds a row by a value that it does not read in the row, and each by what it reads', async (t) => {
  const app = await startTestApp(t)
  await fc.assert(
    fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 4 }), async (people) => {
      const world = await newWorld(app)
      const { system, accountId, boss, service, admin } = world
      const made = []
      for (const each of people) made.push(await newPerson(world, each))
      const ids = [boss.id, ...made.map(({ id }) => id)].join()
      const secrets = new Set(made.flatMap((each) => each.secrets))
      const parts = [...secrets].flatMap((each) => [each, each.slice(0, 2), each.slice(1, 5).toUpperCase()])
      const lists: [AdminClient, string][] = [
        [app.platform, `/admin/users?ids=${ids}`],
        [app.platform, `/admin/users?ids=${ids}&sort=lastLoginAt`],
        [app.platform, `/admin/users?systemId=${system.id}`],
        [app.platform, `/admin/memberships?systemId=${system.id}`],
        [service, '/admin/users?pageSize=50'],
        [service, '/admin/memberships?sort=updatedAt'],
        [service, `/admin/accounts/${accountId}/members?page=1`],
        [admin, '/admin/memberships?page=1'],
        [admin, `/admin/accounts/${accountId}/members?page=1`],
      ]
      for (const [client, path] of lists) {
        const rows: Row[] = (await client.get(path)).body.data
        assert.equal(rows.length, people.length + 1)
        for (const part of parts) {
          const { status, body } = await client.get(`${path}&query=${encodeURIComponent(part)}`)
          const expected = rows.filter((row) => {
            const [email, name] = shownOf(row)
            return [email, name].some((each) => each?.toLowerCase().includes(part.toLowerCase()))
          })
          const found = body.data.map(({ id }: Row) => id)
          assert.deepEqual(
            [status, found.sort()],
            [200, expected.map(({ id }) => id).sort()],
            `${path} ${part}`,
          )
          assert.equal(body.total, expected.length)
        }
      }
    }),
    { numRuns: 4 },
  )
})

test('with `search`, both must match: the address one, the address or the name the other', async (t) => {
  const world = await newWorld(await startTestApp(t))
  const { app, service } = world
  const [ana, bob] = [
    await newPerson(world, { name: 'Ana', stated: 'Carla', entered: true, moved: false }),
    await newPerson(world, { name: 'Bob', stated: 'Carla', entered: true, moved: false }),
  ]
  const address = async (id: string) => (await app.platform.get(`/admin/users/${id}`)).body.email
  const found = async (search: string) => {
    const { body } = await service.get(`/admin/users?query=carla&search=${encodeURIComponent(search)}`)
    return body.data.map(({ id }: Row) => id)
  }

  assert.deepEqual(await found('@'), [bob.id, ana.id])
  assert.deepEqual(await found(await address(ana.id)), [ana.id])
  assert.deepEqual(await found('carla'), [])
})

test('a complete address in `query` finds no user of another system', async (t) => {
  const { app, service } = await newWorld(await startTestApp(t))
  const stranger = await app.newUser({ name: 'Stranger' })

  const [named, searched] = [
    await service.get(`/admin/users?query=${stranger.email}`),
    await service.get(`/admin/users?search=${stranger.email}`),
  ]

  assert.deepEqual([named.body.total, searched.body.total], [0, 1])
})

test('rare names behind 10,001 newer rows are found by their indexes, by what the row shows only', async (t) => {
  const world = await newWorld(await startTestApp(t))
  const { app, system, service, accountId } = world
  const people: Record<string, Person> = {
    stated: { name: 'Wilhelmina', stated: 'Xanthippe', entered: true, moved: false },
    own: { name: 'Yolanda Q', stated: undefined, entered: true, moved: false },
    stranger: { name: 'Zenobia', stated: undefined, entered: false, moved: false },
    nameless: { name: 'Ulrike', stated: null, entered: true, moved: false },
    short: { name: '\u5c71\u7530', stated: undefined, entered: true, moved: false },
  }
  const made = new Map<string, string>()
  for (const [key, each] of Object.entries(people)) made.set((await newPerson(world, each)).id, key)
  await insertInParts(app.db, 10_002, (from, to) =>
    app.db.execute(sql`with new_users as (
        insert into users (email) select 'mass' || n || '-' || ${system.id}::text || '@example.test'
        from generate_series(${from}::int, ${to}::int) n returning id, email),
      of_system as (insert into system_users (user_id, email, system_id) select id, email, ${system.id}::uuid from new_users)
      insert into memberships (user_id, email, system_id, account_id, status, exclusive, added_by)
      select id, email, ${system.id}::uuid, ${accountId}::uuid, 'active', false, 'platform' from new_users`),
  )
  const found = async (client: AdminClient, path: string, query: string) => {
    const { body } = await client.get(`${path}query=${encodeURIComponent(query)}`)
    return body.data.flatMap((row: Row & { userId?: string }) => made.get(row.userId ?? row.id) ?? [])
  }
  const ofSystem: [AdminClient, string][] = [
    [service, '/admin/users?'],
    [service, '/admin/memberships?'],
    [app.platform, `/admin/memberships?systemId=${system.id}&`],
    [app.platform, `/admin/accounts/${accountId}/members?`],
  ]
  const byPlatform = ['/admin/users?', `/admin/users?systemId=${system.id}&`]

  for (const [client, path] of ofSystem) {
    assert.deepEqual(await found(client, path, 'XANTHIPPE'), ['stated'], path)
    assert.deepEqual(await found(client, path, 'landa q'), ['own'], path)
    assert.deepEqual(await found(client, path, '\u5c71'), ['short'], path)
    for (const hidden of ['wilhelmina', 'zenobia', 'ulrike'])
      assert.deepEqual(await found(client, path, hidden), [], `${path} ${hidden}`)
  }
  for (const path of byPlatform) {
    for (const [name, key] of [
      ['wilhelmina', 'stated'],
      ['landa q', 'own'],
      ['zenobia', 'stranger'],
      ['ulrike', 'nameless'],
      ['\u5c71\u7530', 'short'],
    ] as const)
      assert.ok((await found(app.platform, path, name)).includes(key), `${path} ${name}`)
    assert.deepEqual(await found(app.platform, path, 'xanthippe'), [], path)
  }
})
