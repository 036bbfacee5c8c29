/** Token exchange (RFC 8693): who may act for a member, what the token opens, who sees it, how it ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { appCode, codeOf, continueSignIn, secretOn, sendTo, withinStep } from '../../test/support/factors.ts'
import { newAddress, newOrganization } from '../../test/support/invitations.ts'
import { signInToAccount, visitorOf } from '../../test/support/organizations.ts'
import {
  authUrl,
  codeFields,
  type Driver,
  newPkce,
  PASSWORD,
  type SystemLike,
  startTestApp,
} from '../../test/support/testing.ts'
import { AAL2 } from '../authentication/assurance.ts'
import { sql } from '../database/drizzle.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const MEMBERSHIP = 'urn:tenantry:params:oauth:token-type:membership'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const REASON = 'Ticket 4711: the invoice is empty'

type Answer = Awaited<ReturnType<Driver['token']>>

/** An organization with an admin and a member, and a user of the vendor's support in another account. */
async function newSupport(app: Driver) {
  const org = await newOrganization(app, { allowActingForMembers: true })
  const support = await app.newRole(org.system.id, {
    assignableByAccountAdmins: false,
    canActForMembers: true,
  })
  const [agent, user] = [await app.newUser({ name: 'Bea Sousa' }), await app.newUser()]
  const own = await app.newMembership({
    userId: agent.id,
    systemId: org.system.id,
    accountName: 'Support',
    roles: [support.id],
    status: 'active',
  })
  const member = await app.newMembership({
    userId: user.id,
    systemId: org.system.id,
    accountId: org.accountId,
    roles: [org.role.id],
    status: 'active',
  })
  const { access_token, visitor } = await app.signIn(org.system, { email: agent.email })
  const act = (fields: Record<string, string> = {}): Promise<Answer> =>
    actFor(app, org.system, { subject_token: member.id, actor_token: access_token, ...fields })
  return { ...org, support, agent, own, user, member, token: access_token, visitor, act }
}

const actFor = (app: Driver, system: SystemLike, fields: Record<string, string>) =>
  app.token(system, {
    grant_type: EXCHANGE,
    subject_token_type: MEMBERSHIP,
    actor_token_type: ACCESS_TOKEN,
    reason: REASON,
    ...fields,
  })

const withoutTags = (body: unknown) =>
  String(body)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
const isActive = async (app: Driver, token: string) => (await app.me(token)).status === 200

test('support acts for a member with the rights of the member, for at most an hour, without a refresh token', async (t) => {
  const app = await startTestApp(t)
  const { agent, user, member, accountId, role, act } = await newSupport(app)

  const { status, body } = await act()
  const claims = decodeJwt(body.access_token)
  const me = await app.me(body.access_token)

  assert.equal(status, 200)
  assert.deepEqual(
    [body.issued_token_type, body.token_type, body.refresh_token],
    [ACCESS_TOKEN, 'Bearer', undefined],
  )
  assert.ok(body.expires_in <= 3_600)
  assert.deepEqual(
    [claims.sub, claims.act, claims.account_id, claims.membership_id, claims.roles],
    [user.id, { sub: agent.id }, accountId, member.id, [role.name]],
  )
  assert.deepEqual([me.body.sub, me.body.act, me.body.email], [user.id, { sub: agent.id }, user.email])
})

test('P64: a token of a member opens no admin API, even for an admin, and acts for no other member', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, member, act } = await newSupport(app)
  const { body: found } = await app.platform.get(`/admin/memberships?userId=${admin.id}`)

  const asAdmin = await act({ subject_token: found.data[0].id })
  const claims = decodeJwt(asAdmin.body.access_token)
  const read = await app.as(asAdmin.body.access_token).get('/admin/memberships')
  const again = await actFor(app, system, {
    subject_token: member.id,
    actor_token: asAdmin.body.access_token,
  })

  assert.equal(claims.is_admin, true)
  assert.deepEqual([read.status, read.body.code], [403, 'insufficient_authority'])
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
})

