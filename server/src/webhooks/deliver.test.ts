/** Webhooks, from the change to real receivers that verify what they get with the library of Standard Webhooks. */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { freePort } from '../../test/postgres.ts'
import { startReceiver, verify } from '../../test/receiver.ts'
import { and, eq, sql } from '../drizzle.ts'
import { numberEvents } from '../events/queries.ts'
import { deliveries, webhooks } from '../schema.ts'
import { startTestApp } from '../testing.ts'
import { startWebhooks } from './deliver.ts'
import { claimWebhooks, queueEvents } from './queue-queries.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const PRIVATE = { WEBHOOK_ALLOW_PRIVATE: 'true' }
/** 5 s, in ms. */
const SOON = { timeout: 5_000 }
/** In seconds: at once, then soon. */
const QUICK = [0, 0.05, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]

/** A worker as start.ts starts it, and every line it logs. */
function startWorker(t: TestContext, { db, seal }: App, schedule = QUICK, allowPrivate = true) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const config = { WEBHOOK_ALLOW_PRIVATE: allowPrivate, WEBHOOK_RETRY_SCHEDULE: schedule }
  const worker = startWebhooks({ db, seal, config, log })
  t.after(() => worker.stop())
  return { worker, logged: () => lines.join('') }
}

async function newWebhook({ platform }: App, systemId: string, fields: object) {
  const answer = await platform.post(`/admin/systems/${systemId}/webhooks`, fields)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { ...answer.body, path: `/admin/systems/${systemId}/webhooks/${answer.body.id}` }
}

/** A system with a webhook to the receiver, after the system was made. */
async function hooked(app: App, url: string, fields: object = {}, system: object = {}) {
  const made = await app.newSystem({ multiAccount: true, ...system })
  return { system: made, webhook: await newWebhook(app, made.id, { url, ...fields }) }
}

const rowOf = async ({ db }: App, id: string) => (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0]!
const pendingOf = ({ db }: App, id: string) =>
  db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, id), eq(deliveries.status, 'pending')))
const fail: RequestListener = (_, response) => response.writeHead(500).end('no')
const yes: RequestListener = (_, response) => response.end()

/** Events of memberships as they are written, without the requests that cause them: `count` of each of `kin`. */
async function writeEvents({ db }: App, systemId: string, kin: number, count: number): Promise<void> {
  await db.execute(sql`
    insert into events (type, system_id, membership_id, data)
    select 'user.access_updated', ${systemId}::uuid, m.id, jsonb_build_object('membershipId', m.id, 'turn', turn)
    from generate_series(1, ${count}) turn cross join (select gen_random_uuid() as id from generate_series(1, ${kin}) offset 0) m
    order by turn, m.id`)
}

/** For each membership the turns in the order in which they arrived, a repeat of the last left out. */
function turnsOf(received: { event: { data: Record<string, unknown> } }[]): number[][] {
  const kin = Map.groupBy(received, ({ event }) => String(event.data.membershipId))
  return [...kin.values()].map((events) =>
    events.map(({ event }) => Number(event.data.turn)).filter((turn, at, turns) => turn !== turns[at - 1]),
  )
}
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('P49: a change arrives as the log has it, signed so that Standard Webhooks verifies it, and tampered or old it does not', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  startWorker(t, app)
  const { system, webhook } = await hooked(app, receiver.url)
  const user = await app.newUser()

  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Açaí' })
  await t.waitFor(() => assert.deepEqual(receiver.types().sort(), ['account.created', 'user.access_granted']), SOON)

  const granted = receiver.received.find(({ event }) => event.type === 'user.access_granted')!
  const [logged] = await app.happened({ membershipId: membership.id, type: 'user.access_granted' })
  const { id, type, timestamp, data } = verify(webhook.secret, granted) as Record<string, unknown>
  assert.deepEqual({ id, type, timestamp }, { id: logged!.id, type: logged!.type, timestamp: logged!.time.toISOString() })
  assert.deepEqual(data, logged!.data)
  assert.equal(granted.headers['webhook-id'], id)
  assert.match(String(granted.headers['content-type']), /^application\/json/)
  const log = await app.platform.get(`/admin/events?systemId=${system.id}`)
  assert.deepEqual(
    log.body.data.find((event: { id: string }) => event.id === id),
    JSON.parse(granted.text),
  )
  for (const at of [0, 10, granted.text.length - 1]) {
    const flipped = Buffer.from(granted.text)
    flipped[at]! ^= 1
    assert.throws(() => verify(webhook.secret, { headers: granted.headers, text: flipped.toString() }), /signature/i)
  }
  const later = String(Number(granted.headers['webhook-timestamp']) + 1)
  assert.throws(() => verify(webhook.secret, { ...granted, headers: { ...granted.headers, 'webhook-timestamp': later } }))
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 360_000 })
  assert.throws(() => verify(webhook.secret, granted), /too old/)
})

