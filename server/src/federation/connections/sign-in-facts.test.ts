/** What a session by a connection says about its user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { newName } from '../../../test/support/domains.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { type Started, signInAs, startConnection, tokensOf } from '../../../test/support/sso-sign-in.ts'
import { recordStatements } from '../../../test/support/statements.ts'
import type { Tokens } from '../../../test/support/testing.ts'
import { and, eq } from '../../database/drizzle.ts'
import { domains } from '../../database/schema.ts'

const PROFILE = [
  'name',
  'given_name',
  'family_name',
  'nickname',
  'picture',
  'website',
  'birthdate',
  'locale',
  'zoneinfo',
]
type Claims = Record<string, unknown>

const profileOf = (claims: Claims): Claims =>
  Object.fromEntries(PROFILE.flatMap((name) => (name in claims ? [[name, claims[name]]] : [])))

const addressOf = ({ email, email_verified }: Claims) => [email, email_verified]

/** The claims of the ID token, of the userinfo endpoint, and of the ID token after a refresh. */
async function claimsOf({ app, system }: Pick<Started, 'app' | 'system'>, tokens: Tokens): Promise<Claims[]> {
  const me = expectStatus(await app.me(tokens.access_token), 200).body
  const refreshed = expectStatus(await app.refresh(system as never, tokens.refresh_token!), 200).body
  tokens.refresh_token = refreshed.refresh_token
  return [decodeJwt(tokens.id_token), me, decodeJwt(refreshed.id_token)]
}

const enterBy = async (place: Started, claims: object): Promise<Tokens> =>
  tokensOf(place, await signInAs(place, claims))

/** A member of the organization who has entered the system, with what each side states of them. */
async function newKnown(place: Started, fields: object = {}) {
  const { app, system, accountId, service, person } = place
  const own = {
    name: 'Own Name',
    familyName: 'Own',
    picture: 'https://own.example/me.png',
    birthdate: '1990-01-01',
  }
  const user = await app.newUser({ email: person('ana').email, zoneinfo: 'Europe/Lisbon', ...own, ...fields })
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  await app.signIn(system as never, { email: user.email })
  const byService = (body: object) => service.patch(`/admin/users/${user.id}`, body)
  return { user, byService, email: String(user.email) }
}

test('P143: a session by a connection reads the account over the system, and nothing of the own profile', async (t) => {
  const place = await startConnection(t)
  const { app, person } = place
  const { user, byService } = await newKnown(place)
  expectStatus(await byService({ name: 'Name in the system', nickname: 'Annie' }), 200)
  const foreign = await app.newSystem({ allowClientCredentials: true, skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: foreign.id })
  const theirs = await app.serviceOf(foreign as never)
  expectStatus(await theirs.patch(`/admin/users/${user.id}`, { website: 'https://foreign.example/' }), 200)

  const unnamed = await enterBy(place, person('ana', { name: undefined }))
  const named = await enterBy(
    place,
    person('ana', { name: 'Ana at Acme', given_name: 'Ana', locale: 'pt-BR' }),
  )
  const [since] = await claimsOf(place, named)
  expectStatus(await app.platform.patch(`/admin/users/${user.id}`, { familyName: 'Later' }), 200)

  assert.deepEqual(profileOf(decodeJwt(unnamed.id_token)), { name: 'Name in the system', nickname: 'Annie' })
  const stated = { name: 'Ana at Acme', given_name: 'Ana', nickname: 'Annie', locale: 'pt-BR' }
  for (const claims of await claimsOf(place, named)) {
    assert.deepEqual(profileOf(claims), stated)
    assert.equal(claims.updated_at, since?.updated_at, 'a change of the own profile is not seen')
  }
})

