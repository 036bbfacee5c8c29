/** Change of e-mail address by its user, confirmed by both addresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs, removePasswords } from '../../test/support/browser-sessions.ts'
import { type Answer, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { and, eq, sql } from '../database/drizzle.ts'
import { identities, oneTimeTokens, users } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const text = (answer: Answer) => String(answer.body)
const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(text(page))?.[1] ?? ''
const newAddress = () => `new-${crypto.randomUUID()}@example.test`

async function signInToPages(app: App, email: string): Promise<{ browser: TestBrowser; page: Answer }> {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account/email'))
  return { browser, page: await browser.follow(await browser.submit(login, { email, password: PASSWORD })) }
}

async function verifiedUser(app: App) {
  const user = await app.newUser()
  await app.db.update(users).set({ emailVerified: true }).where(eq(users.id, user.id))
  return user
}

async function tokenTo(app: App, address: string, kind: string): Promise<string> {
  const email = (await app.emailsTo(address)).findLast((each) => each.kind === kind)
  return new URL(/https?:\S+/.exec(email!.text)![0]).searchParams.get('token')!
}

/** Requests the change. Returns the tokens of both links. */
async function ask(app: App, email: string, to: string) {
  const { browser, page } = await signInToPages(app, email)
  const answer = await browser.submit(page, { email: to })
  const [there, here] = [
    await tokenTo(app, to, 'email_change'),
    await tokenTo(app, email, 'email_change_allow'),
  ]
  return { browser, answer, there, here }
}

const open = (app: App, token: string, browser = app.newBrowser()) =>
  browser.get(`/change-email?token=${token}`)
const confirm = (app: App, token: string, browser = app.newBrowser()) =>
  browser.post('/change-email', { token })
const read = async (app: App, id: string) => (await app.platform.get(`/admin/users/${id}`)).body
const kinds = async (app: App, address: string) => (await app.emailsTo(address)).map(({ kind }) => kind)

for (const order of ['new address first', 'old address first'])
  test(`P03: an address changes after both links are used, ${order}`, async (t) => {
    const app = await startTestApp(t)
    const user = await verifiedUser(app)
    const to = newAddress()
    const { browser, there, here } = await ask(app, user.email, to)
    const [first, second] = order.startsWith('new') ? [there, here] : [here, there]

    const opened = [await open(app, there, browser), await open(app, here)]
    const by = (token: string) => (token === there ? browser : app.newBrowser())
    const waiting = await confirm(app, first, by(first))
    const again = await confirm(app, first, by(first))
    const between = await read(app, user.id)
    const done = await confirm(app, second, by(second))
    const after = await read(app, user.id)

    assert.deepEqual(
      opened.map(({ status }) => status),
      [200, 200],
    )
    assert.ok(opened.every((page) => text(page).includes(to) && !text(page).includes(user.email)))
    assert.deepEqual([waiting.status, again.status, done.status], [200, 410, 200])
    assert.match(text(waiting), /One more confirmation is required/)
    assert.equal(between.email, user.email)
    assert.deepEqual([after.email, after.emailVerified], [to, true])
    assert.equal((await browser.get('/account')).status, 200, 'who is signed in stays so')
    const [entry] = await app.audited({ targetId: user.id, action: 'user.email_changed' })
    assert.deepEqual([entry?.actorId, Object.keys(entry?.changes ?? {})], [user.id, ['email']])
    const [event] = await app.findEvents({ userId: user.id, type: 'user.updated' })
    assert.deepEqual((event!.data as { changed?: unknown }).changed, ['email'])
    assert.deepEqual(await kinds(app, user.email), ['email_change_allow', 'email_changed'])
    assert.deepEqual(await kinds(app, to), ['email_change', 'email_changed'])
  })

test('P03: the link to the new address works only in a browser in which its user is signed in', async (t) => {
  const app = await startTestApp(t)
  const [user, other] = [await verifiedUser(app), await app.newUser()]
  const to = newAddress()
  const { browser, there, here } = await ask(app, user.email, to)
  const someone = (await signInToPages(app, other.email)).browser

  const answers = [
    await open(app, there),
    await open(app, there, someone),
    await confirm(app, there),
    await confirm(app, there, someone),
  ]
  const json = await app.newBrowser().get(`/change-email?token=${there}`, { accept: 'application/json' })
  const allowed = await confirm(app, here)
  const done = await confirm(app, there, browser)

  for (const { status, body } of answers) {
    assert.equal(status, 403)
    assert.match(String(body), /Sign in first/)
  }
  assert.deepEqual([json.status, json.body.code], [403, 'link_requires_sign_in'])
  assert.deepEqual([allowed.status, done.status], [200, 200])
  assert.equal((await read(app, user.id)).email, to)
})

