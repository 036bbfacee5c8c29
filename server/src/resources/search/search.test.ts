/** Names of ids, and the search over all resources, within the caller's authority. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { newAddress } from '../../../test/support/invitations.ts'
import { startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Found = { type: string; id: string; name: string; detail: string | null; href: string }

/** A system with two accounts: an admin in one, a member in the other. */
async function newWorld(app: App) {
  const system = await app.newSystem({
    multiAccount: true,
    allowClientCredentials: true,
    allowServiceAccounts: true,
  })
  const role = await app.newRole(system.id, { isAdmin: true })
  const path = `/admin/systems/${system.id}`
  const profile = (await app.platform.post(`${path}/profiles`, { name: 'nurse' })).body
  const webhook = (await app.platform.post(`${path}/webhooks`, { url: 'https://hook.example/x' })).body
  const [boss, clerk] = [await app.newUser({ name: 'Ana Lima' }), await app.newUser({ name: 'Rui' })]
  const accountName = `acme ${crypto.randomUUID()}`
  const first = await app.newMembership({
    userId: boss.id,
    systemId: system.id,
    accountName,
    roles: [role.id],
  })
  const second = await app.newMembership({ userId: clerk.id, systemId: system.id })
  const [program, other] = await Promise.all(
    [first, second].map(async ({ accountId }) => {
      const created = await app.platform.post(`/admin/accounts/${accountId}/service-accounts`, {
        name: 'Export',
      })
      return created.body
    }),
  )
  return { system, role, profile, webhook, boss, clerk, first, second, accountName, program, other }
}

test('names of ids: those that the caller can read, in one request', async (t) => {
  const app = await startTestApp(t)
  const world = await newWorld(app)
  const { system, role, profile, webhook, boss, clerk, first, second, accountName, program, other } = world
  const stranger = await app.newUser({ name: 'Eve' })
  const resources = [system, role, profile, webhook, boss, clerk, first, second, program, other, stranger]
  const given = resources.map(({ id }) => id)
  const invite = async (accountId: string) =>
    (await app.platform.post(`/admin/accounts/${accountId}/invitations`, { email: newAddress() })).body
  const [invited, foreign] = [await invite(first.accountId), await invite(second.accountId)]
  const ids = [
    ...given,
    invited.id,
    foreign.id,
    first.accountId,
    second.accountId,
    system.clientId,
    crypto.randomUUID(),
  ]
  const { access_token } = await app.signIn(system as never, { email: boss.email })
  const sid = String(decodeJwt(access_token).sid)
  ids.push(sid)
  const path = `/admin/names?ids=${ids.join(',')}`
  const admin = app.as(access_token)

  const all = (await app.platform.get(path)).body
  // Before they enter the system, users have the name that the system states.
  const service = await (await app.serviceOf(system as never)).get(path)
  const own = (await admin.get(path)).body

  assert.equal(Object.keys(all).length, ids.length - 1)
  assert.deepEqual(all[boss.id], { type: 'user', name: 'Ana Lima', detail: boss.email })
  assert.deepEqual(all[first.accountId], { type: 'account', name: accountName, detail: null })
  assert.deepEqual(all[system.clientId], { type: 'system', name: system.name, detail: system.clientId })
  assert.deepEqual(all[first.id], { type: 'membership', name: boss.email, detail: accountName })
  assert.deepEqual(all[webhook.id], { type: 'webhook', name: 'https://hook.example/x', detail: null })
  assert.deepEqual(all[program.id], { type: 'service_account', name: 'Export', detail: program.clientId })
  assert.deepEqual(all[invited.id], { type: 'invitation', name: invited.email, detail: null })
  assert.deepEqual(all[sid], { type: 'session', name: boss.email, detail: null })
  const without = (...missing: string[]) =>
    Object.keys(all)
      .filter((id) => !missing.includes(id))
      .sort()
  assert.deepEqual(Object.keys(service.body).sort(), without(stranger.id))
  assert.deepEqual(service.body[clerk.id], { type: 'user', name: clerk.email, detail: clerk.email })
  assert.deepEqual(
    Object.keys(own).sort(),
    without(stranger.id, clerk.id, second.id, second.accountId, webhook.id, other.id, foreign.id),
  )
  assert.deepEqual(own[boss.id], { type: 'user', name: 'Ana Lima', detail: boss.email })
})

test('names of more than 200 ids are refused', async (t) => {
  const { platform } = await startTestApp(t)
  const ids = Array.from({ length: 201 }, () => crypto.randomUUID())

  const answer = await platform.get(`/admin/names?ids=${ids.join(',')}`)

  assert.deepEqual([answer.status, answer.body.errors[0].path], [400, '/query/ids'])
  assert.equal((await platform.get(`/admin/names?ids=${ids.slice(1).join(',')}`)).status, 200)
})

test('a search finds any id, and users, accounts and systems by a text, within the authority', async (t) => {
  const app = await startTestApp(t)
  const { system, role, webhook, boss, clerk, first, second, accountName } = await newWorld(app)
  const stranger = await app.newUser()
  const { visitor: _, access_token } = await app.signIn(system as never, { email: boss.email })
  const { sid } = JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString())
  const [service, admin] = [await app.serviceOf(system as never), app.as(access_token)]
  const [entry] = (await app.platform.get(`/admin/audit?targetId=${first.id}`)).body.data
  const find = async (client: typeof admin, q: string): Promise<Found[]> =>
    (await client.get(`/admin/search?q=${encodeURIComponent(q)}`)).body.data
  const types = async (client: typeof admin, q: string) => (await find(client, q)).map(({ type }) => type)

  for (const [q, type, ofService, ofAdmin] of [
    [boss.id, 'user', true, true],
    [clerk.id.toUpperCase(), 'user', true, false],
    [stranger.id, 'user', false, false],
    [system.id, 'system', true, true],
    [first.accountId, 'account', true, true],
    [second.accountId, 'account', true, false],
    [role.id, 'role', true, true],
    [second.id, 'membership', true, false],
    [webhook.id, 'webhook', true, false],
    [sid, 'session', true, true],
    [entry.requestId, 'request', true, true],
  ] as const) {
    assert.deepEqual(await types(app.platform, q), [type], type)
    assert.deepEqual(await types(service, q), ofService ? [type] : [], type)
    assert.deepEqual(await types(admin, q), ofAdmin ? [type] : [], type)
  }
  for (const [q, type, ofService, ofAdmin] of [
    [boss.email.slice(0, -3), 'user', ['user'], ['membership']],
    [clerk.email, 'user', ['user'], []],
    [stranger.email, 'user', [], []],
    [accountName.slice(5), 'account', ['account'], []],
    [system.clientId, 'system', ['system'], []],
    [system.name.slice(3), 'system', ['system'], []],
  ] as const) {
    assert.deepEqual(await types(app.platform, q), [type], q)
    assert.deepEqual(await types(service, q), ofService, q)
    assert.deepEqual(await types(admin, q), ofAdmin, q)
  }
  const [found] = await find(app.platform, webhook.id)
  assert.equal((await app.platform.get(found!.href)).body.id, webhook.id)
  assert.ok((await find(app.platform, 'example')).length <= 20)
  assert.deepEqual(
    [await find(app.platform, ' '), await find(app.platform, `${clerk.email.slice(0, 9)}%`)],
    [[], []],
  )
  assert.equal((await app.platform.get('/admin/search?q=%00')).status, 400)
})
