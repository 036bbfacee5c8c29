/** What is around the pages of the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { type Driver, startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { newTenant, openAs, show, violationsOf } from './visit.ts'

after(closeBrowser)

const openConsole = async (app: Driver) => openAs(app.url, (await newOperator(app)).browser, 'platform')

test('the sidebar has named groups of what the context has, and counts who waits for approval', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, accountId } = await newTenant(app)
  const ofSystem = await newOperator(app, { systemId: system.id })
  const visits = [
    await openConsole(app),
    await openAs(app.url, ofSystem.browser, `system:${system.id}`),
    await openAs(app.url, admin.browser, `account:${accountId}`),
  ]
  const groups: string[][] = []
  for (const visit of visits) {
    await show(visit, app.url, '')
    groups.push(await visit.page.locator('.side .side-title').allTextContents())
  }
  const waiting = visits[2]!.page.getByRole('link', { name: /^Approvals 1 member waits for approval$/ })

  assert.deepEqual(groups, [
    ['Applications', 'People', 'Organizations', 'Activity', 'Installation'],
    ['Application', 'People', 'Organizations', 'Activity'],
    ['Organization', 'Activity'],
  ])
  await waiting.waitFor()
  assert.deepEqual(
    visits.flatMap(({ faults }) => faults),
    [],
  )
  await Promise.all(visits.map(({ context }) => context.close()))
})

test('on a phone the pages are in a drawer, which returns the focus to its button and closes with a page', async (t) => {
  const app = await startTestApp(t)
  const visit = await openConsole(app)
  const { page } = visit
  await page.setViewportSize({ width: 320, height: 640 })
  await show(visit, app.url, '')
  const button = page.getByRole('button', { name: en.shell.menu })
  const drawer = page.getByRole('dialog', { name: en.shell.menu })

  assert.equal(await page.getByRole('navigation', { name: en.shell.navigation }).count(), 0)
  await button.click()
  await drawer.getByRole('link', { name: en.shell.users }).waitFor()
  const found = [
    ...(await violationsOf(page, 'light', '.drawer')),
    ...(await violationsOf(page, 'dark', '.drawer')),
  ]
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.closest('.top-bar') !== null)
  await button.click()
  await drawer.getByRole('link', { name: en.shell.users }).click()
  await page.getByRole('heading', { level: 1, name: en.users.title }).waitFor()
  await drawer.waitFor({ state: 'detached' })
  const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

  assert.deepEqual([found, isWider, visit.faults], [[], false, []])
  await visit.context.close()
})

test('the user menu works with the keyboard, and its dialog returns the focus to its button', async (t) => {
  const app = await startTestApp(t)
  const visit = await openConsole(app)
  const { page } = visit
  await show(visit, app.url, '')
  const button = page.locator('.who')
  const isFocused = () => button.evaluate((element) => element === document.activeElement)

  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: en.shell.ownProfile }).waitFor()
  const found = [...(await violationsOf(page, 'light')), ...(await violationsOf(page, 'dark'))]
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: en.shell.ownProfile }).waitFor({ state: 'hidden' })
  const afterMenu = await isFocused()
  await page.keyboard.press('Enter')
  await page.getByLabel(en.shell.theme).selectOption('dark')
  const theme = await page.evaluate(() => document.documentElement.dataset.theme)
  await page.getByRole('button', { name: en.palette.keys }).click()
  await page.getByRole('dialog', { name: en.palette.keys }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.matches('.who'))

  assert.deepEqual([found, afterMenu, theme, visit.faults], [[], true, 'dark', []])
  await visit.context.close()
})

test('one dialog is visible at a time, and the search opens above none', async (t) => {
  const app = await startTestApp(t)
  const { system } = await newTenant(app)
  const visit = await openConsole(app)
  const { page } = visit
  await show(visit, app.url, `systems/${system.id}?tab=roles`)
  await page.getByRole('button', { name: en.settings.newRole }).first().click()
  await page.getByRole('dialog').waitFor()

  await page.keyboard.press('Control+k')
  await page.waitForTimeout(300) // nothing happens

  assert.equal(await page.getByRole('dialog').count(), 1)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