test('P09: a browser signed in with the password of a system does not confirm a new address', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const to = newAddress()
  const { browser, page } = await signInToPages(app, user.email)
  await browser.submit(page, { email: to })
  const there = await tokenTo(app, to, 'email_change')
  const system = await app.newSystem({ allowClientCredentials: true, skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: system.id })
  const password = 'a password that a system knows'
  await (await app.serviceOf(system)).post(`/admin/users/${user.id}/set-password`, { password })
  const { visitor } = await app.signIn(system, { email: user.email, password })

  const refused = [await open(app, there, visitor), await confirm(app, there, visitor)]
  const between = await read(app, user.id)
  const done = await confirm(app, there, browser)

  assert.deepEqual(
    [...refused, done].map(({ status }) => status),
    [403, 403, 200],
  )
  assert.equal(between.email, user.email)
})

test('concurrent uses of both links make one change', async (t) => {
  const app = await startTestApp(t)
  const user = await verifiedUser(app)
  const to = newAddress()
  const { browser, there, here } = await ask(app, user.email, to)

  const answers = await Promise.all(
    [there, here, there, here, there, here].map((token) => confirm(app, token, browser)),
  )

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 410, 410, 410, 410])
  assert.equal((await read(app, user.id)).email, to)
  assert.equal((await app.audited({ targetId: user.id, action: 'user.email_changed' })).length, 1)
})

test('the current address receives a confirmation link if it was verified, otherwise none', async (t) => {
  const app = await startTestApp(t)
  const [user, later] = [await app.newUser(), await app.newUser()]
  const [to, other] = [newAddress(), newAddress()]
  const [mine, theirs] = [await signInToPages(app, user.email), await signInToPages(app, later.email)]
  await mine.browser.submit(mine.page, { email: to })
  await theirs.browser.submit(theirs.page, { email: other })
  await app.db.update(users).set({ emailVerified: true }).where(eq(users.id, later.id))

  const done = await confirm(app, await tokenTo(app, to, 'email_change'), mine.browser)
  const refused = await confirm(app, await tokenTo(app, other, 'email_change'), theirs.browser)

  assert.deepEqual([done.status, refused.status], [200, 410])
  const after = await read(app, user.id)
  assert.deepEqual([after.email, after.emailVerified], [to, true])
  assert.equal((await read(app, later.id)).email, later.email)
  assert.deepEqual(await kinds(app, user.email), ['email_changed'])
})

test('P05: the address of another user is answered like a free one, without an email to it', async (t) => {
  const app = await startTestApp(t)
  const [user, owner] = [await verifiedUser(app), await app.newUser()]
  const { browser, page } = await signInToPages(app, user.email)

  const taken = await browser.submit(page, { email: owner.email.toUpperCase() })
  const free = await browser.submit(page, { email: newAddress() })

  assert.deepEqual([taken.status, taken.headers.get('location')], [free.status, free.headers.get('location')])
  assert.deepEqual(await kinds(app, owner.email), [])
  assert.deepEqual(await kinds(app, user.email), ['email_change_allow', 'email_change_allow'])
})

test('if the new address is taken before the confirmation, the link is answered as expired', async (t) => {
  const app = await startTestApp(t)
  const user = await verifiedUser(app)
  const to = newAddress()
  const { browser, there, here } = await ask(app, user.email, to)
  await app.newUser({ email: to })

  await confirm(app, here)
  const late = await confirm(app, there, browser)

  const none = await confirm(app, 'x'.repeat(43))
  const masked = (answer: Answer) => [answer.status, text(answer).replace(/[0-9a-f-]{36}/g, 'ID')]
  assert.deepEqual(masked(late), masked(none))
  assert.equal((await read(app, user.id)).email, user.email)
})

test('P03: links end with time, a newer request, and a changed password or address', async (t) => {
  const app = await startTestApp(t)
  const ends: ((user: { id: string; email: string }) => Promise<unknown>)[] = [
    ({ id }) =>
      app.db.update(oneTimeTokens).set({ expiresAt: sql`now()` }).where(eq(oneTimeTokens.userId, id)),
    ({ email }) => ask(app, email, newAddress()),
    ({ id }) => app.platform.post(`/admin/users/${id}/set-password`, { password: 'from the office' }),
    ({ id }) => app.platform.patch(`/admin/users/${id}`, { email: newAddress() }),
    ({ id }) => app.platform.patch(`/admin/users/${id}`, { disabled: true }),
  ]
  for (const end of ends) {
    const user = await verifiedUser(app)
    const { there, here } = await ask(app, user.email, newAddress())
    await confirm(app, here)
    await end(user)
    assert.equal((await confirm(app, there)).status, 410)
  }

  const user = await verifiedUser(app)
  const { browser, there, here } = await ask(app, user.email, newAddress())
  const reset = await app.mailedLink('send-password-reset', user)
  for (const token of [there, here]) await confirm(app, token, browser)
  assert.equal((await app.newBrowser().get(`/reset-password?token=${reset.token}`)).status, 410)
})

