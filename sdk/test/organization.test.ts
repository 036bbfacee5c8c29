/** Calls with the access token of an account's admin, on a real server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../server/test/support/browser-sessions.ts'
import type { Body } from '../../server/test/support/http.ts'
import { invitationLinkTo, newAddress, newOrganization } from '../../server/test/support/invitations.ts'
import { PASSWORD, serviceToken, startTestApp } from '../../server/test/support/testing.ts'
import { ApiError, createTenantry } from '../src/index.ts'
import { refusalOf } from './product.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A client without a secret: `organization` uses the token of the user only. */
const clientOf = ({ url }: App, system: Body) => createTenantry({ issuer: url, clientId: system.clientId })

async function startOrganization(app: App) {
  const org = await newOrganization(app)
  const token = async (user: Body) => (await app.signIn(org.system, { email: user.email })).access_token
  const tenantry = clientOf(app, org.system)
  const adminToken = await token(org.admin)
  return { ...org, token, tenantry, adminToken, organization: tenantry.organization(adminToken) }
}

/** Code and status of the ApiError; the code of an AccessError. */
const codeOf = async (work: Promise<unknown>) => {
  const refusal = await refusalOf(work)
  return refusal instanceof ApiError ? [refusal.code, refusal.httpStatus] : refusal
}

test('an admin invites with a role, approves, changes roles and profiles, blocks, unblocks and removes', async (t) => {
  const app = await startTestApp(t)
  const { organization, system, role, admins, admin, accountId } = await startOrganization(app)
  const { account, members, invitations, roles, profiles } = organization
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false })
  const { body: profile } = await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'North' })
  const [email, other, third] = [newAddress(), newAddress(), newAddress()]

  const assignable = await roles.assignable()
  const invited = await invitations.invite({ email, roles: [role.id], message: 'Welcome' })
  const results = await invitations.inviteAll([{ email: other }, { email }, { email: third }])
  const pending = await invitations.list({ status: 'pending', search: email.slice(0, 12) })
  const resent = await invitations.resend(results[0]!.invitation!.id)
  await invitations.revoke(results[0]!.invitation!.id)
  const revoked = await invitations.list({ status: 'revoked', pageSize: 1 })

  assert.deepEqual(assignable.map(({ id }) => id).sort(), [role.id, admins.id].sort())
  assert.equal((await roles.list()).length, 3)
  assert.ok((await roles.list()).some(({ id }) => id === reserved.id))
  assert.equal('url' in invited, false)
  assert.deepEqual(
    results.map(({ status, code }) => [status, code]),
    [
      [201, undefined],
      [409, 'invitation_exists'],
      [201, undefined],
    ],
  )
  assert.deepEqual([pending.total, pending.data[0]?.id], [1, invited.id])
  assert.deepEqual([resent.sends, revoked.data[0]?.email], [2, other])

  const visitor = app.newBrowser()
  const page = await visitor.get(await invitationLinkTo(app, email))
  await visitor.follow(await visitor.submit(page, { decision: 'register', password: PASSWORD }))
  const { data, total } = await members.list({ search: email, status: 'active', page: 1 })
  const member = data[0]!
  const { id: userId } = await app.newUser()
  const waiting = await app.newMembership({ userId, accountId, status: 'pending' })

  assert.deepEqual([total, member.user.email, member.roles], [1, email, [role.id]])
  assert.equal((await members.list({ status: 'pending' })).data[0]?.id, waiting.id)
  assert.equal((await members.approve(waiting.id)).status, 'active')
  assert.deepEqual((await members.setRoles(member.id, [admins.id])).roles, [admins.id])
  assert.deepEqual((await members.setRoles(member.id, { add: [role.id], remove: [admins.id] })).roles, [
    role.id,
  ])
  assert.deepEqual((await members.setProfiles(member.id, [profile.id])).profiles, [profile.id])
  assert.deepEqual((await profiles.list({ search: 'north' })).data[0]?.id, profile.id)
  for (const each of [members.each, invitations.each, profiles.each]) {
    const items = []
    for await (const item of each({ pageSize: 1 })) items.push(item.id)
    assert.equal(new Set(items).size, items.length)
    assert.ok(items.length > 0)
  }
  assert.equal((await members.block(member.id)).blockedBy, 'account')
  assert.equal((await members.unblock(member.id)).status, 'active')
  assert.equal((await members.get(member.id)).status, 'active')
  assert.equal(await members.remove(member.id), undefined)
  assert.deepEqual(await codeOf(members.get(member.id)), ['membership_not_found', 404])
  const [self] = (await members.list({ search: admin.email })).data
  assert.deepEqual([self?.userId, await codeOf(members.block(self!.id))], [admin.id, ['last_admin', 409]])
  assert.equal((await account.update({ name: 'Acme & Söhne' })).id, accountId)
  assert.equal((await account.get()).name, 'Acme & Söhne')
  const entries = await organization.admin.get('/admin/audit', { query: { action: 'membership.blocked' } })
  assert.equal(entries.data[0]?.actor.id, admin.id)
})

