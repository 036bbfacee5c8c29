/**
 * The SQL statements of the admin API that change webhooks and queue deliveries. Those that read deliveries
 * are in delivery-queries.ts, those of the worker in jobs/webhooks/queries.ts.
 */

import type { Db } from '../../database/database.ts'
import { and, eq, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { deliveries, events, webhooks } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'
import { demandQuota } from '../../http/quotas.ts'
import { isUrgent, isVoidable, orderOf, urgencyOf } from '../../jobs/webhooks/urgency.ts'
import { insertUnlistedEvent } from '../../journal/events/queries.ts'
import { isPresent } from '../systems/present.ts'

export const columns = {
  id: webhooks.id,
  systemId: webhooks.systemId,
  url: webhooks.url,
  events: webhooks.events,
  enabled: webhooks.enabled,
  disabledReason: webhooks.disabledReason,
  createdAt: webhooks.createdAt,
  updatedAt: webhooks.updatedAt,
}

/** A webhook has no secrets here, so that no response can contain them. */
export type Webhook = Pick<typeof webhooks.$inferSelect, keyof typeof columns>
export type WebhookInput = { url: string; events?: string[] | undefined; enabled?: boolean | undefined }

export const systemOfWebhook = isPresent(webhooks.systemId)

const one = (reach: Reach, systemId: string, id: string): SQL | undefined =>
  and(
    eq(webhooks.id, id),
    eq(webhooks.systemId, systemId),
    within(reach, { system: webhooks.systemId, account: 'none' }),
    systemOfWebhook,
  )

/** A page of the webhooks of a system, newest first, and how many there are. */
export function listWebhooks(db: Db, systemId: string, page: PageRequest): Promise<Listed<Webhook>> {
  const matching = {
    all: sql`select id, ${webhooks.createdAt} as time from ${webhooks} where ${eq(webhooks.systemId, systemId)}`,
  }
  return listPage(db, page, matching, (ids) =>
    db.select(columns).from(webhooks).where(inArray(webhooks.id, ids)),
  )
}

/** Disables all webhooks of a system that is deleted: nothing is sent to them any more. */
export async function disableWebhooksOf(tx: Db, systemId: string): Promise<void> {
  await tx.update(webhooks).set({ enabled: false }).where(eq(webhooks.systemId, systemId))
}

/** Deletes up to `limit` deliveries to the webhooks of a system, and returns their number. */
export async function deleteDeliveriesOf(tx: Db, systemId: string, limit: number): Promise<number> {
  const some = sql`select d.id from deliveries d join webhooks w on w.id = d.webhook_id
    where w.system_id = ${systemId} limit ${limit}`
  const deleted = await tx
    .delete(deliveries)
    .where(sql`${deliveries.id} in (${some})`)
    .returning({ id: deliveries.id })
  return deleted.length
}

/** Throws `webhook_not_found`, also if it belongs to another system or is outside the reach. */
export async function findWebhook(db: Db, reach: Reach, systemId: string, id: string): Promise<Webhook> {
  const [webhook] = await db
    .select(columns)
    .from(webhooks)
    .where(one(reach, systemId, id))
  if (!webhook) throw new Failure('webhook_not_found')
  return webhook
}

/** Finds a webhook, and locks the row. */
export async function lockWebhook(tx: Db, reach: Reach, systemId: string, id: string): Promise<Webhook> {
  const [webhook] = await tx
    .select(columns)
    .from(webhooks)
    .where(one(reach, systemId, id))
    .for('update')
  if (!webhook) throw new Failure('webhook_not_found')
  return webhook
}

type NewWebhook = WebhookInput &
  Pick<typeof webhooks.$inferInsert, 'id' | 'systemId' | 'sealedSecret' | 'followed'>

/**
 * The system is row-locked. Throws `limit_reached`. `followed`: the position of the log after which the
 * webhook receives events.
 */
export async function insertWebhook(tx: Db, webhook: NewWebhook): Promise<Webhook> {
  const others = sql<number>`(select count(*)::int from webhooks o where o.system_id = ${webhook.systemId})`
  const [inserted] = await tx
    .insert(webhooks)
    .values(webhook)
    .returning({ ...columns, others })
  const { others: before, ...created } = inserted!
  demandQuota('webhooksOfSystem', before + 1)
  return created
}

/** Updates a row-locked webhook. */
export async function updateWebhook(tx: Db, id: string, patch: Partial<WebhookInput>): Promise<Webhook> {
  const [webhook] = await tx
    .update(webhooks)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(webhooks.id, id))
    .returning(columns)
  return webhook!
}

/**
 * Resets the failures of a webhook and makes its pending deliveries due now. With `followed`, events up to
 * this position are skipped.
 */
export async function resetFailures(tx: Db, id: string, followed?: number): Promise<void> {
  await tx
    .update(deliveries)
    .set({ nextAttemptAt: sql`now()` })
    .where(and(eq(deliveries.webhookId, id), sql`status = 'pending'`))
  await tx
    .update(webhooks)
    .set({
      disabledReason: null,
      failures: 0,
      failingSince: null,
      pausedUntil: null,
      dueAt: sql`now()`,
      urgentFailures: 0,
      urgentPausedUntil: null,
      urgentDueAt: sql`now()`,
      ...(followed !== undefined && { followed: sql`greatest(${webhooks.followed}, ${followed})` }),
    })
    .where(eq(webhooks.id, id))
}

