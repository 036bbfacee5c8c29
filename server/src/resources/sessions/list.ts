/** The list of active sessions. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { sessions } from '../../database/schema.ts'
import { type Reach, within } from '../../http/authority.ts'
import { nameIn } from '../users/profile.ts'
import { living } from './living.ts'

const listed = {
  id: sessions.sid,
  sid: sessions.sid,
  userId: sessions.userId,
  systemId: sessions.systemId,
  accountId: sessions.accountId,
  ip: sessions.ip,
  userAgent: sessions.userAgent,
  amr: sessions.amr,
  /** The user who acts for the member. */
  actor: sql<{ id: string; name: string } | null>`case when ${sessions.actorId} is not null then
    json_build_object('id', ${sessions.actorId}, 'name', ${nameIn(sessions.systemId, sessions.actorId)}) end`,
  reason: sessions.reason,
  createdAt: sessions.createdAt,
  lastSeenAt: sessions.lastSeenAt,
  expiresAt: sessions.expiresAt,
}

export type ListedSession = Pick<
  typeof sessions.$inferSelect,
  Exclude<keyof typeof listed, 'id' | 'actor'>
> & {
  id: string
  actor: { id: string; name: string } | null
}

/**
 * It follows from `living`. Sessions are kept for months after their end, and an index cannot have the time
 * of now: by this condition PostgreSQL finds the active ones in the index `sessions_over`, where most of a
 * system have ended, and not among all of the system.
 */
const notOver = sql`least(${sessions.expiresAt}, ${sessions.endedAt}) > now()`

/** A page of the active sessions in reach that match, newest first, and their number. */
export async function listSessions(
  db: Db,
  reach: Reach,
  {
    userId,
    systemId,
    accountId,
    ...page
  }: PageRequest & { userId?: string; systemId?: string; accountId?: string },
): Promise<Listed<ListedSession>> {
  const found = and(
    within(reach, { system: sessions.systemId, account: sessions.accountId }),
    userId === undefined ? undefined : eq(sessions.userId, userId),
    systemId === undefined ? undefined : eq(sessions.systemId, systemId),
    accountId === undefined ? undefined : eq(sessions.accountId, accountId),
    living,
    notOver,
  )
  const all = sql`select ${sessions.sid} as id, ${sessions.createdAt} as time from ${sessions} where ${found}`
  return listPage(db, page, { all, isText: true }, (ids) =>
    db.select(listed).from(sessions).where(inArray(sessions.sid, ids)),
  )
}
