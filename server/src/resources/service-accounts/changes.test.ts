/** Changes of service accounts: the room for keys, and events. Their tokens: oidc/service-accounts.test.ts */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type AdminClient, expectStatus } from '../../../test/support/http.ts'
import { newOrganization } from '../../../test/support/invitations.ts'
import { basicAuth, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { serviceAccountKeys } from '../../database/schema.ts'

/** The path of a new service account. */
async function create(caller: AdminClient, accountId: string, roles: string[] = []): Promise<string> {
  const list = `/admin/accounts/${accountId}/service-accounts`
  const { id } = expectStatus(await caller.post(list, { name: 'Export', roles }), 201).body
  return `${list}/${id}`
}

test('P53: an expired key stays in the list and gives way to a new one; a valid one does not', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account } = await newOrganization(app, { allowServiceAccounts: true })
  const at = await create(account, accountId)
  const idOf = async (body: object) => expectStatus(await account.post(`${at}/keys`, body), 201).body.id
  const [keyId, later] = [await idOf({ expiresIn: 3_600 }), await idOf({ expiresIn: 3_600 })]
  const valid = [await idOf({}), await idOf({})]
  const expire = (id: string, seconds: number) =>
    app.db
      .update(serviceAccountKeys)
      .set({ expiresAt: sql`now() - make_interval(secs => ${seconds})` })
      .where(eq(serviceAccountKeys.id, id))
  await expire(keyId, 60)
  await expire(later, 30)
  const keys = async () => (await account.get(at)).body.keys.map(({ id }: { id: string }) => id)

  valid.push(await idOf({}))
  assert.deepEqual(await keys(), [keyId, later, ...valid], 'there is room')
  valid.push(await idOf({}))
  assert.deepEqual(await keys(), [later, ...valid], 'the one that expired first')
  valid.push(await idOf({}))

  assert.equal((await account.post(`${at}/keys`, {})).body.code, 'limit_reached')
  assert.deepEqual(await keys(), valid)
})

test('a change of roles sends service_account.updated with the new roles, and no change sends none', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account, role, admins } = await newOrganization(app, { allowServiceAccounts: true })
  const at = await create(account, accountId, [role.id])
  const changed = expectStatus(await account.patch(at, { roles: [role.id, admins.id] }), 200).body

  expectStatus(await account.patch(at, { roles: [admins.id, role.id.toUpperCase()] }), 200)

  const events = (await app.findEvents({ type: 'service_account.updated' }))
    .map(({ data }) => (data as { serviceAccount: { id: string; roles: string[] } }).serviceAccount)
    .filter(({ id }) => at.endsWith(id))
  assert.deepEqual(
    events.map(({ roles }) => roles),
    [[role.id, admins.id].sort()],
  )
  assert.deepEqual(changed.roles, [role.id, admins.id].sort())
})

test('a service account revokes a token of its own once, with an event that names the token; nobody else does', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, account } = await newOrganization(app, { allowServiceAccounts: true })
  const newProgram = async () => {
    const at = await create(account, accountId)
    const { clientId, id } = (await account.get(at)).body
    const { secret } = expectStatus(await account.post(`${at}/keys`, {}), 201).body
    return { id, clientId, clientSecret: secret }
  }
  const ask = async (by: object, path: string, fields: Record<string, string>) => {
    const headers = { authorization: basicAuth(by as never) }
    const body = new URLSearchParams(fields)
    const response = await fetch(`${app.url}${path}`, { method: 'POST', headers, body })
    return (await response.text()) || String(response.status)
  }
  const [own, other] = [await newProgram(), await newProgram()]
  const newToken = async (): Promise<string> =>
    JSON.parse(await ask(own, '/token', { grant_type: 'client_credentials' })).access_token
  const isActive = async (token: string) =>
    JSON.parse(await ask(system, '/token/introspection', { token })).active
  const [token, kept] = [await newToken(), await newToken()]

  await ask(other, '/token/revocation', { token })
  await ask(system, '/token/revocation', { token })
  assert.equal(await isActive(token), true)
  const answers = [
    await ask(own, '/token/revocation', { token }),
    await ask(own, '/token/revocation', { token }),
  ]

  assert.deepEqual(answers, ['200', '200'])
  assert.deepEqual([await isActive(token), await isActive(kept)], [false, true])
  const events = await app.findEvents({ accountId, type: 'service_account.token_revoked' })
  assert.deepEqual(
    events.map(({ data }) => [data.jti, (data.serviceAccount as { id: string }).id, data.actor]),
    [[decodeJwt(token).jti, own.id, { type: 'service', id: own.clientId }]],
  )
  const entries = await app.audited({ targetId: own.id, action: 'service_account.token_revoked' })
  assert.deepEqual(
    entries.map((entry) => [entry.actorId, entry.accountId]),
    [[own.clientId, accountId]],
  )
})
