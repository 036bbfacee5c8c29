/** Tests of a sign-in: who creates and reads them, what the user sees, and what is shared. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { decodeJwt } from 'jose'
import { memberWithApp } from '../../test/support/factors.ts'
import {
  type Answer,
  type Driver,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { testSignIns } from '../database/schema.ts'

type Made = Awaited<ReturnType<Driver['newMember']>>

async function newTest(app: Driver, system: { id: string }, body: object = {}) {
  const at = `/admin/systems/${system.id}/test-sign-ins`
  const { status, body: created } = await app.platform.post(at, body)
  assert.equal(status, 201, JSON.stringify(created))
  const read = async () => (await app.platform.get(`${at}/${created.id}`)).body
  return { at: `${at}/${created.id}`, id: created.id as string, url: new URL(created.url), read }
}

/** The page at the end of a test, in a new browser. */
async function run(app: Driver, url: URL, { email }: { email: string }) {
  const visitor = app.newBrowser()
  const login = await visitor.follow(await visitor.get(String(url)))
  const page = await visitor.follow(await visitor.submit(login, { email, password: PASSWORD }))
  return { visitor, login, page }
}

const share = async (visitor: TestBrowser, page: Answer) => visitor.follow(await visitor.submit(page))

const verdicts = (result: { steps: { step: string; verdict: string; code: string }[] }) =>
  Object.fromEntries(
    result.steps
      .filter(({ verdict }) => verdict === 'asked' || verdict === 'refused')
      .map(({ step, verdict, code }) => [step, `${verdict} ${code}`]),
  )

/** A test of a member, shared. */
async function shared(app: Driver, { system, user }: Pick<Made, 'system' | 'user'>, body: object = {}) {
  const test = await newTest(app, system, body)
  const { visitor, page } = await run(app, test.url, user)
  await share(visitor, page)
  return (await test.read()).result
}

test('a shared result has the claims of a real token of the membership', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({ multiAccount: true })
  const role = await app.newRole(system.id, { scopes: ['orders:read'] })
  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })

  const before = await shared(app, { system, user }, { accountId: membership.accountId })
  const { access_token } = await app.signIn(system, { email: user.email })
  const after = await shared(app, { system, user })

  const {
    iss: _i,
    aud: _a,
    iat: _t,
    exp: _e,
    jti: _j,
    sid: _s,
    auth_time: _u,
    ...claims
  } = decodeJwt(access_token)
  assert.deepEqual(before.claims, claims)
  assert.deepEqual(after.claims, claims)
  assert.deepEqual([verdicts(before), verdicts(after)], [{ consent: 'asked scopes' }, {}])
})

test('before the user shares the result, nothing about the user is returned', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember()
  const { id, url, read } = await newTest(app, system)
  const { visitor, page } = await run(app, url, user)
  const { createdAt: _, expiresAt: __, ...unshared } = await read()
  assert.deepEqual(unshared, {
    id,
    systemId: system.id,
    status: 'open',
    accountId: null,
    scope: system.allowedScopes.join(' '),
    acr: null,
    prompt: null,
    forUserId: null,
    sharedAt: null,
    result: null,
  })

  const thanks = await share(visitor, page)

  assert.match(String(thanks.body), /You have shared the result/)
  const { status, result } = await read()
  assert.deepEqual([status, result.claims.sub], ['shared', user.id])
  const entries = await app.audited({ targetId: id })
  assert.deepEqual(
    entries.map(({ action, actorId }) => [action, actorId === user.id]),
    [
      ['test_sign_in.created', false],
      ['test_sign_in.shared', true],
    ],
  )
  assert.doesNotMatch(JSON.stringify(entries), new RegExp(url.searchParams.get('test')!))
})

test('a result is shared once, in time, and by a form of our page only', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember()
  const another = await app.newUser()
  const { id, url, read } = await newTest(app, system)
  const [one, two] = [await run(app, url, user), await run(app, url, another)]
  const action = /action="([^"]+\/share)"/.exec(String(one.page.body))![1]!
  assert.equal((await one.visitor.post(action, {})).status, 403)
  assert.equal((await one.visitor.post(action, { csrf: 'wrong' })).status, 403)
  const { status } = await read()
  await share(one.visitor, one.page)
  const late = await share(two.visitor, two.page)
  const { result } = await read()
  assert.deepEqual([status, late.status, result.claims.sub], ['open', 410, user.id])

  const expiring = await newTest(app, system)
  const three = await run(app, expiring.url, user)
  await app.db.update(testSignIns).set({ expiresAt: sql`now()` }).where(eq(testSignIns.id, expiring.id))
  const expired = await share(three.visitor, three.page)
  assert.deepEqual([expired.status, (await expiring.read()).status], [410, 'expired'])
  assert.equal((await app.audited({ action: 'test_sign_in.shared', targetId: id })).length, 1)
})

test('P62: a test executes no step that changes the user, the membership or the consent', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowSelfRegister: true, requireMfa: true })
  const joining = await app.newUser()
  assert.deepEqual(verdicts(await shared(app, { system, user: joining })), {
    address: 'asked verify',
    factor: 'asked enrol',
    membership: 'asked join',
  })
  const { body } = await app.platform.get(`/admin/memberships?systemId=${system.id}`)
  assert.equal(body.total, 0)

  const temporary = await app.newMember()
  await app.platform.post(`/admin/users/${temporary.user.id}/set-password`, {
    password: PASSWORD,
    temporary: true,
  })
  const result = await shared(app, temporary)
  assert.deepEqual(verdicts(result), { password: 'asked change', consent: 'asked scopes' })
  assert.equal(result.claims.membership_id, temporary.membership.id)
  const consents = (await app.platform.get(`/admin/users/${temporary.user.id}/export`)).body.consents
  assert.deepEqual(consents, [])
})

