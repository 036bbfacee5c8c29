/** A browser with a virtual authenticator (CDP WebAuthn), and the application of the redirect URI. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { openBrowser } from './chromium.ts'
import type { SystemLike } from './factors.ts'
import { authUrl, type Driver, newPkce, PASSWORD } from './testing.ts'
import { SOON } from './waiting.ts'

type Ends = { after(end: () => void): void }

/** The application of the redirect URI. `arrived` returns the authorization code. */
export async function startApplication(t: Ends) {
  const server = createServer((_request, response) => response.end('the application'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const arrived = async (page: Page) => {
    await page.waitForURL(`${home}/**`, SOON)
    return new URL(page.url()).searchParams.get('code')!
  }
  return { home, arrived }
}

/**
 * A browser page. `scripts: false` disables JavaScript. `offers` enables passkeys in autofill, which the
 * virtual authenticator confirms at once. Console errors fail the test at its end.
 */
export async function openPage(
  t: { after(end: () => Promise<void>): void },
  { scripts = true, offers = false } = {},
) {
  const context = await (await openBrowser()).newContext({ javaScriptEnabled: scripts, locale: 'en' })
  if (!offers)
    await context.addInitScript(
      'if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
    )
  const page = await context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on(
    'console',
    (message) => message.text().includes('Content Security Policy') && pageErrors.push(message.text()),
  )
  t.after(async () => {
    await context.close()
    assert.deepEqual(pageErrors, [])
  })
  return page
}

/** A platform authenticator that verifies its user by default. */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  const present = (enabled: boolean) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  return {
    /** Simulates user presence. */
    present,
    /** Runs `work` with user presence. */
    touched: async (work: () => Promise<unknown>) => {
      await present(true)
      await work()
      await present(false)
    },
    verified: (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

/** Starts a sign-in to a system. */
export const begin = async (
  page: Page,
  app: Driver,
  system: SystemLike,
  parameters: Record<string, string> = {},
) => {
  const pkce = newPkce()
  await page.goto(app.url + authUrl(system, pkce.challenge, parameters))
  return pkce
}

export async function typePassword(page: Page, email: string) {
  await page.fill('#email', email)
  await page.fill('#password', PASSWORD)
  await page.click('#submit')
}
