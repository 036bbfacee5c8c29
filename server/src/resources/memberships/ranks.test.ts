/** Decisions about memberships by authority: platform over system over account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOpenSystem } from '../../../test/support/registration.ts'
import { type AdminClient, type Answer, PASSWORD, startTestApp } from '../../../test/support/testing.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const PATH = '/admin/memberships'
const REFUSED = [403, 'insufficient_authority']
const outcome = ({ status, body }: Answer) => [status, body?.code]
const statesOf = (answers: Answer[]) =>
  answers.map(({ status, body }) => [status, body.status, body.blockedBy])
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })

type App = Awaited<ReturnType<typeof startTestApp>>

/** A caller of each authority over one account, with a member whose membership they change. */
async function newCallers(app: App, fields: object = {}) {
  const system = await app.newSystem({
    multiAccount: true,
    skipConsent: true,
    allowClientCredentials: true,
    ...fields,
  })
  const role = await app.newRole(system.id, { isAdmin: true })
  const [boss, member] = [await app.newUser(), await app.newUser()]
  const { accountId } = await app.newMembership({
    userId: boss.id,
    systemId: system.id,
    roles: [role.id],
    status: 'active',
  })
  const membership = await app.newMembership({ userId: member.id, accountId, status: 'active' })
  const { access_token } = await app.signIn(system, { email: boss.email })
  const callers = {
    platform: app.platform,
    service: await app.serviceOf(system),
    account: app.as(access_token),
  }
  return { ...callers, system, accountId, boss, member, membership, path: `${PATH}/${membership.id}` }
}

const block = (client: AdminClient, path: string) => client.patch(path, { status: 'blocked' })
const activate = (client: AdminClient, path: string) => client.patch(path, { status: 'active' })

test('P51: a block is lifted by the authority that set it or a higher one, and by no lower one', async (t) => {
  const app = await startTestApp(t)
  const { platform, service, account, path } = await newCallers(app)

  const byAccount = [await block(account, path), await activate(account, path)]
  const bySystem = [await block(service, path), await activate(account, path), await activate(service, path)]
  const byPlatform = [
    await block(platform, path),
    await activate(account, path),
    await activate(service, path),
    await activate(platform, path),
  ]

  assert.deepEqual(statesOf(byAccount), [
    [200, 'blocked', 'account'],
    [200, 'active', null],
  ])
  assert.deepEqual(outcome(bySystem[1]!), REFUSED)
  assert.deepEqual(statesOf([bySystem[0]!, bySystem[2]!]), [
    [200, 'blocked', 'system'],
    [200, 'active', null],
  ])
  assert.deepEqual(byPlatform.slice(1, 3).map(outcome), [REFUSED, REFUSED])
  assert.deepEqual(statesOf([byPlatform[0]!, byPlatform[3]!]), [
    [200, 'blocked', 'platform'],
    [200, 'active', null],
  ])
})

test('P51: a higher authority takes over a block, a lower one does not', async (t) => {
  const app = await startTestApp(t)
  const { service, account, path, membership } = await newCallers(app)

  const answers = [await block(account, path), await block(service, path), await block(account, path)]
  const refused = await activate(account, path)

  assert.deepEqual(
    answers.map(({ body }) => body.blockedBy),
    ['account', 'system', 'system'],
  )
  assert.deepEqual(outcome(refused), REFUSED)
  const changes = (await app.audited({ action: 'membership.blocked', targetId: membership.id })).map(
    (entry) => entry.changes,
  )
  assert.deepEqual(
    changes.toSorted((one, other) => Object.keys(other)[0]!.localeCompare(Object.keys(one)[0]!)),
    [{ status: ['active', 'blocked'] }, { blockedBy: ['account', 'system'] }],
  )
})

test('P51: a block outlives its membership: a lower authority cannot create it again', async (t) => {
  const app = await startTestApp(t)
  const { platform, service, account, member, accountId, path, system } = await newCallers(app)
  const elsewhere = await app.newMembership({ userId: member.id, systemId: system.id })
  const again = { userId: member.id, accountId }

  await block(service, path)
  assert.equal((await account.delete(path)).status, 204)
  const byAccount = [
    await account.post(PATH, again),
    await account.post(PATH, { ...again, status: 'blocked' }),
  ]
  const bySystem = await service.post(PATH, again)
  const afterwards = `${PATH}/${bySystem.body.id}`
  await block(platform, afterwards)
  assert.equal((await service.delete(afterwards)).status, 204)
  const refused = [
    await service.post(PATH, again),
    await service.post(PATH, { ...again, status: 'blocked' }),
    await service.post(PATH, { userId: member.id, systemId: system.id }),
  ]
  const other = (await platform.get(`${PATH}/${elsewhere.id}`)).body
  const exported = (await platform.get(`/admin/users/${member.id}/export`)).body.blocks
  const lifted = await platform.post(PATH, again)
  const unblocked = [await service.delete(`${PATH}/${lifted.body.id}`), await service.post(PATH, again)]

  assert.deepEqual([...byAccount, ...refused].map(outcome), Array(5).fill(REFUSED))
  assert.deepEqual([bySystem.status, bySystem.body.status, lifted.status], [201, 'active', 201])
  assert.deepEqual(
    unblocked.map(({ status }) => status),
    [204, 201],
  )
  assert.deepEqual(other, elsewhere)
  assert.deepEqual(
    exported.map(({ accountId, setBy }: Record<string, string>) => [accountId, setBy]),
    [[accountId, 'platform']],
  )
})

