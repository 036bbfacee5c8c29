/** Registration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  begin,
  codeOf,
  findUser,
  JSON_ONLY,
  membershipsOf,
  newEmail,
  newestCode,
  newestLink,
  newOpenSystem,
  OWN,
  otherCode,
  register,
  registerByCode,
  type System,
} from '../../test/support/registration.ts'
import { startTestApp } from '../../test/support/testing.ts'

const signsIn = async (app: App, system: System, email: string, password = OWN) =>
  (await app.authorize(system, { email, password })).back.code !== undefined
/** Registers, enters the code, and finds the user. */
async function registerUser(app: App, system: System, fields: Record<string, string> = {}) {
  const email = newEmail()
  const registered = await registerByCode(app, system, { email, fields })
  const user = await findUser(app, email)
  return { email, ...registered, user, memberships: await membershipsOf(app, user) }
}

test('the emailed code creates the user and signs in, in the browser that registered', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()

  const { browser, page } = await register(app, system, { email, fields: { name: 'Ana Lima' } })
  const code = await newestCode(app, email)
  const before = await findUser(app, email)
  const early = await browser.submit(page)
  const wrong = await browser.submit(page, { code: otherCode(code) })
  const done = await browser.follow(await browser.submit(page, { code }))

  assert.equal(before, undefined)
  assert.deepEqual([page.status, early.status, wrong.status], [200, 400, 401])
  assert.match(String(page.body), new RegExp(`the email that we sent to <bdi>${email}</bdi>`))
  assert.match(String(early.body), /id="code-error">Enter the 6-digit code/)
  assert.match(String(wrong.body), /id="code-error">The code is incorrect/)
  assert.ok(codeOf(done))
  assert.ok(await signsIn(app, system, email))
  const user = await findUser(app, email)
  assert.deepEqual([user.name, user.emailVerified, user.locale], ['Ana Lima', true, 'en'])
  const [membership, ...more] = await membershipsOf(app, user)
  assert.deepEqual(
    [membership.systemId, membership.status, membership.roles, more],
    [system.id, 'active', [], []],
  )
  const { kind } = (await app.platform.get(`/admin/accounts/${membership.accountId}`)).body
  assert.equal(kind, 'personal')
})

test('P09: the emailed link asks for a password, and that of the registration is discarded', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { name: 'Shop' })
  const email = newEmail()
  const { browser, page } = await register(app, system, { email, fields: { password: 'typed by mallory' } })
  const code = await newestCode(app, email)
  const link = await newestLink(app, email)

  const owner = app.newBrowser()
  const opened = await owner.get(link)
  const short = await owner.submit(opened, { password: 'short' })
  const created = await owner.submit(opened, { password: OWN })
  const again = await owner.submit(opened, { password: OWN })
  const late = await browser.submit(page, { code })

  assert.match(String(opened.body), new RegExp(`register for <bdi>Shop</bdi> with the address <bdi>${email}`))
  assert.deepEqual([opened.status, short.status, created.status, again.status], [200, 400, 200, 410])
  assert.match(String(created.body), /You are registered/)
  assert.notEqual(late.status, 200, 'the browser that registered does not continue')
  assert.equal(codeOf(late), null)
  assert.ok(await signsIn(app, system, email))
  assert.equal(await signsIn(app, system, email, 'typed by mallory'), false)
  assert.equal((await membershipsOf(app, await findUser(app, email))).length, 1)
})

test('registration is audited and recorded as events', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)

  const { user } = await registerUser(app, system)

  const audited = (await app.audited({ targetId: user.id })).map(({ action, actorType, systemId }) => [
    action,
    actorType,
    systemId,
  ])
  assert.deepEqual(audited, [
    ['user.registered', 'user', system.id],
    ['user.login', 'user', system.id],
  ])
  assert.equal(
    (await app.audited({ systemId: system.id, action: 'membership.created', actorId: user.id })).length,
    1,
  )
  const types = (await app.findEvents({ userId: user.id }))
    .filter(({ copy }) => !copy)
    .map(({ type }) => type)
  assert.deepEqual(types, ['user.created', 'user.access_granted'])
})

