/** What mailed links do and what they can't be made to do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq, sql } from '../drizzle.ts'
import { oneTimeTokens, passkeys, totpFactors } from '../schema.ts'
import { type Answer, PASSWORD, startTestApp } from '../testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const OWN = 'my very own words'
const JSON_ONLY = { accept: 'application/json' }
const ACTIONS = { '/reset-password': 'send-password-reset', '/verify-email': 'resend-verification' } as const
type Path = keyof typeof ACTIONS

/** The newest link of its kind that was mailed to a user, asked for by an administrator. */
async function mailed(app: App, path: Path, user: { id: string; email: string }) {
  const answer = await app.platform.post(`/admin/users/${user.id}/${ACTIONS[path]}`)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  const { text } = (await app.letters(user.email)).at(-1)!
  const link = /https?:\S+/.exec(text)![0]
  assert.ok(link.startsWith(`${app.url}${path}?token=`), link)
  return { link, token: new URL(link).searchParams.get('token')! }
}

const reset = (app: App, fields: Record<string, string> | string[][]) => app.visitor().post('/reset-password', fields)
const verify = (app: App, fields: Record<string, string> | string[][]) => app.visitor().post('/verify-email', fields)
const signsIn = async (app: App, system: Parameters<App['signIn']>[0], email: string, password: string) =>
  (await app.authorize(system, { email, password })).back.code !== undefined
const member = (app: App) => app.newMember({ skipConsent: true })
const emailVerified = async (app: App, id: string) => (await app.platform.get(`/admin/users/${id}`)).body.emailVerified
/** As if a user's links had been mailed that much earlier. */
const later = ({ db }: App, userId: string, span: string) =>
  db
    .update(oneTimeTokens)
    .set({ expiresAt: sql`${oneTimeTokens.expiresAt} - ${span}::interval` })
    .where(eq(oneTimeTokens.userId, userId))

const masked = ({ status, body }: Answer) => [status, String(body).replace(/[0-9a-f-]{36}/g, 'ID')]

test('P02: a reset link sets the password once; to open it changes nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { link, token } = await mailed(app, '/reset-password', user)
  const browser = app.visitor()

  await browser.get(link)
  await browser.request(link, { method: 'HEAD' })
  const page = await browser.get(link)
  const done = await browser.submit(page, { password: OWN, passwordAgain: OWN })
  const again = await browser.submit(page, { password: 'others words again', passwordAgain: 'others words again' })
  const opened = await browser.get(link)

  assert.deepEqual([page.status, done.status, again.status, opened.status], [200, 200, 410, 410])
  assert.deepEqual(
    [page, done].map(({ headers }) => headers.get('referrer-policy')),
    ['no-referrer', 'no-referrer'],
  )
  assert.match(String(page.headers.get('cache-control')), /no-store/)
  assert.match(String(done.body), /Your password is changed/)
  assert.equal(browser.jar.size, 0, 'it gives no session')
  assert.ok(!String(done.body).includes(token))
  assert.ok(await signsIn(app, system, user.email, OWN))
  assert.ok(!(await signsIn(app, system, user.email, PASSWORD)))
})

test('P02: of ten parallel uses of one link exactly one wins, and its password works', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { token } = await mailed(app, '/reset-password', user)
  const words = Array.from({ length: 10 }, (_, n) => `my very own words ${n}`)

  const answers = await Promise.all(words.map((password) => reset(app, { token, password })))

  const won = words.filter((_, n) => answers[n]!.status === 200)
  assert.equal(won.length, 1)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 410]))
  assert.ok(await signsIn(app, system, user.email, won[0]!))
  assert.equal((await app.letters(user.email)).filter(({ kind }) => kind === 'password_changed').length, 1)
  assert.equal((await app.audited({ targetId: user.id, action: 'user.password_reset_by_link' })).length, 1)
})

