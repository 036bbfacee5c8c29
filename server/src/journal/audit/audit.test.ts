import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { audit } from '../../database/schema.ts'
import { SERVER } from '../../http/authority.ts'
import { record } from './record.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Entry = ReturnType<typeof JSON.parse>

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const idsOf = (answer: Answer): string[] => answer.body.data.map((entry: Entry) => entry.id)
const actionsOf = (answer: Answer): string[] => answer.body.data.map((entry: Entry) => entry.action)

/** Bob, the administrator of an account, in a system with a backend; and his token. */
async function bob(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id, roles: [role.id] })
  const { access_token } = await app.signIn(system, { email: user.email })
  return { system, role, user, membership, asBob: app.as(access_token), service: await app.serviceOf(system) }
}

test('an entry has time, action, actor, IP address, target, system, changes and request id', async (t) => {
  const app = await startTestApp(t)
  const { system, membership, service } = await bob(app)
  await service.patch(
    `/admin/memberships/${membership.id}`,
    { status: 'blocked' },
    { 'user-agent': 'backend/1' },
  )

  const answer = await app.platform.get(`/admin/audit?targetId=${membership.id}&action=membership.blocked`)

  const [{ id, time, requestId, actor, ...entry }] = answer.body.data
  assert.equal(answer.body.total, 1)
  assert.deepEqual(entry, {
    action: 'membership.blocked',
    outcome: 'success',
    target: { type: 'membership', id: membership.id },
    systemId: system.id,
    accountId: membership.accountId,
    changes: { status: ['active', 'blocked'] },
  })
  assert.match(actor.ip, /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
  assert.deepEqual(
    { ...actor, ip: '' },
    { type: 'service', id: system.clientId, ip: '', userAgent: 'backend/1', via: null },
  )
  for (const uuid of [id, requestId]) assert.match(uuid, /^[0-9a-f-]{36}$/)
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time)
})

test('every filter applies, and a page is newest first', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership, asBob } = await bob(app)
  await asBob.post('/admin/systems', { name: 'Shop' })
  const all = (await app.platform.get(`/admin/audit?systemId=${system.id}&pageSize=100`)).body
  const list = async (query: string) =>
    (await app.platform.get(`/admin/audit?systemId=${system.id}&pageSize=100&${query}`)).body
  const times = all.data.map((entry: Entry) => entry.time)
  const { requestId } = all.data[0]
  const middle = times[3]

  const filters: [string, (entry: Entry) => boolean][] = [
    ['action=role.created', (entry) => entry.action === 'role.created'],
    ['outcome=failure', (entry) => entry.outcome === 'failure'],
    ['actorType=user', (entry) => entry.actor.type === 'user'],
    [`actorId=${user.id}`, (entry) => entry.actor.id === user.id],
    ['targetType=membership', (entry) => entry.target.type === 'membership'],
    [`targetId=${membership.id}`, (entry) => entry.target.id === membership.id],
    [`accountId=${membership.accountId}`, (entry) => entry.accountId === membership.accountId],
    [`requestId=${requestId}`, (entry) => entry.requestId === requestId],
    [`from=${middle}`, (entry) => entry.time >= middle],
    [`to=${middle}`, (entry) => entry.time < middle],
  ]

  assert.deepEqual(times, times.toSorted().toReversed())
  for (const [query, holds] of filters) {
    const { data, total } = await list(query)
    assert.deepEqual([data, total], [all.data.filter(holds), data.length], query)
    assert.ok(data.length > 0 && data.length < all.data.length, `${query} says nothing: ${data.length}`)
  }
  const pages = [await list('pageSize=2&page=1'), await list('pageSize=2&page=2')]
  assert.equal(pages[0].code, 'invalid_request') // repeated parameters
  const second = await app.platform.get(`/admin/audit?systemId=${system.id}&pageSize=2&page=2`)
  assert.deepEqual([second.body.data, second.body.total], [all.data.slice(2, 4), all.total])
})

