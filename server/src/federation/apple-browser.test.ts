/** Apple's cross-site form post in a real browser, with its cookie rules. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWithApple } from '../../test/support/apple.ts'
import { closeBrowser, openBrowser } from '../../test/support/chromium.ts'
import { addressOf, findByEmail, unique } from '../../test/support/social.ts'
import { authUrl, newPkce } from '../../test/support/testing.ts'

const chromium = await openBrowser()
after(closeBrowser)

test("in a browser Apple's cross-site form post without our cookies completes the sign-in", async (t) => {
  const { app, apple } = await startWithApple(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const email = addressOf()
  apple.claims = { sub: unique(), email, email_verified: 'true' }
  apple.said = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } })
  const context = await chromium.newContext({ baseURL: app.url })
  const page = await context.newPage()
  const answered: { method: string; site: string | undefined; cookies: boolean }[] = []
  page.on('request', async (request) => {
    if (!/\/social\/(apple\/)?callback/.test(request.url())) return
    const headers = await request.allHeaders()
    answered.push({ method: request.method(), site: headers['sec-fetch-site'], cookies: 'cookie' in headers })
  })

  await page.goto(authUrl(system, newPkce().challenge))
  await page.click('a[href*="/social/apple/login"]')
  await page.waitForURL('**/interaction/**')
  const text = await page.locator('main').textContent()

  const user = await findByEmail(app, email)
  assert.equal(user?.name, 'Ada Lovelace')
  assert.deepEqual(answered, [
    { method: 'POST', site: 'cross-site', cookies: false },
    { method: 'GET', site: 'cross-site', cookies: true },
  ])
  assert.doesNotMatch(text ?? '', /provider_/)
  await context.close()
})
