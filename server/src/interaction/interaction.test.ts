import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  authUrl,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A system and a member of it. */
async function memberOf(app: App, system: object = {}, membership: object = {}) {
  const made = await app.newSystem(system)
  const user = await app.newUser()
  const created = await app.newMembership({ userId: user.id, systemId: made.id, ...membership })
  return { system: made, user, membership: created }
}

type SystemLike = Parameters<App['signIn']>[0]

const begin = async (
  browser: TestBrowser,
  system: SystemLike,
  parameters: Record<string, string> = {},
  headers: Record<string, string> = {},
) => {
  const started = await browser.get(authUrl(system, newPkce().challenge, parameters))
  return browser.get(started.headers.get('location')!, headers)
}

const JSON_ONLY = { accept: 'application/json' }
/** The requests of a product with its own screens. */
const send = (browser: TestBrowser, target: string, body: unknown) =>
  browser.request(target, {
    method: 'POST',
    headers: { ...JSON_ONLY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Follows the response of a step to the next step or to the redirect to the application. */
async function next(browser: TestBrowser, answer: Answer): Promise<Answer> {
  const resumed = await browser.get(answer.body.location, JSON_ONLY)
  const location = resumed.headers.get('location')!
  return location.startsWith('/') ? browser.get(location, JSON_ONLY) : resumed
}

test('a product with its own screens is led through every step as JSON', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await memberOf(
    app,
    { name: 'Shop', multiAccount: true },
    { accountName: 'Acme' },
  )
  const second = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Bolt' })
  const browser = app.newBrowser()

  const login = await begin(browser, system, { login_hint: user.email }, JSON_ONLY)
  const selector = await next(
    browser,
    await send(browser, login.body.action, { email: user.email, password: PASSWORD }),
  )
  const consent = await next(
    browser,
    await send(browser, selector.body.action, { accountId: second.accountId }),
  )
  const done = await next(browser, await send(browser, consent.body.action, {}))

  const uid = login.body.action.split('/')[2]
  assert.deepEqual(login.body, {
    step: 'login',
    action: `/interaction/${uid}/login`,
    system: { name: 'Shop' },
    fields: [
      { name: 'email', type: 'email', required: true, value: user.email },
      { name: 'password', type: 'password', required: true },
    ],
    passkey: {
      action: `/interaction/${uid}/passkey`,
      options: {
        challenge: login.body.passkey.options.challenge,
        rpId: 'localhost',
        timeout: 300_000,
        userVerification: 'required',
        allowCredentials: [],
      },
    },
    links: { forgotPassword: `/interaction/${uid}/forgot-password` },
    providers: [],
    errors: [],
  })
  assert.equal(selector.body.step, 'select_account')
  assert.deepEqual(selector.body.fields[0].options, [
    { id: membership.accountId, name: 'Acme', kind: 'organization' },
    { id: second.accountId, name: 'Bolt', kind: 'organization' },
  ])
  assert.equal(consent.body.step, 'consent')
  assert.deepEqual(
    [consent.body.account, consent.body.scopes],
    [{ id: second.accountId, name: 'Bolt' }, ['openid', 'email', 'profile', 'offline_access']],
  )
  assert.ok(new URL(done.headers.get('location')!).searchParams.get('code'))
})

test('JSON errors name the invalid fields', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const browser = app.newBrowser()
  const login = await begin(browser, system, {}, JSON_ONLY)

  const empty = await send(browser, login.body.action, {})
  const wrong = await send(browser, login.body.action, { email: user.email, password: 'not it' })

  assert.equal(empty.status, 400)
  assert.deepEqual(empty.body.errors, [
    { path: 'email', message: 'Enter your email address.' },
    { path: 'password', message: 'Enter your password.' },
  ])
  assert.equal(wrong.status, 401)
  assert.deepEqual(wrong.body.errors, [
    { path: 'form', message: 'The email address or password is incorrect.' },
  ])
})

test('in JSON a pending member gets a message and access_denied', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app, { requireAdminActivation: true })
  const browser = app.newBrowser()
  const login = await begin(browser, system, {}, JSON_ONLY)

  const pending = await next(
    browser,
    await send(browser, login.body.action, { email: user.email, password: PASSWORD }),
  )
  const out = await next(browser, await send(browser, pending.body.action, {}))

  assert.deepEqual(
    [pending.status, pending.body.step, pending.body.reason, pending.body.fields],
    [200, 'access', 'pending', []],
  )
  assert.equal(new URL(out.headers.get('location')!).searchParams.get('error'), 'access_denied')
})

test('pages use the language of ui_locales, then Accept-Language, then English', async (t) => {
  const app = await startTestApp(t)
  const { system } = await memberOf(app)
  const language = async (parameters: Record<string, string>, headers: Record<string, string>) =>
    /<html lang="([^"]+)"/.exec(
      String((await begin(app.newBrowser(), system, parameters, headers)).body),
    )?.[1]

  assert.equal(await language({ ui_locales: 'it es' }, { 'accept-language': 'pt-BR' }), 'es')
  assert.equal(await language({}, { 'accept-language': 'nl, pt-PT;q=0.9' }), 'pt-BR')
  assert.equal(await language({ ui_locales: 'tlh' }, { 'accept-language': 'ja' }), 'ja')
  assert.equal(await language({ ui_locales: 'tlh' }, { 'accept-language': 'nl' }), 'en')
})

