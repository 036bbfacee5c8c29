/** GET /admin/explain: why a user cannot sign in, for whom, and what it does not reveal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterPassword, begin, memberWithApp } from '../../test/support/factors.ts'
import type { AdminClient } from '../../test/support/http.ts'
import { authUrl, type Driver, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { and, eq, sql } from '../database/drizzle.ts'
import { systemUsers, users } from '../database/schema.ts'

const explained = async (client: AdminClient, query: Record<string, string>) => {
  const { status, body } = await client.get(`/admin/explain?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
type Explained = Awaited<ReturnType<typeof explained>>
const stepIn = (body: Explained, name: string) =>
  body.steps.find(({ step }: { step: string }) => step === name)

test('a pending membership is explained, and the offered operation ends the refusal', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({
    requireAdminActivation: true,
    skipConsent: true,
  })
  const before = await explained(app.platform, { email: user.email, systemId: system.id })
  assert.deepEqual([before.outcome, before.code, before.complete], ['refused', 'membership_pending', true])
  assert.equal(stepIn(before, 'token').verdict, 'unreached')
  const { facts, fix } = stepIn(before, 'membership')
  assert.deepEqual([facts.membershipId, facts.by], [membership.id, 'requireAdminActivation'])
  const [method, path] = fix.operation.split(' ')
  assert.equal(method, 'PATCH')
  assert.equal((await app.platform.patch(path, fix.body)).status, 200)
  const after = await explained(app.platform, { userId: user.id, systemId: system.id })
  assert.deepEqual([after.outcome, after.code], ['granted', null])
  assert.equal(after.token.membership_id, membership.id)
})

test('a refused sign-in is in the audit with its reason, and is found by the id of its request', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({ requireAdminActivation: true })
  const page = await afterPassword(app.newBrowser(), system, user.email)
  assert.equal(page.status, 200)
  const [entry] = await app.audited({ action: 'sign_in.refused', targetId: user.id })
  assert.deepEqual(
    [entry!.systemId, entry!.accountId, entry!.actorId, entry!.changes],
    [system.id, membership.accountId, user.id, { reason: [null, 'pending'] }],
  )
  const found = await explained(app.platform, { requestId: entry!.requestId! })
  assert.deepEqual(
    [found.code, found.request.reason, found.attempts[0].action],
    ['membership_pending', 'pending', 'sign_in.refused'],
  )
  const { status } = await app.platform.get('/admin/explain?requestId=unknown')
  assert.equal(status, 404)
})

test('the id of a request explains a sign-in to the account that it has requested', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ multiAccount: true, skipConsent: true })
  const other = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Other' })
  await app.platform.patch(`/admin/memberships/${other.id}`, { status: 'blocked' })
  await afterPassword(app.newBrowser(), system, user.email, { account_id: String(other.accountId) })
  const [entry] = await app.audited({ action: 'sign_in.refused', targetId: user.id })

  const found = await explained(app.platform, { requestId: entry!.requestId! })

  assert.deepEqual(
    [found.code, stepIn(found, 'membership').facts.membershipId],
    ['membership_blocked', other.id],
  )
})

test('each refusal at a check of a sign-in has its reason in the audit', async (t) => {
  const app = await startTestApp(t)
  const [system, first] = [
    await app.newSystem({ multiAccount: true, skipConsent: true }),
    await app.newSystem(),
  ]
  const user = await app.newUser()
  const reasons = async (of: { id: string }) =>
    (await app.audited({ action: 'sign_in.refused', systemId: of.id })).map(({ changes, accountId }) => [
      changes.reason?.[1],
      accountId,
    ])
  const request = (parameters: Record<string, string> = {}) =>
    afterPassword(app.newBrowser(), system, user.email, parameters)
  await request()
  assert.deepEqual(await reasons(system), [['none', null]])
  const one = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'One' })
  await app.platform.patch(`/admin/memberships/${one.id}`, { status: 'blocked' })
  await request()
  await request({ account_id: one.accountId })
  await request({ account_id: crypto.randomUUID() })
  await app.platform.patch(`/admin/memberships/${one.id}`, { status: 'active' })
  await request({ claims: JSON.stringify({ id_token: { acr: { essential: true, value: 'urn:none' } } }) })
  assert.deepEqual((await reasons(system)).slice(1), [
    ['blocked', one.accountId],
    ['blocked', one.accountId],
    ['foreign', null],
    ['factor', one.accountId],
  ])
  const membership = await app.newMembership({ userId: user.id, systemId: first.id })
  const browser = app.newBrowser()
  const consent = await afterPassword(browser, first, user.email)
  await browser.submit(consent, { decision: 'deny' })
  assert.deepEqual(await reasons(first), [['consent', membership.accountId]])
})

test('a refused login has its reason in the audit', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const [wrong, disabled] = [await app.newUser(), await app.newUser()]
  for (const user of [wrong, disabled]) await app.newMembership({ userId: user.id, systemId: system.id })
  await app.db.update(systemUsers).set({ disabled: true }).where(eq(systemUsers.userId, disabled.id))
  const logIn = async (email: string, password: string) => {
    const browser = app.newBrowser()
    const answer = await browser.submit(await begin(browser, system), { email, password })
    assert.equal(answer.status, 401)
  }
  await logIn(wrong.email, 'not the password')
  await logIn(disabled.email, PASSWORD)
  await logIn('nobody@example.test', PASSWORD)
  const entries = await app.audited({ systemId: system.id, action: 'user.login' })
  assert.deepEqual(
    entries.map(({ changes }) => changes.reason?.[1]),
    ['password', 'disabled', 'unknown'],
  )
})

test('requests that a client sends wrongly are in the audit once a minute, and explained', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember()
  for (const _ of [1, 2, 3]) {
    const url = authUrl(system, newPkce().challenge, { redirect_uri: 'https://app.example/wrong' })
    assert.equal((await app.newBrowser().get(url)).status, 400)
  }
  const entries = await app.audited({ systemId: system.id, action: 'sign_in.refused' })
  assert.deepEqual(
    entries.map(({ changes }) => [changes.reason, changes.redirectUri]),
    [
      [
        [null, 'redirect_uri'],
        [null, 'https://app.example/wrong'],
      ],
    ],
  )
  const found = await explained(app.platform, { requestId: entries[0]!.requestId! })
  assert.deepEqual([found.code, found.steps[1].verdict], ['client_redirect_uri', 'unreached'])
  const asked = { userId: user.id, systemId: system.id, redirectUri: 'https://app.example/cb/' }
  const { facts } = stepIn(await explained(app.platform, asked), 'client')
  assert.equal(facts.closest, 'https://app.example/cb')
})

/** The answers to a system and to the admin of an account, without what differs between users. */
async function answersAbout(readers: AdminClient[], user: { id: string; email: string }, accountId: string) {
  const answers = []
  for (const reader of readers)
    for (const asked of [{ userId: user.id }, { email: user.email }, { userId: user.id, acr: 'mfa' }]) {
      const { at: _, ...body } = await explained(reader, { ...asked, accountId })
      answers.push(JSON.stringify(body).replaceAll(user.id, 'USER').replaceAll(user.email, 'EMAIL'))
    }
  return answers.map((answer) =>
    answer
      .replace(/"(createdAt|since|membershipId|membership_id)":"[^"]+"/g, '"$1":""')
      .replace(/memberships\/[\w-]+/, 'memberships/ID'),
  )
}

