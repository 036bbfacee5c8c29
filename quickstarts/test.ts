/**
 * `npm run test:quickstarts`: runs each quick start as its README says, in a copy, against a server of its
 * own, and uses it in Chromium. Names as arguments limit the run. A quick start whose toolchain is not
 * installed is skipped. Installs packages from the registries of its language.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { launchBrowser } from '../server/test/support/chromium.ts'
import { adminClient, type Body, expectStatus } from '../server/test/support/http.ts'
import { freePort } from '../server/test/support/postgres.ts'
import { startServer, type TestServer } from '../server/test/support/servers.ts'
import { endShell, startShell } from '../server/test/support/shell.ts'
import {
  authorizeAt,
  codeFields,
  PASSWORD,
  type SystemLike,
  serviceToken,
  tokenRequest,
} from '../server/test/support/testing.ts'

/** The program that a quick start needs, and its version. */
const STACKS: Record<string, string> = {
  express: 'node --version',
  fastify: 'node --version',
  spa: 'node --version',
  nextjs: 'node --version',
  python: 'python3 --version',
  go: 'go version',
  'spring-boot': 'mvn --version',
  rust: 'cargo --version',
}
/** Where the library of the stack expects the redirect. */
const CALLBACKS: Record<string, string> = {
  nextjs: '/api/auth/callback/tenantry',
  'spring-boot': '/login/oauth2/code/tenantry',
}
/** In s: short, so that the test reaches the expiration of a token. */
const TTL_ACCESS_TOKEN = 15
const EMAIL = 'alice@example.com'

type Product = Awaited<ReturnType<typeof createProduct>>

