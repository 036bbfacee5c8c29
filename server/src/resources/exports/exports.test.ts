import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkMember } from '../../../test/support/connections.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import {
  activity,
  identities,
  memberships,
  passkeys,
  passwords,
  recoveryCodes,
  totpFactors,
} from '../../database/schema.ts'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]

test('an export has all data of a user and no credential', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ name: 'Ledger' })
  const role = await app.newRole(system.id, { name: 'clerk' })
  const [{ id: membershipId }] = (await app.platform.get(`/admin/memberships?search=${user.email}`)).body.data
  await app.platform.patch(`/admin/memberships/${membershipId}/roles`, { roles: [role.id] })
  const open = await app.signIn(system, { email: user.email })
  const secret = Buffer.from('a secret of thirty-two characters')
  await app.db
    .insert(identities)
    .values({ userId: user.id, provider: 'google', issuer: 'google', subject: 'subject-7' })
  await app.db.insert(totpFactors).values({ userId: user.id, sealedSecret: secret, confirmedAt: new Date() })
  await app.db
    .insert(passkeys)
    .values({ userId: user.id, credentialId: `cred-${user.id}`, publicKey: secret, name: 'Phone' })
  await app.db.insert(recoveryCodes).values({ userId: user.id, hash: secret })
  await app.platform.post(`/admin/users/${user.id}/send-password-reset`)
  const [password] = await app.db.select().from(passwords).where(eq(passwords.userId, user.id))
  const token = /token=([\w-]+)/.exec((await app.emailsTo(user.email)).at(-1)!.text)![1]!

  const active = { systemId: system.id, userId: user.id, day: '2026-05-01', days: 0b101n }
  await app.db
    .insert(activity)
    .values(active)
    .onConflictDoUpdate({ target: [activity.systemId, activity.userId], set: active })

  const answer = await app.platform.get(`/admin/users/${user.id}/export`)

  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { body } = answer
  assert.deepEqual([body.user.email, body.identities[0].subject], [user.email, 'subject-7'])
  assert.deepEqual(
    [body.factors.authenticators.length, body.factors.passkeys[0].name, body.factors.recoveryCodes],
    [1, 'Phone', { left: 1, used: 0 }],
  )
  assert.deepEqual(
    body.memberships.map((each: { system: object; roles: string[]; status: string }) => [
      each.system,
      each.roles,
      each.status,
    ]),
    [[{ id: system.id, name: 'Ledger' }, ['clerk'], 'active']],
  )
  assert.deepEqual(body.activity, [{ systemId: system.id, days: ['2026-05-01', '2026-04-29'] }])
  assert.deepEqual([body.personalAccounts.length, body.sessions.length, body.consents.length], [1, 1, 1])
  assert.deepEqual(body.consents[0].scopes.toSorted(), ['email', 'offline_access', 'openid', 'profile'])
  const actions = body.audit.map(({ action }: { action: string }) => action)
  for (const action of [
    'user.created',
    'user.login',
    'consent.granted',
    'membership.created',
    'user.password_reset_sent',
  ])
    assert.ok(actions.includes(action), action)
  assert.deepEqual(
    [body.mails.map(({ kind }: { kind: string }) => kind), body.links[0].purpose],
    [['password_reset'], 'password_reset'],
  )
  const text = JSON.stringify(body)
  for (const hidden of [
    password!.hash!,
    '$argon2',
    token,
    `cred-${user.id}`,
    secret.toString('base64'),
    open.refresh_token!,
  ])
    assert.ok(!text.includes(hidden), hidden)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.exported' })
  assert.equal(entry?.actorType, 'service')
})

test('an export does not reveal the IP addresses of administrators', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  await app.signIn(system, { email: user.email })

  const { audit } = (await app.platform.get(`/admin/users/${user.id}/export`)).body

  for (const entry of audit) assert.equal(entry.ip !== null, entry.actorId === user.id, JSON.stringify(entry))
  assert.ok(audit.some((entry: { actorId: string }) => entry.actorId === user.id))
})

