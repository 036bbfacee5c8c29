/** Invitations that a user accepts with another address than the invited one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeAddress } from '../../test/support/change-address.ts'
import { invitationLinkTo, invited, newAddress, newOrganization } from '../../test/support/invitations.ts'
import { signInToAccount } from '../../test/support/organizations.ts'
import { type Driver, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

const JSON_ONLY = { accept: 'application/json' }
type Organization = Awaited<ReturnType<typeof newOrganization>>

const tokenOf = (link: string) => new URLSearchParams(link.split('?')[1]).get('token')!
const accept = (browser: TestBrowser, link: string, fields: Record<string, string>) =>
  browser.post('/invitation', { token: tokenOf(link), decision: 'accept', ...fields }, JSON_ONLY)

/** A user whose browser is signed in. */
async function signedIn(app: Driver, fields: object = {}) {
  const user = await app.newUser({ emailVerified: true, ...fields })
  const { browser } = await signInToAccount(app, user.email)
  return { id: String(user.id), email: String(user.email), browser }
}

const allow = (org: Organization) =>
  org.account.patch(`/admin/accounts/${org.accountId}`, { acceptOtherAddress: true })
const membersOf = async (app: Driver, { accountId }: Organization) =>
  (await app.platform.get(`/admin/accounts/${accountId}/members?pageSize=100`)).body.data as {
    id: string
    user: { id: string }
    status: string
    roles: string[]
  }[]
const statusOf = async ({ account, path }: Organization, { id }: { id: string }) =>
  (await account.get(`${path}/${id}`)).body.status

test('P66: the user of another address accepts an invitation only if the account allows it, with an emailed link and a verified address', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const [rui, unverified] = [await signedIn(app), await signedIn(app, { emailVerified: false })]
  const { link, email, invitation } = await invited(app, org)
  const { body: returned } = await org.service.post(org.path, { email: newAddress(), notify: false })

  const offered = async (browser: TestBrowser, at: string) =>
    'joinAs' in (await browser.get(at, JSON_ONLY)).body
  const byDefault = [await offered(rui.browser, link), await accept(rui.browser, link, { as: rui.email })]
  await allow(org)
  const refused = [
    await accept(rui.browser, link, {}),
    await accept(rui.browser, link, { as: email }),
    await accept(rui.browser, link, { as: unverified.email }),
    await accept(unverified.browser, link, { as: unverified.email }),
    await accept(rui.browser, returned.url.slice(app.url.length), { as: rui.email }),
  ]
  const steps = [byDefault[1] as (typeof refused)[0], ...refused].map(({ body }) => body.step)

  assert.deepEqual(byDefault[0], false)
  assert.equal(await offered(rui.browser, link), true)
  assert.equal(await offered(unverified.browser, link), false)
  assert.deepEqual(steps, [...Array(5).fill('register'), 'confirm'])
  assert.equal((await membersOf(app, org)).length, 1)
  assert.equal(await statusOf(org, invitation), 'pending')
})

test('P66: a user who joins with another address gets the membership once, and the invited address is not verified', async (t) => {
  const app = await startTestApp(t)
  const invitationUri = 'https://app.example/welcome'
  const org = await newOrganization(app, { invitationUri })
  await allow(org)
  const ana = await app.newUser({ emailVerified: false })
  const rui = await signedIn(app)
  const { link, invitation } = await invited(app, org, ana.email)

  const form = await rui.browser.get(link)
  const json = await rui.browser.get(link, JSON_ONLY)
  const done = await rui.browser.submit(form, { decision: 'accept' })
  const again = await rui.browser.get(link, JSON_ONLY)
  const late = await app.newBrowser().get(link)
  const member = (await membersOf(app, org)).find(({ user }) => user.id === rui.id)

  assert.ok(String(form.body).includes(`value="${rui.email}"`))
  assert.deepEqual(json.body.fields.slice(1), [
    { name: 'decision', type: 'choice', required: true, options: [{ id: 'accept' }, { id: 'decline' }] },
    { name: 'as', type: 'hidden', required: false, value: rui.email },
  ])
  assert.equal(new URL(done.headers.get('location')!).searchParams.get('login_hint'), rui.email)
  assert.deepEqual([again.body.step, late.status], ['joined', 410])
  assert.deepEqual([member?.status, member?.roles], ['active', [org.role.id]])
  const users = await Promise.all([ana, rui].map(({ id }) => app.platform.get(`/admin/users/${id}`)))
  assert.deepEqual(
    users.map(({ body }) => [body.email, body.emailVerified]),
    [
      [ana.email, false],
      [rui.email, true],
    ],
  )
  const [entry] = await app.audited({ targetId: invitation.id, action: 'invitation.accepted' })
  assert.deepEqual([entry?.actorId, entry?.changes], [rui.id, { acceptedBy: [null, rui.id] }])
  const [event] = await app.findEvents({ accountId: org.accountId, type: 'invitation.accepted' })
  assert.deepEqual(
    [event?.data.invitation, event?.data.userId],
    [{ id: invitation.id, email: ana.email, roles: [org.role.id] }, rui.id],
  )
})

