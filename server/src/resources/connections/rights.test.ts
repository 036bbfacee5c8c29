/** Who sets up connections, with which roles, and how many there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPlace, noteTested } from '../../../test/support/connections.ts'
import { newName, newOrganization } from '../../../test/support/domains.ts'
import type { AdminClient, Answer } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]

test('P73: organizationSso and ssoSelfService decide who sets up connections; whoever lost the right disables and deletes', async (t) => {
  const app = await startTestApp(t)
  const { system, service, admin, accountId, path, add } = await newPlace(app)
  const clients = { platform: app.platform, system: service, account: admin }
  const own = await add(admin)
  await noteTested(app, own.id)
  await admin.patch(own.path, { enabled: true })
  const matrix = []

  for (const organizationSso of ['off', 'system', 'account'])
    for (const ssoSelfService of [false, true]) {
      await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso })
      await app.platform.patch(`/admin/accounts/${accountId}`, { ssoSelfService })
      for (const [authority, client] of Object.entries(clients)) {
        const answer = await client.post(path, { name: newName(), kind: 'oidc' })
        const changed = await client.patch(own.path, { sessionHours: 9 })
        matrix.push([organizationSso, ssoSelfService, authority, answer.status, changed.status])
        if (answer.status === 201) await app.platform.delete(`${path}/${answer.body.id}`)
      }
    }
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'off' })
  const enabling = await service.patch(own.path, { enabled: true, sessionHours: 3 })
  const ended = [await admin.get(own.path), await admin.patch(own.path, { enabled: false })]
  const back = await admin.patch(own.path, { enabled: true })
  const deleted = await admin.delete(own.path)

  const row = (how: string, self: boolean, account: number, others = 201) => {
    const changes = (status: number) => [status, status === 201 ? 200 : status]
    return [
      [how, self, 'platform', ...changes(others)],
      [how, self, 'system', ...changes(others)],
      [how, self, 'account', ...changes(account)],
    ]
  }
  assert.deepEqual(matrix, [
    ...row('off', false, 403, 403),
    ...row('off', true, 403, 403),
    ...row('system', false, 403),
    ...row('system', true, 201),
    ...row('account', false, 201),
    ...row('account', true, 201),
  ])
  assert.deepEqual(outcomeOf(enabling), [403, 'sso_not_enabled'])
  assert.deepEqual(
    ended.map(({ status, body }) => [status, body.enabled]),
    [
      [200, true],
      [200, false],
    ],
  )
  assert.deepEqual(outcomeOf(back), [403, 'sso_not_enabled'])
  assert.equal(deleted.status, 204)
})

test('P51: a lower authority reads and does not change a connection, and an account admin decides no reserved field', async (t) => {
  const app = await startTestApp(t)
  const { service, admin, path, add } = await newPlace(app)
  const ofPlatform = await add(app.platform)
  const ofSystem = await add(service)
  const ofAccount = await add(admin)

  const refused = [
    await admin.patch(ofSystem.path, { sessionHours: 2 }),
    await admin.patch(ofSystem.path, { enabled: false }),
    await admin.patch(ofPlatform.path, { setBy: 'account' }),
    await admin.delete(ofSystem.path),
    await service.patch(ofPlatform.path, { sessionHours: 2 }),
    await service.delete(ofPlatform.path),
    await service.patch(ofSystem.path, { setBy: 'platform' }),
    await admin.patch(ofAccount.path, { setBy: 'system' }),
    await admin.patch(ofAccount.path, { reservedRoles: true }),
    await admin.patch(ofAccount.path, { mfa: 'trusted' }),
    await admin.post(path, { name: newName(), kind: 'oidc', mfa: 'trusted' }),
    await admin.post(path, { name: newName(), kind: 'oidc', reservedRoles: true }),
  ]
  const allowed = [
    await admin.get(ofPlatform.path),
    await admin.patch(ofAccount.path, { setBy: 'account', mfa: null, reservedRoles: false }),
    await service.patch(ofAccount.path, { mfa: 'trusted', reservedRoles: true }),
    await admin.patch(ofAccount.path, { sessionHours: 2 }),
    await service.patch(ofSystem.path, { setBy: 'account' }),
    await admin.patch(ofSystem.path, { sessionHours: 2 }),
  ]

  assert.deepEqual(
    refused.map(outcomeOf),
    refused.map(() => [403, 'insufficient_authority']),
  )
  assert.deepEqual(
    allowed.map(({ status }) => status),
    allowed.map(() => 200),
  )
  assert.deepEqual([allowed[3]!.body.mfa, allowed[3]!.body.reservedRoles], ['trusted', true])
})

test('P51: with another provider that an account admin names, what the system trusted the former with ends', async (t) => {
  const app = await startTestApp(t)
  const { service, admin, add } = await newPlace(app)
  const changes: object[] = [
    { issuer: 'https://evil.example' },
    { clientId: 'other' },
    { requiredClaims: { hd: ['evil.example'] } },
    { closedIssuer: true },
    { subjectAttribute: 'oid' },
  ]
  const trust = { mfa: 'trusted', reservedRoles: true }
  const connection = await add(admin, { issuer: 'https://acme.okta.com', clientId: 'a', clientSecret: 'b' })
  const change = async (client: AdminClient, fields: object) => {
    await service.patch(connection.path, trust)
    const { status, body } = await client.patch(connection.path, fields)
    return [status, body.mfa, body.reservedRoles]
  }

  const harmless = await change(admin, {
    name: newName(),
    sessionHours: 3,
    clientSecret: 'c',
    scopes: ['openid'],
  })
  const byAdmin = []
  for (const fields of changes) byAdmin.push(await change(admin, fields))
  const again = await change(admin, { ...changes[1], ...trust })
  const both = await change(admin, { clientId: 'third', ...trust })
  const bySystem = await change(service, { clientId: 'fourth' })

  assert.deepEqual(harmless, [200, 'trusted', true])
  assert.deepEqual(byAdmin, Array(changes.length).fill([200, null, false]))
  assert.deepEqual(again, [200, 'trusted', true], 'nothing changes')
  assert.deepEqual(both, [200, null, false])
  assert.deepEqual(bySystem, [200, 'trusted', true])
  const entries = await app.audited({ targetId: connection.id, action: 'connection.updated' })
  const ended = entries.filter(({ changes: of }) => 'clientId' in of).map(({ changes: of }) => of)
  assert.deepEqual(ended[0], {
    clientId: ['a', 'other'],
    mfa: ['trusted', null],
    reservedRoles: [true, false],
  })
})

test('P74: a connection gives roles of its system only, no admin or acting role, and an account admin none that is reserved', async (t) => {
  const app = await startTestApp(t)
  const { system, service, admin, add } = await newPlace(app)
  const foreign = await newOrganization(app)
  await app.platform.patch(`/admin/systems/${system.id}`, { allowActingForMembers: true })
  const newRole = async (fields: object = {}, of = system.id) => (await app.newRole(of, fields)).id
  const plain = [await newRole(), await newRole()]
  const reserved = await newRole({ assignableByAccountAdmins: false })
  const connection = await add(admin)
  const set = (client: AdminClient, ...defaultRoles: string[]) =>
    client.patch(connection.path, { defaultRoles })

  const given = await set(admin, ...plain, plain[0]!.toUpperCase())
  const refused = [
    await set(admin, await newRole({}, foreign.system.id)),
    await set(admin, crypto.randomUUID()),
    await set(admin, await newRole({ isAdmin: true })),
    await set(app.platform, await newRole({ isAdmin: true })),
    await set(app.platform, await newRole({ canActForMembers: true, assignableByAccountAdmins: false })),
    await set(admin, reserved),
  ]
  const kept = (await admin.get(connection.path)).body.defaultRoles
  const ofSystem = await set(service, plain[0]!, reserved)
  await app.platform.delete(`/admin/systems/${system.id}/roles/${plain[0]}`)
  const after = (await admin.get(connection.path)).body.defaultRoles

  assert.deepEqual(given.body.defaultRoles, plain.toSorted())
  assert.deepEqual(refused.map(outcomeOf), [
    [400, 'role_not_in_system'],
    [400, 'role_not_in_system'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [403, 'insufficient_authority'],
  ])
  assert.deepEqual(kept, plain.toSorted())
  assert.equal(ofSystem.status, 200)
  assert.deepEqual(after, [reserved])
})

test('P53: an account has at most 5 connections with different names, also for concurrent requests', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, add } = await newPlace(app)
  const { name } = await add(admin)

  const taken = await admin.post(path, { name, kind: 'oidc' })
  const added = await Promise.all(
    Array.from({ length: 8 }, () => admin.post(path, { name: newName(), kind: 'oidc' })),
  )

  assert.deepEqual(outcomeOf(taken), [409, 'connection_exists'])
  const refused = added.filter(({ status }) => status !== 201)
  assert.deepEqual(refused.map(outcomeOf), Array(4).fill([409, 'limit_reached']))
  assert.match(refused[0]!.body.detail, /^connectionsOfAccount: at most 5/)
})

test('P37: the admin of another account and the service of another system see no connection of this one', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, add, join } = await newPlace(app)
  const [neighbor, foreign] = [await join(), await newOrganization(app)]
  const connection = await add(admin)
  const own = `/admin/accounts/${neighbor.accountId}/connections/${connection.id}`

  const answers = []
  for (const [client, place] of [
    [neighbor.admin, connection.path],
    [neighbor.admin, own],
    [foreign.service, connection.path],
    [foreign.admin, connection.path],
  ] as const) {
    const { body } = await client.get(`/admin/names?ids=${connection.id}`)
    answers.push(
      outcomeOf(await client.get(place)),
      outcomeOf(await client.get(`${place}/attempts`)),
      outcomeOf(await client.patch(place, { sessionHours: 2 })),
      outcomeOf(await client.delete(place)),
      JSON.stringify(body).includes(connection.name),
    )
  }
  const lists = [
    await neighbor.admin.get(path),
    await foreign.service.post(path, { name: newName(), kind: 'oidc' }),
  ]

  const none = [404, 'connection_not_found']
  assert.deepEqual(answers, Array(4).fill([none, none, none, none, false]).flat())
  assert.deepEqual(lists.map(outcomeOf), [
    [404, 'account_not_found'],
    [404, 'account_not_found'],
  ])
})

test('only organizations of a system with multiAccount have connections, which such a system keeps', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, path, accountId, service, add } = await newPlace(app)
  const { membership } = await app.newMember()
  const single = { multiAccount: false }

  const personal = await app.platform.post(`/admin/accounts/${membership.accountId}/connections`, {
    ...{ name: newName(), kind: 'oidc' },
  })
  const connection = await add(admin)
  const kept = await app.platform.patch(`/admin/systems/${system.id}`, single)
  await admin.delete(connection.path)
  const last = await add(admin)
  assert.equal((await service.delete(`/admin/accounts/${accountId}`)).status, 204)
  const changed = await app.platform.patch(`/admin/systems/${system.id}`, single)
  const gone = await app.platform.get(last.path)

  assert.deepEqual(outcomeOf(personal), [409, 'not_organization'])
  assert.deepEqual(outcomeOf(kept), [409, 'sso_in_use'])
  assert.equal(changed.status, 200)
  assert.equal(gone.status, 404)
  assert.equal((await app.platform.get(path)).status, 404)
})