test('P64: only who has the role in the system, after a recent sign-in, acts for its active members', async (t) => {
  const app = await startTestApp(t)
  const { system, account, support, agent, own, member, user, act, token, visitor } = await newSupport(app)
  const other = await newSupport(app)
  const closed = await newOrganization(app)
  const { access_token: ofMember } = await app.signIn(system, { email: user.email })
  const refusalOf = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.error]
  }

  assert.deepEqual(await refusalOf(act({ actor_token: ofMember })), [400, 'invalid_grant'])
  assert.deepEqual(await refusalOf(act({ actor_token: other.token })), [400, 'invalid_grant'])
  assert.deepEqual(await refusalOf(act({ subject_token: other.member.id })), [400, 'invalid_grant'])
  assert.deepEqual(await refusalOf(act({ subject_token: crypto.randomUUID() })), [400, 'invalid_grant'])
  assert.deepEqual(await refusalOf(act({ subject_token: own.id })), [400, 'invalid_grant'])
  const colleague = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: system.id,
    accountId: own.accountId,
    roles: [support.id],
    status: 'active',
  })
  assert.deepEqual(await refusalOf(act({ subject_token: colleague.id })), [400, 'invalid_grant'])
  assert.deepEqual(await refusalOf(act({ reason: ' ' })), [400, 'invalid_request'])
  assert.deepEqual(await refusalOf(act({ scope: 'openid offline_access' })), [400, 'invalid_scope'])
  assert.deepEqual(await refusalOf(act({ scope: 'openid phone' })), [400, 'invalid_scope'])
  assert.deepEqual(
    await refusalOf(actFor(app, closed.system, { subject_token: member.id, actor_token: token })),
    [400, 'unauthorized_client'],
  )
  await changeProofs(app.db, agent.id, { age: 310 })
  const { access_token: stale } = await app.signIn(system, { email: agent.email, visitor })
  assert.deepEqual(await refusalOf(act({ actor_token: stale })), [400, 'invalid_grant'])
  const blocked = await account.patch(`/admin/memberships/${member.id}`, { status: 'blocked' })
  assert.equal(blocked.status, 200)
  assert.deepEqual(await refusalOf(act()), [400, 'invalid_grant'])
})

test('P72: a member whom a connection of an organization has signed in acts for no other member', async (t) => {
  const app = await startTestApp(t)
  const { act, token } = await newSupport(app)
  const acting = (await act()).body.access_token
  const { sid } = decodeJwt(token)

  await app.db.execute(sql`update sessions set connection_id = ${crypto.randomUUID()} where sid = ${sid}`)

  const { status, body } = await act()
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  assert.equal(await isActive(app, acting), false)
})

test('P64: in an organization that requires a second factor only who has used one acts for its members', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, agent, own, member, act } = await newSupport(app)
  const required = await app.platform.patch(`/admin/accounts/${accountId}`, { requireMfa: true })

  const without = await act()
  const browser = app.newBrowser()
  const pkce = newPkce()
  const url = authUrl(system, pkce.challenge, { acr_values: AAL2, account_id: own.accountId })
  const login = await browser.follow(await browser.get(url))
  const enrol = await browser.follow(await browser.submit(login, { email: agent.email, password: PASSWORD }))
  await withinStep()
  const done = await sendTo(browser, enrol, 'enrol', { code: appCode(secretOn(enrol), -1) })
  const code = codeOf(await continueSignIn(browser, done)) ?? ''
  const tokens = await app.token(system, codeFields(system, { back: { code }, pkce }))
  const withFactor = await act({ actor_token: tokens.body.access_token })

  assert.equal(required.status, 200)
  assert.deepEqual([without.status, without.body.error], [400, 'invalid_grant'])
  assert.equal(withFactor.status, 200)
  assert.equal(decodeJwt(withFactor.body.access_token).membership_id, member.id)
})

test('the admins of the account see who acts, for whom and why, and end it; the user sees and ends it too', async (t) => {
  const app = await startTestApp(t)
  const { account, accountId, admin, agent, user, member, act } = await newSupport(app)
  const { body } = await act()
  const { sid } = decodeJwt(body.access_token)

  const sessions = (await account.get(`/admin/sessions?userId=${user.id}`)).body.data
  const audit = (await account.get('/admin/audit?action=session.acting_started')).body.data
  const [event] = (await app.findEvents({ accountId })).filter(
    ({ type }) => type === 'session.acting_started',
  )
  const ended = await account.delete(`/admin/sessions/${sid}`)

  assert.deepEqual(
    sessions.map((each: { sid: string; actor: object; reason: string; ip: null }) => [
      each.sid,
      each.actor,
      each.reason,
      each.ip,
    ]),
    [[sid, { id: agent.id, name: 'Bea Sousa' }, REASON, null]],
  )
  assert.deepEqual(audit[0].changes, {
    sid: [null, sid],
    membershipId: [null, member.id],
    actor: [null, 'Bea Sousa'],
    user: [null, user.email],
    reason: [null, REASON],
  })
  assert.deepEqual([audit[0].target, audit[0].actor.ip], [{ type: 'user', id: user.id }, null])
  assert.deepEqual([event?.data.user, event?.data.reason], [{ id: user.id, email: user.email }, REASON])
  assert.equal(ended.status, 204)
  assert.equal(await isActive(app, body.access_token), false)

  const { open } = await visitorOf(app, { accountId }, admin as never)
  const { body: activity } = await open('/activity')
  assert.match(
    withoutTags(activity),
    new RegExp(`Bea Sousa began to act for ${user.email} Reason: ${REASON}`),
  )
  const second = (await act()).body.access_token
  const { browser } = await signInToAccount(app, user.email)
  const devices = await browser.get('/account/sessions')
  await browser.submit(devices, { sid: String(decodeJwt(second).sid) })
  assert.match(withoutTags(devices.body), new RegExp(`Bea Sousa.*${REASON}`))
  assert.equal(await isActive(app, second), false)
})