const readersOf = async (app: Driver, system: Parameters<Driver['signIn']>[0]) => {
  const role = await app.newRole(system.id, { isAdmin: true })
  const boss = await app.newUser()
  const { accountId } = await app.newMembership({ userId: boss.id, systemId: system.id, roles: [role.id] })
  const { access_token: token } = await app.signIn(system, { email: boss.email })
  return { accountId: String(accountId), readers: [await app.serviceOf(system), app.as(token)] }
}

test('P56: an explanation tells a system and the admin of an account nothing that is true of a user elsewhere', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, skipConsent: true })
  const { accountId, readers } = await readersOf(app, system)
  const { user: withApp } = await memberWithApp(app)
  const others = [
    await app.newUser({ emailVerified: true }),
    await app.newUser({ password: undefined }),
    withApp,
  ]
  const [disabled, plain] = [await app.newUser({ disabled: true }), await app.newUser()]
  const all = [plain, ...others, disabled]
  for (const { id: userId } of all) await app.newMembership({ userId, accountId })
  await app.newMembership({ userId: plain.id, systemId: system.id, accountName: 'Another one' })
  const answers = []
  for (const user of all)
    answers.push(await answersAbout(readers, user as { id: string; email: string }, accountId))
  for (const each of answers) assert.deepEqual(each, answers[0])
})

