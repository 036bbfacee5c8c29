/** Inviting people to an organization in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { newTenant, openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.invitations
const WITHOUT_SMTP = { MAIL_URL: '' }

test('an operator gets the links of invitations with a chosen lifetime, once and without an email', async (context) => {
  const app = await startTestApp(context)
  const { accountId } = await newTenant(app)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const [ana, rui] = [`${crypto.randomUUID()}@ana.test`, `${crypto.randomUUID()}@rui.test`]
  await show(visit, app.url, `accounts/${accountId}?tab=invitations`)
  await page.getByRole('button', { name: t.invite }).first().click()

  await dialog.getByLabel(t.emails).fill(`${ana} nobody ${rui}`)
  await dialog.getByLabel(t.ways.link).check()
  await dialog.getByLabel(t.lifetime).selectOption('1d')
  await dialog.getByRole('button', { name: t.createLinks }).click()
  await dialog.getByText(`nobody: ${t.invalid}`).waitFor()
  const links = await dialog.locator('.links code').allInnerTexts()
  await dialog.getByRole('button', { name: en.settings.done }).click()
  await dialog.getByLabel(t.emails).waitFor() // the address that was refused can be corrected
  assert.equal(await dialog.getByLabel(t.emails).inputValue(), 'nobody')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  assert.equal(links.length, 2)
  const pages = await Promise.all(
    links.map((link) => app.newBrowser().get(new URL(link).pathname + new URL(link).search)),
  )
  assert.deepEqual(
    pages.map(({ status }) => status),
    [200, 200],
  )
  const { body } = await app.platform.get(`/admin/accounts/${accountId}/invitations`)
  const hours = body.data.map(({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) =>
    Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 3_600_000),
  )
  assert.deepEqual(hours, [24, 24])
  assert.deepEqual([await app.emailsTo(ana), await app.emailsTo(rui)], [[], []])
  assert.ok(!(await page.content()).includes(links[0]!))
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('on a server without SMTP the link is the first choice; the admin of an organization is told and gets none', async (context) => {
  const app = await startTestApp(context, WITHOUT_SMTP)
  const { admin, accountId } = await newTenant(app)
  const { browser } = await newOperator(app)
  const [platform, account] = [
    await openAs(app.url, browser, 'platform'),
    await openAs(app.url, admin.browser, `account:${accountId}`),
  ]
  await show(platform, app.url, `accounts/${accountId}?tab=invitations`)
  await show(account, app.url, 'invitations')
  for (const { page } of [platform, account])
    await page.getByRole('button', { name: t.invite }).first().click()

  await platform.page.getByText(t.noEmail).waitFor()
  assert.equal(await platform.page.locator('input[name=way]').first().getAttribute('value'), 'link')
  assert.ok(await platform.page.getByLabel(t.ways.link).isChecked())
  await account.page.getByText(t.noEmailOfOrganization).waitFor()
  assert.equal(await account.page.locator('input[name=way]').count(), 0)
  assert.deepEqual([...platform.faults, ...account.faults], [])
  await Promise.all([platform.context.close(), account.context.close()])
})
