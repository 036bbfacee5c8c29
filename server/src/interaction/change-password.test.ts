/** A temporary password must be replaced before a sign-in continues. */
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
import { eq, sql } from '../database/drizzle.ts'
import { passwords } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type SystemLike = Parameters<App['signIn']>[0]

const OWN = 'my very own words'
const JSON_ONLY = { accept: 'application/json' }

/** A member with a temporary password. */
async function temporaryUser(app: App) {
  const { system, user } = await app.newMember({ skipConsent: true })
  const { temporaryPassword } = (await app.platform.post(`/admin/users/${user.id}/reset-password`)).body
  return { system, user, temporaryPassword: temporaryPassword as string }
}

const begin = async (browser: TestBrowser, system: SystemLike, parameters: Record<string, string> = {}) =>
  browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))

/** Signs in up to the step that requires a new password. */
async function openNewPasswordStep(
  browser: TestBrowser,
  system: SystemLike,
  email: string,
  password: string,
): Promise<Answer> {
  const page = await browser.follow(await browser.submit(await begin(browser, system), { email, password }))
  assert.match(String(page.body), /action="\/interaction\/[\w-]+\/change-password"/)
  return page
}

const codeOf = (answer: Answer) => new URL(answer.headers.get('location')!).searchParams.get('code')

test('a sign-in with a temporary password requires a new one and continues with it', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const browser = app.newBrowser()

  const page = await openNewPasswordStep(browser, system, user.email, temporaryPassword)
  const done = await browser.follow(await browser.submit(page, { password: OWN, passwordAgain: OWN }))

  assert.ok(codeOf(done))
  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.equal(read.mustChangePassword, false)
  assert.equal(
    (await app.authorize(system, { email: user.email, password: temporaryPassword })).page.status,
    401,
  )
  assert.ok((await app.authorize(system, { email: user.email, password: OWN })).back.code)
  assert.equal((await app.emailsTo(user.email)).at(-1)?.kind, 'password_changed')
  const [entry] = await app.audited({ targetId: user.id, action: 'user.password_changed' })
  assert.deepEqual([entry?.actorId, entry?.systemId], [user.id, system.id])
  assert.deepEqual(entry?.changes, { mustChangePassword: [true, false] })
})

test('set-password requires a new password only with mustChangePassword', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const set = (mustChangePassword: boolean) =>
    app.platform.post(`/admin/users/${user.id}/set-password`, {
      password: 'from the office',
      mustChangePassword,
    })

  await set(true)
  await openNewPasswordStep(app.newBrowser(), system, user.email, 'from the office')
  await set(false)

  assert.ok((await app.authorize(system, { email: user.email, password: 'from the office' })).back.code)
})

test('a short, long, common, reused or mistyped new password is refused with a message', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const browser = app.newBrowser()
  let page = await openNewPasswordStep(browser, system, user.email, temporaryPassword)
  const faults: [Record<string, string>, RegExp][] = [
    [{}, /Enter a new password\./],
    [{ password: 'seven77' }, /This password is too short\./],
    [{ password: 'x'.repeat(129) }, /This password is too long\./],
    [{ password: 'x'.repeat(9_000) }, /This password is too long\./],
    [{ password: 'Password1' }, /too common/],
    [{ password: ' iloveyou ' }, /too common/],
    [{ password: temporaryPassword }, /This is your current password\./],
    [{ password: OWN, passwordAgain: `${OWN}!` }, /The passwords do not match\./],
  ]

  for (const [fields, sentence] of faults) {
    const answer = await browser.submit(page, fields)
    assert.equal(answer.status, 400)
    assert.match(String(answer.body), sentence)
    assert.ok(
      !fields.password || !String(answer.body).includes(fields.password),
      'what was typed is not sent back',
    )
    page = answer
  }

  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.mustChangePassword, true)
  assert.ok(codeOf(await browser.follow(await browser.submit(page, { password: OWN }))))
})

test('P27: the password change cannot be skipped', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const second = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: second.id })
  const browser = app.newBrowser()
  const page = await openNewPasswordStep(browser, system, user.email, temporaryPassword)
  const [, uid] = /\/interaction\/([\w-]+)\//.exec(String(page.body))!
  const [, csrf] = /name="csrf" value="([^"]+)"/.exec(String(page.body))!
  const step = /\/change-password"/

  for (const way of ['login', 'account', 'consent']) {
    const answer = await browser.follow(
      await browser.post(`/interaction/${uid}/${way}`, { csrf: csrf!, decision: 'allow' }),
    )
    assert.match(String(answer.body), step, way)
  }
  for (const target of [system, second]) assert.match(String((await begin(browser, target)).body), step)
  const resumed = await browser.follow(await browser.get(`/auth/${uid}`))
  const silent = await browser.follow(
    await browser.get(authUrl(system, newPkce().challenge, { prompt: 'none' })),
  )

  assert.equal(resumed.headers.get('location'), null)
  assert.equal(new URL(silent.headers.get('location')!).searchParams.get('error'), 'login_required')
  assert.equal(
    ((await app.db.execute(sql`select from sessions where user_id = ${user.id}`)) as { rows: [] }).rows
      .length,
    0,
  )
})

