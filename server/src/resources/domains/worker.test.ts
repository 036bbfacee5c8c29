/** The order of the checks of domains, their shares, and what happens while name servers are slow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDomain, newName, newOrganization, startChecks } from '../../../test/support/domains.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { and, eq, inArray, sql } from '../../database/drizzle.ts'
import { domains } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** The checks of an account or a system that are in progress. */
async function inProgress(app: App, of: 'accountId' | 'systemId', id: string): Promise<number> {
  const leased = and(eq(domains[of], id), sql`leased_until > now()`)
  return (await app.db.select().from(domains).where(leased)).length
}

const makeDue = (app: App, ...ids: string[]) =>
  app.db.update(domains).set({ nextAttemptAt: sql`now()` }).where(inArray(domains.id, ids))

test('P54: slow name servers of a tenant delay the domains of no other, nor those of its other organizations', async (t) => {
  const app = await startTestApp(t)
  const slow = await newOrganization(app)
  const neighbor = await slow.join()
  const other = await newOrganization(app)
  const { dns, check, publish } = await startChecks(t, app)
  const delayed = []
  for (let nth = 0; nth < 6; nth += 1)
    delayed.push(await addDomain(slow.admin, slow.path, { name: newName() }))
  for (const { record } of delayed) dns.delay(record.name)
  await makeDue(app, ...delayed.map(({ id }) => id))
  const running = () => inProgress(app, 'accountId', slow.accountId)
  await t.waitFor(async () => assert.equal(await running(), 2), SOON)

  const quick = []
  for (const { admin, path } of [neighbor, other]) {
    const domain = await addDomain(admin, path, { name: newName() })
    publish(domain)
    quick.push(await check(admin, domain.path))
  }

  assert.deepEqual(
    quick.map(({ status }) => status),
    ['verified', 'verified'],
  )
  assert.ok((await running()) <= 2, 'domains of one account at the same time')
  for (const { record } of delayed) dns.release(record.name)
})

test('P54: at most 5 domains of a system are checked at the same time', async (t) => {
  const app = await startTestApp(t)
  const { system, join } = await newOrganization(app)
  const { dns, check, publish } = await startChecks(t, app)
  const delayed = []
  for (let nth = 0; nth < 4; nth += 1) {
    const one = await join()
    for (let each = 0; each < 2; each += 1)
      delayed.push(await addDomain(one.admin, one.path, { name: newName() }))
  }
  for (const { record } of delayed) dns.delay(record.name)
  await makeDue(app, ...delayed.map(({ id }) => id))
  const running = () => inProgress(app, 'systemId', system.id)
  await t.waitFor(async () => assert.equal(await running(), 5), SOON)
  const other = await newOrganization(app)
  const quick = await addDomain(other.admin, other.path, { name: newName() })
  publish(quick)

  assert.equal((await check(other.admin, quick.path)).status, 'verified')

  assert.ok((await running()) <= 5)
  for (const { record } of delayed) dns.release(record.name)
})

test('no row is locked while a name server is asked: the domain and its account can be changed', async (t) => {
  const app = await startTestApp(t)
  const { admin, service, accountId, path } = await newOrganization(app)
  const { dns, check, publish } = await startChecks(t, app)
  const domain = await addDomain(admin, path, { name: newName() })
  publish(domain)
  dns.delay(domain.record.name)
  await makeDue(app, domain.id)
  await t.waitFor(() => assert.ok(dns.waiting.some(({ name }) => name === domain.record.name)), SOON)

  const changed = await admin.patch(domain.path, { subdomains: true })
  const renamed = await service.patch(`/admin/accounts/${accountId}`, { name: 'Acme after' })
  dns.release(domain.record.name)
  const checked = await check(admin, domain.path)

  assert.deepEqual([changed.status, renamed.status], [200, 200])
  assert.deepEqual([checked.status, checked.subdomains], ['verified', true])
})

test('of two checks of one domain at the same time only the later one counts, whichever ends last', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, accountId } = await newOrganization(app)
  const { dns, worker, publish } = await startChecks(t, app)
  const domain = await addDomain(admin, path, { name: newName() })
  const { name } = domain.record
  const asked = () => dns.waiting.filter((each) => each.name === name)
  const row = async () => (await app.db.select().from(domains).where(eq(domains.id, domain.id)))[0]!
  dns.delay(name)
  await makeDue(app, domain.id)
  await t.waitFor(() => assert.ok(asked().length > 0), SOON)
  const first = asked()

  // The lease is lost, as that of a process that hangs. The record is published, and a second check begins.
  publish(domain)
  await app.db.update(domains).set({ leasedUntil: sql`now()` }).where(eq(domains.id, domain.id))
  await t.waitFor(async () => assert.equal((await row()).checks, 2), SOON)
  const release = setInterval(() => {
    for (const each of asked()) if (!first.includes(each)) each.release()
  }, 20)
  await t.waitFor(async () => assert.equal((await row()).status, 'verified'), SOON)
  clearInterval(release)
  dns.clear(name)
  for (const each of first) each.release()
  dns.release(name)
  await worker.stop() // after both checks

  const { status, outcome, missingSince } = await row()
  assert.deepEqual([status, outcome, missingSince], ['verified', 'verified', null])
  assert.equal((await app.findEvents({ accountId, type: 'domain.verified' })).length, 1)
  assert.equal((await app.audited({ targetId: domain.id, action: 'domain.verified' })).length, 1)
})

test('a domain is checked 1, 5 and 15 minutes after it was added, hourly for a week, and daily once verified', async (t) => {
  const app = await startTestApp(t)
  const { admin, path } = await newOrganization(app)
  const { check, publish } = await startChecks(t, app)
  const domain = await addDomain(admin, path, { name: newName() })
  const next = async () => {
    const { rows } = (await app.db.execute(sql`select
      extract(epoch from next_attempt_at - created_at)::float8 / 60 as since,
      extract(epoch from next_attempt_at - now())::float8 / 60 as ahead
      from domains where id = ${domain.id}`)) as unknown as { rows: { since: number; ahead: number }[] }
    return rows[0]!
  }
  const age = (interval: string) =>
    app.db
      .update(domains)
      .set({ createdAt: sql`now() - ${interval}::interval` })
      .where(eq(domains.id, domain.id))

  const added = await next()
  const times = []
  for (const interval of ['2 minutes', '6 minutes']) {
    await age(interval)
    await check(admin, domain.path)
    times.push((await next()).since)
  }
  await age('1 day')
  await check(admin, domain.path)
  const hourly = await next()
  await age('8 days')
  await check(admin, domain.path)
  const over = await next()
  publish(domain)
  await check(admin, domain.path)
  const daily = await next()

  assert.deepEqual([added.since, ...times], [1, 5, 15])
  assert.ok(hourly.ahead > 55 && hourly.ahead <= 60, String(hourly.ahead))
  assert.deepEqual([over.since, over.ahead], [null, null])
  assert.ok(daily.ahead > 22 * 60 && daily.ahead <= 25 * 60, String(daily.ahead))
})
