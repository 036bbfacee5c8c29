/** The pages that the protocol library requests, in a browser. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, openBrowser } from '../../../test/support/chromium.ts'
import { basicAuth, PASSWORD, startTestApp } from '../../../test/support/testing.ts'

const browser = await openBrowser()
after(closeBrowser)

const headingOf = (page: Page) => page.locator('h1').textContent()
const textOf = (html: unknown) => String(html).replace(/<[^>]+>/g, '')

/** A page that records its console errors, CSP violations included. */
async function openPage(): Promise<{ page: Page; pageErrors: string[] }> {
  const page = await (await browser.newContext()).newPage()
  const pageErrors: string[] = []
  page.on('console', (message) => pageErrors.push(message.text()))
  return { page, pageErrors }
}

test('a sign-out without a session shows the signed-out page', async (t) => {
  const { url } = await startTestApp(t)
  const { page, pageErrors } = await openPage()

  await page.goto(`${url}/session/end`)
  await page.waitForURL('**/session/end/success')

  assert.equal(await headingOf(page), 'You are signed out')
  assert.deepEqual(pageErrors, [])
  await page.context().close()
})

test('declining the logout keeps the session, and confirming it ends the session', async (t) => {
  const app = await startTestApp(t)
  const [system, alice] = [await app.newSystem(), await app.newUser()]
  await app.newMembership({ userId: alice.id, systemId: system.id })
  const json = { accept: 'application/json' }

  for (const parameters of ['', `?client_id=${system.clientId}`]) {
    const { visitor } = await app.signIn(system, { email: alice.email })
    const stayed = await visitor.follow(await visitor.submit(await visitor.get(`/session/end${parameters}`)))
    const stayedJson = await visitor.get('/session/end/success', json)
    const out = await visitor.follow(
      await visitor.submit(await visitor.get('/session/end'), { logout: 'yes' }),
    )
    const outJson = await visitor.get('/session/end/success', json)

    assert.match(textOf(stayed.body), /You are still signed in/)
    assert.match(textOf(out.body), /You are signed out/)
    assert.deepEqual([stayedJson.body, outJson.body], [{ step: 'stayed' }, { step: 'logged_out' }])
  }
})

test('the device flow in a browser follows the complete link under the CSP', async (t) => {
  const app = await startTestApp(t)
  const [system, alice] = [await app.newSystem({ allowDeviceFlow: true }), await app.newUser()]
  await app.newMembership({ userId: alice.id, systemId: system.id })
  const asked = await fetch(`${app.url}/device/auth`, {
    method: 'POST',
    headers: { authorization: basicAuth(system) },
    body: new URLSearchParams({ scope: 'openid' }),
  }).then((response) => response.json())
  const { page, pageErrors } = await openPage()

  await page.goto(asked.verification_uri_complete)
  await page.locator('#submit').click()
  const shown = await page.locator('#device-code').textContent()
  await page.locator('#submit').click()
  await page.locator('[name=email]').fill(alice.email)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('#submit').click()
  await page.waitForSelector('.scopes')
  await page.locator('#submit').click()
  await page.waitForURL(/\/device\?shown=/)
  const answer = await app.token(system, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: asked.device_code,
  })

  assert.equal(shown, asked.user_code)
  assert.equal(await headingOf(page), 'Device connected')
  assert.equal(answer.status, 200)
  assert.deepEqual(pageErrors, [])
  await page.context().close()
})
