/** What helps to develop a receiver: webhooks to this machine, and sample requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfLog } from '../../../test/support/event-reader.ts'
import { startReceiver, verify } from '../../../test/support/receiver.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { newWebhookSystem, PUBLIC, QUICK, SOON, startWorker } from '../../../test/support/webhook-sending.ts'
import { EVENT_TYPES } from '../../journal/events/enqueue.ts'

test('with a loopback issuer a webhook to this machine is delivered without a setting', async (t) => {
  const app = await startTestApp(t)
  const receiver = await startReceiver(t)
  startWorker(t, app, QUICK, { WEBHOOK_ALLOW_PRIVATE: false })
  const url = receiver.url.replace('127.0.0.1', 'localhost')

  const { webhook } = await newWebhookSystem(app, receiver.url)
  const moved = await app.platform.patch(webhook.path, { url })
  const sent = await app.platform.post(`${webhook.path}/test`)
  await t.waitFor(() => assert.equal(receiver.received.length, 1), SOON)

  assert.deepEqual([moved.status, sent.status], [200, 202])
  assert.equal(receiver.received[0]!.event.type, 'webhook.test')
})

test('P48: elsewhere a webhook to this machine is refused, and the error names the setting', async (t) => {
  const local = await startTestApp(t)
  const { platform, newSystem } = await startTestApp(t, { BASE_URL: PUBLIC.BASE_URL })
  const { id } = await newSystem()
  const refusal = async (client: typeof platform, url: string) => {
    const { status, body } = await client.post(`/admin/systems/${id}/webhooks`, { url })
    const [error] = body.errors ?? []
    return [status, error?.path, error?.message?.includes('WEBHOOK_ALLOW_PRIVATE') ?? false]
  }

  assert.deepEqual(await refusal(platform, 'http://localhost:8080/hook'), [400, '/url', true])
  assert.deepEqual(await refusal(platform, 'https://127.0.0.1/hook'), [400, '/url', true])
  assert.deepEqual(await refusal(local.platform, 'http://10.0.0.1/hook'), [400, '/url', true])
  // No setting opens it.
  assert.deepEqual(await refusal(platform, 'http://169.254.169.254/'), [400, '/url', false])
})

test('P48: a webhook of this machine is not called once the issuer is public', async (t) => {
  const app = await startTestApp(t)
  const receiver = await startReceiver(t)
  const { webhook } = await newWebhookSystem(app, receiver.url)
  startWorker(t, app, QUICK, PUBLIC)

  await app.platform.post(`${webhook.path}/test`)
  const errors = async () => {
    const { body } = await app.platform.get(`${webhook.path}/deliveries`)
    return body.data.flatMap(({ attempts }: { attempts: { error: string }[] }) => attempts).at(0)?.error
  }
  await t.waitFor(async () => assert.match(await errors(), /^address: must be https; WEBHOOK_ALLOW_/), SOON)

  assert.equal(receiver.received.length, 0)
})

test('a sample request is signed as a delivery, with a secret that no webhook has', async (t) => {
  const app = await startTestApp(t)
  const receiver = await startReceiver(t)
  const { system, webhook } = await newWebhookSystem(app, receiver.url, {}, { allowClientCredentials: true })
  const service = await app.serviceOf(system)

  const samples = await Promise.all(
    EVENT_TYPES.map((type) => service.get(`/admin/webhooks/sample?type=${type}`)),
  )
  const bodies = samples.map(({ body: { secret, headers, body: text } }) => {
    assert.throws(() => verify(webhook.secret, { headers, text }))
    return verify(secret, { headers, text }) as { type: string; data: { systemId?: string } }
  })

  assert.deepEqual(
    bodies.map(({ type }) => type),
    EVENT_TYPES,
  )
  assert.equal(new Set(samples.map(({ body }) => body.secret)).size, EVENT_TYPES.length)
  assert.ok(bodies.every(({ data }) => data.systemId === undefined || data.systemId === system.id))
  assert.equal((await app.platform.get('/admin/webhooks/sample?type=webhook.test')).status, 400)
  const { body } = await app.platform.get(`${webhook.path}/deliveries`)
  assert.deepEqual([body.total, receiver.received.length], [0, 0])
})

type Shape = { [field: string]: Shape } | string

/** The names of the fields at every depth. */
const shapeOf = (value: unknown): Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, each]) => [name, shapeOf(each)]),
      )
    : ''

test('a sample has the fields of a real event', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app
  // The log also has the events of other tests: a page from its beginning may end before these.
  const start = await endOfLog(app.url, platform.token)
  const settings = { multiAccount: true, allowClientCredentials: true, allowServiceAccounts: true }
  const system = await app.newSystem(settings)
  const service = await app.serviceOf(system)
  const role = await app.newRole(system.id)
  const user = (await service.post('/admin/users', { email: `s-${crypto.randomUUID()}@example.test` })).body
  const member = { userId: user.id, systemId: system.id, accountName: 'Acme' }
  const { id, accountId } = (await service.post('/admin/memberships', member)).body
  const account = `/admin/accounts/${accountId}`
  await service.patch(`/admin/memberships/${id}`, { roles: [role.id] })
  await service.patch(`/admin/memberships/${id}`, { status: 'blocked' })
  await service.patch(`/admin/memberships/${id}`, { status: 'active' })
  await service.patch(`/admin/users/${user.id}`, { name: 'Ana' })
  for (const patch of [{ name: 'Acme Ltd' }, { status: 'suspended' }, { status: 'active' }])
    await service.patch(account, patch)
  const program = (await service.post(`${account}/service-accounts`, { name: 'Ledger' })).body
  const keys = `${account}/service-accounts/${program.id}/keys`
  const key = (await service.post(keys, {})).body
  await service.delete(`${keys}/${key.id}`)
  await service.patch(`${account}/service-accounts/${program.id}`, { name: 'Book' })
  await service.delete(`${account}/service-accounts/${program.id}`)
  const invited = { email: `i-${crypto.randomUUID()}@example.test`, roles: [], notify: false }
  const invitation = (await service.post(`${account}/invitations`, invited)).body
  await service.delete(`${account}/invitations/${invitation.id}`)
  await service.delete(account)
  await service.delete(`/admin/users/${user.id}`)
  await platform.post(`/admin/systems/${system.id}/rotate-secret`, {})

  const ofSystem = `&limit=1000&systemId=${system.id}`
  const events = (await platform.get(`/admin/events?after=${start}${ofSystem}`)).body.data
  const types = new Set<string>()
  for (const { type, data } of events) {
    types.add(type)
    const sample = JSON.parse((await platform.get(`/admin/webhooks/sample?type=${type}`)).body.body)
    assert.deepEqual(shapeOf(sample.data), shapeOf(data), type)
  }
  assert.ok(types.size >= 17, [...types].join(' '))
})
