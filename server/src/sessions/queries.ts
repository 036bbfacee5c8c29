/** Every SQL statement about sessions: opening, reading what is live, ending. */

import type { Db } from '../db.ts'
import { and, asc, eq, isNull, sql } from '../drizzle.ts'
import { accounts, artifacts, consents, memberships, sessions, systems, users } from '../schema.ts'

export type NewSession = typeof sessions.$inferInsert

/** Adds a session. `expiresIn` is in seconds from the database's now. */
export async function insertSession(db: Db, session: Omit<NewSession, 'expiresAt'>, expiresIn: number): Promise<void> {
  await db.insert(sessions).values({ ...session, expiresAt: sql`now() + make_interval(secs => ${expiresIn})` })
}

/**
 * Whether a membership is active, and stays so until the transaction ends: who blocks or deletes it meanwhile waits, and
 * then ends the session that was opened for it.
 */
export async function holdActive(tx: Db, membershipId: string): Promise<boolean> {
  const held = await tx
    .select({ id: memberships.id })
    .from(memberships)
    .where(and(eq(memberships.id, membershipId), eq(memberships.status, 'active')))
    .for('share')
  return held.length > 0
}

/** Replaces what was granted in a session that is alive. */
export async function updateGrant(db: Db, sid: string, grant: Record<string, unknown>): Promise<void> {
  await db
    .update(sessions)
    .set({ grant })
    .where(and(eq(sessions.sid, sid), isNull(sessions.endedAt)))
}

/** A session that is alive, with the person and the membership behind it as they are now. */
export type Member = {
  sid: string
  grant: Record<string, unknown>
  systemId: string
  clientId: string
  accountId: string
  membershipId: string
  status: 'pending' | 'active' | 'blocked'
  acr: string | null
  amr: string[]
  unseen: boolean
  platform: boolean
  isAdmin: boolean
  roles: string[]
  permissions: string[]
  profiles: string[]
  user: {
    id: string
    email: string
    emailVerified: boolean
    disabled: boolean
    name: string | null
    givenName: string | null
    familyName: string | null
    locale: string | null
    updatedAt: Date
  }
}

/** Role names, the union of their scopes and profile names, sorted; whether any role is admin. */
const rights = {
  isAdmin: sql<boolean>`exists (select from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = ${memberships.id} and r.is_admin)`,
  roles: sql<
    string[]
  >`array(select r.name from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = ${memberships.id} order by r.name)`,
  permissions: sql<
    string[]
  >`array(select distinct scope from membership_roles mr join roles r on r.id = mr.role_id cross join unnest(r.scopes) scope where mr.membership_id = ${memberships.id} order by scope)`,
  profiles: sql<
    string[]
  >`array(select p.name from membership_profiles mp join profiles p on p.id = mp.profile_id where mp.membership_id = ${memberships.id} order by p.name)`,
}

