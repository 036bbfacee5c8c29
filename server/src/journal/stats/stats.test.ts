/** What is counted, how it is summed up, and who reads which numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, tokenRequest } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { activity, counters, daily } from '../../database/schema.ts'
import { ALL_SYSTEMS, count, startCollecting } from './count.ts'
import { flush, runNightly } from './worker.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Series = { times: number[]; series: { key: string; values: number[] }[] }

const config = { RETENTION_STATS_HOURS_DAYS: 90, RETENTION_STATS_DAYS: 800 }
const totalsOf = ({ series }: Series) =>
  Object.fromEntries(series.map(({ key, values }) => [key, values.reduce((sum, each) => sum + each, 0)]))

async function newSystem(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  return { system: system as never, id: system.id as string }
}

test('sign-ins, refused ones and tokens are counted for their system, by kind', async (t) => {
  const app = await startTestApp(t)
  t.after(startCollecting())
  const { system, id } = await newSystem(app)
  const { system: other, id: otherId } = await newSystem(app)
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: id })

  const { refresh_token } = await app.signIn(system, { email: user.email })
  await app.authorize(system, { email: user.email, password: 'wrong password' })
  await app.refresh(system, refresh_token!)
  await tokenRequest(app.url, system, { grant_type: 'refresh_token', refresh_token: 'unknown' })
  const service = await app.serviceOf(system)
  const rival = await app.serviceOf(other)
  await flush(app.db)
  const read = async (client: typeof service, query: string) =>
    totalsOf((await client.get(`/admin/stats/series?${query}`)).body)

  const tokens = { code: 1, refresh: 1, client_credentials: 1 }
  for (const step of ['hour', 'day']) {
    assert.deepEqual(await read(service, `metric=tokens&step=${step}`), tokens)
    assert.deepEqual(await read(app.platform, `metric=tokens&step=${step}&systemId=${id}`), tokens)
    assert.deepEqual(await read(service, `metric=sign_ins&step=${step}`), { password: 1 })
  }
  const failed = Object.values(await read(service, 'metric=failures')).reduce((sum, each) => sum + each, 0)
  assert.ok(failed >= 1)
  assert.deepEqual(await read(rival, 'metric=tokens'), { client_credentials: 1 })
  assert.deepEqual(await read(rival, `metric=tokens&systemId=${id}`), {})
  assert.deepEqual(await read(rival, 'metric=sign_ins'), {})
  const bySystem = await read(app.platform, 'metric=tokens&by=system')
  assert.ok(bySystem[id] === undefined || bySystem[id] === 3)
  assert.equal(bySystem[ALL_SYSTEMS], undefined)
  assert.ok((await read(app.platform, 'metric=tokens')).client_credentials! >= 2)
  assert.equal((await rival.get('/admin/stats/series?metric=tokens&by=system')).status, 403)
  const [row] = await app.db.select().from(activity).where(eq(activity.systemId, id))
  assert.deepEqual([row!.userId, row!.days], [user.id, 1n])
  assert.equal((await app.db.select().from(activity).where(eq(activity.systemId, otherId))).length, 0)
})

test('a sign-in that a rule of the system refuses is counted by its reason', async (t) => {
  const app = await startTestApp(t)
  t.after(startCollecting())
  const { system, id } = await newSystem(app)
  const [member, stranger] = [await app.newUser(), await app.newUser()]
  const { id: membershipId } = await app.newMembership({ userId: member.id, systemId: id })
  await app.platform.patch(`/admin/memberships/${membershipId}`, { status: 'blocked' })

  await app.authorize(system, { email: member.email })
  await app.authorize(system, { email: stranger.email })
  await flush(app.db)
  const { body } = await app.platform.get(`/admin/stats/series?metric=failures&systemId=${id}`)

  assert.deepEqual(totalsOf(body), { blocked: 1, none: 1 })
})

test('a series has a value for every bucket, and is limited', async (t) => {
  const app = await startTestApp(t)
  const { id } = await newSystem(app)
  const row = { systemId: id, name: 'failures', key: 'password' }
  await app.db.insert(counters).values([
    { ...row, hour: sql`'2026-01-01T10:00:00Z'`, count: 3 },
    { ...row, hour: sql`'2026-01-01T12:00:00Z'`, count: 1 },
    { ...row, hour: sql`'2026-01-01T13:00:00Z'`, count: 9 },
  ] as never)
  const read = (query: string) =>
    app.platform.get(`/admin/stats/series?metric=failures&systemId=${id}&${query}`)

  const { body } = await read('from=2026-01-01T10:10:00Z&to=2026-01-01T12:30:00Z')

  assert.deepEqual(
    [body.times.length, body.times[0], body.until],
    [3, 1_767_261_600, '2026-01-01T13:00:00.000Z'],
  )
  assert.deepEqual(body.series, [{ key: 'password', values: [3, 0, 1] }])
  assert.equal((await read('from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z')).status, 200)
  for (const bad of [
    'from=2026-01-01T00:00:00Z&to=2026-02-01T01:00:00Z',
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    'by=grant',
    'step=week',
  ])
    assert.equal((await read(bad)).status, 400, bad)
})

test('every night active users are counted and old hours are summed up by day, each once', async (t) => {
  const app = await startTestApp(t)
  const { db, platform } = app
  const { id } = await newSystem(app)
  /** Days before yesterday on which a user was active, today being -1. */
  const days = { yesterday: [0], recently: [5, 40], 'a month ago': [29], today: [-1], earlier: [30, 31] }
  for (const [name, active] of Object.entries(days)) {
    const user = await app.newUser({ name })
    await app.newMembership({ userId: user.id, systemId: id })
    const last = Math.min(...active)
    const bits = active.reduce((all, day) => all | (1n << BigInt(day - last)), 0n)
    await db.insert(activity).values({
      systemId: id,
      userId: user.id,
      day: sql`(now() at time zone 'UTC')::date - 1 - ${last}::int`,
      days: bits,
    } as never)
  }
  const row = { systemId: id, name: 'tokens', key: 'code' }
  const hoursAgo = (day: number, hour: number) =>
    sql`date_trunc('day', now(), 'UTC') - make_interval(days => ${day}) + make_interval(hours => ${hour})`
  await db.insert(counters).values([
    { ...row, hour: hoursAgo(91, 1), count: 2 },
    { ...row, hour: hoursAgo(91, 23), count: 3 },
    { ...row, hour: hoursAgo(90, 0), count: 7 },
  ] as never)
  await db.insert(daily).values({ ...row, day: sql`now()::date - 900`, count: 1 } as never)
  await db.delete(daily).where(eq(daily.name, 'summed_up'))

  await Promise.all([runNightly({ db, config }), runNightly({ db, config })])
  await runNightly({ db, config })

  const read = async (query: string) =>
    (await platform.get(`/admin/stats/series?systemId=${id}&step=day&${query}`)).body as Series
  assert.deepEqual(totalsOf(await read('metric=active_users')), { 1: 1, 7: 2, 30: 3 })
  const from = new Date(Date.now() - 95 * 86_400_000).toISOString()
  const { series } = await read(`metric=tokens&from=${from}`)
  assert.deepEqual(series[0]!.values.filter(Boolean), [5, 7])
  assert.deepEqual(
    (await db.select().from(counters).where(eq(counters.systemId, id))).map((each) => each.count),
    [7],
  )
  const kept = await db.select().from(daily).where(eq(daily.systemId, id))
  assert.deepEqual(
    kept.filter(({ name }) => name === 'tokens').map((each) => each.count),
    [5],
  )
})

