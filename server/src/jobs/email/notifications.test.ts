/** Which notifications are sent when many are caused. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { invited, newOrganization } from '../../../test/support/invitations.ts'
import { moveLimit } from '../../../test/support/limit-clock.ts'
import { OWN } from '../../../test/support/registration.ts'
import { type Driver, startTestApp } from '../../../test/support/testing.ts'
import { inArray, sql } from '../../database/drizzle.ts'
import { limits, mail } from '../../database/schema.ts'
import { dailyRule, limitOf } from '../../http/limits/guard.ts'
import { totalsOf } from '../../journal/stats/count.ts'
import { reportLeftOut } from './left-out.ts'
import { claimEmails } from './queries.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const DAYS = 10 * 86_400
const ANY = dailyRule(1)

const leftOut = () =>
  totalsOf('emails').reduce((sum, { key, count }) => sum + (key === 'left_out' ? count : 0), 0)

/** A system with an operator who has used up its notifications of the day. */
async function givenBusySystem(t: TestContext) {
  const app = await startTestApp(t)
  const { system, user: member } = await app.newMember({
    multiAccount: true,
    skipConsent: true,
    allowClientCredentials: true,
  })
  await app.signIn(system, { email: member.email })
  const service = await app.serviceOf(system)
  const newStranger = async () => {
    const user = await app.newUser()
    await app.newMembership({ userId: user.id, systemId: system.id })
    return user
  }
  const change = async ({ id }: { id: string }) => {
    const password = `known to it, ${crypto.randomUUID()}`
    assert.equal((await service.post(`/admin/users/${id}/set-password`, { password })).status, 200)
  }
  await change(await newStranger())
  await moveLimit(app, limitOf(app.seal, 'system notifications', ANY, system.id), DAYS)
  return { app, system, member, service, newStranger, change }
}

test('P04: a notification of security is sent whatever other users of the system were notified of', async (t) => {
  const { app, member, newStranger, change } = await givenBusySystem(t)
  const stranger = await newStranger()
  const before = leftOut()

  await change(stranger)
  await change(member)

  const kinds = (await app.emailsTo(member.email)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['password_changed'])
  assert.deepEqual(await app.emailsTo(stranger.email), [], 'who has never signed in counts for the system')
  assert.equal(leftOut() - before, 1)
})

test('how many notifications were left out is one line of the log, without addresses', async (t) => {
  const { newStranger, change } = await givenBusySystem(t)
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  reportLeftOut(log as never)() // what other tests have left out
  lines.length = 0
  const strangers = [await newStranger(), await newStranger()]
  for (const stranger of strangers) await change(stranger)

  reportLeftOut(log as never)()

  const [line = '', ...others] = lines
  assert.deepEqual(others, [])
  assert.equal(JSON.parse(line).count, 2)
  assert.match(line, /notifications not sent: the limit is reached/)
  assert.ok(!strangers.some(({ email, id }) => line.includes(email) || line.includes(id)))
})

test('P07: the notifications about one credential leave room for those about another', async (t) => {
  const { app, member, service, change } = await givenBusySystem(t)
  for (let n = 0; n < 11; n++) await change(member)
  await app.db.execute(sql`insert into totp_factors (user_id, system_id, sealed_secret, confirmed_at)
    select ${member.id}::uuid, system_id, '\\x00', now() from memberships where user_id = ${member.id}::uuid`)
  assert.equal((await service.post(`/admin/users/${member.id}/disable-mfa`)).status, 200)

  const kinds = (await app.emailsTo(member.email)).map(({ kind }) => kind)
  assert.equal(kinds.filter((kind) => kind === 'password_changed').length, 10)
  assert.equal(kinds.filter((kind) => kind === 'mfa_removed').length, 1)
})

const APPROVING = { requireAdminActivation: true, name: 'Orders' }

/** A member who waits for approval. */
async function join(app: Driver, org: Awaited<ReturnType<typeof newOrganization>>): Promise<void> {
  const { link } = await invited(app, org)
  const browser = app.newBrowser()
  await browser.submit(await browser.get(link), { password: OWN, decision: 'register' })
}

test('an organization that has used up its notifications takes none from another one of the system', async (t) => {
  const app: App = await startTestApp(t)
  const busy = await newOrganization(app, APPROVING)
  const admins = async () => {
    const owner = await app.newUser()
    const { accountId } = await app.newMembership({
      userId: owner.id,
      systemId: busy.system.id,
      accountName: `Quiet ${crypto.randomUUID()}`,
      roles: [busy.admins.id],
      status: 'active',
    })
    const { access_token } = await app.signIn(busy.system, { email: owner.email })
    const path = `/admin/accounts/${accountId}/invitations`
    return { ...busy, admin: owner, accountId: String(accountId), path, account: app.as(access_token) }
  }
  const quiet = await admins()
  const requested = async ({ admin }: typeof quiet) =>
    (await app.emailsTo(admin.email)).filter(({ kind }) => kind === 'access_requested').length
  await join(app, busy as typeof quiet)
  assert.equal(await requested(busy as typeof quiet), 1)
  await moveLimit(app, limitOf(app.seal, 'account notifications', ANY, busy.accountId), DAYS)
  await moveLimit(app, limitOf(app.seal, 'approvals', ANY, busy.accountId), -3_600)
  const ofSystem = limitOf(app.seal, 'system notifications', ANY, busy.system.id)
  const before = await app.db
    .select()
    .from(limits)
    .where(inArray(limits.key, [ofSystem.key]))

  await join(app, busy as typeof quiet)
  await join(app, quiet)

  assert.deepEqual([await requested(busy as typeof quiet), await requested(quiet)], [1, 1])
  const after = await app.db
    .select()
    .from(limits)
    .where(inArray(limits.key, [ofSystem.key]))
  assert.deepEqual(after, before, 'what an organization causes is not counted for the system')
})

test('a notification of security does not wait for the other emails of its system', async (t) => {
  const { app, system, member, change } = await givenBusySystem(t)
  const others = Array.from({ length: 20 }, () => ({
    kind: 'invitation',
    recipient: `${crypto.randomUUID()}@example.test`,
    tenant: system.id,
    isAwaited: false,
    nextAttemptAt: sql`now() - interval '1 hour'`,
    expiresAt: sql`now() + interval '1 day'`,
  }))
  await app.db.update(mail).set({ status: 'sent' }).where(sql`status = 'pending'`)
  await app.db.insert(mail).values(others)
  await change(member)

  const first = await claimEmails(app.db, false, 2)

  assert.ok(first.some(({ recipient }) => recipient === member.email))
})
