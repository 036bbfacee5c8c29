/** Domains of an organization in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { newName, startChecks } from '../../server/test/support/domains.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { SOON } from '../../server/test/support/waiting.ts'
import { en, fill } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.domains

test('an operator adds a domain, has it checked, lets the administrators set it up, and deletes it', async (context) => {
  const app = await startTestApp(context)
  const { publish } = await startChecks(context, app)
  const system = await app.newSystem({ multiAccount: true })
  const user = await app.newUser()
  const place = { userId: user.id, systemId: system.id, accountName: 'Acme' }
  const { accountId } = await app.newMembership(place)
  const visit = await openAs(app.url, (await newOperator(app)).browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const list = async () => (await app.platform.get(`/admin/accounts/${accountId}/domains`)).body
  const name = newName()

  await show(visit, app.url, `accounts/${accountId}`)
  await page.getByRole('link', { name: en.accounts.tabs.sso }).click()
  await page.getByText(t.none).waitFor()
  await page.getByRole('button', { name: t.add }).click()
  await dialog.getByLabel(t.name, { exact: true }).fill('*.example.com')
  await dialog.getByRole('button', { name: t.add }).click()
  await dialog.locator('.fault').waitFor()
  assert.equal(visit.faults.splice(0).length, 2) // the response, and its line in the console of the browser
  await dialog.getByLabel(t.name, { exact: true }).fill(name)
  await dialog.getByRole('button', { name: t.add }).click()
  await page.getByRole('heading', { name }).waitFor()
  const [domain] = await list()
  await page.getByText(domain.record.value).waitFor()
  publish(domain)
  await page.getByRole('button', { name: t.check }).click()
  await page.locator('.badge.good', { hasText: t.statuses.verified }).waitFor()
  assert.equal(await page.getByText(domain.record.value).count(), 0)
  await page.getByRole('button', { name: t.include }).click()
  await page.getByRole('button', { name: t.exclude }).waitFor()
  assert.equal((await list())[0].subdomains, true)
  await page.getByLabel(en.accounts.ssoSelfService).check()
  await context.waitFor(async () => {
    const { body } = await app.platform.get(`/admin/accounts/${accountId}`)
    assert.equal(body.ssoSelfService, true)
  }, SOON)
  await page.getByRole('button', { name: en.parts.delete }).click()
  await dialog.getByText(fill(t.deleteTitle, { name })).waitFor()
  await dialog.getByRole('button', { name: en.parts.delete }).click()
  await page.getByText(t.none).waitFor()

  assert.deepEqual(await list(), [])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