test('the language stays when a step is shown again', async (t) => {
  const app = await startTestApp(t)
  const { system } = await memberOf(app)
  const browser = app.newBrowser()

  const again = await browser.submit(await begin(browser, system, { ui_locales: 'es' }), {
    email: 'nobody@example.test',
    password: 'x',
  })

  assert.match(String(again.body), /El correo electrónico o la contraseña son incorrectos\./)
})

test('the login page has the hooks of password managers and the login_hint', async (t) => {
  const app = await startTestApp(t)
  const { system } = await memberOf(app)

  const page = String((await begin(app.newBrowser(), system, { login_hint: 'pat@example.test' })).body)

  assert.match(
    page,
    /<input id="email" name="email" type="email" autocomplete="username webauthn"[^>]* value="pat@example\.test"/,
  )
  assert.match(page, /<input id="password" name="password" type="password" autocomplete="current-password"/)
  assert.match(page, /<button type="submit" id="submit">/)
})

test('an e-mail address is accepted in any letter case and with spaces around it', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)

  const { back } = await app.authorize(system, { email: `  ${user.email.toUpperCase()} ` })

  assert.ok(back.code)
})

test('P05: all failed logins get the same response', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  const disabled = await app.newUser()
  await app.newMembership({ userId: disabled.id, systemId: system.id })
  await app.platform.patch(`/admin/users/${disabled.id}`, { disabled: true })
  const [blocked, pending, outsider] = [await app.newUser(), await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: blocked.id, systemId: system.id, status: 'blocked' })
  await app.newMembership({ userId: pending.id, systemId: system.id, status: 'pending' })
  const passwordless = await app.newUser({ password: undefined })
  const attempts: [string, string][] = [
    [user.email, 'wrong password'],
    ['nobody@example.test', PASSWORD],
    [disabled.email, PASSWORD],
    [blocked.email, 'wrong password'],
    [pending.email, 'wrong password'],
    [outsider.email, 'wrong password'],
    [passwordless.email, PASSWORD],
    [user.email, 'x'.repeat(1_024)],
    [user.email, `${PASSWORD}\0`],
  ]

  const answers = []
  for (const [email, password] of attempts) {
    const browser = app.newBrowser()
    const answer = await browser.submit(await begin(browser, system), { email, password })
    answers.push(masked(answer, email))
  }

  assert.equal(answers[0]!.status, 401)
  for (const answer of answers) assert.deepEqual(answer, answers[0])
})

test('a failed login is audited with the user and without the submitted values', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)

  await app.authorize(system, { email: user.email, password: 'the wrong secret' })

  const entries = await app.audited({ targetId: user.id, action: 'user.login' })
  assert.deepEqual(
    entries.map(({ outcome, actorType, systemId }) => [outcome, actorType, systemId]),
    entries.map(() => ['failure', 'anonymous', system.id]),
  )
  assert.ok(entries.length > 0)
  assert.doesNotMatch(JSON.stringify(entries), /the wrong secret/)
})

test('a login is audited with the user as actor and stored as the last login', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)

  await app.signIn(system, { email: user.email })

  const [entry] = await app.audited({ targetId: user.id, action: 'user.login' })
  assert.deepEqual(
    [entry?.outcome, entry?.actorType, entry?.actorId, entry?.systemId],
    ['success', 'user', user.id, system.id],
  )
  const { lastLoginAt } = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.ok(Date.now() - Date.parse(lastLoginAt) < 60_000)
})

for (const [status, words] of [
  ['pending', /Waiting for activation/],
  ['blocked', /Your access is blocked/],
] as const) {
  test(`a ${status} member gets a message after the password, the application access_denied`, async (t) => {
    const app = await startTestApp(t)
    const { system, user } = await memberOf(app, {}, { status })
    const browser = app.newBrowser()

    const login = await begin(browser, system)
    const pending = await browser.follow(
      await browser.submit(login, { email: user.email, password: PASSWORD }),
    )
    const out = await browser.follow(await browser.submit(pending))

    assert.match(String(pending.body), words)
    const back = new URL(out.headers.get('location')!)
    assert.deepEqual(
      [back.origin, back.searchParams.get('error'), back.searchParams.get('code')],
      ['https://app.example', 'access_denied', null],
    )
  })
}

test('a user without membership is sent back with access_denied', async (t) => {
  const app = await startTestApp(t)
  const { system } = await memberOf(app)
  const outsider = await app.newUser()

  const { back } = await app.authorize(system, { email: outsider.email })

  assert.deepEqual([back.error, back.code, back.state], ['access_denied', undefined, 'the-state'])
})

test('a user who is enabled again signs in with the old password', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await memberOf(app)
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: true })
  await app.platform.patch(`/admin/users/${user.id}`, { disabled: false })

  const { back } = await app.authorize(system, { email: user.email })

  assert.ok(back.code)
})

/** A response with the values that differ between sign-ins masked. */
function masked({ status, headers, body }: Answer, email: string) {
  const kept: Record<string, string> = {}
  headers.forEach((value, name) => {
    if (name !== 'date' && name !== 'content-length') kept[name] = value
  })
  const text = String(body)
    .replaceAll(/interaction\/[\w-]+/g, 'interaction/UID')
    .replaceAll(/[\w-]{43}(?=\\?"|&quot;)/g, 'RANDOM')
    .replaceAll(email, 'EMAIL')
  return { status, headers: kept, text }
}
