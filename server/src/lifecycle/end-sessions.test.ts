/** Ends of more sessions than one transaction updates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { insertSessions, startJobs } from '../../test/support/many-sessions.ts'
import { startTestApp } from '../../test/support/testing.ts'
import type { Db } from '../database/database.ts'
import { sql } from '../database/drizzle.ts'
import { inTransaction } from '../database/transaction.ts'
import { SERVER } from '../http/authority.ts'
import type { SessionFilter } from '../resources/sessions/end-queries.ts'
import { endSessions } from './end-sessions.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** The last rows of a job are updated ten seconds after the end. */
const FINISHED = { timeout: 60_000, interval: 200 }
const MANY = 2_500

/** A member who is signed in, with many more sessions. The order of ids begins with the others. */
async function crowded(app: App, fields: object = {}) {
  const { system, user, membership } = await app.newMember(fields)
  const tokens = await app.signIn(system, { email: user.email })
  await insertSessions(app.db, membership.id, MANY)
  return { system, user, membership, tokens, sid: decodeJwt(tokens.access_token).sid as string }
}

/** How often each session is in the audit log, the event log and the queue of back-channel logouts. */
async function numbers(db: Db, systemId: string, clientId: string) {
  const counted = (of: string, from: ReturnType<typeof sql>) =>
    sql`(select count(${sql.raw(of)})::int || ' of ' || count(distinct ${sql.raw(of)}) from ${from})`
  const { rows } = (await db.execute(sql`select
    (select count(*)::int from sessions where system_id = ${systemId} and ended_at is null) as active,
    ${counted('target_id', sql`audit where system_id = ${systemId} and action = 'session.ended'`)} as entries,
    ${counted(`data ->> 'sid'`, sql`events where system_id = ${systemId} and type = 'session.ended'`)} as events,
    ${counted('sid', sql`logout_deliveries where client_id = ${clientId}`)} as logouts`)) as unknown as {
    rows: object[]
  }
  return rows[0]
}

test('no token of many ended sessions is valid after the response, also while no job runs', async (t) => {
  const app = await startTestApp(t)
  const { system, user, tokens, sid } = await crowded(app)
  const bystander = await app.newMember()
  const other = await app.signIn(bystander.system, { email: bystander.user.email })

  const answer = await app.platform.delete(`/admin/sessions/by-system/${system.id}`)

  assert.deepEqual([answer.status, answer.body], [200, { ended: MANY + 1 }])
  assert.equal((await app.me(tokens.access_token)).status, 401)
  assert.equal((await app.refresh(system, tokens.refresh_token!)).body.error, 'invalid_grant')
  const listed = (await app.platform.get(`/admin/sessions?systemId=${system.id}`)).body
  assert.deepEqual([listed.total, listed.data], [0, []])
  assert.equal((await app.platform.delete(`/admin/sessions/${sid}`)).status, 404)
  const again = await app.platform.delete(`/admin/sessions/by-system/${system.id}`)
  assert.deepEqual(again.body, { ended: 0 })
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: tokens.visitor,
    parameters: { prompt: 'none' },
  })
  assert.equal(silent.back.error, 'login_required')
  assert.equal((await app.me(other.access_token)).status, 200)
})

test('the job ends each session once, and none that was opened after the end', async (t) => {
  const app = await startTestApp(t)
  const { system, user, tokens } = await crowded(app, { backchannelLogoutUri: 'https://app.example/out' })

  await app.platform.delete(`/admin/sessions/by-system/${system.id}`)
  const later = await app.signIn(system, { email: user.email, visitor: tokens.visitor })
  const [job] = (await app.platform.get(`/admin/jobs?systemId=${system.id}`)).body.data
  const { id, createdAt, ...queued } = job
  startJobs(t, app.db)
  startJobs(t, app.db)
  const get = async () => (await app.platform.get(`/admin/jobs/${id}`)).body
  await t.waitFor(async () => assert.equal((await get()).status, 'finished'), FINISHED)

  const left = MANY + 1 - 1_000
  assert.deepEqual(queued, {
    kind: 'end_sessions',
    status: 'queued',
    systemId: system.id,
    target: { type: 'system', id: system.id },
    done: 0,
    total: left,
    error: null,
    startedAt: null,
    finishedAt: null,
  })
  const { done, total, error, finishedAt } = await get()
  assert.deepEqual([done, total, error], [left, left, null])
  assert.ok(Date.parse(finishedAt) > Date.parse(createdAt))
  const each = `${MANY + 1} of ${MANY + 1}`
  assert.deepEqual(await numbers(app.db, system.id, system.clientId), {
    active: 1,
    entries: each,
    events: each,
    logouts: each,
  })
  assert.equal((await app.me(later.access_token)).status, 200)
  const silent = await app.authorize(system, {
    email: user.email,
    visitor: tokens.visitor,
    parameters: { prompt: 'none' },
  })
  assert.ok(silent.back.code, 'the user has authenticated after the end')
  const { rows } = (await app.db.execute(sql`select actor from background_jobs where id = ${id}`)) as {
    rows: unknown[]
  }
  assert.deepEqual(rows, [{ actor: null }], 'the address of the administrator is not kept')
})

