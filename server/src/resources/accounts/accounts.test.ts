import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents } from '../../../test/support/event-reader.ts'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { markEntered } from '../users/system-users.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })
const named = ({ body }: Answer) => body.data.map(({ name }: { name: string }) => name)

type App = Awaited<ReturnType<typeof startTestApp>>

/** A multi-account system with the accounts Acme (two members, one pending) and Birch (one member). */
async function twoAccounts({ newSystem, newUser, newMembership }: App) {
  const system = await newSystem({ multiAccount: true, skipConsent: true, allowClientCredentials: true })
  const [ana, bob] = [await newUser(), await newUser()]
  const acme = await newMembership({ userId: ana.id, systemId: system.id, accountName: 'Acme' })
  const pending = await newMembership({ userId: bob.id, accountId: acme.accountId, status: 'pending' })
  const birch = await newMembership({ userId: bob.id, systemId: system.id, accountName: 'Birch_1' })
  return { system, ana, bob, acme, pending, birch }
}

test('accounts are listed newest first with member counts, filtered by part of the name', async (t) => {
  const app = await startTestApp(t)
  const { system, acme, birch } = await twoAccounts(app)
  await twoAccounts(app)
  const list = (query = '') => app.platform.get(`/admin/systems/${system.id}/accounts${query}`)

  const all = await list()

  const [first, second] = all.body.data
  assert.deepEqual([all.status, all.body.page, all.body.pageSize, all.body.total], [200, 1, 20, 2])
  const { createdAt, updatedAt, ...fields } = second
  assert.deepEqual(fields, {
    id: acme.accountId,
    systemId: system.id,
    name: 'Acme',
    kind: 'organization',
    status: 'active',
    suspendedBy: [],
    requireMfa: false,
    ssoSelfService: false,
    ssoRequired: false,
    ssoRequiredBy: null,
    requireMfaBy: [],
    metadata: {},
    externalId: null,
    membersVisible: true,
    acceptOtherAddress: false,
    branding: {},
    memberCount: 2,
  })
  assert.ok(Date.parse(createdAt) > 0 && createdAt === updatedAt)
  assert.deepEqual([first.id, first.memberCount], [birch.accountId, 1])
  assert.deepEqual((await list('?page=2&pageSize=1')).body, {
    data: [second],
    page: 2,
    pageSize: 1,
    total: 2,
    nextCursor: null,
  })
  assert.deepEqual(
    [named(await list('?search=aCM')), named(await list('?search=h_1')), named(await list('?search=%25'))],
    [['Acme'], ['Birch_1'], []],
  )
  assert.deepEqual(outcome(await app.platform.get(`/admin/systems/${unknown}/accounts`)), [
    404,
    'system_not_found',
  ])
})

test('a personal account remains, without members, after its membership is deleted', async (t) => {
  const { platform, newMember } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  await platform.delete(`/admin/memberships/${membership.id}`)

  const { data } = (await platform.get(`/admin/systems/${system.id}/accounts`)).body
  const one = await platform.get(`/admin/accounts/${membership.accountId}`)

  assert.deepEqual(
    data.map(({ name, kind, memberCount }: Record<string, unknown>) => [name, kind, memberCount]),
    [[user.email, 'personal', 0]],
  )
  assert.deepEqual({ ...one.body, memberCount: 0 }, data[0])
})

test('renaming an account updates its memberships and sends one account.updated', async (t) => {
  const app = await startTestApp(t)
  const { system, acme } = await twoAccounts(app)
  const path = `/admin/accounts/${acme.accountId}`
  const before = (await app.platform.get(path)).body

  const answers = await Promise.all([1, 2, 3].map(() => app.platform.patch(path, { name: 'Acme & Sons' })))
  const idle = await app.platform.patch(path, {})

  const after = { ...before, name: 'Acme & Sons', updatedAt: idle.body.updatedAt }
  for (const answer of [...answers, idle]) assert.deepEqual([answer.status, answer.body], [200, after])
  assert.ok(after.updatedAt > before.updatedAt)
  assert.equal((await app.platform.get(`/admin/memberships/${acme.id}`)).body.account.name, 'Acme & Sons')
  const events = await app.findEvents({ accountId: acme.accountId, type: 'account.updated' })
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      {
        account: { id: acme.accountId, name: 'Acme & Sons', kind: 'organization' },
        accountId: acme.accountId,
        systemId: system.id,
        actor: { type: 'service', id: 'test-platform' },
      },
    ],
  )
  const entries = await app.audited({ targetId: acme.accountId, action: 'account.updated' })
  assert.deepEqual(
    entries.map(({ changes, systemId, accountId }) => [changes, systemId, accountId]),
    [[{ name: ['Acme', 'Acme & Sons'] }, system.id, acme.accountId]],
  )
})