test('a webhook gets what happens after its creation, in its system, of the kinds it asked for, and each event once', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const [all, some, elsewhere] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  const system = await app.newSystem({ multiAccount: true })
  const [before, user] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: before.id, systemId: system.id, accountName: 'Before' })
  await newWebhook(app, system.id, { url: all.url })
  await newWebhook(app, system.id, { url: some.url, events: ['user.access_revoked', 'user.updated'] })
  await hooked(app, elsewhere.url)

  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'After' })
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await app.platform.patch(`/admin/users/${user.id}`, { name: 'Ana' })
  await app.platform.delete(`/admin/memberships/${membership.id}`)
  startWorker(t, app)
  startWorker(t, app)
  await t.waitFor(() => assert.equal(all.received.length >= 5 && some.received.length >= 2, true), SOON)
  await wait(300)

  const after = ['account.created', 'user.access_granted', 'user.access_blocked', 'user.updated', 'user.access_revoked']
  assert.deepEqual(all.types().sort(), after.sort())
  assert.deepEqual(some.types().sort(), ['user.access_revoked', 'user.updated'])
  assert.deepEqual(elsewhere.types(), [])
  assert.deepEqual(
    all.received.flatMap(({ event }) => (event.data.membershipId === membership.id ? [event.type] : [])),
    ['user.access_granted', 'user.access_blocked', 'user.access_revoked'],
  )
})

test('attempts that fail are made again with the same id and a new signature, and later events of the membership wait', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const tries = new Map<string, number>()
  const receiver = await startReceiver(t, {
    answer: (request, response) => {
      const id = String(request.headers['webhook-id'])
      tries.set(id, (tries.get(id) ?? 0) + 1)
      response.writeHead(tries.get(id)! <= 2 ? 500 : 204).end()
    },
  })
  const { system, webhook } = await hooked(app, receiver.url)
  await writeEvents(app, system.id, 5, 4)

  startWorker(t, app)
  await t.waitFor(() => assert.equal([...tries.values()].filter((count) => count === 3).length, 20), { timeout: 15_000 })
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  assert.equal(receiver.received.length, 60)
  assert.deepEqual(turnsOf(receiver.received), Array(5).fill(upTo(4)))
  for (const message of receiver.received) verify(webhook.secret, message)
  const { body } = await app.platform.get(`${webhook.path}/deliveries?pageSize=100`)
  assert.equal(body.total, 20)
  for (const { status, attempts, finishedAt } of body.data) {
    assert.deepEqual([status, attempts.map((each: { status: number }) => each.status)], ['delivered', [500, 500, 204]])
    assert.ok(finishedAt)
  }
})

test('what was failed to the end of the schedule is failed, and the next of the membership goes on', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  receiver.answering((_, response) => response.writeHead(receiver.received.at(-1)?.event.data.turn === 1 ? 500 : 200).end())
  const { system, webhook } = await hooked(app, receiver.url)
  await writeEvents(app, system.id, 1, 2)

  startWorker(t, app, [0, 0.1, 0.1])
  await t.waitFor(
    async () =>
      assert.deepEqual(
        receiver.received.map(({ event }) => event.data.turn),
        [1, 1, 1, 2],
      ),
    SOON,
  )
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  const failed = await app.platform.get(`${webhook.path}/deliveries?status=failed`)
  assert.deepEqual([failed.body.total, failed.body.data[0].attempts.length, failed.body.data[0].nextAttemptAt], [1, 3, null])
})

test('a receiver that was down gets everything once it is back, in order for each membership, and nothing invented', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const port = await freePort()
  const { system, webhook } = await hooked(app, `http://127.0.0.1:${port}/hook`)
  startWorker(t, app, [0, 0.1, 600])
  await writeEvents(app, system.id, 20, 10)
  await t.waitFor(async () => assert.ok((await rowOf(app, webhook.id)).failures >= 10), SOON)

  const receiver = await startReceiver(t, { port })
  await t.waitFor(() => assert.equal(new Set(receiver.ids()).size, 200), { timeout: 15_000 })
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  assert.deepEqual(turnsOf(receiver.received), Array(20).fill(upTo(10)))
  assert.equal(receiver.received.length, 200)
  assert.equal((await rowOf(app, webhook.id)).failures, 0)
})

