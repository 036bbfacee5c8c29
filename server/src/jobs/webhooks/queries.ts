/**
 * Every SQL statement of the sending. A process takes a webhook, not a delivery: whoever has its lease is the only one to
 * queue for it and to send to it, so order and bounds are kept without a word between processes.
 */
import type { Db } from '../../database/database.ts'
import { deliveries, deliveryAttempts, events, webhooks } from '../../database/schema.ts'
import { type SQL, sql } from '../../tuning/drizzle.ts'
import type { Health, Outcome, Verdict } from './outcomes.ts'

/** 30 s: longer than one round can take (deliver.ts), so that two processes never send to one receiver. */
const LEASE = sql`interval '30 seconds'`
/** Nothing but failures for so long disables a webhook. */
const FAILING_MAX = sql`interval '5 days'`
/** Events of the log that are looked through at a time. */
const LOOKED_THROUGH_MAX = 1_000

const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows

export type Held = {
  id: string
  lease: string
  systemId: string
  url: string
  failures: number
  sealedSecret: Buffer
  /** While it still signs too. */
  previousSealedSecret: Buffer | null
}

/**
 * Takes up to `limit` webhooks that have something to send, longest unserved first, out of everybody else's sight. They
 * stay due: who dies with them leaves what it has queued to the next.
 */
export async function claimWebhooks(db: Db, limit: number): Promise<Held[]> {
  const claimed = await db.execute(sql`
    with ready as (
      select id from ${webhooks} w
      where enabled and coalesce(leased_until <= now(), true) and coalesce(paused_until <= now(), true)
        and (due_at <= now() or exists (select from ${events} e where e.system_id = w.system_id and e.position > w.followed))
      order by leased_until nulls first limit ${limit} for update skip locked
    )
    update ${webhooks} w set lease = gen_random_uuid(), leased_until = now() + ${LEASE}, due_at = now()
    from ready where w.id = ready.id
    returning w.id, w.lease, w.system_id as "systemId", w.url, w.failures, w.sealed_secret as "sealedSecret",
      case when w.previous_secret_until > now() then w.previous_sealed_secret end as "previousSealedSecret"`)
  return rowsOf<Held>(claimed).map((held) => ({
    ...held,
    sealedSecret: Buffer.from(held.sealedSecret),
    previousSealedSecret: held.previousSealedSecret && Buffer.from(held.previousSealedSecret),
  }))
}

/**
 * Queues what the log has for a webhook after what was queued last, `wait` seconds from now. What it asks for is read with
 * the log: who sees an event sees also every change of the webhook that was made before.
 */
export async function queueEvents(db: Db, webhook: Held, wait: number): Promise<void> {
  await db.execute(sql`
    with found as (
      select e.seq, e.position, coalesce(e.membership_id, e.user_id, e.account_id, e.id) as ordered_by,
        w.events = '{}' or e.type = any(w.events) as wanted
      from ${events} e join ${webhooks} w on w.id = ${webhook.id} and w.lease = ${webhook.lease} and w.enabled
      where e.system_id = w.system_id and e.position > w.followed
      order by e.position limit ${LOOKED_THROUGH_MAX}
    ), queued as (
      insert into ${deliveries} (webhook_id, event_seq, ordered_by, next_attempt_at)
      select ${webhook.id}::uuid, seq, ordered_by, now() + make_interval(secs => ${wait}) from found where wanted
      on conflict on constraint deliveries_once do nothing
    )
    update ${webhooks} set followed = greatest(followed, (select max(position) from found)) where id = ${webhook.id}`)
}

export type Due = {
  id: string
  /** Before the next one. */
  attempts: number
  orderedBy: string
  event: { id: string; type: string; time: Date; data: Record<string, unknown> }
}

type DueRow = Omit<Due, 'event'> & {
  eventId: string
  type: string
  time: Date | string
  data: Record<string, unknown>
}

