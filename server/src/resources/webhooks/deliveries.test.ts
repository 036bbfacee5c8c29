/** Deliveries by event, one delivery with its payload, and the state of all webhooks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { deliveries, deliveryAttempts, events, webhooks } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A disabled webhook, so that no worker of another test sends its deliveries. */
async function newWebhook(app: App) {
  const system = await app.newSystem({ allowClientCredentials: true })
  const path = `/admin/systems/${system.id}/webhooks`
  const { body } = await app.platform.post(path, { url: 'https://hook.example/', enabled: false })
  return {
    system,
    id: body.id as string,
    path: `${path}/${body.id}`,
    service: await app.serviceOf(system as never),
  }
}

async function newDelivery({ db }: App, webhookId: string, event: object, fields: object = {}) {
  const [made] = await db
    .insert(events)
    .values({ type: 'user.deleted', data: { n: 1 }, ...event })
    .returning()
  const [delivery] = await db
    .insert(deliveries)
    .values({ webhookId, eventSeq: made!.seq, orderedBy: made!.id, ...fields })
    .returning()
  return { id: delivery!.id, event: made! }
}

test('deliveries by the type, the id and the time of their event', async (t) => {
  const app = await startTestApp(t)
  const { system, id, path, service } = await newWebhook(app)
  const of = { systemId: system.id }
  const old = await newDelivery(app, id, { ...of, time: sql`'2020-01-01T00:00:00Z'` })
  const test = await newDelivery(app, id, { type: 'webhook.test' })
  const late = await newDelivery(app, id, { ...of, type: 'user.updated' }, { status: 'failed' })
  const list = async (query: string): Promise<string[]> => {
    const { body } = await service.get(`${path}/deliveries?${query}`)
    assert.equal(body.total, body.data.length)
    return body.data.map((each: { id: string }) => each.id)
  }

  assert.deepEqual(await list(''), [late.id, test.id, old.id])
  assert.deepEqual(await list('type=user.updated'), [late.id])
  assert.deepEqual(await list('type=webhook.test'), [test.id])
  assert.deepEqual(await list('type=none'), [])
  assert.deepEqual(await list(`eventId=${old.event.id}`), [old.id])
  assert.deepEqual(await list('from=2020-01-01T00:00:01Z'), [late.id, test.id])
  assert.deepEqual(await list('to=2020-01-01T00:00:01Z'), [old.id])
  assert.deepEqual(await list('to=2020-01-01T00:00:00Z'), [])
  assert.deepEqual(await list('from=2020-01-01T00:00:00Z&status=failed'), [late.id])
  assert.equal((await service.get(`${path}/deliveries?from=now`)).status, 400)
})

test('a delivery has the body that was sent and its attempts, and is of one webhook', async (t) => {
  const app = await startTestApp(t)
  const { system, id, path, service } = await newWebhook(app)
  const other = await newWebhook(app)
  const { id: deliveryId, event } = await newDelivery(app, id, { systemId: system.id })
  const attempt = {
    deliveryId,
    startedAt: sql`now()`,
    durationMs: 7,
    status: 500,
    answer: 'secret of a network',
  }
  await app.db.insert(deliveryAttempts).values(attempt as never)

  const whole = (await app.platform.get(`${path}/deliveries/${deliveryId}`)).body
  const own = (await service.get(`${path}/deliveries/${deliveryId}`)).body

  const payload = { id: event.id, type: 'user.deleted', timestamp: event.time.toISOString(), data: { n: 1 } }
  assert.deepEqual([own.payload, own.eventId, own.status], [payload, event.id, 'pending'])
  assert.deepEqual([own.attempts.length, own.attempts[0].status, own.attempts[0].answer], [1, 500, undefined])
  assert.equal(whole.attempts[0].answer, 'secret of a network')
  for (const [client, at] of [
    [other.service, path],
    [other.service, other.path],
    [app.platform, other.path],
  ] as const)
    assert.equal((await client.get(`${at}/deliveries/${deliveryId}`)).status, 404)
})

test('all webhooks with their state and the deliveries of 24 hours; a system sees its own', async (t) => {
  const app = await startTestApp(t)
  const [one, other] = [await newWebhook(app), await newWebhook(app)]
  const event = { systemId: one.system.id }
  const done = { status: 'delivered', finishedAt: sql`now()` }
  await newDelivery(app, one.id, event, done)
  await newDelivery(app, one.id, event, done)
  await newDelivery(app, one.id, event, { ...done, finishedAt: sql`now() - interval '25 hours'` })
  await newDelivery(app, one.id, event, { ...done, status: 'failed' })
  await newDelivery(app, one.id, event, {
    createdAt: sql`'2020-01-01T00:00:00Z'`,
    nextAttemptAt: sql`'2099-01-01'`,
  })
  const list = async (client: typeof one.service, query = '') => {
    const { status, body } = await client.get(`/admin/webhooks?pageSize=100&${query}`)
    assert.equal(status, 200)
    return body.data.map((each: { id: string }) => each.id)
  }
  // Paused, so that no worker of another test claims it.
  const set = (fields: object) => app.db.update(webhooks).set(fields).where(eq(webhooks.id, one.id))
  const states: [string, object][] = [
    ['disabled', {}],
    ['paused', { enabled: true, pausedUntil: sql`now() + interval '1 day'` }],
    ['failing', { failingSince: sql`now()` }],
    ['disabled', { enabled: false }],
    [
      'ok',
      { enabled: true, failingSince: null, pausedUntil: null, leasedUntil: sql`now() + interval '1 day'` },
    ],
  ]

  for (const [state, fields] of states) {
    await set({ ...fields, updatedAt: sql`now()` })
    const { body } = await one.service.get('/admin/webhooks')
    assert.deepEqual([body.total, body.data[0].id, body.data[0].state], [1, one.id, state])
    for (const each of ['ok', 'paused', 'failing', 'disabled'])
      assert.deepEqual(await list(one.service, `state=${each}`), each === state ? [one.id] : [], each)
  }
  const [shown] = (await one.service.get('/admin/webhooks')).body.data
  assert.deepEqual(shown.deliveries, {
    delivered: 2,
    failed: 1,
    pending: 1,
    countedMax: 10_000,
    oldestPendingAt: '2020-01-01T00:00:00.000Z',
  })
  const all = await list(app.platform)
  assert.ok(all.includes(one.id) && all.includes(other.id))
  assert.deepEqual(await list(app.platform, `systemId=${other.system.id}`), [other.id])
  assert.deepEqual(await list(one.service, `systemId=${other.system.id}`), [])
  await set({ enabled: false })
})
