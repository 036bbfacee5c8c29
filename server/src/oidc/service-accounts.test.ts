/** Service accounts of tenants: who creates them, what their tokens open, and how their access ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { type AdminClient, expectStatus } from '../../test/support/http.ts'
import { newOrganization } from '../../test/support/invitations.ts'
import { basicAuth, type Driver, startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { serviceAccountKeys, systems } from '../database/schema.ts'

const newPrograms = (app: Driver, fields: object = {}) =>
  newOrganization(app, { allowServiceAccounts: true, ...fields })

type Program = { id: string; clientId: string; at: string; secret: string; keyId: string }

/** A service account with a key. */
async function newProgram(
  caller: AdminClient,
  accountId: string,
  fields: object = {},
  key: object = {},
): Promise<Program> {
  const list = `/admin/accounts/${accountId}/service-accounts`
  const { id, clientId } = expectStatus(await caller.post(list, { name: 'Export', ...fields }), 201).body
  const at = `${list}/${id}`
  const { id: keyId, secret } = expectStatus(await caller.post(`${at}/keys`, key), 201).body
  return { id, clientId, at, secret, keyId }
}

const ask = async (
  app: Driver,
  path: string,
  { clientId, secret }: Named,
  fields: Record<string, string>,
) => {
  const authorization = basicAuth({ clientId, clientSecret: secret } as never)
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams(fields),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
type Named = { clientId: string; secret: string }

const tokenOf = (app: Driver, program: Named, fields: Record<string, string> = {}) =>
  ask(app, '/token', program, { grant_type: 'client_credentials', ...fields })

const newToken = async (app: Driver, program: Named): Promise<string> => {
  const { status, body } = await tokenOf(app, program)
  assert.equal(status, 200, JSON.stringify(body))
  return body.access_token
}

const introspect = (app: Driver, system: { clientId: string; clientSecret: string }, token: string) =>
  ask(app, '/token/introspection', { clientId: system.clientId, secret: system.clientSecret }, { token })

test('an account admin creates a service account, whose token has its account and roles and is for the system only', async (t) => {
  const app = await startTestApp(t)
  const { system, role, accountId, account } = await newPrograms(app)
  await app.platform.patch(`/admin/systems/${system.id}/roles/${role.id}`, { scopes: ['orders:read'] })
  const program = await newProgram(account, accountId, { roles: [role.id] })

  const { status, body } = await tokenOf(app, program)
  const keys = createRemoteJWKSet(new URL(`${app.url}/jwks`))
  const { payload } = await jwtVerify(body.access_token, keys, {
    issuer: app.url,
    audience: system.clientId,
    typ: 'at+jwt',
  })
  const [read] = (await account.get(`/admin/accounts/${accountId}/service-accounts`)).body

  assert.deepEqual([status, body.token_type, body.scope], [200, 'Bearer', undefined])
  assert.ok(body.expires_in <= 600)
  assert.deepEqual(
    [
      payload.sub,
      payload.client_id,
      payload.account_id,
      payload.roles,
      payload.permissions,
      payload.is_admin,
    ],
    [program.clientId, program.clientId, accountId, [role.name], ['orders:read'], false],
  )
  assert.equal(payload.aud, system.clientId)
  assert.equal(payload.sid, undefined)
  assert.match(program.secret, /^tk_[\w-]{43}$/)
  assert.deepEqual([read.keys.length, read.keys[0].hint], [1, program.secret.slice(-4)])
  assert.ok(Date.parse(read.keys[0].lastUsedAt) > Date.now() - 60_000)
})

test('P65: the token of a service account opens neither /me nor the admin API, even with an admin role', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account, admins } = await newPrograms(app)
  const token = await newToken(app, await newProgram(account, accountId, { roles: [admins.id] }))

  const answers = [
    await app.me(token),
    await app.as(token).get('/admin/memberships'),
    await app.as(token).get(`/admin/accounts/${accountId}/service-accounts`),
    await app.as(token).post(`/admin/accounts/${accountId}/invitations`, { email: 'a@b.example' }),
    await app.as(token).get('/admin/events'),
  ]

  assert.equal(decodeJwt(token).is_admin, true)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 401],
  )
})

