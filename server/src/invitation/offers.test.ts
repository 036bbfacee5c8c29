/** Invitations in the sign-in to their system, for users who have lost the email; where they continue. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { invited, newAddress, newOrganization } from '../../test/support/invitations.ts'
import { recordStatements } from '../../test/support/statements.ts'
import {
  authUrl,
  type Driver,
  newPkce,
  PASSWORD,
  type SystemLike,
  startTestApp,
} from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'

/** The page after the password, and what it offers. */
async function afterPassword(
  app: Driver,
  system: SystemLike,
  email: string,
  parameters: Record<string, string> = {},
) {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))
  const page = await browser.follow(await browser.submit(login, { email, password: PASSWORD }))
  return { browser, page, offered: offeredBy(page.body) }
}

const offeredBy = (page: unknown) =>
  [...String(page).matchAll(/name="accountId" value="([^"]+)"/g)].map(([, value]) => value)
const verifiedUser = (app: Driver) => app.newUser({ emailVerified: true })
const errorIn = (location: string | null) => new URL(location ?? '').searchParams.get('error')

test('a user who has lost the email joins in the sign-in with one click', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const user = await verifiedUser(app)
  const { invitation } = await invited(app, org, user.email)

  const { page, offered } = await afterPassword(app, org.system, user.email)
  const about = `userId=${user.id}&systemId=${org.system.id}`
  const explained = await app.platform.get(`/admin/explain?${about}`)
  const toSystem = await org.service.get(`/admin/explain?${about}`)
  const { access_token } = await app.signIn(org.system, { email: user.email })

  const membership = explained.body.steps.find(({ step }: { step: string }) => step === 'membership')
  assert.deepEqual([membership.code, membership.facts.accounts[0].id], ['invited', org.accountId])
  assert.doesNotMatch(JSON.stringify(toSystem.body), /invited/)
  assert.deepEqual(offered, [`invitation:${invitation.id}`])
  assert.match(String(page.body), /You are invited to join an organization/)
  const { account_id, roles } = decodeJwt(access_token)
  assert.deepEqual([account_id, roles], [org.accountId, [org.role.name]])
  const { body } = await org.account.get(`${org.path}/${invitation.id}`)
  assert.deepEqual([body.status, body.acceptedBy], ['accepted', user.id])
  const { offered: later } = await afterPassword(app, org.system, user.email)
  assert.deepEqual(later, [])
})

test('a sign-in reads the invitations in a statement that it executes anyway', async (t) => {
  const app = await startTestApp(t)
  const lastStatements = recordStatements(app.db)
  const org = await newOrganization(app)
  const readingIn = async (email: string) => {
    const { visitor } = await app.signIn(org.system, { email })
    const { status } = await visitor.get(authUrl(org.system, newPkce().challenge))
    assert.equal(status, 303)
    return lastStatements().filter((statement) => /\binvitations\b/.test(statement))
  }
  const [invitedUser, other] = [await verifiedUser(app), await verifiedUser(app)]
  for (const { id } of [invitedUser, other])
    await app.newMembership({ userId: id, systemId: org.system.id, accountName: 'Own' })
  await invited(app, org, invitedUser.email)

  const [without, withOne] = [await readingIn(other.email), await readingIn(invitedUser.email)]

  assert.equal(without.length, 1)
  assert.match(without[0] ?? '', /from memberships/, 'the memberships are read without invitations too')
  assert.deepEqual(withOne, without)
})

