/**
 * Draws the pictures of the console in docs/screens, with sample data on the embedded database.
 * `npx node console/test/screens.ts [folder] [part of a name]`. For a look at everything: PHONE=1, DARK=1,
 * LOCALE=de, ALL=1 (every page of each context).
 */
import { mkdirSync } from 'node:fs'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { newSample, type Sample } from './sample-data.ts'
import { openAs, show, type Visit } from './visit.ts'

const [folder = 'docs/screens', part = ''] = process.argv.slice(2)
const { PHONE, DARK, ALL, LOCALE = 'en' } = process.env

type Picture = [name: string, path: string, act?: (page: Page) => Promise<unknown>]

const explained = ({ orders, users }: Sample) =>
  `explain?${new URLSearchParams({ user: users[9]!.id, userId: users[9]!.id, systemId: orders.id })}`

/** The pictures that documents show. */
const documented = (sample: Sample): Picture[] => {
  const { orders, fresh, users, accountId, accountIds, connectionId, webhook } = sample
  return [
    ['home', ''],
    ['systems', 'systems'],
    ['quick-start', `systems/${fresh.id}?tab=quickStart`],
    ['sign-in-settings', `systems/${orders.id}?tab=signIn`],
    ['roles', `systems/${orders.id}?tab=roles`],
    ['brand', `systems/${orders.id}?tab=brand`],
    ['users', 'users'],
    ['user', `users/${users[1]!.id}`],
    ['import', 'import'],
    ['organizations', 'accounts'],
    ['organization', `accounts/${accountId}`],
    ['single-sign-on', `accounts/${accountIds[1]}?tab=sso`],
    ['connection', `accounts/${accountIds[1]}/connections/${connectionId}`],
    ['service-accounts', `accounts/${accountIds[1]}?tab=serviceAccounts`],
    ['members', 'members'],
    ['approvals', 'approvals'],
    ['explain', explained(sample)],
    ['live', 'live'],
    ['sessions', 'sessions'],
    ['audit', 'audit'],
    ['webhooks', 'webhooks'],
    ['webhook', `webhooks/${orders.id}/${webhook.id}`],
    ['installation', 'installation'],
    ['keys', 'installation?tab=keys'],
  ]
}

/** Further pages and tabs of the installation. */
const others = ({ orders, users, accountIds, connectionId }: Sample): Picture[] => [
  ['system', `systems/${orders.id}`],
  ...['profiles', 'keys', 'danger'].map(
    (tab): Picture => [`system-${tab}`, `systems/${orders.id}?tab=${tab}`],
  ),
  ...['memberships', 'sessions', 'methods', 'metadata', 'audit'].map(
    (tab): Picture => [`user-${tab}`, `users/${users[1]!.id}?tab=${tab}`],
  ),
  ...['invitations', 'settings', 'audit'].map(
    (tab): Picture => [`organization-${tab}`, `accounts/${accountIds[1]}?tab=${tab}`],
  ),
  ...['members', 'log'].map(
    (tab): Picture => [
      `connection-${tab}`,
      `accounts/${accountIds[1]}/connections/${connectionId}?tab=${tab}`,
    ],
  ),
  [
    'connection-draft',
    `accounts/${accountIds[1]}?tab=sso`,
    (page) => page.getByRole('link', { name: 'Microsoft' }).click(),
  ],
  ...['operators', 'mail', 'jobs', 'limits', 'settings'].map(
    (tab): Picture => [`installation-${tab}`, `installation?tab=${tab}`],
  ),
  ['test-email', 'installation?tab=mail', (page) => page.locator('.toolbar > button').first().click()],
  ['empty-users', 'users?search=nobody-has-this-name'],
  ['missing-user', `users/${crypto.randomUUID()}`],
  ['palette', '', (page) => page.keyboard.press('Control+k')],
  ['shortcuts', '', (page) => page.keyboard.press('?')],
  ['new-application', 'systems?new=1'],
  ['add-user', `systems/${orders.id}?new=1`],
  ['new-user', 'users?new=1'],
  ['audit-entry', 'audit', (page) => page.locator('tbody .opener').first().click()],
  ['member', 'members', (page) => page.locator('tbody .opener').first().click()],
]

const app = await startTestApp({} as TestContext, { WEBHOOK_ALLOW_PRIVATE: 'true' })
const sample = await newSample(app)
mkdirSync(folder, { recursive: true })

/** Takes the pictures of one context. The address of the server becomes one that readers may have. */
async function draw(visit: Visit, pictures: Picture[], prefix: string): Promise<void> {
  const { page } = visit
  if (PHONE) await page.setViewportSize({ width: 390, height: 844 })
  else await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: DARK ? 'dark' : 'light', reducedMotion: 'reduce' })
  for (const [name, path, act] of pictures.filter(([name]) => name.includes(part))) {
    await show(visit, app.url, path)
    await act?.(page)
    await page.waitForTimeout(400) // charts and panels are drawn after their data
    await page.evaluate(withPublicAddress, app.url)
    const isWhole = ALL !== undefined && !act
    await page.screenshot({
      path: `${folder}/${prefix}${name}.${ALL ? 'png' : 'jpg'}`,
      fullPage: isWhole,
      ...(!ALL && { quality: 80 }),
    })
  }
  for (const fault of visit.faults) process.stderr.write(`${fault}\n`)
}

/** Runs in the page. */
function withPublicAddress(url: string): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const { host } = new URL(url)
  while (walker.nextNode()) {
    const { currentNode: node } = walker
    node.nodeValue = (node.nodeValue ?? '')
      .replaceAll(url, 'https://id.example.com')
      .replaceAll(host, 'id.example.com')
  }
}

const { orders, operator, adminBrowser, accountId } = sample
const platform = await openAs(app.url, operator.browser, 'platform', LOCALE)
await draw(platform, [...documented(sample), ...(ALL ? others(sample) : [])], 'console-')
if (ALL) {
  const system = await openAs(app.url, operator.browser, `system:${orders.id}`, LOCALE)
  await draw(
    system,
    ['', 'users', 'accounts', 'settings'].map((path) => [path || 'home', path]),
    'system-',
  )
  const account = await openAs(app.url, adminBrowser, `account:${accountId}`, LOCALE)
  const ofAccount = [
    '',
    'members',
    'invitations',
    'single-sign-on',
    'service-accounts',
    'approvals',
    'sessions',
    'audit',
    'explain',
  ]
  await draw(
    account,
    ofAccount.map((path) => [path || 'home', path]),
    'account-',
  )
}
await closeBrowser()
process.exit(0)
