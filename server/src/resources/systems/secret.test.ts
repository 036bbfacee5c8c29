import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endGrace } from '../../../test/support/system-cache.ts'
import { basicAuth, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { systems } from '../../database/schema.ts'

const SERVICE = { grant_type: 'client_credentials' }

test('P38: the secret is only in the responses that create it', async (t) => {
  const { platform, newSystem, audited, findEvents } = await startTestApp(t)
  const shop = await newSystem({ name: 'Secretive' })

  const rotated = await platform.post(`/admin/systems/${shop.id}/rotate-secret`)
  const elsewhere = JSON.stringify([
    (await platform.get('/admin/systems?search=secretive')).body,
    (await platform.get(`/admin/systems/${shop.id}`)).body,
    (await platform.patch(`/admin/systems/${shop.id}`, { name: 'Secretive too' })).body,
    await audited({ systemId: shop.id }),
    await findEvents({ systemId: shop.id }),
  ])

  assert.deepEqual(
    [rotated.status, Object.keys(rotated.body).sort(), rotated.body.clientId],
    [200, ['clientId', 'clientSecret'], shop.clientId],
  )
  assert.notEqual(rotated.body.clientSecret, shop.clientSecret)
  assert.doesNotMatch(elsewhere, /secretHash|clientSecret/)
  for (const secret of [shop.clientSecret, rotated.body.clientSecret]) assert.ok(!elsewhere.includes(secret))
  assert.deepEqual((await findEvents({ systemId: shop.id, type: 'system.secret_rotated' })).length, 1)
  assert.deepEqual((await audited({ targetId: shop.id, action: 'system.secret_rotated' })).length, 1)
})

test('a public client has no secret, no rotation and no service tokens', async (t) => {
  const { platform, newSystem } = await startTestApp(t)

  const app = await newSystem({ name: 'App', clientType: 'public' })

  const refusals = [
    await platform.post(`/admin/systems/${app.id}/rotate-secret`),
    await platform.patch(`/admin/systems/${app.id}`, { allowClientCredentials: true }),
    await platform.post('/admin/systems', {
      name: 'App',
      clientType: 'public',
      allowClientCredentials: true,
    }),
  ]
  assert.ok(!('clientSecret' in app))
  assert.deepEqual(
    refusals.map((answer) => [answer.status, answer.body.code]),
    refusals.map(() => [400, 'invalid_request']),
  )
  assert.equal((await platform.get(`/admin/systems/${app.id}`)).body.allowClientCredentials, false)
})

test('P38: after a rotation the old secret is refused and the new one works', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })
  const before = await token(shop, SERVICE)

  const rotated = (await platform.post(`/admin/systems/${shop.id}/rotate-secret`)).body

  const answers = [before, await token(shop, SERVICE), await token({ ...shop, ...rotated }, SERVICE)]
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.error]),
    [
      [200, undefined],
      [401, 'invalid_client'],
      [200, undefined],
    ],
  )
})

test('P38: graceSeconds keeps the previous secret valid, and no older one', async (t) => {
  const { db, platform, newSystem, token } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })
  const rotate = async (graceSeconds: number) => ({
    ...shop,
    ...(await platform.post(`/admin/systems/${shop.id}/rotate-secret`, { graceSeconds })).body,
  })

  const [second, third] = [await rotate(60), await rotate(3_600)]
  const within = [await token(shop, SERVICE), await token(second, SERVICE), await token(third, SERVICE)]
  await endGrace(db, shop)

  assert.deepEqual(
    within.map((answer) => answer.status),
    [401, 200, 200],
  )
  assert.deepEqual([(await token(second, SERVICE)).status, (await token(third, SERVICE)).status], [401, 200])
})

test('a system has the end of the grace period of its previous secret', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })
  const path = `/admin/systems/${shop.id}`
  const rotate = async (graceSeconds: number) => {
    const { body } = await platform.post(`${path}/rotate-secret`, { graceSeconds })
    const service = await serviceOf({ ...shop, clientSecret: body.clientSecret })
    return (await service.get(path)).body.previousSecretUntil
  }

  assert.equal(shop.previousSecretUntil, null)
  const until = Date.parse(await rotate(3_600))
  assert.ok(Math.abs(until - Date.now() - 3_600_000) < 60_000)
  assert.equal(await rotate(0), null)
})

