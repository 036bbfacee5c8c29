/** The pages' own sign-in of who has no password: a code that is mailed proves them again. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { appCode, mailedCode, withinStep } from '../../test/support/factors.ts'
import { type Answer, newVisitor, PASSWORD, startTestApp, type Visitor } from '../../test/support/testing.ts'
import { artifacts, identities, users } from '../database/schema.ts'
import { eq, sql } from '../tuning/drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const text = (answer: Answer) => String(answer.body)
const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(text(page))?.[1] ?? ''
const cookieOf = (browser: Visitor) => browser.jar.get('_session /')?.value
const NEXT = '/account/security'

/** A sign-in of 400 seconds ago, at a provider. */
const grownOld = (app: App, { id }: { id: string }) =>
  app.db
    .update(artifacts)
    .set({
      payload: sql`jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::int - 400)) || '{"amr": ["fed"]}'::jsonb`,
    })
    .where(eq(artifacts.userId, id))

/** Somebody who signs in with a provider alone, in a browser where they did so a while ago. */
async function socialOnly(app: App) {
  const user = await app.newUser()
  const browser = app.visitor()
  await browser.submit(await browser.get('/account/login'), { email: user.email, password: PASSWORD })
  await app.db.insert(identities).values({ userId: user.id, provider: 'google', subject: user.id })
  await app.db.update(users).set({ passwordHash: null }).where(eq(users.id, user.id))
  await grownOld(app, user)
  const ask = (fields: Record<string, string>, page: Answer) =>
    browser.post('/account/code', { csrf: csrfOf(page), next: NEXT, ...fields })
  return { user, browser, ask }
}

test('who signs in with a provider alone proves it again by a code that is mailed, once, and chooses a password then', async (t) => {
  const app = await startTestApp(t)
  const { user, browser, ask } = await socialOnly(app)
  const old = cookieOf(browser)

  const page = await browser.follow(await browser.get(NEXT))
  const before = await app.letters(user.email)
  const sent = await browser.follow(await ask({ resend: 'yes' }, page))
  const code = await mailedCode(app, user.email)
  const wrong = [
    await ask({ code: code === '000000' ? '111111' : '000000' }, page),
    await ask({ code: '12' }, page),
  ]
  const opened = await ask({ code }, page)
  const [security, password] = [await browser.get(NEXT), await browser.get('/account/password')]
  const replayed = await ask({ code }, security)
  const chosen = await browser.submit(password, {
    password: 'a wholly other sentence',
    passwordAgain: 'a wholly other sentence',
  })

  assert.doesNotMatch(text(page), /name="password"|name="code"/)
  assert.match(text(page), /Email me a code/)
  assert.deepEqual(before, [])
  assert.match(text(sent), /name="code"/)
  assert.deepEqual(
    wrong.map(({ status }) => status),
    [401, 400],
  )
  assert.equal(opened.headers.get('location'), NEXT)
  assert.deepEqual([security.status, password.status, replayed.status], [200, 200, 401])
  assert.notEqual(cookieOf(browser), old)
  assert.equal(chosen.headers.get('location'), '/account/password?done=passwordSaved')
  const entry = (await app.audited({ targetId: user.id, action: 'user.login' })).at(-1)
  assert.deepEqual([entry?.actorId, entry?.changes], [user.id, { method: [null, 'mailedCode'] }])
})

test('P17: the code is good in its own browser, for five tries, and no more are mailed than elsewhere', async (t) => {
  const app = await startTestApp(t)
  const { user, browser, ask } = await socialOnly(app)
  const page = await browser.follow(await browser.get(NEXT))
  const thief = app.visitor()
  const strange = await thief.get('/account/login')

  const [sent, soon] = [await ask({ resend: 'yes' }, page), await ask({ resend: 'yes' }, page)]
  const code = await mailedCode(app, user.email)
  const stolen = await thief.post('/account/code', { csrf: csrfOf(strange), code })
  const forged = await browser.post('/account/code', { csrf: 'x', code })
  const guesses = []
  for (let guess = 0; guess < 5; guess++)
    guesses.push(
      (await ask({ code: String((Number(code) + 1 + guess) % 1_000_000).padStart(6, '0') }, page)).status,
    )
  await app.db.execute(sql`delete from limits`)
  const late = await ask({ code }, page)

  assert.deepEqual([sent.status, soon.status, Number(soon.headers.get('retry-after')) > 30], [303, 429, true])
  assert.match(stolen.headers.get('location')!, /^\/account\/login/)
  assert.equal(forged.status, 403)
  assert.deepEqual([...guesses, late.status], [401, 401, 401, 401, 401, 401])
  assert.equal((await app.letters(user.email)).length, 1)
})

test("the mailed code takes no second factor away, and is nobody's who has a password or is not signed in", async (t) => {
  const app = await startTestApp(t)
  const { user, browser, ask } = await socialOnly(app)
  const sign = async () => {
    const page = await browser.follow(await browser.get(NEXT))
    await ask({ resend: 'yes' }, page)
    return ask({ code: await mailedCode(app, user.email) }, page)
  }
  await sign()
  const page = await browser.get(NEXT)
  const secret = /<code id="secret"[^>]*>([^<]+)/.exec(text(page))![1]!.replaceAll(' ', '')
  await withinStep()
  await browser.post('/account/security/app', { csrf: csrfOf(page), code: appCode(secret) })
  await grownOld(app, user)
  await app.db.execute(sql`delete from limits`)
  const half = await browser.follow(await browser.get('/account/login'))
  await ask({ resend: 'yes' }, half)
  const proven = await browser.follow(await ask({ code: await mailedCode(app, user.email) }, half))
  const skipped = await browser.get('/account')
  const done = await browser.submit(proven, { code: appCode(secret, 1) })
  const other = await app.newUser()
  const withPassword = app.visitor()
  await withPassword.submit(await withPassword.get('/account/login'), {
    email: other.email,
    password: PASSWORD,
  })
  const form = await withPassword.get('/account/login')
  const refused = await withPassword.post('/account/code', { csrf: csrfOf(form), resend: 'yes' })

  assert.match(text(proven), /action="\/account\/second-factor"/)
  assert.equal(skipped.headers.get('location'), '/account/second-factor')
  assert.equal(done.headers.get('location'), NEXT)
  assert.match(text(form), /name="password"/)
  assert.match(refused.headers.get('location')!, /^\/account\/login/)
  assert.deepEqual(await app.letters(other.email), [])
})

test('what a provider alone has just said opens no page that asks for a recent sign-in', async (t) => {
  const app = await startTestApp(t)
  const { user, browser } = await socialOnly(app)
  const fresh = sql`jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::int))`
  await app.db.update(artifacts).set({ payload: fresh }).where(eq(artifacts.userId, user.id))

  const profile = await browser.get('/account')
  const security = await browser.get('/account/security')

  assert.equal(profile.status, 200)
  assert.equal(
    security.headers.get('location'),
    `/account/login?next=${encodeURIComponent('/account/security')}`,
  )
})

test('one network may send 30 passkeys that are none, then it waits', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const browser = newVisitor(app.url, {
    always: { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` },
  })
  const csrf = csrfOf(await browser.get('/account/login'))
  const seen: number[] = []

  for (let tries = 0; tries < 32; tries++)
    seen.push((await browser.post('/account/passkey', { passkey: 'x', csrf })).status)

  assert.deepEqual([...new Set(seen)], [401, 429])
  assert.equal(seen.indexOf(429), 30)
})
