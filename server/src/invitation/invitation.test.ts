/** The page of an invitation: who may accept it, with what proof, and what becomes of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invitationLinkTo, invited, newAddress, newOrganization } from '../../test/support/invitations.ts'
import { ON_POSTGRES, withLock } from '../../test/support/locks.ts'
import { signInToAccount } from '../../test/support/organizations.ts'
import {
  type Answer,
  type Driver,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'

const JSON_ONLY = { accept: 'application/json' }
const OWN = 'my very own words'

/** Signs in on the page that the link of an invitation leads to. */
async function signIn(browser: TestBrowser, link: string, email: string): Promise<Answer> {
  const page = await browser.follow(await browser.get(link.replace('/invitation', '/invitation/sign-in')))
  const next = await browser.follow(await browser.submit(page, { email, password: PASSWORD }))
  // If another user was signed in, a form that submits itself ends that session.
  return String(next.body).includes('/session/end/confirm')
    ? browser.follow(await browser.submit(next))
    : next
}

const stepOf = async (browser: TestBrowser, link: string) => (await browser.get(link, JSON_ONLY)).body.step
const post = (browser: TestBrowser, link: string, fields: Record<string, string>) =>
  browser.post('/invitation', { token: tokenOf(link), ...fields })
const hrefOf = ({ body }: Answer, id: string) =>
  new RegExp(`id="${id}" href="([^"]+)"`).exec(String(body))?.[1]?.replaceAll('&amp;', '&') ?? ''
const tokenOf = (link: string) => new URLSearchParams(link.split('?')[1]).get('token')!

const membersOf = async (app: Driver, accountId: string) =>
  (await app.platform.get(`/admin/accounts/${accountId}/members?pageSize=100`)).body.data as {
    user: { email: string }
    status: string
    roles: string[]
  }[]

test('an address without a user joins with a new password, and signs in to the system with it', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { email, link, invitation } = await invited(app, org)
  const browser = app.newBrowser()

  const page = await browser.get(link)
  const short = await browser.submit(page, { password: 'x', decision: 'register' })
  const done = await browser.submit(page, { name: 'Rui Alves', password: OWN, decision: 'register' })
  const again = await browser.submit(page, { password: 'other words of a thief', decision: 'register' })
  const signedIn = await app.authorize(org.system, { email, password: OWN })
  const [user] = (await app.platform.get(`/admin/users?email=${email}`)).body.data
  const member = (await membersOf(app, org.accountId)).find((each) => each.user.email === email)

  assert.equal(page.status, 200)
  assert.match(String(page.body), /Ana Lima.* invites you to join/)
  assert.equal(short.status, 400)
  assert.match(String(short.body), /This password is too short/)
  assert.match(String(done.body), /You have joined/)
  assert.equal(again.status, 410)
  assert.ok(signedIn.back.code)
  assert.deepEqual([user.emailVerified, user.name], [true, 'Rui Alves'])
  assert.deepEqual([member?.status, member?.roles], ['active', [org.role.id]])
  assert.equal((await org.account.get(`${org.path}/${invitation.id}`)).body.acceptedBy, user.id)
  const events = await app.findEvents({ accountId: org.accountId })
  assert.deepEqual(events.map(({ type }) => type).slice(-3), [
    'invitation.created',
    'user.access_granted',
    'invitation.accepted',
  ])
})

test('an address with a user joins after a sign-in with one click, and is not asked again at the system', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const user = await app.newUser()
  const { link } = await invited(app, org, user.email)
  const browser = app.newBrowser()

  const step = await stepOf(browser, link)
  const register = await post(browser, link, { decision: 'register', password: OWN })
  const back = await signIn(browser, link, user.email)
  const done = await browser.submit(back, { decision: 'accept' })
  const reloaded = await browser.get(link)
  const other = await app.newBrowser().get(link)
  const { back: granted } = await app.authorize(org.system, { email: user.email })

  assert.equal(step, 'sign_in')
  assert.doesNotMatch(String(register.body), /You have joined/)
  assert.match(String(back.body), /id="submit" name="decision" value="accept"/)
  assert.match(String(done.body), /You have joined/)
  assert.match(String(reloaded.body), /You have joined/)
  assert.equal(other.status, 410)
  assert.ok(granted.code)
  const { body: found } = await app.platform.get(`/admin/memberships?userId=${user.id}`)
  await org.account.patch(`/admin/memberships/${found.data[0].id}`, { status: 'blocked' })
  assert.equal((await browser.get(link)).status, 410)
})

