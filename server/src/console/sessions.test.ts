/** When a user may use the console: the right, the sign-in, its age and its factors, at every request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs, removePasswords } from '../../test/support/browser-sessions.ts'
import {
  consoleClient,
  consoleHeaders,
  newAccountAdmin,
  newOperator,
  signInToConsole,
} from '../../test/support/console.ts'
import { appCode, continueSignIn, secretOn, sendTo, stepOf, withinStep } from '../../test/support/factors.ts'
import { type Answer, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { identities } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Operator = Awaited<ReturnType<typeof newOperator>>

const LINES = { 'content-type': 'application/x-ndjson' }

const outcome = ({ status, body }: Answer) => [status, body?.code]
const required = [401, 'sign_in_required']
const tooOld = [401, 'insufficient_user_authentication']
const factorRequired = [401, 'second_factor_required']
const lost = [404, 'context_not_found']

/** An open event stream; `ended` is its text, once the server has ended it. */
async function openStream(app: App, { browser, user }: Pick<Operator, 'browser' | 'user'>, context: string) {
  const path = '/console/api/admin/events/stream'
  const headers = { ...consoleHeaders(app.url, user, context), cookie: browser.cookiesFor(path) }
  const response = await fetch(app.url + path, { headers })
  assert.equal(response.status, 200)
  return { ended: response.text() }
}

/** The id of the platform system and of its admin role. */
async function platformOf({ platform }: App) {
  const { body } = await platform.get('/admin/systems?search=tenantry')
  const { id } = body.data.find(({ clientId }: { clientId: string }) => clientId === 'tenantry-console')
  const roles = (await platform.get(`/admin/systems/${id}/roles`)).body
  return { id: String(id), role: roles.find(({ isAdmin }: { isAdmin: boolean }) => isAdmin).id as string }
}

const logOut = async (browser: TestBrowser) =>
  browser.submit(await browser.get('/session/end'), { logout: 'yes' })

test('P59: when the right or the sign-in ends, the next request is refused and an open stream ends', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app
  const installation = await platformOf(app)
  const system = await app.newSystem()
  const ends: Record<string, [(each: Operator & { membershipId?: string }) => Promise<unknown>, unknown[]]> =
    {
      'is no operator any more': [
        ({ operatorId }) => platform.delete(`/admin/operators/${operatorId}`),
        lost,
      ],
      'is disabled': [({ user }) => platform.patch(`/admin/users/${user.id}`, { disabled: true }), required],
      'is deleted': [({ user }) => platform.delete(`/admin/users/${user.id}`), required],
      'has another password': [
        ({ user }) => platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse!' }),
        required,
      ],
      'has logged out': [({ browser }) => logOut(browser), required],
      'signed in too long ago': [({ user }) => changeProofs(app.db, user.id, { age: 43_300 }), required],
    }
  const ofSystem = await newOperator(app, { systemId: system.id })
  const member = await newOperator(app)
  const membership = await app.newMembership({
    userId: member.user.id,
    systemId: installation.id,
    roles: [installation.role],
  })
  await platform.delete(`/admin/operators/${member.operatorId}`)
  const all: [Operator, string, string, () => Promise<unknown>, unknown[]][] = [
    [
      ofSystem,
      `system:${system.id}`,
      'operates a deleted system',
      () => platform.delete(`/admin/systems/${system.id}`),
      lost,
    ],
    [
      member,
      'platform',
      'is blocked in the platform system',
      () => platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
      lost,
    ],
  ]
  for (const [name, [act, refusal]] of Object.entries(ends)) {
    const operator = await newOperator(app)
    all.push([operator, 'platform', name, () => act(operator), refusal])
  }

  await Promise.all(
    all.map(async ([operator, context, name, act, refusal]) => {
      const client = operator.inContext(context)
      const before = await client.get('/admin/memberships')
      assert.equal(before.status, 200, name)
      const stream = await openStream(app, operator, context)
      const cookies = new Map(operator.browser.jar)
      await act()
      const after = await client.get('/admin/memberships')
      for (const [key, value] of cookies) operator.browser.jar.set(key, value)
      const withOldCookie = await client.get('/admin/memberships')
      assert.deepEqual([outcome(after), outcome(withOldCookie)], [refusal, refusal], name)
      assert.doesNotMatch(await stream.ended, /^: still here$/m, name) // the first heartbeat, after 15 s
    }),
  )
})

