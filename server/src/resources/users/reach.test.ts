/** Authority over users, and invalid input. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const mail = () => `${crypto.randomUUID()}@x.test`
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]
/** A response without the values that differ every time. */
const masked = ({ status, body }: { status: number; body: object }) => ({
  status,
  body: { ...body, requestId: '' },
})

test('a service token reads and changes the users of its system; others are 404', async (t) => {
  const { platform, serviceOf, newUser, newSystem, newMembership } = await startTestApp(t)
  const [shop, other] = [await newSystem({ allowClientCredentials: true }), await newSystem()]
  const service = await serviceOf(shop)
  const [mine, foreign] = [await newUser(), await newUser()]
  await newMembership({ userId: mine.id, systemId: shop.id })
  await newMembership({ userId: foreign.id, systemId: other.id })

  const list = await service.get('/admin/users')
  const read = await service.get(`/admin/users/${mine.id}`)
  const patched = await service.patch(`/admin/users/${mine.id}`, { name: 'Ana' })
  const set = await service.post(`/admin/users/${mine.id}/set-password`, { password: 'correct horse' })

  assert.deepEqual([list.body.data.map(({ id }: { id: string }) => id), list.body.total], [[mine.id], 1])
  assert.deepEqual([read.status, patched.body.name, set.body.hasPassword], [200, 'Ana', true])
  for (const call of [
    (id: string) => service.get(`/admin/users/${id}`),
    (id: string) => service.patch(`/admin/users/${id}`, { name: 'Eve' }),
    (id: string) => service.post(`/admin/users/${id}/set-password`, { password: 'correct horse' }),
  ]) {
    assert.deepEqual(outcome(await call(foreign.id)), [404, 'user_not_found'])
    assert.deepEqual(masked(await call(foreign.id)), masked(await call(unknown)))
  }
  assert.deepEqual((await platform.get(`/admin/users/${foreign.id}`)).body, foreign)
})

test('a service token changes a user of several systems in its own system only, and no address', async (t) => {
  const { platform, serviceOf, newUser, newSystem, newMembership } = await startTestApp(t)
  const open = { allowClientCredentials: true }
  const [shop, other] = [await newSystem(open), await newSystem(open)]
  const [service, rival] = [await serviceOf(shop), await serviceOf(other)]
  const user = await newUser({ name: 'Own', metadata: { vip: true } })
  for (const { id } of [shop, other]) await newMembership({ userId: user.id, systemId: id })
  const path = `/admin/users/${user.id}`
  const stated = { name: 'Ana', locale: null, metadata: { tier: 2 }, emailVerified: true, disabled: true }
  const elsewhere = (await rival.get(path)).body

  const patched = await service.patch(path, stated)
  const moved = await service.patch(path, { email: mail() })
  const same = await service.patch(path, { email: user.email })
  const set = await service.post(`${path}/set-password`, { password: 'correct horse' })

  assert.deepEqual([patched.status, { ...patched.body, ...stated }], [200, patched.body])
  assert.deepEqual([outcome(moved), same.status, set.body.hasPassword], [[403, 'user_shared'], 200, true])
  assert.deepEqual((await platform.get(path)).body, user)
  assert.deepEqual((await rival.get(path)).body, elsewhere)
  assert.deepEqual([elsewhere.name, elsewhere.metadata, elsewhere.hasPassword], [null, {}, false])
})

test("a service token creates users, and finds any user's id by the whole address", async (t) => {
  const { platform, serviceOf, newUser, newSystem } = await startTestApp(t)
  const service = await serviceOf(await newSystem({ allowClientCredentials: true }))
  const { id, email } = await newUser({ name: 'Ana', metadata: { secret: 1 } })

  const made = await service.post('/admin/users', { email: mail(), password: 'correct horse' })
  const found = await Promise.all(
    [`email=${email}`, `email=${email.toUpperCase()}`, `search=${email}`].map((query) =>
      service.get(`/admin/users?${query}`),
    ),
  )
  const parts = await Promise.all(
    [
      `email=${email.slice(1)}`,
      `search=${email.slice(1)}`,
      `search=${email.slice(0, -1)}`,
      'search=',
      'search=%25',
    ].map((query) => service.get(`/admin/users?${query}`)),
  )

  assert.deepEqual([made.status, made.body.hasPassword], [201, true])
  assert.deepEqual(
    found.map(({ body }) => [body.data, body.total]),
    Array(3).fill([[{ id, email }], 1]),
  )
  const own = [200, [made.body.id], 1]
  assert.deepEqual(
    parts.map(({ status, body }) => [status, body.data.map((user: { id: string }) => user.id), body.total]),
    [[200, [], 0], [200, [], 0], [200, [], 0], own, [200, [], 0]],
  )
  assert.equal((await platform.get(`/admin/users?email=${email}`)).body.data[0].name, 'Ana')
})

test('a user created by a service token is in reach of its system only', async (t) => {
  const { serviceOf, newSystem, platform } = await startTestApp(t)
  const open = { allowClientCredentials: true, multiAccount: true }
  const [shop, rival] = [await newSystem(open), await newSystem(open)]
  const [service, other] = [await serviceOf(shop), await serviceOf(rival)]
  const fields = { email: mail(), name: 'Ana', metadata: { tier: 2 }, emailVerified: true }
  const made = await service.post('/admin/users', { ...fields, password: 'correct horse' })
  const path = `/admin/users/${made.body.id}`

  const taken = await other.post('/admin/users', { email: fields.email })
  const refused = [
    await other.get(path),
    await other.post(`${path}/set-password`, { password: 'another horse' }),
  ]
  const joined = await other.post('/admin/memberships', { userId: made.body.id, systemId: rival.id })

  assert.deepEqual([made.status, { ...made.body, ...fields }, made.body.hasPassword], [201, made.body, true])
  assert.deepEqual((await service.get(path)).body, made.body)
  assert.deepEqual([...outcome(taken), taken.body.userId], [409, 'email_taken', made.body.id])
  assert.deepEqual(
    refused.map(({ status }) => status),
    [404, 404],
  )
  assert.equal(joined.status, 201)
  for (const client of [platform, other]) {
    const { name, metadata, emailVerified, hasPassword } = (await client.get(path)).body
    assert.deepEqual(
      { name, metadata, emailVerified, hasPassword },
      { name: null, metadata: {}, emailVerified: false, hasPassword: false },
    )
  }
})

