/**
 * Every SQL statement that deletes what is over. Each takes a bounded number of rows by an index and passes over the rows
 * that somebody holds, so that nobody waits for it longer than one batch takes.
 */
import type { Config } from '../../config.ts'
import type { Db } from '../../database/database.ts'
import {
  artifacts,
  audit,
  deliveries,
  events,
  idempotencyKeys,
  limits,
  logoutNotices,
  mail,
  oneTimeTokens,
  revokedTokens,
  sessions,
  webhooks,
} from '../../database/schema.ts'
import { type AnyPgColumn, type SQL, sql, type Table } from '../../tuning/drizzle.ts'

/** Any fixed number: processes take turns on it. */
const RETENTION_LOCK = 7_236_112
/** 5 minutes, in seconds: what has expired may still be in the hands of a request that found it alive. */
const IN_HAND = 300
/** In seconds. */
const DAY = 86_400

/** What is over in a table: found by an index on `by`. */
export type Overdue = { table: Table; by: AnyPgColumn | SQL; over: SQL }

export type Lifetimes = Pick<
  Config,
  | 'RETENTION_EVENTS_DAYS'
  | 'RETENTION_DELIVERIES_DAYS'
  | 'RETENTION_AUDIT_DAYS'
  | 'RETENTION_SESSIONS_DAYS'
  | 'RETENTION_MAIL_DAYS'
>

/** The rows of a table whose time, by the database's clock, was over so many seconds ago. */
const past = (table: Table, by: AnyPgColumn | SQL, seconds: number, and: SQL = sql`true`): Overdue => ({
  table,
  by,
  over: sql`${by} <= now() - make_interval(secs => ${seconds}) and ${and}`,
})

/** What is over in each table, but for the log of events. Users, accounts, memberships and consents never are. */
export function overdue(kept: Lifetimes): Overdue[] {
  const inMs = sql`(extract(epoch from now()) * 1000)::bigint`
  const done = sql`status <> 'pending'`
  return [
    // Used codes and refresh tokens stay until they would have expired: as long as one may be tried again (RFC 9700 section 4.14.2).
    past(artifacts, artifacts.expiresAt, IN_HAND),
    past(revokedTokens, revokedTokens.expiresAt, IN_HAND),
    past(idempotencyKeys, idempotencyKeys.expiresAt, IN_HAND),
    { table: limits, by: limits.expire, over: sql`${limits.expire} <= ${inMs}` },
    past(oneTimeTokens, oneTimeTokens.expiresAt, DAY),
    past(logoutNotices, logoutNotices.nextAttemptAt, DAY, sql`${logoutNotices.expiresAt} <= now()`), // that no worker gave up
    past(
      sessions,
      sql`least(${sessions.expiresAt}, ${sessions.endedAt})`,
      kept.RETENTION_SESSIONS_DAYS * DAY,
      speaksForNobody,
    ),
    past(mail, mail.createdAt, kept.RETENTION_MAIL_DAYS * DAY, done),
    ...unlessForEver(kept.RETENTION_DELIVERIES_DAYS, (seconds) =>
      past(deliveries, deliveries.finishedAt, seconds, done),
    ),
    ...unlessForEver(kept.RETENTION_AUDIT_DAYS, (seconds) => past(audit, audit.time, seconds)),
  ]
}

const unlessForEver = (days: number, rule: (seconds: number) => Overdue) =>
  days === 0 ? [] : [rule(days * DAY)]

/** One that an administrator has ended keeps older ones of its browser from signing in while they live (`overtaken`). */
const speaksForNobody = sql`not (${sessions.endReason} is not distinct from 'admin' and exists (
  select from ${sessions} o where o.browser_uid = ${sessions.browserUid} and o.ended_at is null and o.expires_at > now()))`

/** Whether it is our turn until the transaction ends; false at once when another process has it. */
export async function takeTurn(tx: Db): Promise<boolean> {
  const taken = await tx.execute(sql`select pg_try_advisory_xact_lock(${RETENTION_LOCK}) as ours`)
  return (taken as unknown as { rows: { ours: boolean }[] }).rows[0]!.ours
}

/** How many rows a batch found, and how many of them it deleted. */
export type Batch = { found: number; deleted: number }

/** Deletes up to `limit` rows, longest over first. One that was written since the statement began is found, and stays this time. */
export async function deleteOverdue(tx: Db, { table, by, over }: Overdue, limit: number): Promise<Batch> {
  const done = await tx.execute(sql`
    with found as (select ctid from ${table} where ${over} order by ${by} limit ${limit} for update skip locked),
      gone as (delete from ${table} where ctid = any(array(select ctid from found)) returning 1)
    select (select count(*)::int from found) as found, (select count(*)::int from gone) as deleted`)
  return (done as unknown as { rows: Batch[] }).rows[0]!
}

/**
 * Deletes up to `limit` of the oldest events of the log. The log has no holes, by which a reader knows that it has missed
 * nothing (decision 0024): so with one that a webhook has to get yet all later ones stay. A webhook that is disabled keeps
 * nothing; its deliveries go with their events. Call `numberEvents` before.
 */
export async function deleteEvents(tx: Db, days: number, limit: number): Promise<Batch> {
  const old = sql`time <= now() - make_interval(secs => ${days * DAY})`
  const oldest = sql`select seq, position, system_id, time from ${events} where position is not null order by position limit ${limit}`
  // Held first: what is queued for one of them is seen by the next statement, or finds it gone.
  const held = await tx.execute(
    sql`select from ${events} where seq in (select seq from (${oldest}) oldest) and ${old} for update`,
  )
  if ((held as unknown as { rows: unknown[] }).rows.length === 0) return { found: 0, deleted: 0 }
  const gone = await tx.execute(sql`
    with gone as (delete from ${events} where seq in (
      select seq from (${oldest}) oldest where position < all(
        select position from (${oldest}) o where not (${old})
          or exists (select from ${deliveries} d join ${webhooks} w on w.id = d.webhook_id where d.event_seq = o.seq and d.status = 'pending' and w.enabled)
          or exists (select from ${webhooks} w where w.system_id = o.system_id and w.followed < o.position and w.enabled))) returning 1)
    select count(*)::int as count from gone`)
  const { count } = (gone as unknown as { rows: { count: number }[] }).rows[0]!
  return { found: count, deleted: count }
}