test('entries with the same time have a stable order across pages', async (t) => {
  const app = await startTestApp(t)
  const targetId = crypto.randomUUID()
  const actor = { type: 'server', id: null, ip: null, userAgent: null, requestId: null } as const
  await app.db.transaction(async (tx) => {
    await record(
      tx,
      actor,
      ...Array.from({ length: 10 }, () => ({ action: 'test.done', target: { type: 'test', id: targetId } })),
    )
    await tx.update(audit).set({ time: new Date() }).where(eq(audit.targetId, targetId))
  })

  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => app.platform.get(`/admin/audit?targetId=${targetId}&pageSize=3&page=${page}`)),
  )

  assert.equal(new Set(pages.flatMap(idsOf)).size, 10)
})

test('P46: systems and account administrators see only their own entries and totals', async (t) => {
  const app = await startTestApp(t)
  const { system, membership, service, asBob } = await bob(app)
  const other = await bob(app)

  const [systems, accounts] = [
    await service.get('/admin/audit?pageSize=100'),
    await asBob.get('/admin/audit?pageSize=100'),
  ]
  const foreign = [
    await service.get(`/admin/audit?systemId=${other.system.id}`),
    await service.get(`/admin/audit?targetId=${other.membership.id}`),
    await service.get(`/admin/audit?accountId=${other.membership.accountId}`),
    await asBob.get(`/admin/audit?systemId=${other.system.id}`),
    await asBob.get(`/admin/audit?action=role.created`),
  ]

  assert.ok(systems.body.data.every((entry: Entry) => entry.systemId === system.id))
  assert.ok(accounts.body.data.every((entry: Entry) => entry.accountId === membership.accountId))
  assert.equal(systems.body.total, await app.db.$count(audit, eq(audit.systemId, system.id)))
  assert.equal(accounts.body.total, await app.db.$count(audit, eq(audit.accountId, membership.accountId)))
  assert.ok(actionsOf(systems).includes('role.created') && actionsOf(accounts).includes('session.opened'))
  for (const { body } of foreign) assert.deepEqual([body.data, body.total], [[], 0])
})

test('P46: no request writes to the audit log', async (t) => {
  const app = await startTestApp(t)
  const [{ id }] = (await app.platform.get('/admin/audit?pageSize=1')).body.data
  const rows = await app.db.select().from(audit).where(eq(audit.id, id))

  const body = { action: 'nothing.findEvents', outcome: 'success', actor: { type: 'server' } }
  const answers = await Promise.all(
    ['/admin/audit', `/admin/audit/${id}`].flatMap((path) => [
      app.platform.post(path, body),
      app.platform.put(path, body),
      app.platform.patch(path, body),
      app.platform.delete(path),
    ]),
  )

  assert.deepEqual(
    answers.map(outcome),
    answers.map((_, index) => (index < 4 ? [405, 'method_not_allowed'] : [404, 'not_found'])),
  )
  assert.deepEqual(await app.db.select().from(audit).where(eq(audit.id, id)), rows)
})

test('P40: an invalid filter is 400, and one without matches gives an empty list', async (t) => {
  const { platform } = await startTestApp(t)
  const refused = [
    'outcome=maybe',
    'actorType=root',
    'systemId=x',
    'accountId=',
    'action=',
    'targetId=%00',
    'from=yesterday',
    'from=2026-01-01',
    'from=2026-01-01T00:00:00',
    'to=2026-13-01T00:00:00Z',
    'to=2016-12-31T23:59:60Z',
    'from=0000-01-01T00:00:00Z',
    'to=9999-12-31T23:59:59-23:00',
    'from=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z',
    'page=0',
  ]
  const empty = [
    `systemId=${unknown}`,
    "action=' OR 1=1--",
    'targetId=%25',
    'from=9999-01-01T00:00:00Z',
    'to=0001-01-01T00:00:00Z',
  ]

  const answers = await Promise.all(refused.map((query) => platform.get(`/admin/audit?${query}`)))
  const lists = await Promise.all(empty.map((query) => platform.get(`/admin/audit?${query}`)))

  assert.deepEqual(
    answers.map(outcome),
    refused.map(() => [400, 'invalid_request']),
  )
  assert.deepEqual(
    lists.map(({ status, body }) => [status, body.data, body.total]),
    empty.map(() => [200, [], 0]),
  )
})

