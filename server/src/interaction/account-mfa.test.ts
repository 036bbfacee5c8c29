/** A second factor that an organization requires: when it is asked for, and who decides it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleClient, signInToConsole } from '../../test/support/console.ts'
import {
  type App,
  afterPassword,
  appCode,
  codeOf,
  continueSignIn,
  secretOn,
  sendTo,
  stepOf,
  withinStep,
} from '../../test/support/factors.ts'
import { type Answer, expectStatus } from '../../test/support/http.ts'
import { newOrganization } from '../../test/support/invitations.ts'
import { newTeam } from '../../test/support/organizations.ts'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'

const outcome = ({ status, body }: Answer) => [status, body?.code]

/** An organization that requires a second factor, one that does not, and a member of both. */
async function twoOrganizations(app: App, fields: object = {}) {
  const system = await app.newSystem({ multiAccount: true, skipConsent: true, ...fields })
  const user = await app.newUser()
  const join = (accountName: string, userId = user.id) =>
    app.newMembership({ userId, systemId: system.id, accountName, status: 'active' })
  const [strict, plain] = [await join('Acme'), await join('Birch')]
  const at = `/admin/accounts/${strict.accountId}`
  expectStatus(await app.platform.patch(at, { requireMfa: true }), 200)
  return { system, user, strict, plain, at }
}

const choose = async (browser: ReturnType<App['newBrowser']>, page: Answer, accountId: string) =>
  browser.follow(await browser.submit(page, { accountId }))

test('the factor is asked for after the account is chosen, enrolled there, and only for an account that requires it', async (t) => {
  const app = await startTestApp(t)
  const { system, user, strict, plain } = await twoOrganizations(app)
  const [first, second] = [app.newBrowser(), app.newBrowser()]

  const chooser = await afterPassword(first, system, user.email)
  const enrol = await choose(first, chooser, strict.accountId)
  await withinStep()
  const done = await sendTo(first, enrol, 'enrol', { code: appCode(secretOn(enrol), -1) })
  const finished = await continueSignIn(first, done)
  const without = await choose(second, await afterPassword(second, system, user.email), plain.accountId)

  assert.deepEqual([stepOf(chooser), stepOf(enrol)], ['account', 'enrol'])
  assert.match(String(enrol.body), /Acme[\s\S]{0,20} requires two-step verification/)
  assert.ok(codeOf(finished))
  // The user has one now, and is always asked for it.
  assert.equal(stepOf(without), 'second-factor')
})

test('a member who is chosen silently or by account_id is asked; a session without the factor is asked for it at the next sign-in', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  const user = await app.newUser()
  const { accountId } = await app.newMembership({
    userId: user.id,
    systemId: system.id,
    accountName: 'Acme',
    status: 'active',
  })
  const tokens = await app.signIn(system, { email: user.email })
  await app.platform.patch(`/admin/accounts/${accountId}`, { requireMfa: true })
  const { visitor } = tokens

  const kept = await app.me(tokens.access_token)
  const silent = await visitor.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))
  const named = await visitor.follow(
    await visitor.get(authUrl(system, newPkce().challenge, { account_id: accountId })),
  )
  const fresh = await afterPassword(app.newBrowser(), system, user.email)

  assert.equal(kept.status, 200)
  const error = new URL(silent.headers.get('location')!).searchParams.get('error')
  assert.ok(['interaction_required', 'login_required'].includes(String(error)), String(error))
  assert.deepEqual([stepOf(named), stepOf(fresh)], ['enrol', 'enrol'])
})

test('a user whom others have added is asked for a factor after the first entry, and consents after it', async (t) => {
  const app = await startTestApp(t)
  const elsewhere = await app.newMember()
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const service = await app.serviceOf(system as never)
  const { user } = elsewhere
  const added = await service.post('/admin/memberships', {
    userId: user.id,
    systemId: system.id,
    accountName: 'Acme',
    status: 'active',
  })
  const { body } = expectStatus(added, 201)
  expectStatus(await service.patch(`/admin/accounts/${body.accountId}`, { requireMfa: true }), 200)
  const browser = app.newBrowser()

  const entry = await afterPassword(browser, system, user.email)
  const enrol = await browser.follow(await browser.submit(entry))
  await withinStep()
  const done = await sendTo(browser, enrol, 'enrol', { code: appCode(secretOn(enrol), -1) })
  const consent = await continueSignIn(browser, done)
  const finished = await browser.follow(await browser.submit(consent))

  assert.deepEqual([stepOf(entry), stepOf(enrol), stepOf(consent)], ['consent', 'enrol', 'consent'])
  assert.match(String(entry.body), /Join /)
  assert.match(String(consent.body), /View your email address/)
  assert.ok(codeOf(finished))
})

test('P51: each rank requires the factor, also beside another; a lower one does not undo it', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account, service } = await newOrganization(app)
  const at = `/admin/accounts/${accountId}`
  const set = (client: typeof service, requireMfa: boolean) => client.patch(at, { requireMfa })
  const by = async () => (await app.platform.get(at)).body.requireMfaBy

  await set(account, true)
  const own = await by()
  await set(service, true)
  const both = await by()
  const undone = await set(account, false)
  await set(service, false)
  const none = await by()
  await set(service, true)
  const { createdAt: _, ...read } = (await account.get(at)).body
  const sentBack = await account.patch(at, { ...read, name: 'Acme Ltd' })
  const held = await by()
  const refused = [undone, await set(account, false)]
  await set(app.platform, false)
  await set(app.platform, true)
  const above = [await set(service, false), await set(account, false)]
  const personal = (await app.newMember()).membership.accountId

  assert.deepEqual([own, both, none], [['account'], ['system', 'account'], []])
  assert.deepEqual([sentBack.status, held, await by()], [200, ['system'], ['platform']])
  assert.deepEqual(refused.map(outcome), Array(2).fill([403, 'insufficient_authority']))
  assert.deepEqual(above.map(outcome), Array(2).fill([403, 'insufficient_authority']))
  assert.deepEqual(outcome(await app.platform.patch(`/admin/accounts/${personal}`, { requireMfa: true })), [
    409,
    'not_organization',
  ])
})

test('the pages of an organization that requires a factor, except leaving, and its console context ask for it', async (t) => {
  const app = await startTestApp(t)
  const { accountId, admin, member, path } = await newTeam(app)
  const browser = app.newBrowser()
  await signInToConsole(browser, admin)
  const inConsole = consoleClient(app.url, browser, admin, `account:${accountId}`)
  const before = await inConsole.get(`/admin/accounts/${accountId}`)
  await member.open()
  await app.platform.patch(`/admin/accounts/${accountId}`, { requireMfa: true })

  const after = await inConsole.get(`/admin/accounts/${accountId}`)
  const pages = await Promise.all(['', '/members'].map((page) => member.open(page)))
  const leave = await member.open('/leaving')
  const left = await member.send('/leave')

  assert.deepEqual([before.status, outcome(after)], [200, [401, 'second_factor_required']])
  for (const page of pages) assert.match(page.headers.get('location') ?? '', /^\/auth\?|\/leaving$/)
  assert.equal(leave.status, 200)
  assert.match(String(leave.body), new RegExp(`action="${path}/leave"`))
  assert.match(left.headers.get('location') ?? '', /done=left/)
})
