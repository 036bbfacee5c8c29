/** Back and Reload in Chromium after every form of emailed links, of a device, and after refused forms. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../support/chromium.ts'
import { askAs, member } from '../support/device.ts'
import { invited, newOrganization } from '../support/invitations.ts'
import { openPage } from '../support/passkeys.ts'
import { newEmail, newestLink, newOpenSystem, OWN, register } from '../support/registration.ts'
import { PASSWORD, startTestApp } from '../support/testing.ts'

after(closeBrowser)

/** Fills the fields and presses a button. */
async function send(page: Page, fields: Record<string, string> = {}, button = 'button#submit') {
  for (const [name, value] of Object.entries(fields)) await page.fill(`input[name=${name}]`, value)
  await Promise.all([page.waitForEvent('load'), page.click(button)])
}

const heading = (page: Page) => page.textContent('h1')

/**
 * Loads the present page again, leaves it, and goes back to it and to the page before. Counts the forms that
 * the browser sends by that, and what it shows.
 */
async function revisit(page: Page, secrets: string[]) {
  const sent: string[] = []
  const count = (request: { method(): string; url(): string }) =>
    request.method() === 'POST' && sent.push(request.url())
  page.on('request', count)
  const shown = await heading(page)
  const address = page.url()
  await page.reload()
  const reloaded = await heading(page)
  await page.goto(new URL('/', address).href)
  await page.goBack()
  const returned = await heading(page)
  const before = (await page.goBack())?.status() ?? 0
  await page.goForward()
  page.off('request', count)
  const readable = secrets.filter((each) => decodeURIComponent(address).includes(each))
  return { shown, reloaded, returned, before, sent, readable }
}

type App = Awaited<ReturnType<typeof startTestApp>>
type Visit = {
  app: App
  page: Page
  /** Revisits the present page, whose heading is this. */
  check: (name: string, expected: RegExp, secrets: string[]) => Promise<void>
}

/** Returns a used link, in a browser where the user of the new password is signed in. */
async function visitLinks({ app, page, check }: Visit): Promise<string> {
  const user = await app.newUser()
  const reset = await app.mailedLink('send-password-reset', user)
  await page.goto(reset.link)
  await send(page, { password: OWN, passwordAgain: 'other words than those' })
  await check('a refused new password', /new password/i, [reset.token, user.email])
  await send(page, { password: OWN, passwordAgain: OWN })
  await check('a new password', /password was changed/, [reset.token, user.email])
  await page.goto(`${app.url}/account`)
  await send(page, { email: user.email, password: OWN })
  assert.match(page.url(), /\/account$/)

  const unverified = await app.newUser()
  const verify = await app.mailedLink('resend-verification', unverified)
  await page.goto(verify.link)
  await send(page)
  await check('a verified address', /verified|confirmed/i, [verify.token, unverified.email])

  const to = newEmail('new')
  await page.goto(`${app.url}/account/email`)
  await send(page, { email: to })
  const change = await newestLink(app, to)
  await page.goto(change)
  await send(page)
  await check('a changed address', /confirmation is required/, [change.split('token=')[1]!, to, user.email])
  return reset.link
}

async function visitRegistration({ app, page, check }: Visit): Promise<void> {
  const registrant = newEmail()
  await register(app, await newOpenSystem(app), { email: registrant })
  const confirmation = await newestLink(app, registrant)
  const token = confirmation.split('token=')[1]!
  await page.goto(confirmation)
  await send(page, { password: OWN, passwordAgain: 'other words than those' })
  await check('a refused registration', /password|account/i, [token, registrant])
  await send(page, { password: OWN, passwordAgain: OWN })
  await check('a registration', /You are registered/, [token, registrant])
}

async function visitInvitations({ app, page, check }: Visit): Promise<void> {
  const org = await newOrganization(app)
  const own = await invited(app, org)
  await page.context().clearCookies()
  await page.goto(app.url + own.link)
  await send(page, { password: 'password', name: 'Rui Alves' }, 'button[value=register]')
  await check('a refused invitation form', /join/i, [own.link.split('token=')[1]!, own.email])
  assert.equal(await page.inputValue('input[name=name]'), 'Rui Alves')
  await send(page, { password: OWN }, 'button[value=register]')
  await check('an accepted invitation', /You have joined/, [own.link.split('token=')[1]!, own.email])
  const other = await invited(app, org)
  await page.goto(app.url + other.link)
  await send(page, {}, 'button[value=decline]')
  await check('a declined invitation', /declined/i, [other.link.split('token=')[1]!, other.email])
  const service = await org.service.post(org.path, { email: newEmail(), notify: false })
  await page.goto(service.body.url)
  await send(page, {}, 'button[value=mail]')
  await check('a mailed invitation', /Check your email/, [service.body.url.split('token=')[1]])
}

async function visitRefusals({ app, page, check }: Visit, usedLink: string): Promise<void> {
  await page.goto(usedLink)
  const used = await page.textContent('#error-code')
  assert.equal(used, 'link_expired')
  const again = await app.mailedLink('resend-verification', await app.newUser())
  await page.goto(again.link)
  await page.evaluate("document.querySelector('input[name=token]').value = 'A'.repeat(43)")
  await send(page)
  await check('a form of a used link', /link no longer works/, [])
}

async function visitDevice({ app, page, check }: Visit): Promise<void> {
  await page.context().clearCookies()
  const { system, alice } = await member(app)
  const [one, two] = [await askAs(app, system), await askAs(app, system)]
  await page.goto(`${app.url}/device`)
  await send(page, { user_code: 'BCDF-GHJK' })
  await check('a wrong code of a device', /Connect a device/, [])
  await send(page, { user_code: one.user_code })
  await check('a code of a device', /on your device\?/, [one.user_code])
  await send(page, {}, '[name=abort]')
  await check('a device that was stopped', /not connected/, [])
  await page.goto(`${app.url}/device`)
  await send(page, { user_code: two.user_code })
  await send(page)
  await page.waitForSelector('input[name=password]')
  await page.goBack()
  assert.match(String(await heading(page)), /^Sign in to/, 'the sign-in that confirms the code')
  await send(page, { email: alice.email, password: PASSWORD })
  await send(page)
  await check('a connected device', /Device connected/, [two.user_code])

  await page.goto(`${app.url}/session/end`)
  await page.evaluate("document.querySelector('input[name=xsrf]').value = 'forged'")
  await send(page, {}, '#logout-confirm')
  await check('a refused sign-out', /could not be signed out/, [])
}

test('Back and Reload after each form of a link, a device and a refusal show pages and send nothing', async (t) => {
  const app = await startTestApp(t)
  const page = await openPage(t)
  type Found = { pages: (string | null)[]; before: boolean; sent: string[]; readable: string[] }
  const found: Record<string, Found> = {}
  const check: Visit['check'] = async (name, expected, secrets) => {
    const { shown, reloaded, returned, before, sent, readable } = await revisit(page, secrets)
    assert.match(String(shown), expected, name)
    found[name] = { pages: [...new Set([shown, reloaded, returned])], before: before > 0, sent, readable }
  }
  const visit = { app, page, check }

  const usedLink = await visitLinks(visit)
  await visitRegistration(visit)
  await visitInvitations(visit)
  await visitRefusals(visit, usedLink)
  await visitDevice(visit)

  for (const [name, { pages, ...rest }] of Object.entries(found)) {
    assert.equal(pages.length, 1, `${name}: ${pages}`)
    assert.deepEqual(rest, { before: true, sent: [], readable: [] }, name)
  }
})
