import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readOperations, requestOf, send } from '../../../test/support/admin-requests.ts'
import { PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { idempotencyKeys } from '../../database/schema.ts'

const newKey = (): { 'idempotency-key': string } => ({ 'idempotency-key': crypto.randomUUID() })
const onPostgres = process.env.DATABASE_URL !== undefined

test('20 concurrent repeats of a request run once and all get the first response', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const { id } = await newSystem()
  const path = `/admin/systems/${id}/roles`
  const key = newKey()

  const answers = await concurrently(20, () => platform.post(path, { name: 'owner', scopes: ['a'] }, key))

  assert.deepEqual(
    answers.map(({ status, body }) => ({ status, body })),
    answers.map(() => ({ status: 201, body: answers[0]!.body })),
  )
  assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1)
  assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 19)
  assert.equal((await platform.get(path)).body.length, 1)
  assert.equal((await audited({ systemId: id, action: 'role.created' })).length, 1)
})

test('a repeat gets the first response even after the created resource has changed', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const key = newKey()
  const first = await platform.post(path, { name: 'owner' }, key)
  await platform.delete(`${path}/${first.body.id}`)

  const again = await platform.post(path, { name: 'owner' }, key)

  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  assert.deepEqual((await platform.get(path)).body, [])
})

test('a system created by a repeated request has one secret, which is stored encrypted', async (t) => {
  const { platform, db, serviceOf } = await startTestApp(t)
  const key = newKey()
  const body = { name: 'Shop', allowClientCredentials: true }

  const [first, again] = [
    await platform.post('/admin/systems', body, key),
    await platform.post('/admin/systems', body, key),
  ]

  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal((await (await serviceOf(again.body)).get(`/admin/systems/${first.body.id}`)).status, 200)
  const rows = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key['idempotency-key']))
  const kept = JSON.stringify(
    rows.map((row) => ({ ...row, sealedAnswer: row.sealedAnswer?.toString('latin1') })),
  )
  assert.equal(rows.length, 1)
  assert.ok(
    first.body.clientSecret.length > 20 &&
      !kept.includes(first.body.clientSecret) &&
      !kept.includes('clientSecret'),
  )
})

test('20 concurrent repeats of rotate-secret give one secret, and the old one is refused', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const grant = { grant_type: 'client_credentials' }
  assert.equal((await token(system, grant)).status, 200) // the process has the system in its cache
  const key = newKey()

  const answers = await concurrently(20, () =>
    platform.post(`/admin/systems/${system.id}/rotate-secret`, undefined, key),
  )

  const secrets = [...new Set(answers.map(({ body }) => body.clientSecret))]
  assert.equal(secrets.length, 1)
  assert.equal((await token(system, grant)).status, 401)
  assert.equal((await token({ ...system, clientSecret: secrets[0] }, grant)).status, 200)
})

test('every POST of the admin API accepts a key, and replays what it has done', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const { body: webhook } = await app.platform.post(`/admin/systems/${system.id}/webhooks`, {
    url: 'https://own.example/hook',
  })
  const own = {
    system: [system.id],
    user: [user.id],
    account: [membership.accountId],
    membership: [membership.id],
    webhook: [webhook.id],
    role: [(await app.newRole(system.id)).id],
  }
  const operations = (await readOperations(app.url)).filter(
    ({ method, mediaType }) => method === 'POST' && mediaType !== 'application/x-ndjson',
  )

  const done: string[] = []
  for (const operation of operations) {
    const [request] = fc.sample(
      fc.gen().map((g) =>
        requestOf(
          g,
          operation,
          () => 'own',
          () => false,
        ),
      ),
      { numRuns: 1, seed: 1 },
    )
    const key = newKey()
    let repeat = () => app.platform.get('')
    const post: typeof app.platform.post = (path, body, headers) => {
      repeat = () => app.platform.post(path, body, { ...headers, ...key })
      return repeat()
    }
    const first = await send({ client: { ...app.platform, post }, own, foreign: {} }, request!)
    const again = await repeat()

    assert.deepEqual([again.status, first.status < 500], [first.status, true], operation.id)
    if (first.status >= 300) continue
    done.push(operation.id)
    assert.deepEqual(
      [again.body, again.headers.get('idempotency-replayed')],
      [first.body, 'true'],
      operation.id,
    )
  }
  assert.ok(done.length >= operations.length / 2, `only these were done: ${done}`)
})

