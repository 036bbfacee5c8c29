/** The offer of a passkey after a sign-in with a password. */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { closeBrowser } from '../../test/support/chromium.ts'
import { codeOf, stepOf } from '../../test/support/factors.ts'
import { addAuthenticator, begin, openPage, startApplication } from '../../test/support/passkeys.ts'
import {
  newEmail,
  newestCode,
  newOpenSystem,
  OWN,
  register,
  registerIn,
} from '../../test/support/registration.ts'
import { recordRequests } from '../../test/support/statements.ts'
import {
  type Answer,
  authUrl,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { passkeys, users } from '../database/schema.ts'

after(closeBrowser)
const { home: HOME, arrived } = await startApplication({ after })

type App = Awaited<ReturnType<typeof startTestApp>>
type System = Parameters<typeof authUrl>[0]
type Asked = {
  browser?: TestBrowser
  parameters?: Record<string, string>
  fields?: Record<string, string>
  /** Instead of the request of the application. */
  start?: string
}

const ABLE = { passkeys: 'yes' }

/** The end of a sign-in with a password in a browser whose device can create a passkey. */
async function signIn(
  app: App,
  system: System,
  email: string,
  { browser = app.newBrowser(), parameters = {}, fields = ABLE, start }: Asked = {},
): Promise<{ browser: TestBrowser; end: Answer }> {
  const first = start ?? authUrl(system, newPkce().challenge, parameters)
  const page = await browser.follow(await browser.get(first))
  const sent = { email, password: PASSWORD, ...fields }
  return { browser, end: await browser.follow(await browser.submit(page, sent)) }
}

const notNow = async (browser: TestBrowser, page: Answer): Promise<Answer> =>
  browser.follow(await browser.submit(page, { decision: 'later' }))

/** What a sign-in ends with: the name of its last page, or the application. */
const endOf = (end: Answer) => stepOf(end) ?? (codeOf(end) ? 'application' : 'nothing')

const wait = (app: App, email: string, days: number) =>
  app.db
    .update(users)
    .set({ passkeyOfferAt: sql`passkey_offer_at - make_interval(days => ${days})` })
    .where(eq(users.email, email))

const newMember = (app: App) => app.newMember({ skipConsent: true })

test('a passkey is offered from the second sign-in with a password, and "Not now" leads on', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newMember(app)

  const first = await signIn(app, system, user.email)
  const second = await signIn(app, system, user.email)
  const answered = await notNow(second.browser, second.end)

  assert.deepEqual(
    [first, second].map(({ end }) => endOf(end)),
    ['application', 'passkey-offer'],
  )
  assert.equal(endOf(answered), 'application')
})

test('"Not now" counts for 30 days in every browser and application, the third one for good', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newMember(app)
  const other = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: other.id })
  await signIn(app, system, user.email)

  const ends: string[] = []
  for (const at of [system, other, system]) {
    const { browser, end } = await signIn(app, at, user.email)
    await notNow(browser, end)
    await wait(app, user.email, 29)
    const soon = await signIn(app, system, user.email)
    await wait(app, user.email, 1)
    ends.push(endOf(end), endOf(soon.end))
  }
  const later = await signIn(app, system, user.email)

  const twice = ['passkey-offer', 'application']
  assert.deepEqual(ends, [...twice, ...twice, ...twice])
  assert.equal(endOf(later.end), 'application', 'after the third one')
})

test('a registration offers a passkey at its end', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()

  const { browser, page } = await register(app, system, { email })
  const code = await newestCode(app, email)
  const offer = await browser.follow(await browser.submit(page, { code, ...ABLE }))

  assert.equal(endOf(offer), 'passkey-offer')
  assert.equal(endOf(await notNow(browser, offer)), 'application')
})

test('no passkey is offered without a script, in a confirmation, silently, or in a test', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newMember(app)
  const { browser } = await signIn(app, system, user.email)

  const plain = await signIn(app, system, user.email, { fields: {} })
  const again = await signIn(app, system, user.email, { browser, parameters: { prompt: 'login' } })
  const silent = await browser.get(authUrl(system, newPkce().challenge, { prompt: 'none' }))
  const made = await app.platform.post(`/admin/systems/${system.id}/test-sign-ins`, {})
  const tested = await signIn(app, system, user.email, { start: made.body.url })

  assert.deepEqual([plain.end, again.end, silent].map(endOf), ['application', 'application', 'application'])
  assert.notEqual(endOf(tested.end), 'passkey-offer')
  assert.equal(endOf((await signIn(app, system, user.email)).end), 'passkey-offer', 'otherwise it is')
})

