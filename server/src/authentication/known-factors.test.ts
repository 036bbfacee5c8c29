/** Browsers that are known for the second factor of their user: guesses elsewhere do not lock them out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterPassword,
  appCode,
  type SystemLike,
  secretOn,
  sendTo,
  stepOf,
  withinStep,
} from '../../test/support/factors.ts'
import { type Driver, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { limits } from '../database/schema.ts'

const OWN = 'my very own words'

/** Wrong codes of other networks by someone who knows the password, until unknown browsers have to wait. */
async function guessElsewhere(app: Driver, system: SystemLike, email: string, password = PASSWORD) {
  const thief = app.newBrowser()
  const page = await thief.follow(
    await thief.submit(await thief.follow(await afterLoginPage(thief, system)), { email, password }),
  )
  await sendTo(thief, page, 'second-factor', { recoveryCode: 'ABCDE-FGHIJ' })
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${50 * 900_000}::bigint` })
    .where(sql`${limits.key} like 'second-factor:%'`)
}

const afterLoginPage = (browser: TestBrowser, system: SystemLike) =>
  browser.get(
    `/auth?${new URLSearchParams({
      client_id: system.clientId,
      redirect_uri: system.redirectUris[0]!,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      prompt: 'login',
    })}`,
  )

/** The status of the code step in a new sign-in of a browser, or 303 if it is accepted. */
async function statusOf(
  browser: TestBrowser,
  system: SystemLike,
  email: string,
  password: string,
  code: string,
) {
  const login = await browser.follow(await afterLoginPage(browser, system))
  const page = await browser.follow(await browser.submit(login, { email, password }))
  assert.equal(stepOf(page), 'second-factor', String(page.body).slice(0, 3000))
  const answer = await sendTo(browser, page, 'second-factor', { code })
  await browser.follow(answer)
  return answer.status
}

test('P29: the browser in which a factor was enrolled at a sign-in is known for it at once', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, requireMfa: true })
  const home = app.newBrowser()
  const page = await afterPassword(home, system, user.email)
  const secret = secretOn(page)
  await withinStep(10)
  await sendTo(home, page, 'enrol', { code: appCode(secret, -1) })

  await guessElsewhere(app, system, user.email)
  const elsewhere = await statusOf(app.newBrowser(), system, user.email, PASSWORD, appCode(secret))
  const atHome = await statusOf(home, system, user.email, PASSWORD, appCode(secret))

  assert.deepEqual([elsewhere, atHome], [429, 303])
})

test('P29: so is one in which it was enrolled at /account, also after a change of the password', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { email } = user
  const home = app.newBrowser()
  const login = await home.follow(await home.get('/account/security'))
  const page = await home.follow(await home.submit(login, { email, password: PASSWORD }))
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!
  const secret = secretOn(page)
  await withinStep(15)
  await home.post('/account/security/app', { csrf, code: appCode(secret, -1) })

  await guessElsewhere(app, system, email)
  const enrolled = await statusOf(home, system, email, PASSWORD, appCode(secret))
  const form = await home.get('/account/password')
  const fields = { current: PASSWORD, password: OWN, passwordAgain: OWN }
  const changed = await home.submit(form, fields)
  const renewed = await statusOf(home, system, email, OWN, appCode(secret, 1))
  const elsewhere = await statusOf(app.newBrowser(), system, email, OWN, appCode(secret, 1))

  assert.deepEqual([enrolled, renewed, elsewhere], [303, 303, 429])
  assert.equal(changed.headers.get('location'), '/account/password?done=passwordSaved')
})

test('P29: a factor of a system makes no browser known for one that is valid everywhere', async (t) => {
  const app = await startTestApp(t)
  const open = { skipConsent: true, allowClientCredentials: true, requireMfa: true }
  const [shop, bank, user] = [await app.newSystem(open), await app.newSystem(open), await app.newUser()]
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  await (await app.serviceOf(shop)).post(`/admin/users/${user.id}/set-password`, { password: OWN })
  const atShop = app.newBrowser()
  const login = await atShop.follow(await afterLoginPage(atShop, shop))
  const asked = await atShop.follow(await atShop.submit(login, { email: user.email, password: OWN }))
  await withinStep(10)
  const enrolled = await sendTo(atShop, asked, 'enrol', { code: appCode(secretOn(asked), -1) })
  const home = app.newBrowser()
  const page = await afterPassword(home, bank, user.email)
  const secret = secretOn(page)
  await sendTo(home, page, 'enrol', { code: appCode(secret, -1) })

  await guessElsewhere(app, bank, user.email)
  const status = await statusOf(atShop, bank, user.email, PASSWORD, appCode(secret))

  assert.deepEqual([enrolled.status, status], [200, 429])
})
