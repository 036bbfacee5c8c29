/** The Back and Reload buttons of Chromium on pages that show the outcome of a form. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../support/chromium.ts'
import { appCode, withinStep } from '../support/factors.ts'
import { openPage, startApplication } from '../support/passkeys.ts'
import { newEmail, newOpenSystem, OWN } from '../support/registration.ts'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../support/testing.ts'

after(closeBrowser)

async function typePassword(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button#submit')
}

test('Back from the forgotten password shows the login with the address, also after a wrong password', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember()
  const page = await openPage(t)

  await page.goto(app.url + authUrl(system, newPkce().challenge))
  await typePassword(page, user.email, 'a wrong password')
  await page.waitForSelector('[role=alert]')
  await page.click('#forgot-password')
  await page.fill('input[name=email]', user.email)
  await page.click('button#submit')
  await page.click('#next')
  await page.waitForSelector('input[name=password]')
  await page.goBack()
  const sent = await page.textContent('h1')
  await page.goBack()
  await page.goBack()
  const address = await page.inputValue('input[name=email]')
  await page.reload()
  const alert = await page.textContent('[role=alert]')

  assert.equal(sent, 'Check your email')
  assert.equal(address, user.email)
  assert.match(String(alert), /incorrect/)
})

test('Back and Reload after a refused registration show its form with what was typed', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const [page, email] = [await openPage(t), newEmail()]

  await page.goto(app.url + authUrl(system, newPkce().challenge))
  await page.click('#register')
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', 'short')
  await page.click('button#submit')
  await page.waitForSelector('[aria-invalid=true]')
  await page.reload()
  const kept = await page.inputValue('input[name=email]')
  await page.fill('input[name=password]', OWN)
  await page.click('button#submit')
  await page.waitForSelector('#resend')
  await page.goto(`${app.url}/`)
  await page.goBack()

  assert.equal(kept, email)
  assert.ok(await page.isVisible('#resend'))
})

test('Back from the consent, and after the sign-in, shows where the sign-in stands', async (t) => {
  const { home, arrived } = await startApplication(t)
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ redirectUris: [`${home}/cb`] })
  const page = await openPage(t)

  await page.goto(app.url + authUrl(system, newPkce().challenge))
  await typePassword(page, user.email)
  await page.waitForSelector('#deny')
  await page.goBack()
  await page.waitForSelector('#deny')
  await page.click('#submit')
  const code = await arrived(page)
  await page.goBack()

  assert.ok(code)
  assert.equal(await page.textContent('#error-code'), 'interaction_finished')
  assert.equal(await page.getAttribute('#next', 'href'), '/account')
})

test('recovery codes are shown once, and Back continues', async (t) => {
  const { home, arrived } = await startApplication(t)
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({
    skipConsent: true,
    requireMfa: true,
    redirectUris: [`${home}/cb`],
  })
  const page = await openPage(t)

  await page.goto(app.url + authUrl(system, newPkce().challenge))
  await typePassword(page, user.email)
  const secret = String(await page.textContent('#secret')).replaceAll(' ', '')
  await withinStep()
  await page.evaluate("document.querySelector('details:not([open])')?.setAttribute('open', '')")
  await page.fill('input[name=code]', appCode(secret, -1))
  await page.click('form:has(input[name=code]) button')
  await page.waitForURL('**/enrolled')
  const codes = await page.locator('li code').count()
  await page.reload()

  assert.equal(codes, 10)
  assert.ok(await arrived(page))
})

test('Back on an account page shows the page with its error', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const page = await openPage(t)

  await page.goto(`${app.url}/account/password`)
  await typePassword(page, user.email)
  await page.fill('input[name=current]', 'a wrong password')
  await page.fill('input[name=password]', OWN)
  await page.fill('input[name=passwordAgain]', OWN)
  await page.click('button#submit')
  await page.waitForSelector('#current-error')
  await page.click('.nav a >> nth=0')
  await page.waitForURL('**/account')
  await page.goBack()

  assert.ok(await page.isVisible('#current-error'))
})
