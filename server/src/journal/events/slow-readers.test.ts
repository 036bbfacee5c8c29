/** Slow tests, run concurrently: a reader that does not read, and the check at each heartbeat. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { endOfLog, openEventStream } from '../../../test/support/event-reader.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { sql } from '../../database/drizzle.ts'

/** Events of 2 kB each, more than all buffers between both sides hold. */
const MANY = 20_000

describe('slow, disconnected and unauthorized readers', { concurrency: true }, () => {
  test('a reader that does not read is disconnected and resumes without loss', async (t) => {
    const { url, platform, db, newMember } = await startTestApp(t)
    const { system, membership } = await newMember()
    const query = `?systemId=${system.id}`
    const start = await endOfLog(url, platform.token)
    const slow = await openEventStream(url, platform.token, { query, lastEventId: start })
    const quick = await openEventStream(url, platform.token, { query: '?type=user.access_blocked' })
    t.after(slow.close)
    t.after(quick.close)

    slow.pause()
    await db.execute(sql`
      insert into events (type, system_id, data)
      select 'user.access_updated', ${system.id}, jsonb_build_object('nth', nth, 'text', repeat('x', 2000)) from generate_series(1, ${MANY}::int) nth`)
    await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
    await quick.until(1)
    await wait(13_000)
    slow.resume()
    const end = await slow.ended
    const again = await openEventStream(url, platform.token, { query, lastEventId: slow.cursor() })
    t.after(again.close)
    await again.until(MANY + 1 - slow.events.length)

    assert.equal(end, 'cut')
    assert.ok(slow.events.length < MANY / 2, `${slow.events.length}`)
    assert.deepEqual(
      [...slow.events, ...again.events].slice(0, MANY).map(({ data }) => data.nth),
      Array.from({ length: MANY }, (_, at) => at + 1),
    )
  })

  test('a system that loses client credentials loses its stream, and other streams get heartbeats', async (t) => {
    const { url, platform, newMember, serviceOf } = await startTestApp(t)
    const { system } = await newMember({ allowClientCredentials: true })
    const [service, other] = [await serviceOf(system), (await newMember()).system]
    const reader = await openEventStream(url, service.token)
    const kept = await openEventStream(url, platform.token, { query: `?systemId=${other.id}` })
    t.after(kept.close)

    await platform.patch(`/admin/systems/${system.id}`, { allowClientCredentials: false })
    const ends = await reader.ended
    await t.waitFor(() => assert.match(kept.text(), /^: still here$/m), SOON)

    assert.equal(ends, 'done')
    assert.equal(await Promise.race([kept.ended, wait(100)]), undefined)
    assert.match(kept.text(), /\n\n: still here\nid: c\w+\n\n$/)
  })
})
