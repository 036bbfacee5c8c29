import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { authUrl, newPkce, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type SystemLike = Parameters<App['signIn']>[0]
type Answer = Awaited<ReturnType<TestBrowser['get']>>

async function twoMembers(app: App, fields: object = {}) {
  const [system, alice, bob] = [await app.newSystem(fields), await app.newUser(), await app.newUser()]
  for (const { id } of [alice, bob]) await app.newMembership({ userId: id, systemId: system.id })
  return { system, alice, bob }
}

const begin = async (browser: TestBrowser, system: SystemLike, parameters: Record<string, string> = {}) => {
  const pkce = newPkce()
  const page = await browser.follow(await browser.get(authUrl(system, pkce.challenge, parameters)))
  return { page, pkce }
}

const logIn = async (browser: TestBrowser, page: Answer, email: string) =>
  browser.follow(await browser.submit(page, { email, password: PASSWORD }))

const actionOf = (page: Answer, path: string) =>
  new RegExp(`action="([^"]+/${path})"`).exec(String(page.body))?.[1] ?? ''
const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(String(page.body))?.[1] ?? ''
const offered = (page: Answer) =>
  [...String(page.body).matchAll(/name="accountId" value="([^"]+)"/g)].map(([, id]) => id)
const location = (page: Answer) => new URL(page.headers.get('location')!)

test('consent and account selection lead to the login of another user, with the request kept', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, bob } = await twoMembers(app)
  const browser = app.newBrowser()
  const { page, pkce } = await begin(browser, system, { login_hint: alice.email, nonce: 'n-1', state: 's-1' })
  const consent = await logIn(browser, page, alice.email)

  const login = await browser.follow(
    await browser.post(actionOf(consent, 'another'), { csrf: csrfOf(consent) }),
  )
  const stale = await browser.submit(consent)
  const signedOut = await logIn(browser, login, bob.email)
  const second = await browser.follow(await browser.submit(signedOut)) // the form that signs Alice out
  const back = await browser.follow(await browser.submit(second))

  assert.match(String(login.body), /name="email"[^>]* value=""/)
  assert.equal(stale.headers.get('location')?.startsWith('/interaction/'), true, 'the consent was dropped')
  assert.ok(String(second.body).includes(bob.email) && !String(second.body).includes(alice.email))
  const { state, code } = Object.fromEntries(location(back).searchParams)
  assert.equal(state, 's-1')
  const tokens = await app.token(system, {
    grant_type: 'authorization_code',
    code: code ?? '',
    redirect_uri: system.redirectUris[0]!,
    code_verifier: pkce.verifier,
  })
  const { sub, nonce } = decodeJwt(tokens.body.id_token)
  assert.deepEqual([sub, nonce], [bob.id, 'n-1'])

  const several = await app.newSystem({ multiAccount: true })
  for (const accountName of ['One', 'Two'])
    await app.newMembership({ userId: alice.id, systemId: several.id, accountName })
  const other = app.newBrowser()
  const selection = await logIn(other, (await begin(other, several)).page, alice.email)
  const again = await other.follow(
    await other.post(actionOf(selection, 'another'), { csrf: csrfOf(selection) }),
  )
  assert.match(String(again.body), /name="password"/)
})

test('a browser that is signed in as a user without access can sign in as a member', async (t) => {
  const app = await startTestApp(t)
  const { system, bob } = await twoMembers(app, { skipConsent: true })
  const other = await twoMembers(app, { skipConsent: true })
  const { visitor: browser } = await app.signIn(other.system, { email: other.alice.email })

  const { page: message } = await begin(browser, system)
  const login = await browser.follow(
    await browser.post(actionOf(message, 'another'), { csrf: csrfOf(message) }),
  )
  const signedOut = await logIn(browser, login, bob.email)
  const back = await browser.follow(await browser.submit(signedOut)) // the form that signs Alice out

  assert.match(String(message.body), /You do not have access/)
  assert.ok(String(message.body).includes(other.alice.email))
  assert.ok(location(back).searchParams.get('code'))
})

