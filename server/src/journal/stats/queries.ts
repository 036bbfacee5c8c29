/** SQL statements of counters, activity and their daily totals. Days and hours are those of UTC. */
import type { Db } from '../../database/database.ts'
import { and, type SQL, sql } from '../../database/drizzle.ts'
import {
  activity,
  counters,
  daily,
  memberships,
  sessions,
  systemUsers,
  webhooks,
} from '../../database/schema.ts'
import { type Reach, within } from '../../http/authority.ts'
import { type Active, ALL_SYSTEMS, type CounterTotal } from './count.ts'

const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows
const by =
  <Row>(key: (row: Row) => string) =>
  (one: Row, other: Row) =>
    key(one) < key(other) ? -1 : 1

const HOUR = sql`date_trunc('hour', now(), 'UTC')`
const TODAY = sql`(now() at time zone 'UTC')::date`

/** Adds counters to those of this hour: in one order, so that processes do not deadlock. */
export async function addCounters(db: Db, counted: CounterTotal[]): Promise<void> {
  if (counted.length === 0) return
  const rows = counted.toSorted(by(({ systemId, name, key }) => `${systemId} ${name} ${key}`))
  const column = (name: keyof CounterTotal) => sql.param(rows.map((row) => row[name]))
  await db.execute(sql`
    insert into ${counters} (hour, system_id, name, key, count)
    select ${HOUR}, c.system_id, c.name, c.key, c.count
    from unnest(${column('systemId')}::uuid[], ${column('name')}::text[], ${column('key')}::text[], ${column('count')}::bigint[])
      with ordinality as c(system_id, name, key, count, n) order by n
    on conflict (system_id, name, hour, key) do update set count = counters.count + excluded.count`)
}

/** Sets the bit of today for users of systems. */
export async function addActivity(db: Db, active: Active[]): Promise<void> {
  if (active.length === 0) return
  const rows = active.toSorted(by(({ systemId, userId }) => `${systemId} ${userId}`))
  const column = (name: keyof Active) => sql.param(rows.map((row) => row[name]))
  // Users who have left the system meanwhile are omitted.
  await db.execute(sql`
    insert into ${activity} (system_id, user_id, day, days)
    select a.system_id, a.user_id, ${TODAY}, 1
    from unnest(${column('systemId')}::uuid[], ${column('userId')}::uuid[]) with ordinality as a(system_id, user_id, n)
    join ${systemUsers} u on u.system_id = a.system_id and u.user_id = a.user_id
    order by n
    on conflict (system_id, user_id) do update set day = excluded.day,
      days = case when excluded.day - activity.day > 63 then 1 else (activity.days << (excluded.day - activity.day)) | 1 end
    where activity.day < excluded.day`)
}

/** Whether a row of activity has a bit in the `window` days that end with `day`; at most 32 days ago. */
const activeIn = (day: SQL, window: number): SQL => sql`case
  when day > ${day} then (days >> (day - ${day})) & ${(1n << BigInt(window)) - 1n}::bigint <> 0
  when ${day} - day < ${window}::int then days & ((1::bigint << (${window}::int - (${day} - day))) - 1) <> 0
  else false end`

const WINDOWS = [1, 7, 30]

/** The key of an advisory lock: any fixed number. */
const STATS_LOCK = 7_236_113

/** Takes the lock of the nightly job until the transaction ends; false if another process has it. */
export async function acquireStatsLock(tx: Db): Promise<boolean> {
  const taken = await tx.execute(sql`select pg_try_advisory_xact_lock(${STATS_LOCK}) as acquired`)
  return rowsOf<{ acquired: boolean }>(taken)[0]!.acquired
}

const yesterday = sql`(${TODAY} - 1)`

/** Notes that yesterday is being summed up; false if it was before. */
export async function beginDay(tx: Db): Promise<boolean> {
  const begun = await tx.execute(sql`
    insert into ${daily} (day, system_id, name, key, count) values (${yesterday}, ${ALL_SYSTEMS}, 'summed_up', '', 1)
    on conflict do nothing returning day`)
  return rowsOf(begun).length > 0
}

/** Stores the numbers of active users of yesterday. */
export async function storeActiveUsers(tx: Db): Promise<void> {
  const counts = WINDOWS.map(
    (window) =>
      sql`select ${String(window)}::text as key, system_id, user_id from ${activity} where ${activeIn(yesterday, window)}`,
  )
  await tx.execute(sql`
    insert into ${daily} (day, system_id, name, key, count)
    select ${yesterday}, coalesce(system_id, ${ALL_SYSTEMS}::uuid), 'active_users', key, count(distinct user_id)
    from (${sql.join(counts, sql` union all `)}) as a
    group by grouping sets ((key, system_id), (key))
    on conflict do nothing`)
}

/** Replaces counters of hours by their sums of a day. The days are complete. */
export async function sumHours(tx: Db, keptDays: number): Promise<void> {
  await tx.execute(sql`
    with old as (
      delete from ${counters} where hour < date_trunc('day', now(), 'UTC') - make_interval(days => ${keptDays}) returning *
    )
    insert into ${daily} (day, system_id, name, key, count)
    select (hour at time zone 'UTC')::date as day, system_id, name, key, sum(count) from old
    group by 1, system_id, name, key order by system_id, name, 1, key
    on conflict (system_id, name, day, key) do update set count = daily.count + excluded.count`)
}

