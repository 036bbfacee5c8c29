/** Authority over memberships, and the sessions that end with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdminClient, type Answer, startTestApp } from '../../../test/support/testing.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })
const types = (rows: { type: string }[]) => rows.map(({ type }) => type)

test('P40, P41: invalid ids, statuses and page numbers are 400', async (t) => {
  const { platform } = await startTestApp(t)
  const queries = [
    'status=foo',
    "status=active'--",
    'systemId=1',
    "systemId=' OR 1=1--",
    'userId=%00',
    'accountId=',
    'status=active&status=blocked',
    'search=%00',
    'search=a&search=b',
    'page=0',
    'page=x',
    'pageSize=0',
    'pageSize=-1',
    'page=1.5',
    'sort=password',
  ]

  const answers = await Promise.all(queries.map((query) => platform.get(`/admin/memberships?${query}`)))
  const odd = await Promise.all(
    [
      `search=${encodeURIComponent("' OR 1=1--")}`,
      'search=%25%25%25',
      'page=1000000000',
      'search[]=a&direction=password',
    ].map((query) => platform.get(`/admin/memberships?${query}`)),
  )
  const ids = await Promise.all(
    ["' OR 1=1--", '%00', '..', `urn:uuid:${unknown}`].map((id) =>
      platform.get(`/admin/memberships/${encodeURIComponent(id)}`),
    ),
  )

  assert.deepEqual(
    answers.map(outcome),
    queries.map(() => [400, 'invalid_request']),
  )
  assert.deepEqual(
    odd.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.deepEqual(
    odd.slice(0, 3).map(({ body }) => body.data),
    [[], [], []],
  )
  assert.deepEqual(
    ids.map(({ status }) => status),
    [404, 404, 404, 404],
  )
})

test('P37: a service token reaches memberships of its system; others are 404, unchanged', async (t) => {
  const { platform, serviceOf, newSystem, newUser, newRole, newMembership, findEvents } =
    await startTestApp(t)
  const [shop, other] = [
    await newSystem({ multiAccount: true, allowClientCredentials: true }),
    await newSystem({ multiAccount: true }),
  ]
  const user = await newUser()
  const role = await newRole(other.id)
  const foreign = await newMembership({ userId: user.id, systemId: other.id, roles: [role.id] })
  const service = await serviceOf(shop)
  const calls: ((id: string) => Promise<Answer>)[] = [
    (id) => service.get(`/admin/memberships/${id}`),
    (id) => service.patch(`/admin/memberships/${id}`, { status: 'blocked' }),
    (id) => service.patch(`/admin/memberships/${id}/roles`, { roles: [] }),
    (id) => service.patch(`/admin/memberships/${id}/profiles`, { profiles: [] }),
    (id) => service.delete(`/admin/memberships/${id}`),
  ]

  const mine = await service.post('/admin/memberships', {
    userId: user.id,
    systemId: shop.id,
    accountName: 'Acme',
  })
  const answers = []
  for (const call of calls) answers.push([masked(await call(foreign.id)), masked(await call(unknown))])
  const created = [
    await service.post('/admin/memberships', { userId: user.id, systemId: other.id }),
    await service.post('/admin/memberships', { userId: user.id, accountId: foreign.accountId }),
    await service.patch(`/admin/memberships/${mine.body.id}/roles`, { roles: [role.id] }),
  ]
  const lists = [
    await service.get('/admin/memberships'),
    await service.get(`/admin/memberships?systemId=${other.id}`),
    await service.get(`/admin/memberships?accountId=${foreign.accountId}`),
  ]

  for (const [toForeign, toUnknown] of answers) assert.deepEqual(toForeign, toUnknown)
  assert.deepEqual(
    answers.map(([answer]) => answer!.status),
    calls.map(() => 404),
  )
  assert.deepEqual(created.map(outcome), [
    [404, 'system_not_found'],
    [404, 'account_not_found'],
    [400, 'role_not_in_system'],
  ])
  assert.deepEqual(
    lists.map(({ body }) => [body.data, body.total]),
    [
      [[mine.body], 1],
      [[], 0],
      [[], 0],
    ],
  )
  assert.deepEqual((await platform.get(`/admin/memberships/${foreign.id}`)).body, foreign)
  assert.equal((await findEvents({ membershipId: foreign.id })).length, 1)
})

test('in a 1:1 system a service token changes and deletes members but adds none', async (t) => {
  const { serviceOf, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const [ana, bob] = [await newUser(), await newUser()]
  const { id, accountId } = await newMembership({ userId: ana.id, systemId: system.id })
  const service = await serviceOf(system)

  const added = [
    await service.post('/admin/memberships', { userId: bob.id, systemId: system.id }),
    await service.post('/admin/memberships', { userId: bob.id, accountId }),
  ]
  const changed = [
    await service.patch(`/admin/memberships/${id}`, { status: 'blocked' }),
    await service.delete(`/admin/memberships/${id}`),
  ]

  assert.deepEqual(added.map(outcome), Array(2).fill([403, 'insufficient_authority']))
  assert.deepEqual(
    changed.map(({ status }) => status),
    [200, 204],
  )
})

/** An account with a signed-in administrator and its roles. */
async function signedInAdmin(
  { newSystem, newUser, newRole, newMembership, signIn, as }: Awaited<ReturnType<typeof startTestApp>>,
  fields: object = {},
) {
  const system = await newSystem({ multiAccount: true, skipConsent: true, ...fields })
  const role = await newRole(system.id, { name: 'owner', isAdmin: true })
  const user = await newUser()
  const membership = await newMembership({ userId: user.id, systemId: system.id, roles: [role.id] })
  const tokens = await signIn(system, { email: user.email })
  const client: AdminClient = as(tokens.access_token)
  return { system, role, user, membership, tokens, client }
}

