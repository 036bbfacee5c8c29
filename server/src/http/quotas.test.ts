/** Limits on how much a system can create. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { insertInParts } from '../../test/support/many-rows.ts'
import { type Answer, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { quotaText } from './quotas.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))
const reached = (quota: string, { status, body }: Answer) =>
  status === 409 && body.code === 'limit_reached' && String(body.detail).startsWith(`${quota}: `)
/** How many were created; the others must have reached the limit. */
function createdOf(answers: Answer[], quota: string): number {
  const created = answers.filter(({ status }) => status < 300).length
  assert.equal(answers.filter((answer) => reached(quota, answer)).length, answers.length - created)
  return created
}

test('P53: a system has at most 500 roles, 500 profiles and 20 webhooks, also with concurrent requests', async (t) => {
  const { db, platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const path = `/admin/systems/${id}`
  await db.execute(
    sql`insert into roles (system_id, name) select ${id}::uuid, 'r' || n from generate_series(1, 495) n`,
  )
  await db.execute(
    sql`insert into profiles (system_id, name) select ${id}::uuid, 'p' || n from generate_series(1, 495) n`,
  )

  const roles = await times(10, (n) => platform.post(`${path}/roles`, { name: `role ${n}` }))
  const profiles = await times(10, (n) => platform.post(`${path}/profiles`, { name: `profile ${n}` }))
  const webhooks = await times(25, (n) =>
    platform.post(`${path}/webhooks`, { url: `https://a.example/${n}` }),
  )

  assert.equal(createdOf(roles, 'rolesOfSystem'), 5)
  assert.equal(createdOf(profiles, 'profilesOfSystem'), 5)
  assert.equal(createdOf(webhooks, 'webhooksOfSystem'), 20)
  const [one] = (await platform.get(`${path}/roles`)).body
  await platform.delete(`${path}/roles/${one.id}`)
  assert.equal((await platform.post(`${path}/roles`, { name: 'again' })).status, 201)
})

const scopesOf = (n: number, count = 200, length = 5) =>
  Array.from({ length: count }, (_, k) => `${n}:${k}:`.padEnd(length, 'x'))

/** A member of a system that has roles with these scopes. */
async function newMemberWith(app: App, scopes: string[][]) {
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  // One by one: each creation locks the row of the system, and a lock is awaited for two seconds.
  const roles = []
  for (const each of scopes) roles.push(await app.newRole(system.id, { scopes: each }))
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const path = `/admin/memberships/${membership.id}/roles`
  return { system, user, membership, path, ids: roles.map(({ id }) => id) }
}

test('P53: 600 roles with 200 scopes cannot be put into one membership, at once or one by one', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership, path, ids } = await newMemberWith(
    app,
    Array.from({ length: 60 }, (_, n) => scopesOf(n)),
  )

  const atOnce = await app.platform.patch(path, { roles: ids })
  const few = await app.platform.patch(path, { roles: ids.slice(0, 3) })
  const fresh = await app.platform.post('/admin/memberships', {
    userId: user.id,
    systemId: system.id,
    roles: ids.slice(0, 3),
  })
  const oneByOne = await times(10, (n) => app.platform.patch(path, { add: [ids[n]] }))

  assert.ok(reached('rolesOfMembership', atOnce), JSON.stringify(atOnce.body))
  assert.ok(reached('scopesOfToken', few), JSON.stringify(few.body))
  assert.ok(reached('scopesOfToken', fresh), JSON.stringify(fresh.body))
  assert.equal(createdOf(oneByOne, 'scopesOfToken'), 2)
  const tokens = await app.signIn(system, { email: user.email, account: membership.accountId })
  assert.equal((decodeJwt(tokens.access_token).permissions as string[]).length, 400)
})

test('P53: the scopes of a token have at most 8 kB, and a token of the largest size is accepted', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership, path, ids } = await newMemberWith(app, [
    scopesOf(1, 77, 97),
    scopesOf(2, 10, 97),
  ])

  const largest = await app.platform.patch(path, { roles: ids.slice(0, 1) })
  const larger = await app.platform.patch(path, { add: ids.slice(1) })

  assert.equal(largest.status, 200)
  assert.ok(reached('scopeBytesOfToken', larger), JSON.stringify(larger.body))
  const tokens = await app.signIn(system, { email: user.email, account: membership.accountId })
  assert.equal((await app.me(tokens.access_token)).body.permissions.length, 77)
})

