/**
 * Draws pictures of the pages and emails: desktop and phone, light and dark mode, side by side. `npx node
 * server/test/screens.ts [folder] [part of a name]`. Without a part, samples with extreme values are left
 * out.
 */
import { mkdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { launchBrowser } from './support/chromium.ts'
import { sampleEmails } from './support/sample-emails.ts'
import { LOGO_URL, logoImage } from './support/sample-names.ts'
import { samplePages, servePages } from './support/sample-pages.ts'

const [folder = 'docs/screens', part] = process.argv.slice(2)
const SCREENS = { desktop: { width: 1080, height: 720 }, phone: { width: 390, height: 844 } } as const
/** Samples that only tests need: long and hostile names, more variants. */
const TESTS_ONLY = /-(hostile|long|closed|early|slow|none|yet|wait|alone|stopped|differs|again)$/

mkdirSync(folder, { recursive: true })
const emails = new Map(sampleEmails())
const names = [...Object.keys(samplePages), ...emails.keys()].filter((name) =>
  part === undefined ? !TESTS_ONLY.test(name) : name.includes(part),
)
const server = await servePages()
const browser = await launchBrowser()
const shots = new Map<string, Buffer[]>(names.map((name) => [name, []]))
for (const viewport of Object.values(SCREENS)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme })
    await context.route(LOGO_URL, (route) => route.fulfill({ contentType: 'image/svg+xml', body: logoImage }))
    // Two pages: one that was navigated keeps its Content-Security-Policy.
    const sitePage = await context.newPage()
    const emailPage = await context.newPage()
    for (const name of names) {
      const email = emails.get(name)
      const page = email ? emailPage : sitePage
      if (email) await page.setContent(email.html)
      else await page.goto(`${server.url}/${name}`)
      shots.get(name)!.push(await page.screenshot({ fullPage: !name.endsWith('-many') }))
    }
    await context.close()
  }
}
for (const [name, pictures] of shots) await combine(browser, pictures, `${folder}/${name}.jpg`)
await browser.close()
await server.close()

/** The pictures of a page in a row, at half their size. */
async function combine(browser: Browser, pictures: Buffer[], path: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1500, height: 400 } })
  const images = pictures.map(
    (picture) => `<img style="zoom:0.5" src="data:image/png;base64,${picture.toString('base64')}">`,
  )
  const row = 'margin:0;display:flex;gap:8px;align-items:start;background:#8a8a92'
  await page.setContent(`<!doctype html><body style="${row}">${images.join('')}</body>`)
  await page.locator('body').screenshot({ path, type: 'jpeg', quality: 75 })
  await page.close()
}
