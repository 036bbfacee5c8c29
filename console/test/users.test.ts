/** Users in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/en/index.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.users

test('a new user gets a temporary password that is shown once; if it cannot be made, it can be made again', async (context) => {
  const app = await startTestApp(context)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const newUser = async () => {
    const email = `${crypto.randomUUID()}@example.test`
    await show(visit, app.url, 'users')
    await page.getByRole('button', { name: t.new, exact: true }).first().click()
    await dialog.getByLabel(t.email, { exact: true }).fill(email)
    await dialog.getByLabel(t.withTemporary).check()
    await dialog.getByRole('button', { name: en.parts.create }).click()
    return email
  }
  const shown = async () => {
    await dialog.getByText(t.temporaryShown).waitFor()
    const password = await dialog.locator('code').innerText()
    await dialog.getByRole('button', { name: en.parts.close }).last().click()
    await page.waitForURL(/users\/[0-9a-f-]{36}/)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.ok(!(await page.content()).includes(password))
    return password
  }
  const mustChange = async (email: string) =>
    (await app.platform.get(`/admin/users?search=${email}`)).body.data[0].mustChangePassword

  const email = await newUser()
  const password = await shown()
  assert.ok(password.length >= 12)
  assert.equal(await mustChange(email), true)
  await page.route('**/reset-password', (route) => route.abort(), { times: 1 })
  const second = await newUser()
  await dialog.getByText(t.temporaryLead).waitFor()
  visit.faults.length = 0 // the request that was cut off
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await shown()

  assert.equal(await mustChange(second), true)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
