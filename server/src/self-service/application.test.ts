/** The application from which the pages of the user were opened. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../test/support/http.ts'
import { newTeam, signInToAccount, text } from '../../test/support/organizations.ts'
import { type Answer, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const HOME = 'https://orders.example/start'
const LOGO = 'https://cdn.orders.example/logo.svg'

/** An application, and one of its users who has signed in to it. */
async function newApplication(app: App) {
  const { system, user } = await app.newMember({
    skipConsent: true,
    clientUri: HOME,
    branding: { color: '#e11d48', logoUrl: LOGO },
  })
  await app.signIn(system, { email: user.email })
  return { system, user, link: `/account?client_id=${encodeURIComponent(String(system.clientId))}` }
}

/** What a page shows: the way back, the color, and whether it names the application. */
const shown = (page: Answer, name: string) => ({
  back: /<a class="back" href="([^"]*)"/.exec(text(page))?.[1],
  color: /href="\/assets\/brand-(\w+)\.css/.exec(text(page))?.[1],
  isNamed: text(page).slice(0, text(page).indexOf('<main')).includes(name),
})

const ofApplication = { back: HOME, color: 'e11d48', isNamed: true }
const ofInstallation = { back: undefined, color: undefined, isNamed: false }

async function signOut(browser: TestBrowser) {
  const page = await browser.get('/session/end')
  return browser.follow(await browser.submit(page, { logout: 'yes' }))
}

test('a link of an application gives its brand and way back after the sign-in, on every page', async (t) => {
  const app = await startTestApp(t)
  const { system, user, link } = await newApplication(app)
  const browser = app.newBrowser()

  const login = await browser.follow(await browser.get(link))
  const first = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
  const later = [await browser.get('/account/sessions'), await browser.get('/account/accounts')]
  const { 'content-security-policy': policy } = Object.fromEntries(first.headers)

  assert.ok(!text(login).includes(system.name), 'not before the sign-in')
  for (const page of [first, ...later]) assert.deepEqual(shown(page, system.name), ofApplication)
  assert.match(String(policy), /img-src [^;]*https:\/\/cdn\.orders\.example/)
})

test('an application that the user has not entered, or that does not exist, lends no brand', async (t) => {
  const app = await startTestApp(t)
  const { system, user, link } = await newApplication(app)
  const other = await newApplication(app)
  const added = await app.newMembership({ userId: other.user.id, systemId: system.id })
  const { browser } = await signInToAccount(app, other.user.email)

  const pages = [
    await browser.get(link),
    await browser.get('/account/sessions'),
    await browser.get('/account?client_id=unknown'),
    await browser.get('/account?client_id=%00'),
    await browser.get(`/account?client_id=${'x'.repeat(5_000)}`),
  ]
  const entered = await browser.get(other.link)
  const again = await browser.get(link)
  const without = await browser.get('/account')

  assert.ok(added.id && user.id)
  for (const page of [...pages, again, without]) assert.deepEqual(shown(page, system.name), ofInstallation)
  assert.deepEqual(shown(entered, other.system.name), ofApplication)
})

test('the brand ends with the sign-out, and another user of the browser does not get it', async (t) => {
  const app = await startTestApp(t)
  const { system, user, link } = await newApplication(app)
  const other = await app.newUser()
  const { browser } = await signInToAccount(app, user.email)
  const before = await browser.get(link)

  await signOut(browser)
  const signIn = async (email: string) => {
    const login = await browser.follow(await browser.get('/account'))
    return browser.follow(await browser.submit(login, { email, password: PASSWORD }))
  }
  const same = await signIn(user.email)
  await signOut(browser)
  const another = await signIn(other.email)

  assert.deepEqual(shown(before, system.name), ofApplication)
  assert.deepEqual(shown(same, system.name), ofInstallation)
  assert.deepEqual(shown(another, system.name), ofInstallation)
})

test('an error below /account has the brand of the application that the user came from, else of the installation', async (t) => {
  const app = await startTestApp(t)
  const { system, user, link } = await newApplication(app)
  const { browser } = await signInToAccount(app, user.email)
  const unknown = `/account/organizations/${crypto.randomUUID()}`
  const branded = (page: Answer) => ({
    status: page.status,
    color: /href="\/assets\/brand-(\w+)\.css/.exec(text(page))?.[1],
    mark: /<div class="mark small">[\s\S]*?<\/div>/
      .exec(text(page))?.[0]
      .replace(/<[^>]+>/g, '')
      .trim(),
  })
  const errors = async () => [
    branded(await browser.get(unknown)),
    branded(await browser.get('/account/unknown')),
    branded(await browser.follow(await browser.post('/account/sessions/end', { csrf: 'wrong' }))),
  ]

  const ofInstallation = await errors()
  await browser.get(link)
  const ofApplication = await errors()
  const stranger = branded(await app.newBrowser().get('/account/unknown'))

  assert.ok(system.name)
  const name = 'TTenantry' // the initial and the name
  assert.deepEqual(
    ofInstallation,
    [404, 404, 403].map((status) => ({ status, color: undefined, mark: name })),
  )
  assert.deepEqual(
    ofApplication,
    [404, 404, 403].map((status) => ({ status, color: 'e11d48', mark: '' })),
  )
  assert.deepEqual(stranger, { status: 404, color: undefined, mark: name })
})

test('the pages of a suspended organization lead to the support of the application, where it has one', async (t) => {
  const app = await startTestApp(t)
  const supportUri = 'https://help.orders.example/'
  const teams = [await newTeam(app, { supportUri }), await newTeam(app)]
  const links = []
  for (const { accountId, member } of teams) {
    expectStatus(await app.platform.patch(`/admin/accounts/${accountId}`, { status: 'suspended' }), 200)
    for (const path of ['', '/leaving', '/members'])
      links.push(/id="support" href="([^"]+)"/.exec(text(await member.open(path)))?.[1])
  }

  const none = [undefined, undefined, undefined]
  assert.deepEqual(links, [supportUri, supportUri, supportUri, ...none])
})
