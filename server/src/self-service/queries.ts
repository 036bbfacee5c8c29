/** SQL statements of the user's own pages, each limited to that user. */
import type { Db } from '../database/database.ts'
import { and, asc, desc, eq, sql } from '../database/drizzle.ts'
import { accounts, consents, memberships, sessions, systems, systemUsers } from '../database/schema.ts'
import { standingOf } from '../resources/memberships/standing.ts'
import { living } from '../resources/sessions/living.ts'
import { nameIn } from '../resources/users/profile.ts'

/** Rows of a page; it has no pagination. */
const MOST = 100

const isActive = (userId: string) => and(eq(sessions.userId, userId), living)

/** Newest first. */
export const listOwnSessions = (db: Db, userId: string) =>
  db
    .select({
      sid: sessions.sid,
      system: systems.name,
      /** A personal account has no name for people. */
      account: sql<string | null>`case when ${accounts.kind} = 'organization' then ${accounts.name} end`,
      browserUid: sessions.browserUid,
      ip: sessions.ip,
      userAgent: sessions.userAgent,
      /** The user who acts in this session. */
      actor: sql<string | null>`${nameIn(sessions.systemId, sessions.actorId)}`,
      reason: sessions.reason,
      createdAt: sessions.createdAt,
    })
    .from(sessions)
    .innerJoin(systems, eq(systems.id, sessions.systemId))
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(isActive(userId))
    .orderBy(desc(sessions.createdAt), desc(sessions.sid))
    .limit(MOST)

/** The system and the browser of an active session of the user. */
export async function findOwnSession(
  tx: Db,
  userId: string,
  sid: string,
): Promise<{ systemId: string; browserUid: string | null } | undefined> {
  const [row] = await tx
    .select({ systemId: sessions.systemId, browserUid: sessions.browserUid })
    .from(sessions)
    .where(and(eq(sessions.sid, sid), isActive(userId)))
  return row
}

/** Whether the user has accepted to be a user of the system. */
export async function hasEntered(db: Db, key: { userId: string; systemId: string }): Promise<boolean> {
  const { userId, systemId } = systemUsers
  const [row] = await db
    .select({ userId })
    .from(systemUsers)
    .where(and(eq(userId, key.userId), eq(systemId, key.systemId), sql`${systemUsers.enteredAt} is not null`))
  return row !== undefined
}

/**
 * Of an account `a` and its system `s`: whether it has pages below /account/organizations. Those of 1:1
 * systems have one member each, and platform systems are administered with their own rules.
 */
export const HAS_PAGES = sql.raw(`a.kind = 'organization' and s.multi_account and not s.platform`)

const hasPage = sql<boolean>`(${memberships.status} = 'active' and exists (
  select from accounts a join systems s on s.id = a.system_id where a.id = ${accounts.id} and ${HAS_PAGES}))`

export const listOwnMemberships = (db: Db, userId: string) =>
  db
    .select({
      accountId: accounts.id,
      account: accounts.name,
      kind: accounts.kind,
      system: systems.name,
      status: standingOf(memberships.status, memberships.accountId),
      hasPage,
      requireMfa: sql<boolean>`${accounts.requireMfaBy} <> '{}'`,
      roles: sql<
        string[]
      >`array(select r.name from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = ${memberships.id} order by r.name)`,
      /** It signs in by a connection of the organization. */
      isManaged: sql<boolean>`exists (select from connection_links l
        where l.account_id = ${memberships.accountId} and l.user_id = ${memberships.userId})`,
      allowed: sql<string[] | null>`${consents.scopes} || ${consents.claims}`,
    })
    .from(memberships)
    .innerJoin(systems, eq(systems.id, memberships.systemId))
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .leftJoin(
      consents,
      and(eq(consents.userId, memberships.userId), eq(consents.accountId, memberships.accountId)),
    )
    .where(eq(memberships.userId, userId))
    .orderBy(asc(systems.name), asc(accounts.name), asc(accounts.id))
    .limit(MOST)
