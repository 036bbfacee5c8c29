/** The account pages in Chromium: with and without JavaScript, on both screens, in both color schemes. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, test } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import { changeProofs, removePasswords } from '../../test/support/browser-sessions.ts'
import { closeBrowser, openBrowser } from '../../test/support/chromium.ts'
import { appCode, sendTo, withinStep } from '../../test/support/factors.ts'
import { addAuthenticator } from '../../test/support/passkeys.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { passkeys } from '../database/schema.ts'

const chromium = await openBrowser()
after(closeBrowser)

const PAGES = ['', '/password', '/security', '/sessions', '/accounts', '/applications']
/** Folder for screenshots; none by default. */
const SCREENS = process.env.SCREENS

for (const javaScriptEnabled of [true, false])
  test(`account pages work in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
    const app = await startTestApp(t)
    const { system, user } = await app.newMember()
    await app.signIn(system, { email: user.email })
    const context = await chromium.newContext({ javaScriptEnabled, baseURL: app.url })
    const page = await context.newPage()
    const pageErrors: string[] = []
    page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()))

    await page.goto('/account/sessions')
    await page.fill('#email', user.email)
    await page.fill('#password', PASSWORD)
    await page.click('#submit')
    await page.waitForURL('**/account/sessions')
    await page.click('button[name=browser]')
    await page.waitForURL('**/account/sessions?done=ended')
    await page.click('nav a[href="/account"]')
    await page.fill('#givenName', 'Ada')
    await page.selectOption('#locale', 'es')
    await page.click('#submit')
    await page.waitForURL('**/account?done=saved')
    const saved = await page.locator('.notice').textContent()
    await page.click('nav a[href="/account/security"]')
    await withinStep()
    await page.click('#use-app')
    await page.fill('#code', appCode((await page.locator('#secret').textContent())!.replaceAll(' ', '')))
    await page.click('#submit')
    const codes = await page.locator('#recovery-codes li').count()
    await page.click('#next')
    await page.click('button[value=totp]')
    await page.waitForURL('**/account/security?done=removed')

    assert.deepEqual([saved, codes], ['Se guardaron tus cambios.', 10])
    assert.deepEqual(pageErrors, [])
    await context.close()
  })

/** A browser with an authenticator that confirms at once, without passkeys in autofill. */
async function withAuthenticator(url: string) {
  const context = await chromium.newContext({ baseURL: url, locale: 'en' })
  await context.addInitScript(
    'if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  )
  const page = await context.newPage()
  const { present } = await addAuthenticator(page)
  await present(true)
  return { context, page }
}

/** A user with an authenticator, signed in by password, on the page of factors. */
async function atSecurity(app: Awaited<ReturnType<typeof startTestApp>>) {
  const user = await app.newUser()
  const { context, page } = await withAuthenticator(app.url)
  const signIn = async () => {
    await page.goto('/account/security')
    await page.fill('#email', user.email)
    await page.fill('#password', PASSWORD)
    await page.click('#submit')
  }
  await signIn()
  return { user, context, page, signIn }
}

test('a passkey is created on the account pages, required by the next sign-in, and removed', async (t) => {
  const app = await startTestApp(t)
  const { user, context, page, signIn } = await atSecurity(app)

  await page.click('#passkey')
  await page.locator('#recovery-codes').waitFor()
  const codes = await page.locator('#recovery-codes li').count()
  await context.clearCookies()
  await signIn()
  await page.locator('form[action$="/second-factor"]').first().waitFor()
  await page.click('#passkey')
  await page.waitForURL('**/account/security')
  await page.click('button[name=factor]')
  await page.waitForURL('**/account/security?done=removed')

  assert.equal(codes, 10)
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.mfaEnabled, false)
  await context.close()
})

test('a user without password signs in and re-authenticates by passkey, and names it', async (t) => {
  const app = await startTestApp(t)
  const { user, context, page } = await atSecurity(app)
  await page.click('#passkey')
  const usual = await page.inputValue('#name')
  await page.fill('#name', 'My <b>laptop</b>')
  await page.click('#submit')
  await page.waitForURL('**/account/security?done=added')
  await removePasswords(app.db, user.id)
  await context.clearCookies()

  await page.goto('/account/security')
  await page.click('#passkey')
  await page.waitForURL('**/account/security')
  const called = await page.locator('[aria-labelledby=passkeys] .names bdi').textContent()
  await page.click('[aria-labelledby=passkeys] summary')
  await page.fill('[id^=name-]', 'Laptop of work')
  await page.click('details[open] button')
  await page.waitForURL('**/account/security?done=saved')
  const renamed = await page.locator('[aria-labelledby=passkeys] .names bdi').textContent()
  await changeProofs(app.db, user.id, { age: 400 })
  await page.goto('/account/security')
  const asked = new URL(page.url()).pathname
  const sent = Promise.withResolvers<{ url: string; data: string }>()
  await page.route('**/interaction/*/passkey', (route) => {
    sent.resolve({ url: route.request().url(), data: route.request().postData()! })
    return route.continue()
  })
  await page.click('#passkey')
  await page.waitForURL('**/account/security')
  const { url, data } = await sent.promise
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: app.url }
  const replayed = await page.request.post(url, { headers, data })

  assert.deepEqual([usual, called, renamed], ['Chrome, Linux', 'My <b>laptop</b>', 'Laptop of work'])
  assert.match(asked, /^\/interaction\//)
  assert.equal(replayed.status(), 404, 'that sign-in has ended')
  const entries = await app.audited({ targetId: user.id, action: 'user.login' })
  assert.deepEqual(
    entries.map(({ changes }) => changes?.method?.[1]),
    [undefined, 'passkey', 'passkey'],
  )
  await context.close()
})

test('an assertion works once, for its own browser and our own form', async (t) => {
  const app = await startTestApp(t)
  const { user, context, page } = await atSecurity(app)
  await page.click('#passkey')
  await page.locator('#recovery-codes').waitFor()
  await app.db.update(passkeys).set({ counter: 0 })
  await context.clearCookies()
  const sent = Promise.withResolvers<{ url: string; data: string }>()
  await page.route('**/interaction/*/passkey', (route) => {
    sent.resolve({ url: route.request().url(), data: route.request().postData()! })
    return route.abort()
  })
  await page.goto('/account')
  await page.click('#passkey')
  const { url, data: signed } = await sent.promise
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: app.url }
  const post = async (data: string, origin: string, maxRedirects: number) =>
    (await page.request.post(url, { headers: { ...headers, origin }, data, maxRedirects })).status()
  const send = (data: string) => post(data, app.url, 0)
  const cookies = await context.cookies()
  const outsider = app.newBrowser()
  const theirs = await outsider.follow(await outsider.get('/account'))

  const passkey = new URLSearchParams(signed).get('passkey')!
  const elsewhere = await sendTo(outsider, theirs, 'passkey', { passkey })
  const foreign = [
    await post(signed, 'https://evil.example', 1),
    await post(signed.replace(/csrf=[^&]+/, 'csrf=x'), app.url, 1),
  ]
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: true })
  const disabled = await send(signed)
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: false })
  const right = await send(signed)
  const outsiders = async () => {
    await context.clearCookies()
    await context.addCookies(cookies)
    await app.db.update(passkeys).set({ counter: 0 }) // the counter must not be the reason of the refusal
  }
  await outsiders()
  const again = await post(signed, app.url, 1)

  // The page that says so follows; a sign-in would lead to /auth.
  assert.deepEqual([elsewhere.status, foreign, disabled], [401, [403, 403], 303])
  assert.deepEqual([right, again], [303, 503])
  await context.close()
})

for (const colorScheme of ['light', 'dark'] as const)
  for (const [screen, viewport] of [
    ['phone', { width: 390, height: 844 }],
    ['desktop', { width: 1280, height: 800 }],
  ] as const)
    test(`account pages meet WCAG 2.2 AA on a ${screen} in ${colorScheme}`, async (t) => {
      const app = await startTestApp(t)
      const { system, user } = await app.newMember()
      const other = await app.newSystem({
        name: 'Associação Intermunicipal de Transportes e Telecomunicações',
      })
      await app.newMembership({ userId: user.id, systemId: other.id, status: 'pending' })
      await app.signIn(system, { email: user.email })
      const context = await chromium.newContext({
        colorScheme,
        viewport,
        baseURL: app.url,
        reducedMotion: 'reduce',
        bypassCSP: true,
      })
      const page = await context.newPage()
      const violations: string[] = []
      const look = async (name: string) => {
        await page.evaluate(axe.source)
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
        const results: AxeResults = await page.evaluate(
          `axe.run({ runOnly: ${JSON.stringify(tags)}, rules: { 'target-size': { enabled: true } } })`,
        )
        violations.push(
          ...results.violations.map(
            ({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ html }) => html).join(' and ')}`,
          ),
        )
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
        if (wide) violations.push(`${name}: wider than the screen`)
        if (!SCREENS) return
        mkdirSync(SCREENS, { recursive: true })
        await page.screenshot({ path: `${SCREENS}/${name}-${screen}-${colorScheme}.png`, fullPage: true })
      }

      await page.goto('/account')
      await look('account-login')
      await page.fill('#email', user.email)
      await page.fill('#password', 'wrong')
      await page.click('#submit')
      await look('account-login-refused')
      await page.fill('#password', PASSWORD)
      await page.click('#submit')
      await page.waitForURL('**/account')
      for (const path of PAGES) {
        await page.goto(`/account${path}`)
        await look(`account${path.replace('/', '-')}`)
      }
      await page.goto('/account/password')
      await page.fill('#current', 'wrong')
      await page.fill('#password', 'a wholly other sentence')
      await page.fill('#passwordAgain', 'a wholly other sentence')
      await page.click('#submit')
      await look('account-password-refused')

      assert.deepEqual(violations, [])
      await context.close()
    })
