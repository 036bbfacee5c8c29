/**
 * A product in the browser with oidc-client-ts: a public client on its own origin, against our
 * server and our pages in a real Chromium.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, type TestContext, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { closeBrowser, openBrowser } from '../support/chromium.ts'
import { PASSWORD, startTestApp } from '../support/testing.ts'

after(closeBrowser)

type App = Awaited<ReturnType<typeof startTestApp>>

const LIBRARY = readFileSync(
  new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')),
)

/** The product's page: the library, configured as documented. */
const pageOf = (
  settings: object,
) => `<!doctype html><title>Product</title><script src="/library.js"></script><script>
const manager = new oidc.UserManager({ ...${JSON.stringify(settings)}, userStore: new oidc.WebStorageStateStore({ store: localStorage }) })
if (location.pathname === '/silent') manager.signinSilentCallback()
const summary = (user) => ({ sub: user.profile.sub, account_id: user.profile.account_id, email: user.profile.email, access_token: user.access_token, refresh_token: user.refresh_token })
</script>`

/** The product's web server: one page for every path. */
async function serve(t: TestContext, host: string, settings: () => object): Promise<string> {
  const server = createServer((request, response) => {
    const script = request.url === '/library.js'
    response
      .setHeader('content-type', script ? 'text/javascript' : 'text/html')
      .end(script ? LIBRARY : pageOf(settings()))
  }).listen(0, host)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${host}:${(server.address() as { port: number }).port}`
}

/** The product on a host, its system with one member, and a new browser context. */
async function product(t: TestContext, app: App, host: string, more: object = {}) {
  const settings = {
    authority: app.url,
    client_id: '',
    redirect_uri: '',
    scope: 'openid email',
    loadUserInfo: true,
    ...more,
  }
  const origin = await serve(t, host, () => settings)
  const system = await app.newSystem({
    clientType: 'public',
    redirectUris: [`${origin}/callback`, `${origin}/silent`],
    postLogoutRedirectUris: [`${origin}/`],
  })
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  Object.assign(settings, {
    client_id: system.clientId,
    redirect_uri: `${origin}/callback`,
    silent_redirect_uri: `${origin}/silent`,
    post_logout_redirect_uri: `${origin}/`,
  })
  const context = await (await openBrowser()).newContext()
  t.after(() => context.close())
  return { origin, user, membership, context }
}

type Summary = {
  sub: string
  account_id: string
  email: string
  access_token: string
  refresh_token?: string
}

/** Signs in through our pages until the product has its user. */
async function signIn(
  context: BrowserContext,
  origin: string,
  email: string,
): Promise<{ page: Page; summary: Summary }> {
  const page = await context.newPage()
  await page.goto(origin)
  await page.evaluate('void manager.signinRedirect()')
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button#submit')
  await page.waitForSelector('button#deny')
  await page.click('button#submit')
  await page.waitForURL(`${origin}/callback?*`)
  return { page, summary: await page.evaluate('manager.signinCallback().then(summary)') }
}

test('oidc-client-ts: sign-in by redirect, with userinfo from another origin', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, membership, context } = await product(t, app, '127.0.0.1')

  const { summary } = await signIn(context, origin, user.email)

  assert.deepEqual(
    [summary.sub, summary.account_id, summary.email],
    [user.id, membership.accountId, user.email],
  )
})

test('oidc-client-ts: silent renewal by refresh token', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, context } = await product(t, app, '127.0.0.1', {
    scope: 'openid email offline_access',
  })
  const { page, summary } = await signIn(context, origin, user.email)

  const renewed = (await page.evaluate('manager.signinSilent().then(summary)')) as Summary

  assert.notEqual(renewed.access_token, summary.access_token)
  assert.notEqual(renewed.refresh_token, summary.refresh_token)
  assert.deepEqual([renewed.sub, (await app.me(renewed.access_token)).status], [user.id, 200])
})

test('oidc-client-ts: silent renewal in an iframe works on the same site', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, context } = await product(t, app, 'localhost')
  const { page, summary } = await signIn(context, origin, user.email)

  const renewed = (await page.evaluate('manager.signinSilent().then(summary)')) as Summary

  assert.notEqual(renewed.access_token, summary.access_token)
  assert.equal(renewed.account_id, summary.account_id)
})

test('oidc-client-ts: silent renewal in a cross-site iframe gets login_required', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, context } = await product(t, app, '127.0.0.1')
  const { page } = await signIn(context, origin, user.email)

  const error = await page.evaluate('manager.signinSilent().then(summary, (error) => error.error)')

  assert.equal(error, 'login_required')
})

test('oidc-client-ts: signing out ends the session and returns to the product', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, context } = await product(t, app, '127.0.0.1', { scope: 'openid offline_access' })
  const { page, summary } = await signIn(context, origin, user.email)

  await page.evaluate('void manager.signoutRedirect()')
  await page.waitForURL(`${origin}/`)

  assert.equal((await app.me(summary.access_token)).status, 401)
  assert.equal(await page.evaluate('manager.signoutCallback().then(() => manager.getUser())'), null)
})

test('oidc-client-ts: prompt=login by another user signs the first one out', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, membership, context } = await product(t, app, '127.0.0.1')
  const other = await app.newUser()
  const theirs = await app.newMembership({ userId: other.id, systemId: membership.systemId })
  const { page, summary } = await signIn(context, origin, user.email)

  await page.evaluate("void manager.signinRedirect({ prompt: 'login' })")
  await page.fill('input[name=email]', other.email)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button#submit')
  await page.waitForSelector('button#deny')
  await page.click('button#submit')
  await page.waitForURL(`${origin}/callback?*`)

  const now = (await page.evaluate('manager.signinCallback().then(summary)')) as Summary
  assert.deepEqual([now.sub, now.account_id], [other.id, theirs.accountId])
  assert.equal((await app.me(summary.access_token)).status, 401)
})

test('a page on an unregistered origin reads neither tokens nor claims', async (t) => {
  const app = await startTestApp(t)
  const { origin, user, context } = await product(t, app, '127.0.0.1', { scope: 'openid offline_access' })
  const { page, summary } = await signIn(context, origin, user.email)
  const clientId = JSON.parse(
    Buffer.from(summary.access_token.split('.')[1]!, 'base64url').toString(),
  ).client_id
  const outsider = await context.newPage()
  await outsider.goto(
    await serve(t, '127.0.0.1', () => ({
      authority: app.url,
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1/',
    })),
  )
  const me = `fetch('${app.url}/me', { headers: { authorization: 'Bearer ${summary.access_token}' } }).then((answer) => answer.status, () => 'refused')`
  const token = (value: string) =>
    `fetch('${app.url}/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: '${clientId}', refresh_token: '${value}' }) }).then((answer) => answer.status, () => 'refused')`
  const admin = `fetch('${app.url}/admin/users', { headers: { authorization: 'Bearer ${summary.access_token}' } }).then((answer) => answer.status, () => 'refused')`

  assert.deepEqual(
    [await outsider.evaluate(me), await outsider.evaluate(token('any')), await outsider.evaluate(admin)],
    ['refused', 'refused', 'refused'],
  )
  assert.deepEqual(
    [await page.evaluate(me), await page.evaluate(token('any')), await page.evaluate(admin)],
    [200, 400, 'refused'],
  )
})
