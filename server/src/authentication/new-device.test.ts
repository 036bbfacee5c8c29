/** The emails about a sign-in from a new device. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { afterPassword, appCode, memberWithApp, sendTo, withinStep } from '../../test/support/factors.ts'
import { newBrowser, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { sessions } from '../database/schema.ts'

const HOME = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Firefox at home' }
const HOTEL = { ...HOME, 'x-forwarded-for': '198.51.100.7' }
const LIBRARY = { ...HOME, 'user-agent': 'Chrome of the library' }

test('a sign-in from a device not seen for 90 days sends an email, except the first', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const { system, user } = await app.newMember({ name: 'Shop', skipConsent: true })
  const newDeviceEmails = async () =>
    (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'new_device')
  const from = (always: Record<string, string>, jar = new Map()) => {
    const visitor = newBrowser(app.url, { always })
    for (const [key, cookie] of jar) visitor.jar.set(key, cookie)
    return app.signIn(system, { email: user.email, visitor, parameters: { prompt: 'login' } })
  }

  const first = await from(HOME)
  await from(HOME)
  await from(HOTEL, first.visitor.jar)
  const before = await newDeviceEmails()
  await from(LIBRARY)
  const elsewhere = await newDeviceEmails()
  await from(LIBRARY)
  await app.db
    .update(sessions)
    .set({ lastSeenAt: sql`now() - interval '91 days'` })
    .where(eq(sessions.userId, user.id))
  await from(HOME)
  const later = await newDeviceEmails()

  assert.deepEqual(before, [])
  assert.deepEqual(
    elsewhere.map(({ subject }) => subject),
    ['New sign-in to Shop'],
  )
  assert.match(elsewhere[0]!.text, /^IP address: 203\.0\.113\.9$/m)
  assert.equal(later.length, 2)
})

type App = Awaited<ReturnType<typeof startTestApp>>

const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const newDeviceEmails = async (app: App, { email }: { email: string }) =>
  (await app.emailsTo(email)).filter(({ kind }) => kind === 'new_device').length
const browserAt = (app: App, always: Record<string, string> = { 'x-forwarded-for': newIp() }) =>
  newBrowser(app.url, { always })

/** Signs in to the account pages. */
async function signInToPages(
  app: App,
  { email }: { email: string },
  browser = browserAt(app),
  password = PASSWORD,
) {
  const login = await browser.follow(await browser.get('/account'))
  return { browser, page: await browser.submit(login, { email, password }) }
}

test('a device is forgotten after 100 later sign-ins from other devices', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const { system, user } = await app.newMember({ name: 'Shop', skipConsent: true })
  const from = (always: Record<string, string>) =>
    app.signIn(system, {
      email: user.email,
      visitor: newBrowser(app.url, { always }),
      parameters: { prompt: 'login' },
    })
  const later = async (count: number) => {
    const [{ createdAt: _, ...one } = assert.fail()] = await app.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, user.id))
    const elsewhere = () => ({ ...one, sid: randomBytes(16).toString('hex'), ip: '192.0.2.1' })
    await app.db.insert(sessions).values(Array.from({ length: count }, elsewhere))
  }

  await from(HOME)
  await later(99)
  await from(HOME)
  const before = await newDeviceEmails(app, user)
  await later(100)
  await from(HOME)

  assert.deepEqual([before, await newDeviceEmails(app, user)], [0, 1])
})

test('the email follows the second factor; a password alone makes no browser known', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const { system, user, secret } = await memberWithApp(app)
  const browser = browserAt(app)

  const half = await afterPassword(browser, system, user.email)
  const [emails, known] = [
    await newDeviceEmails(app, user),
    [...browser.jar.keys()].some((name) => name.startsWith('_known')),
  ]
  await withinStep()
  await sendTo(browser, half, 'second-factor', { code: appCode(secret) })
  const after = await newDeviceEmails(app, user)
  const { browser: own, page } = await signInToPages(app, user)
  const atPassword = await newDeviceEmails(app, user)
  const done = await own.submit(await own.follow(page), { code: appCode(secret, 1) })

  assert.deepEqual([emails, known, after, atPassword], [0, false, 1, 1])
  assert.equal((await own.follow(done)).status, 200)
  assert.equal(await newDeviceEmails(app, user), 2)
})