test('P02: only the newest link is good', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const older = await mailed(app, '/reset-password', user)
  const newer = await mailed(app, '/reset-password', user)

  const answers = [
    await reset(app, { token: older.token, password: OWN }),
    await reset(app, { token: newer.token, password: OWN }),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [410, 200],
  )
})

test('P02: a link of 29:50 is good and one of 30:01 is not', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const [timely, late] = [await app.newUser(), user]
  const links = [await mailed(app, '/reset-password', timely), await mailed(app, '/reset-password', late)]
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
  assert.equal((await app.visitor().get(links[1]!.link)).status, 410)
})

test('P02: a link dies with another password or another address of its user', async (t) => {
  const app = await startTestApp(t)
  const changes: ((id: string) => Promise<Answer>)[] = [
    (id) => app.platform.post(`/admin/users/${id}/set-password`, { password: PASSWORD }),
    (id) => app.platform.post(`/admin/users/${id}/reset-password`),
    (id) => app.platform.patch(`/admin/users/${id}`, { email: `${crypto.randomUUID()}@x.test` }),
    (id) => app.platform.delete(`/admin/users/${id}`),
  ]

  for (const change of changes) {
    const user = await app.newUser()
    const links = [await mailed(app, '/reset-password', user), await mailed(app, '/verify-email', user)]
    assert.ok((await change(user.id)).status < 300)
    assert.equal((await reset(app, { token: links[0]!.token, password: OWN })).status, 410)
    assert.equal((await verify(app, { token: links[1]!.token })).status, 410)
  }
})

test('P03: a token is good for its purpose only, at the page and at its form', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const [forReset, forVerify] = [await mailed(app, '/reset-password', user), await mailed(app, '/verify-email', user)]

  const crossed = [
    await reset(app, { token: forVerify.token, password: OWN }),
    await verify(app, { token: forReset.token }),
    await app.visitor().get(`/reset-password?token=${forVerify.token}`),
    await app.visitor().get(`/verify-email?token=${forReset.token}`),
  ]

  assert.deepEqual(
    crossed.map(({ status }) => status),
    [410, 410, 410, 410],
  )
  assert.equal(await emailVerified(app, user.id), false)
  assert.ok(await signsIn(app, system, user.email, PASSWORD))
  assert.equal((await verify(app, { token: forVerify.token })).status, 200, 'and it was not used up')
})

test('P03: a token is bound to its user, whatever else the form names', async (t) => {
  const app = await startTestApp(t)
  const { system, user: alice } = await member(app)
  const bob = await app.newUser()
  const { token } = await mailed(app, '/reset-password', bob)

  const answer = await reset(app, { token, password: OWN, email: alice.email, userId: alice.id, id: alice.id })

  assert.equal(answer.status, 200)
  assert.ok(await signsIn(app, system, alice.email, PASSWORD))
  assert.ok(!(await signsIn(app, system, alice.email, OWN)))
})

test('P03: what is no token is a 400, one that is none of ours a 410, and both are the same page', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { token } = await mailed(app, '/reset-password', user)
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
      const post = await app.visitor().post(path, { token: bad, password: OWN })
      assert.equal(post.status, 400, JSON.stringify(bad))
      if (bad.length < 1_000) assert.equal((await app.visitor().get(`${path}?token=${encodeURIComponent(bad)}`)).status, 400)
    }
    const shapes = [
      await app.visitor().post(path, { password: OWN }),
      await app.visitor().post(path, [
        ['token', token],
        ['token', token],
        ['password', OWN],
      ]),
      await app.visitor().post(path, { 'token[]': token, password: OWN }),
      await app.visitor().get(path),
      await app.visitor().get(`${path}?token=${token}&token=${token}`),
      await app.visitor().get(`${path}?token[]=${token}`),
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
      assert.equal((await app.visitor().request(path, sent)).body.code, 'link_invalid', body)
    }
    const gone = await app.visitor().post(path, { token: unknown, password: OWN })
    const [status, page] = masked(gone)
    assert.equal(status, 410)
    assert.equal(masked(shapes[0]!)[1], String(page).replace('link_expired', 'link_invalid'))
    assert.match(String(page), /This link no longer works/)
  }
  assert.equal((await reset(app, { token, password: OWN })).status, 200, 'and nothing of it used the link up')
})