test('the summary has the numbers of the installation, of one system, or of one account', async (t) => {
  // A server of its own: numbers are kept for a while after another test has read them.
  const app = await startTestApp(t, { TTL_ID_TOKEN: '601' })
  t.after(startCollecting())
  const { system, id } = await newSystem(app)
  const { system: other } = await newSystem(app)
  const role = await app.newRole(id, { isAdmin: true })
  const [boss, clerk, third] = [await app.newUser(), await app.newUser(), await app.newUser()]
  const { accountId } = await app.newMembership({ userId: boss.id, systemId: id, roles: [role.id] })
  await app.newMembership({ userId: third.id, accountId, status: 'pending' })
  const second = await app.newMembership({ userId: clerk.id, systemId: id })
  // Active in another account of the system only.
  await app.newMembership({ userId: clerk.id, accountId })
  await app.signIn(system, { email: clerk.email, account: second.accountId })
  const admin = app.as((await app.signIn(system, { email: boss.email })).access_token)
  await flush(app.db)
  const read = async (client: typeof admin, query = '') => {
    const { status, body } = await client.get(`/admin/stats/summary${query}`)
    assert.equal(status, 200)
    return body
  }

  assert.deepEqual(await read(admin), {
    scope: 'account',
    members: 3,
    activeMembers: 1,
    activeSessions: 1,
    pendingMemberships: 1,
  })
  const ofSystem = await read(await app.serviceOf(system))
  assert.deepEqual(
    [
      ofSystem.scope,
      ofSystem.signIns,
      ofSystem.activeSessions,
      ofSystem.pendingMemberships,
      ofSystem.activeUsers,
    ],
    ['system', { day: 2, weekBefore: 0 }, 2, 1, { today: 2, days30: 2 }],
  )
  assert.equal((await read(app.platform, `?systemId=${id}`)).signIns.day, 2)
  const all = await read(app.platform)
  assert.ok(
    all.scope === 'platform' && all.signIns.day >= 2 && all.activeUsers.today >= 2,
    JSON.stringify(all),
  )
  const rival = await app.serviceOf(other)
  assert.equal((await rival.get(`/admin/stats/summary?systemId=${id}`)).status, 404)
  assert.equal((await read(rival)).activeSessions, 0)
})

const METRICS_TOKEN = 'the-token-of-the-metrics'

test('/metrics has the same counters', async (t) => {
  const { as } = await startTestApp(t, { METRICS_ENABLED: 'true', METRICS_TOKEN })
  count('deliveries', null, '4xx')

  const text = String((await as(METRICS_TOKEN).get('/metrics')).body)

  assert.match(text, /^tenantry_deliveries_total\{class="4xx"\} [1-9]/m)
  assert.match(text, /^tenantry_tokens_total\{grant="client_credentials"\} [1-9]/m)
})