test('P65: a service account has no other grant, no scope, no other audience and no token bound to a key', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, account, member } = { ...(await newPrograms(app)), member: await app.newUser() }
  const program = await newProgram(account, accountId)

  const refused = {
    scope: await tokenOf(app, program, { scope: 'openid' }),
    resource: await tokenOf(app, program, { resource: 'https://other.example/' }),
    exchange: await tokenOf(app, program, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: member.id,
    }),
    refresh: await tokenOf(app, program, { grant_type: 'refresh_token', refresh_token: 'x' }),
    device: await ask(app, '/device/auth', program, { scope: 'openid' }),
    pushed: await ask(app, '/request', program, { response_type: 'code', scope: 'openid' }),
    wrong: await tokenOf(app, { ...program, secret: `${program.secret}x` }),
    ofSystem: await tokenOf(app, { ...program, secret: system.clientSecret }),
  }
  const proof = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: {
      authorization: basicAuth({ clientId: program.clientId, clientSecret: program.secret } as never),
      dpop: 'x',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })

  for (const [name, { status, body }] of Object.entries(refused))
    assert.ok(status >= 400 && status < 500 && body?.access_token === undefined, `${name} ${status}`)
  assert.deepEqual([refused.scope.body.error, refused.wrong.body.error], ['invalid_scope', 'invalid_client'])
  assert.deepEqual([refused.wrong.status, refused.ofSystem.status, proof.status], [401, 401, 400])
})

test('a system introspects the tokens of its service accounts with their present roles; others do not', async (t) => {
  const app = await startTestApp(t)
  const [{ system, accountId, account, role }, other] = [await newPrograms(app), await newPrograms(app)]
  const program = await newProgram(account, accountId, { roles: [role.id] })
  const token = await newToken(app, program)

  const first = (await introspect(app, system, token)).body
  expectStatus(await account.patch(program.at, { roles: [] }), 200)
  const then = (await introspect(app, system, token)).body

  assert.deepEqual(
    [first.active, first.sub, first.client_id, first.account_id, first.roles, first.aud],
    [true, program.clientId, program.clientId, accountId, [role.name], system.clientId],
  )
  assert.deepEqual([then.active, then.roles], [true, []])
  assert.deepEqual((await introspect(app, other.system, token)).body, { active: false })
})

test('keys are valid side by side, and revoking one ends its tokens only', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, account } = await newPrograms(app)
  const old = await newProgram(account, accountId)
  const next = expectStatus(await account.post(`${old.at}/keys`, { expiresIn: 3_600 }), 201).body
  const isActive = async (token: string) => (await introspect(app, system, token)).body.active
  const [first, second] = [await newToken(app, old), await newToken(app, { ...old, secret: next.secret })]
  assert.deepEqual([await isActive(first), await isActive(second)], [true, true])

  expectStatus(await account.delete(`${old.at}/keys/${old.keyId}`), 204)

  assert.deepEqual([await isActive(first), await isActive(second)], [false, true])
  assert.equal((await tokenOf(app, old)).status, 401)
  assert.equal((await tokenOf(app, { ...old, secret: next.secret })).status, 200)
  const events = await app.findEvents({ type: 'service_account.key_revoked' })
  assert.ok(events.some(({ data }) => (data as { keyId: string }).keyId === old.keyId))
})