test('blocking or deleting a membership ends its sessions and no others', async (t) => {
  const app = await startTestApp(t)
  for (const leave of ['blocked', 'deleted']) {
    const { system, user, membership, tokens } = await signedInAdmin(app)
    const elsewhere = await app.newSystem({ skipConsent: true })
    await app.newMembership({ userId: user.id, systemId: elsewhere.id })
    const other = await app.signIn(elsewhere, { email: user.email })
    const path = `/admin/memberships/${membership.id}`

    const left =
      leave === 'blocked'
        ? await app.platform.patch(path, { status: 'blocked' })
        : await app.platform.delete(path)

    assert.ok(left.status < 300)
    assert.equal((await app.me(tokens.access_token)).status, 401)
    assert.equal((await app.refresh(system, tokens.refresh_token!)).body.error, 'invalid_grant')
    assert.equal((await app.me(other.access_token)).status, 200)
    assert.equal((await app.refresh(elsewhere, other.refresh_token!)).status, 200)
    assert.deepEqual(types(await app.findEvents({ membershipId: membership.id })), [
      'user.access_granted',
      'session.ended',
      leave === 'blocked' ? 'user.access_blocked' : 'user.access_revoked',
    ])
  }
})

test('P36: an account administrator reaches the memberships of that account only', async (t) => {
  const app = await startTestApp(t)
  const { system, role, user, membership, client } = await signedInAdmin(app)
  const foreign = await app.newMembership({ userId: user.id, systemId: system.id })
  const platformSystem = (await app.platform.get('/admin/systems?search=Tenantry')).body.data.find(
    ({ platform }: { platform: boolean }) => platform,
  )
  const platformRole = (await app.platform.get(`/admin/systems/${platformSystem.id}/roles`)).body[0]
  const calls: ((id: string) => Promise<Answer>)[] = [
    (id) => client.get(`/admin/memberships/${id}`),
    (id) => client.patch(`/admin/memberships/${id}`, { status: 'blocked' }),
    (id) => client.patch(`/admin/memberships/${id}/roles`, { roles: [role.id] }),
    (id) => client.delete(`/admin/memberships/${id}`),
  ]

  const list = await client.get('/admin/memberships')
  const answers = []
  for (const call of calls) answers.push([masked(await call(foreign.id)), masked(await call(unknown))])
  const raised = await client.patch(`/admin/memberships/${membership.id}/roles`, { add: [platformRole.id] })
  const placed = [
    await client.post('/admin/memberships', { userId: user.id, systemId: system.id }),
    await client.post('/admin/memberships', { userId: user.id, systemId: platformSystem.id }),
    await client.post('/admin/memberships', { userId: user.id, accountId: foreign.accountId }),
    await client.get('/admin/users'),
    await client.get(`/admin/users/${user.id}`),
    await client.post('/admin/users', { email: 'x@x.test' }),
    await client.patch(`/admin/users/${user.id}`, { name: 'x' }),
    await client.post(`/admin/users/${user.id}/set-password`, { password: 'correct horse' }),
    await client.delete(`/admin/users/${user.id}`),
  ]

  assert.deepEqual([list.body.data, list.body.total], [[membership], 1])
  for (const [toForeign, toUnknown] of answers) assert.deepEqual(toForeign, toUnknown)
  assert.deepEqual(
    answers.map(([answer]) => answer!.status),
    calls.map(() => 404),
  )
  assert.deepEqual(outcome(raised), [400, 'role_not_in_system'])
  const never = [403, 'insufficient_authority']
  assert.deepEqual(placed.map(outcome), [never, never, [404, 'account_not_found'], ...Array(6).fill(never)])
  assert.deepEqual((await app.platform.get(`/admin/memberships/${foreign.id}`)).body, foreign)
})

test('an administrator manages the members of an account, but not its last administrator', async (t) => {
  const app = await startTestApp(t)
  const { system, role, membership, client } = await signedInAdmin(app, { allowClientCredentials: true })
  const service = await app.serviceOf(system)
  const own = `/admin/memberships/${membership.id}`
  const bob = await app.newUser()
  await app.newMembership({ userId: bob.id, systemId: system.id })

  const added = await client.post('/admin/memberships', { userId: bob.id, accountId: membership.accountId })
  const theirs = `/admin/memberships/${added.body.id}`
  const refused = [
    await client.patch(own, { status: 'blocked' }),
    await client.delete(own),
    await client.patch(`${own}/roles`, { roles: [] }),
  ]
  const taken = [
    await client.patch(theirs, { status: 'blocked' }),
    await client.patch(`${theirs}/roles`, { roles: [role.id] }),
  ]
  const whileBlocked = await client.delete(own)
  const restored = await client.patch(theirs, { status: 'active' })
  await service.patch(`/admin/users/${bob.id}`, { disabled: true })
  const whileDisabled = await client.delete(own)
  await service.patch(`/admin/users/${bob.id}`, { disabled: false })
  const left = await client.delete(own)

  assert.equal(added.status, 201)
  assert.deepEqual([...refused, whileBlocked, whileDisabled].map(outcome), Array(5).fill([409, 'last_admin']))
  assert.deepEqual(
    [...taken, restored].map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(left.status, 204)
  assert.deepEqual(types(await app.findEvents({ membershipId: membership.id })), [
    'user.access_granted',
    'session.ended',
    'user.access_revoked',
  ])
})
