/** Tenants take turns in every queue that they share. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { endOfLog, openEventStream } from '../../test/support/event-reader.ts'
import { begin, follow } from '../../test/support/registration.ts'
import { startSmtpServer } from '../../test/support/smtp-server.ts'
import { startTestApp } from '../../test/support/testing.ts'
import { SOON } from '../../test/support/waiting.ts'
import { sql } from '../database/drizzle.ts'
import { backgroundJobs, logoutDeliveries, mail } from '../database/schema.ts'
import { claimLogouts } from './backchannel-logout/queries.ts'
import { claimJobs, insertJob, storeProgress } from './background/queries.ts'
import { startEmailWorker } from './email/deliver.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A system with its service token, and users of its own. */
async function newTenant(app: App, count: number) {
  const system = await app.newSystem({ allowClientCredentials: true, skipConsent: true })
  const service = await app.serviceOf(system as Parameters<App['serviceOf']>[0])
  const body = Array.from({ length: count }, () =>
    JSON.stringify({ email: `${crypto.randomUUID()}@tenant.test` }),
  ).join('\n')
  const imported = await fetch(`${app.url}/admin/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/x-ndjson' },
    body,
  })
  const lines = (await imported.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const addresses = body.split('\n').map((line) => JSON.parse(line).email as string)
  return { system, service, users: lines.map(({ id }, at) => ({ id: id as string, email: addresses[at]! })) }
}

/** A mailer whose server needs a while for each email. Returns the addresses in the order of arrival. */
async function startSlowMailer(t: Parameters<typeof startSmtpServer>[0], app: App) {
  const office = await startSmtpServer(t, {
    onRcptTo: (_address, _session, done) => void setTimeout(done, 20),
  })
  const config = {
    MAIL_URL: `smtp://${office.address}`,
    MAIL_FROM: 'Example <no-reply@example.test>',
    BASE_URL: app.url,
    DATA_DIR: '/nonexistent',
  }
  const mailer = startEmailWorker({ db: app.db, seal: app.seal, config, log: pino({ level: 'silent' }) })
  t.after(() => mailer.stop())
  return () => office.deliveries.map(({ to }) => to[0]!)
}

/** Emails of other tenants that may precede one that is next: those in progress, and one of each system. */
const AHEAD_MAX = 8

test('P54: the mail of one system waits neither for the mail of another, nor a code for notifications', async (t) => {
  const app = await startTestApp(t)
  await app.db.delete(mail) // of other tests
  const noisy = await newTenant(app, 60)
  const quiet = await newTenant(app, 1)
  const { user } = await app.newMember({ skipConsent: true })
  for (const { id } of noisy.users)
    assert.equal((await noisy.service.post(`/admin/users/${id}/send-password-reset`)).status, 202)
  assert.equal(
    (await quiet.service.post(`/admin/users/${quiet.users[0]!.id}/send-password-reset`)).status,
    202,
  )
  const browser = app.newBrowser()
  const login = await begin(browser, noisy.system as Parameters<typeof begin>[1])
  await browser.submit(await follow(browser, login, 'forgot-password'), { email: user.email })

  const order = await startSlowMailer(t, app)
  await t.waitFor(() => assert.equal(order().length, 62), SOON)

  const [awaited, ofQuiet] = [order().indexOf(user.email), order().indexOf(quiet.users[0]!.email)]
  assert.ok(awaited >= 0 && awaited < AHEAD_MAX, `${awaited}`)
  assert.ok(ofQuiet >= 0 && ofQuiet < AHEAD_MAX, `${ofQuiet}`)
})