test('P64: the session ends with an event when the acting user or the member loses access', async (t) => {
  const app = await startTestApp(t)
  const ways: [string, (of: Awaited<ReturnType<typeof newSupport>>) => Promise<unknown>][] = [
    [
      'membership blocked',
      ({ own }) => app.platform.patch(`/admin/memberships/${own.id}`, { status: 'blocked' }),
    ],
    ['membership removed', ({ own }) => app.platform.delete(`/admin/memberships/${own.id}`)],
    ['user disabled', ({ agent }) => app.platform.patch(`/admin/users/${agent.id}`, { disabled: true })],
    ['session ended', ({ token }) => app.platform.delete(`/admin/sessions/${decodeJwt(token).sid}`)],
    [
      'member blocked',
      ({ member }) => app.platform.patch(`/admin/memberships/${member.id}`, { status: 'blocked' }),
    ],
  ]
  for (const [name, lose] of ways) {
    const made = await newSupport(app)
    const { body } = await made.act()
    const { sid } = decodeJwt(body.access_token)
    assert.equal(await isActive(app, body.access_token), true, name)
    await lose(made)
    assert.equal(await isActive(app, body.access_token), false, name)
    const events = (await app.findEvents({ accountId: made.accountId })).filter(
      ({ type, data }) => type === 'session.ended' && data.sid === sid,
    )
    assert.equal(events.length, 1, name)
  }
})

test('P64: without the right to act the sessions end with an event, and none goes on when the right is given again', async (t) => {
  const app = await startTestApp(t)
  type Made = Awaited<ReturnType<typeof newSupport>>
  const rolesOf = ({ own }: Made) => `/admin/memberships/${own.id}/roles`
  const roleOf = ({ system, support }: Made) => `/admin/systems/${system.id}/roles/${support.id}`
  const systemOf = ({ system }: Made) => `/admin/systems/${system.id}`
  const ways: Record<string, (of: Made, isAllowed: boolean) => Promise<Answer>> = {
    'the role of the user': (of, isAllowed) =>
      app.platform.patch(rolesOf(of), { [isAllowed ? 'add' : 'remove']: [of.support.id] }),
    'the right of the role': (of, canActForMembers) => app.platform.patch(roleOf(of), { canActForMembers }),
    'the setting of the system': (of, allowActingForMembers) =>
      app.platform.patch(systemOf(of), { allowActingForMembers }),
  }
  for (const [name, allow] of Object.entries(ways)) {
    const made = await newSupport(app)
    const { body } = await made.act()
    assert.equal(await isActive(app, body.access_token), true, name)
    for (const isAllowed of [false, true]) {
      assert.equal((await allow(made, isAllowed)).status, 200, name)
      assert.equal(await isActive(app, body.access_token), false, `${name} ${isAllowed}`)
    }
    const events = (await app.findEvents({ accountId: made.accountId, type: 'session.ended' })).map(
      ({ data }) => [data.sid, data.reason],
    )
    assert.deepEqual(events, [[decodeJwt(body.access_token).sid, 'acting_not_allowed']], name)
    assert.equal((await made.act()).status, 200, name)
    assert.equal(await isActive(app, made.token), true, `${name}: the own session`)
  }
})

