/** Identities are those of an issuer, whatever its provider is called in the settings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailedCode, sendTo } from '../../test/support/factors.ts'
import {
  addressOf,
  begin,
  findByEmail,
  rest,
  start,
  through,
  tokensOf,
  unique,
} from '../../test/support/social.ts'
import { PASSWORD } from '../../test/support/testing.ts'
import { readConfig } from '../config/config.ts'
import { isIssuerOf } from '../config/identity-providers.ts'
import { eq } from '../database/drizzle.ts'
import { identities } from '../database/schema.ts'

type Started = Awaited<ReturnType<typeof start>>
type System = Awaited<ReturnType<Started['app']['newSystem']>>

/** A user who signed in to `system` by the provider `one`. */
async function newLinked({ app, one }: Started, system: System) {
  const email = addressOf()
  one.claims = { sub: unique(), email, email_verified: true }
  const begun = await begin(app, system)
  await tokensOf(app, system, begun, await rest(begun.visitor, await through(begun, one)))
  return findByEmail(app, email)
}

const read = async ({ app }: Started, id: string) => (await app.platform.get(`/admin/users/${id}`)).body

test('P11: an identity stays linked when its provider is renamed, and is unlinked by either name', async (t) => {
  const started = await start(t)
  const { app, one } = started
  const system = await app.newSystem({ allowSelfRegister: true })
  const [ada, bob] = [await newLinked(started, system), await newLinked(started, system)]
  const rename = () => app.db.update(identities).set({ provider: 'former' })
  for (const { id } of [ada, bob]) {
    await rename().where(eq(identities.userId, id))
    await app.platform.post(`/admin/users/${id}/set-password`, { password: PASSWORD })
  }
  const former = await read(started, ada.id)
  one.claims = { sub: ada.identities[0].subject, email: ada.email, email_verified: false }

  const begun = await begin(app, system)
  const { claims } = await tokensOf(app, system, begun, await rest(begun.visitor, await through(begun, one)))
  const renamed = await read(started, ada.id)
  const removed = [
    await app.platform.delete(`/admin/users/${bob.id}/social/two`),
    await app.platform.delete(`/admin/users/${bob.id}/social/one`),
    await app.platform.delete(`/admin/users/${ada.id}/social/one`),
  ]

  assert.equal(claims.sub, ada.id)
  assert.deepEqual(
    [former.identities, renamed.identities],
    ['former', 'one'].map((provider) => [{ provider, subject: one.claims.sub, email: ada.email }]),
  )
  assert.deepEqual(
    removed.map(({ status }) => status),
    [404, 204, 204],
  )
})

test('P11: a name that points to another issuer opens no identity of the former issuer', async (t) => {
  const started = await start(t)
  const { app, one } = started
  const system = await app.newSystem({ allowSelfRegister: true })
  const user = await newLinked(started, system)
  const former = { issuer: 'https://former.test' }
  await app.db.update(identities).set(former).where(eq(identities.userId, user.id))

  one.claims = { sub: user.identities[0].subject, email: addressOf(), email_verified: true }
  const begun = await begin(app, system)
  const { claims } = await tokensOf(app, system, begun, await rest(begun.visitor, await through(begun, one)))

  assert.notEqual(claims.sub, user.id)
  assert.equal((await read(started, user.id)).identities[0].email, user.email)
})

