/** SQL statements that end sessions. */
import type { Db } from '../../database/database.ts'
import { and, asc, desc, eq, inArray, isNull, lte, type SQL, sql } from '../../database/drizzle.ts'
import { sessionEnds, sessions } from '../../database/schema.ts'
import type { Reach } from '../../http/authority.ts'
import { living, unended } from './living.ts'
import { canActForMembers } from './queries.ts'

/**
 * The sessions to end: the active ones that match every field. `limitsOf` has the fields of a reach.
 * `withoutConnection`: only those that users opened themselves, by no connection of an organization.
 */
export type SessionFilter = {
  of?: never
  systemId?: string
  accountId?: string
  withoutConnection?: true
} & (
  | { sid: string }
  | { membershipId: string }
  | { userId: string }
  | { accountId: string }
  | { connectionId: string }
  | { systemId: string }
  | { browserUid: string; userId?: string }
)

/** The fields of a filter that limit it to a reach. */
export const limitsOf = ({ systemId, accountId }: Reach): Pick<SessionFilter, 'systemId' | 'accountId'> => ({
  ...(systemId !== undefined && { systemId }),
  ...(accountId !== undefined && { accountId }),
})

const COLUMNS = {
  sid: sessions.sid,
  membershipId: sessions.membershipId,
  userId: sessions.userId,
  accountId: sessions.accountId,
  systemId: sessions.systemId,
  browserUid: sessions.browserUid,
  connectionId: sessions.connectionId,
}

const matching = ({ withoutConnection, ...filter }: SessionFilter | SessionEnd): SQL | undefined => {
  const fields = Object.entries(filter) as [keyof typeof COLUMNS, string | null][]
  const matched = fields.flatMap(([field, value]) => (value === null ? [] : [eq(COLUMNS[field], value)]))
  const others = withoutConnection ? and(isNull(sessions.connectionId), isNull(sessions.actorId)) : undefined
  return and(...matched, others)
}

export type EndedSession = {
  sid: string
  userId: string
  systemId: string
  accountId: string
  membershipId: string
}

const ended = {
  sid: sessions.sid,
  userId: sessions.userId,
  systemId: sessions.systemId,
  accountId: sessions.accountId,
  membershipId: sessions.membershipId,
}

/**
 * Ends sessions, which it locks in one order. Their codes, refresh tokens and access tokens are invalid at
 * once. `covered`: also those that have ended by one row for many sessions. `limit`: at most so many.
 */
export const updateEnded = (
  db: Db,
  filter: SessionFilter,
  reason: string,
  { covered, limit }: Extent,
): Promise<EndedSession[]> => endWhere(db, and(matching(filter), covered ? unended : living), reason, limit)

export type Extent = { covered?: boolean; limit?: number }

/**
 * Ends the sessions in which the users of ended sessions act for members. In a statement after those have
 * ended: it finds what was opened before they were locked.
 */
export const updateActing = (db: Db, ended: EndedSession[], reason: string): Promise<EndedSession[]> =>
  ended.length === 0
    ? Promise.resolve([])
    : endWhere(
        db,
        and(sql`${sessions.actorSid} = any(${sql.param(ended.map(({ sid }) => sid))}::text[])`, unended),
        reason,
      )

/** Ends the sessions in a system in which users act for members and may not any more. */
export const updateForbiddenActing = (db: Db, systemId: string, reason: string): Promise<EndedSession[]> =>
  endWhere(
    db,
    and(
      sql`${sessions.actorSid} is not null and ${sessions.systemId} = ${systemId} and not exists (
      select from sessions own join systems s on s.id = own.system_id
      where own.sid = ${sessions.actorSid} and s.allow_acting_for_members and ${canActForMembers(sql`own.membership_id`)})`,
      unended,
    ),
    reason,
  )

/** Ends the sessions by connections in a system of members with a role with which none signs in. */
export const updateReserved = (db: Db, systemId: string, reason: string): Promise<EndedSession[]> =>
  endWhere(
    db,
    and(
      sql`${sessions.connectionId} is not null and ${sessions.systemId} = ${systemId} and exists (
      select from membership_roles mr join roles r on r.id = mr.role_id
      where mr.membership_id = ${sessions.membershipId} and (r.can_act_for_members or not r.assignable_by_account_admins
        and not exists (select from connections c where c.id = ${sessions.connectionId} and c.reserved_roles)))`,
      unended,
    ),
    reason,
  )

