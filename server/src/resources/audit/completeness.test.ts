/** Every changing admin operation, once successful and once refused, with its audit entries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Answer, adminClient, PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { audit, deliveries, identities, totpFactors } from '../../database/schema.ts'
import { eq } from '../../tuning/drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Fixture = Awaited<ReturnType<typeof newFixture>>
/** A valid request, its audit entry, and its target: the new id if the request creates something. */
type Change = { path: string; body?: object; contentType?: string; action: string; type: string; id?: string }

/** A system with one of each resource, made for one change. */
async function newFixture(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const { id: roleId } = await app.newRole(system.id)
  const { id: profileId } = (
    await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'doctor' })
  ).body
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const newSession = async () =>
    String(decodeJwt((await app.signIn(system, { email: user.email })).access_token).sid)
  return {
    app,
    system,
    roleId,
    profileId,
    user,
    membership,
    newSession,
    at: `/admin/systems/${system.id}`,
    ofUser: `/admin/users/${user.id}`,
    ofMembership: `/admin/memberships/${membership.id}`,
  }
}

const onSystem = (fixture: Fixture, verb: string) => ({
  action: `system.${verb}`,
  type: 'system',
  id: fixture.system.id,
})
const onUser = (fixture: Fixture, verb: string) => ({
  action: `user.${verb}`,
  type: 'user',
  id: fixture.user.id,
})
const onMembership = (fixture: Fixture, verb: string) => ({
  action: `membership.${verb}`,
  type: 'membership',
  id: fixture.membership.id,
})
const onSession = async (fixture: Fixture) => ({
  action: 'session.ended',
  type: 'session',
  id: await fixture.newSession(),
})

/** A webhook of the system, and its audit entry. */
async function onWebhook({ app, at }: Fixture, verb: string) {
  const { id } = (await app.platform.post(`${at}/webhooks`, { url: 'https://hooks.example/tenantry' })).body
  return { path: `${at}/webhooks/${id}`, action: `webhook.${verb}`, type: 'webhook', id: String(id) }
}