test('P11: a known subject with another address is identity_conflict until its user has that address', async (t) => {
  const started = await start(t)
  const { app, one } = started
  const system = await app.newSystem({ allowSelfRegister: true })
  const [user, other] = [await newLinked(started, system), await app.newUser({ emailVerified: true })]
  const subject = user.identities[0].subject
  const [moved, foreign] = [addressOf('moved'), other.email]

  const refused = []
  for (const email of [moved, foreign]) {
    one.claims = { sub: subject, email, email_verified: true }
    const page = await through(await begin(app, system), one)
    refused.push([page.status, /identity_conflict/.test(String(page.body))])
  }
  const before = [await read(started, user.id), await read(started, other.id)]
  await app.platform.patch(`/admin/users/${user.id}`, { email: moved })
  one.claims = { sub: subject, email: moved, email_verified: true }
  const begun = await begin(app, system)
  const asked = await through(begun, one)
  const code = await mailedCode(app, moved)
  const confirmed = await begun.visitor.follow(await sendTo(begun.visitor, asked, 'verify-email', { code }))
  const { claims } = await tokensOf(app, system, begun, await rest(begun.visitor, confirmed))

  assert.deepEqual(refused, [
    [409, true],
    [409, true],
  ])
  assert.deepEqual(
    before.map(({ identities: linked }) => linked),
    [[{ provider: 'one', subject, email: user.email }], []],
  )
  assert.equal(await findByEmail(app, moved).then(({ id }) => id), claims.sub)
  assert.equal(claims.sub, user.id)
})

test('P11: an address whose user has another identity of the issuer is identity_conflict, never a new link', async (t) => {
  const started = await start(t)
  const { app, one, two } = started
  const system = await app.newSystem({ allowSelfRegister: true })
  const user = await newLinked(started, system)
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })
  const claims = { sub: unique(), email: user.email }

  one.claims = { ...claims, email_verified: true }
  const verified = await through(await begin(app, system), one)
  one.claims = { ...claims, email_verified: false }
  const begun = await begin(app, system)
  const asked = await through(begun, one)
  const typed = await begun.visitor.submit(asked, { email: user.email, password: PASSWORD })
  const linked = await read(started, user.id)
  two.claims = { ...claims, email_verified: true }
  const elsewhere = await begin(app, system)
  await through(elsewhere, two, 'two')

  for (const page of [verified, typed]) {
    assert.equal(page.status, 409)
    assert.match(String(page.body), /identity_conflict/)
  }
  assert.deepEqual(linked.identities, user.identities)
  const logins = await app.audited({ systemId: system.id, action: 'user.login' })
  assert.deepEqual(
    logins.filter(({ outcome }) => outcome === 'failure').map(({ changes }) => changes?.code),
    Array.from({ length: 2 }, () => [null, 'identity_conflict']),
  )
  assert.deepEqual(
    (await read(started, user.id)).identities.map(({ provider }: { provider: string }) => provider),
    ['one', 'two'],
    'another issuer has subjects of its own',
  )
})

test('P09: the domains that a well-known provider verifies by default are those of its own issuer', () => {
  const google = { SOCIAL_GOOGLE_CLIENT_ID: 'a', SOCIAL_GOOGLE_CLIENT_SECRET: 'b' }
  const read = (more = {}) => readConfig({ ...google, ...more }).social[0]?.trustedDomains

  assert.deepEqual(read(), ['gmail.com'])
  assert.deepEqual(read({ SOCIAL_GOOGLE_ISSUER: 'https://login.acme.example' }), [])
})

test('the issuer of a provider: one form for GitHub, and that of each tenant for Microsoft', () => {
  const of = (id: string, issuer?: string) => {
    const [provider] = readConfig({
      [`SOCIAL_${id}_CLIENT_ID`]: 'a',
      [`SOCIAL_${id}_CLIENT_SECRET`]: 'b',
      ...(issuer && { [`SOCIAL_${id}_ISSUER`]: issuer }),
    }).social
    return (stated: string) => isIssuerOf(provider!, stated)
  }
  const tenant = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'

  for (const github of [of('GITHUB'), of('GITHUB', 'https://GitHub.com/')])
    assert.deepEqual(['github:https://github.com', 'https://github.com'].map(github), [true, false])
  assert.deepEqual([tenant, 'https://accounts.google.com'].map(of('MICROSOFT')), [true, false])
  assert.equal(of('ACME', 'https://login.microsoftonline.com/other/v2.0')(tenant), false)
})
