/** Changes of a membership: status, roles, removal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const types = (rows: { type: string }[]) => rows.map(({ type }) => type)

for (const [from, to, event] of [
  ['pending', 'active', 'user.access_granted'],
  ['pending', 'blocked', 'user.access_blocked'],
  ['active', 'blocked', 'user.access_blocked'],
  ['blocked', 'active', 'user.access_restored'],
  ['pending', 'pending', 'same'],
  ['active', 'active', 'same'],
  ['blocked', 'blocked', 'same'],
  ['active', 'pending', 'invalid_transition'],
  ['blocked', 'pending', 'invalid_transition'],
] as const) {
  test(`from ${from} to ${to}: ${event}, with one event and one audit entry`, async (t) => {
    const { platform, newSystem, newUser, newMembership, audited, findEvents } = await startTestApp(t)
    const system = await newSystem()
    const membership = await newMembership({
      userId: (await newUser()).id,
      systemId: system.id,
      status: from,
    })
    const path = `/admin/memberships/${membership.id}`

    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => platform.patch(path, { status: to })))

    const refused = event === 'invalid_transition'
    const changed = event.startsWith('user.')
    assert.deepEqual(answers.map(outcome), Array(5).fill(refused ? [409, event] : [200, undefined]))
    assert.equal((await platform.get(path)).body.status, refused ? from : to)
    assert.deepEqual(
      types(await findEvents({ membershipId: membership.id })).slice(1),
      changed ? [event] : [],
    )
    const entries = (await audited({ targetId: membership.id })).slice(1)
    assert.deepEqual(
      entries.map(({ changes }) => changes),
      changed ? [{ status: [from, to] }] : [],
    )
  })
}

test('an event has user, account, system, role names, time and actor', async (t) => {
  const { platform, newSystem, newUser, newRole, newMembership, findEvents } = await startTestApp(t)
  const system = await newSystem()
  const user = await newUser()
  const [clerk, boss] = [
    await newRole(system.id, { name: 'clerk' }),
    await newRole(system.id, { name: 'boss', isAdmin: true }),
  ]
  const { id, accountId } = await newMembership({ userId: user.id, systemId: system.id, roles: [clerk.id] })
  await platform.patch(`/admin/memberships/${id}/roles`, { roles: [clerk.id, boss.id] })
  await platform.patch(`/admin/memberships/${id}`, { status: 'blocked' })
  await platform.delete(`/admin/memberships/${id}`)

  const events = await findEvents({ membershipId: id })

  const common = {
    user: { id: user.id, email: user.email },
    membershipId: id,
    accountId,
    systemId: system.id,
    actor: { type: 'service', id: 'test-platform' },
  }
  assert.deepEqual(
    events.map(({ type, data }) => [type, data]),
    [
      ['user.access_granted', { ...common, roles: ['clerk'], isAdmin: false, status: 'active' }],
      ['user.access_updated', { ...common, roles: ['boss', 'clerk'], isAdmin: true, status: 'active' }],
      ['user.access_blocked', { ...common, roles: ['boss', 'clerk'], isAdmin: true, status: 'blocked' }],
      ['user.access_revoked', { ...common, roles: ['boss', 'clerk'], isAdmin: true, status: 'removed' }],
    ],
  )
})

test('roles are replaced, added or removed, and an unchanged set has no effect', async (t) => {
  const { platform, newSystem, newUser, newRole, newMembership, audited, findEvents } = await startTestApp(t)
  const system = await newSystem()
  const [a, b, c] = [
    (await newRole(system.id)).id,
    (await newRole(system.id)).id,
    (await newRole(system.id)).id,
  ]
  const { id } = await newMembership({ userId: (await newUser()).id, systemId: system.id, roles: [a] })
  const patch = async (body: object) =>
    new Set((await platform.patch(`/admin/memberships/${id}/roles`, body)).body.roles)

  const sets = [
    await patch({ roles: [b, a, b] }),
    await patch({ roles: [a, b] }),
    await patch({ add: [c], remove: [a] }),
    await patch({ add: [c], remove: [a, unknown] }),
    await patch({ roles: [] }),
  ]

  assert.deepEqual(sets, [new Set([a, b]), new Set([a, b]), new Set([b, c]), new Set([b, c]), new Set()])
  assert.equal((await audited({ targetId: id, action: 'membership.roles_changed' })).length, 3)
  assert.equal((await findEvents({ membershipId: id, type: 'user.access_updated' })).length, 3)
})

test('a role of another system is refused as role_not_in_system, without any change', async (t) => {
  const { platform, newSystem, newUser, newRole, newMembership, findEvents } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const [mine, next, foreign] = [await newRole(shop.id), await newRole(shop.id), await newRole(other.id)]
  const membership = await newMembership({
    userId: (await newUser()).id,
    systemId: shop.id,
    roles: [mine.id],
  })
  const path = `/admin/memberships/${membership.id}`

  const answers = [
    await platform.patch(`${path}/roles`, { roles: [next.id, foreign.id] }),
    await platform.patch(`${path}/roles`, { add: [foreign.id], remove: [mine.id] }),
    await platform.patch(`${path}/profiles`, { profiles: [unknown] }),
  ]

  assert.deepEqual(answers.map(outcome), [
    [400, 'role_not_in_system'],
    [400, 'role_not_in_system'],
    [400, 'profile_not_in_system'],
  ])
  assert.deepEqual((await platform.get(path)).body, membership)
  assert.equal((await findEvents({ membershipId: membership.id })).length, 1)
})

test('P42: an invalid set of roles is refused', async (t) => {
  const { platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const { id } = await newMembership({ userId: (await newUser()).id, systemId: (await newSystem()).id })
  const bodies = [
    {},
    { roles: 'all' },
    { roles: null },
    { roles: [1] },
    { roles: ['x'] },
    { roles: [[]] },
    { roles: [], add: [] },
    { add: {} },
    { roles: Array(201).fill(unknown) },
    [],
  ]

  const answers = []
  for (const body of bodies) answers.push(await platform.patch(`/admin/memberships/${id}/roles`, body))

  assert.deepEqual(
    answers.map(outcome),
    bodies.map(() => [400, 'invalid_request']),
  )
})

test('P13: a change of status rejects all fields that it may not change', async (t) => {
  const { platform, newSystem, newUser, newRole, newMembership } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const [ana, bob] = [await newUser(), await newUser()]
  const admin = await newRole(shop.id, { isAdmin: true })
  const membership = await newMembership({ userId: ana.id, systemId: shop.id })
  const foreign = await newMembership({ userId: bob.id, systemId: other.id })
  const smuggled = {
    id: unknown,
    userId: bob.id,
    accountId: foreign.accountId,
    systemId: other.id,
    roles: [admin.id],
    exclusive: false,
    createdAt: '2000-01-01T00:00:00Z',
  }

  const { exclusive, createdAt, ...known } = smuggled
  const path = `/admin/memberships/${membership.id}`
  const lenient = { prefer: 'handling=lenient' }

  const answer = await platform.patch(path, { status: 'active', createdAt, ...known })
  const unknownField = await platform.patch(path, { status: 'active', exclusive })
  const leftOut = await platform.patch(path, { status: 'active', exclusive }, lenient)
  const created = await platform.post(
    '/admin/memberships',
    { userId: bob.id, systemId: shop.id, id: membership.id, exclusive, isAdmin: true },
    lenient,
  )

  assert.deepEqual(outcome(answer), [400, 'invalid_request'])
  assert.deepEqual(
    answer.body.errors.map(({ path }: { path: string }) => path),
    Object.keys(known).map((field) => `/${field}`),
  )
  assert.deepEqual(
    [unknownField.status, leftOut.status, leftOut.body, leftOut.headers.get('ignored-fields')],
    [400, 200, membership, 'exclusive'],
  )
  assert.deepEqual([created.status, created.body.id === membership.id, created.body.roles], [201, false, []])
})

test('a concurrently deleted membership is deleted once, with one event', async (t) => {
  const { platform, newSystem, newUser, newMembership, audited, findEvents } = await startTestApp(t)
  const { id } = await newMembership({ userId: (await newUser()).id, systemId: (await newSystem()).id })

  const answers = await concurrently(20, () => platform.delete(`/admin/memberships/${id}`))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(19).fill(404)])
  assert.deepEqual(outcome(await platform.get(`/admin/memberships/${id}`)), [404, 'membership_not_found'])
  assert.deepEqual(types(await findEvents({ membershipId: id })), [
    'user.access_granted',
    'user.access_revoked',
  ])
  assert.equal((await audited({ targetId: id, action: 'membership.deleted' })).length, 1)
})
