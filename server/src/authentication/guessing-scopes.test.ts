/** Attempts in one system, and what they change for the user in another one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  type App,
  afterPassword,
  appCode,
  begin,
  codeOf,
  continueSignIn,
  recoveryCodesOn,
  type SystemLike,
  secretOn,
  sendTo,
  stepOf,
  withinStep,
} from '../../test/support/factors.ts'
import { moveGuesses } from '../../test/support/limit-clock.ts'
import { newBrowser, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { limits } from '../database/schema.ts'

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const KNOWN = 'a password that a system knows'

/** A browser in a network; a new one by default. */
const browserIn = (app: App, ip = `10.${[...randomBytes(3)].join('.')}`) =>
  newBrowser(app.url, { always: { 'x-forwarded-for': ip } })

/** Changes the limit as that many wrong attempts of other networks do. One is forgotten in 15 minutes. */
const attemptsOfOthers = (app: App, kind: 'account' | 'second-factor', attempts: number) =>
  app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${attempts * 900_000}::bigint` })
    .where(sql`${limits.key} like ${`${kind}:%`}`)

async function twoSystems(t: Parameters<typeof startTestApp>[0], fields: object = {}) {
  const app = await startTestApp(t, PROXIED)
  const open = { skipConsent: true, allowClientCredentials: true, ...fields }
  const [shop, bank, user] = [await app.newSystem(open), await app.newSystem(open), await app.newUser()]
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  return { app, shop, bank, user }
}

/** Submits a password several times. Returns the last response. */
async function submitPassword(
  browser: TestBrowser,
  system: SystemLike,
  { email, password = 'wrong', times = 1 }: { email: string; password?: string; times?: number },
) {
  let page = await begin(browser, system, { prompt: 'login' })
  for (let nth = 0; nth < times; nth++) {
    const answer = await browser.submit(page, { email, password })
    page = answer.status === 401 ? answer : await browser.follow(answer)
  }
  return page
}

test('P29: guesses in a system leave another one open, in the same network and in known browsers', async (t) => {
  const { app, shop, bank, user } = await twoSystems(t)
  const { email } = user
  const [home, network] = [browserIn(app), '10.250.1.2']
  await submitPassword(home, bank, { email, password: PASSWORD })

  await submitPassword(browserIn(app, network), shop, { email, times: 5 })
  await moveGuesses(app, 600)
  const guessed = await submitPassword(browserIn(app, network), shop, { email })
  const neighbour = await submitPassword(browserIn(app, network), bank, { email, password: PASSWORD })
  await submitPassword(browserIn(app), shop, { email })
  await attemptsOfOthers(app, 'account', 49)
  const unknown = await submitPassword(browserIn(app), bank, { email, password: PASSWORD })
  const known = await submitPassword(home, bank, { email, password: PASSWORD })

  assert.deepEqual([guessed.status, Boolean(codeOf(neighbour))], [429, true])
  assert.equal(unknown.status, 429, 'the attempts at one password are counted over all systems')
  assert.ok(codeOf(known))
})

test('P29: a success undoes the attempts of its own network, not those of others', async (t) => {
  const { app, bank, user } = await twoSystems(t)
  const { email } = user
  await submitPassword(browserIn(app), bank, { email })
  await attemptsOfOthers(app, 'account', 44)

  const owner = browserIn(app)
  await submitPassword(owner, bank, { email, times: 3 })
  const done = await submitPassword(owner, bank, { email, password: PASSWORD })
  const last = await submitPassword(browserIn(app), bank, { email, times: 5 })
  const more = await submitPassword(browserIn(app), bank, { email })

  assert.ok(codeOf(done))
  assert.deepEqual([last.status, more.status], [401, 429])
})

test('P29: the factor of a system resets no count of one that is valid everywhere, nor blocks its user', async (t) => {
  const { app, shop, bank, user } = await twoSystems(t, { requireMfa: true })
  const service = await app.serviceOf(shop)
  await service.post(`/admin/users/${user.id}/set-password`, { password: KNOWN })
  const { email } = user
  const shopper = browserIn(app)
  const enroll = await submitPassword(shopper, shop, { email, password: KNOWN })
  const enrolled = await sendTo(shopper, enroll, 'enrol', { code: appCode(secretOn(enroll)) })
  const ofShop = recoveryCodesOn(enrolled)[0]!
  const home = browserIn(app)
  const asked = await afterPassword(home, bank, email)
  const secret = secretOn(asked)
  await withinStep()
  await continueSignIn(home, await sendTo(home, asked, 'enrol', { code: appCode(secret, -1) }))
  const ownerSignsIn = async (browser: TestBrowser, code: string) => {
    const page = await afterPassword(browser, bank, email, { prompt: 'login' })
    assert.equal(stepOf(page), 'second-factor')
    return browser.follow(await sendTo(browser, page, 'second-factor', { code }))
  }
  const before = await ownerSignsIn(home, appCode(secret))
  const atFactor = async (browser: TestBrowser, fields: Record<string, string>, times = 1) => {
    const page = await submitPassword(browser, shop, { email, password: KNOWN })
    let answer = await sendTo(browser, page, 'second-factor', fields)
    for (let nth = 1; nth < times; nth++) answer = await sendTo(browser, page, 'second-factor', fields)
    return answer
  }
  const wrong = { recoveryCode: 'ABCDE-FGHIJ' }

  const thief = browserIn(app)
  await atFactor(thief, wrong, 4)
  await attemptsOfOthers(app, 'second-factor', 44)
  const right = await atFactor(thief, { recoveryCode: ofShop })
  const last = await atFactor(browserIn(app), wrong, 2)
  const more = await atFactor(browserIn(app), wrong)
  const elsewhere = await ownerSignsIn(browserIn(app), appCode(secret, 1))
  const after = await ownerSignsIn(home, appCode(secret, 1))

  assert.ok(codeOf(before) && codeOf(after))
  assert.equal(right.status, 303)
  assert.deepEqual([last.status, more.status, elsewhere.status], [401, 429, 429])
})

test('P29: limits do not show which addresses have a password of a system, which does not reset them', async (t) => {
  const { app, shop, bank, user: both } = await twoSystems(t)
  const service = await app.serviceOf(shop)
  const setPassword = ({ id }: { id: string }) =>
    service.post(`/admin/users/${id}/set-password`, { password: randomBytes(16).toString('hex') })
  const onlyThere = await app.newUser({ password: undefined })
  await app.newMembership({ userId: onlyThere.id, systemId: shop.id })
  for (const user of [both, onlyThere]) await setPassword(user)

  const seen = []
  for (const email of [`${randomBytes(8).toString('hex')}@x.test`, both.email, onlyThere.email]) {
    const ip = `10.${[...randomBytes(3)].join('.')}`
    const guess = async (system: SystemLike, times = 1) =>
      (await submitPassword(browserIn(app, ip), system, { email, times })).status
    const one = [await guess(bank, 5), await moveGuesses(app, 600).then(() => guess(bank)), await guess(shop)]
    await attemptsOfOthers(app, 'account', 44)
    seen.push([...one, await guess(shop)])
  }
  await setPassword(both)
  const after = await submitPassword(browserIn(app), bank, { email: both.email })

  assert.deepEqual(seen, Array(3).fill([401, 429, 401, 429]))
  assert.equal(after.status, 429)
})