test('P38: a service token by the previous secret ends with it and cannot rotate', async (t) => {
  const { url, db, platform, newSystem, token, as } = await startTestApp(t)
  const old = await newSystem({ allowClientCredentials: true })
  const rotated = await platform.post(`/admin/systems/${old.id}/rotate-secret`, { graceSeconds: 3_600 })
  const fresh = { ...old, ...rotated.body }
  const statusOf = async (service: string) => (await as(service).get(`/admin/systems/${old.id}`)).status

  const plain = (await token(old, SERVICE)).body.access_token
  const named = (await token(old, { ...SERVICE, resource: url })).body.access_token
  const own = (await token(fresh, SERVICE)).body.access_token
  const within = [await statusOf(plain), await statusOf(named), await statusOf(own)]
  await endGrace(db, old)

  assert.deepEqual(within, [200, 200, 200])
  assert.deepEqual([await statusOf(plain), await statusOf(named), await statusOf(own)], [401, 401, 200])
  assert.equal(
    (await as(plain).post(`/admin/systems/${old.id}/rotate-secret`, { graceSeconds: 0 })).status,
    401,
  )
})

test('P38: of ten parallel rotations one secret remains valid', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })

  const rotations = await concurrently(10, () => platform.post(`/admin/systems/${shop.id}/rotate-secret`))

  const statuses: number[] = []
  for (const { body } of rotations) statuses.push((await token({ ...shop, ...body }, SERVICE)).status)
  assert.deepEqual(statuses.sort(), [200, ...Array(9).fill(401)])
})

test('P24: client_credentials follows the flag of the system', async (t) => {
  const { platform, newSystem, serviceOf, token } = await startTestApp(t)
  const shop = await newSystem()
  const allow = async (allowClientCredentials: boolean) => {
    await platform.patch(`/admin/systems/${shop.id}`, { allowClientCredentials })
  }

  const closed = await token(shop, SERVICE)
  await allow(true)
  const service = await serviceOf(shop)
  const open = await service.get(`/admin/systems/${shop.id}`)
  await allow(false)

  assert.deepEqual([closed.status, closed.body.error, open.status], [400, 'unauthorized_client', 200])
  assert.equal((await token(shop, SERVICE)).body.error, 'unauthorized_client')
  assert.equal((await service.get(`/admin/systems/${shop.id}`)).status, 401)
})

test('graceSeconds is an integer up to 30 days', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const shop = await newSystem()

  const answers = await Promise.all(
    [-1, 1.5, '60', null, 2_592_001].map((graceSeconds) =>
      platform.post(`/admin/systems/${shop.id}/rotate-secret`, { graceSeconds }),
    ),
  )

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.errors?.[0].path]),
    answers.map(() => [400, '/graceSeconds']),
  )
})

test('P21: deleting a system ends its access, refresh and service tokens', async (t) => {
  const { platform, newSystem, newUser, newMembership, signIn, serviceOf, me, refresh } =
    await startTestApp(t)
  const shop = await newSystem({ skipConsent: true, allowClientCredentials: true })
  const ann = await newUser({ emailVerified: true })
  await newMembership({ userId: ann.id, systemId: shop.id })
  const tokens = await signIn(shop, ann)
  const service = await serviceOf(shop)
  const before = await me(tokens.access_token)

  await platform.delete(`/admin/systems/${shop.id}`)

  assert.deepEqual([before.status, (await me(tokens.access_token)).status], [200, 401])
  assert.deepEqual(
    [(await refresh(shop, tokens.refresh_token!)).body.error, (await service.get('/admin/systems')).status],
    ['invalid_client', 401],
  )
})

test('P38: the stored secret is encrypted', async (t) => {
  const { db, platform, newSystem } = await startTestApp(t)
  const shop = await newSystem()
  const rotated = (await platform.post(`/admin/systems/${shop.id}/rotate-secret`, { graceSeconds: 60 })).body

  const rows = JSON.stringify(await db.select().from(systems))

  assert.ok(rows.includes(shop.clientId))
  for (const secret of [shop.clientSecret, rotated.clientSecret]) assert.ok(!rows.includes(secret))
})

test('P38: rotation revokes service tokens of the old secret, which cannot rotate again', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const path = `/admin/systems/${system.id}`
  const thief = await app.serviceOf(system)
  const introspect = async (token: string, by: typeof system) => {
    const body = new URLSearchParams({ token })
    const sent = { method: 'POST', headers: { authorization: basicAuth(by) }, body }
    return ((await (await fetch(`${app.url}/token/introspection`, sent)).json()) as { active: boolean })
      .active
  }

  const before = await thief.get(path)
  const rotated = { ...system, ...(await app.platform.post(`${path}/rotate-secret`)).body }
  const after = [await thief.get(path), await thief.post(`${path}/rotate-secret`)]
  const owner = await app.serviceOf(rotated)
  await owner.post(`${path}/rotate-secret`, { graceSeconds: 3_600 })

  assert.equal(before.status, 200)
  assert.deepEqual(
    after.map(({ status, body }) => [status, body.code]),
    [
      [401, 'invalid_token'],
      [401, 'invalid_token'],
    ],
  )
  assert.equal(await introspect(thief.token, rotated), false)
  assert.equal(
    (await owner.get(path)).status,
    200,
    'in the time of grace the secret before is good, and so is its token',
  )
  await endGrace(app.db, system)
  assert.equal((await owner.get(path)).status, 401)
})
