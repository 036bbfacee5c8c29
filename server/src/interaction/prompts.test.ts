import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import {
  authUrl,
  codeFields,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { markEntered } from '../resources/users/system-users.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type SystemLike = Parameters<App['signIn']>[0]

/** A system and a user who is a member of it. */
async function memberOf(app: App, fields: object = {}) {
  const system = await app.newSystem(fields)
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  return { system, user }
}

/** The first page of a sign-in, or the redirect to the application. */
const begin = async (browser: TestBrowser, system: SystemLike, parameters: Record<string, string> = {}) =>
  browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))

/** The page after the password, or the redirect to the application. */
const afterPassword = async (
  browser: TestBrowser,
  system: SystemLike,
  email: string,
  parameters: Record<string, string> = {},
) =>
  browser.follow(
    await browser.submit(await begin(browser, system, parameters), { email, password: PASSWORD }),
  )

const asksConsent = (body: unknown) => /<button type="submit" id="deny"/.test(String(body))
const asksPassword = (body: unknown) => /name="password"/.test(String(body))
const isCallback = (location: string | null) => location?.startsWith('https://app.example/cb?') ?? false

test('consent shows client, scopes and account, and is asked once', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app, { name: 'Shop' })
  const browser = app.newBrowser()

  const page = await afterPassword(browser, system, user.email)
  await browser.follow(await browser.submit(page))

  assert.match(String(page.body), /Allow <bdi>Shop<\/bdi> to use your data\?/)
  assert.match(String(page.body), /Keep access while you are away/)
  assert.match(String(page.body), /<strong><bdi>app\.example<\/bdi><\/strong>/)
  assert.ok(isCallback((await begin(browser, system)).headers.get('location')))
  assert.ok(isCallback((await afterPassword(app.newBrowser(), system, user.email)).headers.get('location')))
})

test('consent is asked again for further scopes, not for fewer', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  await app.signIn(system, { email: user.email, parameters: { scope: 'openid email' } })

  const fewer = await afterPassword(app.newBrowser(), system, user.email, { scope: 'openid' })
  const more = await afterPassword(app.newBrowser(), system, user.email, { scope: 'openid email profile' })

  assert.ok(isCallback(fewer.headers.get('location')))
  assert.ok(asksConsent(more.body))
})

test('consent is per account', async (t) => {
  const app = await startTestApp(t)
  const [system, user] = [await app.newSystem({ multiAccount: true }), await app.newUser()]
  const first = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme' })
  const second = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Bolt' })
  const { visitor } = await app.signIn(system, { email: user.email, account: first.accountId })

  const again = await begin(visitor, system, { account_id: first.accountId })
  const other = await begin(visitor, system, { account_id: second.accountId })

  assert.ok(isCallback(again.headers.get('location')))
  assert.ok(asksConsent(other.body))
  assert.match(String(other.body), /Bolt/)
})

test('denied consent is access_denied and is asked again next time', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)

  const denied = await browser.follow(await browser.submit(page, { decision: 'deny' }))

  const back = new URL(denied.headers.get('location')!).searchParams
  assert.deepEqual(
    [back.get('error'), back.get('code'), back.get('state')],
    ['access_denied', null, 'the-state'],
  )
  assert.ok(asksConsent((await begin(browser, system)).body))
  assert.deepEqual(await app.audited({ action: 'consent.granted', actorId: user.id }), [])
})

test('consent is audited with its scopes', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)

  await app.signIn(system, { email: user.email, parameters: { scope: 'openid email' } })

  const [entry] = await app.audited({ action: 'consent.granted', actorId: user.id })
  assert.deepEqual([entry?.systemId, entry?.changes], [system.id, { scopes: [null, ['openid', 'email']] }])
})

test('prompt=consent asks again', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const { visitor } = await app.signIn(system, { email: user.email })

  const page = await begin(visitor, system, { prompt: 'consent' })
  const done = await visitor.follow(await visitor.submit(page))

  assert.ok(asksConsent(page.body))
  assert.ok(new URL(done.headers.get('location')!).searchParams.get('code'))
})

test('a system with skipConsent never asks, and its tokens have the requested scopes', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app, { skipConsent: true })

  const page = await afterPassword(app.newBrowser(), system, user.email)
  const tokens = await app.signIn(system, { email: user.email })

  const asked = await begin(tokens.visitor, system, { prompt: 'consent' })

  assert.ok(isCallback(page.headers.get('location')))
  assert.equal(tokens.scope, 'openid email profile offline_access')
  assert.ok(tokens.refresh_token)
  assert.ok(isCallback(asked.headers.get('location')), 'nor with prompt=consent')
})

test('prompt=login asks for the password, and another user may sign in', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const other = await app.newUser()
  const membership = await app.newMembership({ userId: other.id, systemId: system.id })
  const { visitor } = await app.signIn(system, { email: user.email })

  const page = await begin(visitor, system, { prompt: 'login' })
  const tokens = await app.signIn(system, { email: other.email, visitor, parameters: { prompt: 'login' } })

  assert.ok(asksPassword(page.body))
  const { sub, account_id } = decodeJwt(tokens.access_token)
  assert.deepEqual([sub, account_id], [other.id, membership.accountId])
  const silent = await app.signIn(system, { email: other.email, visitor, parameters: { prompt: 'none' } })
  assert.equal(decodeJwt(silent.id_token).sub, other.id)
})

test('prompt=none without a session is login_required', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)

  const { back } = await app.authorize(system, { email: user.email, parameters: { prompt: 'none' } })

  assert.deepEqual([back.error, back.state, back.iss], ['login_required', 'the-state', app.url])
})

