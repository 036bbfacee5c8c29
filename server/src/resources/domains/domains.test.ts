/** The operations on domains: names, who sets them up, and how many there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDomain, newName, newOrganization } from '../../../test/support/domains.ts'
import { type Answer, pathsOf } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { domains } from '../../database/schema.ts'

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]

test('P93: a domain has one spelling, and what is no domain of addresses is refused', async (t) => {
  const app = await startTestApp(t)
  const { admin, path } = await newOrganization(app)
  const id = newName().split('.')[0]
  const spellings = [`bücher-${id}.example`, `bücher-${id}.EXAMPLE.`, `BuCHER-${id}.Example.`]
  const refused = [
    ...['', ' ', 'example', 'com', 'localhost', '.', '..', 'a..example', '.example.com', 'example.com..'],
    ...['*.example.com', '_tenantry-challenge.*.com', 'ex ample.com', 'example.com ', 'ex\u200bample.com'],
    ...[
      'ｅxample.com',
      'example。com',
      'exa\u00admple.com',
      'xn--a.example',
      'xn--bcher-kva',
      '\u202eexample.com',
    ],
    ...['192.0.2.1', '0x7f.1', '2130706433.1', '[2001:db8::1]', 'example.123', 'example.com:53'],
    ...[
      'a@example.com',
      'https://example.com',
      'example.com/a',
      "example.com'--",
      `${'a'.repeat(64)}.example`,
    ],
    ...[`${'a.'.repeat(120)}example`, `${'a.'.repeat(112)}example.com`, `a\0.example.com`],
  ]

  const first = await admin.post(path, { name: spellings[0] })
  const same = await admin.post(path, { name: spellings[1] })
  const ascii = await admin.post(path, { name: spellings[2] })
  const homograph = await admin.post(path, { name: `b\u0443cher-${id}.example` }) // a Cyrillic letter
  const answers = []
  for (const name of refused) answers.push(await admin.post(path, { name }))

  assert.match(first.body.name, /^xn--bcher-[\w-]+\.example$/)
  assert.deepEqual(outcomeOf(same), [409, 'domain_exists'])
  assert.deepEqual([ascii.status, ascii.body.name], [201, `bucher-${id}.example`])
  assert.match(homograph.body.name, /^xn--/)
  assert.notEqual(homograph.body.name, first.body.name)
  assert.deepEqual(
    answers.map((answer, nth) => [refused[nth], answer.status, pathsOf(answer)]),
    refused.map((name) => [name, 400, ['/name']]),
  )
})

test('the record has the word of the installation, and a domain keeps the one it was added with', async (t) => {
  const app = await startTestApp(t, { DOMAIN_RECORD: 'acme-id' })
  const plain = await startTestApp(t)
  const { service, accountId } = await newOrganization(app)
  const name = newName()
  const path = `/admin/accounts/${accountId}/domains`

  const domain = await addDomain(service, path, { name })
  const elsewhere = await plain.platform.get(domain.path)

  assert.equal(domain.record.name, `_acme-id-challenge.${name}`)
  assert.match(domain.record.value, /^acme-id-verification=[\w-]{43}$/)
  assert.deepEqual(elsewhere.body.record, domain.record)
})

test('P73: organizationSso and ssoSelfService decide who sets up domains, and every authority reads them', async (t) => {
  const app = await startTestApp(t)
  const { system, service, admin, accountId, path } = await newOrganization(app)
  const clients = { platform: app.platform, system: service, account: admin }
  const matrix = []

  for (const organizationSso of ['off', 'system', 'account'])
    for (const ssoSelfService of [false, true]) {
      await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso })
      await app.platform.patch(`/admin/accounts/${accountId}`, { ssoSelfService })
      for (const [authority, client] of Object.entries(clients)) {
        const answer = await client.post(path, { name: newName() })
        matrix.push([organizationSso, ssoSelfService, authority, answer.body.code ?? answer.status])
      }
    }
  const read = await Promise.all(Object.values(clients).map((client) => client.get(path)))

  const off = 'sso_not_enabled'
  const row = (how: string, self: boolean, account: string | number, others: string | number = 201) => [
    [how, self, 'platform', others],
    [how, self, 'system', others],
    [how, self, 'account', account],
  ]
  assert.deepEqual(matrix, [
    ...row('off', false, off, off),
    ...row('off', true, off, off),
    ...row('system', false, off),
    ...row('system', true, 201),
    ...row('account', false, 201),
    ...row('account', true, 201),
  ])
  assert.deepEqual(
    read.map(({ status, body }) => [status, body.length]),
    read.map(() => [200, 11]),
  )
})

test('P73: without the right nothing is changed or checked, and what was set up can still be deleted', async (t) => {
  const app = await startTestApp(t)
  const { system, service, admin, path } = await newOrganization(app)
  const domain = await addDomain(admin, path, { name: newName() })
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'system' })

  const changed = await admin.patch(domain.path, { subdomains: true })
  const checked = await admin.post(`${domain.path}/check`)
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'off' })
  const off = [
    await service.patch(domain.path, { subdomains: true }),
    await service.post(`${domain.path}/check`),
  ]
  const deleted = await admin.delete(domain.path)

  assert.deepEqual(outcomeOf(changed), [403, 'sso_not_enabled'])
  assert.equal(checked.status, 202, 'a check changes nothing')
  assert.deepEqual(off.map(outcomeOf), [
    [403, 'sso_not_enabled'],
    [403, 'sso_not_enabled'],
  ])
  assert.equal(deleted.status, 204)
})

test('P51: what a higher authority has set up is read and checked, and not changed or deleted, by a lower one', async (t) => {
  const app = await startTestApp(t)
  const { service, admin, path, accountId } = await newOrganization(app)
  const ofPlatform = await addDomain(app.platform, path, { name: newName() })
  const ofSystem = await addDomain(service, path, { name: newName() })
  const ofAccount = await addDomain(admin, path, { name: newName() })
  const denied = [403, 'insufficient_authority']

  const refused = [
    await admin.patch(ofSystem.path, { subdomains: true }),
    await admin.patch(ofPlatform.path, { setBy: 'account' }),
    await admin.delete(ofSystem.path),
    await service.patch(ofPlatform.path, { subdomains: true }),
    await service.delete(ofPlatform.path),
    await service.patch(ofSystem.path, { setBy: 'platform' }),
    await admin.patch(ofAccount.path, { setBy: 'system' }),
    await admin.patch(`/admin/accounts/${accountId}`, { ssoSelfService: true }),
  ]
  const allowed = [
    await admin.get(ofPlatform.path),
    await admin.patch(ofAccount.path, { subdomains: true, setBy: 'account' }),
    await service.patch(ofAccount.path, { subdomains: false }),
    await service.patch(ofSystem.path, { setBy: 'account' }),
    await admin.patch(ofSystem.path, { subdomains: true }),
    await app.platform.patch(ofSystem.path, { setBy: 'platform' }),
    await admin.patch(`/admin/accounts/${accountId}`, { ssoSelfService: false }),
  ]
  const checked = await admin.post(`${ofPlatform.path}/check`)

  assert.deepEqual(
    refused.map(outcomeOf),
    refused.map(() => denied),
  )
  assert.deepEqual(
    allowed.map(({ status }) => status),
    allowed.map(() => 200),
  )
  assert.deepEqual(
    [ofPlatform, ofSystem, ofAccount].map(({ setBy }) => setBy),
    ['platform', 'system', 'account'],
  )
  assert.equal(checked.status, 202)
  assert.equal(allowed[5]!.body.setBy, 'platform')
})

test('only organizations of a system with multiAccount have domains, which such a system keeps', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, path } = await newOrganization(app)
  const { membership } = await app.newMember()
  const { data } = (await app.platform.get('/admin/systems?search=tenantry&pageSize=100')).body
  const console = data.find(({ clientId }: { clientId: string }) => clientId === 'tenantry-console')
  const [own] = (await app.platform.get(`/admin/systems/${console.id}/accounts`)).body.data
  const single = { multiAccount: false }

  const personal = await app.platform.post(`/admin/accounts/${membership.accountId}/domains`, {
    name: newName(),
  })
  const ofPlatform = await app.platform.post(`/admin/accounts/${own.id}/domains`, { name: newName() })
  const selfService = [membership.accountId, own.id].map((id) =>
    app.platform.patch(`/admin/accounts/${id}`, { ssoSelfService: true }),
  )
  const domain = await addDomain(admin, path, { name: newName() })
  const kept = await app.platform.patch(`/admin/systems/${system.id}`, single)
  await admin.delete(domain.path)
  const changed = await app.platform.patch(`/admin/systems/${system.id}`, single)
  const after = await app.platform.post(path, { name: newName() })

  assert.deepEqual([personal, ofPlatform].map(outcomeOf), [
    [409, 'not_organization'],
    [409, 'platform_system'],
  ])
  assert.deepEqual((await Promise.all(selfService)).map(outcomeOf), [
    [409, 'not_organization'],
    [409, own.kind === 'organization' ? 'platform_system' : 'not_organization'],
  ])
  assert.deepEqual(outcomeOf(kept), [409, 'sso_in_use'])
  assert.equal(changed.status, 200)
  assert.deepEqual(outcomeOf(after), [409, 'not_organization'])
})

test('P53: an account has at most 50 domains and ten requested checks, also for concurrent requests', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId, path } = await newOrganization(app)
  const domain = await addDomain(admin, path, { name: newName() })
  const { systemId } = domain
  const rows = Array.from({ length: 46 }, () => ({
    ...{ systemId, accountId, name: newName(), setBy: 'account' as const },
    ...{ word: 'tenantry', token: crypto.randomUUID() },
  }))
  await app.db.insert(domains).values(rows)

  const added = await Promise.all(Array.from({ length: 8 }, () => admin.post(path, { name: newName() })))
  const checks = await Promise.all(Array.from({ length: 14 }, () => admin.post(`${domain.path}/check`)))

  const refused = added.filter(({ status }) => status !== 201)
  assert.deepEqual(refused.map(outcomeOf), Array(5).fill([409, 'limit_reached']))
  assert.match(refused[0]!.body.detail, /^domainsOfAccount: at most 50/)
  assert.equal((await admin.get(path)).body.length, 50)
  const late = checks.filter(({ status }) => status !== 202)
  assert.deepEqual(late.map(outcomeOf), Array(4).fill([429, 'too_many_requests']))
  assert.ok(Number(late[0]!.headers.get('retry-after')) > 0)
})

test('P37: the admin of another account and the service of another system see no domain of this one', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, join } = await newOrganization(app)
  const [neighbor, foreign] = [await join(), await newOrganization(app)]
  const domain = await addDomain(admin, path, { name: newName() })
  const own = `${neighbor.path}/${domain.id}`

  const answers = []
  for (const [client, place] of [
    [neighbor.admin, domain.path],
    [neighbor.admin, own],
    [foreign.service, domain.path],
    [foreign.admin, domain.path],
  ] as const) {
    const { body } = await client.get(`/admin/names?ids=${domain.id}`)
    answers.push(
      outcomeOf(await client.get(place)),
      outcomeOf(await client.patch(place, { subdomains: true })),
      outcomeOf(await client.delete(place)),
      outcomeOf(await client.post(`${place}/check`)),
      JSON.stringify(body).includes(domain.name),
    )
  }
  const lists = [await neighbor.admin.get(path), await foreign.service.post(path, { name: newName() })]

  const none = [404, 'domain_not_found']
  assert.deepEqual(answers, Array(4).fill([none, none, none, none, false]).flat())
  assert.deepEqual(lists.map(outcomeOf), [
    [404, 'account_not_found'],
    [404, 'account_not_found'],
  ])
})

test('the domains of an account end with it, and one that was verified is announced when it is deleted', async (t) => {
  const app = await startTestApp(t)
  const { admin, service, accountId, path } = await newOrganization(app)
  const [pending, verified, last] = [
    await addDomain(admin, path, { name: newName() }),
    await addDomain(admin, path, { name: newName() }),
    await addDomain(admin, path, { name: newName() }),
  ]
  await app.db.execute(
    sql`update domains set status = 'verified', verified_at = now() where id = ${verified.id}`,
  )

  for (const { path } of [pending, verified]) assert.equal((await admin.delete(path)).status, 204)
  const events = await app.findEvents({ accountId, type: 'domain.removed' })
  assert.equal((await service.delete(`/admin/accounts/${accountId}`)).status, 204)

  assert.deepEqual(
    events.map(({ data }) => (data.domain as { id: string }).id),
    [verified.id],
  )
  const { rows } = (await app.db.execute(sql`select 1 from domains where id = ${last.id}`)) as unknown as {
    rows: unknown[]
  }
  assert.deepEqual(rows, [])
})
