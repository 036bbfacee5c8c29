/** A webhook worker and events for it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { and, eq, sql } from '../../src/database/drizzle.ts'
import { deliveries, webhooks } from '../../src/database/schema.ts'
import { startWebhookWorker } from '../../src/jobs/webhooks/deliver.ts'
import type { startTestApp } from './testing.ts'

export { SOON } from './waiting.ts'

export type App = Awaited<ReturnType<typeof startTestApp>>

export const PRIVATE = { WEBHOOK_ALLOW_PRIVATE: 'true' }
/** The settings of a worker of a server on the Internet. */
export const PUBLIC = { BASE_URL: 'https://id.example.test', WEBHOOK_ALLOW_PRIVATE: false }
/** A retry schedule for tests, in seconds. */
export const QUICK = [0, 0.05, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]

/** A worker as start.ts starts it, and its log lines. */
export function startWorker(t: TestContext, { db, seal, url }: App, schedule = QUICK, settings: object = {}) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const places = { BASE_URL: url, WEBHOOK_ALLOW_PRIVATE: true, ...settings }
  const config = { ...places, WEBHOOK_RETRY_SCHEDULE: schedule }
  const worker = startWebhookWorker({ db, seal, config, log })
  t.after(() => worker.stop())
  return { worker, logged: () => lines.join('') }
}

export async function newWebhook({ platform }: App, systemId: string, fields: object) {
  const answer = await platform.post(`/admin/systems/${systemId}/webhooks`, fields)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { ...answer.body, path: `/admin/systems/${systemId}/webhooks/${answer.body.id}` }
}

/** A system with a webhook to the receiver. */
export async function newWebhookSystem(app: App, url: string, fields: object = {}, system: object = {}) {
  const made = await app.newSystem({ multiAccount: true, ...system })
  return { system: made, webhook: await newWebhook(app, made.id, { url, ...fields }) }
}

export const rowOf = async ({ db }: App, id: string) =>
  (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0]!
export const pendingOf = ({ db }: App, id: string) =>
  db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, id), eq(deliveries.status, 'pending')))

/** Inserts `count` events for each of `memberships` new memberships. */
export async function writeEvents(
  { db }: App,
  systemId: string,
  memberships: number,
  count: number,
): Promise<void> {
  await db.execute(sql`
    insert into events (type, system_id, membership_id, data)
    select 'user.access_updated', ${systemId}::uuid, m.id, jsonb_build_object('membershipId', m.id, 'turn', turn)
    from generate_series(1, ${count}) turn cross join (select gen_random_uuid() as id from generate_series(1, ${memberships}) offset 0) m
    order by turn, m.id`)
}

/** The turns of each membership in order of arrival, without immediate repeats. */
export function turnsOf(received: { event: { data: Record<string, unknown> } }[]): number[][] {
  const memberships = Map.groupBy(received, ({ event }) => String(event.data.membershipId))
  return [...memberships.values()].map((events) =>
    events.map(({ event }) => Number(event.data.turn)).filter((turn, at, turns) => turn !== turns[at - 1]),
  )
}
export const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
