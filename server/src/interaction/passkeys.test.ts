/**
 * Passkeys in Chromium with a virtual authenticator (CDP WebAuthn): enrolment, second factor, first factor.
 */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { decodeJwt } from 'jose'
import { closeBrowser } from '../../test/support/chromium.ts'
import { type App, appCode, memberWithApp, withinStep } from '../../test/support/factors.ts'
import {
  addAuthenticator,
  begin,
  openPage,
  startApplication,
  typePassword,
} from '../../test/support/passkeys.ts'
import { authUrl, codeFields, newPkce, startTestApp } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { passkeys, sessions } from '../database/schema.ts'

after(closeBrowser)
const { home: HOME, arrived: atApplication } = await startApplication({ after })

const strict = { skipConsent: true, requireMfa: true, redirectUris: [`${HOME}/cb`] }

/** Enrols a passkey at the first sign-in to a system that requires a second factor. */
async function enrol(t: TestContext, app: App, offers = false) {
  const { system, user } = await app.newMember(strict)
  const page = await openPage(t, { offers })
  const device = await addAuthenticator(page)
  await begin(page, app, system)
  await typePassword(page, user.email)
  await device.touched(async () => {
    await page.click('#passkey')
    await page.waitForSelector('#recovery-codes')
  })
  return { system, user, page, device }
}

test('a passkey is enrolled at a sign-in, required at the next, and replaces the password', async (t) => {
  const app = await startTestApp(t)

  const { system, user, page, device } = await enrol(t, app)
  const codes = await page.locator('#recovery-codes li').count()
  const usual = await page.inputValue('#name')
  await page.fill('#name', 'Key ring')
  await page.click('#submit')
  const enrolled = await atApplication(page)
  const [stored] = await app.db.select().from(passkeys).where(eq(passkeys.userId, user.id))
  await page.context().clearCookies()
  await begin(page, app, system)
  await typePassword(page, user.email)
  await device.touched(async () => {
    await page.click('#passkey')
    await atApplication(page)
  })
  await page.context().clearCookies()
  const pkce = await begin(page, app, system)
  await device.touched(async () => {
    await page.click('#passkey')
    await atApplication(page)
  })
  const code = await atApplication(page)

  assert.equal(codes, 10)
  assert.ok(enrolled)
  assert.deepEqual([usual, stored?.name], ['Chrome, Linux', 'Key ring'])
  const tokens = (await app.token(system, codeFields(system, { back: { code }, pkce }))).body
  const { sub, amr, acr } = decodeJwt(tokens.id_token)
  assert.deepEqual([sub, amr, acr], [user.id, ['swk', 'user', 'mfa'], 'urn:tenantry:aal2'])
  const rows = await app.db
    .select()
    .from(sessions)
    .where(eq(sessions.userId, user.id))
    .orderBy(sessions.createdAt)
  assert.deepEqual(
    rows.map(({ amr }) => amr),
    [
      ['pwd', 'swk', 'user', 'mfa'],
      ['pwd', 'swk', 'user', 'mfa'],
      ['swk', 'user', 'mfa'],
    ],
  )
  const [key, ...more] = await app.db.select().from(passkeys).where(eq(passkeys.userId, user.id))
  assert.ok(key?.lastUsedAt && key.counter > 0 && more.length === 0)
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind),
    ['factor_added'],
  )
})

test('a passkey without user verification or with a reused counter is refused', async (t) => {
  const app = await startTestApp(t)
  const { system, user, page, device } = await enrol(t, app)
  await page.context().clearCookies()
  const attempt = async () => {
    await begin(page, app, system)
    await device.touched(async () => {
      await page.click('#passkey')
      await page.locator('[role=alert]:not(:empty)').first().waitFor()
    })
    return (await page.locator('[role=alert]:not(:empty)').first().textContent())?.trim()
  }

  await device.verified(false)
  const unverified = await attempt()
  await device.verified(true)
  await app.db.update(passkeys).set({ counter: 1_000 }).where(eq(passkeys.userId, user.id))
  const copied = await attempt()

  assert.equal(unverified, 'No passkey was used. Try again, or choose another method.')
  assert.equal(copied, 'This passkey is not one of yours.')
})

