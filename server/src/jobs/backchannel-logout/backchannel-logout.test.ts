/** Back-channel logout, to a real receiver that verifies the logout token with /jwks. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { pino } from 'pino'
import { freePort } from '../../../test/support/postgres.ts'
import { type Answer, basicAuth, newBrowser, startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { eq, ne, sql } from '../../database/drizzle.ts'
import { logoutDeliveries } from '../../database/schema.ts'
import { loadSigningKeys } from '../../oidc/keys/signing-keys.ts'
import { startLogoutWorker } from './deliver.ts'
import { claimLogouts } from './queries.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const PRIVATE = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const sidOf = (tokens: { access_token: string }) => decodeJwt(tokens.access_token).sid as string

/** The server of an application. Answers 200 by default and records the logout tokens it receives. */
async function startReceiver(
  t: TestContext,
  { port = 0, answer = (_, response) => response.end() }: { port?: number; answer?: RequestListener } = {},
) {
  const tokens: string[] = []
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const body = new URLSearchParams((await request.toArray()).join(''))
    tokens.push(body.get('logout_token') ?? '')
    requests.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
    answer(request, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const sids = () => tokens.map((token) => decodeJwt(token).sid as string)
  return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/out`, tokens, requests, sids }
}

/** A worker as start.ts starts it, and its log lines. */
function startWorker(t: TestContext, { db, seal, url }: App, settings: object = {}) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const config = { BASE_URL: url, WEBHOOK_ALLOW_PRIVATE: true, ...settings }
  const worker = startLogoutWorker({ db, config, log, keys: () => loadSigningKeys(db, seal) })
  t.after(() => worker.stop())
  return { worker, logged: () => lines.join('') }
}

const waiting = ({ db }: App, uri: string) =>
  db.select().from(logoutDeliveries).where(eq(logoutDeliveries.uri, uri))
/** Makes pending attempts due now and expires all leases. */
const makeDue = ({ db }: App, uri: string) =>
  db
    .update(logoutDeliveries)
    .set({ nextAttemptAt: sql`now()`, leasedUntil: null })
    .where(eq(logoutDeliveries.uri, uri))

/** A new user, signed in to the system. */
async function signedIn(app: App, system: Parameters<App['signIn']>[0]) {
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const tokens = await app.signIn(system, { email: user.email })
  return { user, membership, tokens, sid: sidOf(tokens) }
}

for (const idTokenAlg of ['RS256', 'ES256']) {
  test(`an ended session sends its system a logout token signed with ${idTokenAlg}`, async (t) => {
    const app = await startTestApp(t, PRIVATE)
    const receiver = await startReceiver(t)
    startWorker(t, app)
    const system = await app.newSystem({ backchannelLogoutUri: receiver.uri, idTokenAlg })
    const { user, membership, tokens, sid } = await signedIn(app, system)

    await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
    await t.waitFor(() => assert.equal(receiver.tokens.length, 1), SOON)

    const keys = createRemoteJWKSet(new URL(`${app.url}/jwks`))
    const { payload, protectedHeader } = await jwtVerify(receiver.tokens[0]!, keys, {
      issuer: app.url,
      audience: system.clientId,
      typ: 'logout+jwt',
      algorithms: [idTokenAlg],
    })
    const { iat = 0, exp = 0, jti, ...claims } = payload
    assert.deepEqual(claims, {
      iss: app.url,
      aud: system.clientId,
      sub: user.id,
      sid,
      events: { [EVENT]: {} },
    })
    assert.ok(exp - iat > 0 && exp - iat <= 120 && Math.abs(iat - Date.now() / 1_000) < 10)
    assert.match(String(jti), /^[\w-]{22,}$/)
    assert.ok(protectedHeader.kid)
    assert.equal(decodeJwt(tokens.id_token).sid, sid, 'the application knows the session by its ID token')
    assert.deepEqual(receiver.requests, ['POST /out application/x-www-form-urlencoded'])
    await t.waitFor(async () => assert.deepEqual(await waiting(app, receiver.uri), []), SOON)
  })
}

test('discovery announces back-channel logout with session ids', async (t) => {
  const { url } = await startTestApp(t)

  const answer: Answer = await newBrowser(url).get('/.well-known/openid-configuration')

  assert.deepEqual(
    [answer.body.backchannel_logout_supported, answer.body.backchannel_logout_session_supported],
    [true, true],
  )
})

test('however a session ends, its system gets one logout token, for that session only', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { platform } = app
  const receiver = await startReceiver(t)
  const system = await app.newSystem({ backchannelLogoutUri: receiver.uri })
  const form = (path: string, fields: Record<string, string>) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: basicAuth(system) },
      body: new URLSearchParams(fields),
    })
  type Member = Awaited<ReturnType<typeof signedIn>>
  const ends: Record<string, (member: Member) => Promise<unknown>> = {
    async 'RP-initiated logout'({ tokens: { visitor, id_token } }) {
      await visitor.follow(
        await visitor.get(`/session/end?${new URLSearchParams({ id_token_hint: id_token })}`),
      )
    },
    'token revocation': ({ tokens }) => form('/token/revocation', { token: tokens.refresh_token ?? '' }),
    block: ({ membership }) => platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
    removal: ({ membership }) => platform.delete(`/admin/memberships/${membership.id}`),
    'disabled user': ({ user }) => platform.patch(`/admin/users/${user.id}`, { disabled: true }),
    'deleted user': ({ user }) => platform.delete(`/admin/users/${user.id}`),
    'another password': ({ user }) =>
      platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse battery' }),
    'session ended': ({ sid }) => platform.delete(`/admin/sessions/${sid}`),
    'sessions of a user ended': ({ user }) => platform.delete(`/admin/sessions/by-user/${user.id}`),
  }
  const members = await Promise.all(
    Object.keys(ends).map(async (how) => ({ how, ...(await signedIn(app, system)) })),
  )
  const bystander = await signedIn(app, system)
  const [first] = members
  const elsewhere = await app.signIn(system, { email: first!.user.email }) // another browser

  for (const { how, ...member } of members) await ends[how]!(member)
  startWorker(t, app)
  await t.waitFor(async () => assert.deepEqual(await waiting(app, receiver.uri), []), SOON)
  const notified = receiver.sids().sort()
  await platform.delete(`/admin/systems/${system.id}`)
  await t.waitFor(() => assert.equal(receiver.tokens.length, members.length + 2), SOON)

  assert.deepEqual(notified, members.map(({ sid }) => sid).sort())
  assert.deepEqual(receiver.sids().slice(members.length).sort(), [bystander.sid, sidOf(elsewhere)].sort())
})

test('no logout token is sent without a configured URI or for a rejected change', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const [system, silent] = [
    await app.newSystem({ backchannelLogoutUri: receiver.uri, multiAccount: true }),
    await app.newSystem(),
  ]
  const role = await app.newRole(system.id, { isAdmin: true })
  const user = await app.newUser()
  const membership = await app.newMembership({
    userId: user.id,
    systemId: system.id,
    accountName: 'Acme',
    roles: [role.id],
  })
  const tokens = await app.signIn(system, { email: user.email })
  const { membership: other } = await signedIn(app, silent)

  const refused = await app
    .as(tokens.access_token)
    .patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await app.platform.patch(`/admin/memberships/${other.id}`, { status: 'blocked' })

  assert.equal(refused.body.code, 'last_admin')
  const notices = await app.db.select().from(logoutDeliveries)
  assert.deepEqual(
    notices.filter(({ clientId }) => clientId === system.clientId || clientId === silent.clientId),
    [],
  )
})

test('while the receiver is down requests are answered; later it gets a new logout token', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const port = await freePort()
  const uri = `http://127.0.0.1:${port}/out`
  const { logged } = startWorker(t, app)
  const system = await app.newSystem({ backchannelLogoutUri: uri })
  const { membership, sid } = await signedIn(app, system)

  const answer = await app.platform.delete(`/admin/memberships/${membership.id}`)
  assert.equal(answer.status, 204)
  await t.waitFor(async () => assert.ok((await waiting(app, uri))[0]!.attempts >= 2), SOON)
  const receiver = await startReceiver(t, { port })
  await t.waitFor(() => assert.deepEqual(receiver.sids(), [sid]), SOON)
  await t.waitFor(async () => assert.deepEqual(await waiting(app, uri), []), SOON)

  assert.match(logged(), /connection: ECONNREFUSED.*retrying/)
})

