/**
 * The SQL of the webhook queue. A process leases a webhook, not a delivery: only the process with the lease
 * queues and sends its deliveries, which keeps their order and the limit of concurrent calls without
 * coordination.
 */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { deliveries, deliveryAttempts, events, webhooks } from '../../database/schema.ts'
import type { DeliveryOutcome, DeliveryVerdict, Health } from './outcomes.ts'
import { isUrgent, isVoidable, orderOf, urgencyOf } from './urgency.ts'

/** 30 s: longer than one round (deliver.ts), so that no two processes send to one receiver. */
const LEASE = sql`interval '30 seconds'`
/** A webhook that only fails for so long is disabled. */
const FAILING_MAX = sql`interval '5 days'`
/** Events of the log that are read at a time. */
const EVENTS_MAX = 1_000
/** With more pending deliveries, further events of the webhook stay in the log. */
const PENDING_MAX = 10_000

const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows

export type LeasedWebhook = {
  id: string
  lease: string
  systemId: string
  url: string
  failures: number
  urgentFailures: number
  /** Only urgent deliveries are sent. */
  isPaused: boolean
  sealedSecret: Buffer
  /** Null once it no longer signs. */
  previousSealedSecret: Buffer | null
}

/** Webhooks of one system that are served at the same time: slow receivers of one leave room for others. */
const PER_SYSTEM = 8

/** Checked again when the row is locked: another process may have leased it meanwhile. */
const isFree = (pausedUntil: SQL) =>
  sql`w.enabled and coalesce(w.leased_until <= now(), true) and coalesce(${pausedUntil} <= now(), true)`

/** Which webhooks have something to send. A receiver that refuses other events still gets urgent ones. */
const LANES = {
  urgent: {
    free: isFree(sql`w.urgent_paused_until`),
    due: sql`urgent_due_at <= now() or exists (select from ${events} e where e.system_id = w.system_id
      and e.position is not null and ${isUrgent(sql`e.type`)}
      and e.position > greatest(w.followed, w.followed_urgent))`,
    most: 2 * PER_SYSTEM,
  },
  all: {
    free: isFree(sql`w.paused_until`),
    due: sql`due_at <= now() or exists (
        select from ${events} e where e.system_id = w.system_id and e.position > w.followed)`,
    most: PER_SYSTEM,
  },
}

/**
 * Leases up to `limit` webhooks with something to send: in turn those of each system, at most PER_SYSTEM of
 * it, and of a system the least recently served first. They stay due, so that if the process dies the next
 * one sends what it had queued.
 */
export async function claimWebhooks(
  db: Db,
  limit: number,
  lane: keyof typeof LANES = 'all',
): Promise<LeasedWebhook[]> {
  const { free, due, most } = LANES[lane]
  const claimed = await db.execute(sql`
    with busy as (
      select system_id, count(*) as leased from ${webhooks} where leased_until > now() group by system_id
    ), due as (
      select w.id, w.leased_until, coalesce(busy.leased, 0)
        + row_number() over (partition by w.system_id order by w.leased_until nulls first) as turn
      from ${webhooks} w left join busy using (system_id)
      where ${free} and (${due})
    ), ready as (
      select w.id from ${webhooks} w join due using (id)
      where ${free} and due.turn <= ${most}
      order by due.turn, due.leased_until nulls first limit ${limit} for update of w skip locked
    )
    update ${webhooks} w set lease = gen_random_uuid(), leased_until = now() + ${LEASE}, due_at = now(),
      urgent_due_at = now()
    from ready where w.id = ready.id
    returning w.id, w.lease, w.system_id as "systemId", w.url, w.failures, w.urgent_failures as "urgentFailures",
      coalesce(w.paused_until > now(), false) as "isPaused", w.sealed_secret as "sealedSecret",
      case when w.previous_secret_until > now() then w.previous_sealed_secret end as "previousSealedSecret"`)
  return rowsOf<LeasedWebhook>(claimed).map((row) => ({
    ...row,
    sealedSecret: Buffer.from(row.sealedSecret),
    previousSealedSecret: row.previousSealedSecret && Buffer.from(row.previousSealedSecret),
  }))
}

/**
 * Inserts deliveries of the events that follow the last one queued, due in `wait` seconds; those that a later
 * one makes void are marked as superseded. The event filter is read in the same statement as the log, so that
 * it includes every change made before an event. Returns whether it has inserted none because too many are
 * pending.
 */
