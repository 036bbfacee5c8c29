/** An organization requires single sign-on: nothing but a login by one of its connections opens it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { newPlace, noteTested } from '../../../test/support/connections.ts'
import { consoleClient, consoleHeaders, signInToConsole } from '../../../test/support/console.ts'
import { askAs, enter, poll } from '../../../test/support/device.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { text, visitorOf } from '../../../test/support/organizations.ts'
import { addressOf, begin, start as startSocial, through, unique } from '../../../test/support/social.ts'
import { newClosable } from '../../../test/support/sso-required.ts'
import { backOf, goThrough, linkTo, open, signInAs, tokensOf } from '../../../test/support/sso-sign-in.ts'
import {
  type Answer,
  authUrl,
  codeFields,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../../test/support/testing.ts'
import { usedOrganization } from '../../../test/support/used-organization.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { eq } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]
const isStep = (page: Answer, connection: { id: string }) => {
  assert.equal(page.status, 200, text(page))
  assert.match(linkTo(page, connection.id), /^\/interaction\//, text(page))
  assert.doesNotMatch(text(page), /name="password"/)
}

test('P102: a password leads to the connection, which then opens the membership', async (t) => {
  const place = await newClosable(t)
  const { app, system, user, person, connection, other, accountId } = place
  await place.require()
  const browser = app.newBrowser()
  place.other.claims = person('ana') as never

  const { pkce, end: asked } = await place.login(browser)
  const end = await goThrough(browser, asked, connection.id, other)
  const tokens = await tokensOf(place, { pkce, end, back: backOf(end) })

  isStep(asked, connection)
  assert.match(text(asked), /requires its members to sign in with its own identity provider/)
  const claims = decodeJwt(tokens.access_token)
  assert.deepEqual([claims.sub, claims.account_id, claims.amr], [user.id, accountId, ['fed']])
  const [session] = await app.db
    .select()
    .from(sessions)
    .where(eq(sessions.sid, String(claims.sid)))
  assert.equal(session?.connectionId, connection.id)
  assert.equal(system.id, session?.systemId)
})

test('P102: a browser session of a password opens nothing, silently or not', async (t) => {
  const place = await newClosable(t)
  const { app, system, connection, accountId } = place
  const browser = app.newBrowser()
  assert.ok(backOf((await place.login(browser)).end).code, 'before it is required, the password signs in')
  await place.require()
  const ask = async (more: Record<string, string>) =>
    browser.follow(await browser.get(authUrl(system as never, newPkce().challenge, more)))

  const silent = await ask({ prompt: 'none' })
  const named = await ask({ account_id: accountId })
  const recent = await ask({ max_age: '86400' })

  assert.equal(backOf(silent).error, 'login_required')
  isStep(named, connection)
  isStep(recent, connection)
})

test('P140: a fresh password is no new login in a closed membership', async (t) => {
  const place = await newClosable(t)
  const { app, connection, person } = place
  await place.require()
  const browser = app.newBrowser()
  await signInAs(place, person('ana'), browser)

  const opened = await open(place, browser, { prompt: 'login', account_id: undefined })
  const another = await browser.follow(await browser.submit(opened.page))
  const typed = await browser.follow(
    await browser.submit(another, { email: place.user.email, password: PASSWORD }),
  )

  isStep(opened.page, connection)
  isStep(typed, connection)
})

test('P102: the sign-in of a device leads to the connection', async (t) => {
  const place = await newClosable(t, { allowDeviceFlow: true })
  const { app, system, user, connection } = place
  await place.require()
  const asked = await askAs(app, system as never)
  const browser = app.newBrowser()

  const login = await browser.follow(
    await browser.submit(await enter(browser, asked.user_code), { confirm: 'yes' }),
  )
  const step = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))

  isStep(step, connection)
  assert.equal((await poll(app, system as never, asked)).body.error, 'authorization_pending')
})

test('P102: a login by an identity provider of the installation leads to the connection', async (t) => {
  const { app, one } = await startSocial(t)
  const { system, accountId, admin, add } = await newPlace(app, { skipConsent: true })
  const connection = await add(admin)
  const settings = {
    issuer: 'https://acme.example',
    clientId: 'tenantry',
    clientSecret: 'a secret of theirs',
  }
  expectStatus(await admin.patch(connection.path, settings), 200)
  await noteTested(app, connection.id)
  expectStatus(await admin.patch(connection.path, { enabled: true }), 200)
  const user = await app.newUser({ email: addressOf('ana'), emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  one.claims = { sub: unique(), email: user.email, email_verified: true }
  const before = await through(await begin(app, system as never), one)
  expectStatus(await app.platform.patch(`/admin/accounts/${accountId}`, { ssoRequired: true }), 200)

  const step = await through(await begin(app, system as never), one)

  assert.ok(backOf(before).code, text(before))
  isStep(step, connection)
})

test('P102: what other logins have opened ends when it is required: tokens, refresh tokens, codes', async (t) => {
  const place = await newClosable(t)
  const { app, system, user, person, service, accountId } = place
  const own = await app.signIn(system as never, { email: user.email })
  const code = await place.login(app.newBrowser())
  const connected = await tokensOf(place, await signInAs(place, person('ana')))
  const elsewhere = await app.newMember()
  const other = await app.signIn(elsewhere.system, { email: elsewhere.user.email })

  await place.require()

  const redeemed = await app.token(
    system as never,
    codeFields(system as never, { back: backOf(code.end), pkce: code.pkce }),
  )
  const ended = [await app.me(own.access_token), await app.refresh(system as never, own.refresh_token!)]
  assert.deepEqual(
    ended.map(({ status }) => status),
    [401, 400],
  )
  assert.deepEqual([redeemed.status, redeemed.body.error], [400, 'invalid_grant'])
  expectStatus(await app.me(connected.access_token), 200)
  expectStatus(await app.refresh(system as never, connected.refresh_token!), 200)
  expectStatus(await app.me(other.access_token), 200)
  const { data } = expectStatus(await service.get('/admin/events?limit=100'), 200).body
  const reasons = data
    .filter(({ type }: { type: string }) => type === 'session.ended')
    .map(({ data }: { data: { reason: string; accountId: string } }) => [data.reason, data.accountId])
  assert.deepEqual([...new Set(reasons.map(String))], [`sso_required,${accountId}`])
  const { data: entries } = (await service.get('/admin/audit?action=account.sso_required')).body
  assert.deepEqual(
    entries.map(({ changes }: { changes: object }) => changes),
    [{ ssoRequired: [false, true], ssoRequiredBy: [null, 'platform'] }],
  )
})

test('P102: the pages of the organization and its context in the console open to no other login', async (t) => {
  const place = await newClosable(t)
  const { app, accountId } = place
  const { boss } = await newAdmin(place)
  const visitor = await visitorOf(app, { accountId }, boss)
  const browser = app.newBrowser()
  await signInToConsole(browser, boss)
  const client = consoleClient(app.url, browser, boss, `account:${accountId}`)
  expectStatus(await visitor.open('/members'), 200)
  expectStatus(await client.get(`/admin/accounts/${accountId}/members`), 200)
  const settings = await visitor.open('/settings')
  expectStatus(settings, 200)

  await place.require()

  const pages = [await visitor.open(), await visitor.open('/members'), await visitor.open('/settings')]
  const sent = await visitor.send('/settings', { name: 'Changed' })
  const inConsole = [
    await client.get(`/admin/accounts/${accountId}/members`),
    await client.patch(`/admin/accounts/${accountId}`, { name: 'Changed' }),
  ]
  const contexts = await browser.get(
    '/console/api/contexts?search=',
    consoleHeaders(app.url, boss, 'platform'),
  )
  for (const page of pages) {
    assert.equal(page.status, 403)
    assert.match(text(page), /requires single sign-on/)
    assert.doesNotMatch(text(page), /ana@/)
  }
  assert.equal(sent.status, 303)
  assert.deepEqual(inConsole.map(outcomeOf), [
    [404, 'context_not_found'],
    [404, 'context_not_found'],
  ])
  assert.equal(contexts.status, 200)
  assert.doesNotMatch(JSON.stringify(contexts.body), new RegExp(accountId))
  const { body } = await app.platform.get(place.at)
  assert.notEqual(body.name, 'Changed')
  const left = await visitor.open('/leaving')
  assert.match(text(left), /id="leave"/)
})

/** An admin of the organization besides the first one. */
async function newAdmin(place: Awaited<ReturnType<typeof newClosable>>) {
  const { app, system, accountId } = place
  const boss = await app.newUser()
  const role = await app.newRole(system.id, { isAdmin: true })
  await app.newMembership({ userId: boss.id, systemId: system.id, accountId, roles: [role.id] })
  return { boss, role }
}

