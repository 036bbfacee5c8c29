/** All SQL statements of the event log except those for memberships (access.ts). */

import type { Db } from '../../database/database.ts'
import { and, asc, eq, gt, inArray, lte, type SQL, sql } from '../../database/drizzle.ts'
import { events, isContact, PROFILE, systemUsers } from '../../database/schema.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'

/** The number of events that get a position in one transaction: some 30 ms. */
const NUMBERED_MAX = 1_000
/**
 * The number of events that are scanned for one page, so that a filter for a rare type costs at most some 30
 * ms.
 */
const LOOKED_THROUGH_MAX = 20_000

type NewEvent = typeof events.$inferInsert

/** An event about a user of a system has the address that the system reads. */
export async function insertEvents(tx: Db, happened: NewEvent[]): Promise<void> {
  const about = happened.filter(({ systemId, userId, data }) => systemId && userId && 'user' in data)
  const found =
    about.length === 0
      ? []
      : await tx
          .select({ userId: systemUsers.userId, systemId: systemUsers.systemId, email: systemUsers.email })
          .from(systemUsers)
          .where(
            inArray(
              systemUsers.userId,
              about.map(({ userId }) => String(userId)),
            ),
          )
  const known = new Map(found.map(({ userId, systemId, email }) => [`${userId} ${systemId}`, email]))
  await tx.insert(events).values(
    happened.map((event) => {
      const email = known.get(`${event.userId} ${event.systemId}`)
      if (email === undefined || !('user' in event.data)) return event
      return { ...event, data: { ...event.data, user: { ...(event.data.user as object), email } } }
    }),
  )
}

/** Inserts an event that no reader of the log receives: it has no system and is marked as a copy. */
export async function insertUnlistedEvent(
  tx: Db,
  type: string,
  data: Record<string, unknown>,
): Promise<{ seq: number; id: string }> {
  const [event] = await tx
    .insert(events)
    .values({ type, copy: true, data })
    .returning({ seq: events.seq, id: events.id })
  return event!
}

/** The fields of a user that a system reads once the user has entered it. */
const READ = ['email', 'emailVerified', 'disabled', ...PROFILE.filter((field) => !isContact(field))]

/**
 * Inserts a copy of each event for the systems of its user. A change is copied to a system only if the system
 * reads a changed field: those of a user who has entered it. It has the address that the system reads. Of an
 * actor who is not the user only the type is copied.
 */
export async function insertCopies(tx: Db, happened: NewEvent[]): Promise<void> {
  await tx.execute(sql`
    insert into ${events} (type, system_id, copy, user_id, data)
    select e.type, r.system_id, true, r.user_id, jsonb_set(e.data, '{user,email}', to_jsonb(r.email), false) || v.changed ||
      case when e.data->'actor'->>'id' = r.user_id::text then '{}'
        else jsonb_build_object('actor', jsonb_build_object('type', e.data->'actor'->'type', 'id', null)) end
    from jsonb_to_recordset(${JSON.stringify(happened)}::jsonb) as e(type text, "userId" uuid, data jsonb)
    join system_users r on r.user_id = e."userId"
    cross join lateral (select case when e.data ? 'changed' then jsonb_build_object('changed',
        (select jsonb_agg(c) from jsonb_array_elements_text(e.data->'changed') c
          where r.entered_at is not null and c = any(${sql.param(READ)}::text[])))
      else '{}' end as changed) v
    where v.changed->'changed' is distinct from 'null'::jsonb`)
}

/**
 * Assigns positions to all committed events without one, and returns the newest position. All events up to it
 * are readable, and none is ever added below it (decision 0024). Call it before reading the log. If no event
 * is without a position, it is one statement.
 */
export async function numberEvents(db: Db): Promise<number> {
  const found = await db.execute(sql`
    select exists(select from ${events} where position is null) as waiting,
      coalesce((select newest from event_log), 0)::float8 as newest`)
  let { newest, waiting } = (found as unknown as { rows: { newest: number; waiting: boolean }[] }).rows[0]!
  while (waiting) {
    const done = await inTransaction(db, numberSome, { isolationLevel: 'read committed' })
    newest = done.newest
    waiting = done.given === NUMBERED_MAX
  }
  return newest
}

/**
 * Serialized by the lock on the row of `event_log`. The statement after the lock sees all events committed by
 * then: with each event also those that were committed before it was written, which have a lower `seq`.
 */