test('a refused membership is named, without claims', async (t) => {
  const app = await startTestApp(t)
  const pending = await app.newMember({ requireAdminActivation: true })
  const blocked = await app.newMember()
  await app.platform.patch(`/admin/memberships/${blocked.membership.id}`, { status: 'blocked' })
  const none = { system: await app.newSystem(), user: await app.newUser() }
  const results = []
  for (const each of [pending, blocked, none]) {
    const { claims, ...result } = await shared(app, each)
    results.push([verdicts(result).membership, claims, JSON.stringify(result).includes(each.user.id)])
  }
  assert.deepEqual(results, [
    ['refused pending', null, false],
    ['refused blocked', null, false],
    ['refused none', null, false],
  ])
})

test('a test asks for the second factor of a user who has one', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberWithApp(app)
  const { url, read } = await newTest(app, system)
  const { page } = await run(app, url, user)
  assert.match(String(page.body), /second-factor/)
  assert.equal((await read()).status, 'open')
})

test('P62: a test for one user shows and shares nothing to another', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember()
  const other = await app.newUser()
  await app.newMembership({ userId: other.id, systemId: system.id })
  const { url, read } = await newTest(app, system, { forUserId: user.id })
  assert.equal(url.searchParams.get('login_hint'), user.email)
  const { visitor, page } = await run(app, url, other)
  assert.match(String(page.body), /This test is for another user/)
  assert.doesNotMatch(String(page.body), /membership_id/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!
  const uid = /\/interaction\/([\w-]+)/.exec(String(page.body))![1]
  await visitor.post(`/interaction/${uid}/share`, { csrf })
  assert.equal((await read()).status, 'open')
  const right = await run(app, url, user)
  await share(right.visitor, right.page)
  assert.equal((await read()).result.claims.sub, user.id)
})

test('a test registers no user', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const { url } = await newTest(app, system)
  url.searchParams.set('screen_hint', 'signup')
  const visitor = app.newBrowser()
  const login = await visitor.follow(await visitor.get(String(url)))
  assert.match(String(login.body), /name="password"/)
  assert.doesNotMatch(String(login.body), /\/register"/)
  const uid = /\/interaction\/([\w-]+)/.exec(String(login.body))![1]
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(login.body))![1]!
  const email = `${crypto.randomUUID()}@example.test`
  const answer = await visitor.post(`/interaction/${uid}/register`, { csrf, email, password: PASSWORD })
  assert.equal(answer.status, 404)
  assert.deepEqual(await app.emailsTo(email), [])
})

test('a system creates and reads its own tests only, and the admin of an account none', async (t: TestContext) => {
  const app = await startTestApp(t)
  const fields = { allowClientCredentials: true, multiAccount: true, skipConsent: true }
  const [own, other] = [await app.newMember(fields), await app.newMember(fields)]
  const role = await app.newRole(own.system.id, { isAdmin: true })
  await app.platform.patch(`/admin/memberships/${own.membership.id}/roles`, { roles: [role.id] })
  const admin = app.as((await app.signIn(own.system, { email: own.user.email })).access_token)
  const [service, stranger] = [await app.serviceOf(own.system), await app.serviceOf(other.system)]
  const at = `/admin/systems/${own.system.id}/test-sign-ins`
  const { status, body } = await service.post(at, {})
  assert.equal(status, 201)
  const answers = [
    await stranger.get(`${at}/${body.id}`),
    await stranger.post(at, {}),
    await admin.get(`${at}/${body.id}`),
    await admin.post(at, {}),
    await app.platform.get(`/admin/systems/${other.system.id}/test-sign-ins/${body.id}`),
    await service.post(at, { forUserId: other.user.id }),
    await service.post(at, { accountId: other.membership.accountId }),
    await service.post(at, { scope: 'openid phone' }),
  ]
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    [
      [404, 'system_not_found'],
      [404, 'system_not_found'],
      [403, 'insufficient_authority'],
      [403, 'insufficient_authority'],
      [404, 'test_sign_in_not_found'],
      [404, 'user_not_found'],
      [404, 'account_not_found'],
      [400, 'invalid_request'],
    ],
  )
  assert.equal((await service.get(`${at}/${body.id}`)).body.status, 'open')
})

test('P53: a system has at most 50 tests that have not expired, and one it cannot test has none', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const at = `/admin/systems/${system.id}/test-sign-ins`
  await Promise.all(Array.from({ length: 49 }, () => newTest(app, system)))
  const answers = await Promise.all([1, 2, 3].map(() => app.platform.post(at, {})))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  await app.db.update(testSignIns).set({ expiresAt: sql`now()` }).where(eq(testSignIns.systemId, system.id))
  assert.equal((await app.platform.post(at, {})).status, 201)
  const without = await app.newSystem({ redirectUris: [] })
  const refused = await app.platform.post(`/admin/systems/${without.id}/test-sign-ins`, {})
  assert.deepEqual([refused.status, refused.body.code], [409, 'sign_in_not_testable'])
})
