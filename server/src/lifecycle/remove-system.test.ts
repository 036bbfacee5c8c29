/** The deletion of a system with more members than one transaction deletes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertMembers, insertSessions, startJobs } from '../../test/support/many-sessions.ts'
import { startTestApp } from '../../test/support/testing.ts'
import type { Db } from '../database/database.ts'
import { sql } from '../database/drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const FINISHED = { timeout: 60_000, interval: 200 }
const MANY = 1_500
const SESSIONS = 1_200

/** A system with an admin who is signed in, and many more members and sessions. */
async function crowded(app: App) {
  const system = await app.newSystem({
    allowClientCredentials: true,
    backchannelLogoutUri: 'https://app.example/out',
  })
  const role = await app.newRole(system.id, { isAdmin: true })
  const user = await app.newUser()
  const place = { userId: user.id, systemId: system.id, roles: [role.id] }
  const membership = await app.newMembership(place)
  const { body: webhook } = await app.platform.post(`/admin/systems/${system.id}/webhooks`, {
    url: 'https://hooks.example/in',
  })
  const tokens = await app.signIn(system, { email: user.email })
  const service = await app.serviceOf(system)
  await insertSessions(app.db, membership.id, SESSIONS)
  await insertMembers(app.db, system.id, MANY, system.clientId)
  return { system, role, user, membership, webhook, tokens, service }
}

const count = async (db: Db, table: string, systemId: string) => {
  const column = table === 'system_ids' ? 'id' : 'system_id'
  const found = await db.execute(
    sql`select count(*)::int as count from ${sql.raw(table)} where ${sql.raw(column)} = ${systemId}`,
  )
  return (found as unknown as { rows: { count: number }[] }).rows[0]!.count
}

const OWNED = [
  'system_ids',
  'roles',
  'accounts',
  'system_users',
  'memberships',
  'membership_roles',
  'sessions',
  'session_ends',
  'webhooks',
]

test('a system with many members is gone with the response, also while no job runs', async (t) => {
  const app = await startTestApp(t)
  const { system, role, user, membership, webhook, tokens, service } = await crowded(app)

  const answer = await app.platform.delete(`/admin/systems/${system.id}`)

  assert.equal(answer.status, 204)
  assert.equal(await count(app.db, 'memberships', system.id), MANY + 1, 'no job has run')
  assert.equal((await app.me(tokens.access_token)).status, 401)
  assert.equal((await app.refresh(system, tokens.refresh_token!)).body.error, 'invalid_client')
  assert.equal((await service.get('/admin/memberships')).status, 401)
  const grant = await app.token(system, { grant_type: 'client_credentials' })
  assert.equal(grant.body.error, 'invalid_client')
  const page = await tokens.visitor.get(
    `/auth?client_id=${system.clientId}&response_type=code&scope=openid&redirect_uri=https://app.example/cb`,
  )
  assert.equal(page.status, 400)
  const account = `/admin/accounts/${membership.accountId}`
  const at = `/admin/systems/${system.id}`
  const place = { userId: user.id, accountId: membership.accountId }
  const { platform } = app
  const answers = {
    again: await platform.delete(at),
    system: await platform.get(at),
    roles: await platform.get(`${at}/roles`),
    role: await platform.patch(`${at}/roles/${role.id}`, { name: 'other' }),
    webhook: await platform.get(`${at}/webhooks/${webhook.id}`),
    accounts: await platform.get(`${at}/accounts`),
    newMember: await platform.post('/admin/memberships', { userId: user.id, systemId: system.id }),
    operator: await platform.post('/admin/operators', {
      userId: user.id,
      systemId: system.id,
      level: 'viewer',
    }),
    membership: await platform.get(`/admin/memberships/${membership.id}`),
    block: await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
    removal: await platform.delete(`/admin/memberships/${membership.id}`),
    account: await platform.get(account),
    rename: await platform.patch(account, { name: 'Other' }),
    members: await platform.get(`${account}/members`),
    inAccount: await platform.post('/admin/memberships', place),
    invitation: await platform.post(`${account}/invitations`, { email: 'ana@example.test' }),
  }
  const codes = Object.entries(answers).map(([name, { body }]) => [name, body.code])
  assert.deepEqual(Object.fromEntries(codes), {
    again: 'system_not_found',
    system: 'system_not_found',
    roles: 'system_not_found',
    role: 'system_not_found',
    webhook: 'webhook_not_found',
    accounts: 'system_not_found',
    newMember: 'system_not_found',
    operator: 'system_not_found',
    membership: 'membership_not_found',
    block: 'membership_not_found',
    removal: 'membership_not_found',
    account: 'account_not_found',
    rename: 'account_not_found',
    members: 'account_not_found',
    inAccount: 'account_not_found',
    invitation: 'account_not_found',
  })
  for (const list of ['memberships', 'accounts', 'sessions']) {
    const { data, total } = (await platform.get(`/admin/${list}?systemId=${system.id}`)).body
    assert.deepEqual([list, data, total], [list, [], 0])
  }
  const newest = (await platform.get('/admin/memberships')).body.data
  assert.ok(newest.every(({ systemId }: { systemId: string }) => systemId !== system.id))
  assert.equal((await platform.get(`/admin/users/${user.id}`)).status, 200)
})

test('the job deletes all rows of the system, with one event for each session and member', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await crowded(app)
  const bystander = await app.newMember()

  await app.platform.delete(`/admin/systems/${system.id}`)
  const [job] = (await app.platform.get(`/admin/jobs?systemId=${system.id}`)).body.data
  startJobs(t, app.db)
  startJobs(t, app.db)
  const get = async () => (await app.platform.get(`/admin/jobs/${job.id}`)).body
  await t.waitFor(async () => assert.equal((await get()).status, 'finished'), FINISHED)

  const { kind, target, done, total } = await get()
  assert.deepEqual([kind, target], ['delete_system', { type: 'system', id: system.id }])
  assert.deepEqual([done, total], [job.total, job.total])
  for (const table of OWNED) assert.deepEqual([table, await count(app.db, table, system.id)], [table, 0])
  assert.ok((await count(app.db, 'memberships', bystander.system.id)) === 1)
  const numbers = await app.db.execute(sql`select
    (select count(*)::int from events where system_id = ${system.id} and type = 'user.access_revoked') as revoked,
    (select count(distinct membership_id)::int from events where system_id = ${system.id}
      and type = 'user.access_revoked') as members,
    (select count(*)::int from events where system_id = ${system.id} and type = 'session.ended') as ended,
    (select count(*)::int from audit where system_id = ${system.id} and action = 'session.ended') as entries,
    (select count(*)::int from audit where system_id = ${system.id} and action = 'system.deleted') as deleted,
    (select count(distinct sid)::int from logout_deliveries where client_id = ${system.clientId}) as logouts`)
  assert.deepEqual((numbers as unknown as { rows: object[] }).rows, [
    {
      revoked: MANY + 1,
      members: MANY + 1,
      ended: SESSIONS + 1,
      entries: SESSIONS + 1,
      deleted: 1,
      logouts: SESSIONS + 1,
    },
  ])
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).status, 200)
  assert.equal((await app.platform.delete(`/admin/systems/${system.id}`)).body.code, 'system_not_found')
})
