/** The filters by IP address and by the text of an actor, and the export. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { audit } from '../../database/schema.ts'

type Entry = { id: string; action: string; time: string }

test('entries by IP address, and by a part of the address of an actor that the caller can read', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const [member, stranger] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: member.id, systemId: system.id })
  const service = await app.serviceOf(system as never)
  const entry = { outcome: 'success', systemId: system.id, actorType: 'user' } as const
  await app.db.insert(audit).values([
    { ...entry, action: 'test.mine', actorId: member.id, actorIp: '203.0.113.7' },
    { ...entry, action: 'test.theirs', actorId: stranger.id, actorIp: '203.0.113.8' },
    { ...entry, action: 'test.service', actorType: 'service', actorId: system.clientId },
  ])
  const actions = async (client: typeof service, query: string): Promise<string[]> => {
    const { body } = await client.get(`/admin/audit?systemId=${system.id}&${query}`)
    return body.data.map(({ action }: Entry) => action).filter((action: string) => action.startsWith('test.'))
  }
  const part = (email: string) => encodeURIComponent(email.slice(0, -3).toUpperCase())

  for (const client of [app.platform, service]) {
    assert.deepEqual(await actions(client, 'ip=203.0.113.7'), ['test.mine'])
    assert.deepEqual(await actions(client, 'ip=203.0.113.9'), [])
    assert.deepEqual(await actions(client, `actor=${part(member.email)}`), ['test.mine'])
    assert.deepEqual(await actions(client, `actor=${system.clientId.slice(0, 12)}`), ['test.service'])
    assert.deepEqual(await actions(client, 'actor=%25%25%25'), [])
  }
  assert.deepEqual(await actions(app.platform, `actor=${part(stranger.email)}`), ['test.theirs'])
  assert.deepEqual(await actions(service, `actor=${part(stranger.email)}`), [])
  assert.equal((await app.platform.get('/admin/audit?actor=an')).status, 400)
})

/** Makes the server use its statements for a table that is distributed with Citus. */
async function pretendDistributed<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.execute(sql`create table pg_dist_partition as select 'audit'::regclass as logicalrelid`)
  return work().finally(() => db.execute(sql`drop table pg_dist_partition`))
}

test('the filters by actor find the same entries with the statements for a distributed log', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const [member, stranger] = [await app.newUser(), await app.newUser()]
  await app.newMembership({ userId: member.id, systemId: system.id })
  const service = await app.serviceOf(system as never)
  const entry = { action: 'test.done', outcome: 'success', systemId: system.id, actorType: 'user' } as const
  for (const { id } of [member, stranger])
    await app.db.insert(audit).values(Array(7).fill({ ...entry, actorId: id, actorIp: '203.0.113.7' }))
  const read = async () => {
    const pages = []
    for (const query of ['ip=203.0.113.7', `actorId=${member.id}`, `actor=${member.email}`])
      for (const path of [`/admin/audit?pageSize=5&page=2&${query}`, `/admin/audit/export?${query}`])
        pages.push((await service.get(path)).body)
    return pages
  }

  const found = await read()

  assert.deepEqual([found[0].total, found[0].data.length], [7, 2])
  assert.deepEqual(await pretendDistributed(app.db, read), found)
})

test('an export has all entries that match, newest first, each once, and is audited', async (t) => {
  const app = await startTestApp(t)
  const { id: systemId, ...system } = await app.newSystem({ allowClientCredentials: true })
  const service = await app.serviceOf(system as never)
  // Several have the same time, to the microsecond.
  await app.db.execute(sql`insert into audit (time, action, outcome, actor_type, system_id)
    select now() - (n / 7) * interval '1 microsecond', 'test.made', 'success', 'server', ${systemId}::uuid
    from generate_series(1, 2500) n`)
  await app.db.insert(audit).values({ action: 'test.made', outcome: 'success', actorType: 'server' })

  const answer = await service.get('/admin/audit/export?action=test.made')
  const none = await service.get('/admin/audit/export?action=none')

  const entries: Entry[] = String(answer.body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const times = entries.map(({ time }) => time)
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  assert.deepEqual([entries.length, new Set(entries.map(({ id }) => id)).size], [2500, 2500])
  assert.deepEqual(times, times.toSorted().reverse())
  assert.deepEqual([none.status, none.body], [200, undefined])
  const { data } = (await service.get('/admin/audit?action=audit.exported')).body
  assert.deepEqual(data[0].changes, { filters: [null, ['action']] })
})