test('an error response is not stored: the same request with the same key runs again', async (t) => {
  const { platform, newSystem, newUser, db } = await startTestApp(t)
  const [system, user] = [await newSystem({ multiAccount: true }), await newUser()]
  const key = newKey()
  const body = { userId: user.id, systemId: system.id, accountName: 'Acme', roles: [crypto.randomUUID()] }

  const refused = [
    await platform.post('/admin/memberships', body, key),
    await platform.post('/admin/memberships', body, key),
  ]
  const kept = await db.$count(idempotencyKeys, eq(idempotencyKeys.key, key['idempotency-key']))
  const corrected = await platform.post('/admin/memberships', { ...body, roles: [] }, key)

  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body.code]),
    refused.map(() => [400, 'role_not_in_system']),
  )
  assert.deepEqual([kept, corrected.status, corrected.headers.get('idempotency-replayed')], [0, 201, null])
})

test('a key used for a different request is refused as idempotency_key_reused, without effect', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const path = `/admin/systems/${shop.id}/roles`
  const key = newKey()
  const first = await platform.post(path, { name: 'owner' }, key)

  const answers = [
    await platform.post(path, { name: 'clerk' }, key),
    await platform.post(`/admin/systems/${other.id}/roles`, { name: 'owner' }, key),
    await platform.post(`${path}?x=1`, { name: 'owner' }, key),
    await platform.post(`/admin/systems/${shop.id}/rotate-secret`, undefined, key),
  ]

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    answers.map(() => [422, 'idempotency_key_reused']),
  )
  assert.deepEqual((await platform.get(path)).body, [first.body])
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}/roles`)).body, [])
})

test('keys of two callers are independent', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const systems = [
    await newSystem({ allowClientCredentials: true }),
    await newSystem({ allowClientCredentials: true }),
  ]
  const callers = [await serviceOf(systems[0]), await serviceOf(systems[1]), platform]
  const key = newKey()
  const bodies = callers.map((_, at) => ({ email: `${at}-${crypto.randomUUID()}@example.test` }))

  const answers = await Promise.all(callers.map((caller, at) => caller.post('/admin/users', bodies[at], key)))
  const again = await Promise.all(callers.map((caller, at) => caller.post('/admin/users', bodies[at], key)))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.email]),
    bodies.map(({ email }) => [201, email]),
  )
  assert.deepEqual(
    again.map(({ body }) => body),
    answers.map(({ body }) => body),
  )
})

test('a repeat is authenticated and authorized before its stored response is returned', async (t) => {
  const { url, platform, newSystem, serviceOf, as } = await startTestApp(t)
  const key = newKey()
  const body = { name: 'Shop' }
  await platform.post('/admin/systems', body, key)
  const service = await serviceOf(await newSystem({ allowClientCredentials: true }))

  const answers = [
    await service.post('/admin/systems', body, key),
    await as('no-token').post('/admin/systems', body, key),
  ]

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    [
      [403, 'insufficient_authority'],
      [401, 'invalid_token'],
    ],
    url,
  )
})

test('a failure before the response is stored rolls back the change and the key', async (t) => {
  const { platform, newSystem, db, audited } = await startTestApp(t)
  const { id } = await newSystem()
  const path = `/admin/systems/${id}/roles`
  const key = newKey()
  await db.execute(sql`create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'no space' using errcode = '53100'; end $$`)
  await db.execute(
    sql.raw(`create trigger full_disk before update on idempotency_keys for each row
      when (new.key = '${key['idempotency-key']}') execute function full_disk()`),
  )
  t.after(() => db.execute(sql`drop function if exists full_disk() cascade`))

  const refused = await platform.post(path, { name: 'owner' }, key)
  const left = [
    await platform.get(path),
    await db.$count(idempotencyKeys, eq(idempotencyKeys.key, key['idempotency-key'])),
  ]
  await db.execute(sql`drop function full_disk() cascade`)
  const made = await platform.post(path, { name: 'owner' }, key)

  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
  assert.deepEqual([(left[0] as { body: unknown }).body, left[1]], [[], 0])
  assert.deepEqual([made.status, made.headers.get('idempotency-replayed')], [201, null])
  assert.equal((await audited({ systemId: id, action: 'role.created' })).length, 1)
})

test('a key can be used for another request after a day', async (t) => {
  const { platform, newSystem, db } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const key = newKey()
  const mine = eq(idempotencyKeys.key, key['idempotency-key'])
  await platform.post(path, { name: 'owner' }, key)
  const [row] = await db
    .select({ seconds: sql<number>`extract(epoch from expires_at - now())::int` })
    .from(idempotencyKeys)
    .where(mine)
  await db.update(idempotencyKeys).set({ expiresAt: sql`now()` }).where(mine)

  const answers = await Promise.all([1, 2, 3].map(() => platform.post(path, { name: 'clerk' }, key)))

  assert.ok(row && row.seconds > 86_000 && row.seconds <= 86_400, String(row?.seconds))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    answers.map(() => [201, answers[0]!.body]),
  )
  assert.equal((await platform.get(path)).body.length, 2)
})

test('a password set with a key is set once, and the stored request does not reveal it', async (t) => {
  const { platform, newUser, audited, db } = await startTestApp(t)
  const { id } = await newUser()
  const key = newKey()
  const set = () => platform.post(`/admin/users/${id}/set-password`, { password: `${PASSWORD}!` }, key)

  const answers = await Promise.all([set(), set(), set()])

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
    JSON.stringify(answers[0]?.body),
  )
  assert.equal((await audited({ targetId: id, action: 'user.password_set' })).length, 1)
  const [row] = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key['idempotency-key']))
  const path = `/admin/users/${id}/set-password`
  const plain = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(JSON.stringify(['POST', path, { password: `${PASSWORD}!` }])),
  )
  assert.equal(row!.requestHash.length, 32)
  assert.ok(!row!.requestHash.equals(Buffer.from(plain)))
})

test('a key has 1 to 255 printable characters, occurs once, and is accepted for POST only', async (t) => {
  const { url, platform, newSystem } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const send = (key: string, name = crypto.randomUUID()) =>
    platform.post(path, { name }, { 'idempotency-key': key })
  const taken = await Promise.all([
    send(`"${crypto.randomUUID()}"`),
    send(crypto.randomUUID().padEnd(255, 'x')),
  ])

  const refused = await Promise.all([
    send(''),
    send('x'.repeat(256)),
    send('two words'),
    send('one, other'),
    send('clé'),
  ])
  const key = newKey()
  const patched = await Promise.all(
    ['a', 'b'].map((name) =>
      platform.patch(`${path}/${taken[0].body.id}`, { name: `${name}-${url}`.slice(0, 90) }, key),
    ),
  )

  assert.deepEqual(
    taken.map(({ status }) => status),
    [201, 201],
  )
  for (const answer of refused) {
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'])
    assert.deepEqual(
      answer.body.errors.map((fault: { path: string }) => fault.path),
      ['/headers/idempotency-key'],
    )
  }
  assert.deepEqual(
    patched.map(({ status }) => status),
    [200, 200],
  )
  assert.equal((await platform.get(path)).body.length, 2)
})

test('a repeat that waits over 2 s for the first request is refused as idempotency_key_in_use', async (t) => {
  if (!onPostgres) return t.skip('the embedded database lets one transaction run at a time')
  const { platform, newSystem, db } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const [first, second] = [newKey(), newKey()]
  await platform.post(path, { name: 'owner' }, first)
  const [row] = await db
    .select()
    .from(idempotencyKeys)
    .where(eq(idempotencyKeys.key, first['idempotency-key']))

  const answer = await db.transaction(async (tx) => {
    await tx
      .insert(idempotencyKeys)
      .values({ ...row!, key: second['idempotency-key'], status: null, sealedAnswer: null })
    return platform.post(path, { name: 'clerk' }, second)
  })

  assert.deepEqual([answer.status, answer.body.code], [409, 'idempotency_key_in_use'])
  assert.equal(answer.headers.get('retry-after'), '1')
  assert.equal((await platform.get(path)).body.length, 1)
})