test('a receiver that is down is called a few times, not once per session', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  let asked = 0
  const receiver = await startReceiver(t, {
    answer: (_, response) => response.writeHead(asked++ < 4 ? 503 : 204).end(),
  })
  const system = await app.newSystem({ backchannelLogoutUri: receiver.uri })
  const members = []
  for (let count = 0; count < 12; count++) members.push(await signedIn(app, system))
  await app.platform.delete(`/admin/sessions/by-system/${system.id}`)
  assert.equal((await waiting(app, receiver.uri)).length, 12)

  startWorker(t, app)
  await t.waitFor(
    async () => assert.ok((await waiting(app, receiver.uri)).every((notice) => notice.attempts > 0)),
    SOON,
  )
  const before = asked
  await t.waitFor(async () => assert.deepEqual(await waiting(app, receiver.uri), []), SOON)

  assert.ok(before <= 4, `asked ${before} times`)
  assert.ok(asked <= 16, `asked ${asked} times`)
  assert.deepEqual([...new Set(receiver.sids())].sort(), members.map(({ sid }) => sid).sort())
})

test('a receiver that never answers delays no other, even if its URI changes each time', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const silent = await startReceiver(t, { answer: () => {} })
  const receiver = await startReceiver(t)
  const slow = await app.newSystem()
  for (let count = 0; count < 9; count++) {
    const { membership } = await signedIn(app, slow)
    await app.platform.patch(`/admin/systems/${slow.id}`, { backchannelLogoutUri: `${silent.uri}?${count}` })
    await app.platform.delete(`/admin/memberships/${membership.id}`)
  }
  const { membership, sid } = await signedIn(app, await app.newSystem({ backchannelLogoutUri: receiver.uri }))
  await app.platform.delete(`/admin/memberships/${membership.id}`)

  startWorker(t, app)
  await t.waitFor(() => assert.deepEqual(receiver.sids(), [sid]), SOON)

  await app.db.delete(logoutDeliveries).where(eq(logoutDeliveries.clientId, slow.clientId))
})

