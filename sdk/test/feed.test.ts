import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt, SignJWT } from 'jose'
import { sql } from '../../server/src/database/drizzle.ts'
import { loadSigningKeys } from '../../server/src/oidc/keys/signing-keys.ts'
import { freePort } from '../../server/test/support/postgres.ts'
import { adminClient } from '../../server/test/support/testing.ts'
import { SOON } from '../../server/test/support/waiting.ts'
import { type ApiError, createTenantry, type Event, type FollowOptions, type Tenantry } from '../src/index.ts'
import { refusalOf, soon, startProduct } from './product.ts'

const isAccepted = async (tenantry: Tenantry, token: string) =>
  (await refusalOf(tenantry.verify(token))) instanceof Object

/** After access was granted again: its event may arrive later than the new token. */
const becomesAccepted = (t: TestContext, tenantry: Tenantry, token: string, about?: string) =>
  t.waitFor(async () => assert.ok(await isAccepted(tenantry, token), about), { ...SOON, interval: 20 })

/** A product whose connection to the server can be cut and restored, and a direct admin client. */
async function startProductBehindProxy(t: TestContext) {
  const [serverPort, proxyPort] = [await freePort(), await freePort()]
  const sockets = new Set<Socket>()
  let connected = true
  const proxy = createServer((socket) => {
    if (!connected) return void socket.destroy()
    const server = connect(serverPort, 'localhost')
    for (const each of [socket, server]) {
      sockets.add(each)
      each.on('error', () => {}).on('close', () => sockets.delete(each))
    }
    socket.pipe(server).pipe(socket)
  })
  await once(proxy.listen(proxyPort, 'localhost'), 'listening')
  const product = await startProduct(t, {
    PORT: String(serverPort),
    BASE_URL: `http://localhost:${proxyPort}`,
  })
  const direct = adminClient(`http://localhost:${serverPort}`, product.platform.token)
  const cut = () => {
    connected = false
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    cut()
    proxy.close()
  })
  const restore = () => {
    connected = true
  }
  return { ...product, direct, cut, restore }
}

const follow = async (tenantry: Tenantry, options: FollowOptions = {}) =>
  tenantry.follow({ onError: () => {}, ...options })

test('every operation that ends access ends it here soon, for that user only', async (t) => {
  const { platform, newMember, newClient } = await startProduct(t)
  const tenantry = newClient()
  await follow(tenantry)
  const [other, own] = [await (await newMember()).signIn(), await newMember()]
  const endings: Record<string, () => Promise<{ status: number }>> = {
    'the session is ended': () => platform.delete(`/admin/sessions/${decodeJwt(token).jti}`),
    'all sessions of the user are': () => platform.delete(`/admin/sessions/by-user/${own.user.id}`),
    'the membership is blocked': () =>
      platform.patch(`/admin/memberships/${own.membership.id}`, { status: 'blocked' }),
    'the membership is removed': () => platform.delete(`/admin/memberships/${own.membership.id}`),
  }
  let token = ''

  for (const [about, end] of Object.entries(endings)) {
    token = await own.signIn()
    await becomesAccepted(t, tenantry, token, about)
    assert.ok((await end()).status < 300, about)
    assert.equal(await soon(tenantry, token), 'revoked_token', about)
    if (about.includes('blocked'))
      await platform.patch(`/admin/memberships/${own.membership.id}`, { status: 'active' })
  }

  const deleted = await newMember()
  const theirToken = await deleted.signIn()
  await platform.delete(`/admin/users/${deleted.user.id}`)
  assert.equal(await soon(tenantry, theirToken), 'revoked_token')
  assert.ok(await isAccepted(tenantry, other))
})

test('after access is granted again a new token is valid and the old token stays revoked', async (t) => {
  const { platform, newMember, newClient } = await startProduct(t)
  const { membership, signIn } = await newMember()
  const tenantry = newClient()
  await follow(tenantry)
  const before = await signIn()

  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'active' })
  const after = await signIn()
  const refused = await soon(tenantry, before)
  await becomesAccepted(t, tenantry, after)
  await wait(500)

  assert.equal(refused, 'revoked_token')
  assert.ok(await isAccepted(tenantry, after))
})

