/** Until a user has entered a system, it sees the address at which it has stated the user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { changeAddress } from '../../../test/support/change-address.ts'
import { type Driver, startTestApp } from '../../../test/support/testing.ts'

const KNOWN = 'a password of the shop'

async function movedUser(app: Driver) {
  const [bank, shop] = [
    await app.newSystem({ skipConsent: true }),
    await app.newSystem({ skipConsent: true, multiAccount: true, allowClientCredentials: true }),
  ]
  const admins = await app.newRole(shop.id, { isAdmin: true })
  const admin = await app.newUser()
  const { accountId } = await app.newMembership({
    userId: admin.id,
    systemId: shop.id,
    accountName: 'Acme',
    roles: [admins.id],
  })
  const user = await app.newUser({ emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: bank.id })
  const service = await app.serviceOf(shop)
  const added = await service.post('/admin/memberships', { userId: user.id, accountId })
  assert.equal(added.status, 201)
  const account = app.as((await app.signIn(shop, { email: admin.email })).access_token)
  const later = `later-${crypto.randomUUID()}@example.test`
  const moved = await app.platform.patch(`/admin/users/${user.id}`, { email: later })
  assert.equal(moved.status, 200)
  return {
    app,
    bank,
    shop,
    service,
    account,
    accountId,
    user,
    stated: String(user.email),
    later,
    id: added.body.id,
  }
}

type World = Awaited<ReturnType<typeof movedUser>>

/** Everything that the system and the admin of its account read about the user. */
async function readOf({ app, service, account, accountId, shop, user, stated, later, id }: World) {
  const answers = []
  for (const client of [service, account])
    for (const path of [
      `/admin/memberships/${id}`,
      `/admin/memberships?userId=${user.id}`,
      `/admin/accounts/${accountId}/members?search=later`,
      `/admin/accounts/${accountId}/members?search=${stated}`,
      `/admin/names?ids=${user.id},${id}`,
      `/admin/search?q=${stated}`,
      `/admin/search?q=${id}`,
      '/admin/search?q=later-',
    ])
      answers.push((await client.get(path)).body)
  for (const path of [
    `/admin/users/${user.id}`,
    `/admin/users?search=${stated}`,
    `/admin/users?email=${stated}`,
    '/admin/users?search=later-',
    `/admin/users/${user.id}/export`,
    `/admin/systems/${shop.id}/accounts`,
    '/admin/sessions',
    '/admin/events?pageSize=100',
    '/admin/audit?pageSize=100',
  ])
    answers.push((await service.get(path)).body)
  const { data } = (await service.get(`/admin/users?email=${stated}`)).body
  const text = JSON.stringify(answers)
  const events = await app.findEvents({ systemId: shop.id })
  return {
    stated: text.includes(stated),
    later: text.includes(later) || JSON.stringify(events).includes(later),
    found: data.map((each: { id: string }) => each.id),
  }
}

test('P95: a system that the user has not entered reads the address that it has stated', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { service, user, id } = world
  await service.patch(`/admin/users/${user.id}`, { name: 'Ana' })
  await service.patch(`/admin/memberships/${id}`, { status: 'blocked' })
  await service.patch(`/admin/memberships/${id}`, { status: 'active' })

  const read = await readOf(world)

  assert.deepEqual(read, { stated: true, later: false, found: [user.id] })
})

test('P95: tokens and userinfo have the address that the system has stated, until the user enters', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { app, shop, service, user, stated, later } = world
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })

  const before = await app.signIn(shop, { email: later, password: KNOWN })
  const me = await app.me(before.access_token)
  const read = await readOf(world)

  assert.deepEqual([decodeJwt(before.id_token).email ?? me.body.email, me.body.email], [stated, stated])
  assert.equal(read.later, false)
})

test('a system reads the present address once the user has entered it, and each later one', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { app, shop, service, user, later, id } = world
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: KNOWN, temporary: false })
  const tokens = await app.signIn(shop, { email: later, password: KNOWN })
  const emails = async () => [
    (await service.get(`/admin/users/${user.id}`)).body.email,
    (await service.get(`/admin/memberships/${id}`)).body.user.email,
    (await service.get(`/admin/users?search=${later}`)).body.data[0]?.id,
  ]

  assert.deepEqual(await emails(), [later, later, user.id])

  const last = `last-${crypto.randomUUID()}@example.test`
  await app.platform.patch(`/admin/users/${user.id}`, { email: last })

  assert.equal((await service.get(`/admin/users/${user.id}`)).body.email, last)
  assert.equal((await service.get(`/admin/memberships/${id}`)).body.user.email, last)
  assert.equal((await app.me(tokens.access_token)).body.email, last)
})

