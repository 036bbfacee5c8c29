/** What ends access is delivered before everything else, and before what it makes void. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { expectStatus } from '../../../test/support/http.ts'
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

/** The second attempt is after the test. */
const ONCE = [0, 3_600, 3_600]
const GRANTS = new Set(['user.access_granted', 'user.access_updated', 'user.access_restored'])

/** A receiver that refuses, or does not answer, some types of events. */
async function startPicky(t: TestContext, answers: Record<string, 'refuse' | 'hang'>) {
  const receiver = await startReceiver(t)
  receiver.answering((_request, response) => {
    const how = answers[receiver.received.at(-1)!.event.type]
    if (how === 'hang') return
    response.statusCode = how === 'refuse' ? 500 : 204
    response.end()
  })
  return receiver
}

const newMembership = async (app: App, systemId: string) =>
  app.newMembership({ userId: (await app.newUser()).id, systemId })

/** The status of each delivery to the webhook about a membership, by its type. */
async function statusesOf(app: App, path: string, membershipId: string): Promise<Record<string, string>> {
  const { body } = await app.platform.get(`${path}/deliveries?pageSize=100`)
  const found: Record<string, string> = {}
  for (const { id, type, status } of body.data) {
    const { payload } = (await app.platform.get(`${path}/deliveries/${id}`)).body
    if (payload.data.membershipId === membershipId) found[type] = status
  }
  return found
}

test('a revocation is sent at once although the grant was refused, which is never sent again', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startPicky(t, { 'user.access_granted': 'refuse' })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  startWorker(t, app, ONCE)
  const membership = await newMembership(app, system.id)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_granted')), SOON)

  await app.platform.delete(`/admin/memberships/${membership.id}`)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_revoked')), SOON)
  await t.waitFor(
    async () =>
      assert.deepEqual(await statusesOf(app, webhook.path, membership.id), {
        'user.access_granted': 'superseded',
        'user.access_revoked': 'delivered',
      }),
    SOON,
  )

  assert.equal(receiver.types().filter((type) => type === 'user.access_granted').length, 1)
})

test('a receiver that counts as down because it refuses grants still gets revocations', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startPicky(t, {
    'user.access_granted': 'refuse',
    'account.created': 'refuse',
    'user.access_updated': 'refuse',
  })
  const { system } = await newWebhookSystem(app, receiver.url)
  startWorker(t, app, ONCE)
  await writeEvents(app, system.id, 20, 1)
  await t.waitFor(() => assert.ok(receiver.received.length >= 8), SOON)
  const membership = await newMembership(app, system.id)

  await app.platform.delete(`/admin/memberships/${membership.id}`)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_revoked')), SOON)

  const ofMembership = receiver.received.filter(({ event }) => event.data.membershipId === membership.id)
  assert.equal(ofMembership.at(-1)?.event.type, 'user.access_revoked')
})

test('a revocation waits neither for 10,000 queued events nor for calls that hang', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startPicky(t, { 'user.access_updated': 'hang' })
  const { system } = await newWebhookSystem(app, receiver.url)
  const membership = await newMembership(app, system.id)
  await writeEvents(app, system.id, 2_500, 4)
  startWorker(t, app, ONCE)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_updated')), SOON)
  const before = receiver.received.length

  await app.platform.delete(`/admin/memberships/${membership.id}`)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_revoked')), SOON)

  // Fewer than the calls that the receiver has open: none of those that hang has timed out.
  const between = receiver.types().slice(before).indexOf('user.access_revoked')
  assert.ok(between < 8, `${between}`)
})

test('what follows a revocation is sent after it, in order', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startPicky(t, { 'user.access_granted': 'refuse' })
  const { system } = await newWebhookSystem(app, receiver.url)
  const membership = await newMembership(app, system.id)
  for (const status of ['blocked', 'active', 'blocked', 'active'])
    assert.equal((await app.platform.patch(`/admin/memberships/${membership.id}`, { status })).status, 200)
  startWorker(t, app, ONCE)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_restored')), SOON)

  const ofMembership = receiver.received.filter(({ event }) => event.data.membershipId === membership.id)
  assert.deepEqual(
    ofMembership.map(({ event }) => event.type),
    ['user.access_blocked', 'user.access_blocked', 'user.access_restored'],
  )
})

