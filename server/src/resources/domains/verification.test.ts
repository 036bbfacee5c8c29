/** The checks of domains, against a name server that really answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDomain, newName, newOrganization, startChecks } from '../../../test/support/domains.ts'
import { type Body, expectStatus } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { domains } from '../../database/schema.ts'

const stateOf = ({ status, outcome }: Body) => [status, outcome]

test('a domain is verified by its record, whatever the pages of its provider made of it', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, accountId } = await newOrganization(app)
  const { dns, check } = await startChecks(t, app)
  const forms: ((record: Body, name: string) => void)[] = [
    ({ name, value }) => dns.set(name, [value]),
    ({ name, value }) => dns.set(name.toUpperCase(), [value]),
    ({ name, value }) => dns.set(name, [value.split('=')[1]!]),
    ({ name, value }) => dns.set(name, [` "${value}" `]),
    ({ name, value }) => dns.set(name, [[value.slice(0, 9), value.slice(9)]]),
    ({ name, value }) => dns.set(name, [`"${value.slice(0, 9)}" "${value.slice(9)}"`]),
    ({ name, value }) => dns.set(name, ['v=spf1 -all', value, 'tenantry-verification=other']),
    ({ name, value }, domain) => dns.set(`${name}.${domain}`, [value]),
    ({ name, value }) => dns.set(name, { cname: newName(), records: [value] }),
  ]

  const states = []
  for (const publish of forms) {
    const domain = await addDomain(admin, path, { name: newName() })
    publish(domain.record, domain.name)
    const checked = await check(admin, domain.path)
    states.push([domain.status, ...stateOf(checked), checked.found])
  }

  assert.deepEqual(
    states,
    forms.map(() => ['pending', 'verified', 'verified', null]),
  )
  const events = await app.findEvents({ accountId, type: 'domain.verified' })
  assert.equal(events.length, forms.length)
  assert.deepEqual(events[0]!.data.actor, { type: 'server', id: null })
  const [entry] = await app.audited({ action: 'domain.verified', systemId: events[0]!.systemId! })
  assert.deepEqual([entry!.actorType, entry!.changes], ['server', { status: ['pending', 'verified'] }])
})

test('P93: what is not the record of this domain verifies nothing', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, join } = await newOrganization(app)
  const other = await join()
  const { dns, check } = await startChecks(t, app)
  const parent = newName()
  const name = `eu.${parent}`
  const domain = await addDomain(admin, path, { name })
  const ofParent = await addDomain(admin, path, { name: parent })
  const ofOther = await addDomain(other.admin, other.path, { name })
  const { value } = domain.record
  const at = domain.record.name

  const places: [string, string, string][] = [
    ['the record of another organization', at, ofOther.record.value],
    ['the record of the parent', at, ofParent.record.value],
    ['the value below the parent', ofParent.record.name, value],
    ['the value of the domain itself', name, value],
    ['the value at the name without the underscore', at.slice(1), value],
    ['the value in another one', at, `x${value}`],
    ['the value with more behind it', at, `${value} ${ofOther.record.value}`],
    ['the value in capitals', at, value.toUpperCase()],
    ['a part of the value', at, value.slice(0, -1)],
    ['the word alone', at, 'tenantry-verification='],
    ['the record with another word', at, value.replace('tenantry', 'other')],
  ]
  const verified = []
  for (const [what, place, text] of places) {
    dns.set(place, [text])
    const checked = await check(admin, domain.path)
    if (checked.outcome !== 'missing') verified.push([what, checked.outcome])
    dns.clear(place)
  }
  dns.set(at, [value])
  const removed = await admin.delete(domain.path)
  const again = await addDomain(admin, path, { name })

  assert.deepEqual(verified, [])
  assert.equal(removed.status, 204)
  assert.equal(again.record.name, at)
  assert.deepEqual(stateOf(await check(admin, again.path)), ['pending', 'missing'], 'the record left behind')
})

test('P93: two organizations verify one domain, each by its own record until that is gone', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, join } = await newOrganization(app)
  const other = await join()
  const { dns, check } = await startChecks(t, app)
  const name = newName()
  const [one, two] = [
    await addDomain(admin, path, { name }),
    await addDomain(other.admin, other.path, { name }),
  ]
  assert.equal(one.record.name, two.record.name)
  dns.set(one.record.name, [one.record.value, two.record.value])

  const both = [await check(admin, one.path), await check(other.admin, two.path)]
  dns.set(one.record.name, [two.record.value]) // the domain was sold to the second one
  const missing = await check(admin, one.path)
  await app.db
    .update(domains)
    .set({ missingSince: sql`missing_since - interval '7 days'` })
    .where(eq(domains.id, one.id))
  const after = [await check(admin, one.path), await check(other.admin, two.path)]

  assert.deepEqual(both.map(stateOf), [
    ['verified', 'verified'],
    ['verified', 'verified'],
  ])
  assert.deepEqual(stateOf(missing), ['verified', 'missing'])
  assert.deepEqual(after.map(stateOf), [
    ['lapsed', 'missing'],
    ['verified', 'verified'],
  ])
  assert.deepEqual(missing.found, { values: [two.record.value], others: 0 })
})

test('a verified domain lapses when its record was missing for 7 days, and its admins are notified once', async (t) => {
  const app = await startTestApp(t)
  const { admin, user, path, accountId } = await newOrganization(app)
  const { dns, check, publish } = await startChecks(t, app)
  const domain = await addDomain(admin, path, { name: newName(), subdomains: true })
  publish(domain)
  await check(admin, domain.path)
  dns.set(domain.record.name, [])
  const age = (interval: string) =>
    app.db
      .update(domains)
      .set({ missingSince: sql`missing_since - ${interval}::interval` })
      .where(eq(domains.id, domain.id))

  const first = await check(admin, domain.path)
  await age('6 days 23 hours')
  const before = await check(admin, domain.path)
  await age('1 hour')
  const lapsed = await check(admin, domain.path)
  const once = await check(admin, domain.path)
  publish(domain)
  const again = await check(admin, domain.path)

  assert.deepEqual([first, before, lapsed, once, again].map(stateOf), [
    ['verified', 'missing'],
    ['verified', 'missing'],
    ['lapsed', 'missing'],
    ['lapsed', 'missing'],
    ['verified', 'verified'],
  ])
  const sevenDays = 7 * 86_400_000
  assert.equal(Date.parse(first.lapsesAt) - Date.parse(first.missingSince), sevenDays)
  assert.deepEqual([lapsed.lapsesAt, again.missingSince, again.lapsesAt], [null, null, null])
  assert.ok(Date.parse(again.verifiedAt) > Date.parse(lapsed.verifiedAt))
  const { name, id } = domain
  const data = {
    domain: { id, name, subdomains: true, status: 'lapsed' },
    accountId,
    systemId: domain.systemId,
  }
  assert.deepEqual(
    (await app.findEvents({ accountId }))
      .filter(({ type }) => type.startsWith('domain.'))
      .map((each) => each.type),
    ['domain.verified', 'domain.lapsed', 'domain.verified'],
  )
  const [event] = await app.findEvents({ accountId, type: 'domain.lapsed' })
  assert.deepEqual(event!.data, { ...data, actor: { type: 'server', id: null } })
  const [entry] = await app.audited({ targetId: id, action: 'domain.lapsed' })
  assert.deepEqual(entry!.changes, { status: ['verified', 'lapsed'], reason: [null, 'missing'] })
  const emails = (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'domain_lapsed')
  assert.equal(emails.length, 1)
  assert.match(emails[0]!.text, new RegExp(name.replace('.', '\\W+'))) // not a link
})

test('P93: a name server that does not answer is no verdict, until it has not answered for 30 days', async (t) => {
  const app = await startTestApp(t)
  const { admin, path } = await newOrganization(app)
  const { dns, check, publish } = await startChecks(t, app)
  const failures = ['SERVFAIL', 'REFUSED', 'garbage', 'silent'] as const
  const verified = await Promise.all(
    failures.map(async (failure) => {
      const domain = await addDomain(admin, path, { name: newName() })
      publish(domain)
      await check(admin, domain.path)
      dns.set(domain.record.name, failure)
      return domain
    }),
  )
  const [servfail] = verified
  const half = await addDomain(admin, path, { name: newName() })
  dns.set(`${half.record.name}.${half.name}`, 'SERVFAIL') // the first name is answered: without a record
  const failing = (interval: string) =>
    app.db
      .update(domains)
      .set({ failingSince: sql`failing_since - ${interval}::interval` })
      .where(eq(domains.id, servfail!.id))

  const states = await Promise.all([...verified, half].map(({ path }) => check(admin, path)))
  await failing('29 days')
  const before = await check(admin, servfail!.path)
  await failing('2 days')
  const lapsed = await check(admin, servfail!.path)

  assert.deepEqual(states.map(stateOf), [
    ...failures.map(() => ['verified', 'failing']),
    ['pending', 'failing'],
  ])
  assert.deepEqual(states.flatMap(({ found, missingSince }) => [found, missingSince]).filter(Boolean), [])
  assert.deepEqual(
    [stateOf(before), stateOf(lapsed)],
    [
      ['verified', 'failing'],
      ['lapsed', 'failing'],
    ],
  )
})

test('a failure neither begins nor ends the days in which the record is missing', async (t) => {
  const app = await startTestApp(t)
  const { admin, path } = await newOrganization(app)
  const { dns, check, publish } = await startChecks(t, app)
  const domain = await addDomain(admin, path, { name: newName() })
  publish(domain)
  await check(admin, domain.path)

  dns.set(domain.record.name, [])
  const missing = await check(admin, domain.path)
  dns.set(domain.record.name, 'SERVFAIL')
  const failing = await check(admin, domain.path)
  await app.db
    .update(domains)
    .set({ missingSince: sql`missing_since - interval '8 days'` })
    .where(eq(domains.id, domain.id))
  const still = await check(admin, domain.path)
  dns.set(domain.record.name, [])
  const lapsed = await check(admin, domain.path)

  assert.equal(failing.missingSince, missing.missingSince)
  assert.deepEqual([failing, still, lapsed].map(stateOf), [
    ['verified', 'failing'],
    ['verified', 'failing'],
    ['lapsed', 'missing'],
  ])
})

test('P93: aliases that lead nowhere, wildcards and huge answers verify nothing and show no foreign records', async (t) => {
  const app = await startTestApp(t)
  const { admin, path } = await newOrganization(app)
  const { dns, check } = await startChecks(t, app)
  const [loop, wildcard, huge] = [
    await addDomain(admin, path, { name: newName() }),
    await addDomain(admin, path, { name: newName() }),
    await addDomain(admin, path, { name: newName() }),
  ]
  dns.set(loop.record.name, { cname: loop.record.name, records: [] })
  dns.set(wildcard.record.name, ['internal-vault=s3cr3t', 'v=spf1 -all'])
  const noise = Array.from({ length: 150 }, (_, nth) => `tenantry ${nth} \0\u0007\u00ff${'x'.repeat(200)}`)
  dns.set(huge.record.name, [...noise, ['tenantry', 'a'.repeat(250), 'b'.repeat(250)]])

  const [ofLoop, ofWildcard, ofHuge] = [
    await check(admin, loop.path),
    await check(admin, wildcard.path),
    await check(admin, huge.path),
  ]
  dns.set(huge.record.name, [...noise, huge.record.value])
  const verified = await check(admin, huge.path)

  assert.deepEqual([ofLoop, ofWildcard, ofHuge].map(stateOf), [
    ['pending', 'missing'],
    ['pending', 'missing'],
    ['pending', 'missing'],
  ])
  assert.deepEqual(ofLoop.found, { values: [], others: 0 })
  assert.deepEqual(ofWildcard.found, { values: [], others: 2 })
  assert.deepEqual([ofHuge.found.values.length, ofHuge.found.others], [5, 146])
  assert.ok(
    ofHuge.found.values.every((value: string) => /^tenantry \d \?{4}x+$/.test(value) && value.length === 200),
  )
  assert.deepEqual(stateOf(verified), ['verified', 'verified'])
})

test('only names below the domain are asked, and a deleted domain is asked no more', async (t) => {
  const app = await startTestApp(t)
  const { admin, path } = await newOrganization(app)
  const { dns, result } = await startChecks(t, app)
  const name = newName()
  const domain = await addDomain(admin, path, { name })

  const requested = expectStatus(await admin.post(`${domain.path}/check`), 202)
  assert.equal(requested.body.checking, true)
  assert.deepEqual(stateOf(await result(admin, domain.path)), ['pending', 'missing'])
  await admin.delete(domain.path)
  const asked = dns.asked.filter((each) => each.endsWith(name))

  const at = `_tenantry-challenge.${name}`
  assert.deepEqual([...new Set(asked)], [at, `${at}.${name}`])
  assert.equal((await admin.post(`${domain.path}/check`)).status, 404)
})