test('P95: email that the system causes goes to the present address', async (t) => {
  const { app, service, user, stated, later } = await movedUser(await startTestApp(t))
  const before = (await app.emailsTo(stated)).length

  const sent = await service.post(`/admin/users/${user.id}/send-password-reset`)

  assert.equal(sent.status, 202)
  assert.equal((await app.emailsTo(stated)).length, before)
  assert.ok((await app.emailsTo(later)).some(({ text }) => text.includes('/reset-password?token=')))
})

test('P95: no answer to an address that a system sends tells that it is the later one of a user', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { app, shop, service, account, accountId, stated, later } = world
  const at = `/admin/accounts/${accountId}/invitations`
  const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
    status,
    body.code,
    body.userId,
  ]
  const isExplained = async (email: string) =>
    (await service.get(`/admin/explain?email=${email}`)).body.code !== 'user_unknown'

  const answers = {
    created: outcome(await service.post('/admin/users', { email: later })),
    added: outcome(await service.post('/admin/memberships', { email: later, systemId: shop.id })),
    invited: [
      outcome(await service.post(at, { email: later })),
      outcome(await account.post(at, { email: later })),
    ],
    explained: await isExplained(later),
  }
  const known = {
    added: outcome(await service.post('/admin/memberships', { email: stated, accountId })),
    invited: [
      outcome(await service.post(at, { email: stated })),
      outcome(await account.post(at, { email: stated })),
    ],
    explained: await isExplained(stated),
  }
  const byPlatform = outcome(await app.platform.post(at, { email: later }))

  assert.deepEqual(answers, {
    created: [409, 'email_taken', undefined],
    added: [404, 'user_not_found', undefined],
    invited: [
      [201, undefined, undefined],
      [409, 'invitation_exists', undefined],
    ],
    explained: false,
  })
  assert.deepEqual(known, {
    added: [409, 'membership_exists', undefined],
    invited: Array(2).fill([409, 'membership_exists', undefined]),
    explained: true,
  })
  assert.deepEqual(byPlatform, [409, 'membership_exists', undefined])
})

test('P95: a personal account has the address as name that the system reads, until the user enters', async (t) => {
  const app = await startTestApp(t)
  const single = await app.newSystem({ skipConsent: true, allowClientCredentials: true })
  const service = await app.serviceOf(single)
  const [stated, later] = ['stated', 'later'].map((name) => `${name}-${crypto.randomUUID()}@example.test`)
  const { id } = (await service.post('/admin/users', { email: stated })).body
  await app.platform.patch(`/admin/users/${id}`, { email: later })

  await app.newMembership({ userId: id, systemId: single.id })
  const { data } = (await service.get(`/admin/systems/${single.id}/accounts`)).body
  const events = await app.findEvents({ systemId: single.id })
  const audit = (await service.get('/admin/audit?pageSize=100')).body

  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    [stated],
  )
  assert.ok(!JSON.stringify([events, audit]).includes(later!))
})

/** What a system reads about a user by id, by the membership, by both addresses and in its events. */
async function addressesOf({ app, service, shop, user, stated, later }: World, membershipId: string) {
  const [byId, membership] = [
    await service.get(`/admin/users/${user.id}`),
    await service.get(`/admin/memberships/${membershipId}`),
  ]
  const searches = []
  for (const path of [`email=${later}`, `search=${later}`, 'search=later-'])
    searches.push((await service.get(`/admin/users?${path}`)).body.data)
  const events = await app.findEvents({ systemId: shop.id })
  return {
    read: [byId.body.email, membership.body.user.email],
    found: (await service.get(`/admin/users?email=${stated}`)).body.data.map(
      (each: { id: string }) => each.id,
    ),
    told: JSON.stringify([searches, events]).includes(later),
  }
}

test('P95: a system that removes a user and adds the id again reads the address as before', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { app, shop, service, accountId, user, stated, later } = world
  const removed = await service.delete(`/admin/users/${user.id}`)

  const added = await service.post('/admin/memberships', { userId: user.id, accountId })
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const me = await app.me((await app.signIn(shop, { email: later, password: KNOWN })).access_token)
  const again = await addressesOf(world, added.body.id)

  assert.deepEqual([removed.status, added.status], [204, 201])
  assert.deepEqual(again, { read: [stated, stated], found: [user.id], told: false })
  assert.equal(me.body.email, stated)
  const kept = () => app.platform.get(`/admin/users/${user.id}/export`)
  assert.deepEqual((await kept()).body.statedAddresses, [])
  await service.delete(`/admin/users/${user.id}`)
  assert.deepEqual((await kept()).body.statedAddresses, [{ systemId: shop.id, email: stated }])
})

