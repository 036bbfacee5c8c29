/** How many addresses of others a system may ask about. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Driver, serviceToken, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { askedAddresses } from '../../database/schema.ts'
import { ADDRESSES_OF_DAY, recordAskedAddresses } from './asked-addresses.ts'

const mail = () => `${crypto.randomUUID()}@x.test`

async function newSystem(app: Driver, fields: object = {}) {
  const system = await app.newSystem({ allowClientCredentials: true, ...fields })
  const token = await serviceToken(app.url, system.clientId, system.clientSecret)
  const send = async (addresses: string[], query = '') => {
    const response = await fetch(`${app.url}/admin/users/import${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: addresses.map((email) => JSON.stringify({ email })).join('\n'),
    })
    return (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).code ?? 'created')
  }
  const asked = async () => {
    const rows = await app.db.select().from(askedAddresses).where(eq(askedAddresses.systemId, system.id))
    return rows.reduce((sum, row) => sum + row.asked, 0)
  }
  return { system, service: app.as(token), send, asked }
}

test('searching, creating, importing and dry runs share a budget that own users do not use', async (t) => {
  const app = await startTestApp(t)
  const { service, send, asked } = await newSystem(app)
  const [foreign, own] = [(await app.newUser()).email as string, mail()]
  const counts: number[] = []
  const count = async (work: () => Promise<unknown>) => {
    const before = await asked()
    await work()
    counts.push((await asked()) - before)
  }

  await count(() => service.get(`/admin/users?email=${foreign}`))
  await count(() => service.get(`/admin/users?email=${mail()}`))
  await count(() => service.post('/admin/users', { email: own }))
  await count(() =>
    service.post('/admin/users', { email: foreign }, { 'idempotency-key': crypto.randomUUID() }),
  )
  await count(() => send([foreign, mail(), mail()], '?dryRun=true'))
  await count(() => send([foreign, mail()]))
  await count(() => service.get(`/admin/users?email=${own}`))
  await count(() => send([own], '?dryRun=true'))
  await count(() => app.platform.get(`/admin/users?email=${mail()}`))

  assert.deepEqual(counts, [1, 1, 1, 1, 3, 2, 0, 0, 0])
})

test('a search by a complete address and a membership by address use the same budget', async (t) => {
  const app = await startTestApp(t)
  const { system, service, asked } = await newSystem(app, { multiAccount: true })
  const foreign = (await app.newUser()).email as string
  const join = (email: string) =>
    service.post('/admin/memberships', { email, systemId: system.id, roles: [crypto.randomUUID()] })

  const found = await service.get(`/admin/users?search=${foreign.toUpperCase()}`)
  const counts = [await asked()]
  await service.get(`/admin/users?search=${foreign.slice(0, 12)}`)
  counts.push(await asked())
  const answers = [await join(foreign), await join(mail())]
  counts.push(await asked())
  await app.db
    .update(askedAddresses)
    .set({ asked: ADDRESSES_OF_DAY })
    .where(eq(askedAddresses.systemId, system.id))
  const beyond = [await service.get(`/admin/users?search=${foreign}`), await join(foreign)]

  assert.equal(found.body.total, 1)
  assert.deepEqual(counts, [1, 1, 3])
  assert.deepEqual(
    answers.map(({ body }) => body.code),
    ['role_not_in_system', 'user_not_found'],
  )
  assert.deepEqual(
    beyond.map(({ status }) => status),
    [429, 429],
  )
})

test('beyond 100,000 addresses in a day no answer is about more, only about own users', async (t) => {
  const app = await startTestApp(t)
  const { system, service, send } = await newSystem(app)
  const [foreign, own] = [(await app.newUser()).email as string, mail()]
  await service.post('/admin/users', { email: own })
  await app.db
    .update(askedAddresses)
    .set({ asked: ADDRESSES_OF_DAY, hour: sql`${askedAddresses.hour} - interval '2 hours'` })
    .where(eq(askedAddresses.systemId, system.id))

  const searched = await service.get(`/admin/users?email=${foreign}`)
  const created = await service.post('/admin/users', { email: mail() })
  const other = await newSystem(app)

  assert.deepEqual([searched.status, searched.body.code], [429, 'too_many_requests'])
  const wait = Number(searched.headers.get('retry-after'))
  assert.ok(wait > 20 * 3_600 && wait <= 22 * 3_600, `${wait}`)
  assert.equal(created.status, 429)
  assert.deepEqual(await send([foreign, mail()], '?dryRun=true'), ['too_many_requests', 'too_many_requests'])
  assert.deepEqual(await send([foreign]), ['too_many_requests'])
  assert.equal((await service.get(`/admin/users?email=${own}`)).body.total, 1)
  assert.equal((await other.service.get(`/admin/users?email=${foreign}`)).status, 200)
})

test('the audit log has one entry with the number of an hour, once it is over', async (t) => {
  const app = await startTestApp(t)
  const { system, service } = await newSystem(app)
  for (let count = 0; count < 3; count++) await service.get(`/admin/users?email=${mail()}`)
  const entries = async () => app.audited({ targetId: system.id, action: 'system.addresses_asked' })
  await recordAskedAddresses(app.db)
  const during = await entries()
  await app.db
    .update(askedAddresses)
    .set({ hour: sql`${askedAddresses.hour} - interval '1 hour'` })
    .where(eq(askedAddresses.systemId, system.id))

  await recordAskedAddresses(app.db)
  await recordAskedAddresses(app.db)

  assert.deepEqual(during, [])
  const [entry, ...more] = await entries()
  assert.deepEqual([entry!.changes?.addresses, entry!.systemId, more], [[null, 3], system.id, []])
})
