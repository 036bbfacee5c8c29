/** Webhooks of server processes that share a database, are killed while sending, and are stopped. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { type Received, startReceiver, verify } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { SOON } from '../support/waiting.ts'

const CLIENT = { id: 'the-platform', secret: 'a-secret-of-the-platform' }
/** The lease of 30 s and time to deliver the rest, in ms. */
const AFTER_LEASE = { timeout: 60_000, interval: 100 }

/** Two processes on one PostgreSQL, and a product. */
async function given(t: TestContext) {
  const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
  const { url, drop } = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const servers: TestServer[] = []
  const database = new pg.Client(url)
  t.after(async () => {
    await database.end()
    for (const server of servers) await server.close()
    await drop()
    await postgres?.close()
  })
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: 'a key for two processes, long enough',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1,1,1,1,1,1',
  }
  const first = await startServer({ env })
  servers.push(first)
  const second = await startServer({ env: { ...env, BASE_URL: first.url } })
  servers.push(second)
  await database.connect()
  const { admin, system } = await createProduct(first.url, CLIENT)
  const newWebhook = async (address: string): Promise<{ id: string; secret: string }> => {
    const answer = await admin.post(`/admin/systems/${system.id}/webhooks`, { url: address })
    assert.equal(answer.status, 201)
    return answer.body
  }
  /** Inserts `turns` events for each of `memberships`, as changes do. */
  const write = (memberships: number, turns: number) =>
    database.query(
      `insert into events (type, system_id, membership_id, data)
       select 'user.access_updated', $1::uuid, m.id, jsonb_build_object('membershipId', m.id, 'turn', turn)
       from generate_series(1, $3::int) turn
       cross join (select gen_random_uuid() as id from generate_series(1, $2::int) offset 0) m order by turn, m.id`,
      [system.id, memberships, turns],
    )
  const statuses = async () =>
    (
      await database.query(
        'select status, count(*)::int as count from deliveries group by status order by status',
      )
    ).rows
  return { first, second, newWebhook, write, statuses }
}

/** The turns of each membership, in order of their first arrival. */
function firstTurns(received: Received[]): number[][] {
  const byMembership = Map.groupBy(received, ({ event }) => String(event.data.membershipId))
  return [...byMembership.values()].map((messages) => [
    ...new Set(messages.map(({ event }) => Number(event.data.turn))),
  ])
}
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const slowly = (ms: number) => (_: unknown, response: { end(): unknown }) =>
  void setTimeout(() => response.end(), ms)

test('two processes deliver every event once and in order, at most 8 at a time', async (t) => {
  const { newWebhook, write, statuses } = await given(t)
  const receivers = await Promise.all(upTo(4).map(() => startReceiver(t, { answer: slowly(5) })))
  const secrets = []
  for (const { url } of receivers) secrets.push((await newWebhook(url)).secret)

  await write(30, 20)
  await t.waitFor(() => assert.ok(receivers.every(({ received }) => received.length >= 600)), {
    ...SOON,
    interval: 50,
  })
  await t.waitFor(
    async () => assert.deepEqual(await statuses(), [{ status: 'delivered', count: 2_400 }]),
    AFTER_LEASE,
  )

  for (const [at, { received, ids, most }] of receivers.entries()) {
    assert.equal(received.length, 600)
    assert.equal(new Set(ids()).size, 600)
    assert.deepEqual(firstTurns(received), Array(30).fill(upTo(20)))
    assert.ok(most() <= 8, `${most()} at a time`)
    for (const message of received.slice(0, 20)) verify(secrets[at]!, message)
  }
})

test('after a kill another process delivers the rest when the lease expires', async (t) => {
  const { first, second, newWebhook, write, statuses } = await given(t)
  const receiver = await startReceiver(t, { answer: slowly(20) })
  await newWebhook(receiver.url)
  await write(40, 25)

  await t.waitFor(() => assert.ok(receiver.received.length >= 100), { ...SOON, interval: 10 })
  await Promise.all([first.kill('SIGKILL'), second.kill('SIGKILL')]) // either may have the lease
  const before = receiver.received.length
  await Promise.all([first.restart(), second.restart()])
  await t.waitFor(
    async () => assert.deepEqual(await statuses(), [{ status: 'delivered', count: 1_000 }]),
    AFTER_LEASE,
  )

  assert.ok(before < 1_000, `${before} were sent before the kill`)
  assert.equal(new Set(receiver.ids()).size, 1_000)
  assert.deepEqual(firstTurns(receiver.received), Array(40).fill(upTo(25)))
  const again = receiver.received.length - 1_000
  t.diagnostic(`${before} sent before the kill, ${again} sent twice`)
  assert.ok(again <= 200, `${again} were sent twice: more than a round`)
})

test('stopping a process lets its deliveries finish, and none is repeated', async (t) => {
  const { first, second, newWebhook, write, statuses } = await given(t)
  await second.kill('SIGTERM')
  const receiver = await startReceiver(t, { answer: slowly(500) })
  await newWebhook(receiver.url)
  await write(40, 1)

  await t.waitFor(() => assert.ok(receiver.received.length >= 8), { ...SOON, interval: 10 })
  const { code, stderr } = await first.kill('SIGTERM')
  const before = receiver.received.length
  await second.restart()
  await t.waitFor(async () => assert.deepEqual(await statuses(), [{ status: 'delivered', count: 40 }]), {
    ...SOON,
    interval: 50,
  })

  assert.deepEqual([code, stderr], [0, ''])
  assert.ok(before < 40)
  assert.equal(receiver.received.length, 40)
})