test('P51: a user whom the platform has blocked cannot join the system again', async (t) => {
  const app = await startTestApp(t)
  for (const multiAccount of [true, false]) {
    const system = await newOpenSystem(app, { multiAccount, allowClientCredentials: true })
    const user = await app.newUser({ emailVerified: true })
    const { id } = await app.newMembership({ userId: user.id, systemId: system.id })
    // In a 1:1 system the personal account is the user's own, so a block by the system covers it.
    await block(multiAccount ? app.platform : await app.serviceOf(system), `${PATH}/${id}`)
    await app.platform.delete(`${PATH}/${id}`)
    const browser = app.newBrowser()
    const { page } = await app.authorize(system, { email: user.email, visitor: browser })
    const answer = page.headers.get('location')
      ? page
      : await browser.follow(await browser.submit(page, { accountName: 'Mine', password: PASSWORD }))

    assert.equal(new URL(answer.headers.get('location') ?? '').searchParams.get('error'), 'access_denied')
    assert.equal((await app.platform.get(`${PATH}?userId=${user.id}`)).body.total, 0)
  }
})

test('P51: with requireAdminActivation an account admin adds pending members and activates none', async (t) => {
  const app = await startTestApp(t)
  const { service, account, accountId, system, path } = await newCallers(app, {
    requireAdminActivation: true,
  })
  const add = async (status?: string) => {
    const { id: userId } = await app.newUser()
    await app.newMembership({ userId, systemId: system.id })
    return account.post(PATH, { userId, accountId, status })
  }

  const added = [await add(), await add('active'), await add('blocked')]
  const refused = []
  for (const { body } of added) refused.push(await activate(account, `${PATH}/${body.id}`))
  const pending = `${PATH}/${added[0]!.body.id}`
  await block(account, pending)
  refused.push(await activate(account, pending))
  const activated = await activate(service, pending)
  const restored = [await block(account, path), await activate(account, path)]

  assert.deepEqual(
    added.map(({ status, body }) => [status, body.status]),
    [
      [201, 'pending'],
      [201, 'pending'],
      [201, 'blocked'],
    ],
  )
  assert.deepEqual(refused.map(outcome), Array(4).fill(REFUSED))
  assert.deepEqual(
    [activated, ...restored].map(({ body }) => body.status),
    ['active', 'blocked', 'active'],
  )
})

test('P52: an account admin adds members of the system by id only; any other user is like an unknown one, and every address is refused', async (t) => {
  const app = await startTestApp(t)
  const { account, accountId, system } = await newCallers(app)
  const [colleague, other] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: colleague.id, systemId: system.id })
  const add = async (user: object) => masked(await account.post(PATH, { accountId, ...user }))

  const byId = [await add({ userId: other.id }), await add({ userId: unknown })]
  const addresses = [other.email, 'nobody@nowhere.test', colleague.email]
  const byAddress = await Promise.all(addresses.map((email) => add({ email })))
  const added = await account.post(PATH, { accountId, userId: colleague.id })
  const unclear = [await add({}), await add({ userId: other.id, email: other.email })]

  assert.deepEqual(byId[0], byId[1])
  for (const answer of byAddress) assert.deepEqual(answer, byAddress[0])
  assert.deepEqual([byId[0]!.status, byId[0]!.body.code], [404, 'user_not_found'])
  assert.deepEqual([byAddress[0]!.status, byAddress[0]!.body.code], [403, 'insufficient_authority'])
  assert.deepEqual([added.status, added.body.userId], [201, colleague.id])
  assert.deepEqual(
    unclear.map(({ status, body }) => [status, body.code]),
    Array(2).fill([400, 'invalid_request']),
  )
  const service = await app.serviceOf(system)
  assert.equal((await service.post(PATH, { accountId, email: other.email })).status, 201)
})

