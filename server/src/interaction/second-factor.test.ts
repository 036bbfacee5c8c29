/** The second factor at sign-in: enrolment, verification, step-up; authenticator apps and recovery codes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import {
  type App,
  afterPassword,
  appCode,
  begin,
  codeOf,
  continueSignIn,
  memberWithApp,
  recoveryCodesOn,
  secretOn,
  sendTo,
  stepOf,
  uidOf,
  withinStep,
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
import { eq } from '../database/drizzle.ts'
import { recoveryCodes, sessions, totpFactors } from '../database/schema.ts'

const AAL2 = 'urn:tenantry:aal2'
const JSON_ONLY = { accept: 'application/json' }
/** Resets the last used TOTP step. */
const unused = ({ db }: App, userId: string) =>
  db.update(totpFactors).set({ lastStep: null }).where(eq(totpFactors.userId, userId))
const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a required second factor is enrolled with a first code; recovery codes follow', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ name: 'Shop', skipConsent: true, requireMfa: true })
  const [browser, pkce] = [app.newBrowser(), newPkce()]
  const login = await browser.follow(await browser.get(authUrl(system, pkce.challenge)))

  const page = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
  const secret = secretOn(page)
  await withinStep()
  const wrong = await sendTo(browser, page, 'enrol', { code: appCode(secret, 5) })
  const before = (await app.platform.get(`/admin/users/${user.id}`)).body.mfaEnabled
  const right = await sendTo(browser, page, 'enrol', { code: appCode(secret) })
  const done = await continueSignIn(browser, right)

  assert.match(
    String(page.body),
    /<svg class="qr"[^>]* role="img" aria-label="QR code for the authenticator app">/,
  )
  assert.match(String(page.body), new RegExp(`href="otpauth://totp/Shop:[^"]*secret=${secret}`))
  assert.ok(Buffer.byteLength(secret) === 32, '160 bits in base32')
  assert.deepEqual([wrong.status, secretOn(wrong), before], [401, secret, false])
  assert.equal(new Set(recoveryCodesOn(right)).size, 10)
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.mfaEnabled, true)
  const tokens = (await app.token(system, codeFields(system, { back: { code: codeOf(done)! }, pkce }))).body
  for (const token of [
    tokens.access_token,
    tokens.id_token,
    (await app.refresh(system, tokens.refresh_token)).body.access_token,
  ]) {
    const { amr, acr } = decodeJwt(token)
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], AAL2])
  }
  const [session] = await app.db.select().from(sessions).where(eq(sessions.userId, user.id))
  assert.deepEqual([session?.amr, session?.acr], [['pwd', 'otp', 'mfa'], AAL2])
})

test('an enrolment is audited, recorded and emailed; secret and codes are not readable', async (t) => {
  const app = await startTestApp(t)

  const { system, user, secret, recoveryCodes: codes } = await memberWithApp(app)

  const [added] = await app.audited({ targetId: user.id, action: 'user.factor_added' })
  assert.deepEqual(
    [added?.actorId, added?.systemId, added?.changes],
    [user.id, system.id, { totp: [null, true] }],
  )
  const [event] = (await app.findEvents({ userId: user.id, type: 'user.updated' })).filter(
    ({ systemId }) => systemId === null,
  )
  assert.deepEqual((event!.data as { changed: string[] }).changed, ['mfa'])
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind),
    ['factor_added'],
  )
  const kept = [
    await app.db.select().from(totpFactors).where(eq(totpFactors.userId, user.id)),
    await app.db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id)),
    await app.audited({ targetId: user.id }),
  ]
  for (const one of [secret, codes[0]!, codes[0]!.replace('-', '')])
    assert.ok(!JSON.stringify(kept).includes(one))
})

test('an enrolled factor is required in every system', async (t) => {
  const app = await startTestApp(t)
  const { user, secret } = await memberWithApp(app)
  const plain = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: plain.id })
  const browser = app.newBrowser()

  const page = await afterPassword(browser, plain, user.email)
  const elsewhere = await begin(browser, plain)
  await withinStep()
  const done = await browser.follow(await browser.submit(page, { code: appCode(secret) }))

  assert.deepEqual([stepOf(page), stepOf(elsewhere)], ['second-factor', 'second-factor'])
  assert.ok(codeOf(done))
  const [used] = await app.audited({ targetId: user.id, action: 'user.second_factor', systemId: plain.id })
  assert.deepEqual([used?.outcome, used?.changes], ['success', { method: [null, 'totp'] }])
})