const CHANGES: Record<string, (fixture: Fixture) => Change | Promise<Change>> = {
  'POST /admin/systems': () => ({
    path: '/admin/systems',
    body: { name: 'Shop' },
    action: 'system.created',
    type: 'system',
  }),
  'PATCH /admin/systems/{systemId}': (fixture) => ({
    path: fixture.at,
    body: { name: 'Other' },
    ...onSystem(fixture, 'updated'),
  }),
  'DELETE /admin/systems/{systemId}': (fixture) => ({ path: fixture.at, ...onSystem(fixture, 'deleted') }),
  'POST /admin/systems/{systemId}/rotate-secret': (fixture) => ({
    path: `${fixture.at}/rotate-secret`,
    ...onSystem(fixture, 'secret_rotated'),
  }),
  'POST /admin/systems/{systemId}/roles': ({ at }) => ({
    path: `${at}/roles`,
    body: { name: 'clerk' },
    action: 'role.created',
    type: 'role',
  }),
  'PATCH /admin/systems/{systemId}/roles/{roleId}': ({ at, roleId }) => ({
    path: `${at}/roles/${roleId}`,
    body: { name: 'chief' },
    action: 'role.updated',
    type: 'role',
    id: roleId,
  }),
  'DELETE /admin/systems/{systemId}/roles/{roleId}': ({ at, roleId }) => ({
    path: `${at}/roles/${roleId}`,
    action: 'role.deleted',
    type: 'role',
    id: roleId,
  }),
  'POST /admin/systems/{systemId}/profiles': ({ at }) => ({
    path: `${at}/profiles`,
    body: { name: 'nurse' },
    action: 'profile.created',
    type: 'profile',
  }),
  'PATCH /admin/systems/{systemId}/profiles/{profileId}': ({ at, profileId }) => ({
    path: `${at}/profiles/${profileId}`,
    body: { name: 'nurse' },
    action: 'profile.updated',
    type: 'profile',
    id: profileId,
  }),
  'DELETE /admin/systems/{systemId}/profiles/{profileId}': ({ at, profileId }) => ({
    path: `${at}/profiles/${profileId}`,
    action: 'profile.deleted',
    type: 'profile',
    id: profileId,
  }),
  'POST /admin/systems/{systemId}/webhooks': ({ at }) => ({
    path: `${at}/webhooks`,
    body: { url: 'https://hooks.example/tenantry' },
    action: 'webhook.created',
    type: 'webhook',
  }),
  'PATCH /admin/systems/{systemId}/webhooks/{webhookId}': async (fixture) => ({
    ...(await onWebhook(fixture, 'updated')),
    body: { enabled: false },
  }),
  'DELETE /admin/systems/{systemId}/webhooks/{webhookId}': (fixture) => onWebhook(fixture, 'deleted'),
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/rotate-secret': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'secret_rotated')
    return { path: `${path}/rotate-secret`, ...entry }
  },
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/test': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'tested')
    return { path: `${path}/test`, ...entry }
  },
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/resend': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'resent')
    return { path: `${path}/resend`, body: { after: '2000-01-01T00:00:00Z' }, ...entry }
  },
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'resent')
    const [event] = await fixture.app.findEvents({ membershipId: fixture.membership.id })
    const delivery = {
      webhookId: entry.id,
      eventSeq: event!.seq,
      orderedBy: fixture.membership.id,
      status: 'failed' as const,
    }
    const [{ id } = { id: '' }] = await fixture.app.db.insert(deliveries).values(delivery).returning()
    return { path: `${path}/deliveries/${id}/resend`, ...entry }
  },
  'POST /admin/users': () => ({
    path: '/admin/users',
    body: { email: `${crypto.randomUUID()}@example.test` },
    action: 'user.created',
    type: 'user',
  }),
  'POST /admin/users/import': () => ({
    path: '/admin/users/import',
    body: { email: `${crypto.randomUUID()}@example.test` },
    contentType: 'application/x-ndjson',
    action: 'user.created',
    type: 'user',
  }),
  'PATCH /admin/users/{userId}': (fixture) => ({
    path: fixture.ofUser,
    body: { name: 'Bob' },
    ...onUser(fixture, 'updated'),
  }),
  'DELETE /admin/users/{userId}': (fixture) => ({ path: fixture.ofUser, ...onUser(fixture, 'deleted') }),
  'POST /admin/users/{userId}/set-password': (fixture) => ({
    path: `${fixture.ofUser}/set-password`,
    body: { password: `${PASSWORD}!` },
    ...onUser(fixture, 'password_set'),
  }),
  'POST /admin/users/{userId}/reset-password': (fixture) => ({
    path: `${fixture.ofUser}/reset-password`,
    ...onUser(fixture, 'password_reset'),
  }),
  'POST /admin/users/{userId}/send-password-reset': (fixture) => ({
    path: `${fixture.ofUser}/send-password-reset`,
    ...onUser(fixture, 'password_reset_sent'),
  }),
  'POST /admin/users/{userId}/resend-verification': (fixture) => ({
    path: `${fixture.ofUser}/resend-verification`,
    ...onUser(fixture, 'verification_sent'),
  }),
  'POST /admin/users/{userId}/disable-mfa': async (fixture) => {
    const factor = { userId: fixture.user.id, sealedSecret: Buffer.from('sealed'), confirmedAt: new Date() }
    await fixture.app.db.insert(totpFactors).values(factor)
    return { path: `${fixture.ofUser}/disable-mfa`, ...onUser(fixture, 'mfa_disabled') }
  },
  'DELETE /admin/users/{userId}/social/{provider}': async (fixture) => {
    await fixture.app.db
      .insert(identities)
      .values({ userId: fixture.user.id, provider: 'google', issuer: 'google', subject: fixture.user.id })
    return { path: `${fixture.ofUser}/social/google`, ...onUser(fixture, 'identity_removed') }
  },
  'PATCH /admin/accounts/{accountId}': ({ membership }) => ({
    path: `/admin/accounts/${membership.accountId}`,
    body: { name: 'Acme' },
    action: 'account.updated',
    type: 'account',
    id: membership.accountId,
  }),
  'POST /admin/systems/{systemId}/accounts': ({ at }) => ({
    path: `${at}/accounts`,
    body: { name: 'Acme' },
    action: 'account.created',
    type: 'account',
  }),
  'DELETE /admin/accounts/{accountId}': ({ membership }) => ({
    path: `/admin/accounts/${membership.accountId}`,
    action: 'account.deleted',
    type: 'account',
    id: membership.accountId,
  }),
  'POST /admin/memberships': async ({ app, membership }) => ({
    path: '/admin/memberships',
    body: { userId: (await app.newUser()).id, accountId: membership.accountId },
    action: 'membership.created',
    type: 'membership',
  }),
  'PATCH /admin/memberships/{membershipId}': (fixture) => ({
    path: fixture.ofMembership,
    body: { status: 'blocked' },
    ...onMembership(fixture, 'blocked'),
  }),
  'DELETE /admin/memberships/{membershipId}': (fixture) => ({
    path: fixture.ofMembership,
    ...onMembership(fixture, 'deleted'),
  }),
  'PATCH /admin/memberships/{membershipId}/roles': (fixture) => ({
    path: `${fixture.ofMembership}/roles`,
    body: { roles: [fixture.roleId] },
    ...onMembership(fixture, 'roles_changed'),
  }),
  'PATCH /admin/memberships/{membershipId}/profiles': (fixture) => ({
    path: `${fixture.ofMembership}/profiles`,
    body: { profiles: [fixture.profileId] },
    ...onMembership(fixture, 'profiles_changed'),
  }),
  'DELETE /admin/sessions/{jti}': async (fixture) => {
    const session = await onSession(fixture)
    return { path: `/admin/sessions/${session.id}`, ...session }
  },
  'DELETE /admin/sessions/by-user/{userId}': async (fixture) => ({
    path: `/admin/sessions/by-user/${fixture.user.id}`,
    ...(await onSession(fixture)),
  }),
  'DELETE /admin/sessions/by-system/{systemId}': async (fixture) => ({
    path: `/admin/sessions/by-system/${fixture.system.id}`,
    ...(await onSession(fixture)),
  }),
}