export async function queueEvents(db: Db, webhook: LeasedWebhook, wait: number): Promise<boolean> {
  const result = await db.execute(sql`
    with pending as materialized (
      select exists (select from ${deliveries} where webhook_id = ${webhook.id} and status = 'pending'
        offset ${PENDING_MAX}) as "full"
    ), found as materialized (
      select e.seq, e.position, ${orderOf(sql`e`)} as ordered_by, ${urgencyOf(sql`e.type`)} as urgency,
        ${isVoidable(sql`e.type`)} as voidable, w.events = '{}' or e.type = any(w.events) as wanted
      from ${events} e join ${webhooks} w on w.id = ${webhook.id} and w.lease = ${webhook.lease} and w.enabled
      where e.system_id = w.system_id and e.position > w.followed and not (select "full" from pending)
      order by e.position limit ${EVENTS_MAX}
    ), queued as (
      insert into ${deliveries} (webhook_id, event_seq, ordered_by, urgency, next_attempt_at, status, finished_at)
      select ${webhook.id}::uuid, seq, ordered_by, urgency, now() + make_interval(secs => ${wait}),
        case when void then 'superseded' else 'pending' end, case when void then now() end
      from (select found.*, voidable and (
          exists (select from found f where f.ordered_by = found.ordered_by and f.urgency = 2 and f.wanted
            and f.seq > found.seq)
          or exists (select from ${deliveries} d where d.webhook_id = ${webhook.id} and d.urgency > 0
            and d.ordered_by = found.ordered_by and d.urgency = 2 and d.event_seq > found.seq)) as void
        from found where wanted) wanted
      on conflict on constraint deliveries_once do nothing
    ), voided as (${supersede(webhook.id, sql`(select * from found where wanted)`)})
    update ${webhooks} set followed = greatest(followed, (select max(position) from found))
    where id = ${webhook.id} returning (select "full" from pending) as "isFull"`)
  return rowsOf<{ isFull: boolean }>(result)[0]?.isFull ?? false
}

/** Marks the pending deliveries that events of `ending` make void. */
const supersede = (webhookId: string, ending: SQL): SQL => sql`
  update ${deliveries} d set status = 'superseded', finished_at = now()
  from ${ending} ending, ${events} e
  where d.webhook_id = ${webhookId} and d.status = 'pending' and d.urgency = 0 and ending.urgency = 2
    and d.ordered_by = ending.ordered_by and d.event_seq < ending.seq
    and e.seq = d.event_seq and ${isVoidable(sql`e.type`)}
  returning d.id`

/**
 * Queues the urgent events of the log that follow, before the others and however many of these are pending,
 * and extends the lease. Returns the deliveries that they make void.
 */
export async function queueUrgent(db: Db, webhook: LeasedWebhook): Promise<string[]> {
  const result = await db.execute(sql`
    with found as materialized (
      select e.seq, e.position, ${orderOf(sql`e`)} as ordered_by, ${urgencyOf(sql`e.type`)} as urgency,
        w.events = '{}' or e.type = any(w.events) as wanted
      from ${events} e join ${webhooks} w on w.id = ${webhook.id} and w.lease = ${webhook.lease} and w.enabled
      where e.system_id = w.system_id and e.position is not null and ${isUrgent(sql`e.type`)}
        and e.position > greatest(w.followed, w.followed_urgent)
      order by e.position limit ${EVENTS_MAX}
    ), queued as (
      insert into ${deliveries} (webhook_id, event_seq, ordered_by, urgency)
      select ${webhook.id}::uuid, seq, ordered_by, urgency from found where wanted
      on conflict on constraint deliveries_once do nothing
    ), voided as (${supersede(webhook.id, sql`(select * from found where wanted)`)})
    update ${webhooks} set followed_urgent = greatest(followed_urgent, (select max(position) from found)),
      leased_until = now() + ${LEASE}
    where id = ${webhook.id} and lease = ${webhook.lease}
    returning (select coalesce(jsonb_agg(id), '[]') from voided) as voided`)
  return rowsOf<{ voided: string[] }>(result)[0]?.voided ?? []
}

export type Due = {
  id: string
  /** Made before. */
  attempts: number
  /** The ordering key: deliveries with the same one are sent in sequence. */
  orderedBy: string
  event: { id: string; type: string; time: Date; data: Record<string, unknown> }
}

type DueRow = Omit<Due, 'event'> & {
  eventId: string
  type: string
  time: Date | string
  data: Record<string, unknown>
}

/**
 * Up to `limit` deliveries that are due, in order: no earlier delivery with the same ordering key is pending.
 * Urgent ones overtake the others of their key, which wait for earlier urgent ones.
 */
export async function readDue(
  db: Db,
  webhookId: string,
  limit: number,
  { urgent }: { urgent: boolean },
): Promise<Due[]> {
  const lane = urgent ? sql`d.urgency > 0` : sql`d.urgency = 0`
  const pending = sql`d.webhook_id = ${webhookId} and d.status = 'pending'`
  const isFirst = urgent
    ? sql`true`
    : sql`not exists (select from ${deliveries} u where u.webhook_id = ${webhookId} and u.urgency > 0
        and u.ordered_by = d.ordered_by and u.event_seq < d.event_seq and u.status = 'pending')`
  const found = await db.execute(sql`
    select d.id, d.attempts, d.ordered_by as "orderedBy", e.id as "eventId", e.type, e.time, e.data
    from ${deliveries} d join ${events} e on e.seq = d.event_seq
    where ${pending} and ${lane} and d.next_attempt_at <= now() and ${isFirst}
      and d.ordered_by not in (
        select d.ordered_by from ${deliveries} d where ${pending} and ${lane} and d.next_attempt_at > now())
    order by d.event_seq limit ${limit}`)
  return rowsOf<DueRow>(found).map(({ eventId, type, time, data, ...delivery }) => ({
    ...delivery,
    event: { id: eventId, type, time: new Date(time), data },
  }))
}

