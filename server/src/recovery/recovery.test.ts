/** Password reset by link. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { oneTimeTokens, passkeys, totpFactors } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const OWN = 'my very own words'
const forReset = (app: App, user: { id: string; email: string }) =>
  app.mailedLink('send-password-reset', user)
const forVerify = (app: App, user: { id: string; email: string }) =>
  app.mailedLink('resend-verification', user)
const reset = (app: App, fields: Record<string, string> | string[][]) =>
  app.newBrowser().post('/reset-password', fields)
const verify = (app: App, fields: Record<string, string> | string[][]) =>
  app.newBrowser().post('/verify-email', fields)
const signsIn = async (app: App, system: Parameters<App['signIn']>[0], email: string, password: string) =>
  (await app.authorize(system, { email, password })).back.code !== undefined
const member = (app: App) => app.newMember({ skipConsent: true })
/** Moves the creation of a user's links back in time. */
const later = ({ db }: App, userId: string, span: string) =>
  db
    .update(oneTimeTokens)
    .set({ expiresAt: sql`${oneTimeTokens.expiresAt} - ${span}::interval` })
    .where(eq(oneTimeTokens.userId, userId))

test('P02: a reset link sets the password once, and opening it changes nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { link, token } = await forReset(app, user)
  const browser = app.newBrowser()

  await browser.get(link)
  await browser.request(link, { method: 'HEAD' })
  const page = await browser.get(link)
  const done = await browser.submit(page, { password: OWN, passwordAgain: OWN })
  const again = await browser.submit(page, {
    password: 'others words again',
    passwordAgain: 'others words again',
  })
  const opened = await browser.get(link)

  assert.deepEqual([page.status, done.status, again.status, opened.status], [200, 200, 410, 410])
  assert.deepEqual(
    [page, done].map(({ headers }) => headers.get('referrer-policy')),
    ['same-origin', 'same-origin'],
  )
  assert.match(String(page.headers.get('cache-control')), /no-store/)
  assert.match(String(done.body), /Your password was changed/)
  assert.deepEqual(
    [...browser.jar.keys()],
    ['_known /'],
    'it gives no session, but the browser is no outsider any more',
  )
  assert.ok(!String(done.body).includes(token))
  assert.ok(await signsIn(app, system, user.email, OWN))
  assert.ok(!(await signsIn(app, system, user.email, PASSWORD)))
})

test('P02: of ten parallel uses of one link one succeeds, and its password works', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { token } = await forReset(app, user)
  const words = Array.from({ length: 10 }, (_, n) => `my very own words ${n}`)

  const answers = await Promise.all(words.map((password) => reset(app, { token, password })))

  const won = words.filter((_, n) => answers[n]!.status === 200)
  assert.equal(won.length, 1)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 410]))
  assert.ok(await signsIn(app, system, user.email, won[0]!))
  assert.equal((await app.emailsTo(user.email)).filter(({ kind }) => kind === 'password_changed').length, 1)
  assert.equal((await app.audited({ targetId: user.id, action: 'user.password_reset_by_link' })).length, 1)
})

test('P02: a later link does not invalidate an earlier one, and the first one used does', async (t) => {
  const app = await startTestApp(t)
  const [{ user }, other] = [await member(app), await app.newUser()]
  const links = [await forReset(app, user), await forReset(app, user)]
  const verifications = [await forVerify(app, other), await forVerify(app, other)]

  const answers = [
    await verify(app, { token: verifications[0]!.token }),
    await verify(app, { token: verifications[1]!.token }),
    await reset(app, { token: links[0]!.token, password: OWN }),
    await reset(app, { token: links[1]!.token, password: OWN }),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 410, 200, 410],
  )
})

test('P02: a link works after 29:50 and not after 30:01', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const [timely, late] = [await app.newUser(), user]
  const links = [await forReset(app, timely), await forReset(app, late)]
  await later(app, timely.id, '29 minutes 50 seconds')
  await later(app, late.id, '30 minutes 1 second')

  const answers = [
    await reset(app, { token: links[0]!.token, password: OWN }),
    await reset(app, { token: links[1]!.token, password: OWN }),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 410],
  )
  assert.equal((await app.newBrowser().get(links[1]!.link)).status, 410)
})