test('P53: a role of a member cannot grow beyond the limit of its tokens, whatever changes at the same time', async (t) => {
  const app = await startTestApp(t)
  const { system, path, ids } = await newMemberWith(app, [scopesOf(1), scopesOf(2), [], [], scopesOf(5)])
  const growTo = (n: number) =>
    app.platform.patch(`/admin/systems/${system.id}/roles/${ids[n]}`, { scopes: scopesOf(n + 10, 100) })
  await app.platform.patch(path, { roles: ids.slice(0, 4) })

  const grown = await Promise.all([growTo(2), growTo(3), app.platform.patch(path, { add: [ids[4]] })])

  assert.equal(createdOf(grown, 'scopesOfToken'), 1)
  const same = await app.platform.patch(`/admin/systems/${system.id}/roles/${ids[3]}`, {
    scopes: scopesOf(1),
  })
  assert.equal(same.status, 200, 'scopes of several roles count once')
})

test('P53: metadata and attributes have at most 16,384 bytes', async (t) => {
  const { platform, newSystem, newUser } = await startTestApp(t)
  const { id } = await newSystem()
  const user = await newUser()
  const text = (length: number) => ({ text: 'é'.repeat(length / 2) })

  const fits = await platform.patch(`/admin/users/${user.id}`, { metadata: text(16_370) })
  const refused = [
    await platform.patch(`/admin/users/${user.id}`, { metadata: text(16_386) }),
    await platform.post(`/admin/systems/${id}/profiles`, { name: 'one', attributes: text(16_386) }),
  ]

  assert.equal(fits.status, 200)
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.errors[0].path, body.errors[0].message]),
    [
      [400, '/metadata', 'must have at most 16,384 bytes'],
      [400, '/attributes', 'must have at most 16,384 bytes'],
    ],
  )
})

test('P53: a user has at most 1,000 memberships in a system, also with concurrent requests', async (t) => {
  const { db, platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const user = await newUser()
  const { accountId } = await newMembership({ userId: (await newUser()).id, systemId: system.id })
  await newMembership({ userId: user.id, systemId: system.id })
  await db.execute(sql`
    with places as (insert into accounts (system_id, kind, name) select ${system.id}::uuid, 'organization', 'Place' from generate_series(1, 996) returning id)
    insert into memberships (user_id, email, system_id, account_id, status, exclusive, added_by)
    select ${user.id}::uuid, ${user.email}::text, ${system.id}::uuid, id, 'active', false, 'platform' from places`)

  const answers = await times(6, () =>
    platform.post('/admin/memberships', { userId: user.id, systemId: system.id }),
  )

  assert.equal(createdOf(answers, 'membershipsOfUser'), 3)
  assert.ok(
    reached('membershipsOfUser', await platform.post('/admin/memberships', { userId: user.id, accountId })),
  )
})

test('P53: a system creates at most 20,000 users without a membership, also with concurrent requests', async (t) => {
  const { db, newSystem, newMembership, serviceOf } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const service = await serviceOf(system)
  await insertInParts(db, 19_997, (from, to) =>
    db.execute(sql`
      with made as (insert into users (email) select 'quota' || n || '-' || ${system.id}::text || '@example.test'
        from generate_series(${from}::int, ${to}::int) n returning id, email)
      insert into system_users (user_id, system_id, email, created_by_system) select id, ${system.id}::uuid, email, true from made`),
  )
  const add = (n: number) => service.post('/admin/users', { email: `new${n}-${system.id}@example.test` })
  const dryRun = async (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => `{"email":"line${n}-${system.id}@example.test"}`)
    const type = { 'content-type': 'application/x-ndjson' }
    return (await service.post('/admin/users/import?dryRun=true', lines.join('\n'), type)).body
  }

  const reported = [await dryRun(3), await dryRun(4)]
  const answers = await times(6, add)
  const [first] = answers.filter(({ status }) => status === 201)
  await newMembership({ userId: first!.body.id, systemId: system.id })
  const afterwards = [await add(10), await add(11)]

  assert.doesNotMatch(reported[0], /"failed"/)
  assert.doesNotMatch(reported[1], /"created"/)
  assert.match(reported[1], /"code":"limit_reached","detail":"usersWithoutMembership: /)
  assert.equal(createdOf(answers, 'usersWithoutMembership'), 3)
  assert.equal(createdOf(afterwards, 'usersWithoutMembership'), 1)
})

test('docs/limits.md has every limit', () => {
  const text = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  const names = [
    ...readFileSync(new URL('quotas.ts', import.meta.url), 'utf8').matchAll(/^ {2}(\w+): \{ max/gm),
  ]

  assert.ok(names.length >= 9)
  for (const [, name] of names)
    assert.match(text, new RegExp(`\`${name}\` \\| ${quotaText(name as never)} `), name)
})
