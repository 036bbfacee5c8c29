import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  authUrl,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type SystemLike = Parameters<App['signIn']>[0]

async function memberOf(app: App, fields: object = {}, account: object = {}) {
  const system = await app.newSystem(fields)
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id, ...account })
  return { system, user, membership }
}

const begin = async (browser: TestBrowser, system: SystemLike, parameters: Record<string, string> = {}) =>
  browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))

const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(String(page.body))?.[1] ?? ''
const actionOf = (page: Answer) => /<form method="post" action="([^"]+)"/.exec(String(page.body))?.[1] ?? ''
const sessionOf = (browser: TestBrowser) => browser.jar.get('_session /')?.value
const isLogin = (page: Answer) => page.status === 200 && /name="password"/.test(String(page.body))

/** The sign-in up to each step, and the fields of that step. */
async function steps(app: App) {
  const { system, user, membership } = await memberOf(app, { multiAccount: true })
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Second' })
  const browser = app.newBrowser()
  const login = {
    page: await begin(browser, system),
    fields: { email: user.email, password: PASSWORD } as Record<string, string>,
  }
  const upTo = async (...fields: Record<string, string>[]) => {
    const own = app.newBrowser()
    let page = await begin(own, system)
    for (const each of fields) page = await own.follow(await own.submit(page, each))
    return { browser: own, page }
  }
  return {
    system,
    user,
    login: { browser, ...login },
    account: { ...(await upTo(login.fields)), fields: { accountId: membership.accountId } },
    consent: { ...(await upTo(login.fields, { accountId: membership.accountId })), fields: {} },
  }
}

test('P25: the session id changes at login, and the old one has no session', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app, { skipConsent: true })
  const browser = app.newBrowser()
  // A session without a user, which an attacker could plant.
  await app.authorize(system, { email: user.email, visitor: browser, parameters: { prompt: 'none' } })
  const planted = new Map(browser.jar)
  const before = sessionOf(browser)

  await app.signIn(system, { email: user.email, visitor: browser })

  const attacker = app.newBrowser()
  for (const [name, cookie] of planted) attacker.jar.set(name, cookie)
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: attacker,
    parameters: { prompt: 'none' },
  })
  assert.ok(sessionOf(browser) && sessionOf(browser) !== before)
  assert.equal(silent.back.error, 'login_required')
})

test('P25: the session id changes at every further login', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app, { skipConsent: true })
  const { visitor: browser } = await app.signIn(system, { email: user.email })
  const [first, cookies] = [sessionOf(browser), new Map(browser.jar)]

  await app.signIn(system, { email: user.email, visitor: browser, parameters: { prompt: 'login' } })

  const attacker = app.newBrowser()
  for (const [name, cookie] of cookies) attacker.jar.set(name, cookie)
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: attacker,
    parameters: { prompt: 'none' },
  })
  assert.notEqual(sessionOf(browser), first)
  assert.equal(silent.back.error, 'login_required')
})

test('P25: a sign-in cannot be finished in another browser', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const [mallory, alice] = [app.newBrowser(), app.newBrowser()]
  const page = await begin(mallory, system)

  const shown = await alice.follow(await alice.get(actionOf(page).replace('/login', '')))
  const sent = await alice.follow(await alice.submit(page, { email: user.email, password: PASSWORD }))
  const resuming = actionOf(page).replace(/^\/interaction\/(.*)\/login$/, '/auth/$1')
  const resumed = await alice.follow(await alice.get(resuming))

  assert.deepEqual([shown.status, sent.status, resumed.status], [404, 404, 404])
  assert.equal(sessionOf(alice), undefined)
})

test('P25: a cookie without our signature is ignored', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const { visitor: browser } = await app.signIn(system, { email: user.email })

  const key = '_session.sig /'
  const own = browser.jar.get(key)!
  const silent = () =>
    app.authorize(system, { email: user.email, visitor: browser, parameters: { prompt: 'none' } })
  const { value: ofAnother } = (await app.signIn(system, { email: user.email })).visitor.jar.get(key)!
  const changed = own.value.slice(0, -1) + (own.value.endsWith('A') ? 'Q' : 'A')

  for (const value of [
    changed,
    own.value.slice(0, -1),
    `${own.value}=`,
    ofAnother,
    'A'.repeat(own.value.length),
    '',
  ])
    assert.equal((await silentWith(value)).back.error, 'login_required', value)
  browser.jar.delete(key)
  assert.equal((await silent()).back.error, 'login_required')
  assert.equal((await silentWith(own.value)).back.error, undefined)

  function silentWith(value: string) {
    browser.jar.set(key, { ...own, value })
    return silent()
  }
})

