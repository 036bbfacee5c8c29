/** Sign-ins in a window that an application of another origin has opened, in Chromium. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../support/chromium.ts'
import { openPage } from '../support/passkeys.ts'
import { addressOf, start as startWithProviders } from '../support/social.ts'
import { authUrl, newPkce, PASSWORD } from '../support/testing.ts'

after(closeBrowser)

/** A product like Swagger UI: it keeps the window, and its callback posts to its opener and closes itself. */
const PRODUCT = `<!doctype html><script>
window.answers = []
addEventListener('message', ({ data }) => answers.push(data))
</script>`
const CALLBACK = `<!doctype html><script>
opener.postMessage(location.search, '*')
close()
</script>`

async function startProduct(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const isCallback = request.url?.startsWith('/cb')
      const page = body === '' ? CALLBACK : CALLBACK.replace('location.search', JSON.stringify(`?${body}`))
      response.setHeader('content-type', 'text/html').end(isCallback ? page : PRODUCT)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function given(t: TestContext, fields: object = {}) {
  const { app, one } = await startWithProviders(t)
  const product = await startProduct(t)
  const { system, user } = await app.newMember({
    redirectUris: [`${product}/cb`],
    postLogoutRedirectUris: [`${product}/cb`],
    ...fields,
  })
  const page = await openPage(t)
  await page.goto(product)
  return { app, one, system, user, page }
}
type Given = Awaited<ReturnType<typeof given>>

async function openPopup({ app, page }: Pick<Given, 'app' | 'page'>, path: string): Promise<Page> {
  const opened = page.waitForEvent('popup')
  await page.evaluate(`{ window.popup = open(${JSON.stringify(app.url + path)}) }`)
  return opened
}

const isClosed = (page: Page) => page.evaluate('window.popup.closed')

async function answerOf(page: Page): Promise<URLSearchParams> {
  await page.waitForFunction('window.answers.length > 0 && window.popup.closed')
  return new URLSearchParams(String(await page.evaluate('window.answers[0]')))
}

async function typePassword(popup: Page, email: string): Promise<void> {
  await popup.fill('input[name=email]', email)
  await popup.fill('input[name=password]', PASSWORD)
  await popup.click('button#submit')
}

for (const mode of ['query', 'form_post'] as const)
  test(`an application that waits for its window gets the answer of a sign-in by ${mode}`, async (t) => {
    const at = await given(t)
    const { page, system, user } = at

    const popup = await openPopup(at, authUrl(system, newPkce().challenge, { response_mode: mode }))
    await popup.waitForSelector('input[name=password]')
    const closed = [await isClosed(page)]
    await popup.fill('input[name=email]', user.email)
    await popup.fill('input[name=password]', 'a wrong password')
    await popup.click('button#submit')
    await popup.waitForSelector('[role=alert]')
    closed.push(await isClosed(page))
    await popup.click('#forgot-password')
    await popup.click('#sign-in')
    await typePassword(popup, user.email)
    await popup.waitForSelector('#deny')
    closed.push(await isClosed(page))
    await popup.click('#submit')
    const answer = await answerOf(page)

    assert.deepEqual(closed, [false, false, false])
    assert.ok(answer.get('code'), String(answer))
  })

test('an application that waits for its window gets the refusal', async (t) => {
  const at = await given(t)

  const popup = await openPopup(at, authUrl(at.system, newPkce().challenge))
  await typePassword(popup, at.user.email)
  await popup.click('#deny')

  assert.equal((await answerOf(at.page)).get('error'), 'access_denied')
})

test('an application that waits for its window gets the answer after another identity provider', async (t) => {
  const at = await given(t, { allowSelfRegister: true, skipConsent: true })
  at.one.claims = { sub: crypto.randomUUID(), email: addressOf(), email_verified: true }

  const popup = await openPopup(at, authUrl(at.system, newPkce().challenge))
  await popup.click('a[href*="/social/one/login"]')
  await popup.waitForSelector('form[action$="/join"]')
  const closed = await isClosed(at.page)
  await popup.click('#submit')
  const answer = await answerOf(at.page)

  assert.equal(closed, false)
  assert.ok(answer.get('code'), String(answer))
})

test('an application sees that the window of a failed sign-in and of a logout is open, and closed', async (t) => {
  const at = await given(t, { skipConsent: true })
  const { page, system, user } = at

  const failed = await openPopup(at, authUrl(system, newPkce().challenge, { redirect_uri: 'https://x.test' }))
  await failed.waitForSelector('#error-code')
  const closed = [await isClosed(page)]
  await failed.close()
  const popup = await openPopup(at, authUrl(system, newPkce().challenge))
  await typePassword(popup, user.email)
  await answerOf(page)
  await page.evaluate('window.answers = []')
  const to = { client_id: system.clientId, post_logout_redirect_uri: system.postLogoutRedirectUris[0] }
  const leaving = await openPopup(at, `/session/end?${new URLSearchParams({ ...to, state: 'left' })}`)
  await leaving.waitForSelector('#logout-confirm')
  closed.push(await isClosed(page))
  await leaving.click('#logout-confirm')
  const answer = await answerOf(page)

  assert.deepEqual(closed, [false, false])
  assert.equal(answer.get('state'), 'left')
})

test('P76: pages of a sign-in have no opener policy, the account pages and the console have one', async (t) => {
  const { app, system } = await given(t)
  const policyOf = async (path: string) =>
    (await app.newBrowser().get(path)).headers.get('cross-origin-opener-policy')
  const policies = async (...paths: string[]) =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await policyOf(path)])))

  const ofSignIns = await policies(
    authUrl(system, newPkce().challenge),
    '/auth',
    '/auth/unknown',
    '/interaction/unknown',
    '/social/callback',
    '/social/one/login',
    '/one/callback',
    '/session/end',
    '/session/end/success',
    '/device',
  )
  const ofOthers = await policies(
    '/account',
    '/account/security',
    '/console/',
    '/',
    '/docs',
    '/reset-password',
  )

  assert.deepEqual(new Set(Object.values(ofSignIns)), new Set([null]), JSON.stringify(ofSignIns))
  assert.deepEqual(new Set(Object.values(ofOthers)), new Set(['same-origin']), JSON.stringify(ofOthers))
})
