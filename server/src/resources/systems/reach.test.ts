import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'

/** A response without the values that differ every time. */
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })

test('P37: a service token reaches its own system; others are 404', async (t) => {
  const { platform, newSystem, serviceOf, audited } = await startTestApp(t)
  const own = await newSystem({ name: 'Own', allowClientCredentials: true })
  const { clientSecret, ...other } = await newSystem({ name: 'Other', allowClientCredentials: true })
  const service = await serviceOf(own)
  const attempts = (id: string) => [
    service.get(`/admin/systems/${id}`),
    service.patch(`/admin/systems/${id}`, { name: 'Taken' }),
    service.post(`/admin/systems/${id}/rotate-secret`),
  ]

  const [foreign, absent] = [await Promise.all(attempts(other.id)), await Promise.all(attempts(unknown))]

  assert.deepEqual(
    foreign.map((answer) => answer.body.code),
    foreign.map(() => 'system_not_found'),
  )
  assert.deepEqual(foreign.map(masked), absent.map(masked))
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}`)).body, other)
  assert.deepEqual(
    (await audited({ targetId: other.id })).map((entry) => entry.action),
    ['system.created'],
  )
  const listed = (await service.get('/admin/systems')).body
  assert.deepEqual([listed.total, listed.data.map((system: { id: string }) => system.id)], [1, [own.id]])
  assert.equal((await service.get('/admin/systems?search=other')).body.total, 0)
})

test('a service token changes its system and rotates its secret, no more', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const own = await newSystem({ name: 'Own', allowClientCredentials: true })
  const service = await serviceOf(own)

  const patched = await service.patch(`/admin/systems/${own.id}`, {
    name: 'Renamed',
    redirectUris: ['https://own.example/cb'],
  })
  const refused = [
    await service.post('/admin/systems', { name: 'More' }),
    await service.delete(`/admin/systems/${own.id}`),
    await service.delete(`/admin/systems/${unknown}`),
  ]
  const rotated = await service.post(`/admin/systems/${own.id}/rotate-secret`, { graceSeconds: 60 })

  assert.deepEqual([patched.status, patched.body.name, rotated.status], [200, 'Renamed', 200])
  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body.code]),
    refused.map(() => [403, 'insufficient_authority']),
  )
  assert.equal((await platform.get(`/admin/systems/${own.id}`)).status, 200)
})

test('a service token cannot widen its system, but may send it back unchanged', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const own = await newSystem({ name: 'Own', allowClientCredentials: true })
  const service = await serviceOf(own)
  const before = (await service.get(`/admin/systems/${own.id}`)).body

  const refused = await Promise.all(
    [{ multiAccount: true }, { skipConsent: true }, { allowClientCredentials: false }].map((patch) =>
      service.patch(`/admin/systems/${own.id}`, { ...patch, name: 'Widened' }),
    ),
  )
  const same = await service.patch(`/admin/systems/${own.id}`, before)

  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body.code]),
    refused.map(() => [403, 'insufficient_authority']),
  )
  assert.equal(same.status, 200)
  assert.deepEqual((await platform.get(`/admin/systems/${own.id}`)).body, before)
})

test('multiAccount cannot be switched off while an account or user has two memberships', async (t) => {
  const { platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const [twice, shared, plain] = [
    await newSystem({ multiAccount: true }),
    await newSystem({ multiAccount: true }),
    await newSystem({ multiAccount: true }),
  ]
  const [ann, bob] = [await newUser(), await newUser()]
  for (const accountName of ['one', 'two'])
    await newMembership({ userId: ann.id, systemId: twice.id, accountName })
  const { account } = await newMembership({ userId: ann.id, systemId: shared.id, accountName: 'team' })
  await newMembership({ userId: bob.id, accountId: account.id })
  await newMembership({ userId: ann.id, systemId: plain.id, accountName: 'only' })

  const answers = await Promise.all(
    [twice, shared, plain].map(({ id }) =>
      platform.patch(`/admin/systems/${id}`, { name: 'Single', multiAccount: false }),
    ),
  )
  const second = await platform.post('/admin/memberships', {
    userId: ann.id,
    systemId: plain.id,
    accountName: 'more',
  })

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    [
      [409, 'account_taken'],
      [409, 'account_occupied'],
      [200, undefined],
    ],
  )
  assert.deepEqual([second.status, second.body.code], [409, 'account_taken'])
  const left = (await platform.get(`/admin/systems/${twice.id}`)).body
  assert.deepEqual([left.multiAccount, left.name], [true, twice.name])
})

test('deleting a system deletes its contents, with an event for each membership', async (t) => {
  const { platform, newSystem, newUser, newMembership, audited, findEvents } = await startTestApp(t)
  const [shop, other] = [await newSystem({ multiAccount: true }), await newSystem({ multiAccount: true })]
  const role = (await platform.post(`/admin/systems/${shop.id}/roles`, { name: 'owner', isAdmin: true })).body
  const [ann, bob] = [await newUser(), await newUser()]
  const annsMembership = await newMembership({
    userId: ann.id,
    systemId: shop.id,
    accountName: 'a',
    roles: [role.id],
  })
  const bobsMembership = await newMembership({
    userId: bob.id,
    systemId: shop.id,
    accountName: 'b',
    status: 'blocked',
  })
  const elsewhere = await newMembership({ userId: ann.id, systemId: other.id, accountName: 'c' })

  const answer = await platform.delete(`/admin/systems/${shop.id}`)

  assert.equal(answer.status, 204)
  const gone = await Promise.all(
    [`systems/${shop.id}`, `systems/${shop.id}/roles`, `memberships/${annsMembership.id}`].map((path) =>
      platform.get(`/admin/${path}`),
    ),
  )
  assert.deepEqual(
    gone.map(({ status }) => status),
    [404, 404, 404],
  )
  assert.equal((await platform.delete(`/admin/systems/${shop.id}`)).body.code, 'system_not_found')
  assert.equal((await platform.get(`/admin/memberships/${elsewhere.id}`)).status, 200)
  const events = (await findEvents({ systemId: shop.id, type: 'user.access_revoked' })).map(
    (event) => event.data,
  )
  assert.deepEqual(
    events.map(({ actor, ...data }) => data),
    [
      {
        user: { id: ann.id, email: ann.email },
        membershipId: annsMembership.id,
        accountId: annsMembership.account.id,
        systemId: shop.id,
        roles: ['owner'],
        isAdmin: true,
        status: 'removed',
      },
      {
        user: { id: bob.id, email: bob.email },
        membershipId: bobsMembership.id,
        accountId: bobsMembership.account.id,
        systemId: shop.id,
        roles: [],
        isAdmin: false,
        status: 'removed',
      },
    ],
  )
  assert.deepEqual((await audited({ targetId: shop.id, action: 'system.deleted' })).length, 1)
})

test('a platform system cannot be deleted', async (t) => {
  const { platform } = await startTestApp(t)
  const own = (await platform.get('/admin/systems?pageSize=100&search=tenantry')).body.data.filter(
    (system: { platform: boolean }) => system.platform,
  )

  const answers = await Promise.all(
    own.map(({ id }: { id: string }) => platform.delete(`/admin/systems/${id}`)),
  )

  assert.ok(own.length > 0)
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    own.map(() => [409, 'platform_system']),
  )
})