test('P30: a TOTP step works once over all browsers, with one step of tolerance', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  await unused(app, user.id)
  const [one, other] = [app.newBrowser(), app.newBrowser()]
  const [page, otherPage] = [
    await afterPassword(one, system, user.email),
    await afterPassword(other, system, user.email),
  ]
  await withinStep(10)

  const far = []
  for (const steps of [-2, 2]) far.push((await one.submit(page, { code: appCode(secret, steps) })).status)
  const first = await one.submit(page, { code: appCode(secret, -1) })
  const again = await other.submit(otherPage, { code: appCode(secret, -1) })
  const next = await other.submit(otherPage, { code: appCode(secret, 1) })
  const third = app.newBrowser()
  const earlier = await third.submit(await afterPassword(third, system, user.email), {
    code: appCode(secret),
  })

  assert.deepEqual(far, [401, 401])
  assert.deepEqual([first.status, again.status, next.status, earlier.status], [303, 401, 303, 401])
})

test('P30: of ten concurrent uses of one code one succeeds', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  const browsers = Array.from({ length: 10 }, () => app.newBrowser())
  const pages: Answer[] = []
  for (const browser of browsers) pages.push(await afterPassword(browser, system, user.email))
  await withinStep(10)

  const code = appCode(secret)
  const answers = await Promise.all(browsers.map((browser, n) => browser.submit(pages[n]!, { code })))

  assert.equal(
    answers.filter(({ status }) => status === 303).length,
    1,
    String(answers.map(({ status }) => status)),
  )
})

test('P30: a recovery code works once in any spelling, and the user receives an email', async (t) => {
  const app = await startTestApp(t)
  const { system, user, recoveryCodes: codes } = await memberWithApp(app)
  const browsers = Array.from({ length: 10 }, () => app.newBrowser())
  const pages: Answer[] = []
  for (const browser of browsers) pages.push(await afterPassword(browser, system, user.email))
  const typed = ` ${codes[0]!.toLowerCase().replace('-', ' ').replaceAll('o', '0')} `

  const answers = await Promise.all(
    browsers.map((browser, n) => sendTo(browser, pages[n]!, 'second-factor', { recoveryCode: typed })),
  )
  const again = await sendTo(browsers[9]!, pages[9]!, 'second-factor', { recoveryCode: codes[0]! })
  const shapeless = await sendTo(browsers[9]!, pages[9]!, 'second-factor', { recoveryCode: 'ABC' })

  assert.equal(
    answers.filter(({ status }) => status === 303).length,
    1,
    String(answers.map(({ status }) => status)),
  )
  assert.ok([401, 429, 404].includes(again.status))
  assert.ok([400, 404].includes(shapeless.status))
  const emails = (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'recovery_code_used')
  assert.equal(emails.length, 1)
  assert.match(emails[0]!.text, /Recovery codes left: 9\./)
})

test('wrong codes are delayed for that user and audited', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  const other = await memberWithApp(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  await withinStep(10)

  const wrong = []
  for (let n = 0; n < 5; n++)
    wrong.push((await browser.submit(page, { code: wrongOf(appCode(secret)) })).status)
  await moveAttempts(app, user.id, 600)
  const slowed = await browser.submit(page, { code: appCode(secret) })
  const recovery = await sendTo(browser, page, 'second-factor', { recoveryCode: 'ABCDE-FGHIJ' })
  const unaffected = app.newBrowser()
  const free = await unaffected.submit(await afterPassword(unaffected, other.system, other.user.email), {
    code: appCode(other.secret),
  })
  await moveAttempts(app, user.id, -602)
  const right = await browser.submit(page, { code: appCode(secret) })

  assert.deepEqual(wrong, [401, 401, 401, 401, 401])
  assert.deepEqual([slowed.status, recovery.status, free.status, right.status], [429, 429, 303, 303])
  assert.ok(slowed.headers.get('retry-after'))
  const failures = (await app.audited({ targetId: user.id, action: 'user.second_factor' })).filter(
    ({ outcome }) => outcome === 'failure',
  )
  assert.equal(failures.length, 5)
  assert.equal((await app.audited({ targetId: user.id, action: 'login.throttled' })).length, 1)
})

