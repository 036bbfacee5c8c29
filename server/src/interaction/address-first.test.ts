/** A sign-in that begins with the email address alone (`addressFirst`). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newName } from '../../test/support/domains.ts'
import { expectStatus } from '../../test/support/http.ts'
import { backOf, goThrough, linkTo, open, startConnection } from '../../test/support/sso-sign-in.ts'
import { type Answer, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

const text = ({ body }: Answer) => String(body)
const hrefOf = (page: Answer, id: string) =>
  new RegExp(`href="([^"]+)" id="${id}"`).exec(text(page))?.[1]?.replaceAll('&amp;', '&') ?? ''
const inputs = (page: Answer) =>
  [...text(page).matchAll(/<input [^>]*name="(email|password)"[^>]*>/g)].map(([tag, name]) => [name!, tag])
const names = (page: Answer) => inputs(page).map(([name]) => name)
const action = (page: Answer) => /<form method="post" action="[^"]+\/([\w-]+)"/.exec(text(page))?.[1]

async function start(t: TestContext, settings: Record<string, string> = {}, more: object = {}) {
  const app = await startTestApp(t, settings)
  const system = await app.newSystem({ addressFirst: true, skipConsent: true, ...more })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const login = (browser: TestBrowser, query = {}) =>
    open({ app, system, accountId: '' } as never, browser, { account_id: undefined, ...query })
  return { app, system, user, login }
}

/** The second page sends the address that stands in it. */
async function sendPassword(browser: TestBrowser, page: Answer, password: string): Promise<Answer> {
  const [, email = ''] = /name="email"[^>]* value="([^"]*)"/.exec(text(page)) ?? []
  return browser.follow(await browser.submit(page, { email, password }))
}

/** An organization of a system whose sign-in has begun with the address since. */
async function startAddressFirst(t: TestContext, fields?: Parameters<typeof startConnection>[1]) {
  const place = await startConnection(t, fields)
  const { app, system } = place
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { addressFirst: true }), 200)
  return place
}

const enter = async (browser: TestBrowser, page: Answer, email: string) =>
  browser.follow(await browser.submit(page, { email }))

test('the address is asked for, then the password, and the user signs in', async (t) => {
  const { app, user, login } = await start(t)
  const browser = app.newBrowser()

  const { page } = await login(browser)
  const second = await enter(browser, page, `  ${user.email.toUpperCase()} `)
  const end = await sendPassword(browser, second, PASSWORD)

  assert.deepEqual([action(page), names(page)], ['address', ['email']])
  assert.match(inputs(page)[0]![1]!, /autocomplete="username webauthn"/)
  assert.deepEqual([action(second), names(second)], ['login', ['email', 'password']])
  assert.match(inputs(second)[0]![1]!, new RegExp(`autocomplete="username" readonly value="${user.email}"`))
  assert.match(inputs(second)[1]![1]!, /autocomplete="current-password"/)
  assert.match(text(second), /data-passkey="get"[^>]*data-offered/)
  assert.ok(backOf(end).code)
})

test('the address can be changed, and stands in the form of the forgotten password', async (t) => {
  const { app, login } = await start(t)
  const browser = app.newBrowser()
  const { page } = await login(browser)

  const second = await enter(browser, page, 'wrong@elsewhere.example')
  const changed = await browser.get(hrefOf(second, 'change-address'))
  const forgot = await browser.get(hrefOf(second, 'forgot-password'))

  assert.deepEqual([action(changed), names(changed)], ['address', ['email']])
  assert.match(inputs(changed)[0]![1]!, /value="wrong@elsewhere\.example"/)
  assert.deepEqual([action(forgot), names(forgot)], ['forgot-password', ['email']])
  assert.match(inputs(forgot)[0]![1]!, /value="wrong@elsewhere\.example"/)
  for (const id of ['change-address', 'forgot-password'])
    assert.doesNotMatch(hrefOf(second, id), /elsewhere/, 'no address in an address')
})

test('a faulty address stays on the first page; a wrong password on the second', async (t) => {
  const { app, user, login } = await start(t)
  const browser = app.newBrowser()
  const { page } = await login(browser)

  const faulty = await enter(browser, page, 'ana')
  const empty = await enter(browser, page, '')
  const second = await enter(browser, page, user.email)
  const wrong = await sendPassword(browser, second, 'wrong')
  const missing = await sendPassword(browser, second, '')
  const end = await sendPassword(browser, wrong, PASSWORD)

  for (const each of [faulty, empty]) {
    assert.deepEqual([each.status, action(each), names(each)], [400, 'address', ['email']])
    assert.match(text(each), /id="email-error"/)
  }
  for (const [each, status] of [
    [wrong, 401],
    [missing, 400],
  ] as const) {
    assert.deepEqual([each.status, action(each), names(each)], [status, 'login', ['email', 'password']])
    assert.match(inputs(each)[0]![1]!, new RegExp(`value="${user.email}"`))
  }
  assert.ok(backOf(end).code)
})

