/** Where the page of a connection goes on to its provider by itself, and what the provider is told. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newName } from '../../../test/support/domains.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { visitOther } from '../../../test/support/other-provider.ts'
import {
  backOf,
  goThrough,
  linkTo,
  open,
  type Started,
  signInAs,
  startConnection,
  startOffering,
} from '../../../test/support/sso-sign-in.ts'
import type { Answer, TestBrowser } from '../../../test/support/testing.ts'

const text = ({ body }: Answer) => String(body)
const refreshOf = ({ headers }: Answer) => headers.get('refresh')
const uidOf = (page: Answer) => /\/interaction\/([\w-]+)/.exec(text(page))![1]!
const hrefOf = (page: Answer, id: string) =>
  (new RegExp(`href="([^"]+)" id="${id}"`).exec(text(page))?.[1] ?? '').replaceAll('&amp;', '&')

/** The page of a request that names the connection. */
const named = (place: Started, browser: TestBrowser, more: Record<string, string | undefined> = {}) =>
  open(place, browser, { account_id: undefined, connection: place.connection.id, ...more })

/** Asks for the connections of an address, in the form of the login page. */
async function ask(browser: TestBrowser, login: Answer, email: string): Promise<Answer> {
  const form = text(login).replace(/action="[^"]+\/login"/, `action="/interaction/${uidOf(login)}/address"`)
  return browser.follow(await browser.submit({ ...login, body: form }, { email }))
}

/** Types an address behind *Other ways to sign in*. */
const type = async (browser: TestBrowser, page: Answer, email: string) =>
  ask(browser, await browser.get(hrefOf(page, 'other')), email)

test('P138: a page of a named connection waits for a click, until this browser has signed in by it', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, connection, other, person } = place
  const browser = app.newBrowser()
  other.claims = person('ana') as never

  const { page: before } = await named(place, browser)
  const end = await goThrough(browser, before, connection.id, other)
  const { page: after } = await named(place, browser, { prompt: 'login' })
  const { page: elsewhere } = await named(place, app.newBrowser())
  const [, delay, url = ''] = /^(\d+); url=(\S+)$/.exec(refreshOf(after) ?? '')!
  const away = await browser.get(url)

  assert.ok(backOf(end).code)
  assert.deepEqual([before, elsewhere].map(refreshOf), [null, null])
  assert.deepEqual([delay, url], ['3', `/interaction/${uidOf(after)}/connection/${connection.id}`])
  assert.match(text(after), /id="other"/)
  assert.match(text(after), /in a few seconds/)
  assert.doesNotMatch(text(after), /http-equiv/)
  assert.doesNotMatch(text(before), /in a few seconds/)
  assert.ok(away.headers.get('location')?.startsWith(other.url))
})

test('whoever has typed an address in this sign-in is taken to the named connection', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, name, connection, other, person } = place
  const browser = app.newBrowser()
  other.claims = person('ana') as never

  const { page } = await named(place, browser)
  const typed = await type(browser, page, `ana@${name}`)
  const [, url = ''] = /url=(\S+)$/.exec(refreshOf(typed) ?? '')!
  const away = await browser.get(url)
  const end = await browser.follow(await browser.get(await visitOther(other, away.headers.get('location'))))

  assert.equal(refreshOf(page), null)
  assert.ok(backOf(end).code)
  assert.doesNotMatch(url, /ana/, 'no address in an address')
  assert.equal(url, linkTo(typed, connection.id))
})

test('P154: it goes on once in an authorization; whoever comes back chooses', async (t) => {
  const place = await startConnection(t, { jit: true, system: { skipConsent: false } })
  const { app, person } = place
  const browser = app.newBrowser()
  await signInAs(place, person('ana'), browser)

  const { page } = await named(place, browser, { prompt: 'login' })
  const again = await browser.get(`/interaction/${uidOf(page)}`)
  const typed = await type(browser, again, `ana@${place.name}`)
  const consent = await goThrough(browser, typed, place.connection.id, place.other)
  const left = await browser.follow(
    await browser.post(`/interaction/${uidOf(consent)}/another`, {
      csrf: /name="csrf" value="([^"]+)"/.exec(text(consent))![1]!,
    }),
  )
  const { page: next } = await named(place, browser, { prompt: 'login' })

  assert.ok(refreshOf(page))
  assert.notEqual(uidOf(consent), uidOf(page))
  assert.ok(linkTo(left, place.connection.id), 'the connections are shown again')
  assert.deepEqual([again, typed, consent, left].map(refreshOf), [null, null, null, null])
  assert.ok(refreshOf(next), 'of another authorization')
})