test('an invitation is not accepted by another user, and a sign-in as the invited one is offered', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const [owner, other] = [await app.newUser(), await app.newUser()]
  const { link } = await invited(app, org, owner.email)
  const browser = app.newBrowser()
  const own = await invited(app, org, other.email)
  await signIn(browser, own.link, other.email)

  const step = await stepOf(browser, link)
  const forced = await post(browser, link, { decision: 'accept' })
  const back = await signIn(browser, link, owner.email)
  const done = await browser.submit(back, { decision: 'accept' })

  assert.equal(step, 'another')
  assert.doesNotMatch(String(forced.body), /You have joined/)
  assert.match(String(done.body), /You have joined/)
  const members = (await membersOf(app, org.accountId)).map((each) => each.user.email)
  assert.deepEqual([members.includes(owner.email), members.includes(other.email)], [true, false])
})

test('an address without a user joins with a new password also in the browser of another user, and then signs in', async (t) => {
  const app = await startTestApp(t)
  const invitationUri = 'https://app.example/welcome'
  const org = await newOrganization(app, { invitationUri })
  const other = await app.newUser({ emailVerified: true })
  const { browser } = await signInToAccount(app, other.email)
  const { email, link } = await invited(app, org)
  const returned = await org.service.post(org.path, { email: newAddress(), notify: false })

  const page = await browser.get(link)
  const ofReturned = await stepOf(browser, returned.body.url.slice(app.url.length))
  const done = await browser.submit(page, { password: OWN, decision: 'register' })
  const login = await browser.follow(await browser.get(hrefOf(done, 'next')))
  const confirmed = await browser.follow(await browser.submit(login, { email, password: OWN }))
  const joined = await browser.follow(await browser.submit(confirmed))

  assert.match(String(page.body), new RegExp(`You are signed in as <bdi>${other.email}</bdi>`))
  assert.equal(ofReturned, 'confirm')
  assert.match(String(done.body), /You have joined/)
  assert.match(String(done.body), new RegExp(`Sign in as <bdi>${email}</bdi>`))
  assert.match(String(joined.body), /You have joined/)
  assert.equal(new URL(hrefOf(joined, 'next')).searchParams.get('login_hint'), email)
  assert.deepEqual(
    (await membersOf(app, org.accountId)).map(({ user }) => user.email).sort(),
    [email, org.admin.email].sort(),
  )
})

test('a message of a service has the name of the system, and that of a user the name of the user', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const [one, two] = [newAddress(), newAddress()]
  await org.service.post(org.path, { email: one, message: 'See you there' })
  await org.account.post(org.path, { email: two, message: 'See you there' })
  const writerIn = async (email: string) => {
    const { body } = await app.newBrowser().get(await invitationLinkTo(app, email))
    return /<p id="writes"><bdi>(.*?)<\/bdi> writes:<\/p>/.exec(String(body))?.[1]
  }

  assert.deepEqual([await writerIn(one), await writerIn(two)], [org.system.name, 'Ana Lima'])
})

test('an emailed link verifies the address of a signed-in user; a returned link does not', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const [mailed, returned] = [
    await app.newUser({ emailVerified: false }),
    await app.newUser({ emailVerified: false }),
  ]
  const { link } = await invited(app, org, mailed.email)
  const { body } = await org.service.post(org.path, { email: returned.email, notify: false })
  const path = body.url.slice(app.url.length)
  const [one, two] = [app.newBrowser(), app.newBrowser()]

  const back = await signIn(one, link, mailed.email)
  const done = await one.submit(back, { decision: 'accept' })
  await signIn(two, path, returned.email)
  const step = await stepOf(two, path)
  const forced = await post(two, path, { decision: 'accept' })
  const { body: after } = await app.platform.get(`/admin/users/${mailed.id}`)

  assert.match(String(done.body), /You have joined/)
  assert.equal(after.emailVerified, true)
  assert.equal(step, 'confirm')
  assert.doesNotMatch(String(forced.body), /You have joined/)
  assert.equal((await app.platform.get(`/admin/users/${returned.id}`)).body.emailVerified, false)
})

test('a returned link reveals nothing about the address, creates no user, and can send itself to the mailbox', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const known = (await app.newUser()).email as string
  const unknown = newAddress()
  const pathOf = async (email: string): Promise<string> =>
    (await org.service.post(org.path, { email, notify: false })).body.url.slice(app.url.length)
  const [toKnown, toUnknown] = [await pathOf(known), await pathOf(unknown)]
  const masked = (answer: Answer, email: string, link: string) =>
    JSON.stringify({ ...answer.body, expiresAt: '' })
      .replaceAll(email, '')
      .replaceAll(tokenOf(link), '')
  const browser = app.newBrowser()

  const [one, two] = [await browser.get(toKnown, JSON_ONLY), await browser.get(toUnknown, JSON_ONLY)]
  const registered = await post(browser, toUnknown, { decision: 'register', password: OWN })
  const users = (await app.platform.get(`/admin/users?email=${unknown}`)).body.data
  const page = await post(browser, toUnknown, { decision: 'mail' })
  const gone = await browser.get(toUnknown)
  const [mail] = await app.emailsTo(unknown)

  assert.equal(masked(one, known, toKnown), masked(two, unknown, toUnknown))
  assert.equal(one.body.step, 'confirm')
  assert.doesNotMatch(String(registered.body), /You have joined/)
  assert.deepEqual(users, [])
  assert.match(String(page.body), /Check your email/)
  assert.equal(gone.status, 410)
  assert.equal(mail?.kind, 'invitation')
})

