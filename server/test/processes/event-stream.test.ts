/** The event stream of several processes on one PostgreSQL that stop and restart. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { endOfLog, openEventStream } from '../support/event-reader.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { slowdownOf } from '../support/response-times.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { adminClient, serviceToken } from '../support/testing.ts'
import { endsBefore } from '../support/waiting.ts'

const CLIENT = { id: 'event-stream', secret: 'a-secret-for-event-streams' }
const servers: TestServer[] = []
let postgres: Postgres | undefined
let database: { url: string; drop(): Promise<void> }

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for two processes, long enough',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
  }
  servers.push(await startServer({ env }))
  servers.push(await startServer({ env: { ...env, BASE_URL: servers[0]!.url } }))
})
after(async () => {
  for (const server of servers) await server.close()
  await database.drop()
  await postgres?.close()
})

async function given() {
  const [first, second] = servers.map((server) => server.url) as [string, string]
  const { system, newMember } = await createProduct(first, CLIENT)
  const token = await serviceToken(first, CLIENT.id, CLIENT.secret)
  return { first, second, token, admin: adminClient(first, token), system, ...(await newMember()) }
}

test('a change at one process reaches a reader at another within 0.3 s', async (t) => {
  const { second, token, admin, system, membership } = await given()
  const reader = await openEventStream(second, token, { query: `?systemId=${system.id}` })
  t.after(reader.close)
  const [delays, changes]: [number[], number[]] = [[], []]

  for (let turn = 0; turn < 30; turn++) {
    const asked = performance.now()
    await admin.patch(`/admin/memberships/${membership.id}`, { status: turn % 2 ? 'active' : 'blocked' })
    const answered = performance.now()
    changes.push(answered - asked)
    const events = await reader.until(turn + 1)
    delays.push(events[turn]!.at - answered)
  }

  delays.sort((a, b) => a - b)
  const median = delays[15]!
  const slowdown = slowdownOf(changes)
  t.diagnostic(`median ${median.toFixed()} ms, on a machine ${slowdown.toFixed(1)} times slower`)
  assert.ok(median < 300 * slowdown, `${delays}`)
})

test('stopping a server ends its streams at once, and readers resume without loss', async (t) => {
  const { first, second, token, admin, system, membership } = await given()
  const query = `?systemId=${system.id}`
  const start = await endOfLog(first, token)
  const reader = await openEventStream(second, token, { query, lastEventId: start })
  t.after(reader.close)
  const changing = (async () => {
    for (let turn = 0; turn < 40; turn++)
      await admin.patch(`/admin/memberships/${membership.id}`, { status: turn % 2 ? 'active' : 'blocked' })
  })()
  await reader.until(3)

  const asked = performance.now()
  const exit = servers[1]!.kill('SIGTERM')
  const end = await reader.ended
  const closing = performance.now() - asked
  const isSoon = await endsBefore(15_000, exit) // its next heartbeat
  const { code } = await exit
  const next = await openEventStream(first, token, { query, lastEventId: reader.cursor() })
  t.after(next.close)
  await changing
  await next.until(40 - reader.events.length)
  await servers[1]!.restart()

  t.diagnostic(`end announced after ${closing.toFixed()} ms`)
  assert.deepEqual([end, code], ['done', 0])
  assert.match(reader.text(), /: goodbye\nretry: 1000\n\n$/)
  assert.ok(isSoon)
  const { data } = (await admin.get(`/admin/events${query}&after=${start}`)).body
  assert.deepEqual(
    [...reader.events, ...next.events].map(({ id }) => id),
    data.map((event: { id: string }) => event.id),
  )
})

test('P35: a stream ends before its next heartbeat after its secret was rotated at another process', async () => {
  const { second, first, admin, system } = await given()
  await admin.patch(`/admin/systems/${system.id}`, { allowClientCredentials: true })
  const { body } = await admin.post(`/admin/systems/${system.id}/rotate-secret`, {})
  const token = await serviceToken(first, body.clientId, body.clientSecret)
  const reader = await openEventStream(second, token)

  await admin.post(`/admin/systems/${system.id}/rotate-secret`, {})
  const end = await reader.ended

  assert.equal(end, 'done')
  assert.doesNotMatch(reader.text(), /^: still here$/m)
})

test('killing a server loses no event of its readers', async (t) => {
  const { first, second, token, admin, system, membership } = await given()
  const query = `?systemId=${system.id}`
  const start = await endOfLog(first, token)
  const reader = await openEventStream(second, token, { query, lastEventId: start })
  const change = async (times: number) => {
    for (let turn = 0; turn < times; turn++)
      await admin.patch(`/admin/memberships/${membership.id}`, { status: turn % 2 ? 'active' : 'blocked' })
  }
  await Promise.all([change(10), reader.until(2)])

  await servers[1]!.kill('SIGKILL')
  const end = await reader.ended
  await change(10)
  await servers[1]!.restart()
  const again = await openEventStream(second, token, { query, lastEventId: reader.cursor() })
  t.after(again.close)
  await again.until(20 - reader.events.length)

  assert.equal(end, 'cut')
  const { data } = (await admin.get(`/admin/events${query}&after=${start}`)).body
  assert.deepEqual(
    [...reader.events, ...again.events].map(({ id }) => id),
    data.map((event: { id: string }) => event.id),
  )
})