/** Up to `limit` deliveries that may be sent now, in order: none of whose kin one waits for its next attempt. */
export async function readDue(db: Db, webhookId: string, limit: number): Promise<Due[]> {
  const pending = sql`d.webhook_id = ${webhookId} and d.status = 'pending'`
  const found = await db.execute(sql`
    select d.id, d.attempts, d.ordered_by as "orderedBy", e.id as "eventId", e.type, e.time, e.data
    from ${deliveries} d join ${events} e on e.seq = d.event_seq
    where ${pending} and d.next_attempt_at <= now()
      and d.ordered_by not in (select d.ordered_by from ${deliveries} d where ${pending} and d.next_attempt_at > now())
    order by d.event_seq limit ${limit}`)
  return rowsOf<DueRow>(found).map(({ eventId, type, time, data, ...delivery }) => ({
    ...delivery,
    event: { id: eventId, type, time: new Date(time), data },
  }))
}

/** `agoMs`: how long before the note the attempt began, since the time is the database's to say. */
export type Noted = Verdict &
  Pick<Outcome, 'error' | 'answer'> & { id: string; http: number | null; agoMs: number; durationMs: number }

/** Before its deliveries, in the order in which the admin API locks them: otherwise each would wait for the other. */
export async function holdWebhook(tx: Db, id: string): Promise<void> {
  await tx.execute(sql`select from ${webhooks} where id = ${id} for no key update`)
}

/** Writes down what came of attempts, in one statement. */
export async function noteAttempts(tx: Db, noted: Noted[]): Promise<void> {
  if (noted.length === 0) return
  await tx.execute(sql`
    with noted as (
      select n.* from jsonb_to_recordset(${JSON.stringify(noted)}::jsonb) as n(
        id uuid, status text, wait float8, http int, error text, answer text, "agoMs" float8, "durationMs" int)
      join ${deliveries} d on d.id = n.id
    ), kept as (
      insert into ${deliveryAttempts} (delivery_id, started_at, duration_ms, status, error, answer)
      select id, clock_timestamp() - make_interval(secs => "agoMs" / 1000), "durationMs", http, error, answer from noted
    )
    update ${deliveries} d set status = noted.status, attempts = d.attempts + 1,
      next_attempt_at = now() + make_interval(secs => noted.wait),
      finished_at = case when noted.status <> 'pending' then now() end
    from noted where d.id = noted.id`)
}

/**
 * Notes how the receiver fares and gives the webhook back. `more`: there is something to send at once. Answers why it
 * has to be disabled, if so.
 */
export async function releaseWebhook(
  tx: Db,
  { id, lease }: Held,
  { failures, succeeded, recovered, gone, pause }: Health,
  more: boolean,
): Promise<'gone' | 'failing' | undefined> {
  const released = await tx.execute(sql`
    update ${webhooks} set
      leased_until = now(),
      failures = ${failures}::int,
      failing_since = case when ${failures}::int > 0 then ${succeeded ? sql`now()` : sql`coalesce(failing_since, now())`} end,
      paused_until = now() + make_interval(secs => ${pause})
    where id = ${id} and lease = ${lease}
    returning enabled and failures > 0 and failing_since <= now() - ${FAILING_MAX} as failing, enabled`)
  const [state] = rowsOf<{ failing: boolean; enabled: boolean }>(released)
  if (!state) return undefined // the lease was over, and it is another's now
  if (recovered)
    await tx.execute(sql`
      update ${deliveries} set next_attempt_at = now() where webhook_id = ${id} and status = 'pending' and next_attempt_at > now()`)
  // Its row is held since the statement before: who has queued meanwhile is seen here, who queues now says so afterwards.
  await tx.execute(
    sql`update ${webhooks} set due_at = ${more || recovered ? sql`now()` : nextDue(id)} where id = ${id}`,
  )
  if (!state.enabled) return undefined
  return gone ? 'gone' : state.failing ? 'failing' : undefined
}

/** When the first of what is queued may be sent: of each kin, when the last of them may (readDue). */
const nextDue = (id: string): SQL => sql`(
  select min(due) from (
    select max(next_attempt_at) as due from ${deliveries} where webhook_id = ${id} and status = 'pending' group by ordered_by
  ) as kin)`

/** Disables a webhook that the transaction holds. What waits stays queued. */
export async function disableWebhook(tx: Db, id: string, reason: 'gone' | 'failing'): Promise<void> {
  await tx.execute(sql`
    update ${webhooks} set enabled = false, disabled_reason = ${reason}, updated_at = now() where id = ${id}`)
}
