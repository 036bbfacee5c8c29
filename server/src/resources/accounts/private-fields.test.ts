/** `metadata` and `externalId` of an account: of the system and the platform, never of its admins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, expectStatus, pathsOf } from '../../../test/support/http.ts'
import { newOrganization } from '../../../test/support/invitations.ts'
import { startTestApp } from '../../../test/support/testing.ts'

const outcome = ({ status, body }: Answer) => [status, body?.code]

test('an account has metadata and an external id, which finds it and is unique in the system', async (t) => {
  const app = await startTestApp(t)
  const { system, service, accountId } = await newOrganization(app)
  const list = `/admin/systems/${system.id}/accounts`
  const fields = { metadata: { plan: { seats: 5 } }, externalId: 'crm:A-1042' }

  const { body } = expectStatus(await service.post(list, { name: 'Birch', ...fields }), 201)
  const at = `/admin/accounts/${body.id}`
  const taken = [
    await service.post(list, { name: 'Other', externalId: fields.externalId }),
    await service.patch(`/admin/accounts/${accountId}`, { externalId: fields.externalId }),
  ]
  const found = [
    (await service.get(`${list}?externalId=crm%3AA-1042`)).body.data,
    (await app.platform.get(`/admin/accounts?systemId=${system.id}&externalId=crm%3AA-1042`)).body.data,
    (await service.get(`${list}?externalId=A-1042`)).body.data,
  ].map((rows) => rows.map(({ id }: { id: string }) => id))
  const elsewhere = await newOrganization(app)
  const same = await elsewhere.service.patch(`/admin/accounts/${elsewhere.accountId}`, {
    externalId: fields.externalId,
  })
  const cleared = await service.patch(at, { externalId: null, metadata: {} })
  const free = await service.patch(`/admin/accounts/${accountId}`, { externalId: fields.externalId })

  assert.deepEqual([body.metadata, body.externalId], [fields.metadata, fields.externalId])
  assert.deepEqual(taken.map(outcome), Array(2).fill([409, 'external_id_taken']))
  assert.deepEqual(found, [[body.id], [body.id], []])
  assert.deepEqual([same.status, cleared.status, free.status], [200, 200, 200])
  assert.deepEqual([cleared.body.externalId, cleared.body.metadata], [null, {}])
})

test('P42: an external id has 1 to 255 bytes without control characters, metadata at most 10 kB', async (t) => {
  const app = await startTestApp(t)
  const { service, accountId } = await newOrganization(app)
  const patch = (body: object) => service.patch(`/admin/accounts/${accountId}`, body)
  const bad = ['', 'x'.repeat(256), 'ä'.repeat(128), 'a\nb', 'a\u007f', 5, []]

  const refused = await Promise.all(bad.map((externalId) => patch({ externalId })))
  const large = await patch({ metadata: { long: 'x'.repeat(10_240) } })
  const wrong = await Promise.all([[], 'x', null].map((metadata) => patch({ metadata })))
  const most = await patch({ externalId: 'ä'.repeat(127), metadata: { long: 'x'.repeat(10_000) } })

  assert.deepEqual(refused.map(outcome), Array(bad.length).fill([400, 'invalid_request']))
  for (const answer of refused) assert.deepEqual([...new Set(pathsOf(answer))], ['/externalId'])
  assert.deepEqual([large, ...wrong].map(outcome), Array(4).fill([400, 'invalid_request']))
  assert.equal(most.status, 200)
})

test('P36: the admin of an account reads neither in answers nor in the audit log, and writes neither', async (t) => {
  const app = await startTestApp(t)
  const { system, service, account, accountId } = await newOrganization(app)
  const at = `/admin/accounts/${accountId}`
  const secret = crypto.randomUUID()
  expectStatus(await service.patch(at, { metadata: { secret }, externalId: `crm:${secret}` }), 200)
  const list = `/admin/systems/${system.id}/accounts`

  const answers = [
    await account.get(at),
    await account.get(list),
    await account.patch(at, { name: 'Mine' }),
    await account.get(`/admin/audit?pageSize=100`),
    await account.get('/admin/audit/export'),
  ]
  const writes = [await account.patch(at, { metadata: {} }), await account.patch(at, { externalId: null })]
  const guess = await account.get(`${list}?externalId=crm:${secret}`)
  const seen = (await service.get(`/admin/audit?targetId=${accountId}`)).body.data

  for (const { status, body } of answers) {
    assert.ok(status === 200 || status === 401, String(status))
    assert.ok(!JSON.stringify(body).includes(secret))
  }
  assert.ok(!('metadata' in answers[0]!.body) && !('externalId' in answers[0]!.body))
  assert.deepEqual([...writes, guess].map(outcome), Array(3).fill([400, 'invalid_request']))
  assert.ok(JSON.stringify(seen).includes(secret))
  const events = await app.findEvents({ accountId, type: 'account.updated' })
  assert.ok(!JSON.stringify(events).includes(secret))
})
