/** Pages that go on to the provider of an organization, and an address before the password, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser, openBrowser } from '../support/chromium.ts'
import { expectStatus } from '../support/http.ts'
import { signInAs, startConnection, startOffering } from '../support/sso-sign-in.ts'
import { authUrl, newPkce, PASSWORD } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

after(closeBrowser)

test('a browser goes on to the provider by itself; the way back finds a page that waits', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, system, connection, person } = place
  const before = app.newBrowser()
  await signInAs(place, person('ana'), before)
  const [key, { value }] = [...before.jar].find(([each]) => each.includes('connections'))!
  const context = await (await openBrowser()).newContext()
  await context.addCookies([{ name: key.split(' ')[0]!, value, url: `${app.url}/interaction` }])
  // In place of the redirect to the provider, whose page leads to one that does not exist.
  const isProvider = ({ pathname }: URL) => pathname.endsWith(`/connection/${connection.id}`)
  await context.route(isProvider, (route) => route.fulfill({ contentType: 'text/html', body: 'Provider' }))
  const page = await context.newPage()
  const query = { account_id: undefined, connection: connection.id }

  await page.goto(app.url + authUrl(system as never, newPkce().challenge, query))
  const first = await page.content()
  await page.waitForURL(isProvider, SOON)
  await page.goBack()
  await page.locator(`#connection-${connection.id}`).waitFor(SOON)
  const back = await page.content()
  await page.locator('#other').click()
  await page.locator('[name=password]').waitFor(SOON)

  assert.match(first, /in a few seconds/)
  assert.doesNotMatch(back, /in a few seconds/)
  await context.close()
})

test('without JavaScript too, the address is asked for, then the password, and the user signs in', async (t) => {
  const place = await startOffering(t)
  const { app, system, accountId } = place
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { addressFirst: true }), 200)
  const context = await (await openBrowser()).newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const back = page.waitForRequest((request) => request.url().includes('code='), SOON)

  await page.goto(app.url + authUrl(system as never, newPkce().challenge, { account_id: undefined }))
  await page.locator('[name=email]').fill('nobody@elsewhere.example')
  await page.keyboard.press('Enter')
  await page.locator('[name=password]').waitFor(SOON)
  await page.locator('#change-address').click()
  await page.locator('[name=email]').fill(user.email)
  await page.locator('#submit').click()
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('#submit').click()

  assert.ok(new URL((await back).url()).searchParams.get('code'))
  await context.close()
})