test('when two sign-ins change a temporary password, the first ends the second', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const [owner, thief] = [app.newBrowser(), app.newBrowser()]
  const ownerPage = await openNewPasswordStep(owner, system, user.email, temporaryPassword)
  const thiefPage = await openNewPasswordStep(thief, system, user.email, temporaryPassword)

  const done = await owner.follow(await owner.submit(ownerPage, { password: OWN }))
  const late = await thief.follow(await thief.submit(thiefPage, { password: 'the words of a thief' }))
  const again = await begin(thief, system)

  assert.ok(codeOf(done))
  assert.equal(late.status, 404)
  assert.match(String(again.body), /action="\/interaction\/[\w-]+\/login"/)
  assert.equal(
    (await app.authorize(system, { email: user.email, password: 'the words of a thief' })).page.status,
    401,
  )
})

test('of ten concurrent password changes one succeeds', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const browser = app.newBrowser()
  const page = await openNewPasswordStep(browser, system, user.email, temporaryPassword)
  const words = Array.from({ length: 10 }, (_, n) => `my very own words ${n}`)

  const answers = await Promise.all(words.map((password) => browser.submit(page, { password })))

  // One that comes after the change is redirected to the next step of this sign-in.
  const isTaken = ({ status, headers }: Answer) =>
    status === 303 && !headers.get('location')!.startsWith('/interaction/')
  const taken = words.filter((_, n) => isTaken(answers[n]!))
  const outcomes = answers.map(({ status, headers }) => `${status} ${headers.get('location') ?? ''}`)
  assert.equal(taken.length, 1, outcomes.join(', '))
  assert.ok((await app.authorize(system, { email: user.email, password: taken[0]! })).back.code)
})

test('an expired temporary password is refused like a wrong one', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const expiresIn = (span: string) =>
    app.db
      .update(passwords)
      .set({ expiresAt: sql`now() + ${span}::interval` })
      .where(eq(passwords.userId, user.id))
  const attempt = async (password: string) => {
    const { page } = await app.authorize(system, { email: user.email, password })
    return [page.status, /<p id="form-error">([^<]+)</.exec(String(page.body))?.[1]]
  }

  await expiresIn('-1 second')
  const expired = await attempt(temporaryPassword)
  const wrong = await attempt('something else')
  await expiresIn('1 minute')

  assert.deepEqual(expired, wrong)
  assert.deepEqual(expired, [401, 'The email address or password is incorrect.'])
  await openNewPasswordStep(app.newBrowser(), system, user.email, temporaryPassword)
})

test('a new reset by the administrator ends the sign-in at the password change', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const browser = app.newBrowser()
  const page = await openNewPasswordStep(browser, system, user.email, temporaryPassword)
  const { temporaryPassword: next } = (await app.platform.post(`/admin/users/${user.id}/reset-password`)).body

  const late = await browser.follow(await browser.submit(page, { password: OWN }))

  assert.equal(late.status, 404)
  await openNewPasswordStep(app.newBrowser(), system, user.email, next)
})

test('the password change is available as JSON', async (t) => {
  const app = await startTestApp(t)
  const { system, user, temporaryPassword } = await temporaryUser(app)
  const browser = app.newBrowser()
  const send = (target: string, body: unknown) =>
    browser.request(target, {
      method: 'POST',
      headers: { ...JSON_ONLY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const started = await browser.get(authUrl(system, newPkce().challenge))
  const login = await browser.get(started.headers.get('location')!, JSON_ONLY)
  const authenticated = await send(login.body.action, { email: user.email, password: temporaryPassword })
  const resumed = await browser.get(authenticated.body.location, JSON_ONLY)

  const step = await browser.get(resumed.headers.get('location')!, JSON_ONLY)
  const refused = await send(step.body.action, { password: PASSWORD.slice(0, 4) })
  const taken = await send(step.body.action, { password: OWN })
  const done = await browser.get(taken.body.location, JSON_ONLY)

  assert.deepEqual(
    [step.body.step, step.body.fields, step.body.errors],
    [
      'change_password',
      [{ name: 'password', type: 'password', required: true, minLength: 8, maxLength: 128 }],
      [],
    ],
  )
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [400, [{ path: 'password', message: 'This password is too short.' }]],
  )
  assert.ok(codeOf(done))
})
