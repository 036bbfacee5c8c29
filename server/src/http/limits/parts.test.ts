/** Tenants, and the accounts of one system, that share the slots of the admin API. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { visitorOf } from '../../../test/support/organizations.ts'
import { adminClient, startTestApp } from '../../../test/support/testing.ts'
import { eq, inArray, sql } from '../../database/drizzle.ts'
import { users } from '../../database/schema.ts'

/** More requests than a system alone has slots. */
const MANY = 12
/** 1.1 s, in ms: then the tenants of the preparation have no share any more. */
const IDLE = 1_100

/** Resolves when the server has read the header of its next request. */
const nextRequest = () =>
  new Promise<void>((resolve) => {
    const heard = () => {
      unsubscribe(STARTED, heard)
      resolve()
    }
    subscribe(STARTED, heard)
  })
const STARTED = 'http.server.request.start'

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

test('P54: the pages of an organization take the slots of its account', {
  skip: process.env.DATABASE_URL === undefined, // the embedded database does not wait for row locks
}, async (t) => {
  const { app, busy, quiet } = await given(t)
  const { id: memberId } = await app.newUser()
  const member = await app.newMembership({ userId: memberId, accountId: busy.accountId })
  const open = ({ user, accountId }: typeof busy) => visitorOf(app, { accountId }, user)
  const visitors = await Promise.all(Array.from({ length: MANY }, () => open(busy)))
  const other = await open(quiet)
  for (const visitor of [...visitors, other]) await visitor.open()
  await sleep(IDLE)

  const { during, changes } = await app.db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, memberId)).for('update')
    const changes = visitors.map((visitor) => visitor.send(`/members/${member.id}/remove`))
    await sleep(300)
    const during = await Promise.race([
      other.send('/settings', { name: 'Quieter', nameBefore: 'Quiet' }),
      Promise.race(changes).then(() => undefined),
    ])
    return { during, changes }
  })
  await Promise.all(changes)

  assert.equal(during?.status, 303)
})

/** The slots of all tenants together, with the default of DATABASE_POOL. */
const TOTAL = 8

test('P54: of more tenants than slots, the one whose requests have used the least time is next', {
  skip: process.env.DATABASE_URL === undefined,
}, async (t) => {
  const app = await startTestApp(t)
  const tenantOf = async () => {
    const { system, user } = await app.newMember({ allowClientCredentials: true })
    return { user, service: await app.serviceOf(system) }
  }
  const busy = await Promise.all(Array.from({ length: TOTAL + 4 }, tenantOf))
  const quiet = await tenantOf()
  const order: string[] = []
  const sent = async (name: string, answer: Promise<{ status: number }>) => {
    const { status } = await answer
    order.push(name)
    return status
  }
  const blocked = async () => {
    const { rows } = (await app.db.execute(
      sql`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )) as unknown as { rows: { count: number }[] }
    return rows[0]!.count
  }
  const ids = busy.map(({ user }) => user.id)

  const { count, statuses } = await app.db.transaction(async (tx) => {
    await tx.select().from(users).where(inArray(users.id, ids)).orderBy(users.id).for('update')
    const changes = busy.flatMap(({ user, service }) =>
      ['A', 'B'].map((name) => sent('busy', service.patch(`/admin/users/${user.id}`, { name }))),
    )
    await sleep(300)
    const count = await blocked()
    const arrived = nextRequest()
    const late = sent('quiet', quiet.service.patch(`/admin/users/${quiet.user.id}`, { name: 'A' }))
    await arrived
    await sleep(300) // until it has read its body and waits for its turn
    return { count, statuses: [...changes, late] }
  })
  const answers = await Promise.all(statuses)

  assert.equal(count, TOTAL)
  assert.deepEqual([...new Set(answers)], [200])
  assert.ok(order.indexOf('quiet') < 2 * TOTAL, `answered as number ${order.indexOf('quiet') + 1}`)
})
