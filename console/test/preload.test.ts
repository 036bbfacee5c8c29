/** What the links and the pages of the console read, in Chromium. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { newTenant, newUsers, readsOf, repeated, show } from './visit.ts'

let app: Awaited<ReturnType<typeof startTestApp>>
let tenant: Awaited<ReturnType<typeof newTenant>>
let users: Awaited<ReturnType<typeof newUsers>>
before(async (t) => {
  app = await startTestApp(t as Parameters<typeof startTestApp>[0])
  tenant = await newTenant(app)
  users = await newUsers(app, tenant)
})
after(closeBrowser)

/** Moves the pointer on a link, and returns the answer of a read that follows. */
const hover = async (page: Page, name: string, read: RegExp) => {
  const [response] = await Promise.all([
    page.waitForResponse((response) => read.test(response.url())),
    page.getByRole('link', { name, exact: true }).hover(),
  ])
  return response
}

test('a pointer on a link reads the data of its page, which the click does not read again', async () => {
  const { platform: visit } = users
  const list = '/admin/users?page=1&pageSize=25'
  await show(visit, app.url, '')
  const reads = readsOf(visit.page)

  await hover(visit.page, 'Users', /\/admin\/users\?page=1&pageSize=25$/)
  const before = [...reads]
  await visit.page.getByRole('link', { name: 'Users', exact: true }).click()
  await visit.page.locator('tbody tr').first().waitFor()

  assert.deepEqual(before, [list, '/admin/limits'])
  assert.deepEqual(repeated(reads), [])
})

test('a pointer on a row reads what its page shows', async () => {
  const { platform: visit } = users
  await show(visit, app.url, 'users')
  const opener = visit.page.locator('tbody .opener').first()
  const id = (await opener.getAttribute('href'))!.split('/').at(-1)!

  const [response] = await Promise.all([
    visit.page.waitForResponse((response) => response.url().endsWith(`/admin/users/${id}`)),
    opener.hover(),
  ])

  assert.equal(response.status(), 200)
  assert.match(visit.page.url(), /\/users$/)
})

test('no tab and no filtered list reads an address twice when it is opened', async () => {
  const { system, userId, accountId, connectionId } = tenant
  const tabs = (path: string, ...names: string[]) => names.map((name) => `${path}?tab=${name}`)
  const paths = [
    ...tabs(`users/${userId}`, 'memberships', 'sessions', 'methods', 'metadata', 'audit'),
    ...tabs(
      `accounts/${accountId}`,
      'invitations',
      'sso',
      'serviceAccounts',
      'sessions',
      'audit',
      'settings',
    ),
    ...tabs(`accounts/${accountId}/connections/${connectionId}`, 'settings', 'members', 'log'),
    ...tabs(`systems/${system.id}`, 'quickStart', 'signIn', 'roles', 'profiles', 'brand', 'keys', 'danger'),
    ...tabs('installation', 'operators', 'keys', 'mail', 'limits', 'settings'),
    'users?page=2&pageSize=50&search=a&disabled=false',
    'accounts?kind=all',
    'audit?action=user.login&outcome=failure',
    `members?systemId=${system.id}&status=active`,
    `explain?userId=${userId}&systemId=${system.id}`,
  ]
  const { platform: visit } = users
  const reads = readsOf(visit.page)

  const found: string[] = []
  for (const path of paths) {
    reads.length = 0
    await show(visit, app.url, path)
    found.push(...repeated(reads).map((read) => `${path}: ${read}`))
  }

  assert.deepEqual(found, [])
})

test('a page whose data cannot be read says why, after one request', async () => {
  const { system: visit } = users
  const reads = readsOf(visit.page)

  for (const path of [`users/${crypto.randomUUID()}`, `accounts/${crypto.randomUUID()}`]) {
    reads.length = 0
    await show(visit, app.url, path)
    await visit.page.getByRole('alert').waitFor()
    assert.deepEqual(repeated(reads), [])
  }
})

test('a preload after the end of the session asks for no sign-in; the click does', async () => {
  const { account: visit } = users
  const { page, context } = visit
  await show(visit, app.url, '')
  await context.clearCookies()

  const response = await hover(page, 'Members', /\/admin\/memberships/)
  await response.finished()
  await page.waitForTimeout(500) // a dialog would be shown by then
  const dialogs = await page.getByRole('dialog').count()
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('dialog').waitFor()

  assert.equal(response.status(), 401)
  assert.equal(dialogs, 0)
})