async function numberSome(tx: Db): Promise<{ newest: number; given: number }> {
  await tx.execute(sql`insert into event_log (id) values (true) on conflict (id) do update set id = true`)
  const done = await tx.execute(sql`
    with waiting as (
      select seq, row_number() over (order by seq) as nth from ${events} where position is null order by seq limit ${NUMBERED_MAX}
    ), numbered as (
      update ${events} set position = event_log.newest + waiting.nth from waiting, event_log where events.seq = waiting.seq
      returning events.position
    ), given as (select count(*) from numbered)
    update event_log set newest = newest + given.count from given
    returning newest::float8 as newest, given.count::int as given`)
  return (done as unknown as { rows: { newest: number; given: number }[] }).rows[0]!
}

export type LoggedEvent = Pick<
  typeof events.$inferSelect,
  'id' | 'type' | 'time' | 'systemId' | 'copy' | 'userId' | 'membershipId' | 'data'
> & { seq: number; position: number }

/**
 * The events of one system, or, without a system, all events without their copies. `types`: only these types.
 */
export type EventFilter = { systemId?: string | undefined; types?: readonly string[] | undefined }

/** Whether an event that was already read meets the filter. */
export const matches = (
  { systemId, types }: EventFilter,
  event: Pick<LoggedEvent, 'systemId' | 'copy' | 'type'>,
): boolean =>
  (systemId === undefined ? !event.copy : event.systemId === systemId) &&
  (types?.includes(event.type) ?? true)

const columns = {
  seq: events.seq,
  position: sql<number>`${events.position}::float8`,
  id: events.id,
  type: events.type,
  time: events.time,
  systemId: events.systemId,
  copy: events.copy,
  userId: events.userId,
  membershipId: events.membershipId,
  data: events.data,
}

/**
 * Events after `from` up to `to` (a position returned by `numberEvents`), in order. Without a filter all
 * events, including copies.
 */
export function selectEvents(
  db: Db,
  from: number,
  to: number,
  limit: number,
  filter?: EventFilter,
): Promise<LoggedEvent[]> {
  return db
    .select(columns)
    .from(events)
    .where(and(gt(events.position, from), lte(events.position, to), filter && conditionOf(filter)))
    .orderBy(asc(events.position))
    .limit(limit)
}

const conditionOf = ({ systemId, types }: EventFilter): SQL | undefined =>
  and(
    systemId === undefined ? eq(events.copy, false) : eq(events.systemId, systemId),
    types && inArray(events.type, [...types]),
  )

export type EventPage = {
  rows: LoggedEvent[]
  /** The position to continue after: that of the last row, or of the last event that was scanned. */
  next: number
  /** Whether there may be events between `next` and `newest`. */
  more: boolean
}

/** A page of the matching events after a position. It may be empty although more follow. */
export async function readEvents(
  db: Db,
  filter: EventFilter,
  after: number,
  newest: number,
  limit: number,
): Promise<EventPage> {
  const to = Math.min(newest, after + LOOKED_THROUGH_MAX)
  const found = await selectEvents(db, after, to, limit + 1, filter)
  if (found.length <= limit) return { rows: found, next: Math.max(to, after), more: to < newest }
  const rows = found.slice(0, limit)
  return { rows, next: rows[limit - 1]!.position, more: true }
}

/** The position before the oldest event that is stored. */
export async function positionBeforeOldest(db: Db, newest: number): Promise<number> {
  const [oldest] = await selectEvents(db, 0, newest, 1)
  return oldest ? oldest.position - 1 : newest
}

/**
 * The position before all events at or after a time. Positions only roughly follow times, because a
 * transaction may take long.
 */
export async function positionBefore(db: Db, moment: Date, newest: number): Promise<number> {
  // It is not plain `position`: the planner would scan the log from its beginning to find the minimum.
  const [found] = await db
    .select({ oldest: sql<number | null>`min(position + 0)::float8` })
    .from(events)
    .where(sql`${events.time} >= ${moment.toISOString()}`)
  return found?.oldest ? Math.min(found.oldest - 1, newest) : newest
}

/**
 * Throws `cursor_expired` if the event after the position was deleted, or if the log never reached the
 * position.
 */
export async function demandKept(db: Db, after: number, newest: number): Promise<void> {
  if (after === newest) return
  const [next] = after < newest ? await selectEvents(db, after, after + 1, 1) : []
  if (!next) throw new Failure('cursor_expired')
}

/** Throws `event_not_found`, also if the event is outside the reach. */
export async function positionOf(db: Db, reach: Reach, id: string): Promise<number> {
  const [event] = await db
    .select({ position: columns.position })
    .from(events)
    .where(and(eq(events.id, id), within(reach, { system: events.systemId, account: events.accountId })))
  if (!event?.position) throw new Failure('event_not_found')
  return event.position
}
