/** What a sign-in by a connection proves: time, factors, sessions; and where it begins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { expectStatus } from '../../../test/support/http.ts'
import {
  backOf,
  linkTo,
  open,
  signInAs,
  startConnection,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import { authUrl, basicAuth, newPkce, PASSWORD } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { sessions, users } from '../../database/schema.ts'

test('an account admin sees the connection of a session, and disabling the connection ends it', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, admin, connection, system } = place
  const browser = app.newBrowser()
  const tokens = await tokensOf(place, await signInAs(place, person('ana'), browser))
  const sid = String(decodeJwt(tokens.access_token).sid)
  const [session] = await app.db.select().from(sessions).where(eq(sessions.sid, sid))

  expectStatus(await admin.patch(connection.path, { enabled: false }), 200)
  const refreshed = await app.token(system as never, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token ?? '',
  })
  expectStatus(await admin.patch(connection.path, { enabled: true }), 200)
  const { page } = await open(place, browser)

  assert.deepEqual([session?.connectionId, session?.ownCredentials], [connection.id, false])
  assert.equal(refreshed.status, 400)
  assert.equal(page.status, 200, 'the old login does not count after the connection is enabled again')
  assert.match(String(page.body), /connection-/)
})

test('P104: a required second factor is met by what the provider reports, a trusted connection, or an own factor', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, service, connection, accountId, attempts, system } = place
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { requireMfa: true }), 200)
  const reported: [object, boolean][] = [
    [{}, false],
    [{ amr: ['pwd', 'otp', 'email'] }, false],
    [{ amr: ['mfa'] }, true],
    [{ amr: ['pwd', 'hwk'] }, true],
  ]
  for (const [claims, isMet] of reported) {
    const { back, end } = await signInAs(place, person('ana', claims))
    assert.equal(Boolean(back.code), isMet, `${JSON.stringify(claims)} ${end.status}`)
    if (!isMet) assert.deepEqual((await attempts())[0], ['refused', 'connection_without_mfa'])
  }
  const path = `/admin/accounts/${accountId}/connections/${connection.id}`
  expectStatus(await service.patch(path, { mfa: 'trusted' }), 200)
  const trusted = await tokensOf(place, await signInAs(place, person('bob')))
  assert.deepEqual(decodeJwt(trusted.id_token).amr, ['fed', 'mfa'])
})

test('P140: what the sign-in demands has to be stated by the provider', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, admin, connection, attempts } = place
  const now = Math.floor(Date.now() / 1_000)
  const ago = (seconds: number) => ({ auth_time: now - seconds })
  const cases: [object, Record<string, string>, boolean][] = [
    [{ auth_time: undefined }, { max_age: '600' }, false],
    [ago(7_200), { max_age: '600' }, false],
    [ago(300), { max_age: '600' }, true],
    [ago(0), { max_age: '0' }, true],
    [ago(7_200), { prompt: 'login' }, false],
    [ago(0), { prompt: 'login' }, true],
    [{ auth_time: undefined }, {}, true],
  ]
  for (const [claims, more, isMet] of cases) {
    const { back, end } = await signInAs(place, person('ana', claims), app.newBrowser(), more)
    assert.equal(Boolean(back.code), isMet, `${JSON.stringify([claims, more])} ${end.status}`)
    if (!isMet) assert.deepEqual((await attempts())[0], ['refused', 'connection_not_fresh'])
  }
  expectStatus(await admin.patch(connection.path, { reauthentication: 'unconfirmed' }), 200)
  const assumed = await signInAs(place, person('ana', { auth_time: undefined }), app.newBrowser(), {
    max_age: '600',
  })
  assert.ok(assumed.back.code)
})

test('the claim auth_time is what the provider states, and none without', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { person } = place
  const at = Math.floor(Date.now() / 1_000) - 1_000

  const stated = await tokensOf(place, await signInAs(place, person('ana', { auth_time: at })))
  const future = await tokensOf(place, await signInAs(place, person('ana', { auth_time: at + 100_000 })))
  const absent = await tokensOf(place, await signInAs(place, person('ana', { auth_time: undefined })))

  assert.equal(decodeJwt(stated.id_token).auth_time, at)
  assert.ok(Number(decodeJwt(future.id_token).auth_time) <= Date.now() / 1_000)
  assert.equal(decodeJwt(absent.id_token).auth_time, undefined)
})

test('P71: in such a sign-in no factor is enrolled and no password replaced, and other offers are not made', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, system, accountId } = place
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { requireEmailOtp: true }), 200)
  const user = await app.newUser({ email: person('ana').email, password: PASSWORD, mustChangePassword: true })
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })

  const { end } = await signInAs(place, person('ana'))
  assert.match(String(end.body), /name="code"/)
  const before = await app.db.select().from(users).where(eq(users.id, user.id))
  assert.equal(before[0]?.lastLoginAt, null)
})

test('P138: a tile of the provider leads to the application, which names account and connection', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, connection, accountId, platform } = { ...place, platform: place.app.platform }
  const browser = app.newBrowser()

  const without = await browser.get(`/sso/${connection.id}/start?target_link_uri=https://evil.example`)
  expectStatus(
    await platform.patch(`/admin/systems/${place.system.id}`, {
      initiateLoginUri: 'https://app.example/login',
    }),
    200,
  )
  const away = await browser.get(`/sso/${connection.id}/start?target_link_uri=https://evil.example`)
  const unknown = await browser.get(`/sso/${crypto.randomUUID()}/start`)

  assert.equal(without.status, 200)
  assert.ok(String(without.body).includes(place.system.name))
  const url = new URL(away.headers.get('location')!)
  assert.equal(url.origin + url.pathname, 'https://app.example/login')
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    ...{ iss: app.url, account_id: accountId, connection: connection.id },
  })
  assert.equal(unknown.status, 404)
})

test('`connection` of /auth names one of the system: others are ignored, and one of another account is refused', async (t) => {
  const place = await startConnection(t)
  const { app, connection, join, system } = place
  const browser = app.newBrowser()
  const offers = async (more: Record<string, string | undefined>) => {
    const { page } = await open(place, app.newBrowser(), { account_id: undefined, ...more })
    return linkTo(page, connection.id) !== ''
  }
  const { accountId: theirs } = await join()
  const { page } = await open(place, browser, { account_id: theirs, connection: connection.id })
  const pushed = await fetch(`${app.url}/request`, {
    method: 'POST',
    headers: { authorization: basicAuth(system as never) },
    body: new URL(authUrl(system as never, newPkce().challenge, { connection: connection.id }), app.url)
      .searchParams,
  })
  const { request_uri: uri } = (await pushed.json()) as { request_uri: string }
  const after = await browser.follow(
    await browser.get(`/auth?${new URLSearchParams({ client_id: system.clientId, request_uri: uri })}`),
  )

  assert.deepEqual(
    [
      await offers({ connection: connection.id }),
      await offers({ connection: connection.id.toUpperCase() }),
      await offers({ connection: crypto.randomUUID() }),
      await offers({ connection: 'x' }),
      await offers({}),
    ],
    [true, true, false, false, false],
  )
  assert.equal(backOf(page).error, 'invalid_request')
  assert.notEqual(linkTo(after, connection.id), '')
})
