/** The first page of the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('a user of the installation without a second factor is told so, and an operator of a system is not', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const [one, other] = [await newOperator(app), await newOperator(app, { systemId: system.id })]
  const links = async ({ browser }: typeof one, context: string) => {
    const visit = await openAs(app.url, browser, context)
    await show(visit, app.url, '')
    const found = await visit.page.locator('main a[href="/account/security"]').count()
    await visit.context.close()
    return found
  }

  assert.deepEqual([await links(one, 'platform'), await links(other, `system:${system.id}`)], [1, 0])
})
