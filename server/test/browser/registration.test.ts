/** Registration and password reset in Chromium, with and without JavaScript. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { closeBrowser, openBrowser } from '../support/chromium.ts'
import {
  type App,
  newEmail,
  newestLink,
  newOpenSystem,
  OWN,
  registerIn,
  type System,
} from '../support/registration.ts'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

after(closeBrowser)

/** A new browser context, and the application of the redirect URI. */
async function given(t: TestContext, javaScriptEnabled: boolean) {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('the application'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const context = await (await openBrowser()).newContext({ javaScriptEnabled })
  t.after(async () => {
    await context.close()
    server.closeAllConnections()
    server.close()
  })
  const pageErrors: string[] = []
  context.on('console', (message) => {
    // The test fills a field before the page has loaded.
    if (!message.text().startsWith('Autofocus processing was blocked')) pageErrors.push(message.text())
  })
  const redirectUris = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/cb`]
  return { app: await startTestApp(t), context, pageErrors, redirectUris }
}

async function openLogin(context: BrowserContext, app: App, system: System): Promise<Page> {
  const page = await context.newPage()
  await page.goto(app.url + authUrl(system, newPkce().challenge))
  return page
}

const arrived = async (page: Page) => {
  await page.waitForURL('**/cb?*', SOON)
  return new URL(page.url()).searchParams.get('code')
}

for (const [how, javaScript] of [
  ['with JavaScript', true],
  ['without JavaScript', false],
] as const) {
  test(`${how}: registration with the emailed code`, async (t) => {
    const { app, context, pageErrors, redirectUris } = await given(t, javaScript)
    const system = await newOpenSystem(app, { multiAccount: true, redirectUris })
    const email = newEmail()
    const page = await openLogin(context, app, system)

    await registerIn(page, app, email)

    assert.ok(await arrived(page))
    assert.deepEqual(pageErrors, [])
  })

  test(`${how}: password reset by an emailed link, then a sign-in`, async (t) => {
    const { app, context, pageErrors, redirectUris } = await given(t, javaScript)
    const { system, user } = await app.newMember({ skipConsent: true, redirectUris })
    const page = await openLogin(context, app, system)

    await page.click('#forgot-password')
    await page.fill('input[name=email]', user.email)
    await page.click('button#submit')
    await page.getByText('is registered, we sent a link').waitFor()
    const tab = await context.newPage()
    await tab.goto(await newestLink(app, user.email))
    await tab.fill('input[name=password]', OWN)
    await tab.fill('input[name=passwordAgain]', OWN)
    await tab.click('button#submit')
    await tab.getByText('Your password was changed').waitFor()
    await page.click('#next')
    await page.fill('input[name=email]', user.email)
    await page.fill('input[name=password]', OWN)
    await page.click('button#submit')

    assert.ok(await arrived(page))
    assert.equal((await app.authorize(system, { email: user.email, password: PASSWORD })).page.status, 401)
    assert.deepEqual(pageErrors, [])
  })
}
