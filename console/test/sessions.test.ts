/** The list of sessions in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newAccountAdmin } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en, fill } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('the admin of an organization sees who acts for a member, and the reason', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowActingForMembers: true, skipConsent: true })
  const { browser, membership } = await newAccountAdmin(app, system)
  const { accountId } = membership
  const role = await app.newRole(system.id, { assignableByAccountAdmins: false, canActForMembers: true })
  const [agent, member] = [await app.newUser({ name: 'Bea Sousa' }), await app.newUser()]
  const support = { userId: agent.id, systemId: system.id, accountName: 'Support', roles: [role.id] }
  await app.newMembership({ ...support, status: 'active' })
  const ofMember = await app.newMembership({ userId: member.id, accountId, status: 'active' })
  const { access_token } = await app.signIn(system, { email: agent.email })
  const reason = 'Ticket 4711: the invoice is empty'
  const exchanged = await app.token(system, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: ofMember.id,
    subject_token_type: 'urn:tenantry:params:oauth:token-type:membership',
    actor_token: access_token,
    actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    reason,
  })
  assert.equal(exchanged.status, 200)

  const visit = await openAs(app.url, browser, `account:${accountId}`)
  await show(visit, app.url, 'sessions')
  const row = visit.page.locator('tbody tr', { hasText: member.email })
  await row.getByText(fill(en.sessions.actsFor, { name: 'Bea Sousa' })).waitFor()
  await row.getByText(reason).waitFor()

  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