test('a sign-in to the account pages reports a new device as a system does', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const user = await app.newUser()

  const { browser } = await signInToPages(app, user)
  const first = await newDeviceEmails(app, user)
  const other = await signInToPages(app, user)
  const second = await newDeviceEmails(app, user)
  for (const each of [browser, other.browser]) {
    for (const key of each.jar.keys()) if (key.startsWith('_session')) each.jar.delete(key)
    await signInToPages(app, user, each)
  }

  assert.deepEqual([first, second, await newDeviceEmails(app, user)], [0, 1, 1])
})

test('sign-ins from many new devices send three emails at most, concurrent ones included', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const user = await app.newUser()
  await signInToPages(app, user)

  const answers = await Promise.all(Array.from({ length: 6 }, () => signInToPages(app, user)))

  assert.ok(answers.every(({ page }) => page.status === 303))
  assert.equal(await newDeviceEmails(app, user), 3)
})

test('one cookie marks the browser as known for systems, account pages and password reset', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const { system, user } = await app.newMember({ skipConsent: true })
  /** Uses up the attempts of all unknown browsers. */
  const exhaustAttempts = () =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        const outsider = browserAt(app)
        const page = await outsider.follow(await outsider.get('/account'))
        for (let checked = 0; checked < 5; ) {
          // 503 on a busy machine: the attempt waited too long and is not counted
          const { status } = await outsider.submit(page, { email: user.email, password: 'wrong' })
          assert.ok([401, 503].includes(status))
          if (status === 401) checked += 1
        }
      }),
    )
  const signedOut = (browser: typeof home) => {
    for (const key of browser.jar.keys()) if (key.startsWith('_session')) browser.jar.delete(key)
    return browser
  }
  const home = browserAt(app)
  await app.signIn(system, { email: user.email, visitor: home })
  await exhaustAttempts()
  const [outsider, known] = [await signInToPages(app, user), await signInToPages(app, user, signedOut(home))]
  const own = signedOut(home)
  const OTHER = 'a wholly other sentence'
  const form = await own.follow(
    await own.submit(await own.follow(await own.get('/account/password')), {
      email: user.email,
      password: PASSWORD,
    }),
  )
  const changed = await own.submit(form, { current: PASSWORD, password: OTHER, passwordAgain: OTHER })
  const knownDevice = await signInToPages(app, user, signedOut(own), OTHER)
  const emails = await newDeviceEmails(app, user)
  const reset = browserAt(app)
  await app.platform.post(`/admin/users/${user.id}/send-password-reset`)
  const link = /https?:\S+/.exec(
    (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'password_reset').at(-1)!.text,
  )![0]
  await reset.submit(await reset.get(link), { password: PASSWORD })
  const byLink = await signInToPages(app, user, reset)
  const afterLink = await newDeviceEmails(app, user)
  await signInToPages(app, user)

  assert.deepEqual([outsider.page.status, known.page.status], [429, 303])
  assert.equal(changed.status, 303)
  assert.deepEqual([knownDevice.page.status, byLink.page.status], [303, 303])
  assert.deepEqual([emails, afterLink, await newDeviceEmails(app, user)], [0, 0, 1])
})

test('P68: sign-ins with a password that a system has set hide no sign-in to another system', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const open = { skipConsent: true, multiAccount: true, allowClientCredentials: true }
  const [shop, bank] = [await app.newSystem(open), await app.newSystem(open)]
  const service = await app.serviceOf(shop)
  const user = await app.newUser()
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  const signIn = (system: typeof shop, always: Record<string, string>, password: string) =>
    app.signIn(system, { email: user.email, password, visitor: browserAt(app, always) })
  await signIn(bank, HOME, PASSWORD)
  const [at, others] = [{ 'x-forwarded-for': newIp(), 'user-agent': 'of the system' }, 3]
  await service.post(`/admin/users/${user.id}/set-password`, { password: 'known to the system' })
  await signIn(shop, at, 'known to the system')
  for (let n = 0; n < others; n++) await signIn(shop, { 'x-forwarded-for': newIp() }, 'known to the system')
  const before = await newDeviceEmails(app, user)

  await signIn(bank, at, PASSWORD)

  assert.equal((await newDeviceEmails(app, user)) - before, 1)
})