test('P46: an operation refused for lack of authority is audited once as denied', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership, role, service, asBob } = await bob(app)
  const shared = await app.newUser()
  await app.newMembership({ userId: shared.id, systemId: system.id })
  await app.newMembership({ userId: shared.id, systemId: (await app.newSystem()).id })
  const denied = async (by: { actorId: string; requestId: string }) =>
    (await app.db.select().from(audit).where(eq(audit.requestId, by.requestId))).map((entry) => [
      entry.action,
      entry.outcome,
      entry.actorType,
      entry.actorId === by.actorId && entry.actorIp !== null,
      entry.targetType,
      entry.targetId,
      entry.systemId,
      entry.accountId,
      entry.changes,
    ])
  const said = (method: string, route: string, code: string) => ({
    method: [null, method],
    route: [null, route],
    code: [null, code],
  })

  const byService = await service.post('/admin/systems', { name: 'Shop' })
  const onShared = await service.patch(`/admin/users/${shared.id}`, { email: 'x@example.test' })
  const byBob = await asBob.delete(`/admin/systems/${system.id}/roles/${role.id}`)
  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [] })
  const byMember = await asBob.get('/admin/memberships')

  assert.deepEqual([byService, onShared, byBob, byMember].map(outcome), [
    [403, 'insufficient_authority'],
    [403, 'user_shared'],
    [403, 'insufficient_authority'],
    [403, 'insufficient_authority'],
  ])
  const head = ['access.denied', 'failure']
  assert.deepEqual(await denied({ actorId: system.clientId, requestId: byService.body.requestId }), [
    [
      ...head,
      'service',
      true,
      'route',
      'POST /admin/systems',
      system.id,
      null,
      said('POST', '/admin/systems', 'insufficient_authority'),
    ],
  ])
  assert.deepEqual(await denied({ actorId: system.clientId, requestId: onShared.body.requestId }), [
    [
      ...head,
      'service',
      true,
      'user',
      shared.id,
      system.id,
      null,
      said('PATCH', '/admin/users/:userId', 'user_shared'),
    ],
  ])
  const { accountId } = membership
  const deletion = said('DELETE', '/admin/systems/:systemId/roles/:roleId', 'insufficient_authority')
  assert.deepEqual(await denied({ actorId: user.id, requestId: byBob.body.requestId }), [
    [...head, 'user', true, 'role', role.id, system.id, accountId, deletion],
  ])
  const reading = said('GET', '/admin/memberships', 'insufficient_authority')
  assert.deepEqual(await denied({ actorId: user.id, requestId: byMember.body.requestId }), [
    [...head, 'user', true, 'route', 'GET /admin/memberships', system.id, accountId, reading],
  ])
})

test('unknown paths and unauthenticated requests are not audited as denied', async (t) => {
  const app = await startTestApp(t)
  const { service } = await bob(app)

  const answers = [
    await service.get(`/admin/memberships/${unknown}`),
    await service.get('/admin/nowhere'),
    await app.as('no-token').get('/admin/systems'),
    await service.post('/admin/users', { email: 'no address' }),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 401, 400],
  )
  for (const { body } of answers)
    assert.equal(await app.db.$count(audit, eq(audit.requestId, body.requestId)), 0)
})

test('the audit log of an erased user keeps the actions and no address', async (t) => {
  const app = await startTestApp(t)
  const { user } = await bob(app)
  const email = `changed-${crypto.randomUUID()}@example.test`
  await app.platform.patch(`/admin/users/${user.id}`, { email })

  await app.platform.delete(`/admin/users/${user.id}`)

  const entries = [
    ...(await app.platform.get(`/admin/audit?targetId=${user.id}&pageSize=100`)).body.data,
    ...(await app.platform.get(`/admin/audit?actorId=${user.id}&pageSize=100`)).body.data,
  ]
  assert.ok(entries.some((entry) => entry.action === 'user.updated' && 'email' in entry.changes))
  assert.doesNotMatch(JSON.stringify(entries), /@example\.test/)
  const own = entries.filter((entry) => entry.actor.id === user.id)
  assert.ok(own.length > 0 && own.every(({ actor }) => actor.ip === null && actor.userAgent === null))
})