test('a new password ends many sessions of a user at once, and the browser sessions', async (t) => {
  const app = await startTestApp(t)
  const { system, user, tokens } = await crowded(app)

  const password = 'another horse battery staple'
  const answer = await app.platform.post(`/admin/users/${user.id}/set-password`, { password })

  assert.equal(answer.status, 200)
  assert.equal((await app.me(tokens.access_token)).status, 401)
  assert.equal((await app.refresh(system, tokens.refresh_token!)).body.error, 'invalid_grant')
  assert.equal((await tokens.visitor.get('/account')).status, 303)
  const { data } = (await app.platform.get('/admin/jobs?unfinished=true')).body
  const own = data.filter(({ target }: { target: { id: string } }) => target.id === user.id)
  assert.deepEqual(
    own.map(({ systemId, total }: { systemId: string | null; total: number }) => [systemId, total]),
    [[null, MANY + 1 - 1_000]],
  )
})

test('a membership that is deleted while the job is pending has an entry for each of its sessions', async (t) => {
  const app = await startTestApp(t)
  const { system, membership } = await crowded(app)

  await app.platform.delete(`/admin/sessions/by-system/${system.id}`)
  await app.platform.delete(`/admin/memberships/${membership.id}`)

  const each = `${MANY + 1} of ${MANY + 1}`
  assert.deepEqual(await numbers(app.db, system.id, system.clientId), {
    active: 0,
    entries: each,
    events: each,
    logouts: '0 of 0',
  })
})

test('a system reads its own jobs only, and an account admin none', async (t) => {
  const app = await startTestApp(t)
  const { system, membership } = await crowded(app, { multiAccount: true, allowClientCredentials: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const neighbor = await app.newSystem({ allowClientCredentials: true })
  const [service, other] = [await app.serviceOf(system), await app.serviceOf(neighbor)]

  await service.delete(`/admin/sessions/by-system/${system.id}`)
  const boss = await app.newUser()
  await app.newMembership({ userId: boss.id, accountId: membership.accountId, roles: [role.id] })
  const admin = app.as((await app.signIn(system, { email: boss.email })).access_token)

  const [job] = (await service.get('/admin/jobs')).body.data
  assert.equal(job.systemId, system.id)
  assert.equal((await service.get(`/admin/jobs/${job.id}`)).body.id, job.id)
  assert.deepEqual((await other.get('/admin/jobs')).body.data, [])
  assert.deepEqual((await other.get(`/admin/jobs?systemId=${system.id}`)).body.data, [])
  assert.equal((await other.get(`/admin/jobs/${job.id}`)).body.code, 'job_not_found')
  assert.equal((await admin.get('/admin/jobs')).body.code, 'insufficient_authority')
  assert.equal((await admin.get(`/admin/jobs/${job.id}`)).body.code, 'insufficient_authority')
})

/** A member with one session by credentials and one by a connection, and many more of one of the kinds. */
async function withConnection(app: App, more: 'own' | 'connection' | 'none') {
  const { system, user, membership } = await app.newMember()
  const connectionId = crypto.randomUUID()
  const [own, connected] = [
    await app.signIn(system, { email: user.email }),
    await app.signIn(system, { email: user.email }),
  ]
  const sid = decodeJwt(connected.access_token).sid
  if (more !== 'none') await insertSessions(app.db, membership.id, MANY)
  const marked = more === 'connection' ? sql`membership_id = ${membership.id} and sid like '--%'` : sql`false`
  await app.db.execute(
    sql`update sessions set connection_id = ${connectionId} where sid = ${sid} or ${marked}`,
  )
  const outcomes = async () => {
    const [first, second] = [await app.me(own.access_token), await app.me(connected.access_token)]
    const refreshed = await app.refresh(system, connected.refresh_token!)
    return { own: first.status, connection: second.status, refreshed: refreshed.status }
  }
  const end = (filter: SessionFilter) =>
    inTransaction(app.db, (tx) => endSessions(tx, SERVER, filter, 'admin'))
  return { accountId: membership.accountId, connectionId, outcomes, end }
}

for (const more of ['none', 'connection'] as const)
  test(`the end of a connection's sessions ends no session by credentials of the user (${more} more)`, async (t) => {
    const app = await startTestApp(t)
    const { connectionId, outcomes, end } = await withConnection(app, more)

    assert.deepEqual(await outcomes(), { own: 200, connection: 200, refreshed: 200 })
    assert.equal(await end({ connectionId }), more === 'none' ? 1 : MANY + 1)

    assert.deepEqual(await outcomes(), { own: 200, connection: 401, refreshed: 400 })
  })

for (const more of ['none', 'own'] as const)
  test(`an end of sessions without a connection ends none that a connection opened (${more} more)`, async (t) => {
    const app = await startTestApp(t)
    const { accountId, outcomes, end } = await withConnection(app, more)

    assert.equal(await end({ accountId, withoutConnection: true }), more === 'none' ? 1 : MANY + 1)

    assert.deepEqual(await outcomes(), { own: 401, connection: 200, refreshed: 200 })
  })
