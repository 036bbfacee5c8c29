/** Misuse of registration and password reset by unauthenticated clients. */
import assert from 'node:assert/strict'
import { request as rawRequest } from 'node:http'
import { test } from 'node:test'
import {
  type App,
  begin,
  confirm,
  findUser,
  follow,
  JSON_ONLY,
  linkIn,
  masked,
  membershipsOf,
  newEmail,
  newestLink,
  newOpenSystem,
  OWN,
  register,
  resend,
  type System,
} from '../../test/support/registration.ts'
import { assertSameTime } from '../../test/support/response-times.ts'
import { type Answer, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { limits } from '../database/schema.ts'

const asks = ['register', 'forgot-password'] as const
/** Opens the form and submits it. */
async function ask(
  app: App,
  system: System,
  what: (typeof asks)[number],
  email: string,
  headers: Record<string, string> = {},
) {
  const browser = app.newBrowser()
  const form = await follow(browser, await begin(browser, system), what)
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(form.body))![1]!
  const send = () =>
    browser.post(/action="([^"]+)"/.exec(String(form.body))![1]!, { csrf, email, password: OWN }, headers)
  return { browser, send, page: await send() }
}

/** An address of every kind whose responses must be equal. */
async function everyKind(app: App, system: System) {
  const [plain, disabled, pending, passwordless] = [
    await app.newUser(),
    await app.newUser(),
    await app.newUser(),
    await app.newUser({ password: undefined }),
  ]
  await app.platform.patch(`/admin/users/${disabled.id}`, { disabled: true })
  await app.newMembership({ userId: pending.id, systemId: system.id, status: 'pending' })
  const registered = newEmail()
  await register(app, system, { email: registered })
  return {
    unknown: newEmail('user'),
    plain: plain.email,
    disabled: disabled.email,
    pending: pending.email,
    passwordless: passwordless.email,
    registered,
  }
}

test('P05: registration and password reset answer the same for every address', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)

  for (const what of asks) {
    for (const headers of [{}, JSON_ONLY] as Record<string, string>[]) {
      const kinds = await everyKind(app, system)
      const answers = await Promise.all(
        Object.values(kinds).map(async (email) => (await ask(app, system, what, email, headers)).page),
      )
      const comparable = answers.map((answer, index) => {
        const kept: string[] = []
        answer.headers.forEach((value, name) => {
          if (name !== 'date' && name !== 'content-length') kept.push(`${name}: ${value}`)
        })
        const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
        return {
          status: answer.status,
          kept,
          body: masked({ ...answer, body }).replaceAll(Object.values(kinds)[index]!, 'ADDRESS'),
        }
      })

      for (const each of comparable.slice(1)) assert.deepEqual(each, comparable[0])
      assert.equal(comparable[0]!.status, 200)
    }
  }
})

test('P05: the following steps are the same too', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const taken = await app.newUser()
  const emails = [newEmail('user'), taken.email]
  const registered = await Promise.all(emails.map((email) => register(app, system, { email })))

  const early = await Promise.all(registered.map(({ browser, page }) => browser.submit(page)))
  const again = await Promise.all(registered.map(({ browser, page }) => resend(browser, page)))

  for (const answers of [early, again]) {
    const [one, other] = answers.map((answer, index) => [
      answer.status,
      masked(answer).replaceAll(emails[index]!, 'ADDRESS'),
    ])
    assert.deepEqual(one, other)
  }
  const kinds = async (email: string) => (await app.emailsTo(email)).map(({ kind }) => kind)
  assert.deepEqual(await kinds(emails[0]!), ['registration', 'registration'])
  assert.deepEqual(await kinds(emails[1]!), ['user_exists', 'user_exists'])
})

test('an existing user who registers receives an email with a reset link', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { name: 'Shop' })
  const { user, system: home } = await app.newMember({ skipConsent: true })

  await register(app, system, { email: user.email.toUpperCase(), fields: { name: 'Mallory' } })

  const [message] = await app.emailsTo(user.email)
  assert.equal(message!.subject, 'Shop: your address is already registered')
  assert.match(linkIn(message!), /\/reset-password\?token=/)
  assert.equal((await app.newBrowser().get(linkIn(message!))).status, 200)
  assert.ok((await app.authorize(home, { email: user.email, password: PASSWORD })).back.code)
  assert.equal((await app.authorize(home, { email: user.email, password: OWN })).page.status, 401)
  const { name } = await findUser(app, user.email)
  assert.equal(name, null)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.registered' })
  assert.deepEqual([entry?.outcome, entry?.actorType, entry?.systemId], ['failure', 'anonymous', system.id])
})

test('P06: registration and reset take the same time for every address', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)

  for (const what of asks) {
    let requests = 0
    const submitting = async (email: string) => {
      if (requests++ % 20 === 0) await app.db.delete(limits) // a network may send 30
      const browser = app.newBrowser()
      const form = await follow(browser, await begin(browser, system), what)
      return () => browser.submit(form, { email, password: OWN })
    }
    const kinds = {
      known: async () => submitting((await app.newUser()).email),
      unknown: () => submitting(newEmail()),
    }
    await assertSameTime(t, kinds, { rounds: 25 })
  }
})

test('P07: an address receives three such emails, then one an hour; responses stay the same', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const known = await app.newUser()
  const fresh = newEmail()

  for (const email of [known.email, fresh]) {
    const answers: Answer[] = []
    for (let round = 0; round < 3; round++) {
      const spelled = round % 2 === 0 ? email : email.toUpperCase()
      const { browser, page, form } = await register(app, system, { email: spelled })
      answers.push(page, await browser.submit(form, { email: spelled, password: OWN }))
      await resend(browser, page)
      await ask(app, system, 'forgot-password', spelled)
    }

    assert.equal((await app.emailsTo(email)).length, 3)
    assert.deepEqual(
      new Set(
        answers.map((answer) =>
          masked(answer).replaceAll(/\w+-\w+@x\.test|user-\w+@example\.test/gi, 'ADDRESS'),
        ),
      ).size,
      1,
    )
  }
})

