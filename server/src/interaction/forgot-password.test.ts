/** Password reset during a sign-in. For misuse see unauthenticated.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  begin,
  codeOf,
  follow,
  JSON_ONLY,
  linkIn,
  newEmail,
  newestLink,
  OWN,
  type System,
} from '../../test/support/registration.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { oneTimeTokens } from '../database/schema.ts'

async function forgot(app: App, system: System, email: string, parameters: Record<string, string> = {}) {
  const browser = app.newBrowser()
  const login = await begin(browser, system, parameters)
  const form = await follow(browser, login, 'forgot-password')
  return { browser, login, form, page: await browser.submit(form, { email }) }
}

test('a reset link sets a new password, and the sign-in continues in its browser', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ name: 'Shop', skipConsent: true })

  const { browser, page } = await forgot(app, system, ` ${user.email.toUpperCase()} `)
  const [message] = await app.emailsTo(user.email)
  await app
    .newBrowser()
    .post('/reset-password', { token: new URL(linkIn(message!)).searchParams.get('token')!, password: OWN })
  const back = await browser.get(
    /href="([^"]+)"[^>]*>Back to the sign-in/.exec(String(page.body))?.[1] ??
      /id="next" href="([^"]+)"/.exec(String(page.body))![1]!,
  )
  const done = await browser.follow(await browser.submit(back, { email: user.email, password: OWN }))

  assert.equal(page.status, 200)
  assert.match(String(page.body), /If <bdi>[^<]+<\/bdi> is registered, we sent a link/)
  assert.equal(message!.subject, 'Choose a new password for Shop')
  assert.ok(codeOf(done))
  assert.equal((await app.authorize(system, { email: user.email, password: PASSWORD })).page.status, 401)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.password_reset_sent' })
  assert.deepEqual([entry?.actorType, entry?.outcome, entry?.systemId], ['anonymous', 'success', system.id])
})

test('a link expires after 30 minutes, starts no session and lifts no block', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({ skipConsent: true })
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  await forgot(app, system, user.email)
  const [{ life }] = (await app.db
    .select({ life: sql<number>`extract(epoch from ${oneTimeTokens.expiresAt} - now())::float8` })
    .from(oneTimeTokens)
    .where(eq(oneTimeTokens.userId, user.id))) as [{ life: number }]
  const visitor = app.newBrowser()

  await visitor.submit(await visitor.get(await newestLink(app, user.email)), { password: OWN })
  const page = await visitor.follow(
    await visitor.submit(await begin(visitor, system), { email: user.email, password: OWN }),
  )

  assert.ok(life > 1_700 && life <= 1_800, `${life} seconds`)
  assert.match(String(page.body), /Your access is blocked/)
})

test('an address without a user, and a disabled user, receive no email', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const disabled = await app.newUser({ disabled: false })
  await app.platform.patch(`/admin/users/${disabled.id}`, { disabled: true })
  const unknown = newEmail()

  for (const email of [disabled.email, unknown]) {
    assert.equal((await forgot(app, system, email)).page.status, 200)
    assert.deepEqual(await app.emailsTo(email), [])
  }
  const failed = (await app.audited({ systemId: system.id, action: 'user.password_reset_sent' })).map(
    ({ outcome, targetId }) => [outcome, targetId],
  )
  assert.deepEqual(failed, [
    ['failure', disabled.id],
    ['failure', null],
  ])
})

test('pages and emails use the language of the user', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ name: 'Loja' })
  const user = await app.newUser({ locale: 'pt-BR' })

  const { page } = await forgot(app, system, user.email, { ui_locales: 'es' })

  assert.match(String(page.body), /Revisa tu correo/)
  assert.equal((await app.emailsTo(user.email))[0]!.subject, 'Escolha uma nova senha para Loja')
})

test('login_hint fills the form in, errors are at the field, and JSON is available', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const { browser, form } = await forgot(app, system, newEmail(), { login_hint: 'ana@x.test' })
  const action = /action="([^"]+)"/.exec(String(form.body))![1]!
  const headers = { ...JSON_ONLY, 'content-type': 'application/json' }
  const send = (body: object) =>
    browser.request(action, { method: 'POST', headers, body: JSON.stringify(body) })

  const faulty = await browser.submit(form, { email: 'ana' })
  const step = (await browser.get(action, JSON_ONLY)).body
  const wrong = [await send({}), await send({ email: ['ana@x.test'] }), await send({ email: { $ne: null } })]
  const sent = await send({ email: 'ana@x.test' })

  assert.match(String(form.body), /name="email"[^>]* value="ana@x\.test"/)
  assert.equal(faulty.status, 400)
  assert.match(String(faulty.body), /id="email-error">Enter a valid email address, such as/)
  assert.deepEqual(
    [step.step, step.action, step.fields.map(({ name }: { name: string }) => name)],
    ['forgot_password', action, ['email']],
  )
  assert.deepEqual(
    wrong.map(({ status, body }) => [status, body.errors.map(({ path }: { path: string }) => path)]),
    Array(3).fill([400, ['email']]),
  )
  assert.deepEqual([sent.status, sent.body.step, sent.body.errors], [200, 'password_reset_sent', []])
})
