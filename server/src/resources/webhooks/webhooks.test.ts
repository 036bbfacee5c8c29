/** Webhooks in the admin API: registration, authority, deliveries and resending. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readEvents } from '../../../test/support/event-reader.ts'
import { startReceiver, verify } from '../../../test/support/receiver.ts'
import { type AdminClient, type Answer, startTestApp } from '../../../test/support/testing.ts'
import { type App, PRIVATE, SOON, startWorker } from '../../../test/support/webhook-sending.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { webhooks } from '../../database/schema.ts'
import { EVENT_TYPES } from '../../journal/events/enqueue.ts'

type Shown = { id: string; status: string; eventId: string; type: string; attempts: { answer?: string }[] }

const URL = 'https://app.example/hooks/tenantry?key=1'
/** In seconds. */
const SCHEDULE = [0, 0.1, 600]
const UNKNOWN = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'

const pathOf = ({ id }: { id: string }) => `/admin/systems/${id}/webhooks`
const codeOf = ({ status, body }: Answer) => [status, body?.code]
/** A response without the values that differ every time. */
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })

/** A system, its service client, and a webhook to a running receiver. */
async function newWebhookSystem(t: TestContext, app: App) {
  const receiver = await startReceiver(t)
  const system = await app.newSystem({ allowClientCredentials: true, multiAccount: true })
  const { body: webhook } = await app.platform.post(pathOf(system), { url: receiver.url })
  const path = `${pathOf(system)}/${webhook.id}`
  const deliveriesAs = async (client: AdminClient, query = ''): Promise<Shown[]> =>
    (await client.get(`${path}/deliveries${query}`)).body.data
  const happen = (kind = 'user.access_updated', count = 1) =>
    app.db.execute(sql`
      insert into events (type, system_id, membership_id, data)
      select ${kind}::text, ${system.id}::uuid, gen_random_uuid(), jsonb_build_object('n', n) from generate_series(1, ${count}::int) n`)
  return { receiver, system, webhook, path, deliveriesAs, happen, service: await app.serviceOf(system) }
}

test('a webhook is created, listed, read, changed and deleted, with audit entries', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const system = await newSystem()

  const created = await platform.post(pathOf(system), { url: URL, events: ['user.access_revoked'] })
  const { secret, ...webhook } = created.body
  const path = `${pathOf(system)}/${webhook.id}`
  const listed = await platform.get(pathOf(system))
  const read = await platform.get(path)
  const etag = String(read.headers.get('etag'))
  const patched = await platform.patch(
    path,
    { url: 'https://app.example/other', events: [], enabled: false },
    { 'if-match': etag },
  )
  const stale = await platform.patch(path, { enabled: true }, { 'if-match': etag })
  const deleted = await platform.delete(path)

  assert.equal(created.status, 201)
  const { createdAt, updatedAt, id, ...rest } = webhook
  assert.deepEqual(rest, {
    systemId: system.id,
    url: URL,
    events: ['user.access_revoked'],
    enabled: true,
    disabledReason: null,
  })
  assert.deepEqual([listed.body.total, listed.body.data, read.body], [1, [webhook], webhook])
  assert.deepEqual(
    [patched.status, patched.body.url, patched.body.events, patched.body.enabled],
    [200, 'https://app.example/other', [], false],
  )
  assert.deepEqual(
    [stale.status, deleted.status, (await platform.get(path)).body.code],
    [412, 204, 'webhook_not_found'],
  )
  assert.deepEqual(
    (await audited({ targetId: id })).map(({ action }) => action),
    ['webhook.created', 'webhook.updated', 'webhook.deleted'],
  )
})