test('a system has a budget of emailed links for a day, beside that of each address', async (t) => {
  const app = await startTestApp(t, { SYSTEM_EMAILS_PER_DAY: '3' })
  const [one, other] = [await newTenant(app, 4), await newTenant(app, 1)]
  const send = ({ service }: typeof one, id: string, what = 'send-password-reset') =>
    service.post(`/admin/users/${id}/${what}`)
  const statuses = []
  for (const { id } of one.users.slice(0, 2)) statuses.push((await send(one, id)).status)
  statuses.push((await send(one, one.users[2]!.id, 'resend-verification')).status)
  const refused = await send(one, one.users[3]!.id)

  assert.deepEqual(statuses, [202, 202, 202])
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests'])
  assert.ok(Number(refused.headers.get('retry-after')) > 3_600)
  assert.equal((await send(other, other.users[0]!.id)).status, 202)
  const ofPlatform = `/admin/users/${one.users[3]!.id}/send-password-reset`
  assert.equal((await app.platform.post(ofPlatform)).status, 202)
})

test('P54: a job waits for one job of another system, not for all of them', async (t) => {
  const app = await startTestApp(t)
  await app.db.delete(backgroundJobs)
  const add = (systemId: string) =>
    insertJob(app.db, {
      kind: 'end_sessions',
      systemId,
      target: { type: 'system', id: systemId },
      actor: { type: 'server', id: null } as Parameters<typeof insertJob>[1]['actor'],
      total: 1,
    })
  const [noisy, quiet] = [crypto.randomUUID(), crypto.randomUUID()]
  for (let count = 0; count < 20; count++) await add(noisy)
  const served: string[] = []
  const serve = async () => {
    for (const { id } of await claimJobs(app.db, 1)) {
      served.push(id)
      await storeProgress(app.db, id, { done: 1, cursor: null, wait: undefined })
    }
  }
  await serve()
  const waiting = await add(quiet)
  await serve()
  await serve()

  assert.ok(served.includes(waiting))
})

test('P54: back-channel logouts of one system wait for one of each other system', async (t) => {
  const app = await startTestApp(t)
  await app.db.delete(logoutDeliveries)
  const add = (clientId: string, count: number) =>
    app.db.execute(sql`insert into logout_deliveries (sid, user_id, client_id, alg, uri, expires_at)
      select gen_random_uuid()::text, gen_random_uuid(), ${clientId}, 'ES256', 'https://x.test/' || ${clientId},
        now() + interval '1 hour' from generate_series(1, ${count}::int)`)
  for (let at = 0; at < 10; at++) await add(`noisy-${at}`, 100)
  await add('quiet', 1)

  const first = await claimLogouts(app.db, 11, 2)
  const then = await claimLogouts(app.db, 100, 2)
  await app.db.delete(logoutDeliveries)

  assert.deepEqual(first.map(({ clientId }) => clientId).toSorted(), [
    ...Array.from({ length: 10 }, (_, at) => `noisy-${at}`),
    'quiet',
  ])
  assert.equal(then.length, 10, 'two of each at the same time')
})

test('P54: a reader of the event stream waits for one page of another system, not for all its readers', async (t) => {
  const app = await startTestApp(t)
  const [noisy, quiet] = [await newTenant(app, 1), await newTenant(app, 1)]
  const start = await endOfLog(app.url, app.platform.token)
  const [ofNoisy, ofQuiet] = [3_000, 1_500]
  for (const [systemId, count] of [
    [noisy.system.id, ofNoisy],
    [quiet.system.id, ofQuiet],
  ])
    await app.db.execute(sql`insert into events (type, system_id, data)
      select 'user.access_updated', ${systemId}::uuid, '{}' from generate_series(1, ${count}::int)`)
  const open = async ({ service }: typeof noisy) => {
    const reader = await openEventStream(app.url, service.token, { lastEventId: start })
    t.after(reader.close)
    return reader
  }
  const crowd = await Promise.all(Array.from({ length: 30 }, () => open(noisy)))
  const received = () => crowd.reduce((sum, { events }) => sum + events.length, 0)
  const reader = await open(quiet)
  const before = received()
  await reader.until(ofQuiet)
  const meanwhile = received() - before

  // In the order of arrival all 30 would have received as many as the one.
  assert.ok(meanwhile < 10 * ofQuiet, `${meanwhile}`)
})
