/** Webhook receivers that are down, slow, gone, or answer with Retry-After. */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../test/support/postgres.ts'
import { startReceiver } from '../../../test/support/receiver.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import {
  newWebhookSystem,
  PRIVATE,
  pendingOf,
  rowOf,
  SOON,
  startWorker,
  turnsOf,
  upTo,
  writeEvents,
} from '../../../test/support/webhook-sending.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { webhooks } from '../../database/schema.ts'

const fail: RequestListener = (_, response) => response.writeHead(500).end('no')

test('a receiver that was down gets every event once it is up, in order per membership', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const port = await freePort()
  const { system, webhook } = await newWebhookSystem(app, `http://127.0.0.1:${port}/hook`)
  startWorker(t, app, [0, 0.1, 600])
  await writeEvents(app, system.id, 20, 10)
  await t.waitFor(async () => assert.ok((await rowOf(app, webhook.id)).failures >= 10), SOON)

  const receiver = await startReceiver(t, { port })
  await t.waitFor(() => assert.equal(new Set(receiver.ids()).size, 200), { timeout: 60_000 })
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  assert.deepEqual(turnsOf(receiver.received), Array(20).fill(upTo(10)))
  assert.equal(receiver.received.length, 200)
  assert.equal((await rowOf(app, webhook.id)).failures, 0)
})

test('a receiver that is down gets one call at a time, at growing intervals', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: fail })
  const { system } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 300, 1)

  startWorker(t, app)
  await t.waitFor(() => assert.ok(receiver.received.length >= 8), SOON)
  await wait(2_000)

  assert.ok(receiver.received.length <= 8 + 8 + 3, `${receiver.received.length} calls`)
})

test('slow and dead receivers delay no other, and at most 6 calls to one are of what is not urgent', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  let ended = 0
  const slow = await startReceiver(t, {
    answer: (_, response) =>
      void response
        .writeHead(200)
        .on('close', () => (ended += 1))
        .write('half'),
  })
  const dead = await startReceiver(t, {
    answer: (_, response) => void response.on('close', () => (ended += 1)),
  })
  const fast = await startReceiver(t)
  for (const { url } of [slow, dead])
    await writeEvents(app, (await newWebhookSystem(app, url)).system.id, 100, 1)
  startWorker(t, app)
  startWorker(t, app)
  await t.waitFor(() => assert.ok(slow.received.length >= 6 && dead.received.length >= 6), SOON)

  const { system } = await newWebhookSystem(app, fast.url)
  for (let count = 1; count <= 5; count++) {
    await writeEvents(app, system.id, 1, 1)
    await t.waitFor(() => assert.equal(fast.received.length, count), { ...SOON, interval: 10 })
  }

  assert.deepEqual([slow.most(), dead.most()], [6, 6])
  assert.equal(ended, 0, 'the calls of the others were open all the time')
})

test('410 disables the webhook; its pending deliveries are sent once it is enabled again', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: (_, response) => response.writeHead(410).end() })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  const cursor = (await app.platform.get(`/admin/events?systemId=${system.id}`)).body.next
  startWorker(t, app)
  await writeEvents(app, system.id, 1, 1)
  await t.waitFor(async () => assert.equal((await rowOf(app, webhook.id)).enabled, false), SOON)
  await writeEvents(app, system.id, 1, 2)
  await wait(200)
  const refused = await app.platform.post(`${webhook.path}/resend`, { after: cursor })
  const shown = await app.platform.get(webhook.path)
  const asked = receiver.received.length

  receiver.answering((_, response) => response.end())
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
  assert.deepEqual(
    [entry!.actorType, entry!.systemId, entry!.changes.disabledReason],
    ['server', system.id, [null, 'gone']],
  )
  assert.equal((await app.platform.get(webhook.path)).body.disabledReason, null)
})

test('a webhook is disabled after five days of failures only, not after four', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: fail })
  const [four, five] = [await newWebhookSystem(app, receiver.url), await newWebhookSystem(app, receiver.url)]
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
  await t.waitFor(
    async () => assert.equal((await rowOf(app, five.webhook.id)).disabledReason, 'failing'),
    SOON,
  )
  await t.waitFor(async () => assert.ok((await rowOf(app, four.webhook.id)).failures > 3), SOON)

  assert.equal((await rowOf(app, four.webhook.id)).enabled, true)
  assert.equal((await app.audited({ targetId: five.webhook.id, action: 'webhook.disabled' })).length, 1)
})

test('Retry-After is respected up to an hour', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  receiver.answering((_, response) => {
    if (receiver.received.length > 1) response.end()
    else response.writeHead(429, { 'retry-after': '2' }).end()
  })
  const forever = await startReceiver(t, {
    answer: (_, response) => response.writeHead(503, { 'retry-after': '999999' }).end(),
  })
  const { system } = await newWebhookSystem(app, receiver.url)
  const { system: other, webhook } = await newWebhookSystem(app, forever.url)
  await writeEvents(app, system.id, 1, 2)
  await writeEvents(app, other.id, 1, 1)

  startWorker(t, app)
  await t.waitFor(
    () =>
      assert.deepEqual(
        receiver.received.map(({ event }) => event.data.turn),
        [1, 1, 2],
      ),
    SOON,
  )

  const [first, second] = receiver.received
  assert.ok(second!.at - first!.at >= 1_900, `${second!.at - first!.at} ms`)
  const [paused] = await app.db
    .select({ seconds: sql<number>`extract(epoch from ${webhooks.pausedUntil} - now())::float8` })
    .from(webhooks)
    .where(eq(webhooks.id, webhook.id))
  assert.ok(paused!.seconds > 3_000 && paused!.seconds <= 3_600, `${paused!.seconds} s`)
})

test('of the events for a receiver that accepts nothing about 10,000 are queued, the others stay in the log', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: fail })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  startWorker(t, app, [0, 3_600])

  await writeEvents(app, system.id, 200, 65)
  /** Ends its pause. Returns the number of pending deliveries after a while. */
  const resume = async () => {
    await app.db.update(webhooks).set({ pausedUntil: null }).where(eq(webhooks.id, webhook.id))
    await wait(100)
    return (await pendingOf(app, webhook.id)).length
  }
  await t.waitFor(async () => assert.ok((await resume()) > 10_000), { timeout: 120_000, interval: 10 })
  for (let turn = 0; turn < 20; turn += 1) await resume()

  const length = await resume()
  assert.ok(length > 10_000 && length <= 11_000, `${length}`)
})