test('P49: a secret is shown once at creation, and stored encrypted', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { receiver, webhook, path, system, happen, deliveriesAs } = await newWebhookSystem(t, app)
  const { logged } = startWorker(t, app, SCHEDULE)

  const rotated = await app.platform.post(`${path}/rotate-secret`, { graceSeconds: 60 })
  await app.platform.patch(path, { enabled: false })
  await app.platform.patch(path, { enabled: true })
  await happen()
  await t.waitFor(
    async () => assert.equal((await deliveriesAs(app.platform, '?status=delivered')).length, 1),
    SOON,
  )

  const secrets = [webhook.secret, rotated.body.secret]
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    verify(secret, receiver.received[0]!)
  }
  const [row] = await app.db.select().from(webhooks).where(eq(webhooks.id, webhook.id))
  const shown = [
    await app.platform.get(path),
    await app.platform.get(pathOf(system)),
    await app.platform.get(`${path}/deliveries`),
  ].map(({ body }) => JSON.stringify(body))
  const outputs = [
    ...shown,
    JSON.stringify(await readEvents(app.platform, '', `&systemId=${system.id}`)),
    JSON.stringify(await app.audited({ systemId: system.id })),
    logged(),
    receiver.received[0]!.text,
  ]
  for (const secret of secrets) {
    const [base64] = /[^_]+$/.exec(secret)!
    for (const text of outputs) assert.ok(!text.includes(base64), text)
    for (const sealed of [row!.sealedSecret, row!.previousSealedSecret!]) {
      assert.ok(!sealed.includes(base64) && !sealed.includes(Buffer.from(base64, 'base64')))
    }
  }
  const other = crypto.randomUUID()
  assert.throws(() => app.seal.open(row!.sealedSecret, `webhook:${other}`))
})

test('P48: only a URL of a public https server can be registered', async (t) => {
  const { platform, newSystem } = await startTestApp(t, { BASE_URL: 'https://id.example.test' })
  const system = await newSystem()
  const { body: webhook } = await platform.post(pathOf(system), { url: URL })
  const addresses = [
    'http://127.0.0.1:5432',
    'http://localhost',
    'https://localhost',
    'https://localhost./',
    'https://a.localhost/',
    'http://169.254.169.254/latest',
    'https://169.254.169.254/latest',
    'http://10.0.0.1',
    'https://10.0.0.1',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://0/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1.:443/',
    'http://[::1]',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://１２７.0.0.1/',
    'http://app.example/',
    'file:///etc/passwd',
    'gopher://app.example/',
    'ftp://app.example/',
    'javascript:alert(1)',
    'http://user:pw@x',
    'https://user:pw@app.example/',
    'https://app.example@127.0.0.1/',
    'https://app.example\\@127.0.0.1/',
    'https://*.example/',
    'https://app.example/#part',
    'https://app.example/a b',
    'https://app.example/\r\nx: y',
    'https:app.example',
    '//app.example/',
    '/hook',
    '',
    `https://app.example/${'x'.repeat(10_240)}`,
  ]

  const refused = []
  for (const url of addresses) {
    refused.push(await platform.post(pathOf(system), { url }))
    refused.push(await platform.patch(`${pathOf(system)}/${webhook.id}`, { url }))
  }

  for (const [at, answer] of refused.entries()) {
    assert.deepEqual(codeOf(answer), [400, 'invalid_request'], addresses[Math.floor(at / 2)])
    assert.equal(answer.body.errors[0].path, '/url')
  }
  assert.deepEqual(
    [
      (await platform.get(pathOf(system))).body.total,
      (await platform.get(`${pathOf(system)}/${webhook.id}`)).body.url,
    ],
    [1, URL],
  )
})

test('only existing event types can be subscribed to, each once', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const system = await newSystem()
  const ask = async (events: unknown) => (await platform.post(pathOf(system), { url: URL, events })).status

  const statuses = [
    await ask([...EVENT_TYPES]),
    await ask([]),
    await ask(['user.renamed']),
    await ask(['webhook.test']),
    await ask(['user.updated', 'user.updated']),
    await ask('user.updated'),
    await ask(null),
  ]

  assert.deepEqual(statuses, [201, 201, 400, 400, 400, 400, 400])
})