test('with multiAccount the user names an organization and administers it', async (t) => {
  const app = await startTestApp(t)
  const [none, one, two] = await Promise.all([1, 2, 3].map(() => newOpenSystem(app, { multiAccount: true })))
  const owner = await app.newRole(one!.id, { isAdmin: true })
  await app.newRole(one!.id)
  await app.newRole(two!.id, { isAdmin: true })
  await app.platform.patch(`/admin/systems/${two!.id}`, { founderRoleId: null })

  const made = await Promise.all(
    [none!, one!, two!].map(
      async (system) => (await registerUser(app, system, { accountName: 'Northsea Shipping' })).memberships,
    ),
  )

  assert.deepEqual(
    made.map(([{ account, roles }]) => [account.name, roles]),
    [
      ['Northsea Shipping', []],
      ['Northsea Shipping', [owner.id]],
      ['Northsea Shipping', []],
    ],
  )
})

test('with requireAdminActivation the membership is pending, and the page says so', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { requireAdminActivation: true })

  const { email, browser, done, user, memberships } = await registerUser(app, system)

  assert.match(String(done.body), /Waiting for activation/)
  assert.equal(memberships[0].status, 'pending')
  assert.equal((await app.findEvents({ userId: user.id, type: 'user.access_requested' })).length, 1)
  const refused = new URL((await browser.follow(await browser.submit(done))).headers.get('location')!)
  assert.equal(refused.searchParams.get('error'), 'access_denied')
  await app.platform.patch(`/admin/memberships/${memberships[0].id}`, { status: 'active' })
  assert.ok(await signsIn(app, system, email))
})

test('until the code is entered there is no user, account, membership or session', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()
  const { browser, page } = await register(app, system, { email })
  const [, uid] = /interaction\/([\w-]+)\//.exec(String(page.body))!
  const [, csrf] = /name="csrf" value="([^"]+)"/.exec(String(page.body))!

  const ways = await Promise.all(
    ['login', 'join', 'account', 'consent', 'verify-email'].map(async (way) =>
      browser.follow(await browser.post(`/interaction/${uid}/${way}`, { csrf: csrf!, decision: 'allow' })),
    ),
  )
  const resumed = await browser.follow(await browser.get(`/auth/${uid}`))
  const signedIn = await app.authorize(system, { email, password: OWN })

  for (const answer of [page, ...ways, resumed, signedIn.page]) assert.equal(codeOf(answer), null)
  assert.equal(signedIn.page.status, 401)
  assert.equal(await findUser(app, email), undefined)
  assert.equal((await app.platform.get(`/admin/systems/${system.id}/accounts`)).body.total, 0)
})

test('form errors are at their fields, values are kept, and nothing is created', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const good = { email: newEmail(), password: OWN, accountName: 'Acme' }
  const faults: [Record<string, string>, RegExp][] = [
    [{ email: ' ' }, /id="email-error">Enter your email address\./],
    [{ email: 'ana' }, /id="email-error">Enter a valid email address, such as/],
    [{ email: `${'a'.repeat(65)}@x.test` }, /id="email-error"/],
    [{ password: '' }, /id="password-error">Enter a new password\./],
    [{ password: 'short' }, /id="password-error">This password is too short\./],
    [{ password: 'x'.repeat(129) }, /id="password-error">This password is too long\./],
    [{ password: 'iloveyou' }, /id="password-error">This password is too common/],
    [{ name: 'x'.repeat(101) }, /id="name-error">Use at most 100 characters\./],
    [{ accountName: ' ' }, /id="accountName-error">Enter the name of your organization\./],
    [{ accountName: 'x'.repeat(101) }, /id="accountName-error">Use at most 100/],
  ]

  for (const [fields, sentence] of faults) {
    const { page } = await register(app, system, {
      email: good.email,
      fields: { ...good, name: 'Ana', ...fields },
    })
    assert.equal(page.status, 400, JSON.stringify(fields))
    assert.match(String(page.body), sentence)
    assert.equal((String(page.body).match(/class="fault"/g) ?? []).length, 1)
    if (!('name' in fields)) assert.match(String(page.body), /name="name"[^>]* value="Ana"/)
    assert.ok(!String(page.body).includes(OWN))
  }

  assert.equal(await findUser(app, good.email), undefined)
})

