/** User flows with requests alternating between two processes: pages, emails, factors, account pages. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { decodeJwt } from 'jose'
import { closeBrowser } from '../support/chromium.ts'
import {
  afterPassword,
  appCode,
  continueSignIn,
  mailedCode,
  memberWithApp,
  begin as open,
  sendTo,
  stepOf,
} from '../support/factors.ts'
import {
  addAuthenticator,
  begin as openIn,
  openPage,
  startApplication,
  typePassword,
} from '../support/passkeys.ts'
import {
  begin,
  codeOf,
  confirm,
  findUser,
  follow,
  membershipsOf,
  newEmail,
  newestCode,
  newestLink,
  newOpenSystem,
  OWN,
  register,
  registerIn,
  resend,
} from '../support/registration.ts'
import { flow } from '../support/round-robin.ts'
import {
  addressOf,
  findByEmail,
  rest,
  begin as startSocial,
  through,
  tokensOf,
  unique,
} from '../support/social.ts'
import { codeFields, type Driver, PASSWORD, type TestBrowser } from '../support/testing.ts'

after(closeBrowser)

const text = (answer: { body: unknown }) => String(answer.body)
/** Responses of two sign-ins with a password. */
const answersTo = async (
  app: Driver,
  system: Parameters<Driver['signIn']>[0],
  email: string,
  password: string,
) => {
  const statuses = []
  for (let turn = 0; turn < 2; turn++)
    statuses.push((await app.authorize(system, { email, password })).page.status)
  return statuses
}

flow('registration with the emailed code, and with the link in another browser', async ({ app }) => {
  const system = await newOpenSystem(app)
  const email = newEmail()

  const { browser, page } = await register(app, system, { email, fields: { name: 'Ana Lima' } })
  const early = await browser.submit(page)
  const again = await resend(browser, page)
  const link = await newestLink(app, email)
  const opened = await app.newBrowser().get(link)
  const done = await browser.follow(await browser.submit(page, { code: await newestCode(app, email) }))
  const twice = await app.newBrowser().get(link)
  const other = newEmail()
  await register(app, system, { email: other })
  const confirmed = await confirm(app, await newestLink(app, other))

  assert.deepEqual(
    [page.status, early.status, again.status, opened.status, twice.status, confirmed.status],
    [200, 400, 200, 200, 410, 200],
  )
  assert.ok(codeOf(done))
  assert.equal((await membershipsOf(app, await findUser(app, other))).length, 1)
  const user = await findUser(app, email)
  assert.deepEqual([user.name, user.emailVerified], ['Ana Lima', true])
  assert.deepEqual(
    (await membershipsOf(app, user)).map(({ systemId, status }: Record<string, string>) => [
      systemId,
      status,
    ]),
    [[system.id, 'active']],
  )
})

flow('an existing user joins an open system', async ({ app }) => {
  const system = await newOpenSystem(app, { multiAccount: true })
  const user = await app.newUser({ emailVerified: true })
  const browser = app.newBrowser()

  const page = await browser.follow(
    await browser.submit(await begin(browser, system), { email: user.email, password: PASSWORD }),
  )
  const nameless = await browser.submit(page, { accountName: ' ' })
  const done = await browser.follow(await browser.submit(page, { accountName: 'Northsea Shipping' }))

  assert.equal(nameless.status, 400)
  assert.ok(codeOf(done))
  const [membership, ...more] = await membershipsOf(app, user)
  assert.deepEqual([membership.account.name, membership.status, more], ['Northsea Shipping', 'active', []])
})

