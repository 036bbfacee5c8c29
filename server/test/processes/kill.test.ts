/** A server killed during writes loses no acknowledged change and leaves no partial one. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPglite } from '../../src/database/connections/pglite.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'
import { createDatabase } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'

/** The kills on each database; a start of the embedded one takes seconds. */
const KILLS = process.env.DATABASE_URL ? 5 : 3
/** Concurrent writers. */
const WRITERS = 4
const SERVICE = { ADMIN_CLIENT_ID: 'the-service', ADMIN_CLIENT_SECRET: 'a-secret-of-a-test' }

/** Ids of acknowledged changes. */
type Acknowledged = { users: string[]; memberships: string[]; removed: string[] }
type Call = (method: string, path: string, body?: object) => Promise<{ id: string; access_token: string }>

/** Throws if the server refuses or does not answer. */
const callerOf =
  (url: string, headers: Record<string, string>): Call =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? {} : await response.json()
  }

/** Creates users with memberships and deletes every other membership until the server is killed. */
async function write(
  call: Call,
  systemId: string,
  roleId: string,
  acknowledged: Acknowledged,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const user = await call('POST', '/admin/users', { email: `${crypto.randomUUID()}@example.com` })
    acknowledged.users.push(user.id)
    const membership = await call('POST', '/admin/memberships', {
      userId: user.id,
      systemId,
      accountName: 'Acme',
      roles: [roleId],
    })
    acknowledged.memberships.push(membership.id)
    if (turn % 2 === 0) continue
    await call('DELETE', `/admin/memberships/${membership.id}`)
    acknowledged.removed.push(membership.id)
  }
}

/** Rows of the system that lack another row of the same change, by kind. */
async function halfMade({ db }: Database, systemId: string): Promise<unknown> {
  const entry = (action: string, id: string) =>
    sql`exists (select from audit where action = ${action} and target_id = ${sql.raw(id)}::text)`
  const event = (type: string, column: string, id: string) =>
    sql`exists (select from events where type = ${type} and ${sql.raw(`events.${column} = ${id}`)})`
  const found = await db.execute(sql`
    with created as (select target_id::uuid as id from audit where action = 'membership.created' and system_id = ${systemId}),
         deleted as (select target_id::uuid as id from audit where action = 'membership.deleted' and system_id = ${systemId})
    select
      (select count(*)::int from users where email like '%@example.com' and not (${entry('user.created', 'users.id')} and ${event('user.created', 'user_id', 'users.id')})) as users,
      (select count(*)::int from accounts where system_id = ${systemId} and not (${entry('account.created', 'accounts.id')} and ${event('account.created', 'account_id', 'accounts.id')})) as accounts,
      (select count(*)::int from accounts where system_id = ${systemId} and not exists (select from audit where action = 'membership.created' and account_id = accounts.id)) as "accountsWithoutMember",
      (select count(*)::int from memberships m where system_id = ${systemId} and not (m.id in (select id from created) and ${event('user.access_granted', 'membership_id', 'm.id')})) as memberships,
      (select count(*)::int from memberships m where system_id = ${systemId} and not exists (select from membership_roles r where r.membership_id = m.id)) as "withoutRole",
      (select count(*)::int from created c where not exists (select from memberships m where m.id = c.id) and not (c.id in (select id from deleted) and ${event('user.access_revoked', 'membership_id', 'c.id')})) as removals,
      (select count(*)::int from deleted d where exists (select from memberships m where m.id = d.id)) as "removedAndThere",
      (select count(*)::int from events e where system_id = ${systemId} and type = 'user.access_granted' and e.membership_id not in (select id from created)) as "eventsOfNothing"`)
  return (found as unknown as { rows: unknown[] }).rows[0]
}

/** Ids that do not meet the condition. */
async function without({ db }: Database, ids: string[], condition: string): Promise<string[]> {
  const found = await db.execute(
    sql`select id from unnest(${sql.param(ids)}::uuid[]) as given(id) where not (${sql.raw(condition)})`,
  )
  return (found as unknown as { rows: { id: string }[] }).rows.map(({ id }) => id)
}

async function freshDatabase(
  t: TestContext,
): Promise<{ env: Record<string, string>; open(dataDir: string): Promise<Database> }> {
  const given = process.env.DATABASE_URL
  if (!given) return { env: SERVICE, open: (dataDir) => openPglite(join(dataDir, 'database')) }
  const { url, drop } = await createDatabase(given)
  t.after(drop)
  return {
    env: { ...SERVICE, DATABASE_URL: url, SECRET_KEY: 'a key for tests, 32 characters or more' },
    open: () => openPostgres(url, 1),
  }
}

test(`${KILLS} kills during writes lose no acknowledged change and leave none partial`, async (t) => {
  const database = await freshDatabase(t)
  const server = await startServer({ env: database.env })
  t.after(() => server.close())
  const basic = Buffer.from(`${SERVICE.ADMIN_CLIENT_ID}:${SERVICE.ADMIN_CLIENT_SECRET}`).toString('base64')
  const token = await callerOf(server.url, { authorization: `Basic ${basic}` })('POST', '/token', {
    grant_type: 'client_credentials',
  })
  const call = callerOf(server.url, { authorization: `Bearer ${token.access_token}` })
  const system = await call('POST', '/admin/systems', { name: 'Shop', multiAccount: true })
  const role = await call('POST', `/admin/systems/${system.id}/roles`, { name: 'owner', isAdmin: true })
  const acknowledged: Acknowledged = { users: [], memberships: [], removed: [] }

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const enough = acknowledged.removed.length + 3 // every kind of write is running
    const writers = Array.from({ length: WRITERS }, () => write(call, system.id, role.id, acknowledged))
    const underWay = async () => {
      while (acknowledged.removed.length < enough) await wait(5)
    }
    await Promise.race([underWay(), Promise.all(writers)]) // a refused writer fails the test
    await wait(Math.random() * 50)
    await Promise.all([server.kill('SIGKILL'), Promise.allSettled(writers)])
    await server.restart()
  }
  await server.kill('SIGTERM')

  const opened = await database.open(server.dataDir)
  t.after(() => opened.close())
  t.diagnostic(
    `acknowledged: ${acknowledged.users.length} users, ${acknowledged.memberships.length} memberships, ${acknowledged.removed.length} removals`,
  )
  const kept = acknowledged.memberships.filter((id) => !acknowledged.removed.includes(id))
  assert.deepEqual(
    await without(opened, acknowledged.users, 'exists (select from users where users.id = given.id)'),
    [],
  )
  // An unanswered deletion may have happened or not; if it has, it is in the audit.
  assert.deepEqual(
    await without(
      opened,
      kept,
      `exists (select from memberships m where m.id = given.id) or exists (select from audit where action = 'membership.deleted' and target_id = given.id::text)`,
    ),
    [],
  )
  assert.deepEqual(
    await without(
      opened,
      acknowledged.removed,
      'not exists (select from memberships m where m.id = given.id)',
    ),
    [],
  )
  const none = {
    users: 0,
    accounts: 0,
    accountsWithoutMember: 0,
    memberships: 0,
    withoutRole: 0,
    removals: 0,
    removedAndThere: 0,
    eventsOfNothing: 0,
  }
  assert.deepEqual(await halfMade(opened, system.id), none)
})
