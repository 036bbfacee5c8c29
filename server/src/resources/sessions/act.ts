/**
 * A session in which a user acts for a member (RFC 8693): of the vendor's support, for example. It has the
 * rights of the member in the one system and account, no refresh token, and no browser: no page and no
 * operation of the admin API accepts it. It ends with the session of the user who acts.
 */
import { randomToken } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, asc, eq, inArray, sql } from '../../database/drizzle.ts'
import { accounts, memberships, sessions, systemUsers, users } from '../../database/schema.ts'
import { type Actor, EVERYTHING } from '../../http/authority.ts'
import { record } from '../../journal/audit/record.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import { standingOf } from '../memberships/standing.ts'
import { shareSystem } from '../systems/queries.ts'
import { nameIn } from '../users/profile.ts'
import { living } from './living.ts'
import { canActForMembers, type Member } from './queries.ts'

export type WantedActing = {
  /** The session of the user who acts. */
  acting: Pick<Member, 'sid' | 'systemId' | 'membershipId' | 'amr'>
  /** The membership of the member who is acted for. */
  membershipId: string
  reason: string
  scope: string
  /** In seconds. */
  lifetime: number
}

/**
 * Why it is refused: the acting user may not, or the member cannot be acted for, which does not say whether
 * the membership exists; or the account of the member requires a second factor, which the acting user has not
 * used; or the user acts in `ACTING_MAX` sessions.
 */
export type ActingRefusal = 'actor' | 'subject' | 'factor' | 'limit'

/** The sessions at a time in which a user acts for members from one session of their own. */
export const ACTING_MAX = 50

export async function openActingSession(
  tx: Db,
  actor: Actor,
  { acting, membershipId, reason, scope, lifetime }: WantedActing,
): Promise<{ sid: string; userId: string } | ActingRefusal> {
  const [own, member] = await lockBoth(tx, acting, membershipId)
  // It is locked, so that a change of it or of its roles is seen here, or ends the new session.
  const { allowActingForMembers } = await shareSystem(tx, EVERYTHING, acting.systemId)
  if (!allowActingForMembers) return 'actor'
  if (own?.status !== 'active' || own.disabled || !own.canAct) return 'actor'
  if (member?.status !== 'active' || member.disabled || member.canAct || member.userId === own.userId)
    return 'subject'
  if (member.requiresMfa && !acting.amr.includes('mfa')) return 'factor'
  const others = await countActing(tx, acting.sid)
  if (others === undefined) return 'actor'
  if (others >= ACTING_MAX) return 'limit'
  const { systemId, accountId, userId } = member
  const sid = randomToken()
  await tx.insert(sessions).values({
    sid,
    systemId,
    userId,
    accountId,
    membershipId,
    grant: { openid: { scope } },
    actorSid: acting.sid,
    actorId: own.userId,
    reason,
    expiresAt: sql`now() + make_interval(secs => ${lifetime})`,
  })
  const by = own.name
  await record(tx, actor, {
    action: 'session.acting_started',
    target: { type: 'user', id: userId }, // whose deletion erases the address here
    systemId,
    accountId,
    changes: {
      sid: [null, sid],
      membershipId: [null, membershipId],
      actor: [null, by],
      user: [null, member.email],
      reason: [null, reason],
    },
  })
  await enqueue(tx, {
    type: 'session.acting_started',
    systemId,
    accountId,
    userId,
    membershipId,
    data: {
      sid,
      user: { id: userId, email: member.email },
      actor: { type: 'user', id: own.userId, name: by },
      reason,
      lifetime,
      membershipId,
      accountId,
      systemId,
    },
  })
  return { sid, userId }
}

/**
 * The sessions in which the user of a session acts; undefined if that session has ended. It is locked: a
 * concurrent exchange counts this one.
 */
async function countActing(tx: Db, sid: string): Promise<number | undefined> {
  const [own] = await tx
    .select({ sid: sessions.sid })
    .from(sessions)
    .where(and(eq(sessions.sid, sid), living))
    .for('no key update')
  return own && tx.$count(sessions, and(eq(sessions.actorSid, sid), living))
}

/**
 * The memberships of the acting user and of the member, undefined if one is not of the system. The rows are
 * locked in one order, users first, as in changes of them: a concurrent block or deactivation is either seen
 * here, or it ends the new session.
 */
async function lockBoth(tx: Db, { systemId, ...acting }: WantedActing['acting'], membershipId: string) {
  const ids = [acting.membershipId, membershipId]
  const both = inArray(memberships.id, ids)
  const owners = tx.select({ id: memberships.userId }).from(memberships).where(both)
  await tx
    .select({ id: users.id })
    .from(users)
    .where(inArray(users.id, owners))
    .orderBy(asc(users.id))
    .for('share')
  await tx
    .select({ id: systemUsers.userId })
    .from(systemUsers)
    .where(and(eq(systemUsers.systemId, systemId), inArray(systemUsers.userId, owners)))
    .orderBy(asc(systemUsers.userId))
    .for('share')
  await tx.execute(sql`
    with locked as (select id from accounts where id in (
      select account_id from memberships where id = any(${sql.param(ids)}::uuid[])) order by id for key share)
    select m.id from memberships m where m.id = any(${sql.param(ids)}::uuid[])
      and (select count(*) from locked) >= 0 order by m.id for share`)
  const rows = await tx
    .select({
      id: memberships.id,
      systemId: memberships.systemId,
      accountId: memberships.accountId,
      userId: memberships.userId,
      status: standingOf(memberships.status, memberships.accountId),
      email: memberships.email,
      name: nameIn(memberships.systemId, users.id),
      disabled: sql<boolean>`(${users.disabled} or exists (select from system_users r
        where r.user_id = ${users.id} and r.system_id = ${memberships.systemId} and r.disabled))`,
      canAct: canActForMembers(sql`${memberships.id}`),
      requiresMfa: sql<boolean>`${accounts.requireMfaBy} <> '{}'`,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(both)
  const here = rows.filter((row) => row.systemId === systemId)
  return ids.map((id) => here.find((row) => row.id === id))
}