test('a suspended organization is refused here soon, with its keys; after it is resumed they work again', async (t) => {
  const { platform, system, newMember, newClient, token: request } = await startProduct(t)
  await platform.patch(`/admin/systems/${system.id}`, { allowServiceAccounts: true })
  const [own, other] = [await newMember(), await newMember()]
  const account = `/admin/accounts/${own.membership.accountId}`
  const program = (await platform.post(`${account}/service-accounts`, { name: 'Export' })).body
  const key = (await platform.post(`${account}/service-accounts/${program.id}/keys`, {})).body
  const credentials = { clientId: program.clientId, clientSecret: key.secret }
  const granted = await request({ ...system, ...credentials } as never, { grant_type: 'client_credentials' })
  const ofKey = granted.body.access_token as string
  const [before, theirs] = [await own.signIn(), await other.signIn()]
  const tenantry = newClient()
  const events: Event[] = []
  await follow(tenantry, { onEvent: (event) => events.push(event) })
  for (const token of [before, theirs, ofKey]) assert.ok(await isAccepted(tenantry, token))

  await platform.patch(account, { status: 'suspended' })
  const refused = [await soon(tenantry, before), await soon(tenantry, ofKey)]
  await platform.patch(account, { status: 'active' })
  await t.waitFor(() => assert.ok(events.some(({ type }) => type === 'account.resumed')), SOON)
  const after = await own.signIn()

  assert.deepEqual(refused, ['revoked_token', 'revoked_token'])
  assert.ok(await isAccepted(tenantry, theirs), 'another organization is not concerned')
  assert.ok(await isAccepted(tenantry, after))
  assert.ok(await isAccepted(tenantry, ofKey), 'the key works again')
  assert.equal(await refusalOf(tenantry.verify(before)), 'revoked_token', 'the session does not')
  const suspended = events.find(({ type }) => type === 'account.suspended')!
  assert.equal(suspended.data.accountId, own.membership.accountId)
})

test('a token that is still valid when its session has ended is revoked with the membership', async (t) => {
  const { platform, db, newMember, newClient } = await startProduct(t)
  const { membership, signIn } = await newMember()
  const tenantry = newClient()
  await follow(tenantry)
  const token = await signIn()

  await db.execute(sql`update sessions set expires_at = now() where sid = ${decodeJwt(token).sid as string}`)
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })

  assert.equal(await soon(tenantry, token), 'revoked_token')
})

test('a revocation before the start applies to the first request, awaited or not', async (t) => {
  const { platform, newMember, newClient } = await startProduct(t)
  const members = await Promise.all(Array.from({ length: 5 }, newMember))
  const tokens = await Promise.all(members.map(({ signIn }) => signIn()))
  const [living, ...revoked] = tokens
  for (const token of revoked) await platform.delete(`/admin/sessions/${decodeJwt(token).sid}`)
  const tenantry = newClient()
  assert.ok(await isAccepted(tenantry, revoked[0]!)) // valid by signature and expiry

  const started = follow(tenantry)
  const refusals = await Promise.all(revoked.map((token) => refusalOf(tenantry.verify(token))))

  assert.deepEqual(refusals, Array(4).fill('revoked_token'))
  assert.ok(await isAccepted(tenantry, living!))
  await started
})

test('while the server is down valid tokens pass; revocations apply on reconnection', async (t) => {
  const { direct, cut, restore, newMember, newClient } = await startProductBehindProxy(t)
  const [gone, here] = [await newMember(), await newMember()]
  const [revoked, living] = [await gone.signIn(), await here.signIn()]
  const tenantry = newClient()
  const errors: unknown[] = []
  await follow(tenantry, { onError: (error) => errors.push(error) })
  assert.ok(await isAccepted(tenantry, revoked))

  cut()
  assert.equal((await direct.delete(`/admin/memberships/${gone.membership.id}`)).status, 204)
  await wait(600)
  const meanwhile = [await isAccepted(tenantry, revoked), await isAccepted(tenantry, living)]
  restore()
  await t.waitFor(async () => assert.equal(await refusalOf(tenantry.verify(revoked)), 'revoked_token'), SOON)

  assert.deepEqual(meanwhile, [true, true])
  assert.ok(errors.length > 0)
  assert.ok(await isAccepted(tenantry, living))
})

test('with onFeedDown set to refuse, requests get 503 while the feed is down', async (t) => {
  const { cut, restore, newMember, newClient } = await startProductBehindProxy(t)
  const token = await (await newMember()).signIn()
  const tenantry = newClient()
  assert.ok(await isAccepted(tenantry, token)) // fetches the keys
  cut()

  await follow(tenantry, { onFeedDown: 'refuse', downAfter: 1 })
  const refusal = await refusalOf(tenantry.verify(token))
  restore()

  assert.equal(refusal, 'feed_down')
  await becomesAccepted(t, tenantry, token)
})

