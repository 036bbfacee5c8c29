/** A system that signs in as a user, with a password that it has set, does not speak for the user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import type { OtherProvider } from '../../test/support/other-provider.ts'
import { addressOf, begin, start, through, unique } from '../../test/support/social.ts'
import {
  authUrl,
  codeFields,
  type Driver,
  newPkce,
  type SystemLike,
  startTestApp,
} from '../../test/support/testing.ts'

const OPEN = { allowClientCredentials: true, multiAccount: true, skipConsent: true }
const KNOWN = 'a password that a system knows'
const OWN = 'a new password of the user'
const NUMBER = '+351210000001'

type Party = { id: string; email: string }

/** The user sets a password by email, which replaces the one that the system knows. */
async function resetByMail(app: Driver, user: Party): Promise<void> {
  const { token } = await app.mailedLink('send-password-reset', user)
  const json = { accept: 'application/json' }
  const answer = await app.newBrowser().post('/reset-password', { token, password: OWN }, json)
  assert.equal(answer.status, 200)
}

/** A user to whom a system has linked an identity of its own, by a password that it has set. */
async function linkedBySystem(app: Driver, one: OtherProvider, system: SystemLike): Promise<Party> {
  const service = await app.serviceOf(system)
  const { id, email } = await app.newUser({ email: addressOf() })
  await service.post('/admin/memberships', { userId: id, systemId: system.id })
  await service.post(`/admin/users/${id}/set-password`, { password: KNOWN })
  one.claims = { sub: unique(), email: `${unique()}@elsewhere.test`, email_verified: true }
  const { visitor, ...begun } = await begin(app, system as Parameters<typeof begin>[1])
  const page = await through({ visitor, ...begun }, one)
  const linked = await visitor.follow(await visitor.submit(page, { email, password: KNOWN }))
  assert.match(String(linked.headers.get('location')), /code=/)
  return { id, email }
}

test('P68: an identity of one system does not replace a temporary password that is valid everywhere', async (t) => {
  const { app, one } = await start(t)
  const [shop, bank] = [await app.newSystem(OPEN), await app.newSystem(OPEN)]
  const user = await linkedBySystem(app, one, shop)
  await app.newMembership({ userId: user.id, systemId: bank.id })
  await resetByMail(app, user)
  const { temporaryPassword } = (await app.platform.post(`/admin/users/${user.id}/reset-password`)).body

  const page = await through(await begin(app, shop), one)
  const own = await app.authorize(bank, { email: user.email, password: temporaryPassword })

  assert.match(String(page.headers.get('location')), /code=/, 'the identity opens the system itself')
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.mustChangePassword, true)
  assert.match(String(own.page.body), /change-password/)
})

test('P68: an identity of one system makes no browser known, in which the password could be guessed', async (t) => {
  const { app, one } = await start(t)
  const shop = await app.newSystem(OPEN)
  await resetByMail(app, await linkedBySystem(app, one, shop))

  const begun = await begin(app, shop)
  const page = await through(begun, one)

  assert.match(String(page.headers.get('location')), /code=/)
  const cookies = [...begun.visitor.jar.keys()]
  assert.deepEqual(
    cookies.filter((name) => name.includes('known')),
    [],
  )
})

test('P68: a system that joins as a user does not answer for the user whether it may read the profile', async (t) => {
  const app = await startTestApp(t)
  const shop = await app.newSystem({ ...OPEN, allowSelfRegister: true })
  const bank = await app.newSystem(OPEN)
  const service = await app.serviceOf(shop)
  const user = await app.newUser({ name: 'Ada Lovelace', emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: bank.id })
  const added = await service.post('/admin/memberships', { userId: user.id, systemId: shop.id })
  await service.delete(`/admin/memberships/${added.body.id}`)
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const theirs = app.newBrowser()
  const login = await theirs.follow(await theirs.get(authUrl(shop, newPkce().challenge)))
  const asked = await theirs.follow(await theirs.submit(login, { email: user.email, password: KNOWN }))
  const joined = await theirs.follow(await theirs.submit(asked, { accountName: 'Acme' }))
  await resetByMail(app, user as Party)
  const { visitor } = await app.signIn(bank, { email: user.email, password: OWN })

  const silent = await visitor.get(authUrl(shop, newPkce().challenge, { prompt: 'none' }))

  assert.match(String(joined.headers.get('location')), /code=/)
  assert.match(String(silent.headers.get('location')), /error=login_required/)
  assert.equal((await service.get(`/admin/users/${user.id}`)).body.name, null)
})

test('P68: a system that consents as a user does not allow itself the phone number of the user', async (t) => {
  const app = await startTestApp(t)
  const scope = 'openid email phone'
  const { system, user } = await app.newMember({
    allowedScopes: scope.split(' '),
    allowClientCredentials: true,
  })
  const service = await app.serviceOf(system)
  await app.platform.patch(`/admin/users/${user.id}`, { phoneNumber: NUMBER })
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const parameters = { scope }
  await app.signIn(system, { email: user.email, password: KNOWN, parameters })
  const named = { scope: 'openid', prompt: 'consent', claims: '{"id_token":{"phone_number":null}}' }
  await app.signIn(system, { email: user.email, password: KNOWN, parameters: named })
  await resetByMail(app, user as Party)
  const { visitor } = await app.signIn(system, {
    email: user.email,
    password: OWN,
    parameters: { scope: 'openid' },
  })

  const pkce = newPkce()
  const silent = await visitor.get(authUrl(system, pkce.challenge, { scope, prompt: 'none' }))
  const back = Object.fromEntries(new URL(silent.headers.get('location')!).searchParams)
  const { body } = await app.token(system, codeFields(system, { back, pkce }))

  assert.equal(body.id_token && decodeJwt(body.id_token).phone_number, undefined)
  assert.equal(back.error, 'consent_required')
})
