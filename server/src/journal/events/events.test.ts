import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfLog, type LoggedEvent, readEvents } from '../../../test/support/event-reader.ts'
import { type AdminClient, startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { markEntered } from '../../resources/users/system-users.ts'

const typesOf = (rows: LoggedEvent[]) => rows.map(({ type }) => type)

test('every change is read once and in order, whatever the page size and the cursor', async (t) => {
  const { url, platform, newMember } = await startTestApp(t)
  const start = await endOfLog(url, platform.token)
  const { system, membership, user } = await newMember()
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await platform.delete(`/admin/memberships/${membership.id}`)

  const { rows, next } = await readEvents(platform, start)
  const byOne = await readEvents(platform, start, '', 1)
  const nothing = await platform.get(`/admin/events?after=${next}`)
  await platform.post(`/admin/systems/${system.id}/rotate-secret`)
  const later = await readEvents(platform, next)

  assert.deepEqual(typesOf(rows), [
    'user.created',
    'account.created',
    'user.access_granted',
    'user.access_blocked',
    'user.access_revoked',
  ])
  assert.deepEqual(byOne, { rows, next })
  assert.deepEqual(nothing.body, { data: [], next, more: false })
  assert.deepEqual(typesOf(later.rows), ['system.secret_rotated'])
  const granted = rows[2]!
  assert.deepEqual(Object.keys(granted), ['id', 'type', 'timestamp', 'data'])
  assert.ok(Math.abs(Date.parse(granted.timestamp) - Date.now()) < 60_000)
  assert.deepEqual(granted.data, {
    user: { id: user.id, email: user.email },
    membershipId: membership.id,
    accountId: membership.accountId,
    systemId: system.id,
    roles: [],
    isAdmin: false,
    status: 'active',
    actor: { type: 'service', id: 'test-platform' },
  })
})

test('an event id and a time are cursors too', async (t) => {
  const { url, platform, newMember } = await startTestApp(t)
  const start = await endOfLog(url, platform.token)
  await newMember()
  const { rows } = await readEvents(platform, start)

  assert.deepEqual((await readEvents(platform, rows[0]!.id)).rows, rows.slice(1))
  const fromMoment = (await readEvents(platform, rows[1]!.timestamp)).rows.map(({ id }) => id)
  assert.deepEqual(fromMoment.slice(fromMoment.indexOf(rows[1]!.id)), [rows[1]!.id, rows[2]!.id])
  assert.deepEqual((await readEvents(platform, '2099-01-01T00:00:00Z')).rows, [])
  assert.deepEqual(
    (await platform.get('/admin/events?after=2001-01-01T00:00:00Z')).body,
    (await platform.get('/admin/events')).body,
  )
  assert.equal(
    (await platform.get(`/admin/events?after=${crypto.randomUUID()}`)).body.code,
    'event_not_found',
  )
})

test('a system reads its own events only, and cannot use the ids of others', async (t) => {
  const { url, platform, newMember, serviceOf } = await startTestApp(t)
  const start = await endOfLog(url, platform.token)
  const [ours, theirs] = [await newMember({ allowClientCredentials: true }), await newMember()]
  const service = await serviceOf(ours.system)

  const own = await readEvents(service, start)
  const same = await readEvents(platform, start, `&systemId=${ours.system.id}`)
  const asked = await readEvents(service, start, `&systemId=${theirs.system.id}`)
  const all = await readEvents(platform, start)
  const foreign = all.rows.find(({ data }) => (data.systemId as unknown) === theirs.system.id)!

  assert.deepEqual(typesOf(own.rows), ['account.created', 'user.access_granted'])
  assert.deepEqual(same.rows, own.rows)
  assert.deepEqual(asked.rows, [])
  assert.equal((await service.get(`/admin/events?after=${foreign.id}`)).body.code, 'event_not_found')
})

test('account administrators and ordinary members read no events', async (t) => {
  const { platform, as, newMember, newRole, signIn } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  const role = await newRole(system.id, { isAdmin: true })
  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const admin = as((await signIn(system, { email: user.email })).access_token)

  for (const path of ['/admin/events', '/admin/events/stream']) {
    const refused = [await admin.get(path), await as('nobody').get(path)]
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      [
        [403, 'insufficient_authority'],
        [401, 'invalid_token'],
      ],
    )
  }
})

