/** The SQL of the back-channel logout queue. */
import type { Db } from '../../database/database.ts'
import { and, eq, type SQL, sql } from '../../database/drizzle.ts'
import { logoutDeliveries, sessions, systems } from '../../database/schema.ts'
import { nextInTurn } from '../turns.ts'

/** 1 minute, in seconds: longer than one attempt (outbound.ts), so that no two processes send one logout. */
const LEASE = 60
/** 1 hour, in seconds: a logout that is not sent by then is dropped. */
const LIFETIME = 3_600

const inSeconds = (seconds: number): SQL => sql`now() + make_interval(secs => ${seconds})`
const unleased = sql`coalesce(${logoutDeliveries.leasedUntil} <= now(), true)`
const due = sql`${logoutDeliveries.nextAttemptAt} <= now() and ${unleased}`

/**
 * Inserts a logout for each of these sessions whose system has a `backchannelLogoutUri`; false if there is
 * none. All values are copied, since system and session may be deleted before it is sent.
 */
export async function insertLogouts(tx: Db, sids: string[], receiver?: LogoutReceiver): Promise<boolean> {
  if (receiver) return insertLogoutsOf(tx, sids, receiver)
  const added = await tx.execute(sql`
    insert into ${logoutDeliveries} (sid, user_id, client_id, alg, uri, expires_at)
    select ${sessions.sid}, ${sessions.userId}, ${systems.clientId}, ${systems.idTokenAlg},
      ${systems.backchannelLogoutUri}, ${inSeconds(LIFETIME)}
    from ${sessions} join ${systems} on ${systems.id} = ${sessions.systemId}
    where ${sessions.sid} = any(${sql.param(sids)}::text[]) and ${systems.backchannelLogoutUri} is not null
    returning ${logoutDeliveries.id}`)
  return (added as { rows: unknown[] }).rows.length > 0
}

/** What a logout needs of its system. */
export type LogoutReceiver = Pick<
  typeof systems.$inferSelect,
  'clientId' | 'idTokenAlg' | 'backchannelLogoutUri'
>

async function insertLogoutsOf(
  tx: Db,
  sids: string[],
  { clientId, idTokenAlg, backchannelLogoutUri }: LogoutReceiver,
): Promise<boolean> {
  if (backchannelLogoutUri === null) return false
  await tx.execute(sql`
    insert into ${logoutDeliveries} (sid, user_id, client_id, alg, uri, expires_at)
    select sid, user_id, ${clientId}, ${idTokenAlg}, ${backchannelLogoutUri}, ${inSeconds(LIFETIME)}
    from ${sessions} where sid = any(${sql.param(sids)}::text[])`)
  return true
}

export type QueuedLogout = Pick<
  typeof logoutDeliveries.$inferSelect,
  'id' | 'sid' | 'userId' | 'clientId' | 'alg' | 'uri'
> & {
  /** Including this one. */
  attempts: number
  expired: boolean
}

/** Leases up to `limit` logouts that are due. Systems take turns, with at most `most` at the same time. */
export function claimLogouts(db: Db, limit: number, most: number): Promise<QueuedLogout[]> {
  const { clientId } = logoutDeliveries
  const queue = { table: sql`${logoutDeliveries}`, tenant: sql`${clientId}`, open: sql`true`, most }
  return db
    .update(logoutDeliveries)
    .set({ leasedUntil: inSeconds(LEASE), attempts: sql`${logoutDeliveries.attempts} + 1` })
    .where(sql`${logoutDeliveries.id} = any(array(${nextInTurn(queue, limit)}))`)
    .returning({
      id: logoutDeliveries.id,
      sid: logoutDeliveries.sid,
      userId: logoutDeliveries.userId,
      clientId: logoutDeliveries.clientId,
      alg: logoutDeliveries.alg,
      uri: logoutDeliveries.uri,
      attempts: logoutDeliveries.attempts,
      expired: sql<boolean>`${logoutDeliveries.expiresAt} <= now()`,
    })
}

/** The row of this attempt, unless another process has leased it since. */
const leased = ({ id, attempts }: QueuedLogout) =>
  and(eq(logoutDeliveries.id, id), eq(logoutDeliveries.attempts, attempts))

export async function deleteLogout(db: Db, logout: QueuedLogout): Promise<void> {
  await db.delete(logoutDeliveries).where(leased(logout))
}

/**
 * Due again after `seconds`, or at its expiry if that is sooner; it is then deleted. The same applies to all
 * pending logouts of the same receiver, which would otherwise fail one by one and delay those of other
 * receivers.
 */
export async function postponeLogouts(db: Db, logout: QueuedLogout, seconds: number): Promise<void> {
  const later = sql`least(${inSeconds(seconds)}, ${logoutDeliveries.expiresAt})`
  await db.update(logoutDeliveries).set({ nextAttemptAt: later, leasedUntil: null }).where(leased(logout))
  const waiting = db.$with('waiting').as(
    db
      .select({ id: logoutDeliveries.id })
      .from(logoutDeliveries)
      .where(and(eq(logoutDeliveries.uri, logout.uri), due))
      .for('update', { skipLocked: true }),
  )
  await db
    .with(waiting)
    .update(logoutDeliveries)
    .set({ nextAttemptAt: later, attempts: sql`greatest(${logoutDeliveries.attempts}, ${logout.attempts})` })
    .where(sql`${logoutDeliveries.id} in (select id from ${waiting})`)
}
