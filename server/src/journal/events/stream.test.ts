import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type EventReader, endOfLog, openEventStream } from '../../../test/support/event-reader.ts'
import { slowdownOf } from '../../../test/support/response-times.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { markEntered } from '../../resources/users/system-users.ts'
import { EVENT_TYPES } from './enqueue.ts'

const typesOf = (reader: EventReader) => reader.events.map(({ type }) => type)

test('a change arrives within 0.3 s, in the median, as in /admin/events, with headers against buffering', async (t) => {
  const { url, platform, newMember } = await startTestApp(t)
  const { system, membership } = await newMember()
  const start = await endOfLog(url, platform.token)
  const reader = await openEventStream(url, platform.token, { query: `?systemId=${system.id}` })
  t.after(reader.close)
  const [delays, changes]: [number[], number[]] = [[], []]

  for (let turn = 0; turn < 10; turn++) {
    const asked = performance.now()
    await platform.patch(`/admin/memberships/${membership.id}`, { status: turn % 2 ? 'active' : 'blocked' })
    const answered = performance.now()
    changes.push(answered - asked)
    const events = await reader.until(turn + 1)
    delays.push(events[turn]!.at - answered)
  }

  const read = (await platform.get(`/admin/events?systemId=${system.id}&after=${start}`)).body
  assert.deepEqual(
    reader.events.map(({ cursor, at, ...event }) => event),
    read.data,
  )
  const median = delays.sort((a, b) => a - b)[5]!
  const slowdown = slowdownOf(changes)
  t.diagnostic(
    `the median of ten after ${median.toFixed()} ms, on a machine ${slowdown.toFixed(1)} times slower`,
  )
  assert.ok(median < 300 * slowdown, `${median}`)
  const { headers } = reader
  assert.equal(headers['content-type'], 'text/event-stream')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-accel-buffering'], 'no')
  assert.match(reader.text(), /^retry: 1000\nid: c\w+\n\n/)
})

test('a reader that reconnects with its last cursor misses and repeats nothing', async (t) => {
  const { url, platform, newMember } = await startTestApp(t)
  const { system, membership } = await newMember()
  const query = `?systemId=${system.id}`
  const start = await endOfLog(url, platform.token)
  const changes = 40
  const changing = (async () => {
    for (let turn = 0; turn < changes; turn++)
      await platform.patch(`/admin/memberships/${membership.id}`, { status: turn % 2 ? 'active' : 'blocked' })
  })()

  const read: string[] = []
  let cursor = start
  for (let visits = 0; read.length < changes && visits < 200; visits++) {
    const reader = await openEventStream(url, platform.token, {
      query: `${query}&after=${start}`,
      lastEventId: cursor,
    })
    await Promise.race([reader.until(1 + (visits % 4)), wait(1_000)])
    reader.close()
    await reader.ended
    read.push(...reader.events.map(({ id }) => id))
    cursor = reader.cursor()
  }
  await changing

  const { data } = (await platform.get(`/admin/events${query}&after=${start}&limit=1000`)).body
  assert.equal(data.length, changes)
  assert.deepEqual(
    read,
    data.map((event: { id: string }) => event.id),
  )
})

test('a reader that returns after a long time catches up and then continues live', async (t) => {
  const { url, platform, db, newMember, serviceOf } = await startTestApp(t)
  const { system, membership } = await newMember({ allowClientCredentials: true })
  const service = await serviceOf(system)
  const start = await endOfLog(url, platform.token)
  await db.execute(sql`
    insert into events (type, system_id, data)
    select 'user.access_updated', case when nth % 2 = 0 then ${system.id}::uuid end, jsonb_build_object('nth', nth) from generate_series(1, 5000) nth`)

  const reader = await openEventStream(url, service.token, { lastEventId: start })
  t.after(reader.close)
  await reader.until(2_500)
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await reader.until(2_501)

  assert.deepEqual(
    reader.events.slice(0, 2_500).map(({ data }) => data.nth),
    Array.from({ length: 2_500 }, (_, at) => 2 * at + 2),
  )
  assert.equal(reader.events.at(-1)!.type, 'user.access_blocked')
})