test('P37: a system reaches its own webhooks only, and an account administrator none', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const own = await newWebhookSystem(t, app)
  const other = await newWebhookSystem(t, app)
  await other.happen()
  startWorker(t, app, SCHEDULE)
  await t.waitFor(
    async () => assert.equal((await other.deliveriesAs(app.platform, '?status=delivered')).length, 1),
    SOON,
  )
  const [delivery] = await other.deliveriesAs(app.platform)
  const before = await app.audited({ systemId: other.system.id })
  const attempts = (client: AdminClient, system: { id: string }, id: string, deliveryId: string) => {
    const path = `${pathOf(system)}/${id}`
    return Promise.all([
      client.get(path),
      client.patch(path, { enabled: false }),
      client.delete(path),
      client.post(`${path}/rotate-secret`),
      client.post(`${path}/test`),
      client.get(`${path}/deliveries`),
      client.post(`${path}/deliveries/${deliveryId}/resend`),
      client.post(`${path}/resend`, { after: delivery!.eventId }),
    ])
  }

  const [foreign, absent] = [
    await attempts(own.service, other.system, other.webhook.id, delivery!.id),
    await attempts(own.service, { id: UNKNOWN }, UNKNOWN, UNKNOWN),
  ]
  const mixed = await attempts(own.service, own.system, other.webhook.id, delivery!.id)
  const lists = [
    await own.service.get(pathOf(other.system)),
    await own.service.post(pathOf(other.system), { url: other.receiver.url }),
  ]
  const others = [
    await own.service.post(`${own.path}/deliveries/${delivery!.id}/resend`),
    await own.service.post(`${own.path}/resend`, { after: delivery!.eventId }),
  ]
  const role = await app.newRole(own.system.id, { isAdmin: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: own.system.id, accountName: 'Acme', roles: [role.id] })
  const admin = app.as((await app.signIn(own.system, { email: user.email })).access_token)
  const denied = [
    ...(await attempts(admin, own.system, own.webhook.id, UNKNOWN)),
    await admin.get(pathOf(own.system)),
  ]

  assert.deepEqual(foreign.map(masked), absent.map(masked))
  assert.deepEqual([...new Set([...foreign, ...mixed].map(({ body }) => body.code))], ['webhook_not_found'])
  assert.deepEqual(lists.map(codeOf), [
    [404, 'system_not_found'],
    [404, 'system_not_found'],
  ])
  assert.deepEqual(others.map(codeOf), [
    [404, 'delivery_not_found'],
    [404, 'event_not_found'],
  ])
  assert.deepEqual(
    [...new Set(denied.map((answer) => String(codeOf(answer))))],
    ['403,insufficient_authority'],
  )
  assert.deepEqual(await app.audited({ systemId: other.system.id }), before)
  const [mine, theirs] = [await own.service.get(own.path), await app.platform.get(other.path)]
  assert.deepEqual([mine.status, theirs.body.enabled], [200, true])
})

test('a test event is sent to its webhook only, whatever its types, and not logged', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { receiver, happen, webhook, path, system, service } = await newWebhookSystem(t, app)
  const beside = await startReceiver(t)
  await app.platform.post(pathOf(system), { url: beside.url })
  await app.platform.patch(path, { events: ['user.deleted'] })
  startWorker(t, app, SCHEDULE)

  const { status, body } = await service.post(`${path}/test`)
  await t.waitFor(() => assert.equal(receiver.received.length, 1), SOON)

  const [message] = receiver.received
  verify(webhook.secret, message!)
  assert.deepEqual([status, message!.event.id, message!.event.type], [202, body.eventId, 'webhook.test'])
  assert.deepEqual(message!.event.data, {
    systemId: system.id,
    webhookId: webhook.id,
    actor: { type: 'service', id: system.clientId },
  })
  assert.deepEqual(beside.received, [])
  await happen()
  for (const client of [service, app.platform]) {
    // An event is in the log when it has its position, which another reader may be about to assign.
    const types = await t.waitFor(async () => {
      const log = await readEvents(client, '', `&systemId=${system.id}`)
      const found = log.rows.map(({ type }) => type)
      assert.ok(found.includes('user.access_updated'))
      return found
    }, SOON)
    assert.ok(!types.includes('webhook.test'))
  }
  await app.platform.patch(path, { enabled: false })
  assert.deepEqual(codeOf(await service.post(`${path}/test`)), [409, 'webhook_disabled'])
})