test('P02: a link is invalidated by a change of password or address, or when the user is disabled', async (t) => {
  const app = await startTestApp(t)
  const changes: ((id: string) => Promise<Answer>)[] = [
    (id) => app.platform.post(`/admin/users/${id}/set-password`, { password: PASSWORD }),
    (id) => app.platform.post(`/admin/users/${id}/reset-password`),
    (id) => app.platform.patch(`/admin/users/${id}`, { email: `${crypto.randomUUID()}@x.test` }),
    (id) => app.platform.delete(`/admin/users/${id}`),
    async (id) => {
      await app.platform.patch(`/admin/users/${id}`, { disabled: true })
      return app.platform.patch(`/admin/users/${id}`, { disabled: false })
    },
  ]

  for (const change of changes) {
    const user = await app.newUser()
    const links = [await forReset(app, user), await forVerify(app, user)]
    assert.ok((await change(user.id)).status < 300)
    assert.equal((await reset(app, { token: links[0]!.token, password: OWN })).status, 410)
    assert.equal((await verify(app, { token: links[1]!.token })).status, 410)
  }
})

test('P04: a reset signs the user out everywhere, verifies the address, sends an email', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const open = await app.signIn(system, { email: user.email })
  await app.db
    .insert(totpFactors)
    .values({ userId: user.id, sealedSecret: Buffer.alloc(32), confirmedAt: new Date() })
  await app.db.insert(passkeys).values({
    userId: user.id,
    credentialId: crypto.randomUUID(),
    publicKey: Buffer.alloc(32),
    name: 'Phone',
  })
  const verification = await forVerify(app, user)
  const { token } = await forReset(app, user)

  const answer = await reset(app, { token, password: OWN })

  assert.equal(answer.status, 200)
  assert.equal((await app.me(open.access_token)).status, 401)
  assert.equal((await app.refresh(system, open.refresh_token!)).body.error, 'invalid_grant')
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: open.visitor,
    parameters: { prompt: 'none' },
  })
  assert.equal(silent.back.error, 'login_required')
  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.deepEqual([read.emailVerified, read.mfaEnabled, read.mustChangePassword], [true, true, false])
  assert.equal((await verify(app, { token: verification.token })).status, 410)
  const { kind, text } = (await app.emailsTo(user.email)).at(-1)!
  assert.deepEqual([kind, /changed with a link/.test(text)], ['password_changed', true])
  const [entry] = await app.audited({ targetId: user.id, action: 'user.password_reset_by_link' })
  assert.deepEqual(
    [entry?.actorType, entry?.actorId, entry?.changes],
    ['user', user.id, { emailVerified: [false, true] }],
  )
  assert.deepEqual((await app.findEvents({ userId: user.id, type: 'user.updated' })).at(-1)?.data.changed, [
    'password',
  ])
  const stored = JSON.stringify([
    await app.audited({ targetId: user.id }),
    await app.findEvents({ userId: user.id }),
  ])
  assert.ok(!stored.includes(token) && !stored.includes(OWN))
})

test('a reset replaces a temporary password and sets a first password', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { temporaryPassword } = (await app.platform.post(`/admin/users/${user.id}/reset-password`)).body
  const passwordless = await app.newUser({ password: undefined })
  await app.newMembership({ userId: passwordless.id, systemId: system.id })

  for (const each of [user, passwordless]) {
    const { token } = await forReset(app, each)
    assert.equal((await reset(app, { token, password: OWN })).status, 200)
    assert.ok(await signsIn(app, system, each.email, OWN), 'without being asked for another one')
  }
  assert.ok(!(await signsIn(app, system, user.email, temporaryPassword)))
})

test('P02: a link does not work while the user is disabled', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: true })
  const { token } = await forReset(app, user)

  assert.equal((await reset(app, { token, password: OWN })).status, 410)
  assert.ok(!(await signsIn(app, system, user.email, OWN)))
})

test('a rejected password does not use the link up', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { link } = await forReset(app, user)
  const browser = app.newBrowser()
  const faults: [Record<string, string>, RegExp][] = [
    [{}, /Enter a new password\./],
    [{ password: 'seven77' }, /This password is too short\./],
    [{ password: 'x'.repeat(129) }, /This password is too long\./],
    [{ password: 'Password123' }, /too common/],
    [{ password: OWN, passwordAgain: 'other words' }, /The passwords do not match\./],
  ]

  let page = await browser.get(link)
  for (const [fields, sentence] of faults) {
    page = await browser.submit(page, fields)
    assert.deepEqual([page.status, sentence.test(String(page.body))], [400, true], String(sentence))
  }
  const done = await browser.submit(page, { password: OWN, passwordAgain: OWN })

  assert.equal(done.status, 200)
})
