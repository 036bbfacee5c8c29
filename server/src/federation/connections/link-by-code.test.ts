/** An address outside the verified domains is linked by a code that is emailed to it in the same sign-in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import {
  appCode,
  mailedCode,
  memberWithApp,
  sendTo,
  uidOf,
  withinStep,
} from '../../../test/support/factors.ts'
import { expectStatus } from '../../../test/support/http.ts'
import {
  backOf,
  goThrough,
  open,
  signInAs,
  startConnection,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import type { TestBrowser } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { connectionLinks, users } from '../../database/schema.ts'

type Given = Parameters<typeof startConnection>

/** A member whose address is in no domain of the organization, and who has no link. */
async function newPlace(t: Given[0], fields: Given[1] = {}) {
  const place = await startConnection(t, { jit: true, ...fields })
  const { app, system, accountId, connection } = place
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  const begin = (browser: TestBrowser, email = user.email, subject = 'ana') =>
    signInAs(place, place.person(subject, { email }), browser)
  const links = () =>
    app.db.select().from(connectionLinks).where(eq(connectionLinks.connectionId, connection.id))
  return { ...place, user, begin, links }
}

const isOther = (code: string) => (code === '000000' ? '111111' : '000000')
const text = ({ body }: { body: unknown }) => String(body)

test('P159: a member with an address of another domain is linked by a code that is emailed to it, and by no other', async (t) => {
  const place = await newPlace(t)
  const { app, user, begin, links, attempts, connection } = place
  const [browser, thief] = [app.newBrowser(), app.newBrowser()]

  const { pkce, end: page } = await begin(browser)
  const unasked = (await app.emailsTo(user.email)).length
  const asked = await browser.follow(await browser.submit(page))
  const code = await mailedCode(app, user.email)
  const theirs = (await begin(thief)).end
  const stolen = await thief.follow(await sendTo(thief, theirs, 'connection/code', { code }))
  const wrong = await browser.follow(await browser.submit(asked, { code: isOther(code) }))
  const before = [await links(), await attempts()]
  const end = await browser.follow(await browser.submit(asked, { code }))
  const tokens = await tokensOf(place, { pkce, end, back: backOf(end) })
  const again = await begin(app.newBrowser())

  assert.match(text(page), /connection\/code/)
  assert.equal(unasked, 0)
  assert.deepEqual([stolen.status, wrong.status], [401, 401])
  assert.deepEqual(before, [[], []])
  const claims = decodeJwt(tokens.id_token)
  assert.deepEqual([claims.sub, claims.amr, claims.email_verified], [user.id, ['fed'], false])
  assert.deepEqual(
    (await links()).map(({ userId, subject, email }) => [userId, subject, email]),
    [[user.id, 'ana', user.email]],
  )
  const [stored] = await app.db.select().from(users).where(eq(users.id, user.id))
  assert.equal(stored?.emailVerified, false, 'the code says nothing elsewhere')
  const [entry] = await app.audited({ targetId: connection.id, action: 'connection.linked' })
  assert.deepEqual(entry?.changes, { userId: [null, user.id], mailedCode: [null, true] })
  assert.ok(again.back.code, 'later sign-ins use the link')
  const kinds = (await app.emailsTo(user.email)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['mailed_code', 'identity_added'])
})

test('the email about a link shows no message in the place of the names that an organization has chosen', async (t) => {
  const place = await startConnection(t, { jit: true, name: 'evil.example, call 555 010 9999' })
  const { app, person, name } = place
  const user = await app.newUser({ email: `ana@${name}` })
  await app.newMembership({ userId: user.id, systemId: place.system.id, accountId: place.accountId })

  const { back } = await signInAs(place, person('ana'))

  assert.ok(back.code)
  const [email] = (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'identity_added')
  assert.ok(email)
  for (const content of [email.text, email.html, email.subject]) assert.doesNotMatch(content, /evil|555/)
})

