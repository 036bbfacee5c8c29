/** Which connections of organizations a sign-in offers for an address. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { newName } from '../../../test/support/domains.ts'
import { expectStatus } from '../../../test/support/http.ts'
import {
  backOf,
  goThrough,
  linkTo,
  open,
  openLogin,
  type Started,
  showsOffer,
  startConnection,
  startOffering,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import { type Answer, newBrowser, PASSWORD, type TestBrowser } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { connections, domains, limits } from '../../database/schema.ts'

const text = ({ body }: Answer) => String(body)
const uidOf = (page: Answer) => /\/interaction\/([\w-]+)/.exec(text(page))![1]!

async function askFor(place: Started, email: string, browser = place.app.newBrowser()) {
  const { pkce, page } = await openLogin(place, browser)
  const form = text(page).replace(/action="[^"]+\/login"/, `action="/interaction/${uidOf(page)}/address"`)
  const answer = await browser.submit({ ...page, body: form }, { email })
  return { pkce, login: page, browser, page: await browser.follow(answer) }
}

test('whoever types an address of a verified domain is offered the connection and signs in by it', async (t) => {
  const place = await startOffering(t, { jit: true })
  const { app, connection, person, accountId, other } = place
  other.claims = person('ana') as never

  const { pkce, login, page, browser } = await askFor(place, `  ANA@${place.name.toUpperCase()}`)
  const end = await goThrough(browser, page, connection.id, other)
  const tokens = await tokensOf(place, { pkce, end, back: backOf(end) })

  assert.match(
    text(login),
    /<button type="submit" class="quiet" id="single-sign-on" formaction="[^"]+\/address" formnovalidate>/,
  )
  assert.doesNotMatch(text(page), /name="password"/)
  assert.match(text(page), /signs its members in with its own identity provider/)
  const claims = decodeJwt(tokens.id_token)
  assert.deepEqual([claims.account_id, claims.amr], [accountId, ['fed']])
  const entries = await app.audited({ targetId: String(claims.sub), action: 'user.login' })
  assert.deepEqual(
    entries.map(({ accountId: of }) => of),
    [accountId],
  )
})

test('a network asks for the connections of 100 addresses at once, known browsers and others go on', async (t) => {
  const place = await startConnection(t, {}, { TRUST_PROXY: '127.0.0.1, ::1' })
  await showsOffer(t, place, true)
  const { app, system, name } = place
  const from = () => ({ always: { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` } })
  const [mine, others] = [from(), from()]
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const known = newBrowser(app.url, mine)
  await app.signIn(system, { email: user.email, visitor: known })
  for (const key of [...known.jar.keys()]) if (!key.startsWith('_known')) known.jar.delete(key)
  const browser = newBrowser(app.url, mine)
  await askFor(place, `ana@${name}`, browser)
  const networks = sql`${limits.key} like 'addresses:%'`
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + 86400000` })
    .where(networks)

  const refused = await askFor(place, `ana@${name}`, browser)
  const sent = await askFor(place, `ana@${name}`, newBrowser(app.url, others))
  const byKnown = await askFor(place, `ana@${name}`, known)

  assert.equal(refused.page.status, 429)
  assert.ok(Number(refused.page.headers.get('retry-after')) >= 1)
  assert.doesNotMatch(text(refused.page), new RegExp(place.connection.id))
  for (const { page } of [sent, byKnown]) {
    assert.equal(page.status, 200)
    assert.match(text(page), new RegExp(place.connection.id))
  }
})

test('P05: the answer depends on the domain, not on whether the address has a user', async (t) => {
  const place = await startOffering(t)
  const { app, name, connection } = place
  const known = await app.newUser({ email: `known@${name}` })
  const masked = ({ status, body }: Answer, email: string) => [
    status,
    String(body)
      .replaceAll(email, 'EMAIL')
      .replace(/[\w-]{43}/g, 'RANDOM')
      .replace(/\/interaction\/[\w-]+/g, '/interaction/UID')
      .replace(/(shown|hint)=[\w-]+/g, '$1=SEALED'),
  ]

  const [one, another] = [await askFor(place, known.email), await askFor(place, `nobody@${name}`)]
  const wrong = async (email: string) => {
    const browser = app.newBrowser()
    const { page } = await openLogin(place, browser)
    return browser.follow(await browser.submit(page, { email, password: 'wrong' }))
  }
  const [refused, unknown] = [await wrong(known.email), await wrong(`nobody@${name}`)]

  assert.deepEqual(masked(one.page, known.email), masked(another.page, `nobody@${name}`))
  assert.deepEqual(masked(refused, known.email), masked(unknown, `nobody@${name}`))
  assert.equal(refused.status, 401)
  assert.match(linkTo(refused, connection.id), /^\/interaction\//, 'also after a wrong password')
  assert.match(text(refused), /name="password"/)
})

test('an address of no verified domain is offered nothing, and keeps its place in the form', async (t) => {
  const place = await startOffering(t)
  const { app, name, connection, system, accountId } = place
  const [pending, ofOther] = [newName(), newName()]
  const foreign = await startConnection(t)
  const domain = { systemId: system.id, accountId, setBy: 'account' as const, word: 'w' }
  await app.db
    .insert(domains)
    .values({ ...domain, name: pending, token: crypto.randomUUID(), status: 'pending' })
  const none = [`ana@${pending}`, `ana@${ofOther}`, `ana@${foreign.name}`, `ana@sub.${name}`]

  for (const email of none) {
    const { page } = await askFor(place, email)
    assert.equal(page.status, 200, email)
    assert.match(text(page), /No organization offers single sign-on for this email address/, email)
    assert.match(text(page), new RegExp(`name="email"[^>]+value="${email}"`))
    assert.equal(linkTo(page, connection.id), '')
  }
  const { page: invalid } = await askFor(place, 'ana')
  assert.equal(invalid.status, 400)
  assert.match(text(invalid), /id="email-error"/)
  await app.platform.patch(`/admin/accounts/${accountId}`, { status: 'suspended' })
  const suspended = await askFor(place, `ana@${name}`)
  assert.equal(linkTo(suspended.page, connection.id), '')
  await app.platform.patch(`/admin/accounts/${accountId}`, { status: 'active' })
  expectStatus(await app.platform.patch(connection.path, { enabled: false }), 200)
  await showsOffer(t, place, false)
})

test('of two organizations with one domain both are named; of more than ten none is', async (t) => {
  const place = await startOffering(t)
  const { app, system, name, connection } = place
  const [found] = await app.db.select().from(connections).where(sql`id = ${connection.id}`)
  const add = async (organization: string) => {
    const user = await app.newUser()
    const { accountId } = await app.newMembership({
      userId: user.id,
      systemId: system.id,
      accountName: organization,
    })
    await place.verify(accountId)
    const [{ id } = { id: '' }] = await app.db
      .insert(connections)
      .values({ ...found!, id: crypto.randomUUID(), accountId, name: 'Entra' })
      .returning({ id: connections.id })
    return id
  }
  const second = await add('Beta & Sons')

  const { page: two } = await askFor(place, `ana@${name}`)
  for (let nth = 0; nth < 9; nth++) await add(`Gamma ${nth}`)
  const { page: many } = await askFor(place, `ana@${name}`)

  for (const id of [connection.id, second]) assert.match(linkTo(two, id), /^\/interaction\//)
  assert.match(text(two), /Organizations with this domain/)
  assert.match(text(two), /<bdi>Beta &amp; Sons<\/bdi>/)
  assert.match(text(many), /Many organizations have this domain/)
  assert.equal(linkTo(many, connection.id), '')
  assert.match(text(many), /name="password"/)
})

test('where the request names an organization, its connections are offered, whatever the domain', async (t) => {
  const place = await startOffering(t)
  const { app, connection, name } = place
  const elsewhere = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: place.system.id,
    accountName: 'Elsewhere',
  })
  const browser = app.newBrowser()

  const named = (await open(place, browser)).page
  const other = (await open({ ...place, accountId: elsewhere.accountId }, app.newBrowser())).page
  const answer = await browser.post(`/interaction/${uidOf(named)}/address`, {
    email: `ana@${newName()}`,
    csrf: await csrfOf(browser, named),
  })
  const asked = await browser.follow(answer)
  const wrong = app.newBrowser()
  const login = (await open({ ...place, accountId: elsewhere.accountId }, wrong)).page
  const refused = await wrong.follow(await wrong.submit(login, { email: `ana@${name}`, password: 'wrong' }))

  assert.match(linkTo(named, connection.id), /^\/interaction\//)
  assert.match(text(other), /name="password"/)
  assert.match(linkTo(asked, connection.id), /^\/interaction\//)
  assert.equal(linkTo(refused, connection.id), '', 'the connection of another organization than the named')
})

/** The form of the login page behind *Other ways to sign in* has it. */
async function csrfOf(browser: TestBrowser, page: Answer): Promise<string> {
  const other = /href="([^"]+)" id="other"/.exec(text(page))![1]!.replaceAll('&amp;', '&')
  return /name="csrf" value="([^"]+)"/.exec(text(await browser.get(other)))![1]!
}