test('the token reaches its own account only, whatever ids are passed', async (t) => {
  const app = await startTestApp(t)
  const mine = await startOrganization(app)
  const foreign = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: mine.system.id,
    accountName: 'Birch',
  })
  const { members, invitations } = mine.organization
  const other = await startOrganization(app)
  const invited = await other.organization.invitations.invite({ email: newAddress() })

  for (const id of [foreign.id, (await other.organization.members.list()).data[0]!.id]) {
    for (const work of [members.get, members.block, members.remove])
      assert.deepEqual(await codeOf(work(id)), ['membership_not_found', 404])
    assert.deepEqual(await codeOf(members.setRoles(id, [])), ['membership_not_found', 404])
  }
  assert.deepEqual(await codeOf(invitations.revoke(invited.id)), ['invitation_not_found', 404])
  assert.deepEqual((await members.list()).total, 1)
})

test('a token that this client cannot verify is refused without a request to the admin API', async (t) => {
  const app = await startTestApp(t)
  const { tenantry, adminToken, system } = await startOrganization(app)
  const other = await startOrganization(app)
  const [head, payload, signature] = adminToken.split('.') as [string, string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const rewritten = Buffer.from(JSON.stringify({ ...claims, account_id: other.accountId })).toString(
    'base64url',
  )
  const service = await serviceToken(app.url, system.clientId, system.clientSecret)
  const asked = t.mock.method(globalThis, 'fetch')
  const tokens = [`${head}.${rewritten}.${signature}`, other.adminToken, service, 'x', '']

  for (const token of tokens) {
    const { account, members, admin } = tenantry.organization(token)
    assert.equal(await codeOf(account.get()), 'invalid_token')
    assert.equal(await codeOf(members.remove(crypto.randomUUID())), 'invalid_token')
    assert.equal(await codeOf(admin.get('/admin/audit')), 'invalid_token')
  }

  const urls = asked.mock.calls.map(({ arguments: [url] }) => String(url))
  assert.deepEqual(
    urls.filter((url) => url.includes('/admin')),
    [],
  )
})

test('users who are not admins, former admins and systems without accountAdminApi are refused', async (t) => {
  const app = await startTestApp(t)
  const { tenantry, organization, token, adminToken, system, role, accountId, admins } =
    await startOrganization(app)
  const user = await app.newUser()
  const { id } = await app.newMembership({ userId: user.id, accountId, roles: [admins.id] })
  const second = tenantry.organization(await token(user))
  const before = (await second.members.list()).total
  const refused = ['insufficient_authority', 403]

  await organization.members.setRoles(id, [role.id])
  const demoted = await codeOf(second.members.list())
  await organization.members.block(id)
  const blocked = await codeOf(second.members.list())
  await app.platform.patch(`/admin/systems/${system.id}`, { accountAdminApi: false })
  const closed = await codeOf(tenantry.organization(adminToken).roles.assignable())

  assert.deepEqual([before, demoted, blocked, closed], [2, refused, ['invalid_token', 401], refused])
})

test('the refusal of an admin who has signed in long ago has the max_age of the next sign-in', async (t) => {
  const app = await startTestApp(t)
  const { tenantry, system, admins, admin } = await startOrganization(app)
  const { visitor } = await app.signIn(system, { email: admin.email })
  await changeProofs(app.db, admin.id, { age: 310 })
  const old = (await app.signIn(system, { email: admin.email, visitor })).access_token

  const refusal = await refusalOf(
    tenantry.organization(old).invitations.invite({ email: newAddress(), roles: [admins.id] }),
  )

  assert.ok(refusal instanceof ApiError)
  assert.deepEqual([refusal.code, refusal.maxAge], ['insufficient_user_authentication', 300])
})