test('the suspension of an organization is sent although its resumption was refused, which is never sent again', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startPicky(t, { 'account.resumed': 'refuse' })
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  startWorker(t, app, ONCE)
  const { accountId } = await newMembership(app, system.id)
  const setStatus = async (status: string) =>
    assert.equal((await app.platform.patch(`/admin/accounts/${accountId}`, { status })).status, 200)
  const sent = (type: string) =>
    receiver.received.filter(({ event }) => event.type === type && event.data.accountId === accountId)

  await setStatus('suspended')
  await t.waitFor(() => assert.equal(sent('account.suspended').length, 1), SOON)
  await setStatus('active')
  await t.waitFor(() => assert.equal(sent('account.resumed').length, 1), SOON)
  await setStatus('suspended')
  await t.waitFor(() => assert.equal(sent('account.suspended').length, 2), SOON)

  const statuses = async () => {
    const { body } = await app.platform.get(`${webhook.path}/deliveries?pageSize=100`)
    const ofAccount = body.data.filter(({ type }: { type: string }) => /^account\.(sus|res)/.test(type))
    return ofAccount.map(({ type, status }: { type: string; status: string }) => `${type} ${status}`).sort()
  }
  await t.waitFor(
    async () =>
      assert.deepEqual(await statuses(), [
        'account.resumed superseded',
        'account.suspended delivered',
        'account.suspended delivered',
      ]),
    SOON,
  )
  assert.equal(sent('account.resumed').length, 1)
})

test('the end of a service account is sent although what is before it was refused, which is never sent again', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const refused = ['account.updated', 'service_account.created', 'service_account.enabled']
  const receiver = await startPicky(t, Object.fromEntries(refused.map((type) => [type, 'refuse'])))
  const { system, webhook } = await newWebhookSystem(app, receiver.url, {}, { allowServiceAccounts: true })
  startWorker(t, app, ONCE)
  const { accountId } = await newMembership(app, system.id)
  const account = `/admin/accounts/${accountId}`
  const list = `${account}/service-accounts`
  const create = async (name: string) =>
    `${list}/${expectStatus(await app.platform.post(list, { name }), 201).body.id}`
  const change = async (at: string, patch: object) => expectStatus(await app.platform.patch(at, patch), 200)
  const sent = (type: string, of: string) =>
    receiver.received.filter(
      ({ event: { type: one, data } }) =>
        one === type && of.endsWith((data as { serviceAccount?: { id: string } }).serviceAccount?.id ?? '-'),
    ).length
  const isSent = (type: string, of: string, times = 1) =>
    t.waitFor(() => assert.equal(sent(type, of), times), SOON)
  await change(account, { name: `Renamed ${accountId}` })
  await t.waitFor(() => assert.ok(receiver.types().includes('account.updated')), SOON)

  const [disabled, deleted] = [await create('Disabled'), await create('Deleted')]
  await isSent('service_account.created', disabled)
  await isSent('service_account.created', deleted)
  await change(disabled, { disabled: true })
  await isSent('service_account.disabled', disabled)
  await change(disabled, { disabled: false, name: 'Again' })
  await isSent('service_account.enabled', disabled)
  await change(disabled, { disabled: true })
  await isSent('service_account.disabled', disabled, 2)
  expectStatus(await app.platform.delete(deleted), 204)
  await isSent('service_account.deleted', deleted)

  const statuses = async () => {
    const { body } = await app.platform.get(`${webhook.path}/deliveries?pageSize=100`)
    const ofThem = body.data.filter(({ type }: { type: string }) => type.startsWith('service_account.'))
    return ofThem.map(({ type, status }: { type: string; status: string }) => `${type} ${status}`).sort()
  }
  await t.waitFor(
    async () =>
      assert.deepEqual(await statuses(), [
        'service_account.created superseded',
        'service_account.created superseded',
        'service_account.deleted delivered',
        'service_account.disabled delivered',
        'service_account.disabled delivered',
        'service_account.enabled superseded',
      ]),
    SOON,
  )
  const { body } = await app.platform.get(`${webhook.path}/deliveries?pageSize=100&status=pending`)
  assert.ok(
    body.data.some(({ type }: { type: string }) => type === 'account.updated'),
    'a service account ends no statement about its account',
  )
})

test('sending all events again sends no grant after the revocation that has ended it', async (t) => {
  const app = await startTestApp(t, PRIVATE)
  const receiver = await startPicky(t, {})
  const { system, webhook } = await newWebhookSystem(app, receiver.url)
  startWorker(t, app, ONCE)
  const membership = await newMembership(app, system.id)
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_granted')), SOON)
  await app.platform.delete(`/admin/memberships/${membership.id}`)
  const allStored = () =>
    t.waitFor(
      async () =>
        assert.equal((await app.platform.get(`${webhook.path}/deliveries?status=pending`)).body.total, 0),
      SOON,
    )
  await t.waitFor(() => assert.ok(receiver.types().includes('user.access_revoked')), SOON)
  await allStored() // what is being sent is not sent again
  const before = receiver.received.length

  const again = await app.platform.post(`${webhook.path}/resend`, { after: webhook.createdAt })
  await t.waitFor(() => assert.ok(receiver.types().slice(before).includes('user.access_revoked')), SOON)
  await allStored()

  assert.equal(again.status, 202)
  assert.deepEqual(
    receiver.received
      .slice(before)
      .filter(({ event }) => GRANTS.has(event.type))
      .map(({ event }) => event.type),
    [],
  )
})
