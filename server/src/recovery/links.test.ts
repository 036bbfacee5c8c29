/** Misuse of mailed links, and email verification. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, PASSWORD, startTestApp } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const OWN = 'my very own words'
const JSON_ONLY = { accept: 'application/json' }
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
const emailVerified = async (app: App, id: string) =>
  (await app.platform.get(`/admin/users/${id}`)).body.emailVerified
const masked = ({ status, body }: Answer) => [status, String(body).replace(/[0-9a-f-]{36}/g, 'ID')]

test('P03: a token works for its purpose only, on the page and in the form', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const [resetting, verifying] = [await forReset(app, user), await forVerify(app, user)]

  const crossed = [
    await reset(app, { token: verifying.token, password: OWN }),
    await verify(app, { token: resetting.token }),
    await app.newBrowser().get(`/reset-password?token=${verifying.token}`),
    await app.newBrowser().get(`/verify-email?token=${resetting.token}`),
  ]

  assert.deepEqual(
    crossed.map(({ status }) => status),
    [410, 410, 410, 410],
  )
  assert.equal(await emailVerified(app, user.id), false)
  assert.ok(await signsIn(app, system, user.email, PASSWORD))
  assert.equal((await verify(app, { token: verifying.token })).status, 200, 'and it was not used up')
})

test('P03: a token is bound to its user, whatever the form says', async (t) => {
  const app = await startTestApp(t)
  const { system, user: alice } = await member(app)
  const bob = await app.newUser()
  const { token } = await forReset(app, bob)

  const answer = await reset(app, {
    token,
    password: OWN,
    email: alice.email,
    userId: alice.id,
    id: alice.id,
  })

  assert.equal(answer.status, 200)
  assert.ok(await signsIn(app, system, alice.email, PASSWORD))
  assert.ok(!(await signsIn(app, system, alice.email, OWN)))
})

test('P03: a malformed token is 400, an unknown one 410, with the same page', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { token } = await forReset(app, user)
  const none = [
    '',
    ' ',
    '[]',
    '\0',
    'undefined',
    'null',
    'true',
    "' or 1=1--",
    token.slice(1),
    `${token}x`,
    `${token}\0`,
    'x'.repeat(9_000),
  ]
  const unknown = 'A'.repeat(43)

  for (const path of ['/reset-password', '/verify-email'] as const) {
    for (const bad of none) {
      const post = await app.newBrowser().post(path, { token: bad, password: OWN })
      assert.equal(post.status, 400, JSON.stringify(bad))
      if (bad.length < 1_000)
        assert.equal((await app.newBrowser().get(`${path}?token=${encodeURIComponent(bad)}`)).status, 400)
    }
    const shapes = [
      await app.newBrowser().post(path, { password: OWN }),
      await app.newBrowser().post(path, [
        ['token', token],
        ['token', token],
        ['password', OWN],
      ]),
      await app.newBrowser().post(path, { 'token[]': token, password: OWN }),
      await app.newBrowser().get(path),
      await app.newBrowser().get(`${path}?token=${token}&token=${token}`),
      await app.newBrowser().get(`${path}?token[]=${token}`),
    ]
    assert.deepEqual(
      shapes.map(({ status }) => status),
      Array(6).fill(400),
    )
    for (const body of [
      '{}',
      '[]',
      'null',
      `{"token":["${token}"],"password":"${OWN}"}`,
      `{"token":{"$ne":null},"password":"${OWN}"}`,
    ]) {
      const sent = { method: 'POST', headers: { ...JSON_ONLY, 'content-type': 'application/json' }, body }
      assert.equal((await app.newBrowser().request(path, sent)).body.code, 'link_invalid', body)
    }
    const gone = await app.newBrowser().post(path, { token: unknown, password: OWN })
    const [status, page] = masked(gone)
    assert.equal(status, 410)
    assert.equal(masked(shapes[0]!)[1], String(page).replace('link_expired', 'link_invalid'))
    assert.match(String(page), /This link no longer works/)
  }
  assert.equal((await reset(app, { token, password: OWN })).status, 200, 'and nothing of it used the link up')
})

test('P26: cross-site forms are refused, and a GET never uses a link', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const tokens = { '/reset-password': '', '/verify-email': '' }
  for (const path of ['/reset-password', '/verify-email'] as const)
    tokens[path] = (await (path === '/verify-email' ? forVerify : forReset)(app, user)).token
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
  ]

  for (const path of ['/reset-password', '/verify-email'] as const) {
    for (const headers of foreign) {
      const answer = await app.newBrowser().post(path, { token: tokens[path], password: OWN }, headers)
      assert.deepEqual(
        [answer.status, /csrf_rejected/.test(String(answer.body))],
        [403, true],
        JSON.stringify(headers),
      )
    }
    assert.equal(
      (await app.newBrowser().get(`${path}?token=${tokens[path]}&password=${OWN}&_method=POST`)).status,
      200,
    )
  }
  const own = { 'sec-fetch-site': 'same-origin', origin: 'null' }
  assert.equal(
    (await app.newBrowser().post('/verify-email', { token: tokens['/verify-email'] }, own)).status,
    200,
  )
  assert.equal(
    (await app.newBrowser().post('/reset-password', { token: tokens['/reset-password'], password: OWN }, own))
      .status,
    200,
  )
})

test('a verification link verifies the address once, and the user is the audit actor', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { link } = await forVerify(app, user)
  const browser = app.newBrowser()

  const page = await browser.get(link)
  const before = await emailVerified(app, user.id)
  const answers = await Promise.all(Array.from({ length: 10 }, () => browser.submit(page)))

  assert.equal(before, false)
  assert.ok(String(page.body).includes(user.email))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(410)])
  assert.equal(await emailVerified(app, user.id), true)
  const entries = await app.audited({ targetId: user.id, action: 'user.email_verified' })
  assert.deepEqual(
    entries.map(({ actorId, changes }) => [actorId, changes]),
    [[user.id, { emailVerified: [false, true] }]],
  )
  const events = await app.findEvents({ userId: user.id, type: 'user.updated' })
  assert.deepEqual(
    events.map(({ data }) => data.changed),
    [['emailVerified']],
  )
})

test('a link mailed to an address verifies no other one, even if the address returns', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { token } = await forVerify(app, user)
  const path = `/admin/users/${user.id}`
  await app.platform.patch(path, { email: `${crypto.randomUUID()}@x.test` })
  await app.platform.patch(path, { email: user.email })

  const answer = await verify(app, { token })

  assert.equal(answer.status, 410)
  assert.equal(await emailVerified(app, user.id), false)
})

test('the links are available as JSON', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  const send = (path: string, body: unknown) =>
    browser.request(path, {
      method: 'POST',
      headers: { ...JSON_ONLY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const verifyLink = await forVerify(app, user)
  const resetLink = await forReset(app, user)

  const verifying = await browser.get(verifyLink.link, JSON_ONLY)
  const verified = await send(verifying.body.action, { token: verifyLink.token })
  const resetting = await browser.get(resetLink.link, JSON_ONLY)
  const refused = await send(resetting.body.action, { token: resetLink.token, password: 'short' })
  const done = await send(resetting.body.action, { token: resetLink.token, password: OWN })
  const again = await send(resetting.body.action, { token: resetLink.token, password: OWN })

  const token = (value: string) => ({ name: 'token', type: 'hidden', required: true, value })
  assert.deepEqual(verifying.body, {
    step: 'verify_email',
    action: '/verify-email',
    email: user.email,
    fields: [token(verifyLink.token)],
    errors: [],
  })
  assert.deepEqual(resetting.body.fields, [
    token(resetLink.token),
    { name: 'password', type: 'password', required: true, minLength: 8, maxLength: 128 },
  ])
  assert.deepEqual([verified.body, done.body], [{ step: 'email_verified' }, { step: 'password_changed' }])
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [400, [{ path: 'password', message: 'This password is too short.' }]],
  )
  assert.deepEqual([again.status, again.body.code], [410, 'link_expired'])
})

test('the pages of links are localized', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { link } = await forReset(app, user)
  const page = async (address: string) =>
    String((await app.newBrowser().get(address, { 'accept-language': 'pt-PT' })).body)

  assert.match(await page(link), /<html lang="pt-BR">[\s\S]*Escolha uma nova senha/)
  assert.match(await page('/verify-email?token=x'), /Este link não funciona mais/)
})