test('400 is final, a redirect is not followed, and any other error is retried', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { logged } = startWorker(t, app)
  const never = await startReceiver(t)
  const refusing = await startReceiver(t, {
    answer: (_, response) => response.writeHead(400).end('{"error":"invalid_request"}'),
  })
  const moved = await startReceiver(t, {
    answer: (_, response) => response.writeHead(307, { location: never.uri }).end(),
  })
  for (const { uri } of [refusing, moved]) {
    const { membership } = await signedIn(app, await app.newSystem({ backchannelLogoutUri: uri }))
    await app.platform.delete(`/admin/memberships/${membership.id}`)
  }

  await t.waitFor(async () => assert.deepEqual(await waiting(app, refusing.uri), []), SOON)
  await t.waitFor(() => assert.ok(moved.tokens.length >= 2), SOON)

  assert.deepEqual([refusing.tokens.length, never.tokens.length], [1, 0])
  assert.match(logged(), /status 400.*not delivered/)
  const ids = moved.tokens.map((token) => decodeJwt(token).jti)
  assert.equal(new Set(ids).size, ids.length, 'each attempt has a jti of its own')
})

test('a logout token not delivered within an hour is dropped', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const { membership } = await signedIn(app, await app.newSystem({ backchannelLogoutUri: receiver.uri }))
  await app.platform.delete(`/admin/memberships/${membership.id}`)
  const [notice] = await waiting(app, receiver.uri)
  await app.db
    .update(logoutDeliveries)
    .set({ expiresAt: sql`now()` })
    .where(eq(logoutDeliveries.uri, receiver.uri))

  const { logged } = startWorker(t, app)
  await t.waitFor(async () => assert.deepEqual(await waiting(app, receiver.uri), []), SOON)

  assert.equal(Math.round((notice!.expiresAt.getTime() - notice!.createdAt.getTime()) / 60_000), 60)
  assert.deepEqual(receiver.tokens, [])
  assert.match(logged(), /not delivered: expired/)
})

