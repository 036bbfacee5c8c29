/** Registration in tests: pages, emails and links. */
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { type Answer, authUrl, type Driver, newPkce, type TestBrowser } from './testing.ts'

export type App = Driver
export type System = Parameters<App['signIn']>[0]

export const OWN = 'my very own words'
export const JSON_ONLY = { accept: 'application/json' }
export const newEmail = (name = 'ana') => `${name}-${randomBytes(6).toString('hex')}@x.test`

/** A system open for registration. */
export const newOpenSystem = (app: App, fields: object = {}): Promise<System & { name: string }> =>
  app.newSystem({ allowSelfRegister: true, skipConsent: true, ...fields })

export const begin = async (
  browser: TestBrowser,
  system: System,
  parameters: Record<string, string> = {},
  headers = {},
) => {
  const started = await browser.get(authUrl(system, newPkce().challenge, parameters), headers)
  const location = started.headers.get('location')
  return location?.startsWith('/') ? browser.get(location, headers) : started
}

/** Follows a link of the login page. */
export const follow = (
  browser: TestBrowser,
  page: Answer,
  id: 'register' | 'forgot-password',
  headers = {},
) =>
  browser.get(
    new RegExp(`href="([^"]+)" id="${id}"`).exec(String(page.body))?.[1] ?? `no link ${id}`,
    headers,
  )

type Registrant = { email: string; browser?: TestBrowser; fields?: Record<string, string> }

/** Registers and returns the page that waits for the confirmation. */
export async function register(
  app: App,
  system: System,
  { email, browser = app.newBrowser(), fields = {} }: Registrant,
) {
  const form = await follow(browser, await begin(browser, system), 'register')
  const page = await browser.submit(form, { email, password: OWN, ...fields })
  return { browser, form, page }
}

/** Registers an organization in Chromium from the login page on, with the emailed code. */
export async function registerIn(page: Page, app: App, email: string): Promise<void> {
  await page.click('#register')
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', OWN)
  await page.fill('input[name=accountName]', 'Northsea Shipping')
  await page.click('button#submit')
  await page.waitForSelector('button#resend')
  await page.fill('input[name=code]', await newestCode(app, email))
  await page.click('button#submit')
}

/** Requests the email again. */
export const resend = (browser: TestBrowser, page: Answer) => {
  const forms = String(page.body).match(/<form[\s\S]*?<\/form>/g) ?? []
  return browser.submit({ ...page, body: forms.find((form) => form.includes('name="resend"')) })
}

export const linkIn = ({ text }: { text: string }) => /https?:\S+/.exec(text)![0]
/** The latest link emailed to an address. */
export const newestLink = async (app: App, email: string) => linkIn((await app.emailsTo(email)).at(-1)!)

export const codeIn = ({ text }: { text: string }) => /^\d{6}$/m.exec(text)?.[0] ?? 'no code'
/** The latest code emailed to an address. */
export const newestCode = async (app: App, email: string) => codeIn((await app.emailsTo(email)).at(-1)!)
/** Another code than the given one. */
export const otherCode = (code: string) => (code === '000000' ? '000001' : '000000')

/** Opens a link in a new browser and submits its form, with a password if it asks for one. */
export async function confirm(
  app: App,
  link: string,
  { browser = app.newBrowser(), password = OWN } = {},
): Promise<Answer> {
  return browser.submit(await browser.get(link), { password })
}

/** Registers, enters the code, and follows the sign-in. */
export async function registerByCode(app: App, system: System, registrant: Registrant) {
  const { browser, page } = await register(app, system, registrant)
  const code = await newestCode(app, registrant.email)
  const done = await browser.follow(await browser.submit(page, { code }))
  return { browser, page, done }
}

export const codeOf = (answer: Answer) => {
  const location = answer.headers.get('location')
  return location?.startsWith('https://app.example/cb?') ? new URL(location).searchParams.get('code') : null
}

export const findUser = async (app: App, email: string) =>
  (await app.platform.get(`/admin/users?email=${encodeURIComponent(email)}`)).body.data[0]

export const membershipsOf = async (app: App, user: { id: string }) =>
  (await app.platform.get(`/admin/memberships?userId=${user.id}`)).body.data

/** A page with the values that differ between sign-ins masked. */
export const masked = (page: Answer) =>
  String(page.body)
    .replaceAll(/interaction\/[\w-]+/g, 'interaction/UID')
    .replaceAll(/(?<=")[0-9a-f-]{36}(?=")|(?<=")[\w-]{43,}(?=")|[\w-]{43}(?=&quot;)/g, 'RANDOM')
