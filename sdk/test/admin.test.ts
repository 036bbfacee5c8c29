import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { apiTypes, committedTypes } from '../generate.ts'
import { ApiError, createTenantry } from '../src/index.ts'
import { startProduct } from './product.ts'

const errorOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (error) => error,
  )
  assert.ok(error instanceof ApiError, String(error))
  return error
}

test('the committed types match the OpenAPI document', async () => {
  assert.equal(committedTypes(), await apiTypes(), 'sdk/src/api.ts is stale: run npm run docs')
})

test('the admin API client sends paths, queries and bodies as the document defines', async (t) => {
  const { newUser, newClient, system } = await startProduct(t)
  const { admin } = newClient()
  const user = await newUser()

  const membership = await admin.post('/admin/memberships', {
    body: { userId: user.id, systemId: system.id, accountName: 'Acme & Söhne' },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  const blocked = await admin.patch('/admin/memberships/{membershipId}', {
    path: { membershipId: membership.id },
    body: { status: 'blocked' },
  })
  const found = await admin.get('/admin/memberships', {
    query: { search: user.email, status: 'blocked', pageSize: 1 },
  })
  const events = await admin.get('/admin/events', {
    query: { type: ['user.access_granted', 'user.access_blocked'] },
  })
  const gone = await admin.delete('/admin/memberships/{membershipId}', {
    path: { membershipId: membership.id },
  })

  assert.equal(membership.account.name, 'Acme & Söhne')
  assert.equal(blocked.status, 'blocked')
  assert.deepEqual([found.total, found.data[0]?.id], [1, membership.id])
  assert.deepEqual(
    events.data.map(({ type }) => type),
    ['user.access_granted', 'user.access_blocked'],
  )
  assert.equal(gone, undefined)
})

test('each item of a list is read once in both orders, although others are added and deleted meanwhile', async (t) => {
  const { newUser, newClient, platform } = await startProduct(t)
  const { admin } = newClient()
  const mark = crypto.randomUUID()
  const users = []
  for (let n = 0; n < 7; n += 1)
    users.push(await admin.post('/admin/users', { body: { email: `${n}-${mark}@example.test` } }))
  const ids = users.map(({ id }) => id)

  for (const order of [undefined, 'createdAt'] as const) {
    const read: string[] = []
    const query = { search: mark, pageSize: 2, ...(order && { order }) }
    for await (const { id } of admin.each('/admin/users', { query })) {
      read.push(id)
      if (read.length !== 2) continue
      for (const seen of read.splice(0)) {
        ids.splice(ids.indexOf(seen), 1)
        await platform.delete(`/admin/users/${seen}`)
      }
      await newUser()
    }
    assert.deepEqual(order === undefined ? read.toReversed() : read, ids)
  }
  const none = admin.each('/admin/users', { query: { search: crypto.randomUUID() } })
  assert.deepEqual(await none.next(), { done: true, value: undefined })
})

test('an admin API error has code and problem, and no status that a framework sends', async (t) => {
  const { newClient } = await startProduct(t)
  const { admin } = newClient()

  const unknown = await errorOf(admin.get('/admin/users/{userId}', { path: { userId: crypto.randomUUID() } }))
  const invalid = await errorOf(admin.post('/admin/users', { body: { email: 'none' } }))

  assert.deepEqual(
    [unknown.code, unknown.httpStatus, unknown.problem.code],
    ['user_not_found', 404, 'user_not_found'],
  )
  assert.deepEqual((invalid.problem.errors as { path: string }[])[0]?.path, '/email')
  assert.equal('statusCode' in unknown || 'status' in unknown, false)
})

test('a wrong secret, a missing secret and an unreachable server throw different errors', async (t) => {
  const { options } = await startProduct(t)
  const codeOf = async (more: object) =>
    (await errorOf(createTenantry({ ...options, ...more }).admin.get('/admin/users'))).code

  assert.equal(await codeOf({ clientSecret: 'x'.repeat(43) }), 'invalid_client')
  assert.equal(await codeOf({ issuer: 'http://127.0.0.1:1' }), 'unreachable')
  await assert.rejects(
    createTenantry({ issuer: options.issuer, clientId: options.clientId }).admin.get('/admin/users'),
    TypeError,
  )
})

test('a path parameter is encoded and cannot change the path', async (t) => {
  const { newClient } = await startProduct(t)
  const { admin } = newClient()

  for (const userId of ['', '.', '..', undefined as never])
    await assert.rejects(admin.get('/admin/users/{userId}', { path: { userId } }), TypeError)
  for (const userId of ['../systems', 'x?y', 'x#y', '%2e%2e'])
    assert.equal(
      (await errorOf(admin.get('/admin/users/{userId}', { path: { userId } }))).httpStatus,
      404,
      userId,
    )
})

test('one service token serves all calls and is replaced when it is revoked', async (t) => {
  const { url, options, platform } = await startProduct(t)
  const seen: string[] = []
  const proxy = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    const headers = {
      authorization: request.headers.authorization!,
      'content-type': request.headers['content-type'] ?? '',
    }
    const init = {
      method: request.method!,
      headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    }
    seen.push(request.url === '/token' ? 'token' : headers.authorization.slice(7))
    const answer = await fetch(url + request.url, init)
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      .end(await answer.text())
  }).listen(0, '127.0.0.1')
  t.after(() => proxy.close())
  await once(proxy, 'listening')
  const { admin } = createTenantry({
    ...options,
    issuer: `http://127.0.0.1:${(proxy.address() as { port: number }).port}`,
  })
  const asked = () => seen.filter((each) => each === 'token').length

  await Promise.all(Array.from({ length: 10 }, () => admin.get('/admin/users')))
  const first = asked()
  const jti = JSON.parse(Buffer.from(seen.at(-1)!.split('.')[1]!, 'base64url').toString()).jti
  assert.equal((await platform.delete(`/admin/sessions/${jti}`)).status, 204)
  await Promise.all(Array.from({ length: 10 }, () => admin.get('/admin/users')))

  assert.deepEqual([first, asked()], [1, 2])
})