test('no passkey is offered to a user who has one, or with a password of one system', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newMember(app)
  const { system: setting, user: theirs } = await app.newMember({
    skipConsent: true,
    allowClientCredentials: true,
  })
  await signIn(app, system, user.email)
  const [key] = await app.db
    .insert(passkeys)
    .values({ userId: user.id, credentialId: `key-${user.id}`, publicKey: Buffer.from('x'), name: 'Key' })
    .returning()
  const withKey = await signIn(app, system, user.email)
  await app.db.delete(passkeys).where(eq(passkeys.id, key!.id))

  const service = await app.serviceOf(setting)
  const set = await service.post(`/admin/users/${theirs.id}/set-password`, { password: PASSWORD })
  await signIn(app, setting, theirs.email)
  const ofSystem = await signIn(app, setting, theirs.email)

  assert.equal(set.status, 200)
  assert.notEqual(endOf(withKey.end), 'passkey-offer')
  assert.equal(endOf(ofSystem.end), 'application')
  assert.equal(endOf((await signIn(app, system, user.email)).end), 'passkey-offer', 'without the key')
})

test('a sign-in that offers no passkey executes no statement more', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newMember(app)
  const { browser } = await signIn(app, system, user.email)
  const offered = await signIn(app, system, user.email)
  await notNow(offered.browser, offered.end)
  const requests = recordRequests(app.db)
  const isCached = (statement: string) => / from "systems" where "systems"."client_id" = /.test(statement)
  const counts = () => requests().map((all) => all.filter((each) => !isCached(each)).length)
  const plain = { browser, fields: {}, parameters: { prompt: 'login' } }

  await signIn(app, system, user.email, plain)
  counts()
  await signIn(app, system, user.email, plain)
  const without = counts()
  await signIn(app, system, user.email, { ...plain, fields: ABLE })

  assert.deepEqual(counts(), without)
})

async function offeredIn(t: TestContext, app: App) {
  const system = await newOpenSystem(app, { redirectUris: [`${HOME}/cb`], multiAccount: true })
  const page = await openPage(t)
  const device = await addAuthenticator(page)
  const email = newEmail()
  await begin(page, app, system)
  await registerIn(page, app, email)
  await page.waitForSelector('#later')
  return { system, page, device, email }
}

test('a passkey of the offer has recovery codes, the audit entry and the email of every enrollment', async (t) => {
  const app = await startTestApp(t)
  const { system, page, device, email } = await offeredIn(t, app)

  await device.touched(async () => {
    await page.click('#passkey')
    await page.waitForSelector('#recovery-codes')
  })
  const codes = await page.locator('#recovery-codes li').count()
  await page.fill('#name', 'Phone of Ana')
  await page.click('#submit')
  const registered = await arrived(page)
  await page.context().clearCookies()
  await begin(page, app, system)
  await device.touched(async () => {
    await page.click('#passkey')
    await arrived(page)
  })

  const [user] = await app.db.select().from(users).where(eq(users.email, email))
  const keys = await app.db.select().from(passkeys).where(eq(passkeys.userId, user!.id))
  assert.deepEqual([codes, Boolean(registered)], [10, true])
  assert.deepEqual(
    keys.map(({ name, systemId }) => [name, systemId]),
    [['Phone of Ana', null]],
  )
  assert.equal((await app.audited({ targetId: user!.id, action: 'user.factor_added' })).length, 1)
  assert.ok((await app.emailsTo(email)).some(({ kind }) => kind === 'factor_added'))
})

test('a device that creates no passkey says so, and "Not now" still leads to the application', async (t) => {
  const app = await startTestApp(t)
  const { system, page, device, email } = await offeredIn(t, app)

  await device.verified(false)
  await device.touched(async () => {
    await page.click('#passkey')
    await page.locator('[data-fault]:not(:empty)').waitFor()
  })
  const said = await page.locator('[data-fault]').textContent()
  await page.click('#later')
  const registered = await arrived(page)
  await page.context().clearCookies()
  await begin(page, app, system)
  await page.fill('#email', email)
  await page.fill('#password', OWN)
  await page.click('#submit')

  assert.equal(said, 'The passkey was not created. Try again, or continue without one.')
  assert.ok(registered)
  assert.ok(await arrived(page), 'the next sign-in offers none')
})
