/** Runs a quick start as its README says, in a copy, against a server of its own, with a browser. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../server/test/support/chromium.ts'
import { type AdminClient, adminClient, type Body, expectStatus } from '../server/test/support/http.ts'
import { freePort } from '../server/test/support/postgres.ts'
import { startServer, type TestServer } from '../server/test/support/servers.ts'
import { endShell, startShell } from '../server/test/support/shell.ts'
import { type SystemLike, serviceToken } from '../server/test/support/testing.ts'
import { commandsIn, DEFAULT_CALLBACK, SCOPES } from './stacks.ts'

/** In s: short, so that the test reaches the expiration of a token. */
export const TTL_ACCESS_TOKEN = 15

/** The system of a quick start, and where the application runs. */
export type Place = { server: TestServer; admin: AdminClient; system: SystemLike; origin: string }
export type Create = (path: string, fields: object) => Promise<Body>

/** The admin client of the platform, and how it creates a resource. */
export async function platformOf(server: TestServer) {
  const [, id = '', secret = ''] = /token -u '([^':]+):([^']+)'/.exec(server.output()) ?? []
  const admin = adminClient(server.url, await serviceToken(server.url, id, secret))
  const create: Create = async (path, fields) =>
    expectStatus(await admin.post(`/admin/${path}`, fields), 201).body
  return { admin, create }
}

export const createSystem = async (
  create: Create,
  { isPublic = false, callback = DEFAULT_CALLBACK },
  origin: string,
) =>
  (await create('systems', {
    name: 'Quick start',
    clientType: isPublic ? 'public' : 'confidential',
    redirectUris: [`${origin}${callback}`],
    postLogoutRedirectUris: [origin, `${origin}/`],
    allowedScopes: SCOPES,
    multiAccount: true,
    skipConsent: true,
  })) as SystemLike

/** Runs the commands of the README in a copy. Returns the shell, and how to read its output. */
export function runCommands(t: TestContext, name: string, variables: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), `tenantry-${name}-`))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  cpSync(join(import.meta.dirname, name), folder, { recursive: true })
  const commands = commandsIn(readFileSync(join(folder, 'README.md'), 'utf8'))
  const exports = Object.entries(variables).map(([key, value]) => `export ${key}='${value}'`)
  const shell = startShell([...exports, commands].join('\n'), folder)
  t.after(() => endShell(shell))
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part
    })
  return { shell, output: () => output }
}

/** Resolves when the application responds. */
async function startApplication(t: TestContext, name: string, { server, system, origin }: Place) {
  const { shell, output } = runCommands(t, name, {
    ISSUER: server.url,
    CLIENT_ID: system.clientId,
    ...(system.clientSecret && { CLIENT_SECRET: system.clientSecret }),
    SESSION_SECRET: 'a secret of at least 32 characters',
    PORT: new URL(origin).port,
    TENANTRY: join(import.meta.dirname, '..'),
  })
  const isUp = () =>
    fetch(origin, { redirect: 'manual' }).then(
      () => true,
      () => false,
    )
  while (!(await isUp())) {
    assert.equal(shell.exitCode, null, output())
    await setTimeout(200)
  }
  return output
}

type Quickstart<P> = {
  name: string
  isPublic?: boolean
  callback?: string
  /** Creates the users and accounts that the check needs. */
  prepare: (create: Create, system: SystemLike) => Promise<P>
  check: (place: Place & P, browser: Browser) => Promise<void>
}

export async function runQuickstart<P>(t: TestContext, { name, prepare, check, ...client }: Quickstart<P>) {
  const server = await startServer({ env: { TTL_ACCESS_TOKEN: String(TTL_ACCESS_TOKEN) } })
  t.after(() => server.close())
  const origin = `http://localhost:${await freePort()}`
  const { admin, create } = await platformOf(server)
  const system = await createSystem(create, client, origin)
  const place = { server, admin, system, origin }
  const prepared = await prepare(create, system)
  const output = await startApplication(t, name, place)
  const browser = await launchBrowser()
  t.after(() => browser.close())
  try {
    await check({ ...place, ...prepared }, browser)
  } catch (error) {
    t.diagnostic(
      output()
        .replace(/^\tat .*\n/gm, '')
        .slice(-4_000),
    )
    for (const page of browser.contexts().flatMap((context) => context.pages()))
      t.diagnostic(`${page.url()}\n${await page.locator('body').textContent()}`)
    throw error
  }
}