test('a receiver that is down is tried one at a time, less and less often', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: fail })
  const { system } = await hooked(app, receiver.url)
  await writeEvents(app, system.id, 300, 1)

  startWorker(t, app)
  await t.waitFor(() => assert.ok(receiver.received.length >= 8), SOON)
  await wait(2_000)

  assert.ok(receiver.received.length <= 8 + 8 + 3, `${receiver.received.length} calls`)
})

test('a slow receiver and a dead one delay no other, and a receiver has at most 8 calls at a time', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const slow = await startReceiver(t, { answer: (_, response) => void setTimeout(() => response.end(), 2_000) })
  const dead = await startReceiver(t, { answer: () => {} })
  const fast = await startReceiver(t)
  for (const { url } of [slow, dead]) await writeEvents(app, (await hooked(app, url)).system.id, 100, 1)
  startWorker(t, app)
  startWorker(t, app)
  await t.waitFor(() => assert.ok(slow.received.length >= 8 && dead.received.length >= 8), SOON)

  const { system } = await hooked(app, fast.url)
  const delays: number[] = []
  for (let count = 1; count <= 10; count++) {
    const from = performance.now()
    await writeEvents(app, system.id, 1, 1)
    await t.waitFor(() => assert.equal(fast.received.length, count), { timeout: 5_000, interval: 10 })
    delays.push(performance.now() - from)
  }

  assert.deepEqual([slow.most(), dead.most()], [8, 8])
  assert.ok(Math.max(...delays) < 2_000, String(delays))
})

test('410 disables the webhook with an audit entry; what waits and what is resent arrives once it is enabled', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: (_, response) => response.writeHead(410).end() })
  const { system, webhook } = await hooked(app, receiver.url)
  const cursor = (await app.platform.get(`/admin/events?systemId=${system.id}`)).body.next
  startWorker(t, app)
  await writeEvents(app, system.id, 1, 1)
  await t.waitFor(async () => assert.equal((await rowOf(app, webhook.id)).enabled, false), SOON)
  await writeEvents(app, system.id, 1, 2)
  await wait(200)
  const refused = await app.platform.post(`${webhook.path}/resend`, { after: cursor })
  const shown = await app.platform.get(webhook.path)
  const asked = receiver.received.length

  receiver.answering(yes)
  await app.platform.patch(webhook.path, { enabled: true })
  await t.waitFor(() => assert.equal(receiver.received.length, asked + 1), SOON)
  await wait(300)
  const meanwhile = receiver.received.length
  const resent = await app.platform.post(`${webhook.path}/resend`, { after: cursor })
  await t.waitFor(() => assert.equal(new Set(receiver.ids()).size, 3), SOON)

  assert.deepEqual([asked, meanwhile], [1, 2])
  assert.deepEqual([shown.body.enabled, shown.body.disabledReason], [false, 'gone'])
  assert.deepEqual([refused.status, refused.body.code], [409, 'webhook_disabled'])
  assert.deepEqual([resent.status, resent.body], [202, { queued: 3, next: null }])
  const [entry] = await app.audited({ targetId: webhook.id, action: 'webhook.disabled' })
  assert.deepEqual([entry!.actorType, entry!.systemId, entry!.changes.disabledReason], ['server', system.id, [null, 'gone']])
  assert.equal((await app.platform.get(webhook.path)).body.disabledReason, null)
})

test('after five days of nothing but failures a webhook is disabled, after four it is not', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: fail })
  const [four, five] = [await hooked(app, receiver.url), await hooked(app, receiver.url)]
  for (const [{ webhook, system }, days] of [
    [four, 4],
    [five, 5],
  ] as const) {
    await app.db
      .update(webhooks)
      .set({ failures: 3, failingSince: sql`now() - make_interval(days => ${days})` })
      .where(eq(webhooks.id, webhook.id))
    await writeEvents(app, system.id, 1, 1)
  }

  startWorker(t, app)
  await t.waitFor(async () => assert.equal((await rowOf(app, five.webhook.id)).disabledReason, 'failing'), SOON)
  await t.waitFor(async () => assert.ok((await rowOf(app, four.webhook.id)).failures > 3), SOON)

  assert.equal((await rowOf(app, four.webhook.id)).enabled, true)
  assert.equal((await app.audited({ targetId: five.webhook.id, action: 'webhook.disabled' })).length, 1)
})