test('P66, P95: a member who has not entered the system continues there with the address that it has stated', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { invitationUri: 'https://app.example/welcome' })
  await allow(org)
  const elsewhere = await app.newMember()
  const { email: stated, id } = elsewhere.user
  const added = { userId: id, accountId: org.accountId, status: 'active' }
  assert.equal((await org.service.post('/admin/memberships', added)).status, 201)
  const later = newAddress()
  await app.platform.patch(`/admin/users/${id}`, { email: later, emailVerified: true })
  await app.platform.post(`/admin/users/${id}/set-password`, { password: PASSWORD })
  const { browser } = await signInToAccount(app, later)
  const { link } = await invited(app, org, (await app.newUser()).email)

  const done = await browser.submit(await browser.get(link), { decision: 'accept' })

  const { searchParams } = new URL(done.headers.get('location')!)
  assert.equal(searchParams.get('login_hint'), stated)
})

test('P51, P66: another address than the system has invited waits for approval, without reserved roles', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { requireAdminActivation: true })
  await allow(org)
  const reserved = await app.newRole(org.system.id, { assignableByAccountAdmins: false })
  const rui = await signedIn(app)
  const email = newAddress()
  await org.service.post(org.path, { email, roles: [org.role.id, reserved.id] })

  const done = await accept(rui.browser, await invitationLinkTo(app, email), { as: rui.email })

  assert.equal(done.body.step, 'pending')
  const member = (await membersOf(app, org)).find(({ user }) => user.id === rui.id)
  assert.deepEqual([member?.status, member?.roles], ['pending', [org.role.id]])
})

test('P51, P66: no block is evaded with another address, and a member does not use up an invitation', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  await allow(org)
  const [rui, alias] = [await signedIn(app), await signedIn(app)]
  const block = async (by: typeof org.account, userId: string) => {
    const { id } = await app.newMembership({ userId, accountId: org.accountId, status: 'active' })
    await by.patch(`/admin/memberships/${id}`, { status: 'blocked' })
    await by.delete(`/admin/memberships/${id}`)
  }
  const blocked = await app.newUser()
  await block(org.account, rui.id)
  await block(org.service, blocked.id)
  const [one, two] = [await invited(app, org), await invited(app, org, blocked.email)]
  const { browser } = await signInToAccount(app, org.admin.email)
  await app.platform.patch(`/admin/users/${org.admin.id}`, { emailVerified: true })

  const answers = [
    await accept(rui.browser, one.link, { as: rui.email }),
    await accept(alias.browser, two.link, { as: alias.email }),
    await accept(browser, one.link, { as: org.admin.email }),
  ]

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.step]),
    [
      [403, 'blocked'],
      [403, 'blocked'],
      [200, 'member'],
    ],
  )
  assert.equal((await membersOf(app, org)).length, 1)
  assert.deepEqual(
    [await statusOf(org, one.invitation), await statusOf(org, two.invitation)],
    ['pending', 'pending'],
  )
})

test('P51, P66: no block or disabling of an invited address is evaded with another one, also after its user has left it', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  await allow(org)
  const alias = await signedIn(app)
  const member = async () => {
    const user = await app.newUser()
    const { id } = await app.newMembership({ userId: user.id, accountId: org.accountId, status: 'active' })
    return { user, id }
  }
  const [moved, disabled] = [await member(), await member()]
  await org.service.patch(`/admin/memberships/${moved.id}`, { status: 'blocked' })
  await org.service.patch(`/admin/users/${disabled.user.id}`, { disabled: true })
  for (const { id } of [moved, disabled]) await org.service.delete(`/admin/memberships/${id}`)
  await changeAddress(app, moved.user.email, newAddress())
  const links = [
    (await invited(app, org, moved.user.email)).link,
    (await invited(app, org, disabled.user.email)).link,
  ]

  const answers = []
  for (const link of links) answers.push(await accept(alias.browser, link, { as: alias.email }))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.step]),
    [
      [403, 'blocked'],
      [403, 'blocked'],
    ],
  )
})