test('own pages get the step with the connections as JSON, and another user can sign in', async (t) => {
  const place = await newClosable(t)
  const { app, connection } = place
  await place.require()
  const browser = app.newBrowser()
  const { end } = await place.login(browser)
  const uid = /\/interaction\/([\w-]+)\/connection/.exec(linkTo(end, connection.id))![1]!

  const step = await browser.request(`/interaction/${uid}`, { headers: { accept: 'application/json' } })
  const foreign = await browser.get(`/interaction/${uid}/connection/${crypto.randomUUID()}`)

  const { step: name, fields, connections } = step.body
  assert.deepEqual([name, fields, connections.length], ['connection', [], 1])
  assert.equal(connections[0].url, `/interaction/${uid}/connection/${connection.id}`)
  assert.equal(foreign.status, 404)
})

test('P73: an admin of the organization requires it with a recent login by its connection, and undoes nothing of a higher rank', async (t) => {
  const place = await newClosable(t)
  const { app, at, admin, service, person, system } = place
  const { role } = await newAdmin(place)
  const { id } = place.member
  expectStatus(await app.platform.patch(`/admin/memberships/${id}/roles`, { add: [role.id] }), 200)
  place.other.claims = person('ana', { auth_time: Math.floor(Date.now() / 1_000) }) as never
  const { access_token: token } = await tokensOf(
    place,
    await signInAs(place, person('ana', { auth_time: Math.floor(Date.now() / 1_000) })),
  )
  const connected = app.as(token)

  const byPassword = await admin.patch(at, { ssoRequired: true })
  const byConnection = await connected.patch(at, { ssoRequired: true })
  const ended = await admin.get(at)
  const raised = await service.patch(at, { ssoRequired: true })
  const undone = await connected.patch(at, { ssoRequired: false })
  const read = expectStatus(await connected.get(at), 200).body
  const { name: _, ...sentBack } = read
  const kept = await service.patch(at, { ...sentBack, name: 'Again' })
  const cleared = await app.platform.patch(at, { ssoRequired: false })
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'off' })
  const off = await service.patch(at, { ssoRequired: true })

  assert.deepEqual(outcomeOf(byPassword), [401, 'insufficient_user_authentication'])
  assert.deepEqual([byConnection.status, byConnection.body.ssoRequiredBy], [200, 'account'])
  assert.equal(ended.status, 401, 'the admin had signed in with a password')
  assert.deepEqual([raised.status, raised.body.ssoRequiredBy], [200, 'system'])
  assert.deepEqual(outcomeOf(undone), [403, 'insufficient_authority'])
  assert.deepEqual([kept.status, kept.body.ssoRequiredBy], [200, 'system'])
  assert.deepEqual([cleared.status, cleared.body.ssoRequired, cleared.body.ssoRequiredBy], [200, false, null])
  assert.deepEqual(outcomeOf(off), [403, 'sso_not_enabled'])
})

