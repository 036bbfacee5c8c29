/** Administration of a user's credentials, and the emails that notify the user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { eq, sql } from '../../database/drizzle.ts'
import {
  identities,
  limits,
  oneTimeTokens,
  passkeys,
  passwords,
  recoveryCodes,
  totpFactors,
} from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]
const randomBuffer = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32)))

/** Enrols factors as a sign-in does: an authenticator app, a passkey, a recovery code. */
async function enrol({ db }: App, userId: string) {
  await db.insert(totpFactors).values({ userId, sealedSecret: randomBuffer(), confirmedAt: new Date() })
  await db
    .insert(passkeys)
    .values({ userId, credentialId: crypto.randomUUID(), publicKey: randomBuffer(), name: 'Phone' })
  await db.insert(recoveryCodes).values({ userId, hash: randomBuffer() })
}
const link = ({ db }: App, userId: string, provider: string) =>
  db.insert(identities).values({ userId, provider, issuer: provider, subject: crypto.randomUUID() })

/** The events of a user, without the copies for systems. */
const recordedEvents = async (app: App, userId: string) =>
  (await app.findEvents({ userId, type: 'user.updated' })).filter(({ systemId }) => systemId === null)

const newestMember = async (app: App) => {
  const system = await app.newSystem({ skipConsent: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  return { system, user }
}

/** Asserts that all sessions and tokens of a user have ended. */
async function assertSignedOut(
  app: App,
  system: Parameters<App['signIn']>[0],
  email: string,
  open: Awaited<ReturnType<App['signIn']>>,
) {
  assert.equal((await app.me(open.access_token)).status, 401)
  assert.equal((await app.refresh(system, open.refresh_token!)).body.error, 'invalid_grant')
  const silent = await app.authorize(system, { email, visitor: open.visitor, parameters: { prompt: 'none' } })
  assert.equal(silent.back.error, 'login_required')
}

test('a temporary password is random, readable, expires after 72 hours and must be changed', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const path = `/admin/users/${user.id}/reset-password`

  const answers = [
    await app.platform.post(path),
    await app.platform.post(path, {}),
    await app.platform.post(path, ''),
  ]
  const given = answers.map(({ body }) => body.temporaryPassword)

  assert.deepEqual(answers.map(outcome), Array(3).fill([200, undefined]))
  assert.equal(new Set(given).size, 3)
  for (const password of given) assert.match(password, /^[a-hjkmnp-z2-9]{7}(-[a-hjkmnp-z2-9]{7}){2}$/)
  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.deepEqual([read.mustChangePassword, read.hasPassword], [true, true])
  const [row] = await app.db
    .select({ hours: sql<number>`extract(epoch from expires_at - now())::float8 / 3600` })
    .from(passwords)
    .where(eq(passwords.userId, user.id))
  assert.ok(row!.hours > 71.9 && row!.hours <= 72, `${row!.hours}`)
})

for (const [action, audited, kind, body] of [
  ['set-password', 'user.password_set', 'password_changed', { password: 'another horse' }],
  ['reset-password', 'user.password_reset', 'password_reset_by_admin', undefined],
] as const) {
  test(`P04: ${action} signs the user out, invalidates links and sends an email`, async (t) => {
    const app = await startTestApp(t)
    const { system, user } = await newestMember(app)
    const open = await app.signIn(system, { email: user.email })
    const { link } = await app.mailedLink('send-password-reset', user)
    const valid = await app.newBrowser().get(link)

    const answer = await app.platform.post(`/admin/users/${user.id}/${action}`, body)

    assert.equal(answer.status, 200)
    await assertSignedOut(app, system, user.email, open)
    const ended = await app.newBrowser().get(link)
    assert.deepEqual([valid.status, ended.status], [200, 410])
    const password = body?.password ?? answer.body.temporaryPassword
    const emails = await app.emailsTo(user.email)
    assert.equal(emails.at(-1)?.kind, kind)
    assert.match(emails.at(-1)!.text, /signed out on all devices/)
    const entries = await app.audited({ targetId: user.id, action: audited })
    const events = await recordedEvents(app, user.id)
    assert.deepEqual([entries.length, events.map(({ data }) => data.changed)], [1, [['password']]])
    assert.ok(!JSON.stringify([emails, entries, events]).includes(password))
  })
}

test('a link is mailed in the language of the user and names the requesting system', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ name: 'Ledger', allowClientCredentials: true })
  const user = await app.newUser({ locale: 'pt-BR' })
  await app.newMembership({ userId: user.id, systemId: system.id })

  const answer = await (await app.serviceOf(system)).post(`/admin/users/${user.id}/send-password-reset`)
  await app.platform.post(`/admin/users/${user.id}/resend-verification`)

  assert.equal(answer.status, 202)
  const left = Date.parse(answer.body.expiresAt) - Date.now()
  assert.ok(left > 29 * 60_000 && left < 31 * 60_000, `${left} ms`)
  const emails = await app.emailsTo(user.email)
  assert.deepEqual(
    emails.map(({ kind, subject }) => [kind, subject]),
    [
      ['password_reset', 'Escolha uma nova senha para Ledger'],
      ['email_verification', 'Confirme seu e-mail'],
    ],
  )
  for (const { text, html } of emails) {
    const [address] = /https?:\S+/.exec(text)!
    assert.ok(html.includes(`href="${address}"`))
  }
  assert.deepEqual(
    (await app.audited({ targetId: user.id }))
      .map(({ action }) => action)
      .filter((action) => action.endsWith('_sent')),
    ['user.password_reset_sent', 'user.verification_sent'],
  )
})