/** A system with a user in two accounts. */
async function createProduct(server: TestServer, isPublic: boolean, origin: string, callback: string) {
  const [, id = '', secret = ''] = /token -u '([^':]+):([^']+)'/.exec(server.output()) ?? []
  const admin = adminClient(server.url, await serviceToken(server.url, id, secret))
  const create = async (path: string, fields: object): Promise<Body> =>
    expectStatus(await admin.post(`/admin/${path}`, fields), 201).body
  const system = await create('systems', {
    name: 'Quick start',
    clientType: isPublic ? 'public' : 'confidential',
    redirectUris: [`${origin}${callback}`],
    postLogoutRedirectUris: [origin, `${origin}/`],
    allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
    multiAccount: true,
    skipConsent: true,
  })
  const role = await create(`systems/${system.id}/roles`, { name: 'clerk', scopes: ['orders:read'] })
  const user = await create('users', { email: EMAIL, password: PASSWORD, emailVerified: true })
  const accounts: string[] = []
  for (const accountName of ['Acme', 'Birch']) {
    const body = { userId: user.id, systemId: system.id, accountName, roles: [role.id] }
    accounts.push((await create('memberships', body)).accountId)
  }
  return { system: system as SystemLike, accounts, origin }
}

/** Signs in with the button of the page, to one of the accounts. */
async function signIn(page: Page, { origin }: Product, account: string): Promise<void> {
  await page.goto(origin)
  await page.getByText('Sign in').click()
  await page.locator('[name=password]').waitFor()
  await page.locator('[name=email]').fill(EMAIL)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('#submit').click()
  await page.getByText(account, { exact: true }).click()
  await page.locator('#submit').click()
  await page.locator('#api').waitFor()
}

const shown = (page: Page, id: string) => page.locator(`#${id}`).textContent()

/** The API accepts an access token of its own system only. */
async function checkApi(server: TestServer, { system, accounts, origin }: Product): Promise<void> {
  const api = (authorization?: string) =>
    fetch(`${origin}/api/orders`, authorization ? { headers: { authorization } } : {})
  assert.equal((await api()).status, 401)
  assert.equal((await api('Bearer not.a.token')).status, 401)
  const who = { email: EMAIL, password: PASSWORD, account: accounts[1]! }
  const authorized = await authorizeAt(server.url, system, who)
  const { body } = await tokenRequest(server.url, system, codeFields(system, authorized))
  const answer = await api(`Bearer ${body.access_token}`)
  assert.equal(answer.status, 200)
  assert.deepEqual(await answer.json(), { account: accounts[1], permissions: ['orders:read'] })
  assert.equal((await api(`Bearer ${body.id_token}`)).status, 401, 'an ID token is not an access token')
}

async function checkPages(product: Product, contexts: BrowserContext[]): Promise<void> {
  const [acme, birch] = product.accounts
  const [first, second] = await Promise.all(contexts.map((context) => context.newPage()))
  await signIn(first!, product, 'Acme')
  await signIn(second!, product, 'Birch')

  assert.equal(await shown(first!, 'email'), EMAIL)
  // A session or a token store with one entry per `sub` would show the second account here.
  for (const step of ['after both sign-ins', 'after the access tokens have expired']) {
    for (const [page, account] of [
      [first!, acme],
      [second!, birch],
    ] as const) {
      await page.reload()
      await page.locator('#api').waitFor()
      assert.equal(await shown(page, 'account'), account, step)
      assert.match((await shown(page, 'api')) ?? '', new RegExp(`^200 .*"account": ?"${account}"`), step)
    }
    if (step.includes('both')) await setTimeout((TTL_ACCESS_TOKEN + 1) * 1_000)
  }

  await first!.getByText('Sign out').click()
  await first!.getByText('Sign in').waitFor()
  await first!.getByText('Sign in').click()
  await first!.locator('[name=password]').waitFor() // no session at the provider either
  await second!.reload()
  assert.equal(await shown(second!, 'account'), birch)
}

async function runQuickstart(t: TestContext, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `tenantry-${name}-`))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(import.meta.dirname, name), folder, { recursive: true })
  const server = await startServer({ env: { TTL_ACCESS_TOKEN: String(TTL_ACCESS_TOKEN) } })
  t.after(() => server.close())
  const origin = `http://localhost:${await freePort()}`
  const product = await createProduct(server, name === 'spa', origin, CALLBACKS[name] ?? '/callback')
  const { clientId, clientSecret } = product.system

  const [, commands = ''] =
    /^```sh\n([\s\S]*?)^```/m.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? []
  const variables = {
    ISSUER: server.url,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret ?? '',
    SESSION_SECRET: 'a secret of at least 32 characters',
    PORT: new URL(origin).port,
  }
  const exports = Object.entries(variables).map(([key, value]) => `export ${key}='${value}'`)
  const shell = startShell([...exports, commands].join('\n'), folder)
  t.after(() => endShell(shell))
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part
    })
  const isUp = () =>
    fetch(origin, { redirect: 'manual' }).then(
      () => true,
      () => false,
    )
  while (!(await isUp())) {
    assert.equal(shell.exitCode, null, output)
    await setTimeout(200)
  }
  const browser = await launchBrowser()
  t.after(() => browser.close())
  try {
    await checkApi(server, product)
    await checkPages(product, [await browser.newContext(), await browser.newContext()])
  } catch (error) {
    t.diagnostic(output.replace(/^\tat .*\n/gm, '').slice(-4_000))
    throw error
  }
}

const names = process.argv.slice(2)
for (const [name, version] of Object.entries(STACKS)) {
  if (names.length > 0 && !names.includes(name)) continue
  if (!existsSync(join(import.meta.dirname, name, 'README.md'))) throw new Error(`${name} has no README.md`)
  const [program = '', ...options] = version.split(' ')
  const isInstalled = spawnSync(program, options).status === 0
  test(
    `${name}: sign-in, API, refresh, two accounts of one user, and sign-out`,
    { skip: isInstalled ? false : `${program} is not installed`, timeout: 1_200_000 },
    (t) => runQuickstart(t, name),
  )
}
