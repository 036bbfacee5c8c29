/**
 * Draws the two pictures of README.md, with sample data on the embedded database: the sign-in page of an
 * application and the first page of the console. `npx node console/test/images.ts [folder]`.
 */
import { mkdirSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { closeBrowser, openBrowser } from '../../server/test/support/chromium.ts'
import { authUrl, newPkce, startTestApp } from '../../server/test/support/testing.ts'
import { newSample } from './sample-data.ts'
import { openAs, show } from './visit.ts'

const [folder = 'docs/images'] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const providers = ['GOOGLE', 'MICROSOFT'].flatMap((id) => [
  [`SOCIAL_${id}_CLIENT_ID`, 'sample'],
  [`SOCIAL_${id}_CLIENT_SECRET`, 'sample'],
])
const app = await startTestApp({} as TestContext, {
  WEBHOOK_ALLOW_PRIVATE: 'true',
  ...Object.fromEntries(providers),
})
const { orders, operator } = await newSample(app)
await app.platform.patch(`/admin/systems/${orders.id}`, { branding: { color: '#0f766e' } })

const signIn = await (await openBrowser()).newPage({ viewport: { width: 460, height: 800 } })
await signIn.goto(app.url + authUrl(orders, newPkce().challenge))
await signIn.locator('input[name=password]').waitFor()
await signIn.screenshot({ path: `${folder}/sign-in.png` })

const visit = await openAs(app.url, operator.browser, 'platform')
await visit.page.setViewportSize({ width: 1280, height: 800 })
await visit.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
await show(visit, app.url, '')
await visit.page.waitForTimeout(400) // charts are drawn after their data
await visit.page.screenshot({ path: `${folder}/console.png` })
for (const fault of visit.faults) process.stderr.write(`${fault}\n`)

await closeBrowser()
process.exit(0)