flow('password reset by an emailed link during a sign-in', async ({ app }) => {
  const { system, user } = await app.newMember({ skipConsent: true })
  const [browser, reader] = [app.newBrowser(), app.newBrowser()]

  const form = await follow(browser, await begin(browser, system), 'forgot-password')
  const sent = await browser.submit(form, { email: user.email })
  const link = await newestLink(app, user.email)
  const changed = await reader.submit(await reader.get(link), { password: OWN, passwordAgain: OWN })
  const again = await reader.get(link)
  const login = await browser.get(/id="next" href="([^"]+)"/.exec(text(sent))![1]!)
  const done = await browser.follow(await browser.submit(login, { email: user.email, password: OWN }))

  assert.deepEqual([sent.status, changed.status, again.status], [200, 200, 410])
  assert.ok(codeOf(done))
  assert.deepEqual(await answersTo(app, system, user.email, PASSWORD), [401, 401])
  assert.deepEqual(await answersTo(app, system, user.email, OWN), [303, 303])
})

flow('a sign-in with a temporary password requires a new one', async ({ app }) => {
  const { system, user } = await app.newMember({ skipConsent: true })
  const { temporaryPassword } = (await app.platform.post(`/admin/users/${user.id}/reset-password`)).body
  const browser = app.newBrowser()

  const login = await begin(browser, system)
  const page = await browser.follow(
    await browser.submit(login, { email: user.email, password: temporaryPassword }),
  )
  const differs = await browser.submit(page, { password: OWN, passwordAgain: `${OWN}!` })
  const done = await browser.follow(await browser.submit(page, { password: OWN, passwordAgain: OWN }))

  assert.deepEqual([stepOf(page), differs.status], ['change-password', 400])
  assert.ok(codeOf(done))
  assert.deepEqual(await answersTo(app, system, user.email, temporaryPassword), [401, 401])
  assert.deepEqual(await answersTo(app, system, user.email, OWN), [303, 303])
})

flow('an emailed code is required after the password and works once', async ({ app }) => {
  const { system, user } = await app.newMember({ skipConsent: true, requireEmailOtp: true })
  const browser = app.newBrowser()

  const page = await afterPassword(browser, system, user.email)
  const code = await mailedCode(app, user.email)
  const wrong = await browser.submit(page, { code: code === '000000' ? '111111' : '000000' })
  const done = await browser.follow(await browser.submit(page, { code }))
  const again = await browser.follow(await browser.submit(page, { code }))

  assert.deepEqual([stepOf(page), wrong.status], ['email-otp', 401])
  assert.ok(codeOf(done))
  assert.doesNotMatch(String(again.headers.get('location')), /[?&]code=/)
})

flow('an authenticator app is enrolled and required; a recovery code replaces it once', async ({ app }) => {
  const { system, user, secret, recoveryCodes, browser, done } = await memberWithApp(app)
  const enter = async (fields: Record<string, string>) => {
    const visitor = app.newBrowser()
    return visitor.follow(
      await sendTo(visitor, await afterPassword(visitor, system, user.email), 'second-factor', fields),
    )
  }

  const enrolled = await continueSignIn(browser, done)
  const code = appCode(secret)
  const right = await enter({ code })
  const replayed = [await enter({ code }), await enter({ code })]
  const recovered = await enter({ recoveryCode: recoveryCodes[0]! })
  const again = await enter({ recoveryCode: recoveryCodes[0]! })

  for (const answer of [enrolled, right, recovered]) assert.ok(codeOf(answer))
  assert.deepEqual(
    [...replayed, again].map(({ status }) => status),
    [401, 401, 401],
  )
})

flow('a passkey is created, is a second factor, and replaces the password', async ({ app, t }) => {
  const { home, arrived } = await startApplication(t)
  const { system, user } = await app.newMember({
    skipConsent: true,
    requireMfa: true,
    redirectUris: [`${home}/cb`],
  })
  const page = await openPage(t)
  const device = await addAuthenticator(page)
  const touch = (until: () => Promise<unknown>) =>
    device.touched(async () => {
      await page.click('#passkey')
      await until()
    })

  await openIn(page, app, system)
  await typePassword(page, user.email)
  await touch(() => page.waitForSelector('#recovery-codes'))
  await page.click('#submit')
  const enrolled = await arrived(page)
  await page.context().clearCookies()
  await openIn(page, app, system)
  await typePassword(page, user.email)
  await touch(() => arrived(page))
  await page.context().clearCookies()
  const pkce = await openIn(page, app, system)
  await touch(() => arrived(page))
  const tokens = (await app.token(system, codeFields(system, { back: { code: await arrived(page) }, pkce })))
    .body

  assert.ok(enrolled)
  const { sub, amr } = decodeJwt(tokens.id_token)
  assert.deepEqual([sub, amr], [user.id, ['swk', 'user', 'mfa']])
})