test('P04: a reset by link signs the user out everywhere, verifies the address and tells them; their factors stay', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const open = await app.signIn(system, { email: user.email })
  await app.db.insert(totpFactors).values({ userId: user.id, sealedSecret: Buffer.alloc(32), confirmedAt: new Date() })
  await app.db
    .insert(passkeys)
    .values({ userId: user.id, credentialId: crypto.randomUUID(), publicKey: Buffer.alloc(32), name: 'Phone' })
  const verification = await mailed(app, '/verify-email', user)
  const { token } = await mailed(app, '/reset-password', user)

  const answer = await reset(app, { token, password: OWN })

  assert.equal(answer.status, 200)
  assert.equal((await app.me(open.access_token)).status, 401)
  assert.equal((await app.refresh(system, open.refresh_token!)).body.error, 'invalid_grant')
  const silent = await app.authorize(system, { email: user.email, visitor: open.visitor, parameters: { prompt: 'none' } })
  assert.equal(silent.back.error, 'login_required')
  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.deepEqual([read.emailVerified, read.mfaEnabled, read.mustChangePassword], [true, true, false])
  assert.equal((await verify(app, { token: verification.token })).status, 410)
  const { kind, text } = (await app.letters(user.email)).at(-1)!
  assert.deepEqual([kind, /changed by a link/.test(text)], ['password_changed', true])
  const [entry] = await app.audited({ targetId: user.id, action: 'user.password_reset_by_link' })
  assert.deepEqual([entry?.actorType, entry?.actorId, entry?.changes], ['user', user.id, { emailVerified: [false, true] }])
  assert.deepEqual((await app.happened({ userId: user.id, type: 'user.updated' })).at(-1)?.data.changed, ['password'])
  const held = JSON.stringify([await app.audited({ targetId: user.id }), await app.happened({ userId: user.id })])
  assert.ok(!held.includes(token) && !held.includes(OWN))
})

test('a reset by link ends a temporary password and gives a password to who had none', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { temporaryPassword } = (await app.platform.post(`/admin/users/${user.id}/reset-password`)).body
  const passwordless = await app.newUser({ password: undefined })
  await app.newMembership({ userId: passwordless.id, systemId: system.id })

  for (const each of [user, passwordless]) {
    const { token } = await mailed(app, '/reset-password', each)
    assert.equal((await reset(app, { token, password: OWN })).status, 200)
    assert.ok(await signsIn(app, system, each.email, OWN), 'without being asked for another one')
  }
  assert.ok(!(await signsIn(app, system, user.email, temporaryPassword)))
})

test('a reset by link of a disabled user leaves them disabled', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: true })
  const { token } = await mailed(app, '/reset-password', user)

  await reset(app, { token, password: OWN })

  assert.ok(!(await signsIn(app, system, user.email, OWN)))
})

test('a password that is refused does not use the link up', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { link } = await mailed(app, '/reset-password', user)
  const browser = app.visitor()
  const faults: [Record<string, string>, RegExp][] = [
    [{}, /Enter a new password\./],
    [{ password: 'seven77' }, /This password is too short\./],
    [{ password: 'x'.repeat(129) }, /This password is too long\./],
    [{ password: 'Password123' }, /others would guess it/],
    [{ password: OWN, passwordAgain: 'other words' }, /This is not the password above\./],
  ]

  let page = await browser.get(link)
  for (const [fields, sentence] of faults) {
    page = await browser.submit(page, fields)
    assert.deepEqual([page.status, sentence.test(String(page.body))], [400, true], String(sentence))
  }
  const done = await browser.submit(page, { password: OWN, passwordAgain: OWN })

  assert.equal(done.status, 200)
})

