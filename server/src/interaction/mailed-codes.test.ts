/** Emailed codes at the sign-in to a system with requireEmailOtp. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import {
  type App,
  afterPassword,
  begin,
  codeOf,
  mailedCode,
  sendTo,
  stepOf,
  uidOf,
} from '../../test/support/factors.ts'
import { moveAttempts } from '../../test/support/limit-clock.ts'
import {
  type Answer,
  authUrl,
  codeFields,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { limits, oneTimeTokens, sessions } from '../database/schema.ts'
import { CODE_PAUSE, CODES_MAILED, limitOf } from '../http/limits/guard.ts'

const member = (app: App, fields: object = {}) =>
  app.newMember({ skipConsent: true, requireEmailOtp: true, ...fields })
const wrongOf = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0')
const codeEmails = async (app: App, email: string) =>
  (await app.emailsTo(email)).filter(({ kind }) => kind === 'mailed_code')

/** Moves the codes that a user was sent for a system back in time by a number of seconds. */
const later = async ({ db, seal }: App, userId: string, systemId: string, seconds: number) => {
  for (const { key } of [
    limitOf(seal, 'code-pause', CODE_PAUSE, userId, systemId),
    limitOf(seal, 'codes-mailed', CODES_MAILED, userId, systemId),
  ])
    await db
      .update(limits)
      .set({ expire: sql`${limits.expire} - ${seconds * 1_000}::bigint` })
      .where(eq(limits.key, key))
}

test('an emailed code follows the password; amr has otp and acr stays single-factor', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app, { name: 'Shop' })
  const [browser, pkce] = [app.newBrowser(), newPkce()]
  const login = await browser.follow(await browser.get(authUrl(system, pkce.challenge)))

  const page = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
  const [message, ...others] = await codeEmails(app, user.email)
  const done = await browser.follow(await browser.submit(page, { code: await mailedCode(app, user.email) }))

  assert.equal(stepOf(page), 'email-otp')
  assert.match(
    String(page.body),
    /<input id="code" name="code"[^>]* inputmode="numeric" autocomplete="one-time-code"/,
  )
  assert.deepEqual([message?.subject, others], ['Your sign-in code for Shop', []])
  const back = { code: codeOf(done)! }
  const tokens = (await app.token(system, codeFields(system, { back, pkce }))).body
  for (const token of [tokens.access_token, tokens.id_token]) {
    const { amr, acr } = decodeJwt(token)
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'email'], 'urn:tenantry:aal1'])
  }
  const refreshed = decodeJwt((await app.refresh(system, tokens.refresh_token)).body.access_token)
  const [session] = await app.db
    .select()
    .from(sessions)
    .where(eq(sessions.sid, String(refreshed.sid)))
  assert.deepEqual(
    [refreshed.amr, session?.amr, session?.acr],
    [['pwd', 'otp', 'email'], ['pwd', 'otp', 'email'], 'urn:tenantry:aal1'],
  )
  const entries = [
    ...(await app.audited({ targetId: user.id, action: 'user.code_mailed' })),
    ...(await app.audited({ targetId: user.id, action: 'user.mailed_code' })),
  ]
  assert.deepEqual(
    entries.map(({ outcome, systemId }) => [outcome, systemId]),
    [
      ['success', system.id],
      ['success', system.id],
    ],
  )
})

test('a code is stored as a hash bound to its sign-in, and is not audited', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  await afterPassword(app.newBrowser(), system, user.email)
  const code = await mailedCode(app, user.email)

  const rows = await app.db.select().from(oneTimeTokens).where(eq(oneTimeTokens.userId, user.id))
  const entries = await app.audited({ targetId: user.id })

  assert.equal(rows.length, 1)
  assert.ok(rows[0]!.hash.length === 32 && rows[0]!.interactionHash?.length === 32)
  assert.ok(!JSON.stringify([rows, entries]).includes(code))
})

test('P28: after five wrong attempts a code is invalid, and further attempts are delayed', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  const code = await mailedCode(app, user.email)

  const wrong: Answer[] = []
  for (let n = 1; n <= 5; n++) wrong.push(await browser.submit(page, { code: wrongOf(code, n) }))
  await moveAttempts(app, user.id, 600)
  const slowed = await browser.submit(page, { code })
  await moveAttempts(app, user.id, -602)
  const right = await browser.submit(page, { code })

  assert.deepEqual(
    wrong.map(({ status }) => status),
    [401, 401, 401, 401, 401],
  )
  assert.match(String(wrong[0]!.body), /id="code-error">The code is incorrect or has expired\.</)
  const wait = Number(slowed.headers.get('retry-after'))
  assert.equal(slowed.status, 429)
  assert.ok(wait > 500 && wait <= 601, `a second after the fifth, which is up to 600 s ahead: ${wait}`)
  assert.equal(right.status, 401)
  const failures = (await app.audited({ targetId: user.id, action: 'user.mailed_code' })).filter(
    ({ outcome }) => outcome === 'failure',
  )
  assert.equal(failures.length, 6)
  assert.ok((await app.audited({ targetId: user.id, action: 'login.throttled' })).length >= 1)
})

