/**
 * `npm run test:quickstarts`: runs each quick start as its README says, in a copy, against a server of its
 * own, and uses it in Chromium. Names as arguments limit the run. A quick start whose toolchain is not
 * installed is skipped. Installs packages from the registries of its language.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import {
  authorizeAt,
  codeFields,
  PASSWORD,
  type SystemLike,
  tokenRequest,
} from '../server/test/support/testing.ts'
import { checkMembers, createOrganization } from './members.ts'
import { type Create, type Place, runQuickstart, TTL_ACCESS_TOKEN } from './run.ts'
import { checkCurl, checkService } from './scripts.ts'
import { type Kind, STACKS } from './stacks.ts'

/** The pages on which the admins of an account manage its members. */
const MEMBERS_PAGES = ['members-server', 'members-react']
const EMAIL = 'alice@example.com'

type Product = Place & { accounts: string[] }

/** A user in two accounts. */
async function createUser(create: Create, system: SystemLike) {
  const role = await create(`systems/${system.id}/roles`, { name: 'clerk', scopes: ['orders:read'] })
  const user = await create('users', { email: EMAIL, password: PASSWORD, emailVerified: true })
  const accounts: string[] = []
  for (const accountName of ['Acme', 'Birch']) {
    const body = { userId: user.id, systemId: system.id, accountName, roles: [role.id] }
    accounts.push((await create('memberships', body)).accountId)
  }
  return { accounts }
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
async function checkApi({ server, system, accounts, origin }: Product): Promise<void> {
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

async function checkPages(product: Product, browser: Browser): Promise<void> {
  const [acme, birch] = product.accounts
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => browser.newPage()))
  await signIn(first!, product, 'Acme')
  await signIn(second!, product, 'Birch')
  await signIn(third!, product, 'Acme')

  assert.equal(await shown(first!, 'email'), EMAIL)
  /** Each page has its account, and an access token that is valid: the API uses the account in it. */
  const check = async (step: string, pages: (readonly [Page, string | undefined])[]) => {
    for (const [page, account] of pages) {
      await page.reload()
      await page.locator('#api').waitFor()
      assert.equal(await shown(page, 'account'), account, step)
      assert.match((await shown(page, 'api')) ?? '', new RegExp(`^200 .*"account": ?"${account}"`), step)
    }
  }
  const expire = () => setTimeout((TTL_ACCESS_TOKEN + 1) * 1_000)
  const signedIn = [[first!, acme] as const, [second!, birch] as const]
  // A session or a token store with one entry per `sub` would show the second account here.
  await check('after all sign-ins', signedIn)
  await expire()
  await check('after the access tokens have expired', signedIn)

  // With one entry per `membership_id` the first device would have no valid token after this.
  await third!.getByText('Sign out').click()
  await third!.getByText('Sign in').waitFor()
  await expire()
  await check('after the second device has signed out', signedIn)

  await first!.getByText('Sign out').click()
  await first!.getByText('Sign in').waitFor()
  await first!.getByText('Sign in').click()
  await first!.locator('[name=password]').waitFor() // no session at the provider either
  await second!.reload()
  assert.equal(await shown(second!, 'account'), birch)
}

async function checkApplication(product: Product, browser: Browser): Promise<void> {
  await checkApi(product)
  await checkPages(product, browser)
}

const names = process.argv.slice(2)
/** Adds the test of a quick start, unless the arguments name others. */
function addTest(name: string, guarantee: string, version: string, run: (t: TestContext) => Promise<void>) {
  if (names.length > 0 && !names.includes(name)) return
  const [program = '', ...options] = version.split(' ')
  const isInstalled = spawnSync(program, options).status === 0
  const skip = isInstalled ? false : `${program} is not installed`
  test(`${name}: ${guarantee}`, { skip, timeout: 1_200_000 }, run)
}

for (const name of [...Object.keys(STACKS), ...MEMBERS_PAGES])
  if (!existsSync(join(import.meta.dirname, name, 'README.md'))) throw new Error(`${name} has no README.md`)

const APPLICATION = 'sign-in, API, refresh, two accounts and two devices of one user, and sign-out'
/** Adds the test of a stack for a kind of system. */
function addStack(name: string, kind: Kind): void {
  const { program, callback, kinds } = STACKS[name]!
  const isPublic = kind === 'public'
  const title = isPublic && kinds.length > 1 ? `${name}-public` : name
  if (kind === 'service') addTest(title, 'prints the memberships', program, (t) => checkService(t, name))
  else if (name === 'curl') addTest(title, 'prints who signed in', program, (t) => checkCurl(t, isPublic))
  else
    addTest(title, APPLICATION, program, (t) =>
      runQuickstart(t, {
        name,
        isPublic,
        ...(callback && { callback }),
        prepare: createUser,
        check: checkApplication,
      }),
    )
}
for (const [name, { kinds }] of Object.entries(STACKS)) for (const kind of kinds) addStack(name, kind)

for (const name of MEMBERS_PAGES)
  addTest(
    name,
    'an admin invites, changes roles and blocks; other users are refused',
    'node --version',
    (t) => runQuickstart(t, { name, prepare: createOrganization, check: checkMembers }),
  )
