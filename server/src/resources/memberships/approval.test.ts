/** Emails about memberships that an administrator approves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invited, newOrganization } from '../../../test/support/invitations.ts'
import { newEmail, newestLink, newOpenSystem, OWN, register } from '../../../test/support/registration.ts'
import { type Driver, startTestApp } from '../../../test/support/testing.ts'

const START = 'https://app.example/start'
const APPROVING = { requireAdminActivation: true, initiateLoginUri: START, name: 'Orders' }

const mailsOf = async (app: Driver, email: string, kind: string) =>
  (await app.emailsTo(email)).filter((each) => each.kind === kind)

async function joined(app: Driver, org: Awaited<ReturnType<typeof newOrganization>>) {
  const { email, link } = await invited(app, org)
  const browser = app.newBrowser()
  await browser.submit(await browser.get(link), { password: OWN, decision: 'register' })
  const { body } = await app.platform.get(`/admin/memberships?accountId=${org.accountId}&search=${email}`)
  return { email, membership: body.data[0] }
}

test('a member who is approved gets an email with the way on, once, and none for a block or its end', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, APPROVING)
  const { email, membership } = await joined(app, org)
  const path = `/admin/memberships/${membership.id}`
  assert.equal(membership.status, 'pending')

  const before = await mailsOf(app, email, 'access_approved')
  for (const status of ['active', 'active', 'blocked', 'active'])
    assert.equal((await org.service.patch(path, { status })).status, 200)

  const [mail, ...others] = await mailsOf(app, email, 'access_approved')
  assert.deepEqual([before.length, others.length], [0, 0])
  assert.equal(mail!.subject, 'Your access to Orders was approved')
  assert.equal(mail!.sender, 'Orders')
  const link = new URL(/https:\S+/.exec(mail!.text)![0])
  assert.equal(link.origin + link.pathname, START)
  assert.deepEqual(Object.fromEntries(link.searchParams), {
    iss: app.url,
    login_hint: email,
    account_id: org.accountId,
  })
})

test('a user who cannot sign in all the same gets no email when approved', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, APPROVING)
  const { email, membership } = await joined(app, org)
  await app.platform.patch(`/admin/users/${membership.userId}`, { disabled: true })

  await org.service.patch(`/admin/memberships/${membership.id}`, { status: 'active' })

  assert.equal((await mailsOf(app, email, 'access_approved')).length, 0)
})

test('the admins of an organization get one email an hour when members wait, and not those of another', async (t) => {
  const app = await startTestApp(t)
  const [org, other] = [await newOrganization(app, APPROVING), await newOrganization(app, APPROVING)]
  const reader = await app.newUser()
  await app.newMembership({ userId: reader.id, accountId: org.accountId, status: 'active' })

  const first = await joined(app, org)
  await joined(app, org)

  const [mail, ...others] = await mailsOf(app, org.admin.email, 'access_requested')
  assert.equal(others.length, 0)
  assert.equal(mail!.subject, 'A member waits for approval in Orders')
  const plain = mail!.text.replaceAll('\u2060', '')
  assert.ok(plain.includes(`${first.email} waits for approval`), plain)
  assert.ok(mail!.text.includes(`/account/organizations/${org.accountId}/members`))
  for (const email of [other.admin.email, reader.email])
    assert.equal((await mailsOf(app, email, 'access_requested')).length, 0)
})

test('the operators of a system get one email an hour, however many organizations are registered', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { ...APPROVING, multiAccount: true })
  const [operator, viewer] = [await app.newUser(), await app.newUser()]
  for (const [{ id: userId }, level] of [
    [operator, 'admin'],
    [viewer, 'viewer'],
  ])
    await app.platform.post('/admin/operators', { userId, systemId: system.id, level })

  for (const name of ['Acme', 'Northsea']) {
    const email = newEmail()
    await register(app, system, { email, fields: { accountName: name } })
    const browser = app.newBrowser()
    const form = await browser.get(await newestLink(app, email))
    await browser.submit(form, { password: OWN, passwordAgain: OWN })
  }

  const mails = await mailsOf(app, operator.email, 'access_requested')
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['A member waits for approval in Orders'],
  )
  assert.ok(mails[0]!.text.includes('Acme'))
  assert.equal((await mailsOf(app, viewer.email, 'access_requested')).length, 0)
})

test('no email is sent for a membership that is active from the start', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { ...APPROVING, requireAdminActivation: false })
  const { email } = await joined(app, org)

  assert.equal((await mailsOf(app, org.admin.email, 'access_requested')).length, 0)
  assert.equal((await mailsOf(app, email, 'access_approved')).length, 0)
})