test('P26: only our own page leads to the login of another user, unless the application names the user', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await twoMembers(app)
  const signedIn = await app.signIn(system, { email: alice.email })
  const browser = app.newBrowser()
  const consent = await logIn(
    browser,
    (await begin(browser, system, { prompt: 'consent' })).page,
    alice.email,
  )
  const another = actionOf(consent, 'another')

  const foreign = await browser.post(another, { csrf: 'wrong' })
  const claims = JSON.stringify({ id_token: { sub: { value: alice.id } } })
  for (const expected of [{ id_token_hint: signedIn.id_token }, { claims }]) {
    const { page } = await begin(signedIn.visitor, system, { prompt: 'consent', ...expected })
    const [, at] = /action="([^"]+)\/consent"/.exec(String(page.body))!
    const sent = await signedIn.visitor.post(
      `${at}/another`,
      { csrf: csrfOf(page) },
      { accept: 'application/json' },
    )

    assert.doesNotMatch(String(page.body), /id="another"/)
    assert.equal(sent.status, 409)
    assert.match(String((await signedIn.visitor.get(at!)).body), /id="deny"/)
  }

  assert.equal(foreign.status, 403)
  assert.match(String((await browser.get(another.replace('/another', ''))).body), /id="deny"/)
})

test('cancelling the account selection is access_denied for the application', async (t) => {
  const app = await startTestApp(t)
  const [system, user] = [await app.newSystem({ multiAccount: true }), await app.newUser()]
  for (const accountName of ['One', 'Two'])
    await app.newMembership({ userId: user.id, systemId: system.id, accountName })
  const browser = app.newBrowser()
  const selection = await logIn(browser, (await begin(browser, system)).page, user.email)

  const left = await browser.follow(
    await browser.post(actionOf(selection, 'abort'), { csrf: csrfOf(selection) }),
  )

  assert.equal(location(left).searchParams.get('error'), 'access_denied')
})

test('the account used last comes first, then the others in natural order', async (t) => {
  const app = await startTestApp(t)
  const [system, user] = [await app.newSystem({ multiAccount: true, skipConsent: true }), await app.newUser()]
  const accounts: Record<string, string> = {}
  for (const accountName of ['Team 10', 'Team 2', 'team 1', 'Zoo', 'Äpfel'])
    accounts[accountName] = (
      await app.newMembership({ userId: user.id, systemId: system.id, accountName })
    ).accountId
  const order = async () => {
    const browser = app.newBrowser()
    return offered(await logIn(browser, (await begin(browser, system)).page, user.email)).map((id) =>
      Object.keys(accounts).find((name) => accounts[name] === id),
    )
  }

  const unused = await order()
  await app.signIn(system, { email: user.email, account: accounts['Team 10']! })
  await app.signIn(system, { email: user.email, account: accounts.Zoo! })

  assert.deepEqual(unused, ['Äpfel', 'team 1', 'Team 2', 'Team 10', 'Zoo'])
  assert.deepEqual(await order(), ['Zoo', 'Äpfel', 'team 1', 'Team 2', 'Team 10'])
})

test('after a block the browser is shown the account in which the user continues, once', async (t) => {
  const app = await startTestApp(t)
  const [system, user] = [await app.newSystem({ multiAccount: true, skipConsent: true }), await app.newUser()]
  const join = (accountName: string) =>
    app.newMembership({ userId: user.id, systemId: system.id, accountName })
  const [lost, kept] = [await join('Lost'), await join('Kept')]
  const { visitor } = await app.signIn(system, { email: user.email, account: lost.accountId })
  await app.platform.patch(`/admin/memberships/${lost.id}`, { status: 'blocked' })

  const silent = await begin(visitor, system, { prompt: 'none' })
  const named = await logIn(visitor, (await begin(visitor, system)).page, user.email)
  const back = await visitor.follow(await visitor.submit(named, { accountId: kept.accountId }))
  const next = (await begin(visitor, system)).page
  const elsewhere = app.newBrowser()
  const direct = await logIn(elsewhere, (await begin(elsewhere, system)).page, user.email)

  assert.equal(location(silent.page).searchParams.get('error'), 'login_required')
  assert.match(String(named.body), /Continue with <bdi>Kept<\/bdi>\?/)
  assert.match(String(named.body), /access to <bdi>Lost<\/bdi> is blocked/)
  assert.deepEqual(offered(named), [kept.accountId])
  for (const page of [back, next, direct]) assert.ok(location(page).searchParams.get('code'))
})
