/** A factor of the user in a sign-in by a connection: as second factor, and in place of `auth_time`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { linkMember, noteVerified } from '../../../test/support/connections.ts'
import { appCode, memberWithApp, sendTo, stepOf, withinStep } from '../../../test/support/factors.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { backOf, signInAs, startConnection, tokensOf } from '../../../test/support/sso-sign-in.ts'
import { type Answer, authUrl, newPkce, type TestBrowser } from '../../../test/support/testing.ts'

type Given = Parameters<typeof startConnection>

/** A linked member who has an authenticator app and recovery codes, which are valid everywhere. */
async function newPlace(t: Given[0], fields: Given[1] = {}) {
  const place = await startConnection(t, fields)
  const { app, system, accountId, connection } = place
  const { user, secret, recoveryCodes } = await memberWithApp(app)
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  const link = { accountId, userId: user.id, email: user.email, connectionId: connection.id }
  await linkMember(app, { ...link, subject: 'ana' })
  // The provider of the tests states the time of the login by itself.
  const begin = (browser: TestBrowser, more: object = {}, claims: object = { auth_time: undefined }) =>
    signInAs(place, place.person('ana', { email: user.email, ...claims }), browser, more)
  const silently = async (browser: TestBrowser, more: Record<string, string>) => {
    const url = authUrl(system as never, newPkce().challenge, {
      account_id: accountId,
      prompt: 'none',
      ...more,
    })
    return backOf(await browser.get(url))
  }
  return { ...place, user, secret, recoveryCodes, begin, silently }
}

/** The form of the factor in the completion of the sign-in. */
const isAsked = (page: Answer) => /action="\/interaction\/[\w-]+\/connection\/factor"/.test(String(page.body))
const isWrong = (code: string) => (code === '000000' ? '111111' : '000000')

test('P104: a factor of the user is the second factor that the provider does not report', async (t) => {
  const place = await newPlace(t)
  const { app, begin, secret, system } = place
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { requireMfa: true }), 200)
  const browser = app.newBrowser()

  const { pkce, end: asked } = await begin(browser)
  await withinStep()
  const code = appCode(secret)
  const wrong = await sendTo(browser, asked, 'second-factor', { code: isWrong(code) })
  const none = await place.silently(browser, {})
  const end = await browser.follow(await sendTo(browser, asked, 'second-factor', { code }))
  const { id_token: token } = await tokensOf(place, { pkce, end, back: backOf(end) })

  assert.equal(stepOf(asked), 'second-factor')
  assert.equal(wrong.status, 401)
  assert.equal(none.code, undefined)
  assert.deepEqual(decodeJwt(token).amr, ['fed', 'otp', 'mfa'])
  assert.equal(decodeJwt(token).auth_time, undefined)
})

test('P140: a factor that the user verifies now is accepted in place of a login that the provider does not state', async (t) => {
  const place = await newPlace(t)
  const { app, begin, secret, recoveryCodes, silently, attempts } = place
  const demands: [Record<string, string>, object][] = [
    [{ max_age: '600' }, { auth_time: undefined }],
    [{ prompt: 'login' }, { auth_time: Math.floor(Date.now() / 1_000) - 7_200 }],
  ]
  await withinStep()
  const codes = [{ code: appCode(secret) }, { recoveryCode: recoveryCodes[0]! }]
  const browser = app.newBrowser()

  for (const [at, [more, claims]] of demands.entries()) {
    const before = (await attempts()).length
    const { pkce, end: asked } = await begin(browser, more, claims)
    const code = String(Object.values(codes[at]!))
    const wrong = await browser.submit(asked, { code: isWrong(code) })
    const shown = await browser.follow(wrong)
    const without = await silently(browser, more.prompt ? { max_age: '600' } : more)
    const kept = (await attempts()).length
    const end = await browser.follow(await sendTo(browser, asked, 'connection/factor', codes[at]!))
    const { id_token: token } = await tokensOf(place, { pkce, end, back: backOf(end) })

    assert.ok(isAsked(asked), `${JSON.stringify(more)} ${asked.status} ${String(asked.body).slice(0, 2_000)}`)
    assert.equal(shown.status, 401)
    // The factor of the first sign-in is still recent: silently it dates this browser.
    assert.equal(Boolean(without.code), at > 0)
    assert.deepEqual([kept, (await attempts()).length], [before, before + 1])
    const claimed = decodeJwt(token)
    assert.deepEqual(claimed.amr, ['fed', 'otp', 'mfa'])
    assert.ok(Math.abs(Number(claimed.auth_time) - Date.now() / 1_000) < 120, String(claimed.auth_time))
  }
  const audited = await app.audited({ targetId: place.user.id, action: 'user.second_factor' })
  assert.deepEqual(
    audited.filter(({ systemId }) => systemId === place.system.id).map(({ outcome }) => outcome),
    ['failure', 'success', 'failure', 'success'],
  )
})

