/** Tokens of service accounts: verified like those of users, and rejected once their access ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SystemLike, tokenRequest } from '../../server/test/support/testing.ts'
import { SOON } from '../../server/test/support/waiting.ts'
import { refusalOf, soon, startProduct } from './product.ts'

async function startWithProgram(t: Parameters<typeof startProduct>[0]) {
  const product = await startProduct(t)
  const { platform, system, role, newMember, url } = product
  await platform.patch(`/admin/systems/${system.id}`, { allowServiceAccounts: true })
  const { accountId } = (await newMember()).membership
  const list = `/admin/accounts/${accountId}/service-accounts`
  const { id, clientId } = (await platform.post(list, { name: 'Export', roles: [role.id] })).body
  const at = `${list}/${id}`
  const newKey = async (): Promise<{ id: string; secret: string; newToken: () => Promise<string> }> => {
    const key = (await platform.post(`${at}/keys`, {})).body
    const program = { clientId, clientSecret: key.secret, clientType: 'confidential' } as never as SystemLike
    const newToken = async () =>
      (await tokenRequest(url, program, { grant_type: 'client_credentials' })).body.access_token
    return { id: key.id, secret: key.secret, newToken }
  }
  return { ...product, accountId, id, clientId, at, newKey }
}

test('a guard accepts a service account by its roles and account, and tells it from a user', async (t) => {
  const { newClient, newKey, newMember, accountId, clientId, id } = await startWithProgram(t)
  const tenantry = newClient()
  const key = await newKey()

  const program = await tenantry.verify(await key.newToken())
  const user = await tenantry.verify(await (await newMember()).signIn())

  assert.deepEqual(
    [program.sub, program.accountId, program.membershipId, program.sid, program.isServiceAccount],
    [clientId, accountId, id, key.id, true],
  )
  assert.deepEqual([program.roles, program.permissions, program.isAdmin], [['clerk'], ['orders:read'], false])
  assert.equal(user.isServiceAccount, false)
})

test('a revoked key, a disabled and a deleted service account are rejected soon', async (t) => {
  const { newClient, newKey, platform, at } = await startWithProgram(t)
  const tenantry = newClient()
  await tenantry.follow()
  const [first, second] = [await newKey(), await newKey()]
  const [one, two] = [await first.newToken(), await second.newToken()]
  const accepted = async () => (await refusalOf(tenantry.verify(two))) instanceof Object

  await platform.delete(`${at}/keys/${first.id}`)
  assert.deepEqual([await soon(tenantry, one), await accepted()], ['revoked_token', true])
  await platform.patch(at, { disabled: true })
  assert.equal(await soon(tenantry, two), 'revoked_token')
  await platform.patch(at, { disabled: false })
  await t.waitFor(async () => assert.ok(await accepted()), SOON)
  assert.equal(await soon(tenantry, one), 'revoked_token')
  await platform.delete(at)
  assert.equal(await soon(tenantry, two), 'revoked_token')
})

test('a token that its service account has revoked is rejected soon, and no other of the key', async (t) => {
  const { newClient, newKey, clientId, url } = await startWithProgram(t)
  const tenantry = newClient()
  await tenantry.follow()
  const key = await newKey()
  const [one, two] = [await key.newToken(), await key.newToken()]
  await tenantry.verify(one)

  const { status } = await fetch(`${url}/token/revocation`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${key.secret}`)}` },
    body: new URLSearchParams({ token: one }),
  })

  assert.equal(status, 200)
  assert.equal(await soon(tenantry, one), 'revoked_token')
  assert.equal((await tenantry.verify(two)).sub, clientId)
})

test('the token of a service account of another system is rejected', async (t) => {
  const { newClient, newKey, newSystem } = await startWithProgram(t)
  const other = await newSystem({ multiAccount: true })
  const tenantry = newClient({ clientId: other.clientId })

  assert.equal(await refusalOf(tenantry.verify(await (await newKey()).newToken())), 'invalid_token')
})
