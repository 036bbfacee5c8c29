/** A sign-in with an identity provider meets an existing user: an emailed code instead of the password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, mailedCode, memberWithApp, stepOf } from '../../test/support/factors.ts'
import { moveGuesses } from '../../test/support/limit-clock.ts'
import { visitOther } from '../../test/support/other-provider.ts'
import { begin, rest, start, through, tokensOf, unique } from '../../test/support/social.ts'
import { type Answer, PASSWORD } from '../../test/support/testing.ts'
import { hashPassword } from '../crypto/password-hash.ts'

type Started = Awaited<ReturnType<typeof start>>
const text = (answer: Answer) => String(answer.body)
const isOther = (code: string) => (code === '000000' ? '111111' : '000000')

/** A sign-in to `system` in which the provider, which is not trusted for the domain, names an address. */
async function meet({ app, one }: Started, system: Parameters<typeof begin>[1], email: string) {
  one.claims = { sub: unique(), email, email_verified: true }
  const begun = await begin(app, system)
  const page = await through(begun, one)
  return { begun, page, send: () => begun.visitor.submit(page, { email, send: 'yes' }) }
}

test('P10: an address of another domain is linked by a code that is emailed to its user, and by no other', async (t) => {
  const started = await start(t)
  const { app } = started
  const system = await app.newSystem({ skipConsent: true })
  const user = await app.newUser({ email: `${unique()}@x.test`, password: undefined, emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id })
  const mallory = await meet(started, system, user.email)
  const theirs = await mallory.send()
  await app.db.execute("delete from limits where key like 'code-pause%'")
  const { begun, send } = await meet(started, system, user.email)

  const asked = await send()
  const code = await mailedCode(app, user.email)
  const stolen = await mallory.begun.visitor.submit(theirs, { code })
  const wrong = await begun.visitor.submit(asked, { code: isOther(code) })
  const before = (await app.platform.get(`/admin/users/${user.id}`)).body.identities
  const done = await begun.visitor.follow(await begun.visitor.submit(asked, { code }))
  const { claims } = await tokensOf(app, system, begun, await rest(begun.visitor, done))

  assert.match(text(asked), /If <bdi>[^<]+<\/bdi> is registered, we sent/)
  assert.deepEqual([stolen.status, wrong.status, before], [401, 401, []])
  assert.deepEqual([claims.sub, claims.amr], [user.id, ['fed']])
  const { identities } = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.equal(identities.length, 1)
})

test('a requested code does not tell whether the address has a user', async (t) => {
  const started = await start(t)
  const system = await started.app.newSystem({ skipConsent: true })
  const email = `${unique()}@x.test`
  const { begun, send } = await meet(started, system, email)

  const asked = await send()
  const statuses = []
  for (let attempt = 0; attempt < 6; attempt++) {
    if (attempt === 5) await moveGuesses(started.app, 600)
    statuses.push((await begun.visitor.submit(asked, { code: '123456' })).status)
  }

  assert.equal(asked.status, 200)
  assert.match(text(asked), /is registered, we sent/)
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  assert.deepEqual(await started.app.emailsTo(email), [])
})

test('P28: a code that links an identity is invalid after five wrong attempts', async (t) => {
  const started = await start(t)
  const { app } = started
  const { system, user } = await app.newMember({ skipConsent: true })
  const { begun, send } = await meet(started, system, user.email)
  const asked = await send()
  const code = await mailedCode(app, user.email)
  const statuses = []
  for (let attempt = 0; attempt < 5; attempt++)
    statuses.push((await begun.visitor.submit(asked, { code: isOther(code) })).status)
  await app.db.execute("delete from limits where key like 'link-code%'")

  const late = await begun.visitor.submit(asked, { code })

  assert.deepEqual([...statuses, late.status], [401, 401, 401, 401, 401, 401])
})

test('P09: a code links the identity of a user with a second factor in the system only, and asks for the factor', async (t) => {
  const started = await start(t)
  const { app } = started
  const { system, user } = await memberWithApp(app)
  const { begun, send } = await meet(started, system, user.email)
  const asked = await send()

  const code = await mailedCode(app, user.email)
  const next = await begun.visitor.follow(await begun.visitor.submit(asked, { code }))

  assert.equal(stepOf(next), 'second-factor')
  assert.equal(codeOf(next), null)
  assert.deepEqual((await app.platform.get(`/admin/users/${user.id}`)).body.identities, [])
})

test('P09: at /account only the password links an identity', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  one.claims = { sub: unique(), email: user.email, email_verified: true }
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account'))
  const away = await browser.get(/href="(\/social\/one\/login\?uid=[\w-]+)"/.exec(text(login))![1]!)
  const page = await browser.follow(await browser.get(await visitOther(one, away.headers.get('location'))))

  const sent = await browser.submit(page, { email: user.email, send: 'yes' })

  assert.doesNotMatch(text(page), /name="send"/)
  assert.equal(sent.status, 400)
  assert.deepEqual(await app.emailsTo(user.email), [])
})

test('P09: an imported password of an unverified address links no identity before a code confirms it', async (t) => {
  const started = await start(t)
  const { app } = started
  const system = await app.newSystem({ skipConsent: true })
  const email = `${unique()}@x.test`
  const passwordHash = await hashPassword(PASSWORD, null)
  const { body: user } = await app.platform.post('/admin/users', { email, passwordHash })
  await app.newMembership({ userId: user.id, systemId: system.id })
  const { begun, page } = await meet(started, system, email)

  const asked = await begun.visitor.follow(await begun.visitor.submit(page, { email, password: PASSWORD }))

  assert.equal(stepOf(asked), 'verify-email')
  assert.deepEqual((await app.platform.get(`/admin/users/${user.id}`)).body.identities, [])
})