test('an assertion works once, in its sign-in, for our origin and an enabled user', async (t) => {
  const app = await startTestApp(t)
  const { system, user, page, device } = await enrol(t, app)
  await page.context().clearCookies()
  await begin(page, app, system)
  // The test intercepts the assertion and sends it in all wrong ways first.
  const intercepted = Promise.withResolvers<{ address: string; passkey: string }>()
  await page.route('**/passkey', (route) => {
    const passkey = new URLSearchParams(route.request().postData()!).get('passkey')!
    intercepted.resolve({ address: route.request().url(), passkey })
    return route.abort()
  })
  await device.touched(async () => {
    await page.click('#passkey')
    await intercepted.promise
  })
  const { address, passkey } = await intercepted.promise
  const forged = (claims: object) => {
    const made = JSON.parse(passkey)
    const client = JSON.parse(Buffer.from(made.response.clientDataJSON, 'base64url').toString())
    made.response.clientDataJSON = Buffer.from(JSON.stringify({ ...client, ...claims })).toString('base64url')
    return JSON.stringify(made)
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const send = async (given: string) =>
    (await page.request.post(address, { headers, data: { passkey: given } })).status()
  const disabled = (is: boolean) => app.platform.patch(`/admin/users/${user.id}`, { disabled: is })
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get(authUrl(system, newPkce().challenge)))
  const [, uid] = /interaction\/([\w-]+)\/login/.exec(String(login.body))!

  const elsewhere = await browser.request(`/interaction/${uid}/passkey`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ passkey }),
  })
  const unknown = JSON.stringify({ ...JSON.parse(passkey), id: 'AAAA', rawId: 'AAAA' })
  const refused = []
  for (const given of [
    forged({ origin: 'https://evil.example' }),
    forged({ challenge: 'AAAA' }),
    unknown,
    '{}',
    '',
  ])
    refused.push(await send(given))
  await disabled(true)
  const ofDisabled = await send(passkey)
  await disabled(false)
  const right = await send(passkey)
  // the counter must not be the reason of the refusal
  await app.db.update(passkeys).set({ counter: 0 }).where(eq(passkeys.userId, user.id))
  const again = await send(passkey)

  assert.equal(elsewhere.status, 401)
  assert.deepEqual(elsewhere.body.errors, [{ path: 'form', message: 'This passkey is not one of yours.' }])
  assert.deepEqual(refused, [401, 401, 401, 401, 401])
  assert.deepEqual([ofDisabled, right, again], [401, 200, 503])
  const entries = await app.audited({ action: 'user.login', systemId: system.id })
  assert.deepEqual(
    entries.slice(1).map(({ outcome }) => outcome),
    [...Array<string>(7).fill('failure'), 'success'],
  )
})

test('the browser offers the passkey in the address field', async (t) => {
  const app = await startTestApp(t)
  const { system, user, page, device } = await enrol(t, app, true)
  await page.context().clearCookies()

  const pkce = newPkce()
  await device.touched(async () => {
    await page.goto(app.url + authUrl(system, pkce.challenge), { waitUntil: 'commit' })
    await atApplication(page)
  })

  const tokens = (
    await app.token(system, codeFields(system, { back: { code: await atApplication(page) }, pkce }))
  ).body
  assert.equal(decodeJwt(tokens.id_token).sub, user.id)
})

test('a passkey of another user is no second factor', async (t) => {
  const app = await startTestApp(t)
  const { page, device } = await enrol(t, app)
  const { system, user } = await memberWithApp(app, strict)
  await app.db
    .insert(passkeys)
    .values({ userId: user.id, credentialId: `key-${user.id}`, publicKey: Buffer.from('x'), name: 'Passkey' })
  await page.context().clearCookies()
  await begin(page, app, system)
  await typePassword(page, user.email)
  await page.locator('form[data-passkey]').evaluate((form) => {
    const { dataset } = form as unknown as { dataset: { options: string } }
    dataset.options = JSON.stringify({ ...JSON.parse(dataset.options), allowCredentials: [] })
  })

  await device.touched(async () => {
    await page.click('#passkey')
    await page.waitForSelector('#form-error')
  })

  assert.equal(await page.textContent('#form-error'), 'This passkey is not one of yours.')
})

for (const scripts of [true, false])
  test(`an app works in a browser ${scripts ? 'with' : 'without'} JavaScript`, async (t) => {
    const app = await startTestApp(t)
    const { system, user } = await app.newMember(strict)
    const page = await openPage(t, { scripts })

    await begin(page, app, system)
    await typePassword(page, user.email)
    const secret = (await page.textContent('#secret'))!.replaceAll(' ', '')
    const passkeyShown = await page.locator('#passkey').isVisible()
    await withinStep()
    await page.click('#use-app')
    await page.fill('#code', appCode(secret, -1))
    await page.click('#submit')
    const codes = await page.locator('#recovery-codes li').allTextContents()
    await page.click('#next')
    const first = await atApplication(page)
    await page.context().clearCookies()
    await begin(page, app, system)
    await typePassword(page, user.email)
    await page.fill('#code', appCode(secret))
    await page.click('#submit')
    const second = await atApplication(page)
    await page.context().clearCookies()
    await begin(page, app, system)
    await typePassword(page, user.email)
    await page.click('summary')
    await page.fill('#recoveryCode', codes[0]!)
    await page.click('#recover')
    const third = await atApplication(page)

    assert.equal(passkeyShown, scripts)
    assert.ok(first && second && third)
  })