test('P65: an expired key, a disabled or deleted service account, and a system that allows none get no token', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, account } = await newPrograms(app)
  const isActive = async (token: string) => (await introspect(app, system, token)).body.active
  const program = () => newProgram(account, accountId, {}, { expiresIn: 3_600 })
  const [expiring, disabled, deleted, last] = [
    await program(),
    await program(),
    await program(),
    await program(),
  ]
  const tokens = await Promise.all([expiring, disabled, deleted, last].map((each) => newToken(app, each)))
  const expire = (seconds: number) =>
    app.db
      .update(serviceAccountKeys)
      .set({ expiresAt: sql`now() + make_interval(secs => ${seconds})` })
      .where(eq(serviceAccountKeys.id, expiring.keyId))
  await expire(30)
  const short = await tokenOf(app, expiring)
  assert.ok(short.body.expires_in <= 30, 'a token does not outlive its key')
  await expire(-1)
  expectStatus(await account.patch(disabled.at, { disabled: true }), 200)
  expectStatus(await account.delete(deleted.at), 204)
  const refused = [await tokenOf(app, expiring), await tokenOf(app, disabled), await tokenOf(app, deleted)]
  const active = [await isActive(tokens[0]!), await isActive(tokens[1]!), await isActive(tokens[2]!)]
  assert.equal(await isActive(tokens[3]!), true)
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { allowServiceAccounts: false }), 200)

  assert.deepEqual(
    refused.map(({ body }) => body.error),
    ['invalid_client', 'unauthorized_client', 'invalid_client'],
  )
  assert.deepEqual(active, [false, false, false])
  assert.equal((await tokenOf(app, last)).body.error, 'unauthorized_client')
  assert.equal(await isActive(tokens[3]!), false)
  const made = await account.post(`/admin/accounts/${accountId}/service-accounts`, { name: 'More' })
  assert.deepEqual([made.status, made.body.code], [409, 'service_accounts_not_allowed'])
  assert.equal((await account.post(`${last.at}/keys`, {})).status, 409)
  assert.equal((await account.patch(last.at, { disabled: true })).status, 200)
  assert.equal((await account.patch(last.at, { disabled: false })).status, 409)
})

test('P51: an account admin neither assigns a reserved role to a service account nor gets a key of one that has it', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, account, service, role } = await newPrograms(app)
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false })
  const own = await newProgram(account, accountId, { roles: [role.id] })
  const vendors = await newProgram(service, accountId, { roles: [reserved.id] })

  const list = `/admin/accounts/${accountId}/service-accounts`
  const answers = [
    await account.post(list, { name: 'X', roles: [reserved.id] }),
    await account.patch(own.at, { roles: [role.id, reserved.id] }),
    await account.patch(vendors.at, { roles: [] }),
    await account.patch(vendors.at, { disabled: true }),
    await account.post(`${vendors.at}/keys`, {}),
    await account.delete(vendors.at),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [403, 403, 403, 403, 403, 403],
  )
  const { body } = await account.get(own.at)
  assert.deepEqual([body.roles, (await account.get(list)).body.length], [[role.id], 2])
  assert.equal((await account.delete(`${vendors.at}/keys/${vendors.keyId}`)).status, 204, 'a leaked key')
  const foreign = await app.newRole((await newPrograms(app)).system.id)
  assert.equal((await account.patch(own.at, { roles: [foreign.id] })).body.code, 'role_not_in_system')
})

test('P38: the secret of a key is returned once, after a recent sign-in, and is in no list, audit entry or event', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, accountId, account } = await newPrograms(app)
  const program = await newProgram(account, accountId)

  const first = await app.signIn(system, { email: admin.email })
  await changeProofs(app.db, admin.id, { age: 310 })
  const later = await app.signIn(system, { email: admin.email, visitor: first.visitor })
  const refused = await app.as(later.access_token).post(`${program.at}/keys`, {})
  assert.deepEqual([refused.status, refused.body.code], [401, 'insufficient_user_authentication'])
  const read = await app.as(later.access_token).get(program.at)
  const audited = await app.audited({ action: 'service_account.key_created' })
  const events = await app.findEvents({ type: 'service_account.key_created' })
  const stored = await app.db.select().from(serviceAccountKeys)

  const written = JSON.stringify([read.body, audited, events, stored])
  assert.ok(audited.length > 0 && events.length > 0 && stored.length > 0)
  assert.ok(!written.includes(program.secret) && !written.includes(program.secret.slice(3, 30)))
})

test('P36: an admin reaches the service accounts of the own account only', async (t) => {
  const app = await startTestApp(t)
  const [mine, other] = [await newPrograms(app), await newPrograms(app)]
  const theirs = await newProgram(other.account, other.accountId)
  const [, , , , id] = theirs.at.split('/')
  const own = `/admin/accounts/${mine.accountId}/service-accounts`
  assert.equal(id, 'service-accounts')

  for (const caller of [mine.account, mine.service])
    for (const at of [theirs.at, `${own}/${theirs.id}`]) {
      const answers = [
        await caller.get(at),
        await caller.patch(at, { name: 'X' }),
        await caller.delete(at),
        await caller.post(`${at}/keys`, {}),
        await caller.delete(`${at}/keys/${theirs.keyId}`),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404, 404, 404, 404],
      )
    }
  assert.equal((await tokenOf(app, theirs)).status, 200)
})

