/**
 * Pictures of the pages and the letters, each on a screen and on a phone, in the light and in the dark, side by side:
 * `npx node server/test/screens.ts [folder] [part of a page's name]`. Without a part, of those that are not made to strain.
 */
import { mkdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { launchBrowser } from './support/chromium.ts'
import { sampleEmails } from './support/sample-emails.ts'
import { LOGO_URL, logoImage } from './support/sample-names.ts'
import { samplePages, servePages } from './support/sample-pages.ts'

const [folder = 'docs/screens', part] = process.argv.slice(2)
const SCREENS = { desktop: { width: 1080, height: 720 }, phone: { width: 390, height: 844 } } as const
/** What long names, hostile ones and yet another language are for is a test, not a picture. */
const STRAINED = /-(hostile|long|closed|early|slow|none|alone|stopped|differs|again)$/

mkdirSync(folder, { recursive: true })
const letters = new Map(sampleEmails())
const names = [...Object.keys(samplePages), ...letters.keys()].filter((name) =>
  part === undefined ? !STRAINED.test(name) : name.includes(part),
)
const server = await servePages()
const browser = await launchBrowser()
const taken = new Map<string, Buffer[]>(names.map((name) => [name, []]))
for (const viewport of Object.values(SCREENS)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme })
    await context.route(LOGO_URL, (route) => route.fulfill({ contentType: 'image/svg+xml', body: logoImage }))
    const [visited, read] = [await context.newPage(), await context.newPage()] // a page that was visited keeps its policy
    for (const name of names) {
      const letter = letters.get(name)
      const page = letter ? read : visited
      if (letter) await page.setContent(letter.html)
      else await page.goto(`${server.url}/${name}`)
      taken.get(name)!.push(await page.screenshot({ fullPage: !name.endsWith('-many') }))
    }
    await context.close()
  }
}
for (const [name, pictures] of taken) await putTogether(browser, pictures, `${folder}/${name}.jpg`)
await browser.close()
await server.close()

/** At half their size: legible, and small enough to be kept. */
async function putTogether(browser: Browser, pictures: Buffer[], path: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1500, height: 400 } })
  const images = pictures.map(
    (picture) => `<img style="zoom:0.5" src="data:image/png;base64,${picture.toString('base64')}">`,
  )
  const row = 'margin:0;display:flex;gap:8px;align-items:start;background:#8a8a92'
  await page.setContent(`<!doctype html><body style="${row}">${images.join('')}</body>`)
  await page.locator('body').screenshot({ path, type: 'jpeg', quality: 75 })
  await page.close()
}