test('P42, P13: an invalid name is rejected; kind, system and user of an account are fixed', async (t) => {
  const app = await startTestApp(t)
  const { acme, ana } = await twoAccounts(app)
  const path = `/admin/accounts/${acme.accountId}`
  const before = (await app.platform.get(path)).body
  const names = ['', 'x'.repeat(101), 1, null, [], {}]

  const refused = await Promise.all(names.map((name) => app.platform.patch(path, { name })))
  const kept = await app.platform.patch(path, {
    id: unknown,
    systemId: unknown,
    kind: 'personal',
    personalOf: ana.id,
  })

  assert.deepEqual(refused.map(outcome), Array(6).fill([400, 'invalid_request']))
  assert.deepEqual(outcome(kept), [400, 'invalid_request'])
  assert.deepEqual((await app.platform.get(path)).body, before)
})

test('the members of an account are listed in pages, by status and part of the address', async (t) => {
  const app = await startTestApp(t)
  const { acme, pending, birch, ana } = await twoAccounts(app)
  const list = async (query = '') =>
    (await app.platform.get(`/admin/accounts/${acme.accountId}/members${query}`)).body

  assert.deepEqual(await list(), { data: [pending, acme], page: 1, pageSize: 20, total: 2, nextCursor: null })
  assert.deepEqual(await list('?page=2&pageSize=1'), {
    data: [acme],
    page: 2,
    pageSize: 1,
    total: 2,
    nextCursor: null,
  })
  assert.deepEqual((await list('?status=pending')).data, [pending])
  assert.deepEqual((await list(`?search=${ana.email.slice(0, 12).toUpperCase()}`)).data, [acme])
  assert.deepEqual((await list(`?accountId=${birch.accountId}&userId=x&systemId=x`)).total, 2)
  const refused = ['status=gone', 'page=0', 'search=a&search=b'].map((query) =>
    app.platform.get(`/admin/accounts/${acme.accountId}/members?${query}`),
  )
  assert.deepEqual((await Promise.all(refused)).map(outcome), Array(3).fill([400, 'invalid_request']))
  assert.deepEqual(outcome(await app.platform.get(`/admin/accounts/${unknown}/members`)), [
    404,
    'account_not_found',
  ])
})

test('P37: a service token reaches the accounts of its system; others are 404, unchanged', async (t) => {
  const app = await startTestApp(t)
  const [own, other] = [await twoAccounts(app), await twoAccounts(app)]
  const service = await app.serviceOf(own.system)
  const attempts = (systemId: string, accountId: string) =>
    Promise.all([
      service.get(`/admin/systems/${systemId}/accounts`),
      service.get(`/admin/accounts/${accountId}`),
      service.patch(`/admin/accounts/${accountId}`, { name: 'Mine' }),
      service.get(`/admin/accounts/${accountId}/members`),
    ])

  const [theirs, absent] = [
    await attempts(other.system.id, other.acme.accountId),
    await attempts(unknown, unknown),
  ]
  const mine = await attempts(own.system.id, own.acme.accountId)

  assert.deepEqual(theirs.map(masked), absent.map(masked))
  assert.deepEqual(theirs.map(outcome), [
    [404, 'system_not_found'],
    [404, 'account_not_found'],
    [404, 'account_not_found'],
    [404, 'account_not_found'],
  ])
  assert.equal((await app.platform.get(`/admin/accounts/${other.acme.accountId}`)).body.name, 'Acme')
  assert.deepEqual(
    mine.map(({ status, body }) => [status, body.total ?? body.systemId]),
    [
      [200, 2],
      [200, own.system.id],
      [200, own.system.id],
      [200, 2],
    ],
  )
})

