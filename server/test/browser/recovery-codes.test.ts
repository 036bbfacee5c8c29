/** The buttons that keep recovery codes: copy, download and print. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { closeBrowser } from '../support/chromium.ts'
import { openIsolatedPage } from '../support/isolated-page.ts'
import { servePages } from '../support/sample-pages.ts'

const server = await servePages()
after(async () => {
  await closeBrowser()
  await server.close()
})

/** The page of new recovery codes, in a sign-in or on the own pages. */
async function openCodes(name: string, options: BrowserContextOptions = {}) {
  const { page, pageErrors } = await openIsolatedPage(server.url, options)
  await page.addInitScript('window.prints = 0; window.print = () => { window.prints += 1 }')
  await page.goto(`${server.url}/${name}`)
  const codes = await page.locator('#recovery-codes code').allTextContents()
  assert.equal(codes.length, 10)
  const act = (name: string) => page.locator(`button[data-act=${name}]`)
  return { page, pageErrors, codes, act }
}

for (const name of ['recovery-codes', 'settings-codes'])
  test(`the recovery codes of ${name} are copied and said to be, downloaded and printed`, async () => {
    const { page, pageErrors, codes, act } = await openCodes(name)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

    await act('copy').click()
    await page.locator('[data-done]:not(:empty)').waitFor()
    const said = await page.locator('[data-done]').textContent()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    const [download] = await Promise.all([page.waitForEvent('download'), act('download').click()])
    const file = readFileSync(await download.path(), 'utf8')
    await act('print').click()

    assert.equal(said, 'The codes were copied.')
    assert.equal(copied, `${codes.join('\n')}\n`)
    assert.equal(download.suggestedFilename(), '127.0.0.1-recovery-codes.txt')
    assert.equal(file, `127.0.0.1\n\n${codes.join('\n')}\n`, 'the file says what the codes are for')
    assert.equal(await page.evaluate('window.prints'), 1)
    assert.deepEqual(pageErrors, [])
    await page.context().close()
  })

test('without scripting the buttons are hidden, and all codes are still readable', async () => {
  const { page, act } = await openCodes('recovery-codes', { javaScriptEnabled: false })

  for (const name of ['copy', 'download', 'print']) assert.equal(await act(name).isVisible(), false, name)
  assert.equal(await page.locator('#recovery-codes').isVisible(), true)
  await page.context().close()
})

test('a printed page has the codes and none of the buttons', async () => {
  const { page, act } = await openCodes('settings-codes')

  await page.emulateMedia({ media: 'print' })

  assert.equal(await page.locator('#recovery-codes').isVisible(), true)
  for (const name of ['copy', 'download', 'print']) assert.equal(await act(name).isVisible(), false, name)
  await page.context().close()
})
