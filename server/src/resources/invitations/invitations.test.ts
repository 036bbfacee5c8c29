/** The operations on the invitations of an organization. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOperator } from '../../../test/support/console.ts'
import { invitationLinkTo, invited, newAddress, newOrganization } from '../../../test/support/invitations.ts'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { invitations } from '../../database/schema.ts'
import { noteExpired } from './changes.ts'

type Organization = Awaited<ReturnType<typeof newOrganization>>
const never = new AbortController().signal
const outcome = ({ status, body }: Answer) => [status, body?.code]

test('an admin of an account invites an address, lists, resends and revokes the invitation', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { account, path, role, admin, accountId, system } = org
  const email = newAddress()

  const created = await account.post(path, {
    email: email.toUpperCase(),
    roles: [role.id],
    message: 'Welcome',
  })
  const first = await invitationLinkTo(app, email)
  const [mail] = await app.emailsTo(email)
  const listed = await account.get(`${path}?status=pending`)
  const resent = await account.post(`${path}/${created.body.id}/resend`)
  const second = await invitationLinkTo(app, email)
  const before = await app.newBrowser().get(first)
  const revoked = await account.delete(`${path}/${created.body.id}`)
  const after = await app.newBrowser().get(second)
  const read = await account.get(`${path}/${created.body.id}`)

  assert.equal(created.status, 201)
  assert.equal(created.headers.get('location'), `${path}/${created.body.id}`)
  const { id, createdAt, updatedAt, expiresAt, lastSentAt, ...rest } = created.body
  assert.deepEqual(rest, {
    systemId: system.id,
    accountId,
    email,
    roles: [role.id],
    profiles: [],
    message: 'Welcome',
    status: 'pending',
    invitedBy: admin.id,
    acceptedBy: null,
    sends: 1,
  })
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 604_800_000)
  assert.ok(mail!.subject.startsWith('Ana Lima invites you to Acme') && mail!.text.includes('Welcome'))
  assert.deepEqual(listed.body.data, [created.body])
  assert.deepEqual([resent.status, resent.body.sends], [200, 2])
  assert.deepEqual([before.status, after.status, revoked.status], [410, 410, 204])
  assert.equal(read.body.status, 'revoked')
  assert.deepEqual(outcome(await account.post(`${path}/${id}/resend`)), [409, 'invitation_ended'])
})

test('a member is not invited, nor is an address with a pending invitation', async (t) => {
  const app = await startTestApp(t)
  const { account, path, admin } = await newOrganization(app)
  const email = newAddress()

  const member = await account.post(path, { email: admin.email })
  const first = await account.post(path, { email })
  const twice = await account.post(path, { email })

  assert.deepEqual(outcome(member), [409, 'membership_exists'])
  assert.deepEqual([...outcome(twice), twice.body.invitationId], [409, 'invitation_exists', first.body.id])
})

test('only the system and the platform receive a link, and nothing else contains one', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { account, service, path, accountId, system } = org

  const byAccount = await account.post(path, { email: newAddress(), notify: false })
  const bySystem = await service.post(path, { email: newAddress(), notify: false })
  const { link, invitation } = await invited(app, org)
  const token = new URL(link, app.url).searchParams.get('token')!
  const returned = new URL(bySystem.body.url).searchParams.get('token')!
  const texts = [
    (await account.get(path)).body,
    (await service.get(`${path}/${invitation.id}`)).body,
    (await service.get(`${path}/${bySystem.body.id}`)).body,
    await app.findEvents({ accountId }),
    await app.audited({ systemId: system.id }),
  ].map((each) => JSON.stringify(each))

  assert.deepEqual(outcome(byAccount), [403, 'insufficient_authority'])
  assert.deepEqual([bySystem.status, bySystem.body.sends], [201, 0])
  assert.equal((await app.emailsTo(bySystem.body.email)).length, 0)
  for (const text of texts)
    assert.ok(!text.includes(token) && !text.includes(returned) && text.includes('invit'))
})

test('the admin of an account reaches no invitation of another, and assigns no reserved role', async (t) => {
  const app = await startTestApp(t)
  const [one, other] = [await newOrganization(app), await newOrganization(app)]
  const reserved = await app.newRole(one.system.id, { assignableByAccountAdmins: false })
  const { invitation } = await invited(app, other)

  const foreign = [
    await one.account.get(other.path),
    await one.account.post(other.path, { email: newAddress() }),
    await one.account.get(`${other.path}/${invitation.id}`),
    await one.account.get(`${one.path}/${invitation.id}`),
    await one.account.delete(`${one.path}/${invitation.id}`),
    await one.account.post(`${one.path}/${invitation.id}/resend`),
    await one.service.get(other.path),
  ]
  const roles = [
    await one.account.post(one.path, { email: newAddress(), roles: [other.role.id] }),
    await one.account.post(one.path, { email: newAddress(), roles: [reserved.id] }),
    await one.service.post(one.path, { email: newAddress(), roles: [reserved.id] }),
  ]

  assert.deepEqual(
    foreign.map(({ status }) => status),
    [404, 404, 404, 404, 404, 404, 404],
  )
  assert.deepEqual(roles.map(outcome), [
    [400, 'role_not_in_system'],
    [403, 'insufficient_authority'],
    [201, undefined],
  ])
})

test('P53: the invitations of an account and the emails of each are limited', async (t) => {
  const app = await startTestApp(t, { INVITATIONS_PER_DAY: '5' })
  const org = await newOrganization(app)
  const { account, path } = org
  const { invitation } = await invited(app, org)
  const again = () => account.post(`${path}/${invitation.id}/resend`)

  const resent = [await again(), await again(), await again()]
  const batch = await account.post(`${path}/batch`, {
    invitations: [
      { email: newAddress() },
      { email: 'no address' },
      { email: invitation.email },
      { email: newAddress() },
      { email: newAddress() },
    ],
  })

  assert.deepEqual(resent.map(outcome), [
    [200, undefined],
    [200, undefined],
    [429, 'too_many_requests'],
  ])
  assert.ok(Number(resent[2]!.headers.get('retry-after')) > 0)
  assert.deepEqual(
    batch.body.results.map(({ status, code }: { status: number; code?: string }) => [status, code]),
    [
      [201, undefined],
      [400, 'invalid_request'],
      [409, 'invitation_exists'],
      [201, undefined],
      [429, 'too_many_requests'],
    ],
  )
})

test('P53: the invitations of a system are limited, whatever number of accounts it has', async (t) => {
  const app = await startTestApp(t, { SYSTEM_INVITATIONS_PER_DAY: '2' })
  const { system, service, account, path } = await newOrganization(app)
  const { accountId } = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: system.id,
    accountName: 'Other',
  })
  const elsewhere = `/admin/accounts/${accountId}/invitations`
  const invite = (by: typeof account, to: string) => by.post(to, { email: newAddress() })

  const bySystem = []
  for (const to of [path, elsewhere, elsewhere]) bySystem.push(await invite(service, to))
  const byAdmin = []
  for (const to of [path, path, path]) byAdmin.push(await invite(account, to))
  const byPlatform = await invite(app.platform, elsewhere)

  for (const answers of [bySystem, byAdmin])
    assert.deepEqual(answers.map(outcome), [
      [201, undefined],
      [201, undefined],
      [429, 'too_many_requests'],
    ])
  assert.deepEqual(outcome(byPlatform), [201, undefined])
})

test('P53: an invitation with more roles than a membership can have is refused, not its acceptance', async (t) => {
  const app = await startTestApp(t)
  const { account, path, system } = await newOrganization(app)
  const roles = await Promise.all(Array.from({ length: 51 }, () => app.newRole(system.id)))
  const scopesOf = (role: number) => Array.from({ length: 200 }, (_, n) => `${role}:${n}`)
  const large = await Promise.all([0, 1, 2].map((n) => app.newRole(system.id, { scopes: scopesOf(n) })))
  const inviteWith = (given: { id: string }[]) =>
    account.post(path, { email: newAddress(), roles: given.map(({ id }) => id) })

  const answers = [await inviteWith(roles), await inviteWith(large)]

  for (const answer of answers) assert.deepEqual(outcome(answer), [409, 'limit_reached'])
  assert.deepEqual((await inviteWith(roles.slice(1))).status, 201)
  assert.deepEqual((await inviteWith(large.slice(1))).status, 201)
})

test('a message with a link, a personal account and a wrong lifetime are refused', async (t) => {
  const app = await startTestApp(t)
  const { account, path, service } = await newOrganization(app)
  const single = await app.newMember()
  const personal = `/admin/accounts/${single.membership.accountId}/invitations`
  const refused = [
    'See https://evil.example',
    'go to www.evil',
    'evil.example/x',
    'write to a@evil.example',
    'evi\u006c\u0301.example',
    'evil\u200b.\u2060example',
    'evil\u2024example',
    'evil。example',
    'mailto:a@evil',
    'at 203.0.113.9/x',
  ]

  for (const message of refused)
    assert.deepEqual(outcome(await account.post(path, { email: newAddress(), message })), [
      400,
      'links_not_allowed',
    ])
  assert.deepEqual(outcome(await app.platform.post(personal, { email: newAddress() })), [
    409,
    'not_organization',
  ])
  const late = await service.post(path, { email: newAddress(), expiresIn: 60 })
  assert.deepEqual([late.status, late.body.errors[0].path], [400, '/expiresIn'])
  for (const message of ['On Monday. See you!', 'ようこそ。月曜日に始めます。', 'Welcome…See you'])
    assert.equal((await account.post(path, { email: newAddress(), message })).status, 201, message)
})

test('an expired invitation is shown as expired, noted once with an event, and does not prevent a new one', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { account, path, accountId } = org
  const { email, invitation, link } = await invited(app, org)
  await app.db
    .update(invitations)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(eq(invitations.id, invitation.id))

  const shown = await account.get(`${path}/${invitation.id}`)
  const opened = await app.newBrowser().get(link)
  await noteExpired(app.db, never)
  await noteExpired(app.db, never)
  const again = await account.post(path, { email })
  const events = await app.findEvents({ accountId, type: 'invitation.expired' })

  assert.equal(shown.body.status, 'expired')
  assert.equal(opened.status, 410)
  assert.equal(again.status, 201)
  assert.equal(events.length, 1)
})

test('P61: a system and the admin of an account do not learn which user of the platform invited', async (t) => {
  const app = await startTestApp(t)
  const { account, service, path, system, admin } = await newOrganization(app)
  const keeper = await newOperator(app)
  const clerk = await newOperator(app, { systemId: system.id })

  const byPlatform = await keeper.client.post(path, { email: newAddress() })
  const bySystem = await clerk.client.post(path, { email: newAddress() })
  const byAccount = await account.post(path, { email: newAddress() })
  const invitedBy = async (reader: typeof account) =>
    (await reader.get(path)).body.data.map((each: { invitedBy: string | null }) => each.invitedBy)
  const events = await app.findEvents({ systemId: system.id, type: 'invitation.created' })

  assert.deepEqual([byPlatform.status, bySystem.status, byAccount.status], [201, 201, 201])
  assert.deepEqual(await invitedBy(app.platform), [admin.id, clerk.user.id, keeper.user.id])
  assert.deepEqual(await invitedBy(service), [admin.id, clerk.user.id, null])
  assert.deepEqual(await invitedBy(account), [admin.id, null, null])
  assert.equal(events.length, 3)
  assert.ok(!JSON.stringify(events).includes(keeper.user.id))
})

test('nobody is invited to a system whose users have one account each, and earlier invitations are invalid', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { email, link } = await invited(app, org)
  const token = new URL(link, app.url).searchParams.get('token')!
  await app.platform.patch(`/admin/systems/${org.system.id}`, { multiAccount: false })

  for (const caller of [org.account, org.service, app.platform])
    assert.deepEqual(outcome(await caller.post(org.path, { email: newAddress() })), [409, 'not_organization'])
  const answer = await app
    .newBrowser()
    .post('/invitation', { token, decision: 'register', password: 'my very own words' })

  assert.equal(answer.status, 410)
  assert.deepEqual((await app.platform.get(`/admin/users?email=${email}`)).body.data, [])
})

test('the names of an account and of its admin are no links in the email', async (t) => {
  const app = await startTestApp(t)
  const { account, path, accountId, admin } = await newOrganization(app)
  await app.platform.patch(`/admin/accounts/${accountId}`, { name: 'https://evil.example/win' })
  await app.platform.patch(`/admin/users/${admin.id}`, { name: 'www.thief.example' })
  const email = newAddress()

  await account.post(path, { email })
  const [mail] = await app.emailsTo(email)

  assert.match(mail!.subject, / invites you to an organization in /)
  for (const text of [mail!.subject, mail!.text, mail!.html])
    assert.doesNotMatch(String(text), /:\/\/evil|evil\.|www\.|thief\./)
})

test('P51: an admin who is blocked or disabled does not come back by an invitation to another address', async (t) => {
  const app = await startTestApp(t)
  const ends = {
    block: ({ service }: Organization, id: string) =>
      service.patch(`/admin/memberships/${id}`, { status: 'blocked' }),
    disable: ({ service, admin }: Organization) =>
      service.patch(`/admin/users/${admin.id}`, { disabled: true }),
    everywhere: ({ admin }: Organization) =>
      app.platform.patch(`/admin/users/${admin.id}`, { disabled: true }),
  }
  for (const [how, end] of Object.entries(ends)) {
    const org = await newOrganization(app)
    const { link, invitation } = await invited(app, org)
    const kept = (await org.service.post(org.path, { email: newAddress() })).body
    const members = (await org.service.get(`/admin/memberships?userId=${org.admin.id}`)).body.data

    assert.equal((await end(org, members[0].id)).status, 200, how)

    assert.equal((await app.newBrowser().get(link)).status, 410, how)
    const states = await Promise.all([invitation, kept].map(({ id }) => org.service.get(`${org.path}/${id}`)))
    assert.deepEqual(
      states.map(({ body }) => body.status),
      ['revoked', 'pending'],
      how,
    )
    assert.equal((await app.findEvents({ accountId: org.accountId, type: 'invitation.revoked' })).length, 1)
  }
})
