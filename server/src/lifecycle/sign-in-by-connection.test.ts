/** Which user an organization's provider signs in, and what a refusal leaves behind. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newPlace, noteTested } from '../../test/support/connections.ts'
import { newName } from '../../test/support/domains.ts'
import { expectStatus } from '../../test/support/http.ts'
import { startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { connectionLinks, domains, memberships, users } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'
import { SERVER } from '../http/authority.ts'
import { ConnectionRefusal, type Stated, signInByConnection } from './sign-in-by-connection.ts'

async function start(t: TestContext, fields: object = {}) {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const { id, path } = await place.add(place.admin, {
    ...{ issuer: 'https://acme.okta.com', clientId: 'a', clientSecret: 'b', ...fields },
  })
  await noteTested(app, id)
  expectStatus(await place.admin.patch(path, { enabled: true }), 200)
  const { accountId, system } = place
  const name = newName()
  await app.db.insert(domains).values({
    ...{ systemId: system.id, accountId, name, setBy: 'account', word: 'w' },
    ...{ token: crypto.randomUUID(), status: 'verified', verifiedAt: sql`now()` },
  })
  const mailing = { seal: app.seal, config: { BASE_URL: app.url } }
  const answer = async (sub: string, more: Partial<Stated> = {}) => {
    const stated: Stated = {
      ...{ subject: sub, missing: [], email: `${sub}@${name}`, address: 'verified', hostedDomain: null },
      ...{ name: null, givenName: null, familyName: null, locale: null, ...more },
    }
    const answered = { id, systemId: system.id, accountId, at: Date.now() + 60_000 }
    return inTransaction(app.db, (tx) =>
      signInByConnection(tx, mailing, SERVER, answered, stated, undefined),
    ).catch((error: unknown) => {
      if (error instanceof ConnectionRefusal) return error.code
      throw error
    })
  }
  const links = () => app.db.select().from(connectionLinks).where(eq(connectionLinks.connectionId, id))
  const usersOf = (email: string) => app.db.select().from(users).where(eq(users.email, email))
  return { app, ...place, connection: { id, path }, name, answer, links, usersOf }
}

test('P69: of a provider of an organization only a vouched address of its domain leads to a user', async (t) => {
  const { app, answer, links, usersOf, name } = await start(t, { jit: true })
  const victim = await app.newUser({ email: `victim@${newName()}` })
  const known = await app.newUser({ email: `known@${name}` })

  const refused = [
    await answer('a', { email: victim.email }),
    await answer('b', { email: known.email, address: 'unverified' }),
    await answer('c', { email: known.email, address: 'guest' }),
    await answer('d', { email: null }),
    await answer('e', { subject: null }),
    await answer('f', { missing: ['hd'] }),
    await answer('g', { hostedDomain: 'elsewhere.example' }),
  ]
  const before = await links()
  const entered = await answer('known')

  assert.deepEqual(refused, [
    ...['address_foreign', 'address_unverified', 'address_unverified', 'no_address', 'no_subject'],
    ...['claim_missing', 'address_unverified'],
  ])
  assert.deepEqual([before, await usersOf(`g@${name}`)], [[], []])
  assert.ok(typeof entered === 'object' && entered.userId === known.id)
  const [member] = await app.db.select().from(memberships).where(eq(memberships.userId, known.id))
  assert.deepEqual([member?.confirmEntry, member?.status], [true, 'active'])
})

test('P144: a refusal leaves no user, membership or link, and no block is lifted', async (t) => {
  const { app, answer, links, usersOf, name } = await start(t)
  const stranger = await answer('ana')
  const created = await usersOf(`ana@${name}`)
  const jit = await start(t, { jit: true })
  const first = await jit.answer('ana')
  assert.ok(typeof first === 'object')
  const [member] = await app.db.select().from(memberships).where(eq(memberships.userId, first.userId))
  const again = await jit.answer('ana', { email: null })
  const other = await jit.answer('other', { email: `ana@${jit.name}` })
  const foreign = await jit.answer('ana', { email: 'ana@elsewhere.example' })
  expectStatus(await jit.admin.patch(`/admin/memberships/${member!.id}`, { status: 'blocked' }), 200)
  expectStatus(await jit.admin.delete(`/admin/memberships/${member!.id}`), 204)
  const removed = await jit.answer('ana')

  assert.deepEqual([stranger, created, await links()], ['not_member', [], []])
  assert.ok(typeof again === 'object' && again.linkId === first.linkId)
  assert.deepEqual([other, foreign, removed], ['identity_conflict', 'identity_conflict', 'not_member'])
  assert.deepEqual(await jit.links(), [])
})