/** `agoMs`: the age of the attempt, since its time is stored by the database clock. */
export type AttemptResult = DeliveryVerdict &
  Pick<DeliveryOutcome, 'error' | 'answer'> & {
    id: string
    http: number | null
    agoMs: number
    durationMs: number
  }

/** Call it before locking deliveries: the admin API locks in this order too, which prevents deadlocks. */
export async function lockWebhookRow(tx: Db, id: string): Promise<void> {
  await tx.execute(sql`select from ${webhooks} where id = ${id} for no key update`)
}

/** Stores the results of attempts, in one statement. */
export async function insertAttempts(tx: Db, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return
  await tx.execute(sql`
    with results as (
      select n.* from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as n(
        id uuid, status text, wait float8, http int, error text, answer text,
        "agoMs" float8, "durationMs" int)
      join ${deliveries} d on d.id = n.id
    ), attempts as (
      insert into ${deliveryAttempts} (delivery_id, started_at, duration_ms, status, error, answer)
      select id, clock_timestamp() - make_interval(secs => "agoMs" / 1000), "durationMs", http, error, answer
      from results
    )
    update ${deliveries} d set attempts = d.attempts + 1,
      status = case when d.status = 'superseded' then d.status else results.status end,
      next_attempt_at = now() + make_interval(secs => results.wait),
      finished_at = case when d.status = 'superseded' or results.status <> 'pending' then now() end
    from results where d.id = results.id`)
}

/** The outcomes of urgent deliveries, and of the others unless the webhook was paused. */
export type LaneHealth = { urgent: Health; others: Health | undefined }

/**
 * Stores the health of the receiver and ends the lease. `more`: there are further deliveries to send at once.
 * Returns the reason if the webhook must be disabled.
 */
export async function releaseWebhook(
  tx: Db,
  { id, lease }: LeasedWebhook,
  { urgent, others }: LaneHealth,
  more: boolean,
): Promise<'gone' | 'failing' | undefined> {
  const succeeded = urgent.succeeded || others?.succeeded === true
  const failingSince = succeeded ? sql`now()` : sql`coalesce(failing_since, now())`
  const failures = others ? sql`${others.failures}::int` : sql`failures`
  const released = await tx.execute(sql`
    update ${webhooks} set
      leased_until = now(),
      failures = ${failures},
      urgent_failures = ${urgent.failures}::int,
      failing_since = case when ${failures} + ${urgent.failures}::int > 0 then ${failingSince} end,
      paused_until = ${others ? sql`now() + make_interval(secs => ${others.pause})` : sql`paused_until`},
      urgent_paused_until = now() + make_interval(secs => ${urgent.pause})
    where id = ${id} and lease = ${lease}
    returning enabled and failing_since <= now() - ${FAILING_MAX} as failing, enabled`)
  const [state] = rowsOf<{ failing: boolean; enabled: boolean }>(released)
  if (!state) return undefined // another process has leased it since
  if (others?.recovered)
    await tx.execute(sql`
      update ${deliveries} set next_attempt_at = now()
      where webhook_id = ${id} and status = 'pending' and next_attempt_at > now()`)
  // The row is locked by the update above: deliveries queued until then are visible here, later ones set
  // due_at themselves.
  const isSoon = more || others?.recovered === true
  await tx.execute(sql`
    update ${webhooks} set due_at = ${isSoon ? sql`now()` : nextDue(id, sql`bool_or(urgency = 0)`)},
      urgent_due_at = ${nextDue(id, sql`bool_or(urgency > 0)`)}
    where id = ${id}`)
  if (!state.enabled) return undefined
  return urgent.gone || others?.gone ? 'gone' : state.failing ? 'failing' : undefined
}

/**
 * When the first pending delivery of a kind is due: for each ordering key that has one, when the last of its
 * deliveries is (readDue).
 */
const nextDue = (id: string, kind: SQL): SQL => sql`(
  select min(due) from (
    select max(next_attempt_at) as due from ${deliveries}
    where webhook_id = ${id} and status = 'pending' group by ordered_by having ${kind}
  ) as by_key)`

/** Disables a webhook that the transaction has locked. Its deliveries stay queued. */
export async function disableWebhook(tx: Db, id: string, reason: 'gone' | 'failing'): Promise<void> {
  await tx.execute(sql`
    update ${webhooks} set enabled = false, disabled_reason = ${reason}, updated_at = now() where id = ${id}`)
}
