/** What a browser keeps of a user of the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('the names that a user has opened are not kept for the next one of the browser', async (t) => {
  const app = await startTestApp(t)
  const found = await app.newUser({ name: `Found ${crypto.randomUUID()}` })
  const [one, other] = [await newOperator(app), await newOperator(app)]
  const visit = await openAs(app.url, one.browser, 'platform')
  const { page, context } = visit
  const stored = () => page.evaluate(() => JSON.stringify(localStorage))
  const openFound = async () => {
    await show(visit, app.url, '')
    await page.keyboard.press('Control+k')
    await page.locator('.palette-search input').fill(found.id)
    await page.getByRole('option', { name: found.name }).click()
    await page.waitForURL(`**/users/${found.id}`)
    assert.ok((await stored()).includes(found.name))
  }

  await openFound()
  await show(visit, app.url, '')
  await page.locator('.who').click()
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.waitForURL('**/session/end')
  assert.ok(!(await stored()).includes(found.name), 'after the sign-out')

  await openFound()
  await page.goto('about:blank')
  const next = await openAs(app.url, other.browser, 'platform')
  await context.clearCookies()
  await context.addCookies(await next.context.cookies())
  await show(visit, app.url, '')
  await page.locator('.who').waitFor()
  assert.ok(!(await stored()).includes(found.name), 'for another user')

  await Promise.all([context.close(), next.context.close()])
})
