/** Which organizations have verified the domain of an address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newName, newOrganization } from '../../../test/support/domains.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { domains } from '../../database/schema.ts'
import { isVerifiedBy, listVerifiers } from './match.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Row = { name: string; subdomains?: boolean; status?: 'pending' | 'verified' | 'lapsed' }

/** Stores domains of an account, as its admins and the worker do. */
const verify = (app: App, place: { systemId: string; accountId: string }, ...rows: Row[]) =>
  app.db.insert(domains).values(
    rows.map(({ name, subdomains = false, status = 'verified' }) => ({
      ...{ ...place, name, subdomains, status, setBy: 'account' as const, word: 'tenantry' },
      ...{ token: crypto.randomUUID(), verifiedAt: status === 'pending' ? null : new Date() },
    })),
  )

/** Three organizations of one system, and one of another. */
async function newPlaces(app: App) {
  const [one, foreign] = [await newOrganization(app), await newOrganization(app)]
  const { system, accountId } = one
  const others = [(await one.join()).accountId, (await one.join()).accountId]
  const placeOf = (account: string) => ({ systemId: String(system.id), accountId: account })
  return {
    systemId: String(system.id),
    places: [accountId, ...others].map(placeOf),
    foreign: { systemId: String(foreign.system.id), accountId: foreign.accountId },
  }
}

test('the longest verified domain decides which organizations an address belongs to', async (t) => {
  const app = await startTestApp(t)
  const { systemId, places } = await newPlaces(app)
  const [a, b, c] = places as [(typeof places)[0], (typeof places)[0], (typeof places)[0]]
  const name = newName()
  await verify(app, a, { name, subdomains: true }, { name: `de.eu.${name}` })
  await verify(app, b, { name: `eu.${name}`, subdomains: true })
  await verify(app, c, { name })
  const verifiers = (host: string) => listVerifiers(app.db, systemId, `ann@${host}`)

  assert.deepEqual(await verifiers(name), [a.accountId, c.accountId].sort())
  assert.deepEqual(await verifiers(`us.${name}`), [a.accountId])
  assert.deepEqual(await verifiers(`eu.${name}`), [b.accountId])
  assert.deepEqual(await verifiers(`fr.eu.${name}`), [b.accountId])
  assert.deepEqual(await verifiers(`de.eu.${name}`), [a.accountId])
  for (const place of [a, b]) assert.equal(await isVerifiedBy(app.db, place, `ann@fr.eu.${name}`), true)
  assert.equal(await isVerifiedBy(app.db, c, `ann@fr.eu.${name}`), false)
})

test('P93: no domain but a verified one of this system matches, in whole labels', async (t) => {
  const app = await startTestApp(t)
  const { systemId, places, foreign } = await newPlaces(app)
  const [a, b] = places as [(typeof places)[0], (typeof places)[0]]
  const name = newName()
  await verify(app, a, { name: `sub.${name}` }, { name: `own.${name}`, subdomains: true })
  await verify(
    app,
    b,
    { name, subdomains: true, status: 'pending' },
    { name: `own.${name}`, status: 'lapsed' },
  )
  await verify(app, foreign, { name, subdomains: true })

  const [, suffix] = name.split('.')
  const addresses = [
    `ann@${name}`,
    `ann@x.sub.${name}`,
    `ann@notown.${name}`,
    `ann@own.${name}.evil.example`,
    `own.${name}@gmail.example`,
    `ann@${suffix}`,
    'ann@',
    '%@%',
  ]
  for (const address of addresses) {
    assert.deepEqual(await listVerifiers(app.db, systemId, address), [], address)
    for (const place of [a, b]) assert.equal(await isVerifiedBy(app.db, place, address), false, address)
  }
  assert.deepEqual(await listVerifiers(app.db, systemId, `ann@x.own.${name}`), [a.accountId])
  assert.equal(await isVerifiedBy(app.db, { ...a, systemId: foreign.systemId }, `ann@own.${name}`), false)
})
