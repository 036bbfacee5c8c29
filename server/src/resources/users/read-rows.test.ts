/** Lists by values of other tables: how many rows they read, and that they have each match once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertInParts } from '../../../test/support/many-rows.ts'
import { rowsRead } from '../../../test/support/read-rows.ts'
import { type AdminClient, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { users } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Users of the system who match nothing. */
const MANY = 3_000
/** Users of no system who have each rare value. */
const OTHERS = 300

/** A system with one user who differs from the many by the name, the role and all that is filtered by. */
async function newCrowd(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const role = await app.newRole(system.id)
  const word = `Q${crypto.randomUUID().slice(0, 8)}`
  const rare = await app.newUser({ name: `Rare ${word}`, password: undefined })
  const { accountId } = await app.newMembership({ userId: rare.id, systemId: system.id, roles: [role.id] })
  await app.db.execute(sql`update system_users set entered_at = now() where user_id = ${rare.id}`)
  await app.db.update(users).set({ disabled: true }).where(eq(users.id, rare.id))
  await insertInParts(app.db, MANY, (from, to) =>
    app.db.execute(sql`with new_users as (
        insert into users (email, name, email_verified, has_password)
        select 'mass' || n || '-' || ${system.id}::text || '@example.test',
          case when n % 20 = 0 then 'Needle' else 'Common' end, true, true
        from generate_series(${from}::int, ${to}::int) n returning id, email),
      of_system as (insert into system_users (user_id, email, system_id, entered_at)
        select id, email, ${system.id}::uuid, now() from new_users)
      insert into memberships (user_id, email, system_id, account_id, status, exclusive, added_by)
      select id, email, ${system.id}::uuid, ${accountId}::uuid, 'active', false, 'platform' from new_users`),
  )
  // The few other tests in this database (server/test/parts.ts) leave users who have the rare values.
  await app.db.execute(sql`update users set email_verified = true, has_password = true, disabled = false
    where (not email_verified or not has_password or disabled) and id <> ${rare.id}::uuid`)
  await app.db.execute(sql`insert into users (email, disabled, email_verified, has_password)
    select 'other' || n || '-' || ${system.id}::text || '@example.test', true, false, false from generate_series(1, ${OTHERS}::int) n`)
  await app.db.execute(sql`vacuum (analyze) users, system_users, memberships, membership_roles`)
  return { system, role, word, rare, service: await app.serviceOf(system) }
}

const skip = !process.env.DATABASE_URL

test('a rare name or role is found without reading the other users of the system', { skip }, async (t) => {
  const app = await startTestApp(t)
  const { platform } = app
  const { system, role, word, rare, service } = await newCrowd(app)
  const ofSystem = `systemId=${system.id}`
  const lists: [AdminClient, string][] = [
    [service, `/admin/users?query=${word}`],
    [service, `/admin/memberships?query=${word}`],
    [platform, `/admin/users?${ofSystem}&query=${word}`],
    [platform, `/admin/memberships?${ofSystem}&query=${word}`],
    [service, `/admin/memberships?roleId=${role.id}`],
    [platform, `/admin/memberships?${ofSystem}&roleId=${role.id}`],
  ]

  for (const [client, path] of lists) {
    const found: { id: string; userId?: string }[] = []
    const read = await rowsRead(async () => {
      found.push(...(await client.get(path)).body.data)
    })

    assert.deepEqual(
      found.map(({ id, userId }) => userId ?? id),
      [rare.id],
      path,
    )
    // 1,001 rows are counted, and the first 100 are a sample.
    assert.ok(read < MANY / 2, `${path} reads ${read} rows`)
    t.diagnostic(`${path}: ${read}`)
  }
})

test('a frequent value of the user is not looked up in each user', { skip }, async (t) => {
  const app = await startTestApp(t)
  const { system, service } = await newCrowd(app)
  const ofSystem = `systemId=${system.id}`

  for (const [client, filters] of [
    [service, 'emailVerified=true'],
    [service, 'disabled=false'],
    [app.platform, `${ofSystem}&emailVerified=true`],
    [app.platform, `${ofSystem}&disabled=false`],
    [app.platform, `${ofSystem}&hasPassword=true`],
    [app.platform, `${ofSystem}&mfa=false`],
  ] as const) {
    let total = 0
    const read = await rowsRead(async () => {
      total = (await client.get(`/admin/users?${filters}`)).body.total
    }, 'users')

    assert.ok(total >= MANY, `${filters}: ${total}`)
    assert.ok(read < MANY / 2, `${filters} reads ${read} users`)
    t.diagnostic(`${filters}: ${read}`)
  }
})

test('matches that an index of another table finds are complete in both orders, by number and by cursor', async (t) => {
  const app = await startTestApp(t)
  const { service } = await newCrowd(app)
  const read = async (list: string, given: string, next: 'page' | 'cursor') => {
    const ids: string[] = []
    for (let place = ''; ; ) {
      const { body } = await service.get(`/admin/${list}?query=needle&pageSize=40${given}${place}`)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      assert.equal(body.total, MANY / 20, `${list} ${given} ${place}`)
      if (!body.nextCursor) return ids
      place = next === 'page' ? `&page=${body.page + 1}` : `&cursor=${body.nextCursor}`
    }
  }

  for (const list of ['users', 'memberships']) {
    const newest = await read(list, '', 'page')

    assert.equal(new Set(newest).size, MANY / 20)
    assert.deepEqual(await read(list, '', 'cursor'), newest)
    for (const next of ['page', 'cursor'] as const)
      assert.deepEqual((await read(list, '&order=createdAt', next)).reverse(), newest)
  }
})
