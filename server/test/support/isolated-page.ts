/** A browser page whose external requests are recorded and, except for the logo, refused. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './chromium.ts'
import { LOGO_URL, logoImage } from './sample-names.ts'
import { SOON } from './waiting.ts'

export async function openIsolatedPage(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; externalRequests: string[]; pageErrors: string[] }> {
  const context = await (await openBrowser()).newContext(options)
  const externalRequests: string[] = []
  const pageErrors: string[] = []
  await context.route(
    (address) => address.protocol.startsWith('http') && address.origin !== url,
    (route) => {
      if (route.request().url() === LOGO_URL)
        return route.fulfill({ contentType: 'image/svg+xml', body: logoImage })
      externalRequests.push(route.request().url())
      return route.abort()
    },
  )
  const page = await context.newPage()
  page.on('console', (message) => pageErrors.push(message.text()))
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('dialog', (dialog) => {
    pageErrors.push(dialog.message())
    void dialog.dismiss()
  })
  return { page, externalRequests, pageErrors }
}

/** Waits for the focus of a field, which browsers set a frame after loading. */
export const focusOn = (page: Page, field: string) => page.locator(`[name=${field}]:focus`).waitFor(SOON)

/** The form fields that a page submits during `doing`. */
export async function sentBy(page: Page, doing: () => Promise<void>): Promise<Record<string, string>> {
  const posted = page.waitForRequest((request) => request.method() === 'POST', SOON)
  await doing()
  return Object.fromEntries(new URLSearchParams((await posted).postData() ?? ''))
}