test('a system receives its own events of the requested types', async (t) => {
  const { url, db, platform, newMember, serviceOf } = await startTestApp(t)
  const [ours, theirs] = [await newMember({ allowClientCredentials: true }), await newMember()]
  for (const { user, system } of [ours, theirs])
    await markEntered(db, { userId: user.id, systemId: system.id })
  const service = await serviceOf(ours.system)
  const all = await openEventStream(url, service.token)
  const some = await openEventStream(url, service.token, {
    query: '?type=user.updated&type=user.access_restored',
  })
  const foreign = await openEventStream(url, service.token, { query: `?systemId=${theirs.system.id}` })
  for (const reader of [all, some, foreign]) t.after(reader.close)

  for (const { membership, user } of [theirs, ours]) {
    await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
    await platform.patch(`/admin/users/${user.id}`, { email: `${crypto.randomUUID()}@example.test` })
    await platform.patch(`/admin/memberships/${membership.id}`, { status: 'active' })
  }
  await Promise.all([all.until(4), some.until(2)])
  await wait(300)

  assert.deepEqual(typesOf(all), [
    'user.access_blocked',
    'account.updated',
    'user.updated',
    'user.access_restored',
  ])
  assert.deepEqual(typesOf(some), ['user.updated', 'user.access_restored'])
  assert.deepEqual(typesOf(foreign), [])
})

test('a stream is refused with an invalid or expired cursor or an unknown type', async (t) => {
  const { platform } = await startTestApp(t)
  const ask = async (query: string, headers = {}) => {
    const { status, body } = await platform.get(`/admin/events/stream${query}`, headers)
    return [status, body.code]
  }

  assert.deepEqual(await ask('?after=x'), [400, 'invalid_request'])
  assert.deepEqual(await ask('', { 'last-event-id': 'x' }), [400, 'invalid_request'])
  assert.deepEqual(await ask('?after=czzzzzz'), [410, 'cursor_expired'])
  assert.deepEqual(await ask('?type=user.promoted'), [400, 'invalid_request'])
  assert.equal((await platform.get('/admin/events/stream/')).status, 404)
})

test('a stream ends with its token, and its cursor continues with the next one', async (t) => {
  const { url, newSystem, serviceOf } = await startTestApp(t, { TTL_SERVICE_TOKEN: '5' })
  const { token } = await serviceOf(await newSystem({ allowClientCredentials: true }))
  const opened = performance.now()
  const reader = await openEventStream(url, token)

  const end = await reader.ended
  const lasted = performance.now() - opened

  assert.equal(end, 'done')
  assert.ok(lasted > 1_000, `${lasted}`)
  assert.doesNotMatch(reader.text(), /^: still here$/m) // after 15 s
  assert.match(reader.text(), /retry: 1000\n\n$/)
  const again = await openEventStream(url, token, { lastEventId: reader.cursor() })
  assert.equal(again.status, 401)
})

test('a system has at most 100 streams per process, and each closed one frees a slot', async (t) => {
  const { url, newSystem, serviceOf } = await startTestApp(t)
  const [greedy, other] = [
    await serviceOf(await newSystem({ allowClientCredentials: true })),
    await serviceOf(await newSystem({ allowClientCredentials: true })),
  ]
  const readers = await Promise.all(Array.from({ length: 100 }, () => openEventStream(url, greedy.token)))
  for (const reader of readers) t.after(reader.close)

  const refused = await greedy.get('/admin/events/stream')
  const welcome = await openEventStream(url, other.token)
  t.after(welcome.close)
  readers[0]!.close()
  await wait(200)
  const again = await openEventStream(url, greedy.token)
  t.after(again.close)

  assert.deepEqual([...new Set(readers.map(({ status }) => status))], [200])
  assert.deepEqual(
    [refused.status, refused.body.code, refused.headers.get('retry-after')],
    [429, 'too_many_requests', '60'],
  )
  assert.deepEqual([welcome.status, again.status], [200, 200])
})

test('the reader of docs/events.md works', async (t) => {
  const { url, platform, newMember } = await startTestApp(t)
  const { system, membership } = await newMember({ allowClientCredentials: true })
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/events.md'), 'utf8')
  const program = /^```js\n([\s\S]+?)^```/m.exec(guide)![1]!
  const env = {
    PATH: process.env.PATH ?? '',
    ISSUER: url,
    CLIENT_ID: system.clientId,
    CLIENT_SECRET: system.clientSecret,
  }
  const follower = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => follower.kill())
  let said = ''
  follower.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })

  for (let turn = 0; turn < 100 && !said.includes('user.access_blocked'); turn++) {
    await platform.patch(`/admin/memberships/${membership.id}`, { status: turn % 2 ? 'active' : 'blocked' })
    await wait(100)
  }

  assert.match(said, /type: 'user.access_blocked'/)
  assert.ok(said.includes(membership.id))
})

test('docs/events.md documents every event type', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/events.md'), 'utf8')

  assert.deepEqual(
    EVENT_TYPES.filter((type) => !guide.includes(`\`${type}\``)),
    [],
  )
})