test('prompt=none is consent_required or access_denied in systems that the user has entered', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const [unasked, pending, closed] = [await app.newSystem(), await app.newSystem(), await app.newSystem()]
  await app.newMembership({ userId: user.id, systemId: unasked.id })
  await app.newMembership({ userId: user.id, systemId: pending.id, status: 'pending' })
  const removed = await app.newMembership({ userId: user.id, systemId: closed.id })
  await app.platform.delete(`/admin/memberships/${removed.id}`)
  for (const { id } of [unasked, pending, closed])
    await markEntered(app.db, { userId: user.id, systemId: id })
  const { visitor } = await app.signIn(system, { email: user.email })
  const silently = async (where: SystemLike) =>
    (await app.authorize(where, { email: user.email, visitor, parameters: { prompt: 'none' } })).back.error

  assert.equal(await silently(unasked), 'consent_required')
  assert.equal(await silently(pending), 'access_denied')
  assert.equal(await silently(closed), 'access_denied')
})

test('prompt=none gives a code if no prompt is due, and refuses other prompt values', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const { visitor } = await app.signIn(system, { email: user.email })

  const silent = await app.authorize(system, { email: user.email, visitor, parameters: { prompt: 'none' } })
  const both = await app.authorize(system, {
    email: user.email,
    visitor,
    parameters: { prompt: 'none login' },
  })

  assert.ok(silent.back.code)
  assert.equal(both.back.error, 'invalid_request')
})

test('max_age asks for the password after that time, and auth_time has the time of login', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const first = await app.signIn(system, { email: user.email, parameters: { max_age: '3600' } })
  await changeProofs(app.db, user.id, { age: 60, idle: 0 })

  const recent = await app.signIn(system, {
    email: user.email,
    visitor: first.visitor,
    parameters: { max_age: '3600' },
  })
  const old = await begin(first.visitor, system, { max_age: '30' })
  const none = await app.authorize(system, {
    email: user.email,
    visitor: first.visitor,
    parameters: { max_age: '30', prompt: 'none' },
  })
  const again = await app.signIn(system, {
    email: user.email,
    visitor: first.visitor,
    parameters: { max_age: '30' },
  })

  assert.ok(asksPassword(old.body))
  assert.equal(none.back.error, 'login_required')
  const authTimes = [first, recent, again].map(({ id_token }) => Number(decodeJwt(id_token).auth_time))
  assert.ok(authTimes[1]! < authTimes[0]! && authTimes[0]! <= authTimes[2]!, String(authTimes))
})

test('auth_time is the time of the login, not of later steps', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const browser = app.newBrowser()
  const pkce = newPkce()
  const login = await browser.follow(await browser.get(authUrl(system, pkce.challenge)))
  const consent = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
  const verifiedBy = Math.floor(Date.now() / 1_000)
  await sleep(1_100) // the claim is in seconds

  const done = await browser.follow(await browser.submit(consent))

  const back = Object.fromEntries(new URL(done.headers.get('location')!).searchParams)
  const { body } = await app.token(system, codeFields(system, { back, pkce }))
  const said = Number(decodeJwt(body.access_token).auth_time)
  assert.ok(said <= verifiedBy, `${said} is after ${verifiedBy}`)
})

test('an id_token_hint of another user requires that user; silently it is login_required', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const other = await app.newUser()
  await app.newMembership({ userId: other.id, systemId: system.id })
  const [mine, theirs] = [
    await app.signIn(system, { email: user.email }),
    await app.signIn(system, { email: other.email }),
  ]
  const silently = async (hint: string) =>
    (
      await app.authorize(system, {
        email: user.email,
        visitor: mine.visitor,
        parameters: { prompt: 'none', id_token_hint: hint },
      })
    ).back

  assert.ok((await silently(mine.id_token)).code)
  assert.equal((await silently(theirs.id_token)).error, 'login_required')
})

test('one login opens every system of the browser, with consent and session for each', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const second = await app.newSystem()
  await app.newMembership({ userId: user.id, systemId: second.id })
  const first = await app.signIn(system, { email: user.email })

  const page = await begin(first.visitor, second)
  const tokens = await app.signIn(second, { email: user.email, visitor: first.visitor })

  assert.ok(asksConsent(page.body) && !asksPassword(page.body))
  assert.notEqual(decodeJwt(tokens.access_token).sid, decodeJwt(first.access_token).sid)
})

test('two tabs of one browser can sign in at the same time', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const browser = app.newBrowser()
  const [one, two] = [await begin(browser, system), await begin(browser, system)]

  const first = await browser.follow(await browser.submit(one, { email: user.email, password: PASSWORD }))
  const second = await browser.follow(await browser.submit(two, { email: user.email, password: PASSWORD }))
  const ends = [
    await browser.follow(await browser.submit(first)),
    await browser.follow(await browser.submit(second)),
  ]

  for (const end of ends) assert.ok(new URL(end.headers.get('location')!).searchParams.get('code'))
})

test('after another user signs in, an older tab of the first user ends in an error', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const other = await app.newUser()
  await app.newMembership({ userId: other.id, systemId: system.id })
  const browser = app.newBrowser()
  const mine = await app.signIn(system, { email: user.email, visitor: browser })
  const left = await begin(browser, system, { prompt: 'consent' })

  const theirs = await app.signIn(system, {
    email: other.email,
    visitor: browser,
    parameters: { prompt: 'login' },
  })
  const end = await browser.follow(await browser.submit(left))

  assert.deepEqual([end.status, end.headers.get('location')], [404, null])
  assert.deepEqual(
    [(await app.me(mine.access_token)).status, (await app.me(theirs.access_token)).status],
    [401, 200],
  )
})
