/** The samples of the quick start, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('no sample contains an address that could be code: an operator runs what a system has configured', async (t) => {
  const app = await startTestApp(t)
  const hostile = ["https://shop.example/cb?'+process.exit()+'", 'https://shop.example/cb;$(id)']
  const system = await app.newSystem({ redirectUris: hostile, postLogoutRedirectUris: hostile })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')

  for (const snippet of ['nodeOpenidClient', 'next', 'python', 'go', 'spring', 'curl']) {
    await show(visit, app.url, `systems/${system.id}?tab=quickStart&snippet=${snippet}`)
    await visit.page.locator('.code-block').first().waitFor()
    const code = (await visit.page.locator('pre').allTextContents()).join('\n')

    assert.ok(code.includes(system.clientId), code)
    assert.doesNotMatch(code, /process\.exit\(\)\+|\$\(id\)|shop\.example/, snippet)
  }
  await visit.context.close()
})