test('P143: what an organization states is read in its account only', async (t) => {
  const place = await startConnection(t)
  const { app, system, person, join, verify, connect, accountId } = place
  const { user, email } = await newKnown(place)
  const neighbor = await join()
  await verify(neighbor.accountId)
  await app.newMembership({ userId: user.id, systemId: system.id, accountId: neighbor.accountId })
  const theirs = await connect(neighbor as never)
  const foreign = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: foreign.id })
  const inTheirs = {
    ...place,
    accountId: neighbor.accountId,
    connection: theirs,
    other: theirs.other,
  } as Started

  await enterBy(place, person('ana', { name: 'Ana at A', given_name: 'A' }))
  const inB = await enterBy(inTheirs, person('ana', { name: undefined, family_name: 'B' }))
  const again = await enterBy(place, person('ana', { name: 'Ana at A', given_name: 'A' }))
  const own = (account: string) => app.signIn(system as never, { email, account })

  for (const claims of await claimsOf(place, inB)) assert.deepEqual(profileOf(claims), { family_name: 'B' })
  for (const claims of await claimsOf(place, again))
    assert.deepEqual(profileOf(claims), { name: 'Ana at A', given_name: 'A' })
  const whole = {
    ...{
      name: 'Own Name',
      family_name: 'Own',
      picture: 'https://own.example/me.png',
      birthdate: '1990-01-01',
    },
    zoneinfo: 'Europe/Lisbon',
  }
  for (const claims of await claimsOf(place, await own(neighbor.accountId)))
    assert.deepEqual(profileOf(claims), { ...whole, family_name: 'B' })
  for (const claims of await claimsOf(place, await own(accountId)))
    assert.deepEqual(profileOf(claims), { ...whole, name: 'Ana at A', given_name: 'A' })
  const elsewhere = await app.signIn(foreign as never, { email })
  for (const claims of await claimsOf({ app, system: foreign as never }, elsewhere))
    assert.deepEqual(profileOf(claims), whole)
})

test('P148: in a session by a connection an address is verified only while its organization vouches for it', async (t) => {
  const place = await startConnection(t)
  const { app, system, person, name, accountId, join, verify } = place
  const { byService, email } = await newKnown(place, { emailVerified: true })
  expectStatus(await byService({ emailVerified: true }), 200)
  const setStatus = (status: 'verified' | 'lapsed') =>
    app.db
      .update(domains)
      .set({ status })
      .where(and(eq(domains.accountId, accountId), eq(domains.name, name)))
  await verify((await join()).accountId)

  const tokens = await enterBy(place, person('ana'))
  const vouched = await claimsOf(place, tokens)
  await setStatus('lapsed')
  const lapsed = (await claimsOf(place, tokens)).slice(1)
  const own = await claimsOf(place, await app.signIn(system as never, { email }))
  await setStatus('verified')
  const renewed = (await claimsOf(place, tokens)).slice(1)
  await enterBy(place, person('ana', { email: `lovelace@${name}` }))
  const renamed = (await claimsOf(place, tokens)).slice(1)

  for (const claims of [...vouched, ...renewed, ...own]) assert.deepEqual(addressOf(claims), [email, true])
  for (const claims of [...lapsed, ...renamed]) assert.deepEqual(addressOf(claims), [email, false])
  assert.equal(vouched.length + lapsed.length + renamed.length, 7)
})

test('P148: an address that nobody else has verified is verified where the organization vouches for it', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person } = place

  const tokens = await enterBy(place, person('bob'))
  const { sub } = decodeJwt(tokens.id_token)
  const user = expectStatus(await app.platform.get(`/admin/users/${sub}`), 200).body

  for (const claims of await claimsOf(place, tokens))
    assert.deepEqual(
      [claims.email, claims.email_verified, claims.name],
      [person('bob').email, true, 'The bob'],
    )
  assert.deepEqual([user.emailVerified, user.name], [false, null])
})

test('only a session by a connection asks for verified domains, in one statement', async (t) => {
  const place = await startConnection(t)
  const { app, system, person } = place
  const { email } = await newKnown(place)
  const byConnection = await enterBy(place, person('ana'))
  const own = await app.signIn(system as never, { email })
  const statements = recordStatements(app.db)
  const asked = async ({ access_token: token }: Tokens) => {
    expectStatus(await app.me(token), 200)
    return statements().filter((text) => text.includes('from "domains"')).length
  }

  assert.deepEqual([await asked(own), await asked(byConnection)], [0, 1])
})

test('P148: an address that the user no longer has is not verified', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person } = place
  const tokens = await enterBy(place, person('bob'))
  const { sub } = decodeJwt(tokens.id_token)

  expectStatus(
    await app.platform.patch(`/admin/users/${sub}`, { email: `moved-${newName()}@example.test` }),
    200,
  )
  const me = await app.me(tokens.access_token)
  const again = decodeJwt((await enterBy(place, person('bob'))).id_token)

  assert.equal(again.sub, sub)
  for (const claims of [expectStatus(me, 200).body, again])
    assert.deepEqual(addressOf(claims), [person('bob').email, false])
})
