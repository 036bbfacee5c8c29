/** SQL statements that read deliveries, their attempts, and the state of webhooks. */
import type { Db } from '../../database/database.ts'
import { and, eq, getTableColumns, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { deliveries, deliveryAttempts, events, webhooks } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'
import { columns, systemOfWebhook, type Webhook } from './queries.ts'

/** `from` is inclusive, `to` exclusive; times of the event. */
type DeliveryFilter = {
  status?: (typeof deliveries.$inferSelect)['status'] | undefined
  type?: string | undefined
  eventId?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

const deliveryColumns = {
  ...getTableColumns(deliveries),
  eventId: events.id,
  type: events.type,
  time: events.time,
  data: events.data,
}
/** A delivery with the data of its event. */
export type Delivery = typeof deliveries.$inferSelect &
  Pick<typeof events.$inferSelect, 'type' | 'time'> & { eventId: string; data: Record<string, unknown> }

/** The condition on the event of a delivery. Test events have no system. */
function eventCondition(systemId: string, { type, eventId, from, to }: DeliveryFilter): SQL | undefined {
  const found = and(
    type === undefined
      ? undefined
      : sql`e.type = ${type} and e.system_id is not distinct from ${type === 'webhook.test' ? null : systemId}::uuid`,
    eventId === undefined ? undefined : sql`e.id = ${eventId}`,
    from === undefined ? undefined : sql`e.time >= ${from.toISOString()}`,
    to === undefined ? undefined : sql`e.time < ${to.toISOString()}`,
  )
  return found && sql`exists (select from events e where e.seq = deliveries.event_seq and ${found})`
}

/** A page of the deliveries of a webhook, those of the newest events first, and how many there are. */
export function listDeliveries(
  db: Db,
  { id, systemId }: Pick<Webhook, 'id' | 'systemId'>,
  page: PageRequest & DeliveryFilter,
): Promise<Listed<Delivery>> {
  const { status } = page
  const found = and(
    eq(deliveries.webhookId, id),
    // The value is text, not a parameter: the planner must see that the index of this status fits.
    status && sql.raw(`status = '${status}'`),
    eventCondition(systemId, page),
  )
  const all = sql`select id, ${deliveries.eventSeq} as time from ${deliveries} where ${found}`
  return listPage(db, page, { all, isPosition: true }, (ids) =>
    db
      .select(deliveryColumns)
      .from(deliveries)
      .innerJoin(events, eq(events.seq, deliveries.eventSeq))
      .where(inArray(deliveries.id, ids)),
  )
}

/** Throws `delivery_not_found`. */
export async function findDelivery(db: Db, webhookId: string, id: string): Promise<Delivery> {
  const [delivery] = await db
    .select(deliveryColumns)
    .from(deliveries)
    .innerJoin(events, eq(events.seq, deliveries.eventSeq))
    .where(and(eq(deliveries.id, id), eq(deliveries.webhookId, webhookId)))
  if (!delivery) throw new Failure('delivery_not_found')
  return delivery
}

export type DeliveryAttempt = typeof deliveryAttempts.$inferSelect

/** The newest `limit` attempts of each of these deliveries, oldest first. */
export async function listAttempts(db: Db, deliveryIds: string[], limit: number): Promise<DeliveryAttempt[]> {
  if (deliveryIds.length === 0) return []
  const columns = getTableColumns(deliveryAttempts)
  const ranked = db
    .select({
      ...columns,
      rank: sql<number>`row_number() over (partition by ${columns.deliveryId} order by ${columns.startedAt} desc)`.as(
        'rank',
      ),
    })
    .from(deliveryAttempts)
    .where(inArray(columns.deliveryId, deliveryIds))
    .as('ranked')
  return db.select().from(ranked).where(sql`${ranked.rank} <= ${limit}`).orderBy(ranked.startedAt)
}

/** Deliveries are counted up to this number. */
export const DELIVERIES_COUNTED_MAX = 10_000

export type WebhookStateValue = 'ok' | 'paused' | 'failing' | 'disabled'

const stateColumn = sql<WebhookStateValue>`case when not webhooks.enabled then 'disabled' when webhooks.failing_since is not null then 'failing'
  when webhooks.paused_until > now() then 'paused' else 'ok' end`

const countOf = (condition: SQL) =>
  sql<number>`(select count(*)::int from (select from deliveries d where d.webhook_id = webhooks.id and ${condition}
    limit ${DELIVERIES_COUNTED_MAX}) d)`
const finished = (as: 'delivered' | 'failed') =>
  countOf(sql`d.status = ${sql.raw(`'${as}'`)} and d.finished_at > now() - interval '24 hours'`)

const stateColumns = {
  ...columns,
  state: stateColumn,
  failingSince: webhooks.failingSince,
  pausedUntil: webhooks.pausedUntil,
  delivered: finished('delivered'),
  failed: finished('failed'),
  pending: countOf(sql`d.status = 'pending'`),
  oldestPendingAt: sql<Date | null>`(select d.created_at from deliveries d
    where d.webhook_id = webhooks.id and d.status = 'pending' order by d.event_seq limit 1)`.mapWith(
    deliveries.createdAt,
  ),
}

export type WebhookState = Webhook & {
  state: WebhookStateValue
  failingSince: Date | null
  pausedUntil: Date | null
  delivered: number
  failed: number
  pending: number
  oldestPendingAt: Date | null
}

/** A page of the webhooks in reach with their state and the numbers of their deliveries, newest first. */
export function listStates(
  db: Db,
  reach: Reach,
  {
    state,
    systemId,
    ...page
  }: PageRequest & { state?: WebhookStateValue | undefined; systemId?: string | undefined },
): Promise<Listed<WebhookState>> {
  const found = and(
    within(reach, { system: webhooks.systemId, account: 'none' }),
    systemOfWebhook,
    systemId === undefined ? undefined : eq(webhooks.systemId, systemId),
    state && sql`${stateColumn} = ${state}`,
  )
  const matching = {
    all: sql`select id, ${webhooks.createdAt} as time from ${webhooks} where ${found ?? sql`true`}`,
  }
  return listPage(db, page, matching, (ids) =>
    db.select(stateColumns).from(webhooks).where(inArray(webhooks.id, ids)),
  )
}