test('Retry-After is waited for, and no longer than an hour', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  receiver.answering((_, response) => {
    if (receiver.received.length > 1) response.end()
    else response.writeHead(429, { 'retry-after': '2' }).end()
  })
  const forever = await startReceiver(t, { answer: (_, response) => response.writeHead(503, { 'retry-after': '999999' }).end() })
  const { system } = await hooked(app, receiver.url)
  const { system: other, webhook } = await hooked(app, forever.url)
  await writeEvents(app, system.id, 1, 2)
  await writeEvents(app, other.id, 1, 1)

  startWorker(t, app)
  await t.waitFor(
    () =>
      assert.deepEqual(
        receiver.received.map(({ event }) => event.data.turn),
        [1, 1, 2],
      ),
    { timeout: 8_000 },
  )

  const [first, second] = receiver.received
  assert.ok(second!.at - first!.at >= 1_900, `${second!.at - first!.at} ms`)
  const paused = (await rowOf(app, webhook.id)).pausedUntil!.getTime() - Date.now()
  assert.ok(paused > 3_500_000 && paused <= 3_600_000, `${paused} ms`)
})

test('P48: a redirect is a failure that is not followed, and without the setting no private receiver is called', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const inner = await startReceiver(t)
  const moved = await startReceiver(t, { answer: (_, response) => response.writeHead(302, { location: inner.url }).end() })
  const { system, webhook } = await hooked(app, moved.url)
  await writeEvents(app, system.id, 1, 1)
  const { worker } = startWorker(t, app)
  await t.waitFor(() => assert.ok(moved.received.length >= 2), SOON)
  await worker.stop()
  const asked = moved.received.length

  await writeEvents(app, system.id, 1, 1)
  startWorker(t, app, QUICK, false)
  await app.platform.patch(webhook.path, { enabled: false })
  await app.platform.patch(webhook.path, { enabled: true })
  await writeEvents(app, system.id, 1, 1)
  const blocked = async () => {
    const { body } = await app.platform.get(`${webhook.path}/deliveries`)
    return body.data.flatMap(({ attempts }: { attempts: { error: string }[] }) => attempts.map(({ error }) => error))
  }
  await t.waitFor(async () => assert.ok((await blocked()).some((error: string) => /^address: must be/.test(error))), SOON)

  assert.deepEqual([inner.received.length, moved.received.length], [0, asked])
})

test('P49: after a rotation both secrets sign for as long as was asked, and then the new one alone', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  startWorker(t, app)
  const { system, webhook } = await hooked(app, receiver.url)
  const next = async () => {
    const before = receiver.received.length
    await writeEvents(app, system.id, 1, 1)
    await t.waitFor(() => assert.equal(receiver.received.length, before + 1), SOON)
    return receiver.received[before]!
  }

  const rotated = await app.platform.post(`${webhook.path}/rotate-secret`, { graceSeconds: 60 })
  const during = await next()
  await app.db.update(webhooks).set({ previousSecretUntil: sql`now()` }).where(eq(webhooks.id, webhook.id))
  const after = await next()

  assert.match(rotated.body.secret, /^whsec_/)
  assert.notEqual(rotated.body.secret, webhook.secret)
  for (const secret of [webhook.secret, rotated.body.secret]) verify(secret, during)
  verify(rotated.body.secret, after)
  assert.throws(() => verify(webhook.secret, after))
})

test('what a process held that died is sent by another when its lease is over, and not before', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const { system, webhook } = await hooked(app, receiver.url)
  await writeEvents(app, system.id, 3, 1)
  await numberEvents(app.db)
  const held = (await claimWebhooks(app.db, 1_000)).find(({ id }) => id === webhook.id)!
  await queueEvents(app.db, held, 0) // by one that dies now

  startWorker(t, app)
  await wait(1_200)
  const meanwhile = receiver.received.length
  const lease = (await rowOf(app, webhook.id)).leasedUntil!.getTime() - Date.now()
  await app.db.update(webhooks).set({ leasedUntil: sql`now()` }).where(eq(webhooks.id, webhook.id))
  await t.waitFor(() => assert.equal(receiver.received.length, 3), SOON)

  assert.equal(meanwhile, 0)
  assert.ok(lease > 20_000 && lease <= 30_000, `${lease} ms`)
})

test('a worker that is stopped ends what is in hand, and what a receiver does not answer in time counts as not tried', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: () => {} })
  const { system, webhook } = await hooked(app, receiver.url)
  await writeEvents(app, system.id, 3, 1)
  const { worker } = startWorker(t, app)
  await t.waitFor(() => assert.equal(receiver.received.length, 3), SOON)

  const from = performance.now()
  await worker.stop()
  const took = performance.now() - from
  const pending = await pendingOf(app, webhook.id)
  receiver.answering(yes)
  startWorker(t, app)
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  assert.ok(took > 4_000 && took < 6_000, `${took} ms`)
  assert.deepEqual(
    pending.map(({ attempts }) => attempts),
    [0, 0, 0],
  )
})
