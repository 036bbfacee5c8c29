/** `/outbox`: the emails of a development server. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { closeBrowser, openBrowser } from '../support/chromium.ts'
import { signInToConsole } from '../support/console.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { newBrowser, PASSWORD } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const CLIENT = { id: 'outbox', secret: 'a-secret-for-the-outbox' }
const ADMIN = 'admin@example.test'
const ENV = {
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
  ADMIN_EMAIL: ADMIN,
  ADMIN_PASSWORD: PASSWORD,
  TRUST_PROXY: '127.0.0.2',
}
let server: TestServer
let product: Awaited<ReturnType<typeof createProduct>>
let link: string

before(async () => {
  server = await startServer({ env: ENV })
  product = await createProduct(server.url, CLIENT)
  link = /Emails\s+(\S+)/.exec(server.output())?.[1] ?? 'no link'
})
after(async () => {
  await closeBrowser()
  await server.close()
})

type Ask = { headers?: Record<string, string>; from?: string }

/** The status, by a connection from a loopback address, with any Host. */
const statusOf = (url: string, { headers = {}, from = '127.0.0.1' }: Ask = {}) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const host = hostname === 'localhost' ? '127.0.0.1' : hostname
    const options = { host, port, path: pathname + search, headers, localAddress: from }
    const sent = request({ ...options, headers: { host: new URL(url).host, ...headers } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!))
    })
    sent.on('error', reject).end()
  })

async function sendEmail() {
  const { user } = await product.newMember()
  const sent = await product.admin.post(`/admin/users/${user.id}/send-password-reset`)
  assert.equal(sent.status, 202)
  return user as { id: string; email: string }
}

test('the printed link opens the outbox, which shows new emails by itself', async (t) => {
  const context = await (await openBrowser()).newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(link)
  assert.equal(page.url(), `${server.url}/outbox`) // without the key
  const { email } = await sendEmail()
  await page.locator('dd', { hasText: email }).waitFor()
  const frame = page.frameLocator('iframe')
  const opened = context.waitForEvent('page')
  await frame.getByRole('link').first().click()
  const reset = await opened
  await reset.waitForLoadState()

  assert.equal(await page.locator('nav li').count(), 1)
  assert.match(reset.url(), /\/reset-password/)
  const [cookie] = (await context.cookies()).filter(({ name }) => name === '_outbox')
  assert.equal(cookie?.httpOnly, true)
  assert.equal(cookie?.sameSite, 'Strict')
})

test('P96: without the key of this start only a platform administrator of the console reads emails', async (t) => {
  const { email } = await sendEmail()
  const key = newBrowser(server.url)
  await key.follow(await key.get(new URL(link).pathname + new URL(link).search))
  await t.waitFor(async () => assert.match(String((await key.get('/outbox')).body), new RegExp(email)), SOON)
  const newest = JSON.parse(JSON.stringify((await key.get('/outbox/newest')).body)).newest as string
  const { user } = await product.newMember()
  const [stranger, member, admin] = [1, 2, 3].map(() => newBrowser(server.url))
  await signInToConsole(member!, user as { email: string })
  await signInToConsole(admin!, { email: ADMIN })
  const forged = newBrowser(server.url)
  await forged.get(`/outbox?key=${'A'.repeat(22)}`)
  const paths = ['/outbox', `/outbox/${newest}`, `/outbox/${newest}/content`, '/outbox/newest']
  const statuses = (browser: typeof key) =>
    Promise.all(paths.map(async (path) => (await browser.get(path)).status))

  for (const browser of [stranger!, member!, forged])
    assert.deepEqual(await statuses(browser), [403, 404, 404, 404])
  for (const browser of [key, admin!]) assert.deepEqual(await statuses(browser), [200, 200, 200, 200])
  const content = await key.get(`/outbox/${newest}/content`)
  assert.match(content.headers.get('content-security-policy')!, /^sandbox [^;]*; default-src 'none'/)
  for (const name of ['..%2f..%2fsecret-key', `..%2f${newest}`, newest.replace(/.$/, 'm')])
    assert.equal((await key.get(`/outbox/${name}`)).status, 404)
})

test('P96: a request for another host, or through a proxy that is not trusted, finds no outbox', async () => {
  const { host } = new URL(server.url)
  const proxied = (forwardedHost: string) => ({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': forwardedHost,
  })

  assert.equal(await statusOf(link), 303)
  for (const headers of [
    { host: 'evil.example' },
    { host: `localhost:1` },
    { forwarded: 'for=127.0.0.1' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': host },
    proxied(host),
  ])
    assert.equal(await statusOf(link, { headers }), 404, JSON.stringify(headers))
  const trusted = { from: '127.0.0.2' }
  assert.equal(await statusOf(link, { ...trusted, headers: proxied(host) }), 303)
  assert.equal(await statusOf(link, { ...trusted, headers: proxied('tunnel.example') }), 404)
})

test('an https issuer and a server with SMTP have no outbox', async () => {
  const outside = { BASE_URL: 'https://id.example.test', TRUST_PROXY: '127.0.0.1' }
  for (const env of [outside, { MAIL_URL: 'smtp://127.0.0.1:9' }]) {
    await server.kill('SIGTERM')
    await server.restart(env)
    const { port } = new URL(server.url)
    const host = 'BASE_URL' in env ? new URL(env.BASE_URL).host : `localhost:${port}`
    const key = /outbox\?key=(\S+)/.exec(server.output())?.[1]
    assert.equal(key, undefined)
    assert.equal(await statusOf(`${server.url}/outbox`, { headers: { host } }), 404)
  }
  await server.kill('SIGTERM')
  await server.restart({})
})

test('all worker processes have the key that their primary has printed', async (t) => {
  const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
  const database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const shared = { DATABASE_URL: database.url, SECRET_KEY: 'a key for the outbox, long enough' }
  const workers = await startServer({ env: { ...ENV, ...shared, WORKERS: '2' } })
  t.after(async () => {
    await workers.close()
    await database.drop()
    await postgres?.close()
  })
  const printed = /Emails\s+(\S+)/.exec(workers.output())?.[1] ?? 'no link'

  const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(printed)))
  assert.deepEqual(new Set(statuses), new Set([303]))
})