test('P01: a mailed link starts with BASE_URL whatever the Host header says', async (t) => {
  const app = await startTestApp(t)
  const forged: Record<string, string>[] = [
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example;proto=https' },
    { 'x-forwarded-proto': 'http', 'x-original-host': 'evil.example', 'x-forwarded-port': '666' },
    { host: 'evil.example' },
  ]

  for (const headers of forged) {
    const user = await app.newUser()
    for (const action of ['send-password-reset', 'resend-verification'])
      assert.equal(
        (await app.platform.post(`/admin/users/${user.id}/${action}`, undefined, headers)).status,
        202,
      )

    const emails = await app.emailsTo(user.email)
    assert.equal(emails.length, 2)
    for (const { text, html } of emails) {
      assert.ok(text.includes(`${app.url}/`) && !/evil|:666\b/.test(text + html), text)
      for (const [, address] of `${text} ${html}`.matchAll(/(https?:\/\/[^\s"<]+)/g))
        assert.ok(address!.startsWith(`${app.url}/`))
    }
  }
})

test('P02: a link has 256 random bits, and the database stores only a hash', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()

  await app.platform.post(`/admin/users/${user.id}/send-password-reset`)

  const token = /token=([\w-]+)/.exec((await app.emailsTo(user.email))[0]!.text)![1]!
  assert.equal(Buffer.from(token, 'base64url').length, 32)
  const rows = await app.db.select().from(oneTimeTokens).where(eq(oneTimeTokens.userId, user.id))
  assert.deepEqual([rows.length, rows[0]?.purpose, rows[0]?.hash.length], [1, 'password_reset', 32])
  assert.ok(
    !rows[0]!.hash.equals(Buffer.from(token, 'base64url')) && !rows[0]!.hash.includes(Buffer.from(token)),
  )
})

test('P07: an address gets three such emails, then one an hour, for each system and the platform', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ allowClientCredentials: true })
  const other = await app.newSystem({ allowClientCredentials: true })
  const [service, second] = [await app.serviceOf(system), await app.serviceOf(other)]
  const ask = (client: Pick<typeof service, 'post'>, action: string) =>
    client.post(`/admin/users/${user.id}/${action}`)
  const later = (seconds: number) =>
    app.db
      .update(limits)
      .set({ expire: sql`${limits.expire} - ${seconds * 1_000}::bigint` })
      .where(sql`${limits.key} like 'emails:%'`)
  const sentOf = (answers: { status: number }[]) => answers.filter(({ status }) => status === 202).length

  const burst = await concurrently(50, (n) =>
    ask(service, n % 2 ? 'send-password-reset' : 'resend-verification'),
  )
  const byPlatform = await Promise.all([1, 2, 3, 4].map(() => ask(app.platform, 'send-password-reset')))
  const early = await ask(service, 'send-password-reset')
  await later(3_605)
  const hourly = [await ask(service, 'send-password-reset'), await ask(service, 'send-password-reset')]
  await app.newMembership({ userId: user.id, systemId: other.id })
  await app.platform.delete(`/admin/memberships/${(await memberIn(app, user.id, system.id)).id}`)
  const bySecond = await Promise.all([1, 2, 3, 4].map(() => ask(second, 'send-password-reset')))

  assert.deepEqual([sentOf(burst), sentOf(byPlatform), sentOf(hourly), sentOf(bySecond)], [3, 3, 1, 3])
  for (const answer of [...burst.filter(({ status }) => status !== 202), early]) {
    assert.deepEqual(outcome(answer), [429, 'too_many_requests'])
    const wait = Number(answer.headers.get('retry-after'))
    assert.ok(wait > 3_500 && wait <= 3_600, `${wait} s`)
  }
  assert.equal((await app.emailsTo(user.email)).length, 10)
})