test('deliveries list attempts by status; only the platform sees response bodies', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { receiver, happen, deliveriesAs, service, path } = await newWebhookSystem(t, app)
  receiver.answering((_, response) => response.writeHead(503).end(`\0secret${'é'.repeat(2_000)}`))
  startWorker(t, app, SCHEDULE)

  await happen()
  await t.waitFor(async () => assert.equal((await deliveriesAs(app.platform))[0]?.attempts.length, 2), SOON)

  const [mine] = await deliveriesAs(service, '?status=pending')
  const [whole] = await deliveriesAs(app.platform)
  const { nextAttemptAt, attempts, ...rest } = mine as Shown & { nextAttemptAt: string }
  assert.deepEqual(Object.keys(attempts[0]!).sort(), ['durationMs', 'error', 'status', 'time'])
  assert.deepEqual(
    attempts.map((each) => [(each as { status?: number }).status, (each as { error?: string }).error]),
    Array(2).fill([503, 'status 503']),
  )
  const waits = Date.parse(nextAttemptAt) - Date.now()
  assert.ok(waits > 580_000 && waits <= 600_000, `${waits} ms`)
  assert.deepEqual([rest.status, rest.type], ['pending', 'user.access_updated'])
  assert.match(whole!.attempts[0]!.answer!, /^secreté+�?$/)
  assert.ok(Buffer.byteLength(whole!.attempts[0]!.answer!) <= 1_026)
  assert.deepEqual(await deliveriesAs(service, '?status=delivered'), [])
  assert.equal((await service.get(`${path}/deliveries?status=lost`)).status, 400)
})

test('deliveries are resent singly, or all since an event or cursor, with the same ids', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { receiver, happen, deliveriesAs, service, path } = await newWebhookSystem(t, app)
  startWorker(t, app, SCHEDULE)
  await happen('user.access_updated', 3)
  await happen('account.updated', 1)
  await t.waitFor(
    async () => assert.equal((await deliveriesAs(service, '?status=delivered')).length, 4),
    SOON,
  )
  const { rows, next: cursor } = await readEvents(service)
  const ids = rows.map(({ id }) => id)
  const arrivals = (id: string) => receiver.ids().filter((each) => each === id).length

  const [last] = await deliveriesAs(service)
  const one = await service.post(`${path}/deliveries/${last!.id}/resend`)
  await t.waitFor(() => assert.equal(arrivals(ids[3]!), 2), SOON)
  const since = await service.post(`${path}/resend`, { after: ids[0] })
  await t.waitFor(() => assert.deepEqual(ids.map(arrivals), [1, 2, 2, 3]), SOON)
  await service.patch(path, { events: ['account.updated'] })
  const some = await service.post(`${path}/resend`, { after: ids[0] })
  await t.waitFor(() => assert.deepEqual(ids.map(arrivals), [1, 2, 2, 4]), SOON)
  const none = await service.post(`${path}/resend`, { after: cursor })

  assert.deepEqual([one.status, one.body], [202, { queued: 1 }])
  const answers = [since, some, none].map(({ status, body }) => `${status} ${body.queued} ${body.next}`)
  assert.deepEqual(answers, ['202 3 null', '202 1 null', '202 0 null'])
  assert.deepEqual(codeOf(await service.post(`${path}/resend`, { after: 'elsewhere' })), [
    400,
    'invalid_request',
  ])
  assert.deepEqual(codeOf(await service.post(`${path}/resend`, { after: UNKNOWN })), [404, 'event_not_found'])
  await t.waitFor(async () => assert.deepEqual(await deliveriesAs(service, '?status=pending'), []), SOON)
  assert.equal((await deliveriesAs(service)).length, 4)
})

test('more than 10,000 deliveries are resent in several calls', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const { happen, service, path, webhook, deliveriesAs } = await newWebhookSystem(t, app)
  const start = (await service.get('/admin/events')).body.next
  await happen('account.updated', 10_050)
  await service.patch(path, { enabled: false })
  await service.patch(path, { enabled: true })

  const first = await service.post(`${path}/resend`, { after: start })
  const second = await service.post(`${path}/resend`, { after: first.body.next })

  assert.deepEqual([first.body.queued, second.body], [10_000, { queued: 50, next: null }])
  assert.equal((await deliveriesAs(service, '?status=pending&pageSize=1')).length, 1)
  const counted = await app.db.execute(
    sql`select count(*)::int as all from deliveries where webhook_id = ${webhook.id}`,
  )
  assert.equal((counted as unknown as { rows: { all: number }[] }).rows[0]!.all, 10_050)
  await service.delete(path)
})
