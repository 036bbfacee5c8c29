import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })

test('roles of a system are a plain array, newest first', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const path = `/admin/systems/${shop.id}/roles`

  const owner = await platform.post(path, {
    name: 'owner',
    isAdmin: true,
    scopes: ['orders:write', 'orders:read'],
  })
  const clerk = await platform.post(path, { name: 'clerk' })

  assert.deepEqual(
    [owner.status, owner.body.name, owner.body.isAdmin, owner.body.scopes],
    [201, 'owner', true, ['orders:write', 'orders:read']],
  )
  assert.deepEqual([clerk.body.systemId, clerk.body.isAdmin, clerk.body.scopes], [shop.id, false, []])
  assert.deepEqual((await platform.get(path)).body, [clerk.body, owner.body])
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}/roles`)).body, [])
})

test('roles of an unknown system are system_not_found', async (t) => {
  const { platform } = await startTestApp(t)
  const path = `/admin/systems/${unknown}/roles`

  const answers = [
    await platform.get(path),
    await platform.post(path, { name: 'owner' }),
    await platform.patch(`${path}/${unknown}`, { name: 'x' }),
    await platform.delete(`${path}/${unknown}`),
  ]

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    answers.map(() => [404, 'system_not_found']),
  )
})

test('of 20 concurrent roles with one name one is created', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const { id } = await newSystem()

  const answers = await concurrently(20, () => platform.post(`/admin/systems/${id}/roles`, { name: 'owner' }))

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array(19).fill(409)])
  assert.deepEqual(
    new Set(answers.map((answer) => answer.body.code)),
    new Set([undefined, 'role_name_taken']),
  )
  assert.equal((await platform.get(`/admin/systems/${id}/roles`)).body.length, 1)
  assert.equal((await audited({ systemId: id, action: 'role.created' })).length, 1)
})

test('a role name is unique in its system, case-sensitively', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  await platform.post(`/admin/systems/${shop.id}/roles`, { name: 'owner' })

  const answers = [
    await platform.post(`/admin/systems/${other.id}/roles`, { name: 'owner' }),
    await platform.post(`/admin/systems/${shop.id}/roles`, { name: 'Owner' }),
  ]

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [201, 201],
  )
})

test('a change sets the given fields and is audited with old and new values', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const role = (await platform.post(path, { name: 'owner', scopes: ['a', 'b'] })).body

  const renamed = await platform.patch(`${path}/${role.id}`, { name: 'boss' })
  const raised = await platform.patch(`${path}/${role.id}`, { isAdmin: true, scopes: ['b'] })

  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.scopes], [200, 'boss', ['a', 'b']])
  assert.deepEqual([raised.body.name, raised.body.isAdmin, raised.body.scopes], ['boss', true, ['b']])
  assert.deepEqual((await platform.get(path)).body, [raised.body])
  const changes = (await audited({ targetId: role.id, action: 'role.updated' })).map((entry) => entry.changes)
  assert.deepEqual(
    changes.sort((one) => ('name' in one ? -1 : 1)),
    [{ name: ['owner', 'boss'] }, { isAdmin: [false, true], scopes: [['a', 'b'], ['b']] }],
  )
})

test('a change without effect writes no audit entry', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const role = (await platform.post(path, { name: 'owner', scopes: ['a'] })).body

  const answer = await platform.patch(`${path}/${role.id}`, role)

  assert.deepEqual([answer.status, answer.body], [200, role])
  assert.deepEqual(
    (await audited({ targetId: role.id })).map((entry) => entry.action),
    ['role.created'],
  )
})

test('renaming to a name in use is role_name_taken, without effect', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const [owner, clerk] = [
    (await platform.post(path, { name: 'owner' })).body,
    (await platform.post(path, { name: 'clerk' })).body,
  ]

  const answer = await platform.patch(`${path}/${clerk.id}`, { name: 'owner', isAdmin: true })

  assert.deepEqual([answer.status, answer.body.code], [409, 'role_name_taken'])
  assert.deepEqual((await platform.get(path)).body, [clerk, owner])
  assert.deepEqual(await audited({ targetId: clerk.id, action: 'role.updated' }), [])
})

test('a change or deletion of a role sends an event for each membership with it', async (t) => {
  const { platform, newSystem, newUser, newMembership, findEvents } = await startTestApp(t)
  const { id } = await newSystem({ multiAccount: true })
  const path = `/admin/systems/${id}/roles`
  const [owner, clerk] = [
    (await platform.post(path, { name: 'owner', isAdmin: true })).body,
    (await platform.post(path, { name: 'clerk' })).body,
  ]
  const membership = await newMembership({
    userId: (await newUser()).id,
    systemId: id,
    accountName: 'a',
    roles: [owner.id, clerk.id],
  })
  await newMembership({ userId: (await newUser()).id, systemId: id, accountName: 'b', roles: [clerk.id] })

  await platform.patch(`${path}/${owner.id}`, { name: 'boss' })
  const deleted = await platform.delete(`${path}/${owner.id}?force=true`)

  assert.equal(deleted.status, 204)
  const recorded = (await findEvents({ systemId: id, type: 'user.access_updated' })).map(({ data }) => data)
  assert.deepEqual(
    recorded.map(({ membershipId, roles, isAdmin }) => ({ membershipId, roles, isAdmin })),
    [
      { membershipId: membership.id, roles: ['boss', 'clerk'], isAdmin: true },
      { membershipId: membership.id, roles: ['clerk'], isAdmin: false },
    ],
  )
  assert.deepEqual((await platform.get(`/admin/memberships/${membership.id}`)).body.roles, [clerk.id])
})

test('a role is deleted once, with an audit entry', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const role = (await platform.post(path, { name: 'owner' })).body

  const answers = await Promise.all([1, 2, 3].map(() => platform.delete(`${path}/${role.id}`)))

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [204, 404, 404])
  assert.deepEqual((await platform.get(path)).body, [])
  assert.equal((await audited({ targetId: role.id, action: 'role.deleted' })).length, 1)
})

test('P13: id and system of a role cannot be changed', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const role = (
    await platform.post(
      `/admin/systems/${shop.id}/roles`,
      { name: 'owner', id: unknown, systemId: other.id },
      { prefer: 'handling=lenient' },
    )
  ).body

  const answer = await platform.patch(`/admin/systems/${shop.id}/roles/${role.id}`, {
    systemId: other.id,
    id: unknown,
    createdAt: '2000-01-01T00:00:00Z',
  })

  assert.deepEqual(
    [answer.status, answer.body.errors.map(({ path }: { path: string }) => path)],
    [400, ['/systemId', '/id']],
  )
  assert.deepEqual([role.systemId, role.id === unknown], [shop.id, false])
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}/roles`)).body, [])
})