const memberIn = async (app: App, userId: string, systemId: string) =>
  (await app.platform.get(`/admin/memberships?userId=${userId}&systemId=${systemId}`)).body.data[0]

test('P08: the name of a system is no link in an email', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const service = await app.serviceOf(system)
  await service.patch(`/admin/systems/${system.id}`, { name: 'Win at https://evil.example/now' })

  await service.post(`/admin/users/${user.id}/send-password-reset`)
  const [{ subject, text, html } = assert.fail()] = await app.emailsTo(user.email)

  assert.match(subject, /Win at/)
  for (const each of [subject, text, html]) assert.doesNotMatch(String(each), /:\/\/evil|evil\./)
})

test('P07: a system that changes the password of a user again and again sends ten emails, then one an hour', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const service = await app.serviceOf(system)
  const path = `/admin/users/${user.id}`

  for (let n = 0; n < 7; n++) {
    assert.equal((await service.post(`${path}/reset-password`)).status, 200)
    assert.equal((await service.post(`${path}/set-password`, { password: `known to it, ${n}` })).status, 200)
  }
  const bySystem = (await app.emailsTo(user.email)).length
  await app.platform.post(`${path}/reset-password`)

  assert.deepEqual([bySystem, (await app.emailsTo(user.email)).length], [10, 11])
})

test('resend-verification of a verified address is email_already_verified', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser({ emailVerified: true })

  const answer = await app.platform.post(`/admin/users/${user.id}/resend-verification`)

  assert.deepEqual(outcome(answer), [409, 'email_already_verified'])
  assert.deepEqual(await app.emailsTo(user.email), [])
})

test('P50: disable-mfa removes all factors, signs the user out and sends one email', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newestMember(app)
  const open = await app.signIn(system, { email: user.email })
  await enrol(app, user.id)
  const path = `/admin/users/${user.id}`
  assert.equal((await app.platform.get(path)).body.mfaEnabled, true)

  const answers = await Promise.all([1, 2, 3].map(() => app.platform.post(`${path}/disable-mfa`)))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.mfaEnabled]),
    Array(3).fill([200, false]),
  )
  for (const table of [totpFactors, passkeys, recoveryCodes])
    assert.equal((await app.db.select().from(table).where(eq(table.userId, user.id))).length, 0)
  await assertSignedOut(app, system, user.email, open)
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind),
    ['mfa_removed'],
  )
  assert.deepEqual(
    (await app.audited({ targetId: user.id, action: 'user.mfa_disabled' })).map(({ changes }) => changes),
    [{ mfaEnabled: [true, false] }],
  )
  assert.deepEqual(
    (await recordedEvents(app, user.id)).map(({ data }) => data.changed),
    [['mfa']],
  )
})

