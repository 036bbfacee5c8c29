/** The second factors of a user, one by one: who sees which, and what the removal of one ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAccountAdmin, newOperator } from '../../../test/support/console.ts'
import { afterPassword, codeOf, memberWithApp, sendTo, stepOf } from '../../../test/support/factors.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { passkeys, recoveryCodes, totpFactors } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Factor = { id: string; kind: string; name: string | null; systemId: string | null }

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]
const randomBuffer = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32)))

/** An authenticator app, a passkey and a recovery code that are valid in a system, or everywhere. */
async function enrol({ db }: App, userId: string, systemId: string | null = null) {
  const owner = { userId, systemId }
  const [app, phone] = [crypto.randomUUID(), crypto.randomUUID()]
  const lastStep = Math.floor(Date.parse('2026-03-02T09:30:00Z') / 30_000)
  const totp = { ...owner, id: app, sealedSecret: randomBuffer(), confirmedAt: new Date(), lastStep }
  await db.insert(totpFactors).values(totp)
  const passkey = { ...owner, id: phone, credentialId: phone, publicKey: randomBuffer(), name: 'Phone' }
  await db.insert(passkeys).values({ ...passkey, createdAt: new Date(Date.now() + 1_000) })
  await db.insert(recoveryCodes).values({ ...owner, hash: randomBuffer() })
  return { app, phone }
}

/** A member of two systems, with factors that are valid everywhere and factors of the first. */
async function prepare(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t)
  const shop = await app.newSystem({ allowClientCredentials: true, skipConsent: true })
  const other = await app.newSystem({ allowClientCredentials: true, skipConsent: true })
  const user = await app.newUser()
  for (const { id } of [shop, other]) await app.newMembership({ userId: user.id, systemId: id })
  const sessions = {
    shop: await app.signIn(shop, { email: user.email }),
    other: await app.signIn(other, { email: user.email }),
  }
  const everywhere = await enrol(app, user.id)
  const ofShop = await enrol(app, user.id, shop.id)
  const path = `/admin/users/${user.id}/factors`
  const services = { shop: await app.serviceOf(shop), other: await app.serviceOf(other) }
  const isOpen = async () =>
    Promise.all(Object.values(sessions).map(async (each) => (await app.me(each.access_token)).status === 200))
  /** The error of a sign-in without interaction, in the browser of each sign-in. */
  const silently = () =>
    Promise.all(
      ([shop, other] as const).map(async (system, at) => {
        const { visitor } = Object.values(sessions)[at]!
        const asked = { email: user.email, visitor, parameters: { prompt: 'none' } }
        return (await app.authorize(system, asked)).back.error
      }),
    )
  const codesLeft = async () =>
    (await app.db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id))).map(
      ({ systemId }) => systemId,
    )
  return { app, shop, other, user, everywhere, ofShop, path, services, isOpen, silently, codesLeft }
}

test('each factor is listed with its kind, its name, its last use and where it is valid, without its secret', async (t) => {
  const { app, shop, everywhere, ofShop, path } = await prepare(t)

  const { status, body } = await app.platform.get(path)

  assert.equal(status, 200)
  const rows = new Map(body.data.map((each: Factor) => [each.id, each]))
  assert.equal(body.data.length, 4)
  const { createdAt, ...totp } = rows.get(everywhere.app) as Factor & { createdAt: string }
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 600_000)
  const lastUsedAt = '2026-03-02T09:30:00.000Z'
  assert.deepEqual(totp, { id: everywhere.app, kind: 'totp', name: null, systemId: null, lastUsedAt })
  const { kind, name, systemId } = rows.get(ofShop.phone) as Factor
  assert.deepEqual([kind, name, systemId], ['passkey', 'Phone', shop.id])
  assert.ok(!/sealed|secret|publicKey|credential/i.test(JSON.stringify(body)))
})

test('one factor is removed: the others remain, all sessions end, and the user is told once', async (t) => {
  const { app, user, everywhere, path, isOpen, silently, codesLeft } = await prepare(t)

  const answers = await Promise.all([1, 2, 3].map(() => app.platform.delete(`${path}/${everywhere.phone}`)))

  assert.deepEqual(answers.map(outcome).sort(), [
    [204, undefined],
    [404, 'factor_not_found'],
    [404, 'factor_not_found'],
  ])
  const left = (await app.platform.get(path)).body.data
  assert.equal(left.length, 3)
  assert.equal((await codesLeft()).length, 2, 'an app that is valid everywhere remains')
  assert.deepEqual(await isOpen(), [false, false])
  assert.deepEqual(await silently(), ['login_required', 'login_required'])
  const emails = await app.emailsTo(user.email)
  assert.deepEqual(
    emails.map(({ kind }) => kind),
    ['factor_removed'],
  )
  assert.match(emails[0]!.text, /An administrator removed a passkey/)
  const entries = await app.audited({ targetId: user.id, action: 'user.factor_removed' })
  assert.deepEqual(
    entries.map(({ changes, systemId }) => [changes, systemId]),
    [[{ passkey: ['Phone', null] }, null]],
  )
  const events = await app.findEvents({ userId: user.id, type: 'user.updated' })
  assert.deepEqual(
    events.filter(({ systemId }) => systemId === null).map(({ data }) => data.changed),
    [['mfa']],
  )
  await app.platform.delete(`${path}/${everywhere.app}`)
  assert.equal((await codesLeft()).length, 1, 'the recovery codes go with the last factor')
})