test('several workers on one database send each logout token once', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const system = await app.newSystem({ backchannelLogoutUri: receiver.uri })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const first = await app.signIn(system, { email: user.email })
  await app.db.execute(sql`
    insert into sessions (sid, system_id, user_id, account_id, membership_id, "grant", expires_at)
    select 'one-of-many-' || n || sid, system_id, user_id, account_id, membership_id, "grant", expires_at
    from sessions, generate_series(1, 200) n where sid = ${sidOf(first)}`)
  for (let count = 0; count < 3; count++) startWorker(t, app)

  await app.platform.delete(`/admin/sessions/by-system/${system.id}`)
  await t.waitFor(async () => assert.equal((await waiting(app, receiver.uri)).length, 0), SOON)

  assert.deepEqual([receiver.tokens.length, new Set(receiver.sids()).size], [201, 201])
})

test('the notices of a process that died are sent by another after the lease expires', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const { membership, sid } = await signedIn(app, await app.newSystem({ backchannelLogoutUri: receiver.uri }))
  await app.platform.delete(`/admin/memberships/${membership.id}`)
  await app.db.delete(logoutDeliveries).where(ne(logoutDeliveries.uri, receiver.uri)) // of other tests
  const claimed = await claimLogouts(app.db, 10, 10) // a worker that stops now
  const [lease] = await app.db
    .select({ seconds: sql<number>`extract(epoch from leased_until - now())::float8` })
    .from(logoutDeliveries)
    .where(eq(logoutDeliveries.uri, receiver.uri))

  const next = await startReceiver(t)
  const other = await signedIn(app, await app.newSystem({ backchannelLogoutUri: next.uri }))
  await app.platform.delete(`/admin/memberships/${other.membership.id}`)
  startWorker(t, app)
  await t.waitFor(() => assert.deepEqual(next.sids(), [other.sid]), SOON)
  const meanwhile = receiver.tokens.length
  await makeDue(app, receiver.uri)
  await t.waitFor(() => assert.deepEqual(receiver.sids(), [sid]), SOON)

  assert.deepEqual([claimed.length, meanwhile], [1, 0])
  assert.ok(lease!.seconds > 30 && lease!.seconds <= 60, `${lease!.seconds} s`)
})

test('P48: without the setting a private receiver is never called, even if registered', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const { membership } = await signedIn(app, await app.newSystem({ backchannelLogoutUri: receiver.uri }))
  const { logged } = startWorker(t, app, {
    BASE_URL: 'https://id.example.test',
    WEBHOOK_ALLOW_PRIVATE: false,
  })

  await app.platform.delete(`/admin/memberships/${membership.id}`)
  await t.waitFor(async () => assert.ok((await waiting(app, receiver.uri))[0]!.attempts > 0), SOON)
  await t.waitFor(() => assert.match(logged(), /"reason":"address: /), SOON)

  assert.deepEqual(receiver.tokens, [])
  await app.db.delete(logoutDeliveries).where(eq(logoutDeliveries.uri, receiver.uri))
})