test('P53: of the refused requests of a caller the first 60 a minute are recorded, and the others counted', async (t) => {
  const app = await startTestApp(t)
  const { user, asBob } = await bob(app)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })

  await Promise.all(Array.from({ length: 80 }, () => asBob.get('/admin/users')))
  const first = await app.audited({ action: 'access.denied', actorId: user.id })
  t.mock.timers.setTime(Date.now() + 61_000)
  const later = await asBob.get('/admin/users')
  t.mock.timers.reset()
  const all = await app.audited({ action: 'access.denied', actorId: user.id })

  assert.equal(first.length, 60)
  const [newest] = all.filter(({ id }) => !first.some((entry) => entry.id === id))
  assert.deepEqual([all.length, newest!.requestId], [61, later.body.requestId])
  assert.deepEqual(newest!.changes.omitted, [null, 20])
})

test('failures are found by their reason, as the statistics count them, and only those in reach', async (t) => {
  const app = await startTestApp(t)
  const { system, service, asBob } = await bob(app)
  const foreign = await app.serviceOf(await app.newSystem({ allowClientCredentials: true }))
  const refused = (changes: Record<string, [unknown, unknown]>, action = 'user.login') =>
    record(app.db, SERVER, { action, outcome: 'failure', systemId: system.id, changes })
  await refused({ reason: [null, 'password'] })
  await refused({ reason: [null, 'passkey'] })
  await refused({ reason: [null, 'pending'] }, 'sign_in.refused')
  await refused({ provider: [null, 'google'], code: [null, 'provider_refused'] })
  await refused({ provider: [null, 'google'], reason: [null, 'disabled'] })
  const ended = { action: 'session.ended', systemId: system.id, changes: { reason: [null, 'password'] } }
  await record(app.db, SERVER, ended as never)
  const list = async (reason: string, client = service) => {
    const { body } = await client.get(`/admin/audit?reason=${reason}`)
    return body.data.map(({ changes }: Entry) => changes.reason?.[1] ?? changes.provider?.[1])
  }

  const found: Record<string, string[]> = {}
  for (const reason of ['password', 'pending', 'disabled', 'provider', 'other', 'unknown'])
    found[reason] = await list(reason)

  assert.deepEqual(found, {
    password: ['password'],
    pending: ['pending'],
    disabled: ['disabled'],
    provider: ['google'],
    other: ['passkey'],
    unknown: [],
  })
  assert.deepEqual([await list('password', foreign), await list('password', asBob)], [[], []])
})

test('a field of an entry has at most 2 kB, beyond that size and SHA-256 of the value', async (t) => {
  const { platform, newUser, audited, db } = await startTestApp(t)
  const user = await newUser()
  const path = `/admin/users/${user.id}`
  const large = { text: 'ä'.repeat(7_500) }
  await platform.patch(path, { metadata: { small: 'x'.repeat(800) } })
  await platform.patch(path, { metadata: large, name: 'Ana' })

  const entries = await audited({ targetId: user.id, action: 'user.updated' })
  const { rows } = (await db.execute(sql`select max(octet_length(changes::text)) as bytes from audit
    where target_id = ${user.id}`)) as unknown as { rows: { bytes: number }[] }

  const json = JSON.stringify(large)
  const digest = { bytes: Buffer.byteLength(json), sha256: createHash('sha256').update(json).digest('hex') }
  const changes = entries.map((entry) => entry.changes as Record<string, [unknown, unknown]>)
  const last = changes.find(({ name }) => name)!
  assert.deepEqual(last.name, [null, 'Ana'])
  assert.deepEqual(last.metadata?.[1], digest)
  assert.deepEqual(last.metadata?.[0], { small: 'x'.repeat(800) })
  assert.ok(rows[0]!.bytes < 2_300, String(rows[0]!.bytes))
})
