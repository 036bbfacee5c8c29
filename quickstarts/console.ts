/** The sample applications that the console shows for a new application: written, installed and started. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { type SnippetInput, type SnippetText, snippetsOf } from '../console/src/snippets/index.ts'
import { launchBrowser } from '../server/test/support/chromium.ts'
import { freePort } from '../server/test/support/postgres.ts'
import { startServer } from '../server/test/support/servers.ts'
import { PASSWORD } from '../server/test/support/testing.ts'
import { createSystem, platformOf, startCommands } from './run.ts'

const EMAIL = 'alice@example.com'

/** Samples with files, by the name of their test. */
export const SAMPLES = (['web', 'public'] as const).flatMap((kind) =>
  snippetsOf(kind)
    .filter(([, { files }]) => files)
    .map(([key, snippet]) => ({ name: `console-${kind}-${key}`, kind, key, snippet })),
)

function writeFiles(folder: string, files: { name: string; code: string }[]): void {
  for (const { name, code } of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
}

async function checkSignIn(browser: Browser, origin: string, accountId: string): Promise<void> {
  const page = await browser.newPage()
  await page.goto(origin)
  const signIn = page.getByText('Sign in', { exact: true })
  // Spring redirects to the sign-in at once.
  if (page.url().startsWith(origin)) await signIn.click()
  await page.locator('[name=email]').fill(EMAIL)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('#submit').click()
  await page.getByText(accountId).waitFor()
}

/** Follows the steps of the quick start for a new application with one user. */
export async function runSample(
  t: TestContext,
  kind: SnippetInput['kind'],
  snippet: SnippetText,
): Promise<void> {
  const server = await startServer()
  t.after(() => server.close())
  const origin = `http://localhost:${await freePort()}`
  const { create } = await platformOf(server)
  const { callback = '/callback' } = snippet
  const system = await createSystem(create, { isPublic: kind === 'public', callback }, origin)
  const user = await create('users', { email: EMAIL, password: PASSWORD, emailVerified: true })
  const { accountId } = await create('memberships', {
    userId: user.id,
    systemId: system.id,
    accountName: 'Acme',
  })
  const given: SnippetInput = {
    issuer: server.url,
    clientId: system.clientId,
    redirectUri: origin + callback,
    signOutUri: `${origin}/`,
    kind,
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    multiAccount: true,
  }
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-sample-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  writeFiles(folder, snippet.files!(given))
  const commands = [snippet.install?.(given) ?? 'true', snippet.start!(given)].join(' &&\n')
  const variables = { CLIENT_SECRET: system.clientSecret ?? '' }
  const output = await startCommands(t, { folder, commands, variables, origin })
  const browser = await launchBrowser()
  t.after(() => browser.close())
  try {
    await checkSignIn(browser, origin, accountId)
  } catch (error) {
    t.diagnostic(output().slice(-4_000))
    for (const page of browser.contexts().flatMap((context) => context.pages()))
      t.diagnostic(`${page.url()}\n${await page.locator('body').textContent()}`)
    throw error
  }
}