test('disable-mfa of a user without a factor is 200 and ends no session', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newestMember(app)
  const open = await app.signIn(system, { email: user.email })
  const before = (await app.platform.get(`/admin/users/${user.id}`)).body

  const answer = await app.platform.post(`/admin/users/${user.id}/disable-mfa`)

  assert.deepEqual([answer.status, answer.body], [200, before])
  assert.equal((await app.me(open.access_token)).status, 200)
  assert.deepEqual(await app.emailsTo(user.email), [])
})

test('P50: an identity is unlinked once with an email and an audit entry', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  await link(app, user.id, 'google')
  await link(app, user.id, 'github')
  const path = `/admin/users/${user.id}/social`

  const answers = await Promise.all([1, 2, 3].map(() => app.platform.delete(`${path}/google`)))
  const unknown = await app.platform.delete(`${path}/gitlab`)

  assert.deepEqual(answers.map(outcome).sort(), [
    [204, undefined],
    [404, 'identity_not_found'],
    [404, 'identity_not_found'],
  ])
  assert.deepEqual(outcome(unknown), [404, 'identity_not_found'])
  const left = (await app.platform.get(`/admin/users/${user.id}`)).body.identities
  assert.deepEqual(
    left.map(({ provider }: { provider: string }) => provider),
    ['github'],
  )
  const emails = await app.emailsTo(user.email)
  assert.deepEqual(
    [emails.length, emails[0]?.kind, emails[0]?.text.includes('google')],
    [1, 'identity_removed', true],
  )
  assert.equal((await app.audited({ targetId: user.id, action: 'user.identity_removed' })).length, 1)
})

test('P50: the only way to sign in cannot be unlinked, even concurrently: only_way_in', async (t) => {
  const app = await startTestApp(t)
  const passwordless = await app.newUser({ password: undefined })
  await link(app, passwordless.id, 'google')
  await link(app, passwordless.id, 'github')
  const path = `/admin/users/${passwordless.id}/social`

  const both = await Promise.all([
    app.platform.delete(`${path}/google`),
    app.platform.delete(`${path}/github`),
  ])
  const [left] = (await app.platform.get(`/admin/users/${passwordless.id}`)).body.identities
  await app.db.insert(passkeys).values({
    userId: passwordless.id,
    credentialId: crypto.randomUUID(),
    publicKey: randomBuffer(),
    name: 'Phone',
  })
  const withPasskey = await app.platform.delete(`${path}/${left.provider}`)

  assert.deepEqual(both.map(outcome).sort(), [
    [204, undefined],
    [409, 'only_way_in'],
  ])
  assert.equal(withPasskey.status, 204)
})

test('P37: a service token changes credentials in its own system only', async (t) => {
  const app = await startTestApp(t)
  const [shop, other] = [await app.newSystem({ allowClientCredentials: true }), await app.newSystem()]
  const service = await app.serviceOf(shop)
  const member = async (...systems: { id: string }[]) => {
    const user = await app.newUser()
    for (const { id } of systems) await app.newMembership({ userId: user.id, systemId: id })
    await enrol(app, user.id)
    await link(app, user.id, 'google')
    return user
  }
  const [mine, shared, foreign] = [await member(shop), await member(shop, other), await member(other)]
  const all = async (id: string): Promise<Answer[]> => [
    await service.post(`/admin/users/${id}/reset-password`),
    await service.post(`/admin/users/${id}/send-password-reset`),
    await service.post(`/admin/users/${id}/resend-verification`),
    await service.post(`/admin/users/${id}/disable-mfa`),
    await service.delete(`/admin/users/${id}/social/google`),
  ]
  const users = [mine, shared, foreign]
  const before = await Promise.all(users.map(({ id }) => app.platform.get(`/admin/users/${id}`)))

  for (const { id } of [mine, shared])
    assert.deepEqual(
      (await all(id)).map(({ status }) => status),
      [200, 202, 202, 200, 204],
    )
  assert.deepEqual((await all(foreign.id)).map(outcome), Array(5).fill([404, 'user_not_found']))
  const after = await Promise.all(users.map(({ id }) => app.platform.get(`/admin/users/${id}`)))
  assert.deepEqual(
    after.map(({ body }) => body),
    before.map(({ body }) => body),
  )
  assert.deepEqual(await app.emailsTo(foreign.email), [])
})
