/** A user changes to an address that systems have given to another user, who never proved it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeAddress } from '../../test/support/change-address.ts'
import { newAddress } from '../../test/support/invitations.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { connectionLinks, membershipRoles } from '../database/schema.ts'
import { insertLink } from '../resources/connections/links.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const OPEN = { allowClientCredentials: true, skipConsent: true }
const KNOWN = 'a password that a system knows'
const opens = async (app: App, system: Parameters<App['authorize']>[0], email: string, password: string) =>
  (await app.authorize(system, { email, password })).back.code !== undefined

test('P09: the verified address brings what a system has stated about it, valid in that system only', async (t) => {
  const app = await startTestApp(t)
  const [shop, bank] = [
    await app.newSystem({ ...OPEN, multiAccount: true }),
    await app.newSystem({ ...OPEN, multiAccount: true }),
  ]
  const service = await app.serviceOf(shop)
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: bank.id })
  const to = newAddress()
  const other = (await service.post('/admin/users', { email: to, password: KNOWN, metadata: { number: 7 } }))
    .body
  const join = async (fields: object) =>
    (await service.post('/admin/memberships', { userId: other.id, systemId: shop.id, ...fields })).body
  const [active, blocked] = [
    await join({ accountName: 'Acme', roles: [(await app.newRole(shop.id)).id] }),
    await join({ accountName: 'Beta', status: 'blocked' }),
  ]
  const { access_token: token } = await app.signIn(shop, { email: to, password: KNOWN })
  const connections = `/admin/accounts/${active.accountId}/connections`
  const { id: connectionId } = (await service.post(connections, { name: 'Okta', kind: 'oidc' })).body
  const link = { accountId: active.accountId, connectionId, subject: 'one', email: to, groups: [] }
  const linkId = await insertLink(app.db, { ...link, userId: other.id })

  const status = await changeAddress(app, user.email, to)

  assert.equal(status, 200)
  const [linked] = await app.db.select().from(connectionLinks).where(eq(connectionLinks.id, linkId))
  assert.equal(linked?.userId, user.id, 'a link follows its membership')
  const stated = (await service.get(`/admin/users/${user.id}`)).body
  assert.deepEqual([stated.email, stated.metadata], [to, { number: 7 }])
  assert.equal((await app.platform.get(`/admin/users/${other.id}`)).status, 404)
  const ofRoles = await app.db
    .select()
    .from(membershipRoles)
    .where(eq(membershipRoles.membershipId, active.id))
  assert.deepEqual(
    ofRoles.map(({ userId }) => userId),
    [user.id],
  )
  const members = (await service.get(`/admin/memberships?userId=${user.id}`)).body.data
  const found = members.map(({ id, status }: { id: string; status: string }) => [id, status]).sort()
  assert.deepEqual(
    found,
    [
      [active.id, 'active'],
      [blocked.id, 'blocked'],
    ].sort(),
  )
  assert.equal((await app.me(token)).status, 401, 'the sessions of the other user have ended')
  assert.deepEqual([await opens(app, shop, to, KNOWN), await opens(app, bank, to, KNOWN)], [true, false])
  assert.equal(await opens(app, bank, to, PASSWORD), true)
  const merged = await app.findEvents({ type: 'user.merged', userId: user.id })
  assert.deepEqual(
    merged.map(({ systemId, data }) => [systemId, data.user, data.mergedUserId]),
    [[shop.id, { id: user.id, email: to }, other.id]],
  )
  const [entry] = (await service.get(`/admin/audit?action=user.merged`)).body.data
  assert.deepEqual(entry.changes, { mergedInto: [null, user.id] })
})

test('in a system that has both users, the membership and the statements of the first remain', async (t) => {
  const app = await startTestApp(t)
  const shop = await app.newSystem(OPEN)
  const service = await app.serviceOf(shop)
  const user = await app.newUser()
  const own = await app.newMembership({ userId: user.id, systemId: shop.id })
  const to = newAddress()
  const other = (await service.post('/admin/users', { email: to, password: KNOWN, metadata: { number: 7 } }))
    .body
  const lost = await app.newMembership({ userId: other.id, systemId: shop.id })

  const status = await changeAddress(app, user.email, to)

  assert.equal(status, 200)
  assert.deepEqual((await service.get(`/admin/users/${user.id}`)).body.metadata, {})
  const members = (await service.get(`/admin/memberships?userId=${user.id}`)).body.data
  assert.deepEqual(
    members.map(({ id }: { id: string }) => id),
    [own.id],
  )
  assert.equal((await service.get(`/admin/memberships/${lost.id}`)).status, 404)
  const revoked = await app.findEvents({ type: 'user.access_revoked', userId: other.id })
  assert.deepEqual(
    revoked.map(({ membershipId }) => membershipId),
    [lost.id],
  )
  assert.deepEqual([await opens(app, shop, to, KNOWN), await opens(app, shop, to, PASSWORD)], [false, true])
})

test('P05: an address whose user has a password of their own, or has verified it, gets no link', async (t) => {
  const app = await startTestApp(t)
  const owners = [
    await app.newUser(),
    await app.newUser({ password: undefined, emailVerified: true }),
    await app.newUser({ password: undefined, name: 'Alice' }),
  ]
  for (const owner of owners) {
    const user = await app.newUser()
    await assert.rejects(changeAddress(app, user.email, owner.email), /the new address gets a link/)
  }
})

test('P51: a user whom the platform has blocked in a system gets no membership there from the user of another address', async (t) => {
  const app = await startTestApp(t)
  const shop = await app.newSystem({ ...OPEN, multiAccount: true })
  const service = await app.serviceOf(shop)
  const user = await app.newUser()
  const own = await app.newMembership({ userId: user.id, systemId: shop.id })
  await app.platform.patch(`/admin/memberships/${own.id}`, { status: 'blocked' })
  const to = newAddress()
  const other = (await service.post('/admin/users', { email: to, password: KNOWN })).body
  await service.post('/admin/memberships', { userId: other.id, systemId: shop.id, accountName: 'Acme' })

  const status = await changeAddress(app, user.email, to)

  assert.equal(status, 200)
  const members = (await service.get(`/admin/memberships?userId=${user.id}`)).body.data
  assert.deepEqual(
    members.map(({ id, status }: { id: string; status: string }) => [id, status]),
    [[own.id, 'blocked']],
  )
  assert.equal(await opens(app, shop, to, PASSWORD), false)
})

test('P51: a user whom a system has disabled remains disabled after a change to the address of that user', async (t) => {
  const app = await startTestApp(t)
  const shop = await app.newSystem({ ...OPEN, multiAccount: true })
  const service = await app.serviceOf(shop)
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: shop.id })
  const { access_token: token } = await app.signIn(shop, { email: user.email })
  const to = newAddress()
  const other = (await service.post('/admin/users', { email: to, password: KNOWN })).body
  await service.post('/admin/memberships', { userId: other.id, systemId: shop.id, accountName: 'Acme' })
  await service.patch(`/admin/users/${other.id}`, { disabled: true })

  const status = await changeAddress(app, user.email, to)

  assert.equal(status, 200)
  assert.equal((await service.get(`/admin/users/${user.id}`)).body.disabled, true)
  assert.equal((await app.me(token)).status, 401)
  assert.equal(await opens(app, shop, to, PASSWORD), false)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.updated' })
  assert.deepEqual([entry?.systemId, entry?.changes], [shop.id, { disabled: [false, true] }])
})

test('P51: when two users become one, the block of the higher authority remains', async (t) => {
  const app = await startTestApp(t)
  const shop = await app.newSystem({ ...OPEN, multiAccount: true })
  const service = await app.serviceOf(shop)
  const role = await app.newRole(shop.id, { isAdmin: true })
  const [boss, user, to] = [await app.newUser(), await app.newUser(), newAddress()]
  const { accountId } = await app.newMembership({ userId: boss.id, systemId: shop.id, roles: [role.id] })
  const own = await app.newMembership({ userId: user.id, accountId })
  const account = app.as((await app.signIn(shop, { email: boss.email })).access_token)
  const other = (await service.post('/admin/users', { email: to, password: KNOWN })).body
  await service.post('/admin/memberships', { userId: other.id, accountId, status: 'blocked' })
  const byAccount = await account.patch(`/admin/memberships/${own.id}`, { status: 'blocked' })

  const status = await changeAddress(app, user.email, to)
  const lifted = await account.patch(`/admin/memberships/${own.id}`, { status: 'active' })

  assert.deepEqual([byAccount.body.blockedBy, status], ['account', 200])
  assert.deepEqual([lifted.status, lifted.body.code], [403, 'insufficient_authority'])
  assert.equal((await service.get(`/admin/memberships/${own.id}`)).body.blockedBy, 'system')
})

test('P51: what a system has decided against the user of the address covers an active member who gets it', async (t) => {
  const app = await startTestApp(t)
  const [shop, single] = [await app.newSystem({ ...OPEN, multiAccount: true }), await app.newSystem(OPEN)]
  const [service, ofSingle] = [await app.serviceOf(shop), await app.serviceOf(single)]
  const [boss, user, to] = [await app.newUser(), await app.newUser(), newAddress()]
  const { accountId } = await app.newMembership({ userId: boss.id, systemId: shop.id })
  const own = [
    await app.newMembership({ userId: user.id, accountId }),
    await app.newMembership({ userId: user.id, systemId: single.id }),
  ]
  const { access_token: token } = await app.signIn(shop, { email: user.email })
  const other = (await service.post('/admin/users', { email: to })).body
  await service.post('/admin/memberships', { userId: other.id, accountId, status: 'blocked' })
  const personal = await app.newMembership({ userId: other.id, systemId: single.id })
  await ofSingle.patch(`/admin/memberships/${personal.id}`, { status: 'blocked' })

  const status = await changeAddress(app, user.email, to)

  assert.equal(status, 200)
  const read = []
  for (const { id } of own) read.push((await app.platform.get(`/admin/memberships/${id}`)).body)
  assert.deepEqual(
    read.map((membership) => [membership.status, membership.blockedBy]),
    [
      ['blocked', 'system'],
      ['blocked', 'system'],
    ],
  )
  assert.equal((await app.me(token)).status, 401, 'the sessions of the membership have ended')
  const events = await app.findEvents({ type: 'user.access_blocked', userId: user.id })
  assert.deepEqual(events.map(({ membershipId }) => membershipId).sort(), own.map(({ id }) => id).sort())
})
