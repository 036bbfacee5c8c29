/** A device and its user in the device flow. */
import assert from 'node:assert/strict'
import { type Answer, basicAuth, PASSWORD, type startTestApp, type TestBrowser } from './testing.ts'

export type App = Awaited<ReturnType<typeof startTestApp>>
export type System = Awaited<ReturnType<App['newSystem']>>
export type Asked = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
}

export const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
export const HTML = 'text/html; charset=utf-8'
export const headingOf = (page: Answer) =>
  /<h1[^>]*>(.*?)<\/h1>/s.exec(String(page.body))?.[1]?.replace(/<[^>]+>/g, '')
export const refusalOf = ({ status, body }: Answer) => [status, body.error]

/** The device's request for its codes. */
export async function askAs(app: App, system: System, fields: Record<string, string> = {}): Promise<Asked> {
  const isPublic = system.clientType === 'public'
  const response = await fetch(`${app.url}/device/auth`, {
    method: 'POST',
    headers: isPublic ? {} : { authorization: basicAuth(system) },
    body: new URLSearchParams({
      scope: 'openid email',
      ...(isPublic && { client_id: system.clientId }),
      ...fields,
    }),
  })
  assert.equal(response.status, 200, await response.clone().text())
  return response.json()
}

export const poll = (app: App, system: System, asked: Asked) =>
  app.token(system, { grant_type: GRANT_TYPE, device_code: asked.device_code })

/** Enters a user code, up to the confirmation page. */
export async function enter(browser: TestBrowser, code: string): Promise<Answer> {
  return browser.submit(await browser.get('/device'), { user_code: code })
}

/** Confirms the code and continues to the final page, with sign-in and consent if required. */
export async function approve(browser: TestBrowser, code: string, email: string): Promise<Answer> {
  let page = await browser.follow(await browser.submit(await enter(browser, code), { confirm: 'yes' }))
  for (let steps = 0; steps < 4 && String(page.body).includes('<form'); steps++)
    page = await browser.follow(
      await browser.submit(
        page,
        String(page.body).includes('name="password"') ? { email, password: PASSWORD } : {},
      ),
    )
  return page
}

export async function member(app: App, fields: object = {}) {
  const [system, alice] = [await app.newSystem({ allowDeviceFlow: true, ...fields }), await app.newUser()]
  const membership = await app.newMembership({ userId: alice.id, systemId: system.id })
  return { system, alice, membership }
}