test('a system that removes a user and names the present address exactly reads that address afterwards', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { service, accountId, user, later } = world
  await service.delete(`/admin/users/${user.id}`)

  const named = (await service.get(`/admin/users?email=${later}`)).body.data
  const added = await service.post('/admin/memberships', { userId: user.id, accountId })

  assert.deepEqual(named, [{ id: user.id, email: later }])
  assert.deepEqual((await addressesOf(world, added.body.id)).read, [later, later])
})

test('a user who enters after having been removed and added again is read at the present address', async (t) => {
  const world = await movedUser(await startTestApp(t))
  const { app, shop, service, accountId, user, later } = world
  await service.delete(`/admin/users/${user.id}`)
  const added = await service.post('/admin/memberships', { userId: user.id, accountId })
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: KNOWN, temporary: false })

  await app.signIn(shop, { email: later, password: KNOWN })

  assert.deepEqual((await addressesOf(world, added.body.id)).read, [later, later])

  await service.delete(`/admin/users/${user.id}`)
  await app.platform.patch(`/admin/users/${user.id}`, { email: `last-${crypto.randomUUID()}@example.test` })
  const third = await service.post('/admin/memberships', { userId: user.id, accountId })

  assert.deepEqual((await addressesOf(world, third.body.id)).read, [later, later])
})

test('P95: an id that a system got for a former address names no user until the system names the present one', async (t) => {
  const { app, service, shop, user, later } = await movedUser(await startTestApp(t))
  const other = await app.newSystem({ skipConsent: true, multiAccount: true, allowClientCredentials: true })
  const sibling = await app.serviceOf(other)
  const unmoved = await app.newUser()
  const add = (id: unknown) => sibling.post('/admin/memberships', { userId: id, systemId: other.id })
  assert.equal((await add(unmoved.id)).status, 201)

  const before = await add(user.id)
  const named = await sibling.post('/admin/users', { email: later })
  const after = await add(user.id)

  assert.deepEqual([before.status, before.body.code], [404, 'user_not_found'])
  assert.deepEqual([named.status, named.body.userId], [409, user.id])
  assert.deepEqual([after.status, after.body.user?.email], [201, later])

  const looked = await app.newUser({ emailVerified: true })
  assert.equal((await service.get(`/admin/users?email=${looked.email}`)).body.data[0].id, looked.id)
  await app.platform.patch(`/admin/users/${looked.id}`, {
    email: `later-${crypto.randomUUID()}@example.test`,
  })

  const late = await service.post('/admin/memberships', { userId: looked.id, systemId: shop.id })

  assert.deepEqual([late.status, late.body.code], [404, 'user_not_found'])
})

test('P95: a user who proves the address of one that a system has stated elsewhere is read at the stated one', async (t) => {
  const app = await startTestApp(t)
  const shop = await app.newSystem({ skipConsent: true, multiAccount: true, allowClientCredentials: true })
  const service = await app.serviceOf(shop)
  const [stated, later] = ['stated', 'later'].map((name) => `${name}-${crypto.randomUUID()}@example.test`)
  const { id } = (await service.post('/admin/users', { email: stated })).body
  await service.post('/admin/memberships', { userId: id, systemId: shop.id })
  await app.platform.patch(`/admin/users/${id}`, { email: later })
  const owner = await app.newUser()
  await app.newMembership({ userId: owner.id, systemId: (await app.newSystem({ skipConsent: true })).id })

  const status = await changeAddress(app, String(owner.email), later!)

  assert.equal(status, 200)
  assert.equal((await service.get(`/admin/users/${owner.id}`)).body.email, stated)
  const events = await app.findEvents({ systemId: shop.id, userId: owner.id })
  assert.deepEqual(
    events.filter(({ type }) => type === 'user.merged').map(({ data }) => data.user),
    [{ id: owner.id, email: stated }],
  )
})

test('P95: the platform that adds a removed user to a system names the personal account as the system reads it', async (t) => {
  const app = await startTestApp(t)
  const single = await app.newSystem({ skipConsent: true, allowClientCredentials: true })
  const service = await app.serviceOf(single)
  const [stated, later] = ['stated', 'later'].map((name) => `${name}-${crypto.randomUUID()}@example.test`)
  const { id } = (await service.post('/admin/users', { email: stated })).body
  await app.platform.patch(`/admin/users/${id}`, { email: later, emailVerified: true })
  await service.delete(`/admin/users/${id}`)

  await app.newMembership({ userId: id, systemId: single.id })
  const { data } = (await service.get(`/admin/systems/${single.id}/accounts`)).body

  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    [stated],
  )
})