test('P94, P159: whoever is no member is refused alike, known elsewhere or not, and gets no email', async (t) => {
  const place = await newPlace(t)
  const { app, begin, attempts, name, links } = place
  const known = await app.newUser()
  const unverified = await app.newUser({ email: `known@${name}` })
  const pages = []
  for (const email of [known.email, `nobody-${crypto.randomUUID()}@elsewhere.example`])
    pages.push(await begin(app.newBrowser(), email, crypto.randomUUID()))
  const guest = await signInAs(place, place.person('guest', { email: unverified.email, acct: 1 }))

  for (const { end } of pages) {
    assert.equal(end.status, 403)
    assert.doesNotMatch(text(end), /connection\/code/)
  }
  assert.equal(guest.end.status, 403)
  assert.deepEqual(await attempts(), [
    ['refused', 'address_unverified'],
    ['refused', 'address_foreign'],
    ['refused', 'address_foreign'],
  ])
  assert.deepEqual(await links(), [])
  for (const { email } of [known, unverified]) assert.deepEqual(await app.emailsTo(email), [])
})

test('P159: of an address that an admin has only invited the sign-in tells nobody whether it has a user', async (t) => {
  const place = await newPlace(t)
  const { app, begin, admin, accountId, attempts, links } = place
  const user = await app.newUser()
  const ends = []
  for (const email of [user.email, `nobody-${crypto.randomUUID()}@elsewhere.example`]) {
    expectStatus(await admin.post(`/admin/accounts/${accountId}/invitations`, { email }), 201)
    ends.push((await begin(app.newBrowser(), email, crypto.randomUUID())).end)
  }

  const shown = ends.map((end) => [end.status, text(end).replace(/[\w-]{20,}/g, '…')])
  assert.equal(shown[0]?.[0], 403)
  assert.deepEqual(shown[0], shown[1])
  assert.deepEqual(await attempts(), Array(2).fill(['refused', 'address_foreign']))
  assert.deepEqual(await links(), [])
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind),
    ['invitation'],
  )
})

test('P159: of a user with a second factor nothing is linked before the code and the factor are verified', async (t) => {
  const place = await newPlace(t)
  const { app, begin, links, system, accountId } = place
  const { user, secret } = await memberWithApp(app)
  await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  const browser = app.newBrowser()
  const { pkce, end: page } = await begin(browser, user.email)
  await withinStep()
  const code = appCode(secret)
  const early = await browser.follow(await sendTo(browser, page, 'connection/factor', { code }))
  const asked = await browser.follow(await browser.submit(early))
  const mailed = await mailedCode(app, user.email)

  const factor = await browser.follow(await browser.submit(asked, { code: mailed }))
  const reloaded = await browser.get(`/interaction/${uidOf(factor)}/connection`)
  const wrong = await browser.follow(await browser.submit(factor, { code: isOther(code) }))
  const before = await links()
  const end = await browser.follow(await sendTo(browser, factor, 'connection/factor', { code }))
  const tokens = await tokensOf(place, { pkce, end, back: backOf(end) })

  assert.match(text(early), /connection\/code/, 'the factor alone does not do')
  for (const shown of [factor, reloaded]) assert.match(text(shown), /connection\/factor/)
  assert.equal(wrong.status, 401)
  assert.deepEqual(before, [])
  assert.deepEqual(decodeJwt(tokens.id_token).amr, ['fed', 'otp', 'mfa'])
  assert.equal((await links()).length, 1)
})

