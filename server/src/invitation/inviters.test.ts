import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOperator } from '../../test/support/console.ts'
import { invitationLinkTo, newAddress, newOrganization } from '../../test/support/invitations.ts'
import { ON_POSTGRES, withLock } from '../../test/support/locks.ts'
import { type AdminClient, type Driver, startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { invitations, memberships, operators } from '../database/schema.ts'

type Organization = Awaited<ReturnType<typeof newOrganization>>
type Given = { app: Driver; org: Organization; membershipId: string }

const OWN = 'a password of my own'

/** Invites an address of the inviter's own with an admin role. */
async function invite(app: Driver, client: AdminClient, { path, admins }: Organization) {
  const email = newAddress()
  const created = await client.post(path, { email, roles: [admins.id] })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  return { email, id: String(created.body.id), link: await invitationLinkTo(app, email) }
}

async function accept(app: Driver, org: Organization, { email, link }: { email: string; link: string }) {
  const browser = app.newBrowser()
  const page = await browser.get(link)
  if (page.status === 200) await browser.submit(page, { decision: 'register', password: OWN, name: 'Second' })
  const { data } = (await app.platform.get(`/admin/memberships?accountId=${org.accountId}&pageSize=100`)).body
  return data.some(({ user }: { user: { email: string } }) => user.email === email)
}

async function prepare(app: Driver): Promise<Given> {
  const org = await newOrganization(app)
  const other = await app.newUser() // the account keeps an admin
  await app.newMembership({ userId: other.id, accountId: org.accountId, roles: [org.admins.id] })
  const { data } = (await app.platform.get(`/admin/memberships?userId=${org.admin.id}`)).body
  return { app, org, membershipId: String(data[0].id) }
}

/** What takes the right away from an admin of the account. */
const ENDS: Record<string, (given: Given) => Promise<{ status: number }>> = {
  'is demoted': ({ org, membershipId }) =>
    org.service.patch(`/admin/memberships/${membershipId}/roles`, { roles: [org.role.id] }),
  'is removed': ({ org, membershipId }) => org.service.delete(`/admin/memberships/${membershipId}`),
  'is blocked': ({ org, membershipId }) =>
    org.service.patch(`/admin/memberships/${membershipId}`, { status: 'blocked' }),
  'is disabled by the system': ({ org }) =>
    org.service.patch(`/admin/users/${org.admin.id}`, { disabled: true }),
  'is disabled': ({ app, org }) => app.platform.patch(`/admin/users/${org.admin.id}`, { disabled: true }),
  'is removed from the system': ({ org }) => org.service.delete(`/admin/users/${org.admin.id}`),
  'is deleted': ({ app, org }) => app.platform.delete(`/admin/users/${org.admin.id}`),
  'has a role that is no admin role any more': ({ app, org }) =>
    app.platform.patch(`/admin/systems/${org.system.id}/roles/${org.admins.id}`, { isAdmin: false }),
  'has a role that is deleted': ({ app, org }) =>
    app.platform.delete(`/admin/systems/${org.system.id}/roles/${org.admins.id}?force=true`),
  'has given a role that is reserved now': ({ app, org }) =>
    app.platform.patch(`/admin/systems/${org.system.id}/roles/${org.admins.id}`, {
      assignableByAccountAdmins: false,
    }),
  'may not use the admin API any more': ({ app, org }) =>
    app.platform.patch(`/admin/systems/${org.system.id}`, { accountAdminApi: false }),
}

for (const [how, end] of Object.entries(ENDS))
  test(`P94: an invitation of an admin who ${how} is revoked and cannot be accepted`, async (t) => {
    const given = await prepare(await startTestApp(t))
    const { app, org } = given
    const invited = await invite(app, org.account, org)

    assert.ok((await end(given)).status < 300)

    const { body } = await app.platform.get(`${org.path}/${invited.id}`)
    assert.equal(body.status, 'revoked')
    assert.equal(await accept(app, org, invited), false)
    const events = await app.findEvents({ accountId: org.accountId, type: 'invitation.revoked' })
    assert.equal(events.length, 1)
  })

/** The two requests in the order in which they wait for the invitation. */
const ORDERS = {
  'after the acceptance': ['accept', 'end'],
  'before the acceptance': ['end', 'accept'],
} as const

for (const how of ['is demoted', 'is removed', 'is blocked'] as const)
  for (const [when, order] of Object.entries(ORDERS))
    test(
      `P94: an admin ${how} ${when} that runs at the same time: nothing is accepted later`,
      ON_POSTGRES,
      async (t) => {
        const given = await prepare(await startTestApp(t))
        const { app, org } = given
        const invited = await invite(app, org.account, org)
        const acts = { accept: () => accept(app, org, invited), end: () => ENDS[how]!(given) }

        const row = sql`select from invitations where id = ${invited.id} for update`
        const answers = await withLock(app.db, row, async (waiting) => {
          const first = acts[order[0]]()
          await waiting(1)
          const second = acts[order[1]]()
          await waiting(2)
          return [first, second] as const
        })
        const [first, second] = await Promise.all(answers)
        const [accepted, ended] = (order[0] === 'accept' ? [first, second] : [second, first]) as [
          boolean,
          { status: number },
        ]

        assert.ok(ended.status < 300)
        assert.equal(accepted, order[0] === 'accept')
        const { body } = await app.platform.get(`${org.path}/${invited.id}`)
        assert.equal(body.status, accepted ? 'accepted' : 'revoked')
      },
    )

test('P94: an admin who leaves the account leaves no invitation', async (t) => {
  const { app, org } = await prepare(await startTestApp(t))
  const invited = await invite(app, org.account, org)

  await app.db.delete(memberships).where(eq(memberships.userId, org.admin.id))

  assert.equal(await accept(app, org, invited), false, 'the acceptance checks the right as well')
})

for (const place of ['system', 'platform'] as const)
  test(`P94: an invitation of an operator of the ${place} ends with the right of the operator`, async (t) => {
    const { app, org } = await prepare(await startTestApp(t))
    const operator = await newOperator(app, place === 'system' ? { systemId: org.system.id } : {})
    const [first, second] = [await invite(app, operator.client, org), await invite(app, operator.client, org)]

    const removed = await app.platform.delete(`/admin/operators/${operator.operatorId}`)
    const { body } = await app.platform.get(`${org.path}/${first.id}`)
    await app.db.update(invitations).set({ status: 'pending' }).where(eq(invitations.id, second.id))

    assert.deepEqual([removed.status, body.status], [204, 'revoked'])
    assert.equal(await accept(app, org, second), false, 'the acceptance checks the right as well')
  })

test('P94: the deletion of an operator revokes the invitations of the operator', async (t) => {
  const { app, org } = await prepare(await startTestApp(t))
  const operator = await newOperator(app, { systemId: org.system.id })
  const invited = await invite(app, operator.client, org)

  await app.platform.delete(`/admin/users/${operator.user.id}`)

  assert.equal((await app.platform.get(`${org.path}/${invited.id}`)).body.status, 'revoked')
})

test('P94: an invitation of a service ends with its client credentials', async (t) => {
  const { app, org } = await prepare(await startTestApp(t))
  const invited = await invite(app, org.service, org)

  await app.platform.patch(`/admin/systems/${org.system.id}`, { allowClientCredentials: false })

  assert.equal((await app.platform.get(`${org.path}/${invited.id}`)).body.status, 'revoked')
  assert.equal(await accept(app, org, invited), false)
})

test('an invitation of a present admin, operator or service is accepted', async (t) => {
  const { app, org } = await prepare(await startTestApp(t))
  const operator = await newOperator(app, { systemId: org.system.id })
  const installation = await newOperator(app)

  for (const client of [org.account, org.service, operator.client, installation.client, app.platform])
    assert.equal(await accept(app, org, await invite(app, client, org)), true)
  assert.ok((await app.db.select().from(operators)).length > 1)
})
