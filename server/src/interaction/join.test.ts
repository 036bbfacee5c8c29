/** Users who join a system of which they are not a member. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  begin,
  codeOf,
  JSON_ONLY,
  membershipsOf,
  newestCode,
  newOpenSystem,
  otherCode,
  type System,
} from '../../test/support/registration.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'

/** A user with a verified address and another membership, signed in up to the step after the password. */
async function guest(app: App, system: System, { verified = true, parameters = {} } = {}) {
  const user = await app.newUser({ emailVerified: verified })
  const home = await app.newSystem()
  await app.newMembership({ userId: user.id, systemId: home.id })
  const browser = app.newBrowser()
  const page = await browser.follow(
    await browser.submit(await begin(browser, system, parameters), { email: user.email, password: PASSWORD }),
  )
  const here = async () =>
    (await membershipsOf(app, user)).filter(({ systemId }: { systemId: string }) => systemId === system.id)
  return { user, browser, page, here }
}

const errorOf = (location: string | null) => new URL(location ?? 'x:').searchParams.get('error')
const asksToJoin = (page: { body: unknown }) => /Join <bdi>/.test(String(page.body))

test('a non-member is asked to join an open system; a closed one is access_denied', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { name: 'Shop' })
  const { user, browser, page, here } = await guest(app, system)

  const before = await here()
  const done = await browser.follow(await browser.submit(page))
  const closed = await guest(app, await app.newSystem())

  assert.match(String(page.body), /Join <bdi>Shop<\/bdi>\?/)
  assert.match(String(page.body), new RegExp(user.email))
  assert.deepEqual(before, [])
  assert.ok(codeOf(done))
  const [membership] = await here()
  assert.deepEqual([membership.status, membership.roles], ['active', []])
  assert.equal(
    (await app.audited({ systemId: system.id, action: 'membership.created', actorId: user.id })).length,
    1,
  )
  assert.equal((await app.findEvents({ systemId: system.id, type: 'user.access_granted' })).length, 1)
  assert.equal(errorOf(closed.page.headers.get('location')), 'access_denied')
})

test('with multiAccount a joining user names and administers the account', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const owner = await app.newRole(system.id, { isAdmin: true })
  const { browser, page, here } = await guest(app, system)

  const nameless = await browser.submit(page, { accountName: ' ' })
  const long = await browser.submit(page, { accountName: 'x'.repeat(101) })
  const done = await browser.follow(
    await browser.submit(page, { accountName: 'Northsea Shipping', roles: 'x', status: 'active' }),
  )

  assert.deepEqual([nameless.status, long.status], [400, 400])
  assert.match(String(nameless.body), /Enter the name of your organization\./)
  assert.ok(codeOf(done))
  const [membership] = await here()
  assert.deepEqual([membership.account.name, membership.roles], ['Northsea Shipping', [owner.id]])
})

test('with requireAdminActivation a joining user is pending', async (t) => {
  const app = await startTestApp(t)
  const { browser, page, here } = await guest(app, await newOpenSystem(app, { requireAdminActivation: true }))

  const waiting = await browser.follow(await browser.submit(page))

  assert.match(String(waiting.body), /Waiting for activation/)
  assert.equal((await here())[0].status, 'pending')
})

test('a user who declines to join is sent back with access_denied', async (t) => {
  const app = await startTestApp(t)
  const { browser, page, here } = await guest(app, await newOpenSystem(app))

  const refused = await browser.follow(await browser.submit(page, { decision: 'deny' }))

  assert.equal(errorOf(refused.headers.get('location')), 'access_denied')
  assert.deepEqual(await here(), [])
})

test('joining requires a prompt, and account_id does not replace it', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const other = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: system.id,
    accountName: 'Theirs',
  })
  const { browser, here } = await guest(app, system)

  const silent = await begin(browser, system, { prompt: 'none' })
  const named = await browser.follow(await begin(browser, system, { account_id: other.accountId }))

  assert.equal(errorOf(silent.headers.get('location')), 'login_required')
  assert.equal(named.headers.get('location'), null)
  assert.match(String(named.body), /You do not have access/)
  assert.deepEqual(await here(), [])
})

test('blocked and pending members get a message and cannot join again', async (t) => {
  const app = await startTestApp(t)
  for (const [status, words] of [
    ['blocked', /Your access is blocked/],
    ['pending', /Waiting for activation/],
  ] as const) {
    const system = await newOpenSystem(app, { multiAccount: true })
    const { user, browser } = await guest(app, system)
    await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme', status })

    const page = await browser.follow(await begin(browser, system))
    const path = /action="([^"]+)\/abort"/.exec(String(page.body))![1]!
    const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!
    const joined = await browser.follow(await browser.post(`${path}/join`, { csrf, accountName: 'Mine' }))

    for (const answer of [page, joined]) assert.match(String(answer.body), words)
    assert.equal((await app.platform.get(`/admin/systems/${system.id}/accounts`)).body.total, 1)
  }
})

test('an unverified address is verified before joining', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const { user, browser, page, here } = await guest(app, system, { verified: false })

  const code = await newestCode(app, user.email)
  const early = await browser.submit(page)
  const wrong = await browser.submit(page, { code: otherCode(code) })
  const asked = await browser.follow(await browser.submit(page, { code }))

  assert.deepEqual([early.status, wrong.status], [400, 401])
  assert.match(String(page.body), /We sent a 6-digit code to <bdi>/)
  assert.ok(asksToJoin(asked))
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.emailVerified, true)
  assert.deepEqual(await here(), [])
  assert.ok(codeOf(await browser.follow(await browser.submit(asked))))
})

test('ten concurrent submissions of the join form create one membership', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const { browser, page, here } = await guest(app, system)

  await Promise.all(Array.from({ length: 10 }, (_, n) => browser.submit(page, { accountName: `Acme ${n}` })))

  assert.equal((await here()).length, 1)
  assert.equal((await app.platform.get(`/admin/systems/${system.id}/accounts`)).body.total, 1)
})

test('a kept personal account is reused when its user joins again', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const { user, browser, page, here } = await guest(app, system)
  await browser.follow(await browser.submit(page))
  const [before] = await here()
  await app.platform.delete(`/admin/memberships/${before.id}`)

  const { back } = await app.authorize(system, { email: user.email })

  const [after] = await here()
  assert.ok(back.code)
  assert.deepEqual([after.accountId, after.id === before.id], [before.accountId, false])
})

test('the join step is available as JSON', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const { browser, page } = await guest(app, system)
  const action = /action="([^"]+)"/.exec(String(page.body))![1]!

  const { body } = await browser.get(action.replace(/\/join$/, ''), JSON_ONLY)

  assert.deepEqual([body.step, body.action], ['join', action])
  assert.deepEqual(
    body.fields.map(({ name, required }: Record<string, unknown>) => [name, required]),
    [
      ['accountName', true],
      ['decision', false],
    ],
  )
})
