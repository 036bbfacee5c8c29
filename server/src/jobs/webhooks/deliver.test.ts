/** Webhooks, to real receivers that verify them with the Standard Webhooks library. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { readEvents } from '../../../test/support/event-reader.ts'
import { startReceiver, verify } from '../../../test/support/receiver.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import {
  newWebhook,
  newWebhookSystem,
  PRIVATE,
  PUBLIC,
  pendingOf,
  QUICK,
  rowOf,
  SOON,
  startWorker,
  turnsOf,
  upTo,
  writeEvents,
} from '../../../test/support/webhook-sending.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { webhooks } from '../../database/schema.ts'
import { numberEvents } from '../../journal/events/queries.ts'
import { claimWebhooks, queueEvents } from './queries.ts'

test('P49: a delivery has the event as in the log and verifies with Standard Webhooks', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  startWorker(t, app)
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  const user = await app.newUser()

  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Açaí' })
  await t.waitFor(
    () => assert.deepEqual(receiver.types().sort(), ['account.created', 'user.access_granted']),
    SOON,
  )

  const granted = receiver.received.find(({ event }) => event.type === 'user.access_granted')!
  const [logged] = await app.findEvents({ membershipId: membership.id, type: 'user.access_granted' })
  const { id, type, timestamp, data } = verify(webhook.secret, granted) as Record<string, unknown>
  assert.deepEqual(
    { id, type, timestamp },
    { id: logged!.id, type: logged!.type, timestamp: logged!.time.toISOString() },
  )
  assert.deepEqual(data, logged!.data)
  assert.equal(granted.headers['webhook-id'], id)
  assert.match(String(granted.headers['content-type']), /^application\/json/)
  const log = await readEvents(app.platform, '', `&systemId=${system.id}`)
  assert.deepEqual(
    log.rows.find((event) => event.id === id),
    JSON.parse(granted.text),
  )
  for (const at of [0, 10, granted.text.length - 1]) {
    const flipped = Buffer.from(granted.text)
    flipped[at]! ^= 1
    assert.throws(
      () => verify(webhook.secret, { headers: granted.headers, text: flipped.toString() }),
      /signature/i,
    )
  }
  const later = String(Number(granted.headers['webhook-timestamp']) + 1)
  assert.throws(() =>
    verify(webhook.secret, { ...granted, headers: { ...granted.headers, 'webhook-timestamp': later } }),
  )
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 360_000 })
  assert.throws(() => verify(webhook.secret, granted), /too old/)
})

test('a webhook gets each event of its system and types once, from its creation on', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const [all, some, elsewhere] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  const system = await app.newSystem({ multiAccount: true })
  const [before, user] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: before.id, systemId: system.id, accountName: 'Before' })
  await newWebhook(app, system.id, { url: all.url })
  await newWebhook(app, system.id, { url: some.url, events: ['user.access_revoked', 'user.updated'] })
  await newWebhookSystem(app, elsewhere.url)

  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'After' })
  await app.db.execute(sql`update system_users set entered_at = now() where user_id = ${user.id}`)
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await app.platform.patch(`/admin/users/${user.id}`, { email: `${crypto.randomUUID()}@example.test` })
  await app.platform.delete(`/admin/memberships/${membership.id}`)
  startWorker(t, app)
  startWorker(t, app)
  await t.waitFor(() => assert.equal(all.received.length >= 4 && some.received.length >= 2, true), SOON)
  await wait(300)

  // The grant was ended before it was sent.
  const after = ['account.created', 'user.access_blocked', 'user.updated', 'user.access_revoked']
  assert.deepEqual(all.types().sort(), after.sort())
  assert.deepEqual(some.types().sort(), ['user.access_revoked', 'user.updated'])
  assert.deepEqual(elsewhere.types(), [])
  assert.deepEqual(
    all.received.flatMap(({ event }) => (event.data.membershipId === membership.id ? [event.type] : [])),
    ['user.access_blocked', 'user.access_revoked'],
  )
})

test('a failed attempt is repeated with the same id and a new signature', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const tries = new Map<string, number>()
  const receiver = await startReceiver(t, {
    answer: (request, response) => {
      const id = String(request.headers['webhook-id'])
      tries.set(id, (tries.get(id) ?? 0) + 1)
      response.writeHead(tries.get(id)! <= 2 ? 500 : 204).end()
    },
  })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 3, 3)

  startWorker(t, app)
  await t.waitFor(() => assert.equal([...tries.values()].filter((count) => count === 3).length, 9), SOON)
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  assert.equal(receiver.received.length, 27)
  assert.deepEqual(turnsOf(receiver.received), Array(3).fill(upTo(3)))
  for (const message of receiver.received) verify(webhook.secret, message)
  const { body } = await app.platform.get(`${webhook.path}/deliveries?pageSize=100`)
  assert.equal(body.total, 9)
  for (const { status, attempts, finishedAt } of body.data) {
    assert.deepEqual(
      [status, attempts.map((each: { status: number }) => each.status)],
      ['delivered', [500, 500, 204]],
    )
    assert.ok(finishedAt)
  }
})

test('later events of a membership wait for a retry, and those of others do not', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const { system } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 1, 3)
  const [waiting] = await app.findEvents({ systemId: system.id })
  const isOfMembership = ({ event }: (typeof receiver.received)[number]) =>
    event.data.membershipId === waiting!.membershipId
  receiver.answering((_, response) => {
    const refused =
      receiver.received.filter(isOfMembership).length <= 1 && isOfMembership(receiver.received.at(-1)!)
    response.writeHead(refused ? 500 : 200).end()
  })

  startWorker(t, app, [0, 5])
  await t.waitFor(() => assert.equal(receiver.received.length, 1), SOON)
  for (let count = 2; count <= 6; count++) {
    await writeEvents(app, system.id, 1, 1)
    await t.waitFor(() => assert.equal(receiver.received.length, count), SOON)
  }
  await t.waitFor(() => assert.equal(receiver.received.filter(isOfMembership).length, 4), SOON)

  const turns = receiver.received.map((message) =>
    isOfMembership(message) ? message.event.data.turn : 'other',
  )
  assert.deepEqual(turns, [1, 'other', 'other', 'other', 'other', 'other', 1, 2, 3])
})

test('after the last attempt a delivery has failed, and the next of the membership is sent', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  receiver.answering((_, response) =>
    response.writeHead(receiver.received.at(-1)?.event.data.turn === 1 ? 500 : 200).end(),
  )
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
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
  assert.deepEqual(
    [failed.body.total, failed.body.data[0].attempts.length, failed.body.data[0].nextAttemptAt],
    [1, 3, null],
  )
})

test('P48: a redirect is not followed, and private receivers are called only if allowed', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const inner = await startReceiver(t)
  const moved = await startReceiver(t, {
    answer: (_, response) => response.writeHead(302, { location: inner.url }).end(),
  })
  const { system, webhook } = await newWebhookSystem(app, moved.url)
  await writeEvents(app, system.id, 1, 1)
  const { worker } = startWorker(t, app)
  await t.waitFor(() => assert.ok(moved.received.length >= 2), SOON)
  await worker.stop()
  const asked = moved.received.length

  await writeEvents(app, system.id, 1, 1)
  startWorker(t, app, QUICK, PUBLIC)
  await app.platform.patch(webhook.path, { enabled: false })
  await app.platform.patch(webhook.path, { enabled: true })
  await writeEvents(app, system.id, 1, 1)
  const blocked = async () => {
    const { body } = await app.platform.get(`${webhook.path}/deliveries`)
    return body.data.flatMap(({ attempts }: { attempts: { error: string }[] }) =>
      attempts.map(({ error }) => error),
    )
  }
  await t.waitFor(
    async () => assert.ok((await blocked()).some((error: string) => /^address: must be/.test(error))),
    SOON,
  )

  assert.deepEqual([inner.received.length, moved.received.length], [0, asked])
})

test('P49: after a rotation both secrets sign during the grace period, then the new one', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  startWorker(t, app)
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
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

test('deliveries of a process that died are sent by another after the lease expires', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t)
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 3, 1)
  await numberEvents(app.db)
  const leased = (await claimWebhooks(app.db, 1_000)).find(({ id }) => id === webhook.id)!
  const { leasedUntil, dueAt: claimedAt } = await rowOf(app, webhook.id)
  await queueEvents(app.db, leased, 0) // by a worker that stops now

  const other = await startReceiver(t)
  await writeEvents(app, (await newWebhookSystem(app, other.url)).system.id, 1, 1)
  startWorker(t, app)
  await t.waitFor(() => assert.equal(other.received.length, 1), SOON)
  const meanwhile = receiver.received.length
  await app.db.update(webhooks).set({ leasedUntil: sql`now()` }).where(eq(webhooks.id, webhook.id))
  await t.waitFor(() => assert.equal(receiver.received.length, 3), SOON)

  assert.equal(meanwhile, 0)
  assert.equal(leasedUntil!.getTime() - claimedAt!.getTime(), 30_000)
})

test('a stopped worker finishes its calls, and an unanswered call does not count', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, { answer: () => {} })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 3, 1)
  const { worker } = startWorker(t, app)
  await t.waitFor(() => assert.equal(receiver.received.length, 3), SOON)

  const from = performance.now()
  await worker.stop()
  const took = performance.now() - from
  const pending = await pendingOf(app, webhook.id)
  receiver.answering((_, response) => response.end())
  startWorker(t, app)
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)

  // The stop does not wait longer either: a call that reaches its own timeout, after 15 s, counts as an
  // attempt.
  assert.ok(took > 4_000, `${took} ms`)
  assert.deepEqual(
    pending.map(({ attempts }) => attempts),
    [0, 0, 0],
  )
})

test('an event type added during a round is not skipped by that round', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { system, webhook } = await newWebhookSystem(app, 'http://localhost:9/', { events: ['user.deleted'] })
  await writeEvents(app, system.id, 1, 1)
  await numberEvents(app.db)
  const leased = (await claimWebhooks(app.db, 1_000)).find(({ id }) => id === webhook.id)!

  await app.platform.patch(webhook.path, { events: ['user.access_updated'] })
  await writeEvents(app, system.id, 1, 1)
  await numberEvents(app.db)
  await queueEvents(app.db, leased, 0)
  const asked = (await pendingOf(app, webhook.id)).length
  await app.platform.patch(webhook.path, { enabled: false })
  await writeEvents(app, system.id, 1, 1)
  await numberEvents(app.db)
  await queueEvents(app.db, leased, 0)

  assert.deepEqual([asked, (await pendingOf(app, webhook.id)).length], [2, 2])
})

test('a webhook can be changed while the results of its deliveries are stored', async (t) => {
  if (process.env.DATABASE_URL === undefined)
    return t.skip('the embedded database lets one transaction run at a time')
  const app = await startTestApp(t, PRIVATE)
  const [answers, locked, goOn] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  const receiver = await startReceiver(t, {
    answer: (_, response) => void answers.promise.then(() => response.end()),
  })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 2, 1)
  const { logged } = startWorker(t, app)
  await t.waitFor(() => assert.equal(receiver.received.length, 2), SOON)

  const between = app.db.transaction(async (tx) => {
    await tx.execute(
      sql`select from deliveries where webhook_id = ${webhook.id} order by event_seq desc limit 1 for update`,
    )
    locked.resolve()
    await goOn.promise
  })
  await locked.promise
  answers.resolve()
  await wait(300) // the result waits for the row of the delivery
  const changing = app.platform.patch(webhook.path, { url: `${receiver.url}?moved` })
  await wait(300) // and the change waits for the result
  goOn.resolve()
  await between

  assert.equal((await changing).status, 200)
  await t.waitFor(async () => assert.deepEqual(await pendingOf(app, webhook.id), []), SOON)
  assert.doesNotMatch(logged(), /cannot store/)
  assert.equal(receiver.received.length, 2)
})