flow('in a browser a user registers and changes settings on the account pages', async ({ app, t }) => {
  const { home, arrived } = await startApplication(t)
  const system = await newOpenSystem(app, { multiAccount: true, redirectUris: [`${home}/cb`] })
  const email = newEmail()
  const page = await openPage(t)

  const pkce = await openIn(page, app, system)
  await registerIn(page, app, email)
  const { status } = await app.token(
    system,
    codeFields(system, { back: { code: await arrived(page) }, pkce }),
  )
  await page.goto(`${app.url}/account`)
  await page.fill('#givenName', 'Ada')
  await page.click('#submit')
  await page.waitForURL('**/account?done=saved')
  await page.goto(`${app.url}/account/sessions`)
  const [names, given] = [await page.textContent('main'), (await findUser(app, email)).givenName]
  await page.click('button[name=browser]')
  await page.waitForURL('**/account/sessions?done=ended')
  const left = await page.locator('button[name=browser]').count()

  assert.deepEqual([status, given, left], [200, 'Ada', 0])
  assert.ok(names?.includes(system.name))
})

flow(
  'a sign-in by an external provider creates a user and finds it the next time',
  async ({ app, other }) => {
    const system = await app.newSystem({ allowSelfRegister: true })
    const email = addressOf()
    other.claims = { sub: unique(), email, email_verified: true, name: 'Ada Lovelace' }
    const subjects = []

    for (let turn = 0; turn < 2; turn++) {
      const begun = await startSocial(app, system)
      const tokens = await tokensOf(
        app,
        system,
        begun,
        await rest(begun.visitor, await through(begun, other)),
      )
      subjects.push(tokens.claims.sub)
    }

    const user = await findByEmail(app, email)
    assert.deepEqual(subjects, [user.id, user.id])
    assert.deepEqual(user.identities, [{ provider: 'one', subject: other.claims.sub, email }])
  },
)

async function signInToPages(app: Driver, email: string, password = PASSWORD): Promise<TestBrowser> {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account'))
  await browser.follow(await browser.submit(login, { email, password }))
  return browser
}

flow('a user changes profile and password on the account pages and ends a session', async ({ app }) => {
  const { system, user } = await app.newMember({ skipConsent: true })
  const [here, there] = [
    await signInToPages(app, user.email),
    await app.signIn(system, { email: user.email }),
  ]

  const saved = await here.follow(
    await here.submit(await here.get('/account'), { name: 'Ada Lovelace', locale: 'es' }),
  )
  const list = await here.get('/account/sessions')
  const ended = await here.follow(await here.submit(list, { sid: String(decodeJwt(there.access_token).sid) }))
  const after = [await app.me(there.access_token), await app.me(there.access_token)]
  const elsewhere = await app.signIn(system, { email: user.email })
  const form = await here.get('/account/password')
  const changed = await here.follow(
    await here.submit(form, { current: PASSWORD, password: OWN, passwordAgain: OWN }),
  )
  const gone = [await app.me(elsewhere.access_token), await app.me(elsewhere.access_token)]
  const stillHere = [await here.get('/account'), await here.get('/account/sessions')]
  const sso = await open(here, system)

  assert.match(text(saved), /lang="es"[\s\S]*value="Ada Lovelace"/)
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)
  assert.deepEqual(statuses([ended, changed, ...stillHere]), [200, 200, 200, 200])
  assert.deepEqual(statuses([...after, ...gone]), [401, 401, 401, 401])
  assert.ok(codeOf(sso))
  assert.deepEqual(await answersTo(app, system, user.email, PASSWORD), [401, 401])
  assert.deepEqual(await answersTo(app, system, user.email, OWN), [303, 303])
})
