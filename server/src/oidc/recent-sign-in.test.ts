/** Operations of the admin API for which a user has to have authenticated recently (RFC 9470). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { type Driver, startTestApp } from '../../test/support/testing.ts'

const CHALLENGE = 'Bearer error="insufficient_user_authentication", max_age=300'
type Client = Driver['platform']
type Platform = {
  app: Driver
  system: { id: string }
  role: string
  stale: Client
  fresh: Client
  admin: { id: string }
}
let prepared: Promise<Platform> | undefined

/** An administrator of the platform with a token of a new sign-in, and one of a sign-in 310 seconds ago. */
async function platformAdmin(app: Driver): Promise<Platform> {
  const { data } = (await app.platform.get('/admin/systems?search=Tenantry&pageSize=100')).body
  const { id } = data.find(({ clientId }: { clientId: string }) => clientId === 'tenantry-console')
  const system = (
    await app.platform.patch(`/admin/systems/${id}`, { redirectUris: ['https://ops.example/cb'] })
  ).body
  const role = (await app.platform.get(`/admin/systems/${id}/roles`)).body[0].id
  const admin = await app.newUser()
  await app.newMembership({ userId: admin.id, systemId: id, roles: [role] })
  const first = await app.signIn(system, { email: admin.email })
  await changeProofs(app.db, admin.id, { age: 310 })
  const second = await app.signIn(system, { email: admin.email, visitor: first.visitor })
  return { app, system, role, admin, stale: app.as(second.access_token), fresh: app.as(first.access_token) }
}

/** Prepared once, by the first test. */
const prepare = async (t: TestContext) => {
  prepared ??= startTestApp(t).then(platformAdmin)
  return prepared
}

test('a user whose sign-in is 5 minutes old changes no secret, credential or platform administrator', async (t) => {
  const { app, system: ofPlatform, stale, fresh, role, admin } = await prepare(t)
  const { system, user, membership } = await app.newMember()
  const hook = (
    await app.platform.post(`/admin/systems/${system.id}/webhooks`, { url: 'https://hook.example/' })
  ).body
  const former = await app.newMembership({ userId: (await app.newUser()).id, systemId: ofPlatform.id })
  await app.platform.delete(`/admin/memberships/${former.id}`)
  const own = (await app.platform.get(`/admin/memberships?userId=${admin.id}`)).body.data[0]
  const asked: [string, string, object?][] = [
    ['post', '/admin/systems', { name: 'Shop' }],
    ['post', `/admin/systems/${system.id}/rotate-secret`, {}],
    ['post', `/admin/systems/${system.id}/webhooks`, { url: 'https://hook.example/2' }],
    ['post', `/admin/systems/${system.id}/webhooks/${hook.id}/rotate-secret`, {}],
    ['post', `/admin/users/${user.id}/set-password`, { password: 'another good password' }],
    ['post', `/admin/users/${user.id}/reset-password`],
    ['post', `/admin/users/${user.id}/disable-mfa`],
    ['delete', `/admin/users/${user.id}/factors/${crypto.randomUUID()}`],
    ['delete', `/admin/users/${user.id}/social/google`],
    ['patch', `/admin/users/${user.id}`, { email: 'evil@example.test' }],
    ['patch', `/admin/users/${user.id}`, { emailVerified: true }],
    ['patch', `/admin/systems/${system.id}`, { redirectUris: ['https://evil.example/cb'] }],
    ['patch', `/admin/systems/${system.id}`, { jwks: null }],
    ['patch', `/admin/systems/${system.id}`, { jwksUri: 'https://evil.example/jwks' }],
    ['patch', `/admin/systems/${system.id}`, { tokenEndpointAuthMethod: 'client_secret' }],
    ['patch', `/admin/systems/${system.id}/webhooks/${hook.id}`, { url: 'https://evil.example/' }],
    ['post', '/admin/memberships', { userId: user.id, accountId: former.accountId, roles: [role] }],
    ['patch', `/admin/systems/${ofPlatform.id}`, { name: 'Tenantry' }],
    ['post', `/admin/systems/${ofPlatform.id}/roles`, { name: 'Second', isAdmin: true }],
    ['post', '/admin/memberships', { userId: user.id, systemId: ofPlatform.id, roles: [role] }],
    ['post', '/admin/memberships', { userId: user.id, accountId: own.accountId, roles: [role] }],
    ['patch', `/admin/memberships/${own.id}`, { status: 'blocked' }],
    ['delete', `/admin/memberships/${own.id}`],
    ['patch', `/admin/users/${admin.id}`, { email: 'evil@example.test' }],
    ['delete', `/admin/users/${admin.id}`],
  ]
  const send = (client: Client, [method, path, body]: (typeof asked)[number]) =>
    (client as unknown as Record<string, (path: string, body?: object) => ReturnType<Client['get']>>)[
      method
    ]!(path, body)

  const refused = []
  for (const each of asked) refused.push(await send(stale, each))
  const elsewhere = await stale.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  const read = await stale.get(`/admin/users/${admin.id}`)
  const allowed = []
  for (const each of asked.slice(0, 7)) allowed.push((await send(fresh, each)).status)

  assert.deepEqual(
    refused.map(({ status, body, headers }) => [status, body.code, headers.get('www-authenticate')]),
    asked.map(() => [401, 'insufficient_user_authentication', CHALLENGE]),
  )
  assert.deepEqual([elsewhere.status, read.status], [200, 200])
  assert.deepEqual(allowed, [201, 200, 201, 200, 200, 200, 200])
})

test('service tokens need no recent sign-in', async (t) => {
  const { app } = await prepare(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const service = await app.serviceOf(system)

  const rotated = await service.post(`/admin/systems/${system.id}/rotate-secret`, {})

  assert.equal(rotated.status, 200)
})