test('P53: many invitations of accounts that anyone has opened hide neither each other nor that of the system', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const user = await verifiedUser(app)
  const { body: ofSystem } = await org.service.post(org.path, { email: user.email, notify: false })
  const inviteFrom = (count: number) =>
    app.db.execute(sql`with opened as (
        insert into accounts (system_id, name, kind)
        select ${org.system.id}::uuid, 'Spam ' || n, 'organization' from generate_series(1, ${count}::int) n returning id)
      insert into invitations (system_id, account_id, email, roles, profiles, link_hash, mailed, lifetime, sends, added_by, expires_at)
      select ${org.system.id}::uuid, id, ${user.email}::text, '{}', '{}', uuid_send(id), true, 3600, 1, 'account',
        now() + interval '1 hour' from opened`)
  await inviteFrom(90)
  const few = await afterPassword(app, org.system, user.email)
  await inviteFrom(30)
  const many = await afterPassword(app, org.system, user.email)

  assert.equal(few.offered.length, 91)
  assert.equal(many.offered.length, 100)
  for (const { offered } of [few, many]) assert.ok(offered.includes(`invitation:${ofSystem.id}`))
})

test('an invitation never stops the sign-in of a member, and is beside the accounts where one is selected', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const user = await verifiedUser(app)
  const own = await app.newMembership({ userId: user.id, systemId: org.system.id, accountName: 'Own' })
  const { invitation } = await invited(app, org, user.email)

  const { visitor } = await app.signIn(org.system, { email: user.email })
  const silent = await app.authorize(org.system, {
    email: user.email,
    visitor,
    parameters: { prompt: 'none' },
  })
  const { offered } = await afterPassword(app, org.system, user.email, { prompt: 'select_account' })
  const named = await afterPassword(app, org.system, user.email, { account_id: org.accountId })
  const joined = await app.signIn(org.system, {
    email: user.email,
    account: `invitation:${invitation.id}`,
    parameters: { prompt: 'select_account' },
  })

  assert.ok(silent.back.code)
  assert.deepEqual(offered, [own.accountId, `invitation:${invitation.id}`])
  assert.deepEqual(named.offered, [`invitation:${invitation.id}`])
  assert.equal(decodeJwt(joined.access_token).account_id, org.accountId)
})

test('only the user of the verified address is offered an invitation, with own credentials, while it is valid', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const ended = async (email: string) => {
    const { invitation } = await invited(app, org, email)
    await org.account.delete(`${org.path}/${invitation.id}`)
  }
  const [unverified, other, revoked] = [
    await app.newUser({ emailVerified: false }),
    await verifiedUser(app),
    await verifiedUser(app),
  ]
  await invited(app, org, unverified.email)
  await invited(app, org, newAddress())
  await ended(revoked.email)
  const ofSystem = (await org.service.post('/admin/users', { email: newAddress(), password: PASSWORD })).body
  await app.platform.patch(`/admin/users/${ofSystem.id}`, { emailVerified: true })
  const { invitation } = await invited(app, org, ofSystem.email)

  for (const { email } of [unverified, other, revoked, ofSystem]) {
    const { page, offered } = await afterPassword(app, org.system, email)
    assert.deepEqual([offered, errorIn(page.headers.get('location'))], [[], 'access_denied'])
  }
  const { body } = await org.account.get(`${org.path}/${invitation.id}`)
  assert.equal(body.status, 'pending')
})

test('prompt=none does not tell a system whether it has invited the visitor', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const elsewhere = await app.newSystem({ skipConsent: true })
  const [visitor, stranger] = [await verifiedUser(app), await verifiedUser(app)]
  for (const { id } of [visitor, stranger]) await app.newMembership({ userId: id, systemId: elsewhere.id })
  await invited(app, org, visitor.email)

  const answers = []
  for (const { email } of [visitor, stranger]) {
    const { visitor: browser } = await app.signIn(elsewhere, { email })
    const { back } = await app.authorize(org.system, {
      email,
      visitor: browser,
      parameters: { prompt: 'none' },
    })
    answers.push([back.error, back.error_description])
  }

  assert.equal(answers[0]?.[0], 'login_required')
  assert.deepEqual(answers[0], answers[1])
})