test('P59: an account admin who is blocked, demoted or disabled in the system loses the context', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const service = await app.serviceOf(system)
  type Admin = Awaited<ReturnType<typeof newAccountAdmin>>
  const ends: [string, (admin: Admin) => Promise<Answer>, unknown[]][] = [
    [
      'blocked',
      ({ membership }) => service.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
      lost,
    ],
    [
      'demoted',
      ({ membership }) => service.patch(`/admin/memberships/${membership.id}/roles`, { roles: [] }),
      lost,
    ],
    ['removed', ({ membership }) => service.delete(`/admin/memberships/${membership.id}`), lost],
    ['disabled', ({ user }) => service.patch(`/admin/users/${user.id}`, { disabled: true }), lost],
    [
      'signed out by the system',
      ({ user }) => service.post(`/admin/users/${user.id}/set-password`, { password: 'another horse!' }),
      tooOld,
    ],
  ]

  for (const [name, act, refusal] of ends) {
    const admin = await newAccountAdmin(app, system)
    assert.equal((await admin.client.get('/admin/memberships')).body.total, 1, name)
    const { status } = await act(admin)
    assert.ok(status < 300, `${name}: ${status}`)
    assert.deepEqual(outcome(await admin.client.get('/admin/memberships')), refusal, name)
  }
  const admin = await newAccountAdmin(app, system)
  await service.patch(`/admin/systems/${system.id}`, { accountAdminApi: false })
  assert.deepEqual(outcome(await admin.client.get('/admin/memberships')), lost)
})

test('P59: a password that a system has set opens nothing in the console', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, skipConsent: true })
  const service = await app.serviceOf(system)
  const email = `${crypto.randomUUID()}@example.test`
  const password = 'chosen by the system'
  const { body: user } = await service.post('/admin/users', { email, password, emailVerified: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const { accountId } = (
    await service.post('/admin/memberships', {
      userId: user.id,
      systemId: system.id,
      accountName: 'Acme',
      roles: [role.id],
    })
  ).body
  await app.platform.post('/admin/operators', { userId: user.id, level: 'admin' })

  const { visitor } = await app.signIn(system, { email, password })
  const page = await signInToConsole(app.newBrowser(), user)

  for (const context of ['platform', `system:${system.id}`, `account:${accountId}`])
    assert.deepEqual(
      outcome(await consoleClient(app.url, visitor, user, context).get('/admin/memberships')),
      required,
    )
  assert.deepEqual((await visitor.get('/console/api/me')).status, 401)
  assert.equal(stepOf(page), 'login')
})

test('P59: a sensitive operation requires a recent sign-in, not by another identity provider alone', async (t) => {
  const app = await startTestApp(t)
  const operator = await newOperator(app)
  const { client, user } = operator
  const other = await app.newUser()
  const system = await app.newSystem({ multiAccount: true, allowServiceAccounts: true })
  const at = `/admin/systems/${system.id}`
  const account = (await app.platform.post(`${at}/accounts`, { name: 'Acme' })).body
  const programs = `/admin/accounts/${account.id}/service-accounts`
  const program = (await app.platform.post(programs, { name: 'Export' })).body
  const sensitive: [method: 'get' | 'post' | 'delete' | 'patch', path: string, body?: object][] = [
    ['delete', `/admin/users/${other.id}`],
    ['delete', at],
    ['post', `${at}/rotate-secret`],
    ['post', '/admin/keys/rotate'],
    ['post', `${at}/webhooks`, { url: 'https://hooks.example/' }],
    ['patch', at, { redirectUris: ['https://evil.example/cb'] }],
    ['post', `/admin/users/${other.id}/set-password`, { password: 'another horse!' }],
    ['post', `/admin/users/${other.id}/reset-password`],
    ['post', `/admin/users/${other.id}/disable-mfa`],
    ['patch', `/admin/users/${other.id}`, { email: 'x@example.test' }],
    ['post', `${programs}/${program.id}/keys`, { expiresIn: 86_400 }],
    ['patch', `${programs}/${program.id}`, { roles: [] }],
    ['patch', `${programs}/${program.id}`, { disabled: false }],
    ['post', '/admin/operators', { userId: other.id, level: 'admin' }],
    ['delete', `/admin/operators/${operator.operatorId}`],
    ['get', `/admin/users/${other.id}/export`],
    ['get', '/admin/audit/export'],
    ['post', '/admin/users/import', {}],
  ]
  const answers = () =>
    Promise.all(
      sensitive.map(async ([method, path, body]) =>
        outcome(
          method === 'get'
            ? await client.get(path)
            : await client[method](path, body, path.endsWith('/import') ? LINES : {}),
        ),
      ),
    )
  const all = sensitive.map(() => tooOld)

  await changeProofs(app.db, user.id, { age: 310 })
  assert.deepEqual(await answers(), all)
  assert.equal((await client.get(`/admin/users/${other.id}`)).status, 200)
  assert.equal((await client.patch(`/admin/users/${other.id}`, { name: 'Bob' })).status, 200)

  const identity = { provider: 'google', issuer: 'google', subject: user.id, userId: user.id }
  const [{ id: credential } = { id: '' }] = await app.db.insert(identities).values(identity).returning()
  await changeProofs(app.db, user.id, { age: 0, login: { method: 'social', credential } })
  assert.deepEqual(await answers(), all)
  assert.equal((await client.get(`/admin/users/${other.id}`)).status, 200)

  // A user who has nothing else cannot do more.
  await removePasswords(app.db, user.id)
  assert.equal((await client.get(`/admin/users/${other.id}/export`)).status, 200)
})