test('P138: an address, an organization, or a connection elsewhere does not make the page go on', async (t) => {
  const place = await startOffering(t, { jit: true })
  const { app, connection, person, name, accountId } = place
  const foreign = await startConnection(t)
  const browser = app.newBrowser()
  await signInAs(place, person('ana'), browser)
  const pages: Record<string, Answer> = {}

  const fresh = (more: object) =>
    open(place, browser, { prompt: 'login', account_id: undefined, connection: undefined, ...more })
  pages.organization = (await fresh({ account_id: accountId })).page
  const login = (await fresh({ login_hint: `ana@${name}` })).page
  pages.hint = login
  pages.address = await ask(browser, login, `ana@${name}`)
  pages.foreign = (await fresh({ connection: foreign.connection.id })).page
  const { page } = await named(place, browser, { prompt: 'login' })
  assert.ok(refreshOf(page))
  const { page: other } = await named(place, browser, { prompt: 'login' })
  const ways = await browser.get(hrefOf(other, 'other'))
  pages.ways = ways
  pages.refused = await browser.follow(await browser.submit(ways, { email: `ana@${name}`, password: 'no' }))
  expectStatus(await place.admin.patch(connection.path, { name: 'Entra' }), 200)
  await place.connect(place as never)
  const two = (await named(place, browser, { prompt: 'login' })).page
  pages.two = two
  expectStatus(await app.platform.patch(connection.path, { enabled: false }), 200)
  pages.disabled = (await named(place, browser, { prompt: 'login' })).page

  for (const [what, each] of Object.entries(pages)) assert.equal(refreshOf(each), null, what)
  for (const what of ['organization', 'address', 'two'])
    assert.ok(linkTo(pages[what]!, connection.id), `${what} offers the connection`)
  for (const what of ['foreign', 'disabled']) assert.equal(linkTo(pages[what]!, connection.id), '', what)
})

test('P138: only this server says by which connections a browser has signed in', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, connection, person } = place
  const browser = app.newBrowser()
  await signInAs(place, person('ana'), browser)
  const [key, { value, path }] = [...browser.jar].find(([each]) => each.includes('connections'))!
  const refreshWith = async (forged: string) => {
    const visitor = app.newBrowser()
    const { page } = await named(place, visitor)
    visitor.jar.set(key, { value: forged, path })
    return refreshOf(await visitor.get(`/interaction/${uidOf(page)}`))
  }

  const forged = Buffer.from(JSON.stringify([connection.id])).toString('base64url')
  for (const each of [forged, connection.id, `${value.slice(0, -4)}AAAA`])
    assert.equal(await refreshWith(each), null)
  assert.ok(await refreshWith(value))
  assert.doesNotMatch(value, new RegExp(connection.id))
})

test('own pages are not led on: they get the connections', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, connection, person } = place
  const browser = app.newBrowser()
  await signInAs(place, person('ana'), browser)
  const { page } = await named(place, browser, { prompt: 'login' })
  const next = await named(place, browser, { prompt: 'login' })

  const json = await browser.request(`/interaction/${uidOf(next.page)}`, {
    headers: { accept: 'application/json' },
  })

  assert.ok(refreshOf(page))
  assert.equal(refreshOf(json), null)
  assert.deepEqual(
    json.body.connections.map(({ id }: { id: string }) => id),
    [connection.id],
  )
})

test('the provider is told the typed address of a verified domain, or the one that the application names', async (t) => {
  const place = await startConnection(t)
  const { app, name, connection } = place
  const hinted = async (more: object, typed?: string, from?: string) => {
    const browser = app.newBrowser()
    const { page } = await open(place, browser, more as never)
    const offered = typed === undefined ? page : await type(browser, page, typed)
    const link = linkTo(offered, connection.id)
    const away = await browser.get(from === undefined ? link : `${link.split('?')[0]}?${from}`)
    assert.equal(away.status, 303)
    const hint = new URL(away.headers.get('location')!).searchParams.get('login_hint')
    return { hint, sealed: link.split('?')[1] ?? '' }
  }
  const elsewhere = `ana@${newName()}`

  const none = await hinted({})
  const named = await hinted({ login_hint: elsewhere })
  const typed = await hinted({ login_hint: elsewhere }, `  Ana@${name.toUpperCase()}`)
  const foreign = await hinted({ login_hint: `bea@${name}` }, elsewhere)
  const ofAnother = await hinted({}, undefined, typed.sealed)

  assert.deepEqual(
    [none, named, typed, foreign, ofAnother].map(({ hint }) => hint),
    [null, elsewhere, `ana@${name}`, null, null],
  )
  assert.notEqual(typed.sealed, '')
})