function endWhere(
  db: Db,
  condition: SQL | undefined,
  reason: string,
  limit?: number,
): Promise<EndedSession[]> {
  const rows = db.select({ sid: sessions.sid }).from(sessions).where(condition).orderBy(asc(sessions.sid))
  const locked = db.$with('locked').as((limit ? rows.limit(limit) : rows).for('update'))
  return db
    .with(locked)
    .update(sessions)
    .set({ endedAt: sql`now()`, endReason: reason })
    .where(sql`${sessions.sid} in (select sid from ${locked})`)
    .returning(ended)
}

// Ends of many sessions: one row makes the end effective (living.ts), and a job updates the rows.

type Ends = Pick<
  typeof sessionEnds.$inferSelect,
  'systemId' | 'accountId' | 'membershipId' | 'userId' | 'connectionId' | 'withoutConnection'
>
/** All of the given values. */
export type SessionEnd = Partial<Ends>

/** The number of active sessions that match. */
export const countLiving = (db: Db, filter: SessionEnd): Promise<number> =>
  db.$count(sessions, and(matching(filter), living))

/**
 * Ends all sessions that match and were opened until now, also those of transactions in progress. `forever`:
 * and those that will be opened, because the system is deleted.
 */
export async function insertSessionEnd(tx: Db, { jobId, filter, reason, forever }: NewEnd): Promise<void> {
  const before = forever ? sql`'infinity'::timestamptz` : sql`clock_timestamp()`
  await tx.insert(sessionEnds).values({ ...filter, jobId, reason, before })
}

type NewEnd = { jobId: string; filter: SessionEnd; reason: string; forever?: boolean }

/** Deletes up to `limit` sessions of a system, and returns their number. */
export async function deleteSessionsOf(tx: Db, systemId: string, limit: number): Promise<number> {
  const some = tx
    .select({ sid: sessions.sid })
    .from(sessions)
    .where(eq(sessions.systemId, systemId))
    .limit(limit)
  return (await tx.delete(sessions).where(inArray(sessions.sid, some)).returning({ sid: sessions.sid }))
    .length
}

export type StoredEnd = {
  filter: SessionEnd
  reason: string
  /** Seconds. */
  age: number
}

export async function findSessionEnd(tx: Db, jobId: string): Promise<StoredEnd | undefined> {
  const [row] = await tx
    .select({
      systemId: sessionEnds.systemId,
      accountId: sessionEnds.accountId,
      membershipId: sessionEnds.membershipId,
      userId: sessionEnds.userId,
      connectionId: sessionEnds.connectionId,
      withoutConnection: sessionEnds.withoutConnection,
      reason: sessionEnds.reason,
      age: sql<number>`extract(epoch from now() - least(now(), ${sessionEnds.before}))::float8`,
    })
    .from(sessionEnds)
    .where(eq(sessionEnds.jobId, jobId))
  if (!row) return undefined
  const { reason, age, ...filter } = row
  return { filter, reason, age }
}

export async function deleteSessionEnd(tx: Db, jobId: string): Promise<void> {
  await tx.delete(sessionEnds).where(eq(sessionEnds.jobId, jobId))
}

/**
 * Updates the rows of up to `limit` covered sessions, newest first from `cursor`, a time. Their end is the
 * time at which it became effective. Returns them, how many were found, and the next cursor.
 */
export async function updateCovered(
  tx: Db,
  jobId: string,
  { filter, reason }: StoredEnd,
  cursor: string | null,
  limit: number,
): Promise<{ ended: EndedSession[]; found: number; cursor: string | null }> {
  const before = sql`(select before from session_ends where job_id = ${jobId})`
  const next = await tx
    .select({ sid: sessions.sid, time: sql<string>`${sessions.createdAt}::text` })
    .from(sessions)
    .where(
      and(
        matching(filter),
        lte(sessions.createdAt, sql`coalesce(${cursor}::timestamptz, ${before})`),
        unended,
      ),
    )
    .orderBy(desc(sessions.createdAt))
    .limit(limit)
  const covered = sql`${sessions.sid} = any(${sql.param(next.map(({ sid }) => sid))}::text[])`
  const locked = tx
    .$with('locked')
    .as(
      tx
        .select({ sid: sessions.sid })
        .from(sessions)
        .where(and(covered, unended))
        .orderBy(asc(sessions.sid))
        .for('update'),
    )
  const updated = await tx
    .with(locked)
    .update(sessions)
    .set({ endedAt: sql`least(${before}, now())`, endReason: reason })
    .where(sql`${sessions.sid} in (select sid from ${locked})`)
    .returning(ended)
  return { ended: updated, found: next.length, cursor: next.at(-1)?.time ?? cursor }
}