test('P59: a second factor is required of users who have one, and where the system requires one', async (t) => {
  const app = await startTestApp(t)
  const [plain, withFactor, withCode] = [
    await app.newSystem({ multiAccount: true }),
    await app.newSystem({ multiAccount: true, requireMfa: true }),
    await app.newSystem({ multiAccount: true, requireEmailOtp: true }),
  ]
  const installation = await platformOf(app)
  const admins = [await newAccountAdmin(app, withFactor), await newAccountAdmin(app, withCode)]
  const operator = await newOperator(app)
  const { browser, user } = operator
  const ask = (context: string) => operator.inContext(context).get('/admin/memberships')

  for (const { client } of admins)
    assert.deepEqual(outcome(await client.get('/admin/memberships')), factorRequired)
  await app.platform.patch(`/admin/systems/${installation.id}`, { requireMfa: true })
  try {
    for (const context of ['platform', `system:${plain.id}`])
      assert.deepEqual(outcome(await ask(context)), factorRequired, context)
  } finally {
    await app.platform.patch(`/admin/systems/${installation.id}`, { requireMfa: false })
  }
  assert.equal((await ask('platform')).status, 200)

  const hasFactor = async () => {
    const { body } = await browser.request('/console/api/me', { headers: { accept: '*/*' } })
    return body.user.hasSecondFactor
  }
  assert.equal(await hasFactor(), false)

  // Enrolling one in this browser is enough; another browser has to verify it.
  const page = await browser.follow(await browser.get('/console/sign-in?factor=true'))
  assert.equal(stepOf(page), 'enrol')
  await withinStep()
  const secret = secretOn(page)
  await continueSignIn(browser, await sendTo(browser, page, 'enrol', { code: appCode(secret, -1) }))
  assert.equal((await ask('platform')).status, 200)
  assert.equal(await hasFactor(), true)
  const second = app.newBrowser()
  const asked = await signInToConsole(second, user)
  const client = consoleClient(app.url, second, user, 'platform')
  assert.deepEqual(outcome(await client.get('/admin/memberships')), required)
  assert.deepEqual(outcome(await second.request('/console/api/me', { headers: { accept: '*/*' } })), required)
  await second.follow(await second.submit(asked, { code: appCode(secret) }))
  assert.equal((await client.get('/admin/memberships')).status, 200)
})

test('P59: with CONSOLE_REQUIRE_MFA a user without a second factor has to enroll one first', async (t) => {
  const app = await startTestApp(t, { CONSOLE_REQUIRE_MFA: 'true' })
  const { client, browser } = await newOperator(app)

  assert.deepEqual(outcome(await client.get('/admin/memberships')), required)
  const page = await browser.follow(await browser.get('/console/sign-in'))
  assert.equal(stepOf(page), 'enrol')
  await withinStep()
  const code = appCode(secretOn(page), -1)
  await continueSignIn(browser, await sendTo(browser, page, 'enrol', { code }))
  assert.equal((await client.get('/admin/memberships')).status, 200)
})