test('P13: only the four fields of the form are read', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const admin = await app.newRole(system.id, { isAdmin: true })
  const other = await app.newUser()
  const email = newEmail()
  const fields = {
    id: other.id,
    userId: other.id,
    emailVerified: 'true',
    isAdmin: 'true',
    status: 'active',
    'roles[]': admin.id,
    roles: admin.id,
    accountId: crypto.randomUUID(),
    accountName: 'Mine',
    mustChangePassword: 'true',
    registration: 'null',
    'metadata[x]': '1',
    __proto__: 'x',
  }

  await registerByCode(app, system, { email, fields })
  const user = await findUser(app, email)

  assert.notEqual(user.id, other.id)
  assert.deepEqual([user.mustChangePassword, user.metadata], [false, {}])
  const [membership] = await membershipsOf(app, user)
  assert.deepEqual([membership.roles, membership.account.name], [[], email])
})

test('ten concurrent uses of a link or a code create one user and one membership', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const [email, other] = [newEmail(), newEmail()]
  await register(app, system, { email, fields: { accountName: 'Acme' } })
  const token = new URL(await newestLink(app, email)).searchParams.get('token')!
  const { browser, page } = await register(app, system, { email: other, fields: { accountName: 'Acme' } })
  const code = await newestCode(app, other)

  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      app.newBrowser().post('/confirm-registration', { token, password: OWN }),
    ),
  )
  await Promise.all(Array.from({ length: 5 }, () => browser.submit(page, { code })))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(410)])
  for (const each of [email, other])
    assert.equal((await membershipsOf(app, await findUser(app, each))).length, 1)
})

test('registration is available as JSON', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { multiAccount: true })
  const browser = app.newBrowser()
  const email = newEmail()
  const send = (path: string, body: object) =>
    browser.request(path, {
      method: 'POST',
      headers: { ...JSON_ONLY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const html = await begin(browser, system, { login_hint: email })
  const login = (await browser.get(/action="([^"]+)\/login"/.exec(String(html.body))![1]!, JSON_ONLY)).body

  const form = (await browser.get(login.links.register, JSON_ONLY)).body
  const faulty = await send(form.action, { email, password: 'short', accountName: 'Acme' })
  const waiting = await send(form.action, { email, password: OWN, accountName: 'Acme', name: 'Ana' })
  const { registration } = Object.fromEntries(
    waiting.body.fields.map(({ name, value }: Record<string, string>) => [name, value]),
  )
  const early = await send(waiting.body.action, { registration })
  const again = await send(waiting.body.action, { registration, resend: 'yes' })
  const link = await newestLink(app, email)
  const opened = (await app.newBrowser().get(link, JSON_ONLY)).body
  const done = await send(waiting.body.action, { registration, code: await newestCode(app, email) })

  assert.deepEqual(
    [opened.step, opened.action, opened.fields.map(({ name }: Record<string, unknown>) => name)],
    ['confirm_registration', '/confirm-registration', ['token', 'password']],
  )
  assert.deepEqual([form.step, form.action], ['register', login.links.register])
  assert.deepEqual(
    form.fields.map(({ name, required, value }: Record<string, unknown>) => [name, required, value]),
    [
      ['email', true, email],
      ['password', true, undefined],
      ['name', false, ''],
      ['accountName', true, ''],
    ],
  )
  assert.deepEqual(
    [faulty.status, faulty.body.step, faulty.body.errors],
    [400, 'register', [{ path: 'password', message: 'This password is too short.' }]],
  )
  assert.deepEqual([waiting.status, waiting.body.step, waiting.body.email], [200, 'verify_email', email])
  assert.deepEqual([early.status, early.body.errors.length, again.status], [400, 1, 200])
  assert.equal(done.status, 200)
  assert.ok(codeOf(await browser.follow(await browser.get(done.body.location))))
})
