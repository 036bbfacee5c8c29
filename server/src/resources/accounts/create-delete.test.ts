/** Accounts that are created without a member, and the deletion of accounts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp, tokenRequest } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'

const outcome = ({ status, body }: Answer) => [status, body?.code]

test('an account is created without members; the first member gets access to it', async (t) => {
  const app = await startTestApp(t)
  const { newSystem, newUser, newMembership, serviceOf } = app
  const system = await newSystem({ multiAccount: true, skipConsent: true, allowClientCredentials: true })
  const service = await serviceOf(system)

  const created = await service.post(`/admin/systems/${system.id}/accounts`, { name: 'Acme' })

  assert.deepEqual([created.status, created.body.name, created.body.kind], [201, 'Acme', 'organization'])
  assert.equal(created.headers.get('location'), `/admin/accounts/${created.body.id}`)
  const user = await newUser()
  await newMembership({ userId: user.id, accountId: created.body.id })
  const { access_token } = await app.signIn(system, user)
  const me = await app.as(access_token).get('/me')
  assert.equal(me.body.account_id, created.body.id)
  const events = await app.findEvents({ accountId: created.body.id })
  assert.deepEqual(
    events.map(({ type }) => type),
    ['account.created', 'user.access_granted'],
  )
})

test('accounts are created in systems with multiAccount, by the system itself or the platform', async (t) => {
  const { platform, newSystem, newMember, newRole, signIn, serviceOf, as } = await startTestApp(t)
  const [single, other] = [await newSystem(), await newSystem({ allowClientCredentials: true })]
  const { system, user, membership } = await newMember({ multiAccount: true, skipConsent: true })
  const role = await newRole(system.id, { isAdmin: true })
  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const admin = as((await signIn(system, user)).access_token)
  const path = `/admin/systems/${system.id}/accounts`

  const answers = [
    await platform.post(`/admin/systems/${single.id}/accounts`, { name: 'Acme' }),
    await (await serviceOf(other)).post(path, { name: 'Acme' }),
    await admin.post(path, { name: 'Acme' }),
    await platform.post(path, {}),
  ]

  assert.deepEqual(answers.map(outcome), [
    [400, 'invalid_request'],
    [404, 'system_not_found'],
    [403, 'insufficient_authority'],
    [400, 'invalid_request'],
  ])
  assert.equal((await platform.get(path)).body.total, 1)
})

test('P21: deleting an account ends the access of its members at once, and events say so', async (t) => {
  const app = await startTestApp(t)
  const { newSystem, newUser, newMembership, serviceOf } = app
  const system = await newSystem({ multiAccount: true, skipConsent: true, allowClientCredentials: true })
  const [ana, bob] = [await newUser(), await newUser()]
  const acme = await newMembership({ userId: ana.id, systemId: system.id, accountName: 'Acme' })
  await newMembership({ userId: bob.id, accountId: acme.accountId, status: 'pending' })
  const birch = await newMembership({ userId: bob.id, systemId: system.id })
  const tokens = await app.signIn(system, ana)
  const others = await app.signIn(system, bob)
  const service = await serviceOf(system)

  const deleted = await service.delete(`/admin/accounts/${acme.accountId}`)

  assert.equal(deleted.status, 204)
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token! }
  assert.equal((await tokenRequest(app.url, system, refresh)).body.error, 'invalid_grant')
  const me = [tokens, others].map(({ access_token }) => app.as(access_token).get('/me'))
  assert.deepEqual(
    (await Promise.all(me)).map(({ status }) => status),
    [401, 200],
  )
  assert.deepEqual(outcome(await service.get(`/admin/accounts/${acme.accountId}`)), [
    404,
    'account_not_found',
  ])
  assert.equal((await service.get(`/admin/accounts/${birch.accountId}`)).status, 200)
  const events = await app.findEvents({ accountId: acme.accountId })
  assert.deepEqual(events.map(({ type }) => type).slice(-4), [
    'session.ended',
    'user.access_revoked',
    'user.access_revoked',
    'account.deleted',
  ])
  assert.deepEqual(events.at(-4)!.data.reason, 'account_removed')
  const [entry] = await app.audited({ targetId: acme.accountId, action: 'account.deleted' })
  assert.deepEqual(entry!.changes.name, ['Acme', null])
})

test('P37: only its system and the platform delete an account, and a block by the platform stays', async (t) => {
  const app = await startTestApp(t)
  const { platform, newSystem, newMember, newRole, serviceOf } = app
  const { system, user, membership } = await newMember({
    multiAccount: true,
    skipConsent: true,
    allowClientCredentials: true,
  })
  const role = await newRole(system.id, { isAdmin: true })
  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const admin = app.as((await app.signIn(system, user)).access_token)
  const stranger = await serviceOf(await newSystem({ allowClientCredentials: true }))
  const service = await serviceOf(system)
  const path = `/admin/accounts/${membership.accountId}`
  const [platformAccount] = (await platform.get('/admin/memberships?search=admin@')).body.data

  const refused = [await stranger.delete(path), await admin.delete(path)]
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  refused.push(
    await service.delete(path),
    await platform.delete(`/admin/accounts/${platformAccount.accountId}`),
  )

  assert.deepEqual(refused.map(outcome), [
    [404, 'account_not_found'],
    [403, 'insufficient_authority'],
    [403, 'insufficient_authority'],
    [409, 'platform_system'],
  ])
  assert.equal((await platform.get(`/admin/memberships/${membership.id}`)).body.status, 'blocked')
  assert.equal((await platform.delete(path)).status, 204)
})

test('a member who is added while the account is deleted has access to nothing', async (t) => {
  const { platform, newSystem, newUser, newMembership, findEvents } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { accountId } = await newMembership({ userId: (await newUser()).id, systemId: system.id })
    const { id: userId } = await newUser()

    const [added, deleted] = await Promise.all([
      platform.post('/admin/memberships', { userId, accountId }),
      platform.delete(`/admin/accounts/${accountId}`),
    ])

    assert.equal(deleted.status, 204)
    assert.ok([201, 404].includes(added.status), `${added.status}`)
    const types = (await findEvents({ accountId })).map(({ type }) => type)
    const count = (type: string) => types.filter((each) => each === type).length
    assert.equal(count('user.access_revoked'), count('user.access_granted'))
    assert.equal(types.at(-1), 'account.deleted')
    assert.equal((await platform.get(`/admin/memberships?userId=${userId}`)).body.total, 0)
  }
})

test('P53: a system has at most 20,000 accounts that have had no member', async (t) => {
  const { db, newSystem, newUser, newMembership, serviceOf } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const service = await serviceOf(system)
  // In parts, each of which takes less than the timeout of a statement on a busy machine.
  for (let from = 1; from <= 19_998; from += 2_000)
    await db.execute(sql`insert into accounts (system_id, kind, name, awaits_member)
      select ${system.id}::uuid, 'organization', 'Quota ' || n, true
      from generate_series(${from}::int, least(${from}::int + 1999, 19998)) n`)
  const add = () => service.post(`/admin/systems/${system.id}/accounts`, { name: 'Acme' })

  const answers = await Promise.all(Array.from({ length: 4 }, add))
  const [first] = answers.filter(({ status }) => status === 201)
  await newMembership({ userId: (await newUser()).id, accountId: first!.body.id })
  answers.push(await add(), await add())

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409])
  assert.deepEqual(outcome(answers.at(-1)!), [409, 'limit_reached'])
})