test('P140: without a factor the sign-in is refused, and a factor of somebody else is none', async (t) => {
  const place = await newPlace(t)
  const { app, begin, secret, attempts, system, accountId, connection, person } = place
  const bob = await app.newUser()
  await app.newMembership({ userId: bob.id, systemId: system.id, accountId })
  const link = { accountId, userId: bob.id, email: bob.email, connectionId: connection.id }
  await linkMember(app, { ...link, subject: 'bob' })
  const [own, other] = [app.newBrowser(), app.newBrowser()]

  const { end: asked } = await begin(own, { max_age: '60' })
  const refused = await signInAs(place, person('bob', { email: bob.email, auth_time: undefined }), other, {
    max_age: '60',
  })
  await withinStep()
  const code = appCode(secret)
  const stolen = await sendTo(other, asked, 'connection/factor', { code })
  const end = await own.follow(await sendTo(own, asked, 'connection/factor', { code }))

  assert.equal(refused.end.status, 403)
  assert.deepEqual((await attempts())[1], ['refused', 'connection_not_fresh'])
  assert.notEqual(stolen.status, 200)
  assert.equal(backOf(await other.follow(stolen)).code, undefined)
  assert.ok(backOf(end).code)
})

test('P153: attempts at a factor in such a sign-in lock the user out of no other', async (t) => {
  const place = await newPlace(t)
  const { app, begin, user, secret, system } = place
  const browser = app.newBrowser()
  const { end: asked } = await begin(browser, { max_age: '60' })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt++) {
    const answer = await sendTo(browser, asked, 'connection/factor', { code: `12345${attempt}` })
    statuses.push((await browser.follow(answer)).status)
  }
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Own' })

  const own = app.newBrowser()
  const { page } = await app.authorize(system as never, { email: user.email, visitor: own })
  await withinStep()
  const next = await own.follow(await sendTo(own, page, 'second-factor', { code: appCode(secret) }))

  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  assert.deepEqual([stepOf(page), stepOf(next)], ['second-factor', 'account'])
})

test('P140: a factor is asked for of no user who was no member before, known elsewhere or not', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, accountId, person, attempts, system } = place
  const { user } = await memberWithApp(app)
  const domain = user.email.slice(user.email.indexOf('@') + 1)
  await noteVerified(app, accountId, user.email)
  const plain = await app.newUser({ email: `plain-${crypto.randomUUID()}@${domain}` })
  const nobody = `nobody-${crypto.randomUUID()}@${domain}`
  const probe = async (email: string) => {
    const claims = person(crypto.randomUUID(), { email, auth_time: undefined })
    const { end } = await signInAs(place, claims, app.newBrowser(), { max_age: '0' })
    return [end.status, isAsked(end)]
  }

  const before = [await probe(user.email), await probe(plain.email), await probe(nobody)]
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  const asMember = await probe(user.email)

  assert.deepEqual(before, Array(3).fill([403, false]))
  assert.deepEqual(await attempts(), Array(3).fill(['refused', 'connection_not_fresh']))
  assert.deepEqual(asMember, [200, true])
})