test('P26: the forms are refused when another page sends them, and a GET never uses a link', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const tokens = { '/reset-password': '', '/verify-email': '' }
  for (const path of ['/reset-password', '/verify-email'] as const) tokens[path] = (await mailed(app, path, user)).token
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
  ]

  for (const path of ['/reset-password', '/verify-email'] as const) {
    for (const headers of foreign) {
      const answer = await app.visitor().post(path, { token: tokens[path], password: OWN }, headers)
      assert.deepEqual([answer.status, /csrf_rejected/.test(String(answer.body))], [403, true], JSON.stringify(headers))
    }
    assert.equal((await app.visitor().get(`${path}?token=${tokens[path]}&password=${OWN}&_method=POST`)).status, 200)
  }
  const own = { 'sec-fetch-site': 'same-origin', origin: 'null' }
  assert.equal((await app.visitor().post('/verify-email', { token: tokens['/verify-email'] }, own)).status, 200)
  assert.equal(
    (await app.visitor().post('/reset-password', { token: tokens['/reset-password'], password: OWN }, own)).status,
    200,
  )
})

test('a verification link verifies the address once, and is audited as the deed of the user', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { link } = await mailed(app, '/verify-email', user)
  const browser = app.visitor()

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
  const events = await app.happened({ userId: user.id, type: 'user.updated' })
  assert.deepEqual(
    events.map(({ data }) => data.changed),
    [['emailVerified']],
  )
})

test('a link that was mailed to an address verifies no other, also when the address comes back', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { token } = await mailed(app, '/verify-email', user)
  const path = `/admin/users/${user.id}`
  await app.platform.patch(path, { email: `${crypto.randomUUID()}@x.test` })
  await app.platform.patch(path, { email: user.email })

  const answer = await verify(app, { token })

  assert.equal(answer.status, 410)
  assert.equal(await emailVerified(app, user.id), false)
})

test('as JSON the links say what they take, what is wrong, and that it is done', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.visitor()
  const send = (path: string, body: unknown) =>
    browser.request(path, {
      method: 'POST',
      headers: { ...JSON_ONLY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const forVerify = await mailed(app, '/verify-email', user)
  const forReset = await mailed(app, '/reset-password', user)

  const verifying = await browser.get(forVerify.link, JSON_ONLY)
  const verified = await send(verifying.body.action, { token: forVerify.token })
  const resetting = await browser.get(forReset.link, JSON_ONLY)
  const refused = await send(resetting.body.action, { token: forReset.token, password: 'short' })
  const done = await send(resetting.body.action, { token: forReset.token, password: OWN })
  const again = await send(resetting.body.action, { token: forReset.token, password: OWN })

  const token = (value: string) => ({ name: 'token', type: 'hidden', required: true, value })
  assert.deepEqual(verifying.body, {
    step: 'verify_email',
    action: '/verify-email',
    email: user.email,
    fields: [token(forVerify.token)],
    errors: [],
  })
  assert.deepEqual(resetting.body.fields, [
    token(forReset.token),
    { name: 'password', type: 'password', required: true, minLength: 8, maxLength: 128 },
  ])
  assert.deepEqual([verified.body, done.body], [{ step: 'email_verified' }, { step: 'password_changed' }])
  assert.deepEqual([refused.status, refused.body.errors], [400, [{ path: 'password', message: 'This password is too short.' }]])
  assert.deepEqual([again.status, again.body.code], [410, 'link_expired'])
})

test('the pages of links speak the language of the browser', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { link } = await mailed(app, '/reset-password', user)
  const page = async (address: string) => String((await app.visitor().get(address, { 'accept-language': 'pt-PT' })).body)

  assert.match(await page(link), /<html lang="pt-BR">[\s\S]*Escolha uma nova senha/)
  assert.match(await page('/verify-email?token=x'), /Este link não funciona mais/)
})
