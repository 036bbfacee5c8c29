/** Invitations in Chromium: whoever is invited joins with at most two clicks besides the authentication. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, openBrowser } from '../support/chromium.ts'
import { invitationLinkTo, invited, newOrganization } from '../support/invitations.ts'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

after(closeBrowser)

const CLICKS_MAX = 2

type App = Awaited<ReturnType<typeof startTestApp>>
type Organization = Awaited<ReturnType<typeof newOrganization>>
type User = { id: string; email: string }

/** The application of the redirect URI. */
async function startApplication(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.end('the application'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/cb`
}

/** A person with a browser, whose clicks are counted except those that submit a password. */
async function newPerson(t: TestContext, app: App) {
  const context = await (await openBrowser()).newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(SOON.timeout)
  const person = {
    page,
    clicks: 0,
    open: (path: string) => page.goto(app.url + path),
    click: async (selector: string) => {
      person.clicks += 1
      await page.click(selector)
    },
    authenticate: async ({ email }: { email: string }) => {
      await page.fill('input[name=email]', email)
      await page.fill('input[name=password]', PASSWORD)
      await page.click('button#submit')
    },
    /** Signs in before the invitation is opened. */
    signIn: async (user: User) => {
      await person.open('/account')
      await person.authenticate(user)
      await page.waitForURL('**/account')
    },
  }
  return person
}

type Person = Awaited<ReturnType<typeof newPerson>>
type Invited = { app: App; org: Organization; person: Person }

const hasJoined = (page: Page) => page.getByText('You have joined').first().waitFor()

/** Each makes a user of the address join, and returns it. */
const CASES: Record<string, (invited: Invited) => Promise<string>> = {
  'a new user': async ({ app, org, person }) => {
    const { email, link } = await invited(app, org)
    await person.open(link)
    await person.page.fill('input[name=password]', PASSWORD)
    await person.click('button#submit')
    await hasJoined(person.page)
    return email
  },
  'a user who is signed out': async ({ app, org, person }) => {
    const user = await app.newUser()
    const { email, link } = await invited(app, org, user.email)
    await person.open(link)
    await person.click('#sign-in')
    await person.authenticate(user)
    await person.click('button#submit[value=accept]')
    await hasJoined(person.page)
    return email
  },
  'a user who is signed in': async ({ app, org, person }) => {
    const user = await app.newUser({ emailVerified: true })
    const { email, link } = await invited(app, org, user.email)
    await person.signIn(user)
    await person.open(link)
    await person.click('button#submit')
    await hasJoined(person.page)
    return email
  },
  'a user whose browser is signed in as another': async ({ app, org, person }) => {
    const [user, other] = [await app.newUser(), await app.newUser()]
    const { email, link } = await invited(app, org, user.email)
    await person.signIn(other)
    await person.open(link)
    await person.click('#sign-in')
    await person.page.waitForSelector('input[name=password]')
    await person.authenticate(user)
    await person.click('button#submit[value=accept]')
    await hasJoined(person.page)
    return email
  },
  'a new user whose browser is signed in as another': async ({ app, org, person }) => {
    const other = await app.newUser()
    const { email, link } = await invited(app, org)
    await person.signIn(other)
    await person.open(link)
    await person.page.fill('input[name=password]', PASSWORD)
    await person.click('button#submit')
    await hasJoined(person.page)
    await person.click('a#next')
    await person.page.waitForSelector('input[type=email]')
    await person.authenticate({ email })
    await hasJoined(person.page)
    return email
  },
  'a user whose address is not verified': async ({ app, org, person }) => {
    const user = await app.newUser({ emailVerified: false })
    const { email, link } = await invited(app, org, user.email)
    await person.signIn(user)
    await person.open(link)
    await person.click('button#submit')
    await hasJoined(person.page)
    return email
  },
  'a user whose link was not sent by email': async ({ app, org, person }) => {
    const user = await app.newUser({ emailVerified: false })
    const { body } = await org.service.post(org.path, { email: user.email, notify: false })
    await person.signIn(user)
    await person.open(body.url.slice(app.url.length))
    await person.click('button#mail')
    await person.page.getByText('Check your email').first().waitFor()
    await person.open(await invitationLinkTo(app, user.email))
    await person.click('button#submit')
    await hasJoined(person.page)
    return user.email
  },
  'a user who has lost the email': async ({ app, org, person }) => {
    const user = await app.newUser({ emailVerified: true })
    const { email } = await invited(app, org, user.email)
    await person.open(authUrl(org.system, newPkce().challenge))
    await person.authenticate(user)
    await person.click('button[name=accountId]')
    await person.page.waitForURL('**/cb?code=*')
    return email
  },
}

test('whoever is invited joins with at most two clicks besides the authentication', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { redirectUris: [await startApplication(t)] })

  const clicks: Record<string, number> = {}
  for (const [name, join] of Object.entries(CASES)) {
    const person = await newPerson(t, app)
    const email = await join({ app, org, person }).catch((cause) => {
      throw new Error(`${name} at ${person.page.url()}`, { cause })
    })
    const path = `/admin/accounts/${org.accountId}/members?search=${email}`
    const { data } = (await app.platform.get(path)).body
    assert.deepEqual(
      data.map(({ status }: { status: string }) => status),
      ['active'],
      name,
    )
    clicks[name] = person.clicks
    await person.page.context().close()
  }

  t.diagnostic(JSON.stringify(clicks))
  for (const [name, count] of Object.entries(clicks))
    assert.ok(count >= 1 && count <= CLICKS_MAX, `${name}: ${count} clicks`)
})