test('cookies of a sign-in are HttpOnly, SameSite=Lax and limited to their paths', async (t) => {
  const app = await startTestApp(t)
  const { system } = await memberOf(app)

  const started = await app.newBrowser().get(authUrl(system, newPkce().challenge))

  const cookies = started.headers.getSetCookie()
  assert.ok(cookies.length > 0)
  for (const cookie of cookies)
    assert.match(cookie, /path=\/(interaction|auth)\/[\w-]+; .*samesite=lax; httponly$/i)
})

/** The forms of one step, and those of any step, which are sent at the consent. */
const FORMS = ['login', 'account', 'consent', 'another', 'passkey-name', 'passkey-offer'] as const
for (const form of FORMS) {
  const step = form === 'login' || form === 'account' ? form : 'consent'
  const actionOn = (page: Answer) => actionOf(page).replace(/[^/]+$/, form)

  test(`P26: the ${form} form is refused from another origin or without its token`, async (t) => {
    const app = await startTestApp(t)
    const { [step]: own, login: other } = await steps(app)
    const { browser, page, fields } = own
    const csrf = csrfOf(page)
    const elsewhere = csrfOf(step === 'login' ? (await steps(app)).login.page : other.page)
    const json = { 'content-type': 'application/json' }

    const answers = [
      await browser.post(actionOn(page), { ...fields, csrf }, { origin: 'https://evil.example' }),
      await browser.post(actionOn(page), { ...fields, csrf }, { origin: 'null' }),
      await browser.post(actionOn(page), { ...fields, csrf }, { origin: `${app.url}.evil.example` }),
      await browser.post(actionOn(page), { ...fields, csrf }, { 'sec-fetch-site': 'cross-site' }),
      await browser.post(actionOn(page), { ...fields, csrf }, { 'sec-fetch-site': 'same-site' }),
      await browser.post(actionOn(page), { ...fields, csrf: elsewhere }),
      await browser.post(actionOn(page), { ...fields, csrf: '' }),
      await browser.post(actionOn(page), fields),
      await browser.post(actionOn(page), [...Object.entries(fields), ['csrf', csrf], ['csrf', csrf]]),
      await browser.request(actionOn(page), {
        method: 'POST',
        headers: { ...json, origin: 'https://evil.example' },
        body: JSON.stringify(fields),
      }),
    ]
    const shown = await browser.get(`/interaction/${actionOf(page).split('/')[2]}`)

    for (const { status } of answers) assert.equal(status, 403)
    assert.equal(actionOf(shown), actionOf(page))
  })

  test(`P26: a GET to the action of the ${form} form changes nothing`, async (t) => {
    const app = await startTestApp(t)
    const { [step]: own } = await steps(app)
    const { browser, page, fields } = own
    const query = new URLSearchParams({ ...fields, csrf: csrfOf(page), _method: 'POST' })

    const answer = await browser.get(`${actionOn(page)}?${query}`)
    const overridden = await browser.get(`/interaction/${actionOf(page).split('/')[2]}?${query}`, {
      'x-http-method-override': 'POST',
    })

    assert.equal(answer.status, 405)
    assert.equal(actionOf(overridden), actionOf(page))
  })
}

test('P26: a form with the token of its page and our origin is accepted', async (t) => {
  const app = await startTestApp(t)
  const { login } = await steps(app)

  const answer = await login.browser.post(
    actionOf(login.page),
    { ...login.fields, csrf: csrfOf(login.page) },
    { origin: app.url, 'sec-fetch-site': 'same-origin' },
  )

  assert.equal(answer.status, 303)
})