export async function deleteDays(tx: Db, keptDays: number): Promise<void> {
  await tx.execute(sql`delete from ${daily} where day < ${TODAY} - ${keptDays}::int`)
}

export type Bucket = { time: number; key: string; count: number }

/** Sums of a metric by hour or day and by `key`; times in seconds since 1970. `systemId` null: by system. */
export async function readSeries(
  db: Db,
  {
    name,
    systemId,
    step,
    from,
    to,
  }: { name: string; systemId: string | null; step: 'hour' | 'day'; from: Date; to: Date },
): Promise<Bucket[]> {
  const ofSystem = systemId === null ? sql`system_id <> ${ALL_SYSTEMS}` : sql`system_id = ${systemId}`
  const key = systemId === null ? sql`system_id::text` : sql`key`
  const hours = sql`select date_trunc(${step}, hour, 'UTC') as time, ${key} as key, count from ${counters}
    where ${ofSystem} and name = ${name} and hour >= ${from.toISOString()} and hour < ${to.toISOString()}`
  const days = sql`select day::timestamp at time zone 'UTC' as time, ${key} as key, count from ${daily}
    where ${ofSystem} and name = ${name} and day >= (${from.toISOString()}::timestamptz at time zone 'UTC')::date
      and day < (${to.toISOString()}::timestamptz at time zone 'UTC')::date`
  const found = await db.execute(sql`
    select extract(epoch from time)::float8 as time, key, sum(count)::float8 as count
    from (${step === 'day' ? sql`${hours} union all ${days}` : hours}) as c group by 1, 2`)
  return rowsOf<Bucket>(found)
}

type Recent = { name: string; key: string; day: number; weekBefore: number }

/** The counters of sign-ins and tokens of the last 24 hours, and of the same hours a week before. */
export async function readRecent(db: Db, systemId: string): Promise<Recent[]> {
  const hours = (from: number) =>
    sql`hour > now() - make_interval(hours => ${from}) and hour <= now() - make_interval(hours => ${from - 24})`
  const found = await db.execute(sql`
    select name, key, coalesce(sum(count) filter (where ${hours(24)}), 0)::float8 as day,
      coalesce(sum(count) filter (where ${hours(192)}), 0)::float8 as "weekBefore"
    from ${counters} where system_id = ${systemId} and name in ('sign_ins', 'failures', 'tokens')
      and ((${hours(24)}) or (${hours(192)})) group by name, key order by name, day desc, key`)
  return rowsOf<Recent>(found)
}

export type ActiveUsers = { today: number; days30: number }

/** Users of a system, or of all systems, who were active today and in the last 30 days. */
export async function countActive(db: Db, systemId: string | undefined): Promise<ActiveUsers> {
  const found = await db.execute(sql`
    select count(*) filter (where today)::int as today, count(*)::int as "days30" from (
      select user_id, bool_or(${activeIn(TODAY, 1)}) as today from ${activity}
      where ${systemId === undefined ? sql`true` : sql`system_id = ${systemId}`} and ${activeIn(TODAY, 30)}
      group by user_id) as a`)
  return rowsOf<ActiveUsers>(found)[0]!
}

/** Sessions, memberships and webhooks are counted up to this number. */
export const STATS_COUNTED_MAX = 10_000

type Present = { activeSessions: number; pendingMemberships: number; failingWebhooks: number }

const counted = (statement: SQL) =>
  sql`(select count(*)::int from (${statement} limit ${STATS_COUNTED_MAX}) as c)`

/** What is present now, within reach. */
export async function countPresent(db: Db, reach: Reach): Promise<Present> {
  const ofSessions = within(reach, { system: sessions.systemId, account: sessions.accountId })
  const ofMembers = within(reach, { system: memberships.systemId, account: memberships.accountId })
  const ofWebhooks = within(reach, { system: webhooks.systemId, account: 'none' })
  const found = await db.execute(sql`select
    ${counted(sql`select from ${sessions} where ${and(sql`least(${sessions.expiresAt}, ${sessions.endedAt}) > now()`, ofSessions)}`)} as "activeSessions",
    ${counted(sql`select from ${memberships} where ${and(sql`${memberships.status} = 'pending'`, ofMembers)}`)} as "pendingMemberships",
    ${counted(sql`select from ${webhooks} where ${and(sql`(not ${webhooks.enabled} and ${webhooks.disabledReason} is not null or ${webhooks.enabled} and ${webhooks.failingSince} is not null)`, ofWebhooks)}`)} as "failingWebhooks"`)
  return rowsOf<Present>(found)[0]!
}

/** Members of an account, and those with a session in it that was used in the last 30 days. */
export async function countMembers(
  db: Db,
  accountId: string,
): Promise<{ members: number; activeMembers: number }> {
  const found = await db.execute(sql`select
    ${counted(sql`select from ${memberships} where ${memberships.accountId} = ${accountId}`)} as members,
    (select count(distinct ${sessions.userId})::int from ${sessions}
      where ${sessions.accountId} = ${accountId} and ${sessions.lastSeenAt} > now() - interval '30 days') as "activeMembers"`)
  return rowsOf<{ members: number; activeMembers: number }>(found)[0]!
}
