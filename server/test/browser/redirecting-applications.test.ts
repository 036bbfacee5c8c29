/** Pages that lead to an application whose own redirects lead to another origin, in Chromium. */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../support/chromium.ts'
import { appCode, mailedCode, withinStep } from '../support/factors.ts'
import { invited, newOrganization } from '../support/invitations.ts'
import { addAuthenticator, openPage } from '../support/passkeys.ts'
import { startRedirectingApplication } from '../support/redirecting-application.ts'
import { newEmail, newestCode, newOpenSystem, OWN } from '../support/registration.ts'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../support/testing.ts'

after(closeBrowser)

type App = Awaited<ReturnType<typeof startTestApp>>
type Application = Awaited<ReturnType<typeof startRedirectingApplication>>
type System = Awaited<ReturnType<App['newSystem']>>
type Parties = { app: App; application: Application; page: Page }

const open = (page: Page, app: App, system: System, more: Record<string, string> = {}) =>
  page.goto(app.url + authUrl(system, newPkce().challenge, more))

async function typePassword(page: Page, email: string): Promise<void> {
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button#submit')
}

/** Enrolls an authenticator app. Returns its secret. */
async function enrol(page: Page): Promise<string> {
  const secret = String(await page.textContent('#secret')).replaceAll(' ', '')
  await withinStep()
  await page.evaluate("document.querySelector('details:not([open])')?.setAttribute('open', '')")
  await page.fill('input[name=code]', appCode(secret, -1))
  await page.click('form:has(input[name=code]) button')
  return secret
}

const memberOf = ({ app, application }: Parties, fields: object = {}) =>
  app.newMember({ skipConsent: true, redirectUris: [application.callback], ...fields })

/** Opens the login page as a new member, and types the password. `more`: parameters of the request. */
async function signIn(parties: Parties, fields: object = {}, more: Record<string, string> = {}) {
  const member = await memberOf(parties, fields)
  await open(parties.page, parties.app, member.system, more)
  await typePassword(parties.page, member.user.email)
  return member
}

