/** An attacker registers the address of a victim, before or after the victim does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  begin,
  codeOf,
  confirm,
  findUser,
  follow,
  linkIn,
  membershipsOf,
  newEmail,
  newestCode,
  newestLink,
  newOpenSystem,
  OWN,
  register,
  registerByCode,
} from '../../test/support/registration.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'

const MALLORYS = 'mallorys own words'

/** Mallory registers a victim's address and keeps what a browser receives. */
async function hijacked(app: App) {
  const system = await newOpenSystem(app)
  const victim = newEmail('victim')
  const registering = () =>
    register(app, system, { email: victim, fields: { password: MALLORYS, name: 'Mallory' } })
  const { browser, page } = await registering()
  /** The status of a sign-in, and whether Mallory's browser continues. */
  const tries = async () => ({
    password: (await app.authorize(system, { email: victim, password: MALLORYS })).page.status,
    continued: codeOf(await browser.follow(await browser.submit(page, { code: '123456' }))),
  })
  return { system, victim, tries, registering }
}

const NOTHING = { password: 401, continued: null }

test('P09: registrations of one address do not affect each other, and the first confirmed one counts', async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries, registering } = await hijacked(app)

  const { browser, page } = await register(app, system, { email: victim, fields: { name: 'Vera' } })
  const code = await newestCode(app, victim)
  await registering() // after the owner too
  const before = await tries()
  const done = await browser.follow(await browser.submit(page, { code }))
  const after = await tries()

  assert.deepEqual([before, after], [NOTHING, NOTHING])
  assert.ok(codeOf(done))
  const user = await findUser(app, victim)
  assert.deepEqual([user.name, user.emailVerified, user.mfaEnabled], ['Vera', true, false])
  assert.equal((await membershipsOf(app, user)).length, 1)
  assert.ok((await app.authorize(system, { email: victim, password: OWN })).back.code)
})

test("P09: the owner who opens any link, also that of another's registration, chooses the password", async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries, registering } = await hijacked(app)
  await register(app, system, { email: victim, fields: { name: 'Vera' } })
  await registering()

  const links = (await app.emailsTo(victim)).map(linkIn)
  const created = await confirm(app, links.at(-1)!)
  const others = [await confirm(app, links[0]!), await confirm(app, links[1]!)]

  assert.match(String(created.body), /You are registered/)
  for (const { body } of others) assert.match(String(body), /This address is already registered/)
  assert.deepEqual(await tries(), NOTHING)
  assert.ok((await app.authorize(system, { email: victim, password: OWN })).back.code)
})

test('P09: a password reset finds no user of a registration that is not confirmed', async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries } = await hijacked(app)
  const browser = app.newBrowser()

  await browser.submit(await follow(browser, await begin(browser, system), 'forgot-password'), {
    email: victim,
  })

  assert.deepEqual(
    (await app.emailsTo(victim)).map(({ kind }) => kind),
    ['registration'],
  )
  assert.deepEqual(await tries(), NOTHING)
  assert.equal(await findUser(app, victim), undefined)
})

test('P09: a user created by an administrator cannot be registered over', async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries } = await hijacked(app)
  const link = await newestLink(app, victim)
  const made = await app.newUser({ email: victim, emailVerified: true })

  const known = await confirm(app, link)
  const { browser, page } = await register(app, system, { email: victim })

  assert.match(String(known.body), /This address is already registered/)
  assert.equal((await app.emailsTo(victim)).at(-1)!.kind, 'user_exists')
  assert.equal((await browser.submit(page, { code: '123456' })).status, 401)
  assert.equal((await app.authorize(system, { email: victim, password: OWN })).page.status, 401)
  assert.deepEqual(await tries(), NOTHING)
  assert.deepEqual(await membershipsOf(app, made), [])
  assert.ok((await app.authorize(system, { email: victim, password: PASSWORD })).back.code)
})

test('P09: verification by an administrator gives a registration nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries } = await hijacked(app)

  const made = await app.newUser({ email: victim, password: undefined, emailVerified: true })
  await app.newMembership({ userId: made.id, systemId: system.id })

  assert.deepEqual(await tries(), NOTHING)
  const { hasPassword } = await findUser(app, victim)
  assert.equal(hasPassword, false)
})

test("P09: another's registrations use up the anonymous emails of an address, and no link", async (t) => {
  const app = await startTestApp(t)
  const { system, victim, registering } = await hijacked(app)
  const { done } = await registerByCode(app, system, { email: newEmail() })
  const mine = await register(app, system, { email: victim })
  const code = await newestCode(app, victim)
  for (let round = 0; round < 4; round++) await registering()

  assert.ok(codeOf(done))
  assert.equal((await app.emailsTo(victim)).length, 3)
  assert.ok(codeOf(await mine.browser.follow(await mine.browser.submit(mine.page, { code }))))
})