/** Replaces the secret of a row-locked webhook. The old secret signs as well for `graceSeconds`. */
export async function updateWebhookSecret(
  tx: Db,
  id: string,
  sealedSecret: Buffer,
  graceSeconds: number,
): Promise<void> {
  const grace = graceSeconds > 0
  await tx
    .update(webhooks)
    .set({
      sealedSecret,
      previousSealedSecret: grace ? sql`${webhooks.sealedSecret}` : null,
      previousSecretUntil: grace ? sql`now() + make_interval(secs => ${graceSeconds})` : null,
      updatedAt: sql`now()`,
    })
    .where(eq(webhooks.id, id))
}

/** Deletes up to `limit` deliveries of a webhook with their attempts, and returns the number deleted. */
export async function deleteDeliveries(tx: Db, webhookId: string, limit: number): Promise<number> {
  const some = sql`select id from ${deliveries} where webhook_id = ${webhookId} limit ${limit}`
  return rowsOf(await tx.execute(sql`delete from ${deliveries} where id in (${some}) returning 1`)).length
}

/** Deletes a webhook with its remaining deliveries. */
export async function deleteWebhook(tx: Db, id: string): Promise<void> {
  await tx.delete(webhooks).where(eq(webhooks.id, id))
}

const AGAIN = sql`status = 'pending', attempts = 0, next_attempt_at = now(), finished_at = null`
const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows

/** Queues a delivery again. Throws `delivery_not_found`, also if it belongs to another webhook. */
export async function requeue(tx: Db, webhookId: string, id: string): Promise<void> {
  const found = await tx.execute(
    sql`update ${deliveries} set ${AGAIN} where id = ${id} and webhook_id = ${webhookId} returning event_seq`,
  )
  if (rowsOf(found).length === 0) throw new Failure('delivery_not_found')
  await makeDue(tx, webhookId)
}

export type Requeued = { queued: number; last: number | null }

/**
 * Queues the events of the log for a webhook after a position, up to the position that the worker has queued,
 * also those that were delivered. Scans `limit` events; `last` is the position of the last one if there may
 * be more, otherwise null.
 */
export async function requeueSince(
  tx: Db,
  webhook: Webhook,
  after: number,
  limit: number,
): Promise<Requeued> {
  const done = await tx.execute(sql`
    with found as (
      select e.seq, e.id, e.position, e.type, ${orderOf(sql`e`)} as ordered_by
      from ${events} e, ${webhooks} w
      where w.id = ${webhook.id} and e.system_id = w.system_id and e.position > ${after}
        and (e.position <= w.followed or ${isUrgent(sql`e.type`)} and e.position <= w.followed_urgent)
      order by e.position limit ${limit}
    ), queued as (
      insert into ${deliveries} (webhook_id, event_seq, ordered_by, urgency)
      select ${webhook.id}::uuid, seq, ordered_by, ${urgencyOf(sql`type`)} from found where ${wanted(webhook.events)}
      on conflict on constraint deliveries_once do update set ${AGAIN}
      returning 1
    )
    select (select count(*)::int from queued) as queued,
      (select case when count(*) = ${limit} then max(position)::float8 end from found) as last`)
  await tx.execute(sql`
    update ${deliveries} d set status = 'superseded', finished_at = now() from ${events} e
    where d.webhook_id = ${webhook.id} and d.status = 'pending' and d.urgency = 0
      and e.seq = d.event_seq and ${isVoidable(sql`e.type`)} and exists (
        select from ${deliveries} u where u.webhook_id = ${webhook.id} and u.urgency > 0 and u.urgency = 2
          and u.ordered_by = d.ordered_by and u.event_seq > d.event_seq)`)
  await makeDue(tx, webhook.id)
  return rowsOf<Requeued>(done)[0]!
}

/** The condition that a webhook receives events of the `type`. An empty list means all types. */
const wanted = (kinds: string[]): SQL =>
  kinds.length === 0 ? sql`true` : sql`type = any(${sql.param(kinds)}::text[])`

/** Queues an event that only this webhook receives, and returns its id. */
export async function insertTestDelivery(
  tx: Db,
  webhookId: string,
  type: string,
  data: Record<string, unknown>,
): Promise<string> {
  const event = await insertUnlistedEvent(tx, type, data)
  await tx.insert(deliveries).values({ webhookId, eventSeq: event.seq, orderedBy: event.id })
  await makeDue(tx, webhookId)
  return event.id
}

/**
 * Makes the webhook due. Call it after inserting the deliveries: a worker that releases its lease then either
 * sees them or waits for this row (jobs/webhooks/queries.ts).
 */
async function makeDue(tx: Db, id: string): Promise<void> {
  await tx.update(webhooks).set({ dueAt: sql`now()`, urgentDueAt: sql`now()` }).where(eq(webhooks.id, id))
}