/** Forged audit fields, in the body and in headers. */
const FORGED_ID = '11111111-1111-4111-8111-111111111111'
const FORGED = {
  id: FORGED_ID,
  time: '2001-01-01T00:00:00Z',
  actor: { type: 'server', id: FORGED_ID, ip: '6.6.6.6' },
  actorId: FORGED_ID,
  requestId: FORGED_ID,
}
const FORGED_HEADERS = {
  'x-request-id': FORGED_ID,
  'request-id': FORGED_ID,
  'x-actor-id': FORGED_ID,
  'x-user-id': FORGED_ID,
  'x-forwarded-for': '6.6.6.6',
  'x-real-ip': '6.6.6.6',
  forwarded: 'for=6.6.6.6',
}

/** The changing routes of the running app. */
async function changingRoutes({ platform }: App): Promise<string[]> {
  const { paths } = (await platform.get('/openapi.json')).body as { paths: Record<string, object> }
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .filter((route) => !route.startsWith('GET '))
}

/** Sends a change with a unique user agent, by which its audit entries are found. */
async function send(
  app: App,
  token: string,
  route: string,
  { path, body, contentType }: Change,
  more: object = {},
) {
  const userAgent = `test/${crypto.randomUUID()}`
  const client = adminClient(app.url, token)
  const method = route.split(' ')[0]!.toLowerCase() as 'post' | 'put' | 'patch' | 'delete'
  const headers = {
    'user-agent': userAgent,
    ...FORGED_HEADERS,
    ...(contentType && { 'content-type': contentType }),
  }
  const answer = await client[method](path, body && { ...body, ...more }, headers)
  if (typeof answer.body === 'string') answer.body = JSON.parse(answer.body) // a single line
  const entries = await app.db.select().from(audit).where(eq(audit.actorUserAgent, userAgent))
  return { answer, entries }
}

test('every changing operation has a row in this table', async (t) => {
  const app = await startTestApp(t)

  const routes = await changingRoutes(app)

  const missing = routes.filter((route) => !(route in CHANGES))
  assert.deepEqual(
    missing,
    [],
    'Add to CHANGES one valid request for each, with the action and the target of its entry.',
  )
  assert.deepEqual(
    Object.keys(CHANGES).toSorted(),
    routes.toSorted(),
    'A row of CHANGES has no operation any more.',
  )
})

test('P46: every change writes one audit entry, and no field of it can be forged', async (t) => {
  const app = await startTestApp(t)
  const clientId = decodeJwt(app.platform.token).sub

  for (const route of await changingRoutes(app)) {
    const change = await CHANGES[route]!(await newFixture(app))
    // A change of an id is rejected.
    const { id: _, ...forged } = FORGED
    const fields = route.startsWith('PATCH ') ? forged : FORGED
    const { answer, entries } = await send(app, app.platform.token, route, change, fields)

    assert.ok(answer.status < 300, `${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    assert.equal(entries.length, 1, `${route} left ${JSON.stringify(entries.map(({ action }) => action))}`)
    const { id, time, actorIp, requestId, ...entry } = entries[0]!
    const { action, outcome, actorType, actorId, targetType, targetId } = entry
    assert.deepEqual(
      { action, outcome, actorType, actorId, targetType, targetId },
      {
        action: change.action,
        outcome: 'success',
        actorType: 'service',
        actorId: clientId,
        targetType: change.type,
        targetId: change.id ?? answer.body.id,
      },
      route,
    )
    assert.match(String(actorIp), /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/, route)
    assert.match(String(requestId), /^[0-9a-f-]{36}$/, route)
    assert.ok(![id, requestId, targetId].includes(FORGED_ID), route)
    assert.ok(Math.abs(time.getTime() - Date.now()) < 60_000, `${route}: ${time.toISOString()}`)
  }
})

test('P46: every change refused with 403 writes one denied entry and has no other effect', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await newFixture(app)
  const { access_token } = await app.signIn(system, { email: user.email })

  for (const route of await changingRoutes(app)) {
    const change = await CHANGES[route]!(await newFixture(app))
    const { answer, entries } = await send(app, access_token, route, change, FORGED)

    assert.deepEqual(outcomeOf(answer), [403, 'insufficient_authority'], route)
    assert.deepEqual(
      entries.map(({ action, outcome, actorType, actorId, requestId, systemId }) => [
        action,
        outcome,
        actorType,
        actorId,
        requestId,
        systemId,
      ]),
      [['access.denied', 'failure', 'user', user.id, answer.body.requestId, system.id]],
      route,
    )
    assert.ok(
      entries[0]!.actorIp !== null && entries[0]!.targetType !== null && entries[0]!.targetId !== null,
      route,
    )
  }
})

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]