test('P36: an account administrator reads and renames only their organization, and reads no count of others', async (t) => {
  const app = await startTestApp(t)
  const { system, acme, pending, birch, ana } = await twoAccounts(app)
  const role = await app.newRole(system.id, { isAdmin: true })
  await app.platform.patch(`/admin/memberships/${acme.id}/roles`, { roles: [role.id] })
  const admin = app.as((await app.signIn(system, ana)).access_token)
  const foreign = await app.newMember()
  const attempts = (systemId: string, accountId: string) =>
    Promise.all([
      admin.get(`/admin/systems/${systemId}/accounts`),
      admin.get(`/admin/accounts/${accountId}`),
      admin.get(`/admin/accounts/${accountId}/members`),
    ])

  const [list, one, members] = await attempts(system.id, acme.accountId)
  const [neighbour, outsider, missing] = [
    (await attempts(system.id, birch.accountId)).slice(1),
    await attempts(foreign.system.id, foreign.membership.accountId),
    await attempts(unknown, unknown),
  ]
  const found = await admin.get(`/admin/systems/${system.id}/accounts?search=Birch`)
  const single = await app.newMember({ skipConsent: true })
  const alone = await app.newRole(single.system.id, { isAdmin: true })
  await app.platform.patch(`/admin/memberships/${single.membership.id}/roles`, { roles: [alone.id] })
  const ofPersonal = app.as((await app.signIn(single.system as never, single.user as never)).access_token)
  const renamed = await admin.patch(`/admin/accounts/${acme.accountId}`, {
    name: 'Acme Ltd',
    kind: 'personal',
  })
  const refused = [
    await admin.patch(`/admin/accounts/${birch.accountId}`, { name: 'Mine' }),
    await ofPersonal.patch(`/admin/accounts/${single.membership.accountId}`, { name: 'Mine' }),
    await admin.delete(`/admin/accounts/${acme.accountId}`),
  ]

  assert.deepEqual([list!.body.data, list!.body.total], [[{ ...one!.body, memberCount: 2 }], 1])
  assert.deepEqual(
    members!.body.data.map(({ id }: { id: string }) => id),
    [pending.id, acme.id],
  )
  assert.deepEqual(neighbour.map(masked), missing.slice(1).map(masked))
  assert.deepEqual(outsider.map(masked), missing.map(masked))
  assert.deepEqual(
    missing.map(({ status }) => status),
    [404, 404, 404],
  )
  assert.deepEqual([found.body.data, found.body.total], [[], 0])
  assert.equal(renamed.status, 400)
  assert.equal(
    (await admin.patch(`/admin/accounts/${acme.accountId}`, { name: 'Acme Ltd' })).body.name,
    'Acme Ltd',
  )
  assert.deepEqual(refused.map(outcome), [
    [404, 'account_not_found'],
    [409, 'not_organization'],
    [403, 'insufficient_authority'],
  ])
  const names = [acme.accountId, birch.accountId, single.membership.accountId].map(
    async (id) => (await app.platform.get(`/admin/accounts/${id}`)).body.name,
  )
  assert.deepEqual(await Promise.all(names), ['Acme Ltd', 'Birch_1', single.user.email])
})

test('a personal account is renamed with the address of its user, unless it has another name', async (t) => {
  const { db, platform, newMember, newSystem, newMembership, findEvents } = await startTestApp(t)
  const { user, system, membership } = await newMember()
  await markEntered(db, { userId: user.id, systemId: system.id })
  const other = await newMembership({
    userId: user.id,
    systemId: (await newSystem()).id,
    accountName: 'Mine',
  })
  const email = `${crypto.randomUUID()}@example.test`

  await platform.patch(`/admin/users/${user.id}`, { email })

  const accounts = [membership, other].map(({ accountId }) => platform.get(`/admin/accounts/${accountId}`))
  assert.deepEqual(
    (await Promise.all(accounts)).map(({ body }) => body.name),
    [email, 'Mine'],
  )
  const events = await findEvents({ accountId: membership.accountId, type: 'account.updated' })
  assert.deepEqual(
    events.map(({ data }) => [data.account, data.actor]),
    [
      [
        { id: membership.accountId, name: email, kind: 'personal' },
        { type: 'service', id: null },
      ],
    ],
  )
})

test('P09: a system that has removed a user does not learn a later address or who has changed it', async (t) => {
  const { db, platform, newMember, serviceOf, audited } = await startTestApp(t)
  const { user, system, membership } = await newMember({ allowClientCredentials: true })
  const other = await newMember({ allowClientCredentials: true })
  await platform.post('/admin/memberships', { userId: user.id, systemId: other.system.id })
  await markEntered(db, { userId: user.id, systemId: other.system.id })
  const service = await serviceOf(system)
  await service.delete(`/admin/users/${user.id}`)
  const email = `${crypto.randomUUID()}@example.test`

  await platform.patch(`/admin/users/${user.id}`, { email })

  const account = (await service.get(`/admin/accounts/${membership.accountId}`)).body
  const seen = [account, (await service.get('/admin/audit')).body, (await readEvents(service)).rows]
  assert.equal(account.name, user.email)
  assert.ok(!JSON.stringify(seen).includes(email))
  const [entry] = await audited({ systemId: other.system.id, action: 'account.updated' })
  assert.deepEqual([entry!.actorId, entry!.actorIp, entry!.actorUserAgent], [null, null, null])
})