test('P37: a service token exports its own users, with the data of its system only', async (t) => {
  const app = await startTestApp(t)
  const [shop, other] = [
    await app.newSystem({ allowClientCredentials: true, skipConsent: true }),
    await app.newSystem({ skipConsent: true }),
  ]
  const service = await app.serviceOf(shop)
  const [mine, foreign] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: mine.id, systemId: shop.id })
  await app.newMembership({ userId: mine.id, systemId: other.id })
  await app.newMembership({ userId: foreign.id, systemId: other.id })
  for (const system of [shop, other]) await app.signIn(system, { email: mine.email })
  const path = `/admin/users/${mine.id}/export`

  const unreached = await service.get(`/admin/users/${foreign.id}/export`)
  const { status, body } = await service.get(path)
  const whole = (await app.platform.get(path)).body

  assert.deepEqual(outcome(unreached), [404, 'user_not_found'])
  assert.equal(status, 200)
  for (const part of ['sessions', 'audit', 'personalAccounts', 'consents', 'activity'])
    for (const row of body[part]) assert.equal(row.systemId, shop.id, `${part}: ${JSON.stringify(row)}`)
  assert.ok(!JSON.stringify(body).includes(other.id))
  assert.ok(whole.audit.some((row: { systemId: string }) => row.systemId === other.id))
  assert.equal(
    (await app.audited({ targetId: mine.id, action: 'user.exported' })).length,
    2,
    'those that were answered',
  )
})

test('an export has the links of the user at connections, and what organizations state', async (t) => {
  const app = await startTestApp(t)
  const [shop, other] = [
    await app.newSystem({ allowClientCredentials: true, multiAccount: true }),
    await app.newSystem({ multiAccount: true }),
  ]
  const service = await app.serviceOf(shop)
  const user = await app.newUser()
  const join = async (system: { id: string }, subject: string) => {
    const place = { userId: user.id, systemId: system.id, accountName: 'Acme' }
    const { id, accountId } = await app.newMembership(place)
    const path = `/admin/accounts/${accountId}/connections`
    const { body } = await app.platform.post(path, {
      name: 'Okta',
      kind: 'oidc',
      clientSecret: 'of-the-provider',
    })
    const connection = { id: String(body.id), name: 'Okta' }
    await linkMember(app, {
      ...{ accountId: String(accountId), connectionId: connection.id },
      ...{ userId: user.id, email: user.email, subject },
    })
    await app.db
      .update(memberships)
      .set({ stated: { name: `${subject} at work` }, statedEmail: `${subject}@acme.example` })
      .where(eq(memberships.id, String(id)))
    return connection
  }
  const [ofShop, ofOther] = [await join(shop, 'one'), await join(other, 'two')]
  const path = `/admin/users/${user.id}/export`

  const whole = (await app.platform.get(path)).body
  const ofSystem = (await service.get(path)).body

  const linksIn = ({ connectionLinks }: typeof whole) =>
    connectionLinks.map(({ connection, subject }: { connection: object; subject: string }) => [
      connection,
      subject,
    ])
  const statedIn = ({ memberships }: typeof whole) =>
    memberships.map((each: { stated: object; statedEmail: string }) => [each.stated, each.statedEmail])
  assert.deepEqual(linksIn(whole), [
    [ofShop, 'one'],
    [ofOther, 'two'],
  ])
  assert.deepEqual(linksIn(ofSystem), [[ofShop, 'one']])
  assert.deepEqual(statedIn(whole), [
    [{ name: 'one at work' }, 'one@acme.example'],
    [{ name: 'two at work' }, 'two@acme.example'],
  ])
  assert.deepEqual(statedIn(ofSystem), [[{ name: 'one at work' }, 'one@acme.example']])
  assert.ok(!JSON.stringify(whole).includes('of-the-provider'))
})