test('P103: it is required only with an enabled connection, of which the last one does not end without force', async (t) => {
  const place = await newClosable(t)
  const { app, at, connection, service, connect, path, person } = place
  expectStatus(await service.patch(connection.path, { name: 'First' }), 200)
  const second = await connect({ admin: app.platform, path })
  expectStatus(await service.patch(connection.path, { enabled: false }), 200)
  expectStatus(await app.platform.patch(second.path, { enabled: false }), 200)
  const none = await service.patch(at, { ssoRequired: true })
  for (const each of [connection, second])
    expectStatus(await app.platform.patch(each.path, { enabled: true }), 200)
  await place.require()
  const { access_token: token } = await tokensOf(place, await signInAs(place, person('ana')))

  const first = await app.platform.patch(second.path, { enabled: false })
  const last = await service.patch(connection.path, { enabled: false })
  const deleted = await service.delete(connection.path)
  const still = await app.me(token)
  const forced = await app.platform.delete(`${connection.path}?force=true`)
  const after = await service.get(at)

  assert.deepEqual(outcomeOf(none), [409, 'connection_required'])
  assert.equal(first.status, 200)
  assert.deepEqual(outcomeOf(last), [409, 'connection_required'])
  assert.deepEqual(outcomeOf(deleted), [409, 'connection_required'])
  assert.equal(still.status, 200)
  assert.equal(forced.status, 204)
  assert.equal(after.body.ssoRequired, false)
  const { data } = (await service.get('/admin/audit?action=account.sso_required')).body
  assert.equal(data.length, 2)
})