test('P37: a system sees and removes only the factors that are valid in it alone', async (t) => {
  const { app, shop, user, everywhere, ofShop, path, services, isOpen, silently, codesLeft } =
    await prepare(t)

  const seen = (await services.shop.get(path)).body.data.map(({ id }: Factor) => id).sort()
  assert.deepEqual(seen, [ofShop.app, ofShop.phone].sort())
  assert.deepEqual((await services.other.get(path)).body.data, [])
  for (const id of Object.values(everywhere))
    assert.deepEqual(outcome(await services.shop.delete(`${path}/${id}`)), [404, 'factor_not_found'])
  for (const id of Object.values(ofShop))
    assert.deepEqual(outcome(await services.other.delete(`${path}/${id}`)), [404, 'factor_not_found'])
  assert.equal((await app.platform.get(path)).body.data.length, 4)
  assert.deepEqual(await isOpen(), [true, true])

  for (const id of Object.values(ofShop))
    assert.equal((await services.shop.delete(`${path}/${id}`)).status, 204)

  const left = (await app.platform.get(path)).body.data
  assert.deepEqual(left.map(({ id }: Factor) => id).sort(), Object.values(everywhere).sort())
  assert.deepEqual(await isOpen(), [false, true])
  // Signed in elsewhere, where a second factor has been added since.
  assert.deepEqual(await silently(), ['login_required', 'interaction_required'])
  assert.deepEqual(await codesLeft(), [null])
  const entries = await app.audited({ targetId: user.id, action: 'user.factor_removed' })
  assert.deepEqual(
    entries.map(({ systemId }) => systemId),
    [shop.id, shop.id],
  )
  const events = await app.findEvents({ userId: user.id, type: 'user.updated' })
  assert.ok(events.every(({ systemId }) => systemId === shop.id))
})

test('nobody else sees or removes a factor: a foreign system, an account admin, a viewer, a factor of another user', async (t) => {
  const { app, everywhere, ofShop, path, shop } = await prepare(t)
  const foreign = await app.serviceOf(await app.newSystem({ allowClientCredentials: true }))
  const admin = await newAccountAdmin(app, await app.newSystem({ multiAccount: true }))
  const viewer = await newOperator(app, { level: 'viewer' })
  const ofSystem = await newOperator(app, { level: 'viewer', systemId: shop.id })
  const another = await app.newUser()
  const one = `${path}/${everywhere.phone}`

  for (const answer of [await foreign.get(path), await foreign.delete(one)])
    assert.deepEqual(outcome(answer), [404, 'user_not_found'])
  for (const answer of [await admin.client.get(path), await admin.client.delete(one)])
    assert.deepEqual(outcome(answer), [403, 'insufficient_authority'])
  for (const { client } of [viewer, ofSystem])
    for (const id of [everywhere.phone, ofShop.phone])
      assert.deepEqual(outcome(await client.delete(`${path}/${id}`)), [403, 'read_only'])
  assert.equal((await ofSystem.client.get(path)).body.data.length, 2)
  const misplaced = await app.platform.delete(`/admin/users/${another.id}/factors/${everywhere.phone}`)
  assert.deepEqual(outcome(misplaced), [404, 'factor_not_found'])
  assert.equal((await app.platform.get(path)).body.data.length, 4)
})

test('after the removal of the last factor, an earlier recovery code does not replace the second factor', async (t) => {
  const app = await startTestApp(t)
  const { system, user, recoveryCodes: codes } = await memberWithApp(app)
  const ofSystem = { systemId: system.id }
  await app.db.update(totpFactors).set(ofSystem).where(eq(totpFactors.userId, user.id))
  await app.db.update(recoveryCodes).set(ofSystem).where(eq(recoveryCodes.userId, user.id))
  const browser = app.newBrowser()
  const asked = await afterPassword(browser, system, user.email)
  const signedIn = await browser.follow(
    await sendTo(browser, asked, 'second-factor', { recoveryCode: codes[0]! }),
  )
  assert.ok(codeOf(signedIn))
  const path = `/admin/users/${user.id}/factors`
  const [factor] = (await app.platform.get(path)).body.data
  assert.equal((await app.platform.delete(`${path}/${factor.id}`)).status, 204)

  const page = await afterPassword(browser, system, user.email)

  assert.deepEqual([page.status, codeOf(page), stepOf(page)], [200, null, 'enrol'])
})