test('a service token removes a user from its system; what others have stated remains', async (t) => {
  const { platform, serviceOf, newUser, newSystem, newMembership } = await startTestApp(t)
  const open = { allowClientCredentials: true, multiAccount: true }
  const shop = await newSystem(open)
  const service = await serviceOf(shop)
  const [known, made] = [await newUser(), (await service.post('/admin/users', { email: mail() })).body]
  await newMembership({ userId: known.id, systemId: shop.id })

  const answers = [
    await service.delete(`/admin/users/${known.id}`),
    await service.delete(`/admin/users/${made.id}`),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204],
  )
  for (const { id } of [known, made]) assert.equal((await service.get(`/admin/users/${id}`)).status, 404)
  assert.equal((await platform.get(`/admin/memberships?userId=${known.id}`)).body.total, 0)
  assert.deepEqual((await platform.get(`/admin/users/${known.id}`)).body, known)
  assert.equal((await platform.get(`/admin/users/${made.id}`)).status, 404)
})

test('a system that deletes a user does not remove the block of the platform', async (t) => {
  const { platform, serviceOf, newSystem } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true, multiAccount: true })
  const service = await serviceOf(shop)
  const { body: user } = await service.post('/admin/users', { email: mail() })
  const joined = await service.post('/admin/memberships', { userId: user.id, systemId: shop.id })
  await platform.patch(`/admin/memberships/${joined.body.id}`, { status: 'blocked' })

  const deleted = await service.delete(`/admin/users/${user.id}`)
  const made = await service.post('/admin/users', { email: user.email })
  const again = await service.post('/admin/memberships', { userId: user.id, systemId: shop.id })

  assert.equal(deleted.status, 204)
  assert.deepEqual(
    [outcome(made), outcome(again)],
    [
      [409, 'email_taken'],
      [403, 'insufficient_authority'],
    ],
  )
})

test('P40: SQL in searches and ids is plain text', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const user = await newUser()
  const texts = ["' OR 1=1--", "');DROP TABLE users;--", '\\', '%27', '%', '_', '"', '$1', '*']

  const searches = await Promise.all(
    texts.map((text) =>
      platform.get(`/admin/users?search=${encodeURIComponent(`${text}${crypto.randomUUID()}`)}`),
    ),
  )
  const odd = await Promise.all(
    ['search=%00', 'search=a&search=b', 'email=%00'].map((query) => platform.get(`/admin/users?${query}`)),
  )
  const ids = await Promise.all(
    [...texts, '%00', `urn:uuid:${user.id}`, '1', 'me'].map((text) =>
      platform.get(`/admin/users/${encodeURIComponent(text)}`),
    ),
  )

  assert.deepEqual(
    searches.map(({ status, body }) => [status, body.total]),
    texts.map(() => [200, 0]),
  )
  assert.deepEqual(
    odd.map(outcome),
    odd.map(() => [400, 'invalid_request']),
  )
  assert.deepEqual(
    ids.map(({ status }) => status),
    ids.map(() => 404),
  )
  assert.doesNotMatch(JSON.stringify([...odd, ...ids].map(({ body }) => body)), /select|syntax|postgres/i)
  assert.equal((await platform.get(`/admin/users/${user.id}`)).status, 200)
})

test('P42: a field of a wrong type is refused by position, without coercion', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const user = await newUser()
  const odd = [1, 'false', [], {}, null]
  const bodies = [
    ...odd.map((emailVerified) => ({ emailVerified })),
    ...odd.map((disabled) => ({ disabled })),
    ...[1, true, [], {}, ''].map((name) => ({ name })),
    ...[1, 'x', [], null, true].map((metadata) => ({ metadata })),
    ...['', 'x'.repeat(36), 'pt BR', '<b>', 1].map((locale) => ({ locale })),
  ]

  const answers = await Promise.all(bodies.map((body) => platform.patch(`/admin/users/${user.id}`, body)))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errors?.[0]?.path]),
    bodies.map((body) => [400, `/${Object.keys(body)[0]}`]),
  )
  assert.deepEqual((await platform.get(`/admin/users/${user.id}`)).body, user)
})

test('P42: metadata that cannot be stored or is nested too deep is 400', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const user = await newUser()
  const path = `/admin/users/${user.id}`
  const json = { 'content-type': 'application/json' }
  const nested = (depth: number) => `{"metadata":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`

  const answers = [
    await platform.patch(path, { metadata: { a: '\u0000' } }),
    await platform.patch(path, '{"metadata":{"a":"\\ud800"}}', json),
    await platform.patch(path, '{"metadata":{"\\udfff":1}}', json),
    await platform.patch(path, nested(30_000), json),
    await platform.patch(path, nested(5_000), json),
  ]

  assert.deepEqual(
    answers.map(outcome),
    answers.map(() => [400, 'invalid_request']),
  )
  assert.deepEqual((await platform.get(path)).body, user)
})