test('P28, P153: a code allows five attempts, which lock the user out of nothing else', async (t) => {
  const place = await newPlace(t)
  const { app, user, begin, links, system, person, join, connect } = place
  const browser = app.newBrowser()
  const { end: page } = await begin(browser)
  const asked = await browser.follow(await browser.submit(page))
  const code = await mailedCode(app, user.email)
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt++)
    statuses.push((await browser.follow(await browser.submit(asked, { code: isOther(code) }))).status)
  const neighbor = await join()
  const theirs = await connect(neighbor)
  await app.newMembership({ userId: user.id, systemId: system.id, accountId: neighbor.accountId })
  theirs.other.claims = person('ana', { email: user.email }) as never
  const there = app.newBrowser()
  const { page: offered } = await open({ ...place, accountId: neighbor.accountId }, there)
  const begun = await goThrough(there, offered, theirs.id, theirs.other)
  const their = await there.follow(await there.submit(begun))
  const byNeighbor = await there.follow(
    await there.submit(their, { code: await mailedCode(app, user.email) }),
  )
  await app.db.execute("delete from limits where key like 'link-code%'")
  const late = await browser.follow(await browser.submit(asked, { code }))
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { requireEmailOtp: true }), 200)
  const own = app.newBrowser()

  const { page: step } = await app.authorize(system as never, { email: user.email, visitor: own })
  const last = await mailedCode(app, user.email)
  const choice = await own.follow(await own.submit(step, { code: last }))
  const end = await own.follow(await own.submit(choice, { accountId: place.accountId }))

  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  assert.ok(backOf(byNeighbor).code, text(byNeighbor).slice(0, 2_000))
  assert.notEqual(late.status, 303)
  assert.equal(backOf(late).code, undefined)
  assert.deepEqual(await links(), [])
  assert.notEqual(last, code)
  assert.ok(backOf(end).code, text(end).slice(0, 2_000))
})

test('P137, P159: the code is accepted only after the page that names the user of the browser', async (t) => {
  const place = await newPlace(t)
  const { app, user, links, system, connection, other } = place
  const browser = app.newBrowser()
  const current = await app.newUser()
  await app.newMembership({ userId: current.id, systemId: system.id, accountName: 'Own' })
  await app.signIn(system as never, { email: current.email, visitor: browser })
  other.claims = place.person('ana', { email: user.email }) as never
  const { pkce, page } = await open(place, browser, { prompt: 'login' })

  const both = await goThrough(browser, page, connection.id, other)
  const skipped = await sendTo(browser, both, 'connection/code', { resend: 'yes' })
  const none = await app.emailsTo(user.email)
  const asked = await browser.follow(await browser.submit(both))
  const sent = await browser.follow(await browser.submit(asked))
  const code = await mailedCode(app, user.email)
  let end = await browser.follow(await browser.submit(sent, { code }))
  for (let hops = 0; hops < 3 && end.status === 200; hops++)
    end = await browser.follow(await browser.submit(end))

  for (const { email } of [current, user]) assert.ok(text(both).includes(email))
  assert.equal(skipped.status, 303)
  assert.deepEqual(none, [])
  const { id_token: token } = await tokensOf(place, { pkce, end, back: backOf(end) })
  assert.equal(decodeJwt(token).sub, user.id)
  assert.equal((await links()).length, 1)
})

test('a product with its own pages draws the step link_connection', async (t) => {
  const place = await newPlace(t)
  const { app, user, begin } = place
  const browser = app.newBrowser()
  const { end: page } = await begin(browser)
  const path = `/interaction/${uidOf(page)}/connection`
  const json = { accept: 'application/json', 'content-type': 'application/json' }
  const post = (fields: object) =>
    browser.request(`${path}/code`, { method: 'POST', headers: json, body: JSON.stringify(fields) })

  const step = (await browser.get(path, { accept: 'application/json' })).body as Record<string, unknown>
  const sent = (await post({ resend: 'yes' })).body as Record<string, unknown>
  const soon = await post({ resend: 'yes' })
  const wrong = await post({ code: isOther(await mailedCode(app, user.email)) })
  const done = await post({ code: await mailedCode(app, user.email) })

  assert.deepEqual(
    [step.step, step.action, step.email, step.codeValid],
    ['link_connection', `${path}/code`, user.email, false],
  )
  assert.deepEqual([sent.step, sent.codeValid], ['link_connection', true])
  assert.deepEqual([soon.status, wrong.status, done.status], [429, 401, 200])
  assert.equal((wrong.body as { errors: { path: string }[] }).errors[0]?.path, 'code')
  assert.ok((done.body as { location?: string }).location)
})