test('the factor step cannot be skipped or replaced by another step or enrolment', async (t) => {
  const app = await startTestApp(t)
  const { system, user, secret } = await memberWithApp(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  const unenrolled = await app.newMember({ skipConsent: true, requireMfa: true })
  const unenrolledBrowser = app.newBrowser()
  const enrolment = await afterPassword(unenrolledBrowser, unenrolled.system, unenrolled.user.email)

  const silent = await app.authorize(system, {
    email: user.email,
    visitor: browser,
    parameters: { prompt: 'none' },
  })
  const others = []
  for (const step of ['consent', 'account', 'email-otp', 'change-password', 'enrol'])
    others.push(
      await sendTo(browser, page, step, {
        code: appCode(secret),
        accountId: 'x',
        password: 'my very own words',
      }),
    )
  const verification = await sendTo(unenrolledBrowser, enrolment, 'second-factor', { code: '123456' })
  const stranger = app.newBrowser()
  const foreign = await stranger.follow(
    await sendTo(stranger, page, 'second-factor', { code: appCode(secret) }),
  )
  const shapes = []
  for (const fields of [{}, { code: '' }, { passkey: '{' }, { passkey: '{"id":"x"}' }] as Record<
    string,
    string
  >[])
    shapes.push((await sendTo(browser, page, 'second-factor', fields)).status)

  assert.equal(silent.back.error, 'login_required')
  for (const answer of [...others, verification]) {
    assert.equal(answer.status, 303)
    assert.match(answer.headers.get('location')!, /^\/interaction\/[\w-]+$/)
  }
  assert.equal(foreign.status, 404)
  assert.deepEqual(shapes, [400, 400, 401, 401])
  const [factor, ...more] = await app.db.select().from(totpFactors).where(eq(totpFactors.userId, user.id))
  assert.ok(factor && more.length === 0)
})

test('of ten concurrent enrolments one succeeds, and its app works', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, requireMfa: true })
  const browsers = Array.from({ length: 10 }, () => app.newBrowser())
  const pages: Answer[] = []
  for (const browser of browsers) pages.push(await afterPassword(browser, system, user.email))
  await withinStep(10)

  const answers = await Promise.all(
    browsers.map((browser, n) =>
      sendTo(browser, pages[n]!, 'enrol', { code: appCode(secretOn(pages[n]!), -1) }),
    ),
  )
  const won = answers.findIndex(({ status }) => status === 200)
  const browser = app.newBrowser()
  const right = await browser.submit(await afterPassword(browser, system, user.email), {
    code: appCode(secretOn(pages[won]!)),
  })

  assert.equal(
    answers.filter(({ status }) => status === 200).length,
    1,
    String(answers.map(({ status }) => status)),
  )
  assert.equal(right.status, 303)
})

test('after an administrator disables the factors the next sign-in enrols again', async (t) => {
  const app = await startTestApp(t)
  const { system, user, recoveryCodes: codes } = await memberWithApp(app)
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)

  await app.platform.post(`/admin/users/${user.id}/disable-mfa`)
  const late = await browser.follow(await sendTo(browser, page, 'second-factor', { recoveryCode: codes[0]! }))
  const anew = await afterPassword(app.newBrowser(), system, user.email)

  assert.equal(late.status, 404)
  assert.equal(stepOf(anew), 'enrol')
  assert.deepEqual(await app.db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id)), [])
})

test('enrolment and verification are available as JSON', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, requireMfa: true })
  const browser = app.newBrowser()
  const send = (target: string, body: object) =>
    browser.request(target, {
      method: 'POST',
      headers: { ...JSON_ONLY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const enrolment = await browser.get(
    `/interaction/${uidOf(await afterPassword(browser, system, user.email))}`,
    JSON_ONLY,
  )
  const [passkey, code] = enrolment.body.fields
  await withinStep()

  const enrolled = await send(enrolment.body.action, { code: appCode(code.secret, -1) })
  const second = app.newBrowser()
  const verification = await second.get(
    `/interaction/${uidOf(await afterPassword(second, system, user.email))}`,
    JSON_ONLY,
  )

  assert.deepEqual(
    [enrolment.body.step, enrolment.body.enrol, verification.body.enrol],
    ['second_factor', true, false],
  )
  assert.match(code.uri, /^otpauth:\/\/totp\//)
  assert.deepEqual(
    [passkey.type, passkey.options.rp.id, passkey.options.authenticatorSelection.userVerification],
    ['passkey', 'localhost', 'required'],
  )
  assert.equal(enrolled.body.recoveryCodes.length, 10)
  assert.match(enrolled.body.location, /\/auth\//)
  assert.deepEqual(
    verification.body.fields.map(({ name }: { name: string }) => name),
    ['code', 'recoveryCode'],
  )
})
