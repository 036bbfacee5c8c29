import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { startTestApp, tokenRequest } from '../../../test/support/testing.ts'

const METRICS_TOKEN = 'the-token-of-the-metrics'
const METRICS = { METRICS_ENABLED: 'true', METRICS_TOKEN }

type App = Awaited<ReturnType<typeof startTestApp>>
const scrape = async ({ as }: App) => String((await as(METRICS_TOKEN).get('/metrics')).body)

/** The value of the series with these labels; 0 without one. */
const numberOf = (text: string, series: string): number => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

test('/metrics is 404 unless METRICS_ENABLED is true, whatever else is set', async (t) => {
  const others = [
    {},
    { METRICS_TOKEN },
    { METRICS_PORT: '9464' },
    { METRICS_ENABLED: 'false', METRICS_TOKEN },
  ]
  for (const settings of others) {
    const { url } = await startTestApp(t, settings)

    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })

    const { code } = (await answer.json()) as { code: string }
    assert.deepEqual([answer.status, code], [404, 'not_found'], JSON.stringify(settings))
  }
})

test('with METRICS_ENABLED alone anybody reads /metrics', async (t) => {
  const { url } = await startTestApp(t, { METRICS_ENABLED: 'true' })

  const answer = await fetch(`${url}/metrics`)

  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /^tenantry_build_info\{/m)
})

test('/metrics is 401 for every caller without the token, also with another valid one', async (t) => {
  const { url, platform } = await startTestApp(t, METRICS)
  const sent = [undefined, 'Bearer', 'Bearer the-token', `Basic ${METRICS_TOKEN}`, `Bearer ${METRICS_TOKEN}x`]

  for (const authorization of [...sent, `Bearer ${platform.token}`]) {
    const answer = await fetch(`${url}/metrics`, { headers: authorization ? { authorization } : {} })
    const { code } = (await answer.json()) as { code: string }
    assert.deepEqual([answer.status, code], [401, 'invalid_token'], authorization)
  }
  const query = await fetch(`${url}/metrics?token=${METRICS_TOKEN}`)
  assert.equal(query.status, 401)
})

test('/metrics counts requests by route pattern and status class', async (t) => {
  const app = await startTestApp(t, METRICS)
  const { url, platform } = app
  const unknownId = crypto.randomUUID()
  await platform.get(`/admin/users/${unknownId}`)
  await fetch(`${url}/token`, { method: 'POST' })
  await fetch(`${url}/nowhere-${unknownId}`)

  const text = await scrape(app)

  const counted = (labels: string) =>
    new RegExp(`^http_request_duration_seconds_count\\{${labels}\\} [1-9]`, 'm').test(text)
  assert.ok(counted('method="GET",route="/admin/users/:userId",status="4xx"'), text)
  assert.ok(counted('method="POST",route="/token",status="4xx"'), text)
  assert.ok(counted('method="GET",route="none",status="4xx"'), text)
  assert.match(text, /^process_resident_memory_bytes /m)
  assert.match(text, /^tenantry_build_info\{version="[^"]+",node="[^"]+",database="[^"]+"\} 1$/m)
  assert.ok(!text.includes(unknownId))
})

test('the buckets of a distribution are cumulated, and the last one is the number of durations', async (t) => {
  const app = await startTestApp(t, METRICS)
  await app.newMember()

  const text = await scrape(app)

  const buckets = [...text.matchAll(/^tenantry_password_hash_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)]
  const counts = buckets.map(([, , count]) => Number(count))
  assert.equal(buckets.at(-1)?.[1], '+Inf')
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  )
  assert.ok(counts.at(-1)! > 0)
  assert.equal(counts.at(-1), numberOf(text, 'tenantry_password_hash_seconds_count'))
})

test('no request of a tenant adds a series that others do not have', async (t) => {
  const app = await startTestApp(t, METRICS)
  const { url, platform, newSystem } = app
  const act = async () => {
    const system = await newSystem({ allowClientCredentials: true })
    const odd = crypto.randomUUID()
    await tokenRequest(url, system, { grant_type: 'client_credentials' })
    await tokenRequest(url, { ...system, clientSecret: odd }, { grant_type: odd })
    await tokenRequest(url, { ...system, clientId: odd }, { grant_type: 'client_credentials' })
    await fetch(`${url}/${odd}`, { method: 'PROPFIND' })
    await fetch(`${url}/admin/users/${odd}?${odd}=1`, { headers: { authorization: `Bearer ${odd}` } })
    await fetch(`${url}/auth?client_id=${odd}&error=${odd}`)
    await platform.get(`/admin/systems/${odd}/roles/${odd}`)
    await platform.post(`/admin/users`, { email: `${odd}@example.test` })
  }
  const seriesOf = (text: string) => new Set(text.split('\n').map((line) => line.replace(/ [^ ]*$/, '')))
  await act()
  const before = seriesOf(await scrape(app))

  for (let times = 0; times < 3; times += 1) await act()
  const added = seriesOf(await scrape(app)).difference(before)

  const isByChance = (line: string) => /^nodejs_|le="/.test(line)
  assert.deepEqual(
    [...added].filter((line) => !isByChance(line)),
    [],
  )
})

test('only the systems of METRICS_SYSTEMS have series of their own', async (t) => {
  const { newSystem } = await startTestApp(t)
  const [watched, other] = [
    await newSystem({ allowClientCredentials: true }),
    await newSystem({ allowClientCredentials: true }),
  ]
  const app = await startTestApp(t, { ...METRICS, METRICS_SYSTEMS: watched.id.toUpperCase() })
  for (const system of [watched, other]) {
    await app.token(system, { grant_type: 'client_credentials' })
    await (await app.serviceOf(system)).get('/admin/users')
    await app.token(system, { grant_type: 'nothing' })
  }

  const text = await scrape(app)

  const count = (status: string) =>
    numberOf(
      text,
      `tenantry_system_request_duration_seconds_count{system="${watched.id}",status="${status}"}`,
    )
  assert.deepEqual([count('2xx'), count('4xx')], [3, 1])
  assert.ok(!text.includes(other.id))
})

test('queues have their size, the age of the oldest entry and how late the first one is', async (t) => {
  const app = await startTestApp(t, { ...METRICS, METRICS_SYSTEMS: crypto.randomUUID() })
  const { db, mailedLink, newUser } = app
  await mailedLink('send-password-reset', await newUser())
  await db.execute(sql`update mail set created_at = now() - interval '2 hours',
    next_attempt_at = now() - interval '1 hour' where id in (select id from mail where status = 'pending' limit 1)`)

  const text = await scrape(app)

  const queue = (name: string) => numberOf(text, `tenantry_queue_${name}{queue="emails"}`)
  assert.ok(queue('size') >= 1)
  assert.ok(queue('oldest_seconds') >= 7_200, text)
  assert.ok(queue('overdue_seconds') >= 3_600 && queue('overdue_seconds') < 7_200)
  assert.equal(numberOf(text, 'tenantry_database_up'), 1)
  for (const name of ['webhooks', 'logouts']) assert.match(text, new RegExp(`size\\{queue="${name}"\\} \\d`))
})
