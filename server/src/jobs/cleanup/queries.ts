/**
 * The SQL of the cleanup. Each statement deletes a bounded number of rows by an index and skips locked rows,
 * so that other transactions wait for one batch at most.
 */
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { type AnyPgColumn, type AnyPgTable, getTableConfig, type SQL, sql } from '../../database/drizzle.ts'
import {
  artifacts,
  audit,
  auditLinks,
  backgroundJobs,
  connectionAttempts,
  deliveries,
  domains,
  events,
  idempotencyKeys,
  invitations,
  limits,
  logoutDeliveries,
  mail,
  oneTimeTokens,
  registrations,
  revokedTokens,
  sessions,
  statedAddresses,
  testSignIns,
  webhooks,
} from '../../database/schema.ts'

/** The key of an advisory lock: any fixed number. */
const CLEANUP_LOCK = 7_236_112
/** 5 minutes, in seconds: a request that read the row before it expired may still be using it. */
const GRACE = 300
/** In seconds. */
const DAY = 86_400
/** 90 days, in seconds: invitations that have ended. */
const INVITATIONS_KEPT = 90 * DAY

/** 14 days, in seconds: sign-ins and tests of connections. */
const ATTEMPTS_KEPT = 14 * DAY

/** 30 days, in seconds: domains that were never verified. */
const DOMAINS_KEPT = 30 * DAY

/** 30 days, in seconds: jobs that have finished. */
const JOBS_KEPT = 30 * DAY

/** 7 days, in seconds: how much later the entries of a chain that is no longer extended are deleted. */
export const CHAIN_LAG = 7 * DAY

/** The expired rows of a table, or of one `partition` of it. There is an index on `by`. */
export type Expired = { table: AnyPgTable; partition?: string; by: AnyPgColumn | SQL; where: SQL }

export type Retention = Pick<
  Config,
  | 'RETENTION_EVENTS_DAYS'
  | 'RETENTION_DELIVERIES_DAYS'
  | 'RETENTION_AUDIT_DAYS'
  | 'RETENTION_SESSIONS_DAYS'
  | 'RETENTION_MAIL_DAYS'
>

/** The rows whose time `by` is at least so many seconds ago, by the database clock. */
const olderThan = (
  table: AnyPgTable,
  by: AnyPgColumn | SQL,
  seconds: number,
  and: SQL = sql`true`,
): Expired => ({
  table,
  by,
  where: sql`${by} <= now() - make_interval(secs => ${seconds}) and ${and}`,
})

/**
 * The expired rows of every table except the event log. Users, accounts, memberships and consents do not
 * expire. `partitions`: those of the audit log whose rows are deleted, if it is partitioned.
 */
export function expiredRows(kept: Retention, partitions?: string[]): Expired[] {
  const inMs = sql`(extract(epoch from now()) * 1000)::bigint`
  const done = sql`status <> 'pending'`
  return [
    // Used codes and refresh tokens are kept until they expire, to detect a replay (RFC 9700 section 4.14.2).
    olderThan(artifacts, artifacts.expiresAt, GRACE),
    olderThan(revokedTokens, revokedTokens.expiresAt, GRACE),
    olderThan(idempotencyKeys, idempotencyKeys.expiresAt, GRACE),
    { table: limits, by: limits.expire, where: sql`${limits.expire} <= ${inMs}` },
    olderThan(oneTimeTokens, oneTimeTokens.expiresAt, DAY),
    olderThan(statedAddresses, statedAddresses.expiresAt, GRACE),
    // The page of an expired link leads to its application.
    olderThan(registrations, registrations.expiresAt, DAY),
    olderThan(invitations, invitations.updatedAt, INVITATIONS_KEPT, done),
    olderThan(testSignIns, testSignIns.expiresAt, DAY),
    olderThan(connectionAttempts, connectionAttempts.time, ATTEMPTS_KEPT),
    olderThan(domains, domains.createdAt, DOMAINS_KEPT, sql`status = 'pending'`),
    // Usually deleted by the worker.
    olderThan(
      logoutDeliveries,
      logoutDeliveries.nextAttemptAt,
      DAY,
      sql`${logoutDeliveries.expiresAt} <= now()`,
    ),
    olderThan(
      sessions,
      sql`least(${sessions.expiresAt}, ${sessions.endedAt})`,
      kept.RETENTION_SESSIONS_DAYS * DAY,
      noOpenSibling,
    ),
    olderThan(backgroundJobs, backgroundJobs.finishedAt, JOBS_KEPT, sql`finished_at is not null`),
    olderThan(mail, mail.createdAt, kept.RETENTION_MAIL_DAYS * DAY, done),
    ...unlessForever(kept.RETENTION_DELIVERIES_DAYS, (seconds) =>
      olderThan(deliveries, deliveries.finishedAt, seconds, done),
    ),
    ...unlessForever(kept.RETENTION_AUDIT_DAYS, expiredEntries).flatMap((rows) =>
      partitions ? partitions.map((partition) => ({ ...rows, partition })) : [rows],
    ),
  ]
}