test('P53: a service account has at most five keys, also for concurrent requests', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account } = await newPrograms(app)
  const { at } = await newProgram(account, accountId)

  const answers = await Promise.all(Array.from({ length: 8 }, () => account.post(`${at}/keys`, {})))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 409, 409, 409, 409])
  assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'limit_reached')
})

test('P53: the roles of a service account fit into its tokens, also when a role changes', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, account } = await newPrograms(app)
  const scopesOf = (name: string) => Array.from({ length: 200 }, (_, n) => `${name}:${n}`)
  const roles = await Promise.all(
    ['a', 'b', 'c'].map((name) => app.newRole(system.id, { scopes: scopesOf(name) })),
  )
  const { at } = await newProgram(account, accountId, { roles: [roles[0].id, roles[1].id] })
  const more = await app.newRole(system.id)
  expectStatus(await account.patch(at, { roles: [roles[0].id, roles[1].id, more.id] }), 200)

  const answers = [
    await account.patch(at, { roles: roles.map(({ id }) => id) }),
    await app.platform.patch(`/admin/systems/${system.id}/roles/${more.id}`, { scopes: scopesOf('d') }),
  ]

  for (const { status, body } of answers)
    assert.deepEqual([status, body.detail.split(':')[0]], [409, 'scopesOfToken'])
})

test('deleting an account sends the last event of each of its service accounts, also of one that changes meanwhile', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account, service } = await newPrograms(app)
  const [first, second] = [await newProgram(account, accountId), await newProgram(account, accountId)]

  const [deleted] = await Promise.all([
    app.platform.delete(`/admin/accounts/${accountId}`),
    ...['a', 'b', 'c', 'd'].map((name) => service.patch(first.at, { name })),
    service.delete(`${second.at}/keys/${second.keyId}`),
  ])

  assert.equal(deleted.status, 204)
  const events = await app.findEvents({ accountId })
  for (const { id } of [first, second]) {
    const own = events.filter(({ data }) => (data.serviceAccount as { id: string } | undefined)?.id === id)
    assert.equal(own.at(-1)?.type, 'service_account.deleted')
    assert.equal(own.filter(({ type }) => type === 'service_account.deleted').length, 1)
  }
  assert.equal((await tokenOf(app, first)).status, 401)
})

test('P65: the personal account of a user has no service account, which would keep the access of the user', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true, allowServiceAccounts: true })
  const admins = await app.newRole(system.id, { isAdmin: true })
  const user = await app.newUser()
  const { accountId } = await app.newMembership({ userId: user.id, systemId: system.id, roles: [admins.id] })
  const own = app.as((await app.signIn(system, { email: user.email })).access_token)
  const list = `/admin/accounts/${accountId}/service-accounts`

  for (const caller of [own, app.platform]) {
    const { status, body } = await caller.post(list, { name: 'Mine' })
    assert.deepEqual([status, body.code], [409, 'not_organization'])
  }
})

test('P39: no page shows the name of a service account, which its tenant chooses', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, accountId, account } = await newPrograms(app)
  const name = 'Call 0800 12345'
  const { clientId } = await newProgram(account, accountId, { name })
  const { visitor } = await app.signIn(system, { email: admin.email })

  const pages = [
    await visitor.get(`/session/end?client_id=${clientId}`),
    await visitor.get(`/auth?client_id=${clientId}&response_type=code&scope=openid`),
  ]

  assert.deepEqual(
    pages.map(({ status }) => status),
    [200, 400],
  )
  for (const { body } of pages) assert.ok(!String(body).includes(name))
})

test('a service account is refused for platform systems, and with a security profile', async (t) => {
  const app = await startTestApp(t)
  const platform = (await app.db.select().from(systems).where(eq(systems.platform, true)))[0]!
  const fields = { allowServiceAccounts: true }

  const onPlatform = await app.platform.patch(`/admin/systems/${platform.id}`, fields)
  const { service, system } = await newPrograms(app, { allowServiceAccounts: false })
  const bySystem = await service.patch(`/admin/systems/${system.id}`, fields)

  assert.deepEqual([onPlatform.status, onPlatform.body.errors[0].path], [400, '/allowServiceAccounts'])
  assert.equal(bySystem.status, 403)
})