test('of ten browsers that accept at once one joins; a declined and a used link are invalid', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { email, link } = await invited(app, org)
  const declined = await invited(app, org)

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      post(app.newBrowser(), link, { decision: 'register', password: `${OWN} ${n}` }),
    ),
  )
  const no = await post(app.newBrowser(), declined.link, { decision: 'decline' })
  const late = await post(app.newBrowser(), declined.link, { decision: 'register', password: OWN })

  const joined = answers.filter(({ body }) => /You have joined/.test(String(body)))
  assert.equal(joined.length, 1, String(answers.map(({ status }) => status)))
  const members = await membersOf(app, org.accountId)
  assert.equal(members.filter((each) => each.user.email === email).length, 1)
  assert.match(String(no.body), /Invitation declined/)
  assert.equal(late.status, 410)
  assert.equal((await org.account.get(`${org.path}/${declined.invitation.id}`)).body.status, 'declined')
})

test(
  'an invitation whose account is deleted while it is accepted is said to be no longer valid',
  ON_POSTGRES,
  async (t) => {
    const app = await startTestApp(t)
    const org = await newOrganization(app)
    const { link } = await invited(app, org)
    const lock = sql`select from accounts where id = ${org.accountId}::uuid for update`

    const answers = await withLock(app.db, lock, async (waiting) => {
      const deleted = app.platform.delete(`/admin/accounts/${org.accountId}`)
      await waiting(1)
      const accepted = post(app.newBrowser(), link, { decision: 'register', password: OWN })
      await waiting(2)
      return [deleted, accepted] as const
    })

    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [204, 410],
    )
  },
)

test('P51: what the admin of an account invites waits for approval where the system requires it; what the system invites does not', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { requireAdminActivation: true })
  const byAccount = await invited(app, org)
  const email = newAddress()
  await org.service.post(org.path, { email, roles: [org.role.id] })
  const register = { decision: 'register', password: OWN }

  const pending = await post(app.newBrowser(), byAccount.link, register)
  const joined = await post(app.newBrowser(), await invitationLinkTo(app, email), register)
  const members = await membersOf(app, org.accountId)
  const statusOf = (address: string) => members.find(({ user }) => user.email === address)?.status

  assert.match(String(pending.body), /awaits approval/)
  assert.match(String(joined.body), /You have joined/)
  assert.deepEqual([statusOf(byAccount.email), statusOf(email)], ['pending', 'active'])
})

test('P51: an invitation lifts no block, and nothing is written for a blocked user', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const blocked = await app.newUser({ emailVerified: false })
  const { id } = await app.newMembership({ userId: blocked.id, accountId: org.accountId, status: 'active' })
  await org.service.patch(`/admin/memberships/${id}`, { status: 'blocked' })
  await org.service.delete(`/admin/memberships/${id}`)
  const { link, invitation } = await invited(app, org, blocked.email)
  const browser = app.newBrowser()

  const back = await signIn(browser, link, blocked.email)
  const refused = await browser.submit(back, { decision: 'accept' })

  assert.equal(refused.status, 403)
  assert.match(String(refused.body), /Your access is blocked/)
  assert.equal((await org.account.get(`${org.path}/${invitation.id}`)).body.status, 'pending')
  assert.equal((await app.platform.get(`/admin/users/${blocked.id}`)).body.emailVerified, false)
})

test('a role that is deleted after the invitation is not assigned', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const deleted = await app.newRole(org.system.id)
  const email = newAddress()
  const roles = [org.role.id, deleted.id]
  await org.account.post(org.path, { email, roles })
  await app.platform.delete(`/admin/systems/${org.system.id}/roles/${deleted.id}`)

  const link = await invitationLinkTo(app, email)
  await post(app.newBrowser(), link, { decision: 'register', password: OWN })

  const member = (await membersOf(app, org.accountId)).find(({ user }) => user.email === email)
  assert.deepEqual(member?.roles, [org.role.id])
})

test('a form of another site answers no invitation', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { link, invitation } = await invited(app, org)
  const fields = { token: tokenOf(link), decision: 'decline' }

  const crossSite = await app.newBrowser().post('/invitation', fields, { 'sec-fetch-site': 'cross-site' })
  const foreign = await app.newBrowser().post('/invitation', fields, { origin: 'https://evil.example' })

  assert.deepEqual([crossSite.status, foreign.status], [403, 403])
  assert.equal((await org.account.get(`${org.path}/${invitation.id}`)).body.status, 'pending')
})