test('P56: adding users tells a system nothing about what they have, did and are elsewhere', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, requireMfa: true })
  const { accountId } = await app.newMembership({ userId: (await app.newUser()).id, systemId: system.id })
  const service = await app.serviceOf(system)
  const elsewhere = (await app.newMember({ skipConsent: true })).system
  const { user: withApp } = await memberWithApp(app)
  const signedIn = await app.newUser({ name: 'Ana Lima', emailVerified: true })
  await app.newMembership({ userId: signedIn.id, systemId: elsewhere.id })
  await app.signIn(elsewhere, { email: signedIn.email })
  const all = [
    await app.newUser(),
    await app.newUser({ password: undefined }),
    await app.newUser({ disabled: true }),
    withApp as { id: string; email: string },
    signedIn,
  ]
  const answers = []
  for (const { id: userId, email } of all) {
    const { status } = await service.post('/admin/memberships', { userId, accountId })
    assert.equal(status, 201)
    const user = (await service.get(`/admin/users/${userId}`)).body
    const { id: _id, email: _email, createdAt: _created, updatedAt: _updated, ...read } = user
    answers.push([read, ...(await answersAbout([service], { id: userId, email }, String(accountId)))])
  }
  for (const each of answers) assert.deepEqual(each, answers[0])
})

test('P56: a user who is not in the system or the account is answered like one who does not exist', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, skipConsent: true })
  const { readers, accountId } = await readersOf(app, system)
  const elsewhere = await app.newMember()
  const inOther = await app.newUser()
  await app.newMembership({ userId: inOther.id, systemId: system.id, accountName: 'Another one' })
  const unknown = { id: crypto.randomUUID(), email: 'nobody@example.test' }
  const [asSystem, asAccount] = readers as [AdminClient, AdminClient]
  const of = (reader: AdminClient, user: object) =>
    answersAbout([reader], user as { id: string; email: string }, accountId)
  assert.deepEqual(await of(asSystem, elsewhere.user), await of(asSystem, unknown))
  assert.deepEqual(await of(asAccount, elsewhere.user), await of(asAccount, unknown))
  assert.deepEqual(await of(asAccount, inOther), await of(asAccount, unknown))
  const other = await app.newSystem()
  for (const reader of readers)
    assert.equal((await reader.get(`/admin/explain?userId=${unknown.id}&systemId=${other.id}`)).status, 404)
})

test('guesses at a password are shown to the platform as a wait', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember()
  const browser = app.newBrowser()
  const page = await begin(browser, system)
  await browser.submit(page, { email: user.email, password: 'a wrong one' })
  await app.db.execute(sql`update limits set expire = expire + 100 * 900000 where key like 'account:%'`)
  const body = await explained(app.platform, { userId: user.id, systemId: system.id })
  assert.equal(body.code, 'throttle_waiting')
  assert.ok(Date.parse(stepIn(body, 'throttle').facts.until) > Date.now())
  await app.db.execute(sql`delete from limits where key like 'account:%'`)
  const [row] = await app.db
    .select()
    .from(users)
    .where(and(eq(users.id, user.id)))
  assert.equal(row!.disabled, false)
})
