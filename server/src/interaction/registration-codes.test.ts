/** The codes and links that confirm a registration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  codeIn,
  codeOf,
  confirm,
  findUser,
  linkIn,
  membershipsOf,
  newEmail,
  newestCode,
  newestLink,
  newOpenSystem,
  OWN,
  otherCode,
  register,
  registerByCode,
  resend,
  type System,
} from '../../test/support/registration.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { readConfig } from '../config/config.ts'
import { eq, sql } from '../database/drizzle.ts'
import { registrations } from '../database/schema.ts'
import { deleteAll } from '../jobs/cleanup/cleanup.ts'

const signsIn = async (app: App, system: System, email: string, password = OWN) =>
  (await app.authorize(system, { email, password })).back.code !== undefined

test('an email sent again has another code and link, and those before stay valid', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const [one, other, third] = [newEmail(), newEmail(), newEmail()]

  for (const [email, take] of [
    [one, 0],
    [other, 1],
  ] as const) {
    const { browser, page } = await register(app, system, { email })
    const sent = await resend(browser, page)
    const codes = (await app.emailsTo(email)).map(codeIn)
    assert.match(String(sent.body), /role="status">A new email is on its way/)
    assert.equal(codes.length, 2)
    assert.ok(codeOf(await browser.follow(await browser.submit(page, { code: codes[take]! }))))
  }
  const { browser, page } = await register(app, system, { email: third })
  await resend(browser, page)
  const links = (await app.emailsTo(third)).map(linkIn)
  assert.equal((await confirm(app, links[0]!)).status, 200)
  assert.match(String((await confirm(app, links[1]!)).body), /This address is already registered/)
})

test('P09: a code is valid for five attempts, in the interaction that registered only', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()
  const mine = await register(app, system, { email })
  const code = await newestCode(app, email)
  const theirs = await register(app, system, { email: newEmail() })
  const registration = /name="registration" value="([^"]+)"/.exec(String(mine.page.body))![1]!

  const foreign = [
    await theirs.browser.submit(theirs.page, { code }),
    await theirs.browser.submit(theirs.page, { code, registration }),
  ]
  for (let attempt = 0; attempt < 5; attempt++)
    assert.equal((await mine.browser.submit(mine.page, { code: otherCode(code) })).status, 401)
  const late = await mine.browser.submit(mine.page, { code })

  assert.deepEqual(
    foreign.map(({ status }) => status),
    [401, 303],
  )
  assert.equal(late.status, 401)
  assert.equal(await findUser(app, email), undefined)
})

test('P09: an expired registration creates no user, and its rows are deleted', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()
  const { browser, page } = await register(app, system, { email })
  const code = await newestCode(app, email)
  const link = await newestLink(app, email)
  const expired = sql`now() - interval '25 hours'`
  await app.db.update(registrations).set({ expiresAt: expired }).where(eq(registrations.email, email))

  assert.equal(codeOf(await browser.follow(await browser.submit(page, { code }))), null)
  assert.equal((await app.newBrowser().get(link)).status, 410)
  await deleteAll({ db: app.db, config: readConfig({}) }, new AbortController().signal)
  assert.deepEqual(await app.db.select().from(registrations).where(eq(registrations.email, email)), [])
  assert.equal(await findUser(app, email), undefined)
})

test('P09: a user who gets the address first keeps it, and the typed password only without a credential', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const [taken, empty] = [newEmail(), newEmail()]
  const [first, second] = [
    await register(app, system, { email: taken }),
    await register(app, system, { email: empty }),
  ]
  const known = await app.newUser({ email: taken, password: PASSWORD })
  const passwordless = await app.newUser({ email: empty, password: undefined })

  const refused = await first.browser.submit(first.page, { code: await newestCode(app, taken) })
  const signedIn = await first.browser.follow(
    await first.browser.submit(refused, { email: taken, password: PASSWORD }),
  )
  const done = await second.browser.follow(
    await second.browser.submit(second.page, { code: await newestCode(app, empty) }),
  )

  assert.match(String(refused.body), /This address is already registered/)
  assert.match(String(refused.body), new RegExp(`value="${taken}"`))
  assert.equal(codeOf(signedIn), null, 'the unverified user is asked to verify before joining')
  assert.equal((await app.authorize(system, { email: taken, password: OWN })).page.status, 401)
  assert.deepEqual(await membershipsOf(app, known), [])
  assert.ok(codeOf(done))
  const user = await findUser(app, empty)
  assert.deepEqual([user.id, user.emailVerified, user.hasPassword], [passwordless.id, true, true])
  assert.equal((await membershipsOf(app, user)).length, 1)
})

test('P09: a user with a password of one system only gets that of the registration everywhere', async (t) => {
  const app = await startTestApp(t)
  const [home, open] = [await app.newSystem({ allowClientCredentials: true }), await newOpenSystem(app)]
  const service = await app.serviceOf(home)
  const [email, theirs] = [newEmail(), 'chosen by the system']
  const made = await service.post('/admin/users', { email, password: theirs })
  await service.post('/admin/memberships', { userId: made.body.id, systemId: home.id })

  const { done } = await registerByCode(app, open, { email })

  const user = await findUser(app, email)
  assert.ok(codeOf(done))
  assert.deepEqual([user.id, user.emailVerified, user.hasPassword], [made.body.id, true, true])
  assert.ok(await signsIn(app, open, email))
  assert.deepEqual(
    [await signsIn(app, open, email, theirs), await signsIn(app, home, email, theirs)],
    [false, false],
  )
})