test('Other ways to sign in keeps the address, and a password signs in as before', async (t) => {
  const place = await startOffering(t)
  const { app, name, system, accountId } = place
  const user = await app.newUser({ email: `ana@${name}` })
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })

  const { page, browser } = await askFor(place, user.email)
  const other = /href="([^"]+)" id="other"/.exec(text(page))![1]!.replaceAll('&amp;', '&')
  const login = await browser.get(other)
  const end = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))

  assert.doesNotMatch(other, /ana/, 'no address in an address')
  assert.match(text(login), new RegExp(`name="email"[^>]+value="${user.email}"`))
  assert.ok(backOf(end).code)
})

test('own pages get the address for the form of an address, and the connections as JSON', async (t) => {
  const place = await startOffering(t)
  const { app, name, connection } = place
  const browser = app.newBrowser()
  const { page } = await openLogin(place, browser)
  const json = { headers: { accept: 'application/json', 'content-type': 'application/json' } }

  const login = await browser.request(`/interaction/${uidOf(page)}`, json)
  const asked = await browser.request(login.body.addressAction, {
    ...json,
    method: 'POST',
    body: JSON.stringify({ email: `ana@${name}` }),
  })
  const none = await browser.request(login.body.addressAction, {
    ...json,
    method: 'POST',
    body: JSON.stringify({ email: `ana@${newName()}` }),
  })
  const plain = await app.newSystem({ skipConsent: true })
  const elsewhere = app.newBrowser()
  const other = (await openLogin({ ...place, system: plain as never }, elsewhere)).page
  const without = await elsewhere.request(`/interaction/${uidOf(other)}`, json)

  assert.deepEqual([login.body.step, login.body.connections], ['login', []])
  const [offered] = asked.body.connections
  assert.deepEqual([asked.status, asked.body.step, asked.body.connections.length], [200, 'login', 1])
  assert.deepEqual(
    [offered.id, offered.host, offered.url.replace(/\?hint=[\w-]+$/, '')],
    [connection.id, new URL(place.other.url).host, `/interaction/${uidOf(page)}/connection/${connection.id}`],
  )
  assert.deepEqual([none.status, none.body.connections], [200, []])
  assert.deepEqual([without.body.addressAction, without.body.connections], [undefined, undefined])
  assert.doesNotMatch(text(other), /single-sign-on/)
})

test('the page of registration offers the connections of a typed address', async (t) => {
  const place = await startOffering(t, { system: { allowSelfRegister: true } })
  const { app, name, connection } = place
  const browser = app.newBrowser()
  const { page } = await openLogin(place, browser)
  const register = await browser.get(`/interaction/${uidOf(page)}/register`)

  const faulty = await browser.follow(
    await browser.submit(register, { email: `ana@${name}`, password: 'short', accountName: 'Ana' }),
  )

  assert.equal(linkTo(register, connection.id), '')
  assert.match(text(faulty), /id="password-error"/)
  assert.match(linkTo(faulty, connection.id), /^\/interaction\//)
})