test('a cursor that the event log no longer knows loses no revocation', async (t) => {
  const { direct, db, cut, restore, newMember, newClient } = await startProductBehindProxy(t)
  const { membership, user, signIn } = await newMember()
  const token = await signIn()
  const tenantry = newClient()
  const codes: unknown[] = []
  await follow(tenantry, { onError: (error) => codes.push((error as { code?: string }).code) })

  cut()
  await direct.patch(`/admin/users/${user.id}`, { name: 'Somebody' })
  await direct.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await direct.get('/admin/events?limit=1') // assigns positions to the new events
  await db.execute(sql`delete from events where user_id = ${user.id} and type = 'user.updated'`)
  restore()

  await t.waitFor(async () => assert.equal(await refusalOf(tenantry.verify(token)), 'revoked_token'), SOON)
  assert.ok(codes.includes('cursor_expired'), codes.join())
})

test('the feed outlives its service tokens and misses no event between two of them', async (t) => {
  const { newMember, newClient } = await startProduct(t, { TTL_SERVICE_TOKEN: '3' })
  const { signIn } = await newMember()
  const tenantry = newClient()
  await follow(tenantry)

  const ends: unknown[] = []
  for (const late = performance.now() + 7_000; performance.now() < late || ends.length < 6; await wait(300)) {
    const token = await signIn()
    await tenantry.admin.delete('/admin/sessions/{jti}', { path: { jti: String(decodeJwt(token).sid) } })
    ends.push(await soon(tenantry, token))
  }

  assert.deepEqual([...new Set(ends)], ['revoked_token'])
})

test('a rejected connection throws at once: wrong secret, system without access to the feed', async (t) => {
  const { newClient, newSystem } = await startProduct(t)
  const closed = await newSystem()
  const refused = (more: object) =>
    follow(newClient(more)).then(
      () => 'followed',
      (error) => error.code,
    )

  assert.equal(await refused({ clientSecret: 'x'.repeat(43) }), 'invalid_client')
  assert.equal(
    await refused({ clientId: closed.clientId, clientSecret: closed.clientSecret }),
    'unauthorized_client',
  )
})

test('a token older than the remembered revocations is rejected', async (t) => {
  const { db, seal, newMember, newClient } = await startProduct(t)
  const claims = decodeJwt(await (await newMember()).signIn())
  const key = (await loadSigningKeys(db, seal)).find(
    ({ alg, state }) => alg === 'ES256' && state === 'active',
  )!
  const old = await new SignJWT({ ...claims, iat: claims.iat! - 700, exp: claims.iat! + 600 })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .sign(key.privateJwk)
  const [alone, following, patient] = [newClient(), newClient(), newClient()]
  await follow(following)
  await follow(patient, { accessTokenLifetime: 3_600 })

  assert.ok(await isAccepted(alone, old))
  assert.equal(await refusalOf(following.verify(old)), 'expired_token')
  assert.ok(await isAccepted(patient, old))
})

test('the application is called for each revocation, and its errors do not stop the feed', async (t) => {
  const { platform, newMember, newClient } = await startProduct(t)
  const { membership, signIn } = await newMember()
  const tenantry = newClient()
  const [events, faults]: [Event[], unknown[]] = [[], []]
  await tenantry.follow({
    onEvent: (event) => {
      events.push(event)
      throw new Error('an error of the application')
    },
    onError: (error) => faults.push(error),
  })
  const token = await signIn()

  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  assert.equal(await soon(tenantry, token), 'revoked_token')
  await t.waitFor(() => assert.ok(events.some(({ type }) => type === 'user.access_blocked')), SOON)

  const ended = events.find(({ type }) => type === 'session.ended')!
  assert.equal(ended.data.sid, decodeJwt(token).sid)
  assert.equal(faults.length, events.length)
})

test('a response that is cut short at the start is retried', async (t) => {
  const asked: string[] = []
  const server = createHttpServer((request, response) => {
    const path = request.url!.split('?')[0]!
    asked.push(path)
    if (path === '/token') return void response.end(JSON.stringify({ access_token: 'a', expires_in: 600 }))
    if (path !== '/admin/events') return void response.write(': still here\n\n')
    if (asked.filter((each) => each === path).length > 1)
      return void response.end('{"data":[],"next":"c1","more":false}')
    response.writeHead(200, { 'content-length': '1000' }).write('{"data":[')
    setTimeout(() => response.destroy(), 50)
  })
  await once(server.listen(0, 'localhost'), 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const tenantry = createTenantry({ issuer, clientId: 'c', clientSecret: 's' })
  t.after(() => {
    tenantry.close()
    server.closeAllConnections()
    server.close()
  })
  const faults: unknown[] = []

  await tenantry.follow({ onError: (error) => faults.push(error) })

  assert.deepEqual(
    faults.map((fault) => (fault as ApiError).code),
    ['unreachable'],
  )
})