/** Each leaves the last page of a sign-in by its form. `left`: the parameter that the application gets. */
const WAYS: Record<string, { left: string; go: (parties: Parties) => Promise<void> }> = {
  'the login': {
    left: 'code',
    go: async (parties) => void (await signIn(parties)),
  },
  'a login that is cancelled after the password': {
    left: 'error',
    async go(parties) {
      await signIn(parties, { requireEmailOtp: true })
      await parties.page.click('#leave')
    },
  },
  'the consent': {
    left: 'code',
    async go(parties) {
      await signIn(parties, { skipConsent: false })
      await parties.page.waitForSelector('#deny')
      await parties.page.click('#submit')
    },
  },
  'the consent, denied': {
    left: 'error',
    async go(parties) {
      await signIn(parties, { skipConsent: false })
      await parties.page.click('#deny')
    },
  },
  'the choice of an account': {
    left: 'code',
    async go(parties) {
      const { app, page } = parties
      const { system, user } = await memberOf(parties, { multiAccount: true })
      await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Second' })
      await open(page, app, system)
      await typePassword(page, user.email)
      await page.click('button[name=accountId] >> nth=0')
    },
  },
  'an emailed code': {
    left: 'code',
    async go(parties) {
      const { app, page } = parties
      const { user } = await signIn(parties, { requireEmailOtp: true })
      await page.waitForSelector('#resend')
      await page.fill('input[name=code]', await mailedCode(app, user.email))
      await page.click('#submit')
    },
  },
  'the codes after the first factor': {
    left: 'code',
    async go(parties) {
      const { page } = parties
      await signIn(parties, { requireMfa: true })
      await enrol(page)
      await page.click('#next')
    },
  },
  'the name of the first passkey': {
    left: 'code',
    async go(parties) {
      const { app, page } = parties
      const { system, user } = await memberOf(parties, { requireMfa: true })
      const key = await addAuthenticator(page)
      await open(page, app, system)
      await typePassword(page, user.email)
      await key.touched(async () => {
        await page.click('#passkey')
        await page.waitForSelector('input[name=name]')
      })
      await page.click('form[action$=passkey-name] button')
    },
  },
  'a second factor': {
    left: 'code',
    async go(parties) {
      const { app, page } = parties
      const { system, user } = await signIn(parties, { requireMfa: true })
      const secret = await enrol(page)
      await page.waitForSelector('#next')
      await page.context().clearCookies()
      await open(page, app, system)
      await typePassword(page, user.email)
      await page.fill('input[name=code]', appCode(secret))
      await page.click('#submit')
    },
  },
  'a temporary password': {
    left: 'code',
    async go(parties) {
      const { app, page } = parties
      const { system, user } = await memberOf(parties)
      await app.platform.post(`/admin/users/${user.id}/set-password`, {
        password: PASSWORD,
        mustChangePassword: true,
      })
      await open(page, app, system)
      await typePassword(page, user.email)
      await page.fill('input[name=password]', OWN)
      await page.fill('input[name=passwordAgain]', OWN)
      await page.click('#submit')
    },
  },
  'a registration': {
    left: 'code',
    async go({ app, application, page }) {
      const system = await newOpenSystem(app, { redirectUris: [application.callback] })
      const email = newEmail()
      await open(page, app, system)
      await page.click('#register')
      await page.fill('input[name=email]', email)
      await page.fill('input[name=password]', OWN)
      await page.click('#submit')
      await page.waitForSelector('#resend')
      await page.fill('input[name=code]', await newestCode(app, email))
      await page.click('#submit')
    },
  },
  'a user who joins': {
    left: 'code',
    async go({ app, application, page }) {
      const system = await newOpenSystem(app, { redirectUris: [application.callback] })
      const user = await app.newUser({ emailVerified: true })
      await open(page, app, system)
      await typePassword(page, user.email)
      await page.waitForSelector('form[action$="/join"]')
      await page.click('#submit')
    },
  },
  'a refused membership': {
    left: 'error',
    async go(parties) {
      const { app, page } = parties
      const { system, user, membership } = await memberOf(parties)
      await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
      await open(page, app, system)
      await typePassword(page, user.email)
      await page.waitForSelector('form[action$="/abort"]')
      await page.click('#submit')
    },
  },
  'a login as another user': {
    left: 'code',
    async go(parties) {
      const { app, page } = parties
      const { system, user } = await memberOf(parties, { skipConsent: false })
      const other = await app.newUser()
      await app.newMembership({ userId: other.id, systemId: system.id })
      await open(page, app, system)
      await typePassword(page, other.email)
      await page.click('#another')
      await page.waitForSelector('input[name=password]')
      await typePassword(page, user.email)
      await page.waitForSelector('#deny')
      await page.click('#submit')
    },
  },
  'the login, with response_mode=form_post': {
    left: 'code',
    go: async (parties) => void (await signIn(parties, {}, { response_mode: 'form_post' })),
  },
  'the consent, denied, with response_mode=form_post': {
    left: 'error',
    async go(parties) {
      await signIn(parties, { skipConsent: false }, { response_mode: 'form_post' })
      await parties.page.click('#deny')
    },
  },
  'the confirmation of a logout': {
    left: 'state',
    async go(parties) {
      const { app, application, page } = parties
      const { system } = await signIn(parties, { postLogoutRedirectUris: [application.callback] })
      await application.arrived(page)
      await page.goto('about:blank')
      const to = { client_id: system.clientId, post_logout_redirect_uri: application.callback, state: 's' }
      await page.goto(`${app.url}/session/end?${new URLSearchParams(to)}`)
      await page.click('#logout-confirm')
    },
  },
  'an invitation': {
    left: 'account_id',
    async go({ app, application, page }) {
      const { callback } = application
      const org = await newOrganization(app, { redirectUris: [callback], invitationUri: callback })
      const { link } = await invited(app, org)
      await page.goto(app.url + link)
      await page.fill('input[name=password]', OWN)
      await page.click('#submit')
    },
  },
}

async function given(t: TestContext, host?: string): Promise<Parties> {
  const [app, application] = [
    await startTestApp(t),
    await startRedirectingApplication(t, host === undefined ? {} : { host }),
  ]
  return { app, application, page: await openPage(t) }
}

for (const [name, { left, go }] of Object.entries(WAYS))
  test(`an application is reached that redirects to another origin: ${name}`, async (t) => {
    const parties = await given(t)

    await go(parties)
    const got = await parties.application.arrived(parties.page)

    assert.ok(got[left], JSON.stringify(got))
  })

test('the browser reaches a callback on [::1]', async (t) => {
  for (const name of ['the login', 'the consent, denied', 'the confirmation of a logout']) {
    const parties = await given(t, '::1')

    await WAYS[name]!.go(parties)
    const got = await parties.application.arrived(parties.page)

    assert.match(parties.application.callback, /^http:\/\/\[::1\]:\d+\/cb$/)
    assert.ok(got[WAYS[name]!.left], name)
  }
})

test('the browser leaves to an app, by its scheme and by an https callback that redirects to it', async (t) => {
  const [app, page] = [await startTestApp(t), await openPage(t)]
  const scheme = 'com.example.app:/cb'
  const { callback, received } = await startRedirectingApplication(t, { to: scheme })
  const { system, user } = await app.newMember({ skipConsent: true, redirectUris: [callback, scheme] })

  for (const redirect_uri of [scheme, callback]) {
    await page.context().clearCookies()
    await open(page, app, system, { redirect_uri })
    const left = page.waitForEvent('requestfailed')
    await typePassword(page, user.email)

    // No app of this scheme is installed: the browser drops the navigation when it would start the app.
    assert.equal((await left).failure()?.errorText, 'net::ERR_ABORTED')
  }
  assert.match(received.join(), /^\/cb\?code=[^,]+$/)
})