test('P103: of the last two connections, both are never disabled at once', async (t) => {
  const place = await newClosable(t)
  const { app, at, connection, service, connect, path } = place
  expectStatus(await service.patch(connection.path, { name: 'First' }), 200)
  const second = await connect({ admin: app.platform, path })
  await place.require()

  const answers = await concurrently(2, (nth) =>
    app.platform.patch([connection, second][nth]!.path, { enabled: false }),
  )

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await service.get(at)).body.ssoRequired, true)
})

test('P103: it is not required while the last connection is disabled', async (t) => {
  const place = await newClosable(t)
  const { at, connection, service } = place

  const [required, disabled] = await concurrently<Answer>(2, (nth) =>
    nth === 0 ? service.patch(at, { ssoRequired: true }) : service.patch(connection.path, { enabled: false }),
  )

  assert.deepEqual([required!.status, disabled!.status].sort(), [200, 409])
  const { enabled } = (await service.get(connection.path)).body
  assert.equal((await service.get(at)).body.ssoRequired, enabled)
})

test('P102: who acts for a member goes on when single sign-on is required, and the own sessions end', async (t) => {
  const app = await startTestApp(t)
  const org = await usedOrganization(app)
  const path = `/admin/accounts/${org.accountId}`
  const created = await org.service.post(`${path}/connections`, { name: 'Okta', kind: 'oidc' })
  const connection = `${path}/connections/${expectStatus(created, 201).body.id}`
  const settings = {
    issuer: 'https://acme.example',
    clientId: 'tenantry',
    clientSecret: 'a secret of theirs',
  }
  expectStatus(await org.service.patch(connection, settings), 200)
  await noteTested(app, created.body.id)
  expectStatus(await org.service.patch(connection, { enabled: true }), 200)
  const acting = expectStatus(await org.actForMember(), 200).body.access_token
  const statuses = async () =>
    Promise.all([acting, org.tokens.access_token].map(async (token) => (await app.me(token)).status))

  const before = await statuses()
  expectStatus(await app.platform.patch(path, { ssoRequired: true }), 200)

  assert.deepEqual(
    [before, await statuses()],
    [
      [200, 200],
      [200, 401],
    ],
  )
  expectStatus(await org.actForMember(), 200)
})
