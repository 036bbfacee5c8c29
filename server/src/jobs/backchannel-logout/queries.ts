/** Every SQL statement about back-channel logouts that wait to be sent. */

import type { Db } from '../../database/database.ts'
import { logoutNotices, sessions, systems } from '../../database/schema.ts'
import { and, eq, type SQL, sql } from '../../tuning/drizzle.ts'

/** 1 minute, in seconds: longer than one attempt can take (outbound.ts), so that two processes never hold one notice. */
const LEASE = 60
/** 1 hour, in seconds. What could not be sent by then is dropped. */
const KEPT = 3_600

const inSeconds = (seconds: number): SQL => sql`now() + make_interval(secs => ${seconds})`
const due = sql`${logoutNotices.nextAttemptAt} <= now() and coalesce(${logoutNotices.leasedUntil} <= now(), true)`

/**
 * Adds a notice for each of these sessions whose system asked for them, and answers whether there is any. Everything it
 * needs is copied: system and session may be gone when it is sent.
 */
export async function insertNotices(tx: Db, sids: string[]): Promise<boolean> {
  const added = await tx.execute(sql`
    insert into ${logoutNotices} (sid, user_id, client_id, alg, uri, expires_at)
    select ${sessions.sid}, ${sessions.userId}, ${systems.clientId}, ${systems.idTokenAlg}, ${systems.backchannelLogoutUri}, ${inSeconds(KEPT)}
    from ${sessions} join ${systems} on ${systems.id} = ${sessions.systemId}
    where ${sessions.sid} = any(${sql.param(sids)}::text[]) and ${systems.backchannelLogoutUri} is not null
    returning ${logoutNotices.id}`)
  return (added as { rows: unknown[] }).rows.length > 0
}

export type Notice = Pick<
  typeof logoutNotices.$inferSelect,
  'id' | 'sid' | 'userId' | 'clientId' | 'alg' | 'uri'
> & {
  /** This attempt included. */
  attempts: number
  expired: boolean
}

/**
 * Takes up to `limit` notices that are due, longest due first, out of everybody else's sight for the lease; none for the
 * systems, by client id, that are busy.
 */
export function claimNotices(db: Db, limit: number, busy: string[]): Promise<Notice[]> {
  // A CTE: as a plain subquery the planner may run it more than once, and take more than the limit.
  const claimed = db.$with('claimed').as(
    db
      .select({ id: logoutNotices.id })
      .from(logoutNotices)
      .where(sql`${due} and ${logoutNotices.clientId} <> all(${sql.param(busy)}::text[])`)
      .orderBy(logoutNotices.nextAttemptAt)
      .limit(limit)
      .for('update', { skipLocked: true }),
  )
  return db
    .with(claimed)
    .update(logoutNotices)
    .set({ leasedUntil: inSeconds(LEASE), attempts: sql`${logoutNotices.attempts} + 1` })
    .where(sql`${logoutNotices.id} in (select id from ${claimed})`)
    .returning({
      id: logoutNotices.id,
      sid: logoutNotices.sid,
      userId: logoutNotices.userId,
      clientId: logoutNotices.clientId,
      alg: logoutNotices.alg,
      uri: logoutNotices.uri,
      attempts: logoutNotices.attempts,
      expired: sql<boolean>`${logoutNotices.expiresAt} <= now()`,
    })
}

/** The claim, unless another process has taken the notice over since. */
const held = ({ id, attempts }: Notice) => and(eq(logoutNotices.id, id), eq(logoutNotices.attempts, attempts))

export async function deleteNotice(db: Db, notice: Notice): Promise<void> {
  await db.delete(logoutNotices).where(held(notice))
}

/**
 * Due again after `seconds`, or when it expires if that is sooner: then to be given up. So are all that wait for the same
 * receiver: a thousand of them would otherwise each find out by themselves that it is away, and keep others waiting.
 */
export async function postponeNotices(db: Db, notice: Notice, seconds: number): Promise<void> {
  const later = sql`least(${inSeconds(seconds)}, ${logoutNotices.expiresAt})`
  await db.update(logoutNotices).set({ nextAttemptAt: later, leasedUntil: null }).where(held(notice))
  const waiting = db.$with('waiting').as(
    db
      .select({ id: logoutNotices.id })
      .from(logoutNotices)
      .where(and(eq(logoutNotices.uri, notice.uri), due))
      .for('update', { skipLocked: true }),
  )
  await db
    .with(waiting)
    .update(logoutNotices)
    .set({ nextAttemptAt: later, attempts: sql`greatest(${logoutNotices.attempts}, ${notice.attempts})` })
    .where(sql`${logoutNotices.id} in (select id from ${waiting})`)
}
