/** Pages of a sign-in that is over, has gone on or is another browser's; and browsers without cookies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAs } from '../../test/support/device.ts'
import { afterPassword, begin, uidOf } from '../../test/support/factors.ts'
import { type Answer, PASSWORD, startTestApp } from '../../test/support/testing.ts'

const errorOn = ({ body }: Answer) => /id="error-code"><bdi>([\w.]+)</.exec(String(body))?.[1]
const wayOn = ({ body }: Answer) => /<a class="button" id="next" href="([^"]+)"/.exec(String(body))?.[1]
const shown = (page: Answer) => [page.status, errorOn(page), wayOn(page)]
const JSON_ONLY = { accept: 'application/json' }

test('a page of an earlier step leads to the present one, also over several steps and from a form', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ multiAccount: true })
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Second' })
  const browser = app.newBrowser()
  const login = await begin(browser, system)
  const selection = await browser.follow(
    await browser.submit(login, { email: user.email, password: PASSWORD }),
  )
  const accountId = /name="accountId" value="([^"]+)"/.exec(String(selection.body))![1]!
  const consent = await browser.follow(await browser.submit(selection, { accountId }))
  const [first, second, third] = [login, selection, consent].map(uidOf)

  const back = [
    await browser.follow(await browser.get(`/interaction/${second}`)),
    await browser.follow(await browser.get(`/interaction/${first}`)),
    await browser.follow(await browser.get(`/interaction/${first}/forgot-password`)),
    await browser.follow(await browser.submit(login, { email: user.email, password: 'wrong' })),
  ]
  const json = await browser.get(`/interaction/${second}`, JSON_ONLY)
  const done = await browser.follow(await browser.submit(consent))
  const over = await browser.follow(await browser.get(`/interaction/${first}`))

  assert.deepEqual(
    back.map((page) => [page.status, uidOf(page), /id="deny"/.test(String(page.body))]),
    Array(4).fill([200, third, true]),
  )
  assert.deepEqual([json.status, json.body], [409, { location: `/interaction/${third}` }])
  assert.ok(new URL(done.headers.get('location')!).searchParams.get('code'))
  assert.deepEqual(shown(over), [404, 'interaction_finished', '/account'])
})

test('a finished, foreign or bookmarked page says what it is and has a way on', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const browser = app.newBrowser()
  const login = await begin(browser, system)
  const uid = uidOf(login)
  await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))

  const finished = [
    await browser.get(`/interaction/${uid}`),
    await browser.get(`/interaction/${uid}/register`),
    await browser.get(`/interaction/${uid}/social`),
    await browser.follow(await browser.get(`/auth/${uid}`)),
    await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD })),
  ]
  const other = app.newBrowser()
  await begin(other, system)
  const foreign = [
    await other.follow(await other.get(`/interaction/${uid}`)),
    await other.follow(await other.submit(login, { email: user.email, password: PASSWORD })),
    await other.follow(await other.get(`/auth/${uid}`)),
  ]
  const bookmarked = app.newBrowser()
  const unknown = await bookmarked.follow(await bookmarked.get('/interaction/unknown'))
  const json = [
    await browser.get(`/interaction/${uid}`, JSON_ONLY),
    await other.get(`/interaction/x`, JSON_ONLY),
  ]

  for (const page of finished) assert.deepEqual(shown(page), [404, 'interaction_finished', '/account'])
  for (const page of [...foreign, unknown])
    assert.deepEqual(shown(page), [404, 'interaction_not_found', '/account'])
  assert.deepEqual(
    json.map(({ status, body }) => [status, body.code]),
    Array(2).fill([404, 'interaction_not_found']),
  )
})

test('every dead end has a way on', async (t) => {
  const app = await startTestApp(t)
  const { system } = await app.newMember()
  const browser = app.newBrowser()
  await begin(browser, system)
  const paths = {
    '/auth': 'invalid_request',
    '/session/end?id_token_hint=x': 'invalid_request',
    '/social/callback?state=x': 'not_found',
    '/reset-password?token=x': 'link_invalid',
    [`/reset-password?token=${'x'.repeat(43)}`]: 'link_expired',
    [`/confirm-registration?token=${'x'.repeat(43)}`]: 'link_expired',
    '/nowhere': 'not_found',
  }

  for (const [path, code] of Object.entries(paths)) {
    const page = await browser.get(path)
    assert.deepEqual([path, errorOn(page), wayOn(page)], [path, code, '/account'])
  }
  const gone = await browser.get(`/invitation?token=${'x'.repeat(43)}`)
  assert.equal(wayOn(gone), '/account')
})

/** A browser that keeps no cookie: it follows redirects without any. */
async function withoutCookies(url: string, path: string, init: RequestInit = {}): Promise<Answer> {
  let address = new URL(path, url).href
  for (let hops = 0; hops < 10; hops++) {
    const first = hops === 0 ? init : {}
    const response = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' }, ...first })
    const location = response.headers.get('location')
    if (!location) return { status: response.status, headers: response.headers, body: await response.text() }
    address = new URL(location, address).href
  }
  throw new Error(`redirected in a circle at ${address}`)
}

test('a browser without cookies gets a page that says that they are needed, wherever a sign-in begins', async (t) => {
  const app = await startTestApp(t)
  const { system } = await app.newMember({ allowDeviceFlow: true })
  const asked = await askAs(app, system)
  const start = `/auth?${new URLSearchParams({
    client_id: system.clientId,
    redirect_uri: system.redirectUris[0],
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })}`

  for (const path of [start, '/account', '/account/security', '/interaction/x', '/interaction/x/register']) {
    const page = await withoutCookies(app.url, path)
    assert.deepEqual([path, ...shown(page)], [path, 400, 'cookies_required', '/account'])
  }
  const body = new URLSearchParams({ xsrf: 'x', user_code: asked.user_code })
  const device = await withoutCookies(app.url, '/device', { method: 'POST', body })
  const old = await app.newBrowser().get(`/interaction/x?cookies=1700000000`)

  assert.match(String(device.body), /Your browser has not kept a cookie of this site/)
  assert.equal(old.status, 303, 'the time of a bookmark says nothing')
})

test('the check of cookies ends in the page, and a page that is loaded again after they are allowed', async (t) => {
  const app = await startTestApp(t)
  const browser = app.newBrowser()

  const checked = await browser.get('/interaction/x')
  const refusing = app.newBrowser()
  const refused = await refusing.request(checked.headers.get('location')!, { headers: { cookie: '' } })
  const again = await refusing.get(checked.headers.get('location')!)

  assert.match(String(checked.headers.get('location')), /^\/interaction\/x\?cookies=\d+$/)
  assert.deepEqual([errorOn(refused), errorOn(again)], ['cookies_required', 'interaction_not_found'])
})

test('a page of the second factor leads to the step after it', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ requireEmailOtp: true })
  const browser = app.newBrowser()
  const login = await begin(browser, system)
  const code = await afterPassword(browser, system, user.email)
  const restarted = await browser.follow(await browser.get(`/interaction/${uidOf(login)}`))

  assert.notEqual(uidOf(login), uidOf(code))
  assert.equal(uidOf(restarted), uidOf(login), 'another sign-in of this browser stays where it was')
})