test('an event of a user is read once by the platform and once by each system of the user', async (t) => {
  const { url, db, platform, newSystem, newMember, newMembership, serviceOf } = await startTestApp(t)
  const open = { allowClientCredentials: true }
  const { system: one, user } = await newMember({ ...open, multiAccount: true })
  const [two, foreign] = [await newSystem(open), await newSystem(open)]
  await newMembership({ userId: user.id, systemId: one.id, accountName: 'A second account' })
  await newMembership({ userId: user.id, systemId: two.id })
  for (const { id } of [one, two]) await markEntered(db, { userId: user.id, systemId: id })
  const start = await endOfLog(url, platform.token)

  const email = `${crypto.randomUUID()}@example.test`
  await platform.patch(`/admin/users/${user.id}`, { email, name: 'New Name' })
  await platform.delete(`/admin/users/${user.id}`)

  const kinds = '&type=user.updated&type=user.deleted'
  const readBy = async (client: AdminClient) => (await readEvents(client, start, kinds)).rows
  const [byPlatform, byOne, byTwo] = [
    await readBy(platform),
    await readBy(await serviceOf(one)),
    await readBy(await serviceOf(two)),
  ]
  assert.deepEqual(typesOf(byPlatform), ['user.updated', 'user.deleted'])
  for (const rows of [byOne, byTwo]) {
    assert.deepEqual(typesOf(rows), ['user.updated', 'user.deleted'])
    const [updated, deleted] = rows.map(({ data }) => data)
    const actor = { type: 'service', id: null }
    assert.deepEqual(updated, { user: { id: user.id, email }, changed: ['email', 'name'], actor })
    assert.deepEqual(deleted, { user: { id: user.id, email }, actor })
  }
  assert.equal(new Set([...byPlatform, ...byOne, ...byTwo].map(({ id }) => id)).size, 6)
  assert.deepEqual(await readBy(await serviceOf(foreign)), [])
})

test('only the requested types are read, and an unknown type is refused', async (t) => {
  const { url, platform, newMember } = await startTestApp(t)
  const start = await endOfLog(url, platform.token)
  const { membership } = await newMember()
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })

  const one = await readEvents(platform, start, '&type=user.access_blocked')
  const two = await readEvents(platform, start, '&type=user.access_blocked&type=user.created')
  const unknown = await platform.get('/admin/events?type=user.promoted')

  assert.deepEqual(typesOf(one.rows), ['user.access_blocked'])
  assert.deepEqual(typesOf(two.rows), ['user.created', 'user.access_blocked'])
  assert.deepEqual(
    [unknown.status, unknown.body.code, unknown.body.errors[0].path],
    [400, 'invalid_request', '/query/type'],
  )
})

test('a rare type is found among many other events, in several pages', async (t) => {
  const { url, platform, db, newMember } = await startTestApp(t)
  const start = await endOfLog(url, platform.token)
  await db.execute(
    sql`insert into events (type, data) select 'user.updated', jsonb_build_object('nth', nth) from generate_series(1, 21000) nth`,
  )
  await newMember()

  let answer = { next: start, more: true, data: [] as LoggedEvent[] }
  let pages = 0
  for (; answer.data.length === 0; pages++) {
    assert.equal(answer.more, true)
    answer = (await platform.get(`/admin/events?type=user.access_granted&after=${answer.next}`)).body
  }

  assert.ok(pages > 1)
  assert.deepEqual([typesOf(answer.data), answer.more], [['user.access_granted'], false])
})

test('an invalid, future or expired cursor is refused', async (t) => {
  const { url, platform, db, newMember } = await startTestApp(t)
  const start = await endOfLog(url, platform.token)
  const ask = async (after: string) => {
    const { status, body } = await platform.get(`/admin/events?after=${encodeURIComponent(after)}`)
    return [status, body.code]
  }
  await newMember()
  const first = (await platform.get(`/admin/events?after=${start}&limit=1`)).body
  const later = (await platform.get(`/admin/events?after=${first.next}&limit=1`)).body
  await db.execute(sql`delete from events where id in (${first.data[0].id}, ${later.data[0].id})`)

  for (const odd of [
    'x',
    'c',
    'c-1',
    'czzzzzzzzzzz',
    "c1'",
    '12',
    '1e3',
    ' c1',
    '2026-13-01T00:00:00Z',
    '2026-01-01',
  ]) {
    assert.deepEqual([odd, ...(await ask(odd))], [odd, 400, 'invalid_request'])
  }
  assert.deepEqual(await ask('czzzzzz'), [410, 'cursor_expired'])
  assert.deepEqual(await ask(start), [410, 'cursor_expired'])
  assert.deepEqual(await ask(first.next), [410, 'cursor_expired'])
  assert.equal((await ask(later.next))[0], 200)
})

test('a page has 1 to 1,000 events', async (t) => {
  const { platform } = await startTestApp(t)

  for (const limit of ['0', '1001', '-1', 'many']) {
    assert.equal((await platform.get(`/admin/events?limit=${limit}`)).body.code, 'invalid_request', limit)
  }
  assert.equal((await platform.get('/admin/events?limit=1000')).status, 200)
  assert.equal((await platform.get('/admin/events?after=&limit=1')).status, 200)
})
