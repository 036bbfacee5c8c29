/** Who acted, as tenants read it: in the audit log, its export, the export of a user, and events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOperator } from '../../../test/support/console.ts'
import { endOfLog } from '../../../test/support/event-reader.ts'
import { afterPassword } from '../../../test/support/factors.ts'
import { type AdminClient, startTestApp } from '../../../test/support/testing.ts'

type Actor = {
  type: string
  id: string | null
  ip: string | null
  userAgent: string | null
  via: string | null
}
type Entry = { action: string; actor: Actor; accountId: string | null }
type App = Awaited<ReturnType<typeof startTestApp>>

const HIDDEN = { id: null, ip: null, userAgent: null, via: null }

/** A system with an account, its admin and another member; readers of its audit log. */
async function newWorld(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, skipConsent: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const [boss, clerk] = [await app.newUser(), await app.newUser()]
  const { accountId } = await app.newMembership({
    userId: boss.id,
    systemId: system.id,
    accountName: 'Acme',
    roles: [role.id],
  })
  const member = await app.newMembership({ userId: clerk.id, accountId })
  const { access_token: token } = await app.signIn(system, { email: boss.email })
  const [service, admin] = [await app.serviceOf(system), app.as(token)]
  return { system, boss, clerk, accountId: String(accountId), member, service, admin }
}

const entriesOf = async (reader: AdminClient, query = ''): Promise<Entry[]> => {
  const { status, body } = await reader.get(`/admin/audit?pageSize=100${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const linesOf = (body: unknown): Entry[] =>
  String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('P61: of a user of the platform, a system and the admin of an account learn only that a user acted', async (t) => {
  const app = await startTestApp(t)
  const { system, clerk, accountId, member, service, admin } = await newWorld(app)
  const keeper = await newOperator(app)
  // A user of the platform remains one to the systems that they use themselves.
  await app.newMembership({ userId: keeper.user.id, accountId })
  const start = await endOfLog(app.url, app.platform.token)
  const path = `/admin/memberships/${member.id}`
  const mine = { 'user-agent': `of ${keeper.user.id}` }
  assert.equal((await keeper.client.patch(path, { status: 'blocked' }, mine)).status, 200)
  assert.equal((await keeper.client.patch(path, { status: 'active' }, mine)).status, 200)
  for (const context of [`system:${system.id}`, `account:${accountId}`])
    assert.equal((await keeper.inContext(context).patch(path, { status: 'blocked' }, mine)).status, 403)

  const own = (await entriesOf(app.platform, `&actorId=${keeper.user.id}&systemId=${system.id}`)).filter(
    ({ actor }) => actor.via === 'console',
  )
  assert.deepEqual(own.map(({ action }) => action).sort(), [
    'access.denied',
    'access.denied',
    'membership.blocked',
    'membership.restored',
  ])
  assert.ok(own.every(({ actor }) => actor.userAgent === mine['user-agent'] && actor.ip !== null))

  for (const reader of [service, admin]) {
    const seen = await entriesOf(reader)
    const blocked = seen.find(({ action }) => action === 'membership.blocked')
    assert.deepEqual(blocked?.actor, { type: 'user', ...HIDDEN })
    const exported = linesOf((await reader.get('/admin/audit/export')).body)
    for (const entries of [seen, exported]) {
      assert.ok(entries.some(({ action }) => action === 'access.denied'))
      assert.ok(!JSON.stringify(entries).includes(mine['user-agent']))
      assert.deepEqual(
        entries.filter(({ actor }) => actor.id === keeper.user.id),
        [],
      )
    }
    for (const query of [`&actorId=${keeper.user.id}`, `&actor=${keeper.user.email}`])
      assert.deepEqual(await entriesOf(reader, query), [], query)
    assert.ok((await entriesOf(reader, `&ip=${own[0]!.actor.ip}`)).every(({ actor }) => actor.ip !== null))
  }
  for (const user of [clerk, keeper.user]) {
    const { body } = await service.get(`/admin/users/${user.id}/export`)
    assert.ok(!JSON.stringify(body.audit).includes(mine['user-agent']))
    assert.ok(body.audit.every(({ actorId }: { actorId: string }) => actorId !== keeper.user.id))
  }
  const rows: { type: string; data: { actor: unknown } }[] = (
    await service.get(`/admin/events?after=${start}`)
  ).body.data
  const changed = rows.filter(({ type }) => ['user.access_blocked', 'user.access_restored'].includes(type))
  assert.equal(changed.length, 2)
  for (const { data } of changed) assert.deepEqual(data.actor, { type: 'user', id: null })
})

test('P61: of a client or a user of elsewhere a system and the admin of an account learn only the kind', async (t) => {
  const app = await startTestApp(t)
  const { system, boss, member, service, admin } = await newWorld(app)
  const stranger = await app.newUser()
  await afterPassword(app.newBrowser(), system, stranger.email)
  const operator = await newOperator(app, { systemId: system.id })
  const path = `/admin/memberships/${member.id}`
  for (const [client, status] of [
    [admin, 'blocked'],
    [service, 'active'],
    [operator.client, 'blocked'],
  ] as const)
    assert.equal((await client.patch(path, { status })).status, 200)
  const actors = async (reader: AdminClient, action: string) =>
    (await entriesOf(reader, `&action=${action}`)).map(({ actor: { type, id, ip, userAgent } }) => [
      type,
      id,
      ip !== null || userAgent !== null,
    ])
  const ofBoss = ['user', boss.id, true]
  const ofService = ['service', system.clientId, true]
  const hidden = ['user', null, false]

  assert.deepEqual(await actors(service, 'membership.blocked'), [['user', operator.user.id, true], ofBoss])
  assert.deepEqual(await actors(admin, 'membership.blocked'), [hidden, ofBoss])
  for (const reader of [service, admin])
    assert.deepEqual(await actors(reader, 'membership.restored'), [ofService])
  assert.deepEqual(await actors(service, 'sign_in.refused'), [hidden])
  assert.deepEqual(await actors(app.platform, `sign_in.refused&systemId=${system.id}`), [
    ['user', stranger.id, true],
  ])
  for (const reader of [service, admin])
    assert.deepEqual(
      [...new Set((await actors(reader, 'membership.created')).map((each) => each.join()))],
      ['service,,false'],
    )
  assert.deepEqual(await actors(admin, 'session.opened'), [ofBoss])
  // An action with a right in the system keeps its actor when the user is no longer there.
  assert.equal((await service.delete(`/admin/users/${boss.id}`)).status, 204)
  assert.deepEqual((await actors(service, 'membership.blocked'))[1], ofBoss)
  assert.deepEqual(await actors(service, 'session.opened'), [hidden])
})
