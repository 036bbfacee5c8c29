/** Operators in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.installation

test('an address becomes an operator in one dialog: a new user gets a link, an existing one none', async (context) => {
  const app = await startTestApp(context)
  const { browser } = await newOperator(app)
  const existing = await app.newUser()
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const add = async (email: string) => {
    await show(visit, app.url, 'installation?tab=operators')
    await page.getByRole('button', { name: t.newOperator }).first().click()
    await dialog.getByLabel(t.email).fill(email)
    await dialog.getByRole('button', { name: en.parts.add, exact: true }).click()
  }
  const operators = async (email: string) =>
    (await app.platform.get('/admin/operators?pageSize=100')).body.data
      .filter((each: { email: string }) => each.email === email)
      .map(({ level }: { level: string }) => level)

  const email = `${crypto.randomUUID()}@example.test`
  await page.route('**/admin/operators', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await add(email)
  await dialog.getByText(en.problems.unreachable!).waitFor()
  visit.faults.length = 0 // the request that was cut off
  await page.unroute('**/admin/operators')
  await dialog.getByRole('button', { name: en.parts.add, exact: true }).click()
  await page.getByText(t.addedNew).waitFor()
  await add(existing.email)
  await page.getByText(t.added, { exact: true }).waitFor()

  assert.deepEqual([await operators(email), await operators(existing.email)], [['viewer'], ['viewer']])
  assert.equal((await app.emailsTo(email)).length, 1)
  assert.equal((await app.emailsTo(existing.email)).length, 0)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('on a server without SMTP a new operator signs in with a temporary password that is shown once', async (context) => {
  const app = await startTestApp(context, { MAIL_URL: '' })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const email = `${crypto.randomUUID()}@example.test`

  await show(visit, app.url, 'installation?tab=operators')
  await page.getByRole('button', { name: t.newOperator }).first().click()
  await dialog.getByLabel(t.email).fill(email)
  await dialog.getByRole('button', { name: en.parts.add, exact: true }).click()
  await dialog.getByText(en.users.temporaryShown).waitFor()
  const password = String(await dialog.locator('code').textContent())
  await dialog.getByRole('button', { name: en.settings.done }).click()
  const visitor = app.newBrowser()
  const form = await visitor.follow(await visitor.get('/console/sign-in'))
  const next = await visitor.follow(await visitor.submit(form, { email, password }))
  const own = 'Correct-horse-battery-9'
  const last = await visitor.follow(await visitor.submit(next, { password: own, passwordAgain: own }))

  assert.match(String(last.body), /<div id="root">/)
  assert.ok(!(await page.content()).includes(password))
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