test('P51: of a block by the system and an activation by an account admin, the block remains', async (t) => {
  const app = await startTestApp(t)
  const { service, account, path } = await newCallers(app)
  for (let round = 0; round < 5; round++) {
    await block(account, path)

    const answers = await Promise.all([
      activate(account, path),
      block(service, path),
      activate(account, path),
    ])

    const { body } = await service.get(path)
    assert.deepEqual(
      [body.status, body.blockedBy],
      ['blocked', 'system'],
      JSON.stringify(answers.map(outcome)),
    )
    await activate(service, path)
  }
})

test('P51: a reserved role is assigned and removed by the system and the platform only', async (t) => {
  const app = await startTestApp(t)
  const { service, account, system, membership, member, accountId, path } = await newCallers(app)
  const staff = await app.newRole(system.id, { assignableByAccountAdmins: false })
  const plain = await app.newRole(system.id)
  const profile = (await service.post(`/admin/systems/${system.id}/profiles`, { name: 'one' })).body
  const colleague = await app.newMembership({ userId: (await app.newUser()).id, systemId: system.id })

  const assigned = [
    await account.patch(`${path}/roles`, { add: [staff.id] }),
    await account.post(PATH, { userId: colleague.userId, accountId, roles: [plain.id, staff.id] }),
    await account.patch(`${path}/roles`, { add: [plain.id] }),
    await service.patch(`${path}/roles`, { add: [staff.id] }),
  ]
  const refused = [
    await account.patch(`${path}/roles`, { remove: [staff.id] }),
    await account.patch(`${path}/roles`, { remove: [plain.id] }),
    await account.patch(`${path}/profiles`, { add: [profile.id] }),
    await block(account, path),
    await account.delete(path),
  ]
  const removed = await service.patch(`${path}/roles`, { remove: [staff.id] })

  assert.deepEqual(assigned.slice(0, 2).map(outcome), [REFUSED, REFUSED])
  assert.deepEqual(
    assigned.slice(2).map(({ body }) => body.roles),
    [[plain.id], [plain.id, staff.id].sort()],
  )
  assert.deepEqual(refused.map(outcome), Array(5).fill(REFUSED))
  assert.deepEqual([removed.body.roles, removed.body.id], [[plain.id], membership.id])
  assert.equal((await account.delete(path)).status, 204)
  assert.equal((await app.platform.get(`${PATH}?userId=${member.id}`)).body.total, 0)
})

test('P51: with accountAdminApi false the admin API is closed to account admins, at once', async (t) => {
  const app = await startTestApp(t)
  const { service, account, system, accountId, path } = await newCallers(app)
  const before = await account.get(path)

  const closed = await service.patch(`/admin/systems/${system.id}`, { accountAdminApi: false })
  const refused = [
    await account.get(path),
    await account.get(`/admin/accounts/${accountId}`),
    await block(account, path),
  ]
  await service.patch(`/admin/systems/${system.id}`, { accountAdminApi: true })

  assert.deepEqual([before.status, closed.body.accountAdminApi], [200, false])
  assert.deepEqual(refused.map(outcome), Array(3).fill(REFUSED))
  assert.equal((await account.get(path)).status, 200)
})

test('P36: a token of an administrator has the authority of its own system and account only, whatever its scope', async (t) => {
  const app = await startTestApp(t)
  const { account, system, boss, accountId } = await newCallers(app)
  const other = await newCallers(app)
  const admins = await app.newRole(other.system.id, { isAdmin: true })
  const theirs = await app.newMembership({ userId: boss.id, accountId: other.accountId, roles: [admins.id] })
  const console = (await app.platform.get('/admin/systems?search=tenantry')).body.data.find(
    ({ clientId }: { clientId: string }) => clientId === 'tenantry-console',
  )
  const [administrator] = (await app.platform.get(`/admin/systems/${console.id}/roles`)).body
  await app.newMembership({ userId: boss.id, systemId: console.id, roles: [administrator.id] })
  const parameters = { scope: 'openid' }
  const little = app.as(
    (await app.signIn(system, { email: boss.email, account: accountId, parameters })).access_token,
  )

  for (const client of [account, little]) {
    const own = await client.get(PATH)
    const elsewhere = [
      await client.get(`${PATH}/${theirs.id}`),
      await client.get(`/admin/accounts/${other.accountId}`),
    ]
    const platform = [await client.get('/admin/systems'), await client.get('/admin/users')]

    assert.deepEqual(
      own.body.data.map((one: { accountId: string }) => one.accountId),
      [accountId, accountId],
    )
    assert.deepEqual(
      elsewhere.map(({ status }) => status),
      [404, 404],
    )
    assert.deepEqual(platform.map(outcome), [REFUSED, REFUSED])
  }
})