test('P05: both pages are the same for an address with a user, of a disabled user, and without one', async (t) => {
  const { app, user, login } = await start(t)
  const disabled = await app.newUser()
  expectStatus(await app.platform.patch(`/admin/users/${disabled.id}`, { disabled: true }), 200)
  const seen = async (email: string) => {
    const browser = app.newBrowser()
    const { page } = await login(browser)
    const answer = await browser.submit(page, { email })
    const second = await browser.follow(answer)
    const wrong = await sendPassword(browser, second, 'wrong')
    return [answer, second, wrong].map(({ status, headers, body }) => [
      status,
      [...headers.keys()].filter((name) => name !== 'content-length').sort(),
      String(body)
        .replaceAll(email, 'EMAIL')
        .replace(/[\w-]{43}/g, 'RANDOM')
        .replace(/\/interaction\/[\w-]+/g, '/interaction/UID')
        .replace(/shown=[\w-]+/g, 'shown=SEALED')
        .replace(/&quot;challenge&quot;:&quot;[\w-]+&quot;/g, 'CHALLENGE'),
    ])
  }

  const known = await seen(user.email)

  assert.deepEqual(await seen(`nobody@${newName()}`), known)
  assert.deepEqual(await seen(disabled.email), known)
  assert.deepEqual(
    known.map(([status]) => status),
    [200, 200, 401],
  )
})

test('the address of a verified domain leads to its connections, and from there to the password', async (t) => {
  const place = await startAddressFirst(t, { jit: true })
  const { app, name, connection, other, person, system, accountId } = place
  const user = await app.newUser({ email: `bea@${name}` })
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  other.claims = person('ana') as never
  const at = (browser: TestBrowser, more = {}) => open(place, browser, { account_id: undefined, ...more })

  const browser = app.newBrowser()
  const { page } = await at(browser)
  const offered = await enter(browser, page, `ana@${name}`)
  const back = backOf(await goThrough(browser, offered, connection.id, other))
  const another = app.newBrowser()
  const own = await enter(another, (await at(another)).page, user.email)
  const second = await another.get(hrefOf(own, 'other'))
  const end = await sendPassword(another, second, PASSWORD)

  assert.deepEqual([action(page), names(page)], ['address', ['email']])
  assert.doesNotMatch(text(page), /single-sign-on/)
  assert.deepEqual([offered.status, names(offered)], [200, []])
  assert.ok(back.code)
  assert.deepEqual([action(second), names(second)], ['login', ['email', 'password']])
  assert.match(inputs(second)[0]![1]!, new RegExp(`readonly value="${user.email}"`))
  assert.ok(backOf(end).code)
})

test('where the request names an organization, Other ways asks for address and password', async (t) => {
  const place = await startAddressFirst(t)
  const { app, name, connection, system, accountId } = place
  const user = await app.newUser({ email: `bea@${name}` })
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  const browser = app.newBrowser()

  const { page } = await open(place, browser)
  const login = await browser.get(hrefOf(page, 'other'))
  const wrong = await browser.follow(await browser.submit(login, { email: user.email, password: 'wrong' }))
  const end = await sendPassword(browser, wrong, PASSWORD)

  assert.match(linkTo(page, connection.id), /^\/interaction\//)
  assert.deepEqual([action(login), names(login)], ['login', ['email', 'password']])
  assert.doesNotMatch(inputs(login)[0]![1]!, /readonly/)
  assert.deepEqual([wrong.status, names(wrong)], [401, ['email', 'password']])
  assert.ok(backOf(end).code)
})

test('an address that the application names stands in the first page', async (t) => {
  const { app, user, login } = await start(t)
  const { page } = await login(app.newBrowser(), { login_hint: user.email })

  assert.deepEqual([action(page), names(page)], ['address', ['email']])
  assert.match(inputs(page)[0]![1]!, new RegExp(`value="${user.email}"`))
})

test('own pages send address and password at once, or the address to the form for it', async (t) => {
  const { app, user, login } = await start(t)
  const browser = app.newBrowser()
  const { page } = await login(browser)
  const [, uid] = /\/interaction\/([\w-]+)/.exec(text(page))!
  const json = { headers: { accept: 'application/json', 'content-type': 'application/json' } }
  const send = (to: string, body: object) =>
    browser.request(to, { ...json, method: 'POST', body: JSON.stringify(body) })

  const { body } = await browser.request(`/interaction/${uid}`, json)
  const entered = await send(body.addressAction, { email: user.email })
  const done = await send(body.action, { email: user.email, password: PASSWORD })

  assert.equal(body.addressAction, `/interaction/${uid}/address`)
  assert.deepEqual(
    body.fields.map(({ name }: { name: string }) => name),
    ['email', 'password'],
  )
  assert.deepEqual([entered.status, entered.body.step, entered.body.connections], [200, 'login', []])
  assert.equal(entered.body.fields[0].value, user.email)
  assert.deepEqual([done.status, typeof done.body.location], [200, 'string'])
})

test('the application and the platform set addressFirst; it is off at first, and other pages stay as they are', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true, allowClientCredentials: true })
  const service = await app.serviceOf(system)
  const browser = app.newBrowser()

  const before = (await open({ app, system, accountId: '' } as never, browser, { account_id: undefined }))
    .page
  const changed = expectStatus(
    await service.patch(`/admin/systems/${system.id}`, { addressFirst: true }),
    200,
  )
  const account = await app.newBrowser()
  const own = await account.follow(await account.get('/account'))

  assert.deepEqual(names(before), ['email', 'password'])
  assert.equal(changed.body.addressFirst, true)
  assert.deepEqual(names(own), ['email', 'password'], 'of /account')
})
