/** Pictures of every page of the sign-in: `npx node server/test/screens.ts [folder] [part of a page's name]`. */
import { mkdirSync } from 'node:fs'
import { launchBrowser } from './chromium.ts'
import { LOGO_URL, logoImage, samplePages, servePages } from './sample-pages.ts'

const [folder = 'docs/screens', only = ''] = process.argv.slice(2)
const SCREENS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const

mkdirSync(folder, { recursive: true })
const server = await servePages()
const browser = await launchBrowser()
for (const [screen, viewport] of Object.entries(SCREENS)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme })
    await context.route(LOGO_URL, (route) => route.fulfill({ contentType: 'image/svg+xml', body: logoImage }))
    const page = await context.newPage()
    for (const name of Object.keys(samplePages).filter((each) => each.includes(only))) {
      await page.goto(`${server.url}/${name}`)
      await page.screenshot({ path: `${folder}/${name}-${screen}-${colorScheme}.png`, fullPage: !name.endsWith('-many') })
    }
    await context.close()
  }
}
await browser.close()
await server.close()
