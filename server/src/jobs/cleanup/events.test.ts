/** Retention of events and webhook deliveries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago, ahead, bytes, insertRows, unique } from '../../../test/support/expiring-rows.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { readConfig } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { eq, inArray, sql } from '../../database/drizzle.ts'
import { deliveries, deliveryAttempts, events, webhooks } from '../../database/schema.ts'
import { deleteAll } from './cleanup.ts'

const config = readConfig({})
const never = new AbortController().signal

/** A webhook of a system, and its deliveries of events of that system. */
async function newWebhook(db: Db, systemId: string, enabled = true) {
  const row = {
    id: unique(),
    systemId,
    url: 'https://nobody.example/',
    sealedSecret: bytes(),
    followed: 2 ** 40,
    enabled,
  }
  await db.insert(webhooks).values({ ...row, pausedUntil: ahead('1 day') })
  return row
}

/** Empties the event log. */
const beginLog = (db: Db) => db.execute(sql`delete from events`)

async function newEvent(db: Db, systemId: string) {
  const [event] = await db
    .insert(events)
    .values({ type: 'user.access_updated', systemId, data: {} })
    .returning()
  return event!
}

test('a finished delivery is deleted after 30 days, a pending one is kept', async (t) => {
  const { db, newSystem } = await startTestApp(t)
  const { id: systemId } = await newSystem()
  const webhook = await newWebhook(db, systemId)
  t.after(() => db.delete(webhooks).where(eq(webhooks.id, webhook.id)))
  const delivery = async (more: object) => ({
    id: unique(),
    webhookId: webhook.id,
    eventSeq: (await newEvent(db, systemId)).seq,
    orderedBy: unique(),
    createdAt: ago('40 days'),
    ...more,
  })
  const rows = {
    tried: await delivery({ nextAttemptAt: ahead('1 hour') }),
    'delivered lately': await delivery({ status: 'delivered', finishedAt: ago('29 days') }),
    delivered: await delivery({ status: 'delivered', finishedAt: ago('31 days') }),
    failed: await delivery({ status: 'failed', finishedAt: ago('31 days') }),
  }
  const made = await insertRows(
    rows,
    (row) => db.insert(deliveries).values(row as never),
    (row) => db.select().from(deliveries).where(eq(deliveries.id, row.id)),
  )
  const ids = Object.values(rows).map(({ id }) => id)
  await db
    .insert(deliveryAttempts)
    .values(ids.map((deliveryId) => ({ deliveryId, startedAt: sql`now()`, durationMs: 1 })))

  await deleteAll({ db, config: { ...config, RETENTION_DELIVERIES_DAYS: 0 } }, never)
  const unlimited = await made.kept()
  await deleteAll({ db, config }, never)

  assert.equal(unlimited.length, 4)
  assert.deepEqual(await made.kept(), ['tried', 'delivered lately'])
  assert.equal(await db.$count(deliveryAttempts, inArray(deliveryAttempts.deliveryId, ids)), 2)
})

test('old events are deleted, except from the first that a webhook has still to get', async (t) => {
  const { db, newSystem } = await startTestApp(t)
  const { id: systemId } = await newSystem()
  await beginLog(db)
  const [disabled, webhook] = [await newWebhook(db, systemId, false), await newWebhook(db, systemId)]
  t.after(() => db.delete(webhooks).where(eq(webhooks.systemId, systemId)))
  const seqs: number[] = []
  for (let nth = 0; nth < 5; nth += 1) seqs.push((await newEvent(db, systemId)).seq)
  const [first, , third, , fifth] = seqs as [number, number, number, number, number]
  const waiting = (webhookId: string, eventSeq: number) => ({ webhookId, eventSeq, orderedBy: unique() })
  await db.insert(deliveries).values([waiting(disabled.id, first), waiting(webhook.id, third)])
  await db.execute(sql`update events set time = now() - interval '91 days' where seq < ${fifth}`)
  const kept = async (more = {}) => {
    await deleteAll({ db, config: { ...config, ...more } }, never)
    const found = await db.select().from(events).where(eq(events.systemId, systemId))
    return found.map(({ seq }) => seqs.indexOf(seq) + 1).sort()
  }

  const unlimited = await kept({ RETENTION_EVENTS_DAYS: 0 })
  const oneWaits = await kept()
  await db
    .update(deliveries)
    .set({ status: 'delivered', finishedAt: sql`now()` })
    .where(eq(deliveries.webhookId, webhook.id))
  await db.update(webhooks).set({ followed: 0 }).where(eq(webhooks.id, webhook.id))
  const oneIsNotQueued = await kept()
  await db
    .update(webhooks)
    .set({ followed: 2 ** 40 })
    .where(eq(webhooks.id, webhook.id))

  assert.deepEqual(unlimited, [1, 2, 3, 4, 5])
  assert.deepEqual(oneWaits, [3, 4, 5])
  assert.deepEqual(oneIsNotQueued, [3, 4, 5])
  assert.deepEqual(await kept(), [5])
})

test('a cursor whose next event was deleted is refused as cursor_expired', async (t) => {
  const { db, platform, newSystem } = await startTestApp(t)
  await beginLog(db)
  const { next: cursor } = (await platform.get('/admin/events')).body
  const { id: systemId } = await newSystem()
  const old = await newEvent(db, systemId)
  await db.execute(sql`update events set time = now() - interval '91 days' where seq <= ${old.seq}`)
  const recent = await newEvent(db, systemId)

  await deleteAll({ db, config }, never)

  const ofSystem = await db.select().from(events).where(eq(events.systemId, systemId))
  assert.deepEqual(
    ofSystem.map(({ seq }) => seq),
    [recent.seq],
  )
  const [late, afresh] = [
    await platform.get(`/admin/events?after=${cursor}`),
    await platform.get('/admin/events'),
  ]
  assert.deepEqual([late.status, late.body.code], [410, 'cursor_expired'])
  assert.deepEqual(
    afresh.body.data.map(({ id }: { id: string }) => id),
    [recent.id],
  )
})
