import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const types = (rows: { type: string }[]) => rows.map(({ type }) => type)

test('in a 1:1 system a membership creates the personal account', async (t) => {
  const { platform, newSystem, newUser } = await startTestApp(t)
  const system = await newSystem()
  const [ana, bob] = [await newUser(), await newUser()]

  const plain = await platform.post('/admin/memberships', { userId: ana.id, systemId: system.id })
  const named = await platform.post('/admin/memberships', {
    userId: bob.id,
    systemId: system.id,
    accountName: 'Bob & Co',
  })

  const { id, account, createdAt, updatedAt, ...rest } = plain.body
  assert.deepEqual([plain.status, named.status], [201, 201])
  assert.deepEqual(rest, {
    userId: ana.id,
    systemId: system.id,
    accountId: account.id,
    status: 'active',
    blockedBy: null,
    roles: [],
    profiles: [],
    connection: null,
    confirmEntry: false,
    ssoExempt: false,
    ssoExemptBy: null,
    user: { id: ana.id, email: ana.email, name: null },
  })
  assert.ok(createdAt === updatedAt && id !== account.id)
  assert.deepEqual([account.name, named.body.account.name], [ana.email, 'Bob & Co'])
  assert.deepEqual((await platform.get(`/admin/memberships/${id}`)).body, plain.body)
})