test('an accepted membership that has to be approved is said to be, and an ended invitation is refused', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { requireAdminActivation: true })
  const [user, late] = [await verifiedUser(app), await verifiedUser(app)]
  const { invitation } = await invited(app, org, user.email)
  const revoked = await invited(app, org, late.email)
  const first = await afterPassword(app, org.system, user.email)
  const second = await afterPassword(app, org.system, late.email)
  await org.account.delete(`${org.path}/${revoked.invitation.id}`)

  const pending = await first.browser.follow(
    await first.browser.submit(first.page, { accountId: `invitation:${invitation.id}` }),
  )
  const gone = await second.browser.submit(second.page, {
    accountId: `invitation:${revoked.invitation.id}`,
  })

  assert.match(String(pending.body), /An administrator must activate your access/)
  assert.equal(gone.status, 409)
  assert.match(String(gone.body), /It was used, revoked/)
  const { body } = await app.platform.get(`/admin/memberships?userId=${late.id}`)
  assert.equal(body.total, 0)
})

test('who has just registered is signed in once without the password, in that browser only', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { email, link } = await invited(app, org)
  const browser = app.newBrowser()
  const start = authUrl(org.system, newPkce().challenge, { login_hint: email })
  const codeIn = ({ headers }: { headers: Headers }) =>
    URL.parse(headers.get('location') ?? '')?.searchParams.has('code')
  const page = await browser.get(link)
  await browser.submit(page, { password: 'my very own words', decision: 'register' })

  const asked = await browser.follow(await browser.get(`${start}&prompt=login`))
  const elsewhere = await app.newBrowser().get(start)
  const signedIn = await browser.follow(await browser.get(start))
  await browser.get('/session/end')

  assert.match(String(asked.body), /name="password"/)
  assert.match(elsewhere.headers.get('location') ?? '', /interaction/)
  assert.equal(codeIn(signedIn), true)

  const other = await invited(app, org)
  const second = app.newBrowser()
  const form = await second.get(other.link)
  await second.submit(form, { password: 'my very own words', decision: 'register' })
  const { data } = (await app.platform.get(`/admin/users?email=${other.email}`)).body
  await app.platform.post(`/admin/users/${data[0].id}/set-password`, { password: 'another one of theirs' })
  const changed = await second.follow(await second.get(authUrl(org.system, newPkce().challenge)))
  assert.match(String(changed.body), /name="password"/)
})

test('of an open system, a user with an invitation can create an organization instead', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { allowSelfRegister: true })
  const user = await verifiedUser(app)
  const { invitation } = await invited(app, org, user.email)

  const { browser, page, offered } = await afterPassword(app, org.system, user.email)
  const join = await browser.follow(await browser.submit(page, { accountId: 'new' }))
  const back = await browser.follow(await browser.submit(join, { accountName: 'Own' }))

  assert.deepEqual(offered, [`invitation:${invitation.id}`, 'new'])
  assert.match(String(join.body), /name="accountName"/)
  assert.match(back.headers.get('location') ?? '', /[?&]code=/)
  assert.equal((await org.account.get(`${org.path}/${invitation.id}`)).body.status, 'pending')
})

test('who accepts continues at the invitationUri of the system, on an origin of its redirect URIs', async (t) => {
  const app = await startTestApp(t)
  const invitationUri = 'https://app.example/welcome?from=mail'
  const org = await newOrganization(app, { invitationUri })
  const { email, link } = await invited(app, org)
  const browser = app.newBrowser()

  const page = await browser.get(link)
  const done = await browser.submit(page, { password: 'my very own words', decision: 'register' })
  const foreign = await org.service.patch(`/admin/systems/${org.system.id}`, {
    invitationUri: 'https://evil.example/welcome',
  })
  const moved = await app.platform.patch(`/admin/systems/${org.system.id}`, {
    redirectUris: ['https://other.example/cb'],
  })

  const to = new URL(done.headers.get('location') ?? '')
  assert.deepEqual(
    [done.status, to.origin + to.pathname, Object.fromEntries(to.searchParams)],
    [
      303,
      'https://app.example/welcome',
      { from: 'mail', iss: app.url, account_id: org.accountId, login_hint: email },
    ],
  )
  for (const { status, body } of [foreign, moved])
    assert.deepEqual([status, body.errors?.[0]?.path], [400, '/invitationUri'])
})
