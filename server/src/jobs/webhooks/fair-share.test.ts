/** The webhooks of one system do not delay those of another. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startReceiver } from '../../../test/support/receiver.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import {
  type App,
  newWebhookSystem,
  PRIVATE,
  SOON,
  startWorker,
  writeEvents,
} from '../../../test/support/webhook-sending.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { webhooks } from '../../database/schema.ts'
import { sealSecret } from './secrets.ts'

/** More webhooks of a system, beyond what the API allows. */
async function addWebhooks({ db, seal }: App, systemId: string, url: string, count: number) {
  const [first] = await db.select().from(webhooks).where(eq(webhooks.systemId, systemId))
  const rows = Array.from({ length: count }, () => {
    const id = randomUUID()
    return { id, systemId, url, followed: first!.followed, sealedSecret: sealSecret(seal, id, 'whsec_AAAA') }
  })
  await db.insert(webhooks).values(rows)
}

test('200 webhooks of one system with slow receivers do not delay a revocation of another', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  let ended = 0
  const slow = await startReceiver(t, {
    answer: (_, response) => void response.on('close', () => (ended += 1)),
  })
  const quiet = await startReceiver(t)
  const noisy = await newWebhookSystem(app, slow.url)
  const { system } = await newWebhookSystem(app, quiet.url)
  startWorker(t, app)
  await addWebhooks(app, noisy.system.id, slow.url, 199)
  await writeEvents(app, noisy.system.id, 20, 1)
  await t.waitFor(() => assert.ok(slow.received.length >= 8), SOON)
  for (let revoked = 1; revoked <= 5; revoked++) {
    await app.db.execute(sql`insert into events (type, system_id, membership_id, data)
      values ('user.access_revoked', ${system.id}::uuid, gen_random_uuid(), '{}')`)
    await t.waitFor(() => assert.equal(quiet.received.length, revoked), { ...SOON, interval: 10 })
  }

  assert.equal(ended, 0, 'the calls of the other system were open all the time')
})

test('of one webhook the events that end access are delivered first, in place of what they end', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startReceiver(t, {
    answer: (_, response) => void setTimeout(() => response.end(), 50),
  })
  const { system } = await newWebhookSystem(app, receiver.url)
  await writeEvents(app, system.id, 100, 1)
  const membership = randomUUID()
  for (const type of ['user.access_updated', 'user.access_revoked'])
    await app.db.execute(sql`insert into events (type, system_id, membership_id, data)
      values (${type}, ${system.id}::uuid, ${membership}::uuid, jsonb_build_object('membershipId', ${membership}::text))`)

  startWorker(t, app)
  await t.waitFor(() => assert.equal(receiver.received.length, 101), SOON)

  const places = receiver.received.flatMap(({ event }, place) =>
    event.data.membershipId === membership ? [{ type: event.type, place }] : [],
  )
  assert.deepEqual(
    places.map(({ type }) => type),
    ['user.access_revoked'],
  )
  assert.ok(places[0]!.place < 40, `${places[0]!.place}`)
})