const unlessForever = (days: number, rule: (seconds: number) => Expired) =>
  days === 0 ? [] : [rule(days * DAY)]

/** Entries in a block of the chain are deleted with their block, unless the chain is broken. */
const expiredEntries = (seconds: number): Expired =>
  olderThan(
    audit,
    audit.time,
    seconds,
    sql`(not exists (select from ${auditLinks} l where l.entry_id = ${audit.id})
      or ${audit.time} <= now() - make_interval(secs => ${seconds + CHAIN_LAG}))`,
  )

/**
 * A session ended by an administrator also blocks older open sessions of its browser, so it is kept as long
 * as they.
 */
const noOpenSibling = sql`not (${sessions.endReason} is not distinct from 'admin' and exists (
  select from ${sessions} o
  where o.browser_uid = ${sessions.browserUid} and o.ended_at is null and o.expires_at > now()))`

/** Takes the lock of the cleanup until the transaction ends; false if another process has it. */
export async function acquireCleanupLock(tx: Db): Promise<boolean> {
  const taken = await tx.execute(sql`select pg_try_advisory_xact_lock(${CLEANUP_LOCK}) as acquired`)
  return (taken as unknown as { rows: { acquired: boolean }[] }).rows[0]!.acquired
}

/** How many rows a batch found, and how many of them it deleted. */
export type Batch = { found: number; deleted: number }

/** The columns of the primary key, as SQL. */
function keyOf(table: AnyPgTable): SQL {
  const { columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return sql`${sql.join(key, sql`, `)}`
}

/**
 * Deletes up to `limit` rows, oldest first, by their primary key: the physical address `ctid` is unique only
 * within one partition or shard. In a distributed table, where rows of several shards cannot be locked, the
 * deletion waits for other transactions.
 */
export async function deleteExpired(
  tx: Db,
  { table, partition, by, where }: Expired,
  { limit, isDistributed }: { limit: number; isDistributed: boolean },
): Promise<Batch> {
  const key = keyOf(table)
  const lock = isDistributed ? sql`` : sql`for update skip locked`
  const rows = partition ? sql`${sql.identifier(partition)} as ${table}` : sql`${table}`
  const done = await tx.execute(sql`
    with found as (select ${key} from ${rows} where ${where} order by ${by} limit ${limit} ${lock}),
      deleted as (delete from ${rows} where (${key}) in (select * from found) returning 1)
    select (select count(*)::int from found) as found, (select count(*)::int from deleted) as deleted`)
  return (done as unknown as { rows: Batch[] }).rows[0]!
}

/**
 * Deletes up to `limit` of the oldest events. The log has no gaps, so that a reader can detect missed events
 * (decision 0024): an event that a webhook has yet to receive therefore keeps all later ones.
 * Disabled webhooks keep no events, and their deliveries are deleted with the events. Call `numberEvents`
 * first.
 */
export async function deleteEvents(tx: Db, days: number, limit: number): Promise<Batch> {
  const old = sql`time <= now() - make_interval(secs => ${days * DAY})`
  const oldest = sql`
    select seq, position, system_id, time from ${events} where position is not null order by position limit ${limit}`
  // Locked first: a delivery of one of them is then visible to the next statement, or is inserted after and
  // fails.
  const locked = await tx.execute(
    sql`select from ${events} where seq in (select seq from (${oldest}) oldest) and ${old} for update`,
  )
  if ((locked as unknown as { rows: unknown[] }).rows.length === 0) return { found: 0, deleted: 0 }
  const result = await tx.execute(sql`
    with deleted as (delete from ${events} where seq in (
      select seq from (${oldest}) oldest where position < all(
        select position from (${oldest}) o where not (${old})
          or exists (select from ${deliveries} d join ${webhooks} w on w.id = d.webhook_id
            where d.event_seq = o.seq and d.status = 'pending' and w.enabled)
          or exists (select from ${webhooks} w
            where w.system_id = o.system_id and w.followed < o.position and w.enabled))) returning 1)
    select count(*)::int as count from deleted`)
  const { count } = (result as unknown as { rows: { count: number }[] }).rows[0]!
  return { found: count, deleted: count }
}