test('P37: a service token reaches its own roles only', async (t) => {
  const { platform, newSystem, serviceOf, audited } = await startTestApp(t)
  const [own, other] = [await newSystem({ allowClientCredentials: true }), await newSystem()]
  const foreign = (await platform.post(`/admin/systems/${other.id}/roles`, { name: 'owner' })).body
  const service = await serviceOf(own)
  const attempts = (systemId: string, roleId: string) =>
    Promise.all([
      service.get(`/admin/systems/${systemId}/roles`),
      service.post(`/admin/systems/${systemId}/roles`, { name: 'mine' }),
      service.patch(`/admin/systems/${systemId}/roles/${roleId}`, { isAdmin: true }),
      service.delete(`/admin/systems/${systemId}/roles/${roleId}`),
    ])

  const [theirs, absent] = [await attempts(other.id, foreign.id), await attempts(unknown, unknown)]
  const crossed = [
    await service.patch(`/admin/systems/${own.id}/roles/${foreign.id}`, { isAdmin: true }),
    await service.delete(`/admin/systems/${own.id}/roles/${foreign.id}`),
  ]
  const made = await service.post(`/admin/systems/${own.id}/roles`, { name: 'mine' })

  assert.deepEqual(theirs.map(masked), absent.map(masked))
  assert.deepEqual(
    theirs.map((answer) => answer.status),
    [404, 404, 404, 404],
  )
  assert.deepEqual(
    crossed.map((answer) => [answer.status, answer.body.code]),
    crossed.map(() => [404, 'role_not_found']),
  )
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}/roles`)).body, [foreign])
  assert.deepEqual((await audited({ systemId: other.id, action: 'role.created' })).length, 1)
  assert.deepEqual(
    [
      made.status,
      (await service.patch(`/admin/systems/${own.id}/roles/${made.body.id}`, { name: 'ours' })).status,
      (await service.delete(`/admin/systems/${own.id}/roles/${made.body.id}`)).status,
    ],
    [201, 200, 204],
  )
})

test('an account administrator reads the roles of their system and changes none', async (t) => {
  const { platform, as, newSystem, newUser, newRole, newMembership, signIn } = await startTestApp(t)
  const [own, other, ann] = [
    await newSystem({ multiAccount: true, skipConsent: true }),
    await newSystem(),
    await newUser({ emailVerified: true }),
  ]
  const owner = await newRole(own.id, { isAdmin: true })
  await newMembership({ userId: ann.id, systemId: own.id, accountName: 'Acme', roles: [owner.id] })
  const admin = as((await signIn(own, ann)).access_token)
  const path = `/admin/systems/${own.id}/roles`

  const read = await admin.get(path)
  const refused = [
    await admin.post(path, { name: 'more' }),
    await admin.patch(`${path}/${owner.id}`, { scopes: ['all'] }),
    await admin.delete(`${path}/${owner.id}`),
    await admin.get(`/admin/systems/${own.id}`),
  ]

  assert.deepEqual([read.status, read.body], [200, [owner]])
  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body.code]),
    refused.map(() => [403, 'insufficient_authority']),
  )
  assert.deepEqual(
    masked(await admin.get(`/admin/systems/${other.id}/roles`)),
    masked(await admin.get(`/admin/systems/${unknown}/roles`)),
  )
  assert.deepEqual((await platform.get(path)).body, [owner])
})

test('P42: an invalid name, flag or list of scopes is refused by name', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const wrong = {
    name: ['', 'x'.repeat(101), 1, null, [], {}],
    isAdmin: ['true', 'false', 0, null, []],
    scopes: [
      'all',
      null,
      {},
      [1],
      [null],
      ['a b'],
      [''],
      ['"'],
      ['é'],
      ['a', 'a'],
      Array.from({ length: 201 }, String),
    ],
  }
  const cases = Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => [field, value] as const),
  )

  const answers = await Promise.all(
    cases.map(([field, value]) => platform.post(path, { name: 'owner', [field]: value })),
  )

  answers.forEach((answer, at) => {
    assert.equal(answer.status, 400, JSON.stringify(cases[at]))
    assert.ok(answer.body.errors[0].path.startsWith(`/${cases[at]![0]}`), JSON.stringify(answer.body))
  })
  assert.deepEqual((await platform.get(path)).body, [])
})

test('P51: the founder role is stored: no other role becomes it when roles are added or deleted', async (t) => {
  const { platform, newSystem, newRole, serviceOf } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const path = `/admin/systems/${system.id}`
  const founder = async () => (await platform.get(path)).body.founderRoleId
  const service = await serviceOf(system)
  const staff = await newRole(system.id, { isAdmin: true, assignableByAccountAdmins: false })
  const reserved = await founder()
  await platform.delete(`${path}/roles/${staff.id}`)
  const owner = await newRole(system.id)
  await service.patch(`${path}/roles/${owner.id}`, { isAdmin: true })
  const first = await founder()

  const other = await newRole(system.id, { isAdmin: true })
  const foreign = await newRole((await newSystem()).id)
  const refused = await service.patch(path, { founderRoleId: foreign.id })
  const set = await service.patch(path, { founderRoleId: other.id })
  const plain = await service.patch(path, { name: 'Other' })
  await platform.delete(`${path}/roles/${other.id}`)

  assert.deepEqual([reserved, first], [null, owner.id])
  assert.deepEqual([refused.status, refused.body.code], [400, 'role_not_in_system'])
  assert.deepEqual([set.body.founderRoleId, plain.body.founderRoleId], [other.id, other.id])
  assert.equal(await founder(), null)
  await service.patch(path, { founderRoleId: owner.id })
  assert.equal((await service.patch(path, { founderRoleId: null })).body.founderRoleId, null)
})

test('the last admin role of a system with accounts is deleted with force only', async (t) => {
  const { platform, newSystem, newUser, newRole, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const path = `/admin/systems/${system.id}/roles`
  const unused = await newRole(system.id, { isAdmin: true })
  const free = await platform.delete(`${path}/${unused.id}`)
  const [one, two] = [
    await newRole(system.id, { isAdmin: true }),
    await newRole(system.id, { isAdmin: true }),
  ]
  await newMembership({ userId: (await newUser()).id, systemId: system.id, roles: [one.id] })

  const atOnce = await Promise.all([one, two].map(({ id }) => platform.delete(`${path}/${id}`)))
  const [left] = (await platform.get(path)).body
  const refused = [
    await platform.delete(`${path}/${left.id}`),
    await platform.delete(`${path}/${left.id}?force=false`),
  ]
  const forced = await platform.delete(`${path}/${left.id}?force=true`)

  assert.equal(free.status, 204)
  assert.deepEqual(atOnce.map(({ status }) => status).sort(), [204, 409])
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    Array(2).fill([409, 'last_admin_role']),
  )
  assert.equal(forced.status, 204)
})