/** One statement for a token's whole claim set. None when the session has ended, expired or lost its membership. */
export async function findMember(db: Db, sid: string): Promise<Member | undefined> {
  const [row] = await db
    .select({
      sid: sessions.sid,
      grant: sessions.grant,
      systemId: sessions.systemId,
      accountId: sessions.accountId,
      membershipId: sessions.membershipId,
      acr: sessions.acr,
      amr: sessions.amr,
      /** Whether `lastSeenAt` is due (touchSession). */
      unseen: sql<boolean>`${sessions.lastSeenAt} < now() - interval '1 minute'`,
      status: memberships.status,
      clientId: systems.clientId,
      platform: systems.platform,
      ...rights,
      user: {
        id: users.id,
        email: users.email,
        emailVerified: users.emailVerified,
        disabled: users.disabled,
        name: users.name,
        givenName: users.givenName,
        familyName: users.familyName,
        locale: users.locale,
        updatedAt: users.updatedAt,
      },
    })
    .from(sessions)
    .innerJoin(memberships, eq(memberships.id, sessions.membershipId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(systems, eq(systems.id, sessions.systemId))
    .where(and(eq(sessions.sid, sid), isNull(sessions.endedAt), sql`${sessions.expiresAt} > now()`))
    .prepare('find_member')
    .execute()
  return row
}

/** Marks a session as seen: at most once a minute, since a row that changes at every refresh is a row that all wait for. */
export async function touchSession(db: Db, sid: string): Promise<void> {
  await db
    .update(sessions)
    .set({ lastSeenAt: sql`now()` })
    .where(and(eq(sessions.sid, sid), sql`${sessions.lastSeenAt} < now() - interval '1 minute'`))
}

/** A membership as the account choice of a sign-in sees it. */
export type Place = {
  membershipId: string
  accountId: string
  accountName: string
  accountKind: 'personal' | 'organization'
  status: 'pending' | 'active' | 'blocked'
}

/** Where a user could sign in to a system, by account name. */
export function listPlaces(db: Db, userId: string, systemId: string): Promise<Place[]> {
  return db
    .select({
      membershipId: memberships.id,
      accountId: memberships.accountId,
      accountName: accounts.name,
      accountKind: accounts.kind,
      status: memberships.status,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(and(eq(memberships.userId, userId), eq(memberships.systemId, systemId)))
    .orderBy(asc(accounts.name), asc(accounts.id))
    .prepare('list_places')
    .execute()
}

/** What the person agreed to before, for this account. */
export async function findConsent(db: Db, userId: string, accountId: string): Promise<string[]> {
  const [row] = await db
    .select({ scopes: consents.scopes })
    .from(consents)
    .where(and(eq(consents.userId, userId), eq(consents.accountId, accountId)))
  return row?.scopes ?? []
}

/** Remembers a consent beside what was agreed to before. */
export async function upsertConsent(db: Db, userId: string, accountId: string, scopes: string[]): Promise<void> {
  await db
    .insert(consents)
    .values({ userId, accountId, scopes })
    .onConflictDoUpdate({
      target: [consents.userId, consents.accountId],
      set: {
        scopes: sql`array(select distinct unnest(${consents.scopes} || excluded.scopes) order by 1)`,
        grantedAt: sql`now()`,
      },
    })
}

/** What to end: every living session that matches. */
export type SessionFilter =
  | { sid: string }
  | { membershipId: string }
  | { userId: string }
  | { accountId: string }
  | { systemId: string }
  | { browserUid: string }

export type EndedSession = { sid: string; userId: string; systemId: string; accountId: string; membershipId: string }

/** Ends sessions: their codes, refresh tokens and access tokens are dead at once. */
export function updateEnded(db: Db, filter: SessionFilter, reason: string): Promise<EndedSession[]> {
  const [[field, value]] = Object.entries(filter) as [[keyof typeof sessions.$inferSelect & keyof typeof COLUMNS, string]]
  return db
    .update(sessions)
    .set({ endedAt: sql`now()`, endReason: reason })
    .where(and(eq(COLUMNS[field], value), isNull(sessions.endedAt)))
    .returning({
      sid: sessions.sid,
      userId: sessions.userId,
      systemId: sessions.systemId,
      accountId: sessions.accountId,
      membershipId: sessions.membershipId,
    })
}

const COLUMNS = {
  sid: sessions.sid,
  membershipId: sessions.membershipId,
  userId: sessions.userId,
  accountId: sessions.accountId,
  systemId: sessions.systemId,
  browserUid: sessions.browserUid,
}

/** Ends a user's sign-ins under way: after it, who was about to go on from one has got a browser session or never will. */
export async function deleteInteractions(db: Db, userId: string): Promise<void> {
  await db.delete(artifacts).where(and(eq(artifacts.userId, userId), eq(artifacts.model, 'Interaction')))
}

/** Signs a user out of every browser: the cookies open nothing any more. */
export async function deleteBrowserSessions(db: Db, userId: string): Promise<void> {
  await db.delete(artifacts).where(and(eq(artifacts.userId, userId), eq(artifacts.model, 'Session')))
}