test('one network may register or reset 30 times, then once a minute', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const system = await newOpenSystem(app)
  const from = { 'x-forwarded-for': `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join('.')}` }
  const browser = app.newBrowser()
  const login = await begin(browser, system, {}, from)
  const forms = [
    await follow(browser, login, 'register', from),
    await follow(browser, login, 'forgot-password', from),
  ]
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(login.body))![1]!
  const send = (index: number, headers: Record<string, string> = from) => {
    const path = /action="([^"]+)"/.exec(String(forms[index % 2]!.body))![1]!
    return browser.post(path, { csrf, email: newEmail(), password: OWN }, headers)
  }

  const answers: Answer[] = []
  // They are not sent at once: their password hashes would wait too long for their turn on a busy machine.
  for (let group = 0; group < 6; group++)
    answers.push(...(await Promise.all(Array.from({ length: 5 }, (_, index) => send(index)))))
  const refused = [await send(0), await send(1)]
  const json = await send(1, { ...from, ...JSON_ONLY })
  const neighbour = await send(0, { 'x-forwarded-for': '10.250.0.1' })
  await app.db.update(limits).set({ expire: sql`${limits.expire} - 60000` })
  const later = await send(0)

  assert.ok(answers.every(({ status }) => status === 200))
  for (const { status, headers, body } of refused) {
    assert.equal(status, 429)
    assert.match(headers.get('retry-after')!, /^[1-6]?\d$/)
    assert.match(String(body), /Too many attempts\. Try again in/)
  }
  assert.deepEqual(
    [json.status, json.body.code, neighbour.status, later.status],
    [429, 'too_many_requests', 200, 200],
  )
})

test('P08: a hostile address gets no email and no user, and a hostile name is one line of text', async (t) => {
  const app = await startTestApp(t)
  const name = 'X\r\nBcc: evil@x.example\r\n\r\n<a href=//evil.example>click</a>'
  const system = await newOpenSystem(app, { name, multiAccount: true })
  const email = newEmail()
  const hostile = [
    '"a\r\nBcc: x@e.example"@x.test',
    'a@x.test,b@x.test',
    'a@x.test>\r\nRCPT TO:<b@x.test',
    'A <a@x.test>',
    'a@x.test\0',
  ]

  for (const address of hostile) {
    assert.equal((await ask(app, system, 'register', address)).page.status, 400, address)
    await ask(app, system, 'forgot-password', address)
    if (!address.includes('\0')) assert.deepEqual(await app.emailsTo(address), [])
  }
  await register(app, system, { email, fields: { name, accountName: name } })

  const [message, ...more] = await app.emailsTo(email)
  assert.deepEqual(more, [])
  assert.doesNotMatch(message!.subject, /[\r\n]/)
  assert.doesNotMatch(message!.html, /<a href=\/\//)
  assert.equal((await confirm(app, linkIn(message!))).status, 200)
  const [membership] = await membershipsOf(app, await findUser(app, email))
  assert.equal(membership.account.name, 'X Bcc: evil@x.example <a href=//evil.example>click</a>')
})

test('P26: forms from another origin or without token have no effect', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()
  const known = await app.newUser()
  const browser = app.newBrowser()
  const forms = { register: email, 'forgot-password': known.email }

  for (const [what, address] of Object.entries(forms)) {
    const form = await follow(browser, await begin(browser, system), what as 'register')
    const csrf = /name="csrf" value="([^"]+)"/.exec(String(form.body))![1]!
    const fields = { email: address, password: OWN }
    const path = /action="([^"]+)"/.exec(String(form.body))![1]!
    const answers = [
      await browser.post(path, fields),
      await browser.post(path, { ...fields, csrf: 'x' }),
      await browser.post(path, { ...fields, csrf }, { origin: 'https://evil.example' }),
      await browser.post(path, { ...fields, csrf }, { origin: 'null' }),
      await browser.post(path, { ...fields, csrf }, { 'sec-fetch-site': 'cross-site' }),
    ]
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([403]))
    if (!address.includes('\0')) assert.deepEqual(await app.emailsTo(address), [])
  }
  assert.equal(await findUser(app, email), undefined)
})

test('P01: links and redirects start with BASE_URL whatever the Host header says', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const forged: Record<string, string>[] = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example;proto=https' },
  ]

  for (const headers of forged) {
    for (const what of asks) {
      const email = what === 'register' ? newEmail() : (await app.newUser()).email
      const browser = app.newBrowser()
      const form = await follow(browser, await begin(browser, system), what)
      const csrf = /name="csrf" value="([^"]+)"/.exec(String(form.body))![1]!
      const path = /action="([^"]+)"/.exec(String(form.body))![1]!
      const cookie = [...browser.jar].map(([key, { value }]) => `${key.split(' ')[0]}=${value}`).join('; ')
      const status = await rawPost(app.url + path, { ...headers, cookie }, { csrf, email, password: OWN })

      assert.equal(status, 303)
      assert.equal(new URL(await newestLink(app, email)).origin, app.url)
    }
  }
})

/** A POST with any header, including those that fetch does not allow. */
function rawPost(
  url: string,
  headers: Record<string, string>,
  fields: Record<string, string>,
): Promise<number> {
  const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const sent = rawRequest(url, { method: 'POST', headers: { ...type, ...headers } }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0))
  })
  sent.on('error', reject).end(String(new URLSearchParams(fields)))
  return promise
}