test('1:1: another membership of a user is account_taken, of an account account_occupied', async (t) => {
  const { platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem()
  const [ana, bob] = [await newUser(), await newUser()]
  const { accountId } = await newMembership({ userId: ana.id, systemId: system.id })

  const again = await platform.post('/admin/memberships', { userId: ana.id, systemId: system.id })
  const other = await platform.post('/admin/memberships', { userId: bob.id, accountId })

  assert.deepEqual([again, other].map(outcome), [
    [409, 'account_taken'],
    [409, 'account_occupied'],
  ])
  assert.equal((await platform.get(`/admin/memberships?systemId=${system.id}`)).body.total, 1)
})

test('a personal account outlives its membership and is reused by its user only', async (t) => {
  const { platform, newSystem, newUser, newMembership, findEvents } = await startTestApp(t)
  const system = await newSystem()
  const [ana, bob] = [await newUser(), await newUser()]
  const first = await newMembership({ userId: ana.id, systemId: system.id, accountName: 'Home' })
  await platform.delete(`/admin/memberships/${first.id}`)

  const outsider = await platform.post('/admin/memberships', { userId: bob.id, accountId: first.accountId })
  const back = await platform.post('/admin/memberships', {
    userId: ana.id,
    systemId: system.id,
    accountName: 'Elsewhere',
  })

  assert.deepEqual(outcome(outsider), [409, 'account_occupied'])
  assert.deepEqual([back.status, back.body.account], [201, { id: first.accountId, name: 'Home' }])
  assert.equal((await findEvents({ systemId: system.id, type: 'account.created' })).length, 1)
})

test('in a multi-account system systemId creates an account and accountId joins one', async (t) => {
  const { platform, newSystem, newUser, findEvents } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const [ana, bob] = [await newUser(), await newUser()]
  const post = (body: object) => platform.post('/admin/memberships', body)

  const first = await post({ userId: ana.id, systemId: system.id, accountName: 'Acme' })
  const second = await post({ userId: ana.id, systemId: system.id })
  const joined = await post({ userId: bob.id, accountId: first.body.accountId })
  const both = await post({
    userId: bob.id,
    accountId: second.body.accountId,
    systemId: system.id.toUpperCase(),
  })
  const again = await post({ userId: bob.id, accountId: first.body.accountId })

  assert.deepEqual(
    [first, second, joined, both].map(({ status }) => status),
    [201, 201, 201, 201],
  )
  assert.notEqual(first.body.accountId, second.body.accountId)
  assert.equal(first.body.account.name, 'Acme')
  assert.ok(second.body.account.name.length > 0 && !second.body.account.name.includes(ana.email))
  assert.deepEqual(joined.body.account, first.body.account)
  assert.deepEqual(outcome(again), [409, 'membership_exists'])
  assert.equal((await findEvents({ systemId: system.id, type: 'account.created' })).length, 2)
})

test('a membership with a missing or unknown system, account or user is refused', async (t) => {
  const { platform, newSystem, newUser, newMembership, audited } = await startTestApp(t)
  const [shop, other] = [await newSystem({ multiAccount: true }), await newSystem({ multiAccount: true })]
  const [ana, bob] = [await newUser(), await newUser()]
  const { accountId } = await newMembership({ userId: bob.id, systemId: other.id })
  const before = (await audited({ systemId: shop.id })).length
  const bodies = [
    [{ userId: ana.id }, 400, 'membership_place_missing'],
    [{ userId: ana.id, accountName: 'Acme' }, 400, 'membership_place_missing'],
    [{ userId: ana.id, systemId: unknown }, 404, 'system_not_found'],
    [{ userId: ana.id, accountId: unknown }, 404, 'account_not_found'],
    [{ userId: ana.id, accountId, systemId: shop.id }, 404, 'account_not_found'],
    [{ userId: unknown, systemId: shop.id }, 404, 'user_not_found'],
    [{ systemId: shop.id }, 400, 'invalid_request'],
    [{ userId: ana.id, systemId: shop.id, status: 'gone' }, 400, 'invalid_request'],
    [{ userId: ana.id, systemId: shop.id, accountName: '' }, 400, 'invalid_request'],
    [{ userId: ana.id, systemId: shop.id, roles: 'all' }, 400, 'invalid_request'],
    [{ userId: [ana.id], systemId: shop.id }, 400, 'invalid_request'],
  ] as const

  const answers = []
  for (const [body] of bodies) answers.push(await platform.post('/admin/memberships', body))

  assert.deepEqual(
    answers.map(outcome),
    bodies.map(([, status, code]) => [status, code]),
  )
  assert.equal((await platform.get(`/admin/memberships?userId=${ana.id}`)).body.total, 0)
  assert.equal((await audited({ systemId: shop.id })).length, before)
})

test('roles and profiles of another system are refused, and no account is created', async (t) => {
  const { platform, newSystem, newUser, newRole, findEvents } = await startTestApp(t)
  const [shop, other] = [await newSystem({ multiAccount: true }), await newSystem()]
  const user = await newUser()
  const [mine, foreign] = [await newRole(shop.id), await newRole(other.id)]
  const post = (more: object) =>
    platform.post('/admin/memberships', { userId: user.id, systemId: shop.id, ...more })

  const refused = [
    await post({ roles: [mine.id, foreign.id] }),
    await post({ roles: [unknown] }),
    await post({ profiles: [unknown] }),
  ]
  const traces = await findEvents({ systemId: shop.id })
  const made = await post({ roles: [mine.id, mine.id.toUpperCase()] })

  assert.deepEqual(refused.map(outcome), [
    [400, 'role_not_in_system'],
    [400, 'role_not_in_system'],
    [400, 'profile_not_in_system'],
  ])
  assert.deepEqual(traces, [])
  assert.deepEqual([made.status, made.body.roles], [201, [mine.id]])
})

test('a new membership is pending if the system requires activation, or as requested', async (t) => {
  const { newSystem, newUser, newMembership, findEvents } = await startTestApp(t)
  const [open, careful] = [
    await newSystem({ multiAccount: true }),
    await newSystem({ multiAccount: true, requireAdminActivation: true }),
  ]
  const { id: userId } = await newUser()
  const made = async (systemId: string, status?: string) =>
    (await newMembership({ userId, systemId, ...(status && { status }) })).status

  const statuses = [
    await made(open.id),
    await made(open.id, 'pending'),
    await made(open.id, 'blocked'),
    await made(careful.id),
    await made(careful.id, 'active'),
  ]

  assert.deepEqual(statuses, ['active', 'pending', 'blocked', 'pending', 'active'])
  const access = (await findEvents({ userId })).filter(({ type }) => type.startsWith('user.access'))
  assert.deepEqual(types(access), [
    'user.access_granted',
    'user.access_requested',
    'user.access_blocked',
    'user.access_requested',
    'user.access_granted',
  ])
})

test('of 20 concurrent memberships of a user in a 1:1 system one is created', async (t) => {
  const { platform, newSystem, newUser, findEvents } = await startTestApp(t)
  const system = await newSystem()
  const { id: userId } = await newUser()

  const answers = await concurrently(20, () =>
    platform.post('/admin/memberships', { userId, systemId: system.id }),
  )

  assert.deepEqual(answers.map(outcome).sort(), [[201, undefined], ...Array(19).fill([409, 'account_taken'])])
  assert.equal((await platform.get(`/admin/memberships?systemId=${system.id}`)).body.total, 1)
  assert.deepEqual(types(await findEvents({ systemId: system.id })), [
    'account.created',
    'user.access_granted',
  ])
})

test('of 20 concurrent memberships of a user in an account one is created', async (t) => {
  const { platform, newSystem, newUser, newMembership, findEvents } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const { accountId } = await newMembership({ userId: (await newUser()).id, systemId: system.id })
  const { id: userId } = await newUser()

  const answers = await concurrently(20, () => platform.post('/admin/memberships', { userId, accountId }))

  assert.deepEqual(answers.map(outcome).sort(), [
    [201, undefined],
    ...Array(19).fill([409, 'membership_exists']),
  ])
  assert.equal((await findEvents({ userId, type: 'user.access_granted' })).length, 1)
})

test('of 20 users who join one account of a 1:1 system concurrently one succeeds', async (t) => {
  const { platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const { id, accountId } = await newMembership({ userId: (await newUser()).id, systemId: system.id })
  await platform.delete(`/admin/memberships/${id}`)
  await platform.patch(`/admin/systems/${system.id}`, { multiAccount: false })
  const users: { id: string }[] = []
  while (users.length < 20) users.push(await newUser())

  const answers = await concurrently(20, (nth) =>
    platform.post('/admin/memberships', { userId: users[nth]!.id, accountId }),
  )

  assert.deepEqual(answers.map(outcome).sort(), [
    [201, undefined],
    ...Array(19).fill([409, 'account_occupied']),
  ])
})

test('memberships created while multiAccount changes follow the final setting', async (t) => {
  const { platform, newSystem, newUser } = await startTestApp(t)
  const users = await Promise.all(Array.from({ length: 10 }, () => newUser({ password: undefined })))
  for (let round = 0; round < 6; round++) {
    const system = await newSystem()
    const join = ({ id }: { id: string }) =>
      platform.post('/admin/memberships', { userId: id, systemId: system.id })
    const change = () => platform.patch(`/admin/systems/${system.id}`, { multiAccount: true })

    await Promise.all([...users.slice(0, 5).map(join), change(), ...users.slice(5).map(join)])
    const seconds = await Promise.all(users.map(join))

    assert.deepEqual(new Set(seconds.map(({ status }) => status)), new Set([201]))
  }
})

test('the list filters by status, system, account, user and address, newest first', async (t) => {
  const { platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const tag = crypto.randomUUID().slice(0, 8)
  const [shop, other] = [await newSystem({ multiAccount: true }), await newSystem()]
  const [ana, bob] = [
    await newUser({ email: `Ana_${tag}@x.test` }),
    await newUser({ email: `bob${tag}@x.test` }),
  ]
  const first = await newMembership({ userId: ana.id, systemId: shop.id })
  const second = await newMembership({ userId: bob.id, accountId: first.accountId, status: 'pending' })
  const third = await newMembership({ userId: ana.id, systemId: other.id, status: 'blocked' })
  const list = async (query: string) => (await platform.get(`/admin/memberships?${query}`)).body
  const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id)

  const found = await Promise.all(
    [
      `search=${tag}`,
      `search=ana_${tag}`,
      `search=bob_${tag}`,
      `systemId=${shop.id}`,
      `systemId=${shop.id}&status=pending`,
      `accountId=${first.accountId}`,
      `userId=${ana.id}`,
      `userId=${ana.id}&status=blocked`,
      `systemId=${unknown}`,
    ].map(ids),
  )
  const pages = [await list(`search=${tag}&pageSize=2`), await list(`search=${tag}&pageSize=2&page=2`)]

  assert.deepEqual(found, [
    [third.id, second.id, first.id],
    [third.id, first.id],
    [],
    [second.id, first.id],
    [second.id],
    [second.id, first.id],
    [third.id, first.id],
    [third.id],
    [],
  ])
  assert.deepEqual(pages, [
    { data: [third, second], page: 1, pageSize: 2, total: 3, nextCursor: pages[0].nextCursor },
    { data: [first], page: 2, pageSize: 2, total: 3, nextCursor: null },
  ])
})