test('a session that is opened while acting is turned off does not go on when it is turned on', async (t) => {
  const app = await startTestApp(t)
  const { system, act } = await newSupport(app)
  const path = `/admin/systems/${system.id}`
  const opened = Array.from({ length: 10 }, () => act())
  const off = await app.platform.patch(path, { allowActingForMembers: false })
  const answers = await Promise.all(opened)
  const on = await app.platform.patch(path, { allowActingForMembers: true })
  const tokens = answers.flatMap(({ body }) => body.access_token ?? [])

  assert.deepEqual([off.status, on.status], [200, 200])
  assert.deepEqual(
    await Promise.all(tokens.map((token) => isActive(app, token))),
    tokens.map(() => false),
  )
})

test('P64: acting is enabled by the platform, and the role is assigned by no account admin and to no founder', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const { system, service, account, accountId } = org
  const roles = `/admin/systems/${system.id}/roles`
  const enabled = await service.patch(`/admin/systems/${system.id}`, { allowActingForMembers: true })
  const open = await service.post(roles, { name: 'Open', canActForMembers: true })
  const reserved = await service.post(roles, {
    name: 'Support',
    canActForMembers: true,
    assignableByAccountAdmins: false,
  })
  const { body: found } = await account.get(`/admin/memberships?accountId=${accountId}`)
  const assigned = await account.patch(`/admin/memberships/${found.data[0].id}/roles`, {
    add: [reserved.body.id],
  })
  const founder = await service.patch(`/admin/systems/${system.id}`, { founderRoleId: reserved.body.id })
  const freed = await service.patch(`${roles}/${reserved.body.id}`, { assignableByAccountAdmins: true })

  assert.deepEqual([enabled.status, enabled.body.code], [403, 'insufficient_authority'])
  assert.deepEqual([open.status, open.body.errors[0].path], [400, '/canActForMembers'])
  assert.equal(reserved.status, 201)
  assert.equal(assigned.status, 403)
  assert.deepEqual([founder.status, founder.body.errors[0].path], [400, '/founderRoleId'])
  assert.deepEqual([freed.status, freed.body.errors[0].path], [400, '/canActForMembers'])
})

test('P09: acting for a member and inviting tell a system no name of a user who has not entered it', async (t) => {
  const app = await startTestApp(t)
  const { system, service, admins, support, member } = await newSupport(app)
  const password = 'a password that a system knows'
  const victim = await app.newUser({ name: 'Rita Own' })
  const { body: joined } = await service.post('/admin/memberships', {
    userId: victim.id,
    systemId: system.id,
    accountName: 'Trap',
    roles: [admins.id, support.id],
  })
  await service.post(`/admin/users/${victim.id}/set-password`, { password })
  const { access_token } = await app.signIn(system, { email: victim.email, password })
  const acted = await actFor(app, system, { subject_token: member.id, actor_token: access_token })
  const invited = await app
    .as(access_token)
    .post(`/admin/accounts/${joined.accountId}/invitations`, { email: newAddress() })
  const shown = JSON.stringify([
    (await service.get('/admin/sessions')).body,
    (await service.get('/admin/audit')).body,
    await app.findEvents({ systemId: system.id }),
    await app.emailsTo(invited.body.email),
  ])

  assert.deepEqual([acted.status, invited.status], [200, 201])
  assert.ok(shown.includes(`"name":"${victim.email}"`))
  assert.ok(!shown.includes('Rita Own'))
})

test('the deletion of a user erases the address and the name from what is recorded of acting for members', async (t) => {
  const app = await startTestApp(t)
  const [one, other] = [await newSupport(app), await newSupport(app)]
  await one.act()
  await other.act()
  await app.platform.delete(`/admin/users/${one.user.id}`)
  await app.platform.delete(`/admin/users/${other.agent.id}`)
  const recorded = async ({ system }: typeof one) =>
    (await app.platform.get(`/admin/audit?action=session.acting_started&systemId=${system.id}`)).body.data[0]
      .changes

  for (const { user, actor } of [await recorded(one), await recorded(other)])
    assert.deepEqual(
      [user, actor],
      [
        [null, null],
        [null, null],
      ],
    )
})

test('a user acts in at most 50 sessions at a time, and again after one has ended', async (t) => {
  const app = await startTestApp(t)
  const { account, act } = await newSupport(app)
  const opened: Answer[] = []
  while (opened.length < 50) opened.push(...(await Promise.all([act(), act(), act(), act(), act()])))
  const more = await act()
  await account.delete(`/admin/sessions/${decodeJwt(opened[0]?.body.access_token).sid}`)
  const again = await act()

  assert.deepEqual(new Set(opened.map(({ status }) => status)), new Set([200]))
  assert.deepEqual([more.status, more.body.error], [400, 'invalid_request'])
  assert.equal(again.status, 200)
})
