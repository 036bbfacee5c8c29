import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../../test/support/chromium.ts'
import { openIsolatedPage, sentBy } from '../../../test/support/isolated-page.ts'
import { samplePages, servePages } from '../../../test/support/sample-pages.ts'

const server = await servePages()
after(async () => {
  await closeBrowser()
  await server.close()
})

test('accounts can be filtered by keyboard, and only a visible one is sent', async () => {
  const { page } = await openIsolatedPage(server.url)
  await page.goto(`${server.url}/account-many`)
  const status = page.getByRole('status')
  const shown = () => page.locator('.choice:visible').count()

  await page.getByLabel('Filtrar organizaciones').fill('SOHNE fox')
  assert.deepEqual([await shown(), await status.textContent()], [4, '4 de 24 organizaciones'])
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.value'), 'm2', 'the first match has the focus')
  assert.equal(page.url(), `${server.url}/account-many`)
  const sent = await sentBy(page, () => page.keyboard.press('Enter'))
  assert.equal(sent.accountId, 'm2')
  await page.context().close()
})

test('a filter that no account matches says so, and without a text all are shown', async () => {
  const { page } = await openIsolatedPage(server.url)
  await page.goto(`${server.url}/account-many`)
  const status = page.getByRole('status')
  const shown = () => page.locator('.choice:visible').count()

  await page.getByLabel('Filtrar organizaciones').fill('nowhere')
  assert.equal(await shown(), 0)
  assert.equal(await status.textContent(), 'Ninguna organización coincide.')
  await page.getByLabel('Filtrar organizaciones').fill('')
  assert.deepEqual([await shown(), await status.textContent()], [24, ''])
  await page.context().close()
})

test('without scripting, or with fewer than eight accounts, there is no filter', async () => {
  const { page } = await openIsolatedPage(server.url, { javaScriptEnabled: false })
  await page.goto(`${server.url}/account-many`)

  assert.equal(await page.locator('#filter').isVisible(), false)
  assert.equal(await page.locator('.choice:visible').count(), 24)
  assert.doesNotMatch(samplePages.account!.html, /id="filter"/)
  await page.context().close()
})