test('P27: a step that is not due leads back to the current step, without a code', async (t) => {
  const app = await startTestApp(t)
  const { system } = await memberOf(app, { multiAccount: true })
  const browser = app.newBrowser()
  const page = await begin(browser, system)
  const uid = actionOf(page).split('/')[2]

  for (const step of ['consent', 'account']) {
    const answer = await browser.post(`/interaction/${uid}/${step}`, { csrf: csrfOf(page), accountId: 'any' })

    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/interaction/${uid}`])
  }
  const resumed = await browser.follow(await browser.get(`/auth/${uid}`))
  assert.ok(isLogin(resumed))
})

test('P27: a required login cannot be skipped with an earlier session', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const { visitor: browser } = await app.signIn(system, { email: user.email })
  const page = await begin(browser, system, { prompt: 'login' })
  const uid = actionOf(page).split('/')[2]

  const resumed = await browser.follow(await browser.get(`/auth/${uid}`))

  assert.ok(isLogin(resumed))
})

test('P27: a malformed body is a form error and never a login', async (t) => {
  const app = await startTestApp(t)
  const { login, user } = await steps(app)
  const bodies = [
    '',
    'null',
    '[]',
    '{}',
    '"text"',
    '7',
    '{"email":{"$ne":null},"password":{"$ne":null}}',
    `{"email":"${user.email}","password":["${PASSWORD}"]}`,
    `{"email":["${user.email}"],"password":"${PASSWORD}"}`,
    `{"email":"${user.email}","password":true}`,
    '{"email":',
  ]

  for (const body of bodies) {
    const answer = await login.browser.request(actionOf(login.page), {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
    })

    assert.equal(answer.status, 400, body)
  }
  const twice = await login.browser.post(actionOf(login.page), [
    ['csrf', csrfOf(login.page)],
    ['email', user.email],
    ['password', PASSWORD],
    ['password', PASSWORD],
  ])
  const text = await login.browser.request(actionOf(login.page), {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: `email=${user.email}`,
  })
  const large = await login.browser.post(actionOf(login.page), {
    csrf: csrfOf(login.page),
    email: user.email,
    password: 'x'.repeat(20_000),
  })
  assert.deepEqual([twice.status, text.status, large.status], [400, 415, 413])
})

test('P27: a form of a finished step leads to the present one, and of a finished sign-in is 404', async (t) => {
  const app = await startTestApp(t)
  const { login, account, consent } = await steps(app)
  const seen = []
  for (const { browser, page, fields } of [login, account, consent]) {
    const next = await browser.follow(await browser.submit(page, fields))

    const again = await browser.follow(await browser.submit(page, fields))
    const shown = await browser.follow(await browser.get(`/interaction/${actionOf(page).split('/')[2]}`))

    seen.push([again.status, shown.status])
    if (next.status === 200) assert.equal(actionOf(again), actionOf(next))
  }

  assert.deepEqual(seen, [
    [200, 200],
    [200, 200],
    [404, 404],
  ])
})

test('P39: user-defined names are shown as text on every page', async (t) => {
  const app = await startTestApp(t)
  const hostile = [
    '<img src=x onerror=alert(1)>',
    '"><svg/onload=alert(1)>',
    '</title><script>alert(1)</script>',
    "' onfocus='alert(1)",
  ]

  for (const name of hostile) {
    const { system, user, membership } = await memberOf(
      app,
      { name, multiAccount: true },
      { accountName: name },
    )
    await app.newMembership({ userId: user.id, systemId: system.id, accountName: `${name} 2` })
    const browser = app.newBrowser()
    const login = await begin(browser, system, { login_hint: name })
    const selector = await browser.follow(
      await browser.submit(login, { email: user.email, password: PASSWORD }),
    )
    const consent = await browser.follow(await browser.submit(selector, { accountId: membership.accountId }))

    for (const page of [login, selector, consent]) {
      assert.equal(page.status, 200)
      const body = String(page.body).replace(
        /<script src="\/assets\/(passkey|reveal)-[\w-]{12}\.js" defer><\/script>/g,
        '',
      )
      assert.doesNotMatch(body, /<script|<svg\/|<img src=x|["'] onfocus=/)
      assert.match(page.headers.get('content-security-policy')!, /^default-src 'none'; style-src 'self';/)
      assert.doesNotMatch(page.headers.get('content-security-policy')!, /script-src (?!'self';)|unsafe/)
    }
  }
})