test('P28: wrong codes count across sign-ins until a correct one', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const first = app.newBrowser()
  const page = await afterPassword(first, system, user.email)
  for (let n = 1; n <= 4; n++)
    await first.submit(page, { code: wrongOf(await mailedCode(app, user.email), n) })
  await later(app, user.id, system.id, 60)

  const second = app.newBrowser()
  const next = await afterPassword(second, system, user.email)
  const code = await mailedCode(app, user.email)
  const fifth = await second.submit(next, { code: wrongOf(code) })
  await moveAttempts(app, user.id, 600)
  const slowed = await second.submit(next, { code })
  await moveAttempts(app, user.id, -602)
  const right = await second.submit(next, { code })

  assert.deepEqual([fifth.status, slowed.status, right.status], [401, 429, 303])
})

test('P28: codes are limited to one per minute and ten per hour per user and system', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)

  const soon = await sendTo(browser, page, 'email-otp', { resend: 'yes' })
  const elsewhere = await afterPassword(app.newBrowser(), system, user.email)
  for (let minute = 1; minute < 60; minute++) {
    await later(app, user.id, system.id, 60)
    await sendTo(browser, page, 'email-otp', { resend: 'yes' })
  }

  assert.equal(soon.status, 429)
  assert.match(String(soon.body), /You can request another code in (60|59|58|1) (seconds|minute)\./)
  assert.ok(Number(soon.headers.get('retry-after')) >= 50)
  assert.match(String(elsewhere.body), /There is no valid code for this sign-in/)
  const sent = (await codeEmails(app, user.email)).length
  assert.ok(sent >= 5 && sent <= 10, `${sent} in an hour`)
})

test('a new code replaces the previous one in its own sign-in only', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const [browser, other] = [app.newBrowser(), app.newBrowser()]
  const page = await afterPassword(browser, system, user.email)
  const old = await mailedCode(app, user.email)
  await later(app, user.id, system.id, 60)
  const again = await sendTo(browser, page, 'email-otp', { resend: 'yes' })
  const code = await mailedCode(app, user.email)
  await later(app, user.id, system.id, 60)
  const otherPage = await afterPassword(other, system, user.email)

  const byOld = await browser.submit(page, { code: old })
  const byOther = await other.submit(otherPage, { code })
  const stranger = app.newBrowser()
  const borrowed = await stranger.follow(await sendTo(stranger, page, 'email-otp', { code }))
  const right = await browser.submit(page, { code })

  assert.equal(again.status, 200)
  assert.match(String(again.body), /role="status">We sent a new code/)
  assert.deepEqual(
    [old === code ? 401 : byOld.status, byOther.status, borrowed.status, right.status],
    [401, 401, 404, 303],
  )
})

test('P30: an emailed code works once, even concurrently', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  const code = await mailedCode(app, user.email)

  const answers = await Promise.all(Array.from({ length: 10 }, () => browser.submit(page, { code })))
  const again = await browser.submit(page, { code })

  assert.equal(
    answers.filter(({ status }) => status === 303).length,
    1,
    String(answers.map(({ status }) => status)),
  )
  assert.ok([401, 429].includes(again.status))
  assert.equal(
    (await app.audited({ targetId: user.id, action: 'user.mailed_code' })).filter(
      ({ outcome }) => outcome === 'success',
    ).length,
    1,
  )
})

test('a code expires after 10 minutes, and with a changed password or address', async (t) => {
  const app = await startTestApp(t)
  const given = async () => {
    const { system, user } = await member(app)
    const browser = app.newBrowser()
    return {
      user,
      browser,
      page: await afterPassword(browser, system, user.email),
      code: await mailedCode(app, user.email),
    }
  }
  const [timely, late, moved] = [await given(), await given(), await given()]
  const after = (userId: string, span: string) =>
    app.db
      .update(oneTimeTokens)
      .set({ expiresAt: sql`${oneTimeTokens.expiresAt} - ${span}::interval` })
      .where(eq(oneTimeTokens.userId, userId))
  await after(timely.user.id, '9 minutes 50 seconds')
  await after(late.user.id, '10 minutes')
  await app.platform.patch(`/admin/users/${moved.user.id}`, { email: `moved-${moved.user.email}` })

  const statuses = []
  for (const { browser, page, code } of [timely, late, moved])
    statuses.push((await browser.submit(page, { code })).status)

  assert.equal(statuses[0], 303)
  assert.equal(statuses[1], 401)
  assert.notEqual(statuses[2], 303)
})