test('P26: a change of address requires a recent login and our own form', async (t) => {
  const app = await startTestApp(t)
  const user = await verifiedUser(app)
  const { browser, page } = await signInToPages(app, user.email)
  const csrf = csrfOf(page)
  const to = newAddress()

  const wrong = [
    await browser.post('/account/email', { csrf, email: 'nobody' }),
    await browser.post('/account/email', { csrf, email: user.email.toUpperCase() }),
    await browser.post('/account/email', { csrf: '', email: to }),
    await browser.post('/account/email', { csrf, email: to }, { origin: 'https://evil.example' }),
    await app
      .newBrowser()
      .post('/change-email', { token: 'x'.repeat(43) }, { origin: 'https://evil.example' }),
  ]
  await changeProofs(app.db, user.id, { age: 400 })
  const late = await browser.post('/account/email', { csrf, email: to })

  assert.deepEqual(
    wrong.map(({ status }) => status),
    [400, 400, 403, 403, 403],
  )
  assert.match(late.headers.get('location')!, /^\/auth\?.*&max_age=300(&|$)/)
  assert.deepEqual([await kinds(app, to), await kinds(app, user.email)], [[], []])
})

test('P07: emails for changes of address are limited', async (t) => {
  const app = await startTestApp(t)
  const user = await verifiedUser(app)
  const { browser, page } = await signInToPages(app, user.email)
  const csrf = csrfOf(page)
  const answers = []

  for (let n = 0; n < 6; n += 1)
    answers.push(await browser.post('/account/email', { csrf, email: newAddress() }))

  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303, 303, 303, 303, 429],
  )
})

test('both addresses receive an email when an administrator changes the address', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const to = newAddress()

  await app.platform.patch(`/admin/users/${user.id}`, { name: 'Ada' })
  await app.platform.patch(`/admin/users/${user.id}`, { email: to })

  const [left, taken] = [await app.emailsTo(user.email), await app.emailsTo(to)]
  assert.deepEqual(
    [left.map(({ kind }) => kind), taken.map(({ kind }) => kind)],
    [['email_changed'], ['email_changed']],
  )
  assert.ok(left[0]!.text.includes(to))
  assert.ok(!taken[0]!.text.includes(user.email))
})

test('P50: a user unlinks a provider with email and audit; the only way to sign in remains', async (t) => {
  const app = await startTestApp(t)
  const [user, other] = [await app.newUser(), await app.newUser()]
  const link = (userId: string, provider: string) =>
    app.db.insert(identities).values({
      userId,
      provider,
      issuer: provider,
      subject: crypto.randomUUID(),
      email: 'at<b>@provider.test',
    })
  for (const provider of ['google', 'github']) await link(user.id, provider)
  await link(other.id, 'gitlab')
  const { browser } = await signInToPages(app, user.email)
  const page = await browser.get('/account/security')
  const csrf = csrfOf(page)
  const unlink = (provider: string) => browser.post('/account/security/unlink', { csrf, provider })

  const removed = await browser.follow(await unlink('google'))
  await unlink('gitlab')
  await removePasswords(app.db, user.id)
  const [github] = await app.db
    .select({ id: identities.id })
    .from(identities)
    .where(and(eq(identities.userId, user.id), eq(identities.provider, 'github')))
  await changeProofs(app.db, user.id, { login: { method: 'social', credential: github!.id } })
  const kept = await browser.follow(await unlink('github'))
  const forged = await browser.post('/account/security/unlink', { csrf: '', provider: 'github' })

  assert.match(text(page), /google[\s\S]*at&lt;b&gt;@provider\.test/)
  assert.match(text(removed), /The service was disconnected\./)
  assert.match(text(kept), /only sign-in method/)
  assert.equal(forged.status, 403)
  const left = async (id: string) => (await read(app, id)).identities
  assert.deepEqual(
    [await left(user.id), await left(other.id)].map((list) =>
      list.map((each: { provider: string }) => each.provider),
    ),
    [['github'], ['gitlab']],
  )
  const [email, ...more] = await app.emailsTo(user.email)
  assert.deepEqual([email?.kind, more.length], ['identity_removed', 0])
  assert.match(email!.text, /google was disconnected/)
  const [entry, ...others] = await app.audited({ targetId: user.id, action: 'user.identity_removed' })
  assert.deepEqual([entry?.actorId, others.length], [user.id, 0])
})

test('P07: an unknown address gets three emails in any spelling', async (t) => {
  const app = await startTestApp(t)
  const user = await verifiedUser(app)
  const { browser, page } = await signInToPages(app, user.email)
  const victim = newAddress()
  const written = [
    victim,
    ...[0, 1, 2, 4].map(
      (at) => victim.slice(0, at) + victim.slice(at).replace(/[a-z]/, (character) => character.toUpperCase()),
    ),
  ]

  for (const email of written) await browser.post('/account/email', { email, csrf: csrfOf(page) })

  const emails = (await Promise.all([...new Set(written)].map((email) => app.emailsTo(email)))).flat()
  assert.equal(new Set(written).size >= 4, true)
  assert.equal(emails.length, 3)
})
