/** The accounts of one system, which share its slots. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminClient, startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { users } from '../../database/schema.ts'

/** More requests than a system alone has slots. */
const MANY = 12
/** 1.1 s, in ms: then the tenants of the preparation have no share any more. */
const IDLE = 1_100

async function given(t: TestContext) {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const admin = async (accountName: string) => {
    const user = await app.newUser()
    const { id, accountId } = await app.newMembership({
      userId: user.id,
      systemId: system.id,
      accountName,
      roles: [role.id],
    })
    const { access_token } = await app.signIn(system, { email: user.email, account: accountId })
    return { user, membershipId: id, accountId, own: adminClient(app.url, access_token) }
  }
  return { app, busy: await admin('Busy'), quiet: await admin('Quiet') }
}

test('P54: an account whose requests all wait leaves slots of its system to the other accounts', {
  skip: process.env.DATABASE_URL === undefined, // the embedded database does not wait for row locks
}, async (t) => {
  const { app, busy, quiet } = await given(t)
  const { id: memberId } = await app.newUser()
  const member = await app.newMembership({ userId: memberId, accountId: busy.accountId })
  await sleep(IDLE)

  const { during, changes } = await app.db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, memberId)).for('update')
    const changes = Array.from({ length: MANY }, () => busy.own.delete(`/admin/memberships/${member.id}`))
    await sleep(300)
    const during = await Promise.race([
      quiet.own.get(`/admin/accounts/${quiet.accountId}/members`),
      Promise.all(changes).then(() => undefined),
    ])
    return { during, changes }
  })
  await Promise.all(changes)

  assert.equal(during?.status, 200)
})