test('a code counts for every system of the browser until the next password prompt', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const second = await app.newSystem({ skipConsent: true, requireEmailOtp: true })
  await app.newMembership({ userId: user.id, systemId: second.id })
  const browser = app.newBrowser()
  await browser.follow(
    await browser.submit(await afterPassword(browser, system, user.email), {
      code: await mailedCode(app, user.email),
    }),
  )

  const there = await begin(browser, second)
  const anew = await afterPassword(browser, second, user.email, { prompt: 'login' })
  const elsewhere = await afterPassword(app.newBrowser(), second, user.email)

  assert.ok(codeOf(there))
  assert.deepEqual([stepOf(anew), stepOf(elsewhere)], ['email-otp', 'email-otp'])
})

test('the code page says when another code can be requested, and whether the last one is valid', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const { email } = user
  const first = app.newBrowser()
  const wait = /Send again<\/button> <span id="resend-wait"[^>]*>in \d+ seconds/
  const valid = /We sent a 6-digit code to/

  const sent = await afterPassword(first, system, email)
  const early = await sendTo(first, sent, 'email-otp', { resend: 'yes' })
  const again = app.newBrowser()
  const second = await afterPassword(again, system, email)
  const fields = await again.get(`/interaction/${uidOf(second)}`, { accept: 'application/json' })
  await later(app, user.id, system.id, 61)
  const allowed = await again.get(`/interaction/${uidOf(second)}`)
  const old = await first.get(`/interaction/${uidOf(sent)}`)
  const right = await first.submit(sent, { code: await mailedCode(app, email) })

  for (const page of [sent, early]) {
    assert.match(String(page.body), wait)
    assert.match(String(page.body), valid)
  }
  assert.equal(early.status, 429)
  const none =
    /There is no valid code for this sign-in\. You can request one for <bdi>[^<]+<\/bdi> in \d+ seconds\./
  assert.match(String(second.body), none)
  assert.doesNotMatch(String(second.body), valid)
  assert.equal(fields.body.codeValid, false)
  assert.ok(fields.body.resendAfter > 0 && fields.body.resendAfter <= 60)
  assert.match(String(allowed.body), /Request a new code for/)
  assert.doesNotMatch(String(old.body), wait)
  assert.equal(right.status, 303)
})

test('the code step cannot be skipped, and prompt=none sends no email', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  const sent = (await codeEmails(app, user.email)).length
  await later(app, user.id, system.id, 60)

  const silent = await app.authorize(system, {
    email: user.email,
    visitor: browser,
    parameters: { prompt: 'none' },
  })
  const sentSilently = (await codeEmails(app, user.email)).length - sent
  const consent = await sendTo(browser, page, 'consent', {})
  const account = await sendTo(browser, page, 'account', { accountId: 'x' })
  const empty = await browser.submit(page, { code: '' })
  const short = await browser.submit(page, { code: '12345' })
  const resumed = await browser.get(`/auth/${/interaction\/([\w-]+)/.exec(String(page.body))![1]}`)

  assert.equal(silent.back.error, 'login_required')
  assert.equal(sentSilently, 0)
  for (const answer of [consent, account])
    assert.match(answer.headers.get('location') ?? '', /^\/interaction\/[\w-]+$/)
  assert.deepEqual([empty.status, short.status], [400, 400])
  assert.ok(!resumed.headers.get('location')?.startsWith('https://app.example'))
})

test('the code step is available as JSON, with errors and delays', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await member(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  const address = `/interaction/${/interaction\/([\w-]+)/.exec(String(page.body))![1]}`
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const send = (body: object) =>
    browser.request(`${address}/email-otp`, { method: 'POST', headers, body: JSON.stringify(body) })

  const step = await browser.get(address, { accept: 'application/json' })
  const soon = await send({ resend: 'yes' })
  const wrong = await send({ code: wrongOf(await mailedCode(app, user.email)) })
  const right = await send({ code: await mailedCode(app, user.email) })

  assert.deepEqual(
    [step.body.step, step.body.action, step.body.email],
    ['email_otp', `${address}/email-otp`, user.email],
  )
  assert.deepEqual(step.body.fields[0], { name: 'code', type: 'code', length: 6, required: true })
  assert.deepEqual([soon.status, soon.body.code], [429, 'too_many_requests'])
  assert.deepEqual(
    [wrong.status, wrong.body.errors],
    [401, [{ path: 'code', message: 'The code is incorrect or has expired.' }]],
  )
  assert.match(right.body.location, /\/auth\//)
})
