/** The quick starts that are no servers: programs without users, and the sign-in with curl. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { launchBrowser } from '../server/test/support/chromium.ts'
import { freePort } from '../server/test/support/postgres.ts'
import { startServer } from '../server/test/support/servers.ts'
import { PASSWORD, type SystemLike } from '../server/test/support/testing.ts'
import { type Create, createSystem, platformOf, runCommands } from './run.ts'

const EMAIL = 'alice@example.com'

async function started(t: TestContext) {
  const server = await startServer()
  t.after(() => server.close())
  return { server, ...(await platformOf(server)) }
}

async function addMember(create: Create, { id: systemId }: SystemLike) {
  const user = await create('users', { email: EMAIL, password: PASSWORD, emailVerified: true })
  return create('memberships', { userId: user.id, systemId, accountName: 'Acme' })
}

/** The program ends by itself, and has printed the membership of its system. */
export async function checkService(t: TestContext, name: string): Promise<void> {
  const { server, create } = await started(t)
  const system = (await create('systems', { name: 'Service', allowClientCredentials: true })) as SystemLike
  const membership = await addMember(create, system)
  const { shell, output } = runCommands(t, name, {
    ISSUER: server.url,
    CLIENT_ID: system.clientId,
    CLIENT_SECRET: system.clientSecret ?? '',
  })
  const [exitCode] = await once(shell, 'close')

  assert.equal(exitCode, 0, output())
  for (const id of [membership.accountId, membership.id]) assert.ok(output().includes(id), output())
}

/** The script prints an address, reads the code that the browser gets, and prints the claims. */
export async function checkCurl(t: TestContext, isPublic: boolean): Promise<void> {
  const { server, create } = await started(t)
  const port = String(await freePort())
  const system = await createSystem(create, { isPublic }, `http://localhost:${port}`)
  const { accountId } = await addMember(create, system)
  const { shell, output } = runCommands(t, 'curl', {
    ISSUER: server.url,
    CLIENT_ID: system.clientId,
    PORT: port,
    ...(system.clientSecret && { CLIENT_SECRET: system.clientSecret }),
  })
  while (!output().includes("Paste the value of 'code'")) {
    assert.equal(shell.exitCode, null, output())
    await setTimeout(50)
  }
  const [address = ''] = /^http.*$/m.exec(output()) ?? []
  shell.stdin.end(`${await codeFor(t, address, `http://localhost:${port}/callback`)}\n`)
  const [exitCode] = await once(shell, 'close')

  assert.equal(exitCode, 0, output())
  assert.ok(output().includes(`"account_id":"${accountId}"`), output())
}

/** Signs in with a browser. No server listens at the redirect URI, as for a reader of the script. */
async function codeFor(t: TestContext, address: string, redirectUri: string): Promise<string> {
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.goto(address)
  await page.locator('[name=email]').fill(EMAIL)
  await page.locator('[name=password]').fill(PASSWORD)
  const arrived = page.waitForRequest((request) => request.url().startsWith(redirectUri))
  await page.locator('#submit').click()
  return new URL((await arrived).url()).searchParams.get('code') ?? ''
}
