/** Background jobs over the death of processes. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPglite } from '../../src/database/connections/pglite.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database, Db } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'
import { insertMembers, insertSessions } from '../support/many-sessions.ts'
import { createDatabase } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'

const SERVICE = { ADMIN_CLIENT_ID: 'the-service', ADMIN_CLIENT_SECRET: 'a-secret-of-a-test' }
const MANY = 15_000
const MEMBERS = 4_000

type Call = (method: string, path: string, body?: object) => Promise<Record<string, never>>

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

/** A server with an administrator, and its database while it is stopped. */
async function killable(t: TestContext) {
  const database = await freshDatabase(t)
  const server = await startServer({ env: database.env })
  t.after(() => server.close())
  const request = async (method: string, path: string, init: RequestInit) => {
    const response = await fetch(server.url + path, { method, ...init })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? {} : await response.json()
  }
  const { access_token: token } = await request('POST', '/token', {
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: SERVICE.ADMIN_CLIENT_ID,
      client_secret: SERVICE.ADMIN_CLIENT_SECRET,
    }),
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call: Call = (method, path, body) =>
    request(method, path, { headers, body: body ? JSON.stringify(body) : null })
  /** Kills the server, and runs `work` on its database. */
  const whileDown = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    await server.kill('SIGKILL')
    const opened = await database.open(server.dataDir)
    return work(opened.db).finally(() => opened.close())
  }
  /** Kills the server after the next batch of the job, and restarts it. Returns the job as it was then. */
  const untilMiddle = async () => {
    const { done, total } = await newestJob(call)
    while ((await newestJob(call)).done === done && done < total) await wait(5)
    const found = await whileDown((db) => db.execute(sql`select done, total from background_jobs`))
    await server.restart()
    return (found as unknown as { rows: Job[] }).rows[0]!
  }
  return { server, call, whileDown, untilMiddle }
}

type Job = { done: number; total: number; status: string }

const newestJob = async (call: Call) => (await call('GET', '/admin/jobs')).data![0] as Job

test('a job that is killed twice ends each session once', { timeout: 180_000 }, async (t) => {
  const { server, call, whileDown, untilMiddle } = await killable(t)
  const system = await call('POST', '/admin/systems', { name: 'Shop' })
  const user = await call('POST', '/admin/users', { email: 'ana@example.com' })
  const membership = await call('POST', '/admin/memberships', { userId: user.id, systemId: system.id })
  await whileDown((db) => insertSessions(db, membership.id!, MANY))
  await server.restart()

  const { ended } = await call('DELETE', `/admin/sessions/by-system/${system.id}`)
  const killed = [await untilMiddle(), await untilMiddle()]
  while ((await newestJob(call)).status !== 'finished') await wait(200)

  assert.equal(ended, MANY)
  assert.ok(killed[0]!.done > 0 && killed[0]!.done < killed[0]!.total, JSON.stringify(killed))
  const found = await whileDown((db) =>
    db.execute(sql`select
      (select count(*)::int from sessions where ended_at is null) as active,
      (select count(*)::int from session_ends) as ends,
      (select count(*)::int from audit where action = 'session.ended') as entries,
      (select count(distinct target_id)::int from audit where action = 'session.ended') as "entrySessions",
      (select count(*)::int from events where type = 'session.ended') as events,
      (select count(distinct data ->> 'sid')::int from events where type = 'session.ended') as "eventSessions"`),
  )
  assert.deepEqual((found as unknown as { rows: unknown[] }).rows[0], {
    active: 0,
    ends: 0,
    entries: MANY,
    entrySessions: MANY,
    events: MANY,
    eventSessions: MANY,
  })
})

test('the deletion of a system that is killed revokes each access once', { timeout: 180_000 }, async (t) => {
  const { server, call, whileDown, untilMiddle } = await killable(t)
  const system = await call('POST', '/admin/systems', { name: 'Shop' })
  await whileDown((db) => insertMembers(db, system.id!, MEMBERS, 'member'))
  await server.restart()

  await call('DELETE', `/admin/systems/${system.id}`)
  const killed = await untilMiddle()
  while ((await newestJob(call)).status !== 'finished') await wait(200)

  assert.ok(killed.done > 0 && killed.done < killed.total, JSON.stringify(killed))
  const found = await whileDown((db) =>
    db.execute(sql`select
      (select count(*)::int from system_ids where id = ${system.id}) as systems,
      (select count(*)::int from memberships) as memberships,
      (select count(*)::int from accounts) as accounts,
      (select count(*)::int from events where type = 'user.access_revoked') as events,
      (select count(distinct membership_id)::int from events where type = 'user.access_revoked') as revoked`),
  )
  assert.deepEqual((found as unknown as { rows: unknown[] }).rows[0], {
    systems: 0,
    memberships: 1, // of the administrator
    accounts: 1,
    events: MEMBERS,
    revoked: MEMBERS,
  })
})
