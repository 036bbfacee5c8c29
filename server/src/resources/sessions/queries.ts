/** SQL statements of sessions and of revoked service tokens. */
import type { Db } from '../../database/database.ts'
import { alias, and, eq, inArray, isNull, type SQL, sql } from '../../database/drizzle.ts'
import { always, lookup } from '../../database/lookups.ts'
import { preparedRead } from '../../database/prepared.ts'
import {
  memberships,
  revokedTokens,
  type StatedByAccount,
  sessions,
  systems,
  systemUsers,
  users,
} from '../../database/schema.ts'
import type { WriteCondition } from '../../database/write-batch.ts'
import {
  type Exemption,
  IS_USABLE_LOCKED,
  isOpenToOwn,
  isUsable,
  type Standing,
  standingOf,
} from '../memberships/standing.ts'
import { profileColumns, profileIn, type Statement, type UserProfile } from '../users/profile.ts'
import { sessionSeen } from '../users/system-users.ts'
import { living, livingIn } from './living.ts'

/** The system and the account are those of the membership. */
export type NewSession = Pick<
  typeof sessions.$inferSelect,
  | 'sid'
  | 'userId'
  | 'membershipId'
  | 'browserUid'
  | 'grant'
  | 'acr'
  | 'amr'
  | 'ip'
  | 'userAgent'
  | 'connectionId'
>

/** How the user of a new session has authenticated. */
export type Authentication = {
  /** The earliest proof that it rests on; ms since 1970. */
  since: number
  /** The user has signed in with credentials that are valid everywhere, and so accepts to be a member. */
  enters: boolean
  /** The user has verified a second factor. */
  hasFactor: boolean
}

/**
 * Opens a session for a membership of the user that may be used. It locks the account (FOR KEY SHARE), then
 * the membership (FOR SHARE), in the order of the clauses: a suspension or a block waits for the session and
 * ends it. Refused if the system has disabled the user or refused earlier authentications, and in a closed
 * membership unless a connection has signed the user in; of an exempt member a second factor was verified.
 * `expiresIn` is in seconds from the database's now.
 */
export const sessionOpened = (
  session: NewSession,
  { since, enters, hasFactor }: Authentication,
  expiresIn: number,
  refusal: () => Error,
): WriteCondition => ({
  name: 'opened_session',
  lock: (value) => sql`select m.id, m.system_id, m.user_id, m.account_id, now() as now
    from memberships m join system_users r on r.user_id = m.user_id and r.system_id = m.system_id
      join accounts a on a.id = m.account_id
    where m.id = ${value('uuid')} and m.user_id = ${value('uuid')} and ${IS_USABLE_LOCKED} and not r.disabled
      and (r.proofs_after is null or r.proofs_after < to_timestamp(${value('float8')}))
      and (${value('boolean')} or ${isOpenToOwn(value('boolean'))})
    for key share of a for share of m for no key update of r`,
  lockValues: [session.membershipId, session.userId, since / 1_000, session.connectionId !== null, hasFactor],
  changes: (value, locked, isReady) => [
    sessionSeen(value, locked, isReady),
    sql`insert into sessions (sid, browser_uid, "grant", acr, amr, ip, user_agent, expires_at,
      system_id, user_id, account_id, membership_id, own_credentials, connection_id)
    select ${value('text')}, ${value('text')}, ${value('jsonb')}, ${value('text')}, ${value('text[]')}, ${value('text')},
      ${value('text')}, now() + make_interval(secs => ${value('float8')}), m.system_id, m.user_id, m.account_id, m.id,
      ${value('boolean')}, ${value('uuid')}
    from ${locked} m where ${isReady}`,
  ],
  changeValues: [
    enters,
    session.sid,
    session.browserUid,
    JSON.stringify(session.grant),
    session.acr,
    session.amr,
    session.ip,
    session.userAgent,
    expiresIn,
    enters,
    session.connectionId,
  ],
  refusal,
})

/** Lets an active session expire in so many seconds. */
export async function updateExpiry(db: Db, sid: string, expiresIn: number): Promise<void> {
  await db
    .update(sessions)
    .set({ expiresAt: sql`now() + make_interval(secs => ${expiresIn}::float8)` })
    .where(and(eq(sessions.sid, sid), isNull(sessions.endedAt)))
}

/** Updates the grant and the authentication of an active session. */
export async function updateGrant(
  db: Db,
  sid: string,
  changed: Pick<Member, 'grant' | 'acr' | 'amr'>,
): Promise<void> {
  await db
    .update(sessions)
    .set(changed)
    .where(and(eq(sessions.sid, sid), isNull(sessions.endedAt)))
}

/** An active session with the current state of its user and membership. */
export type Member = {
  sid: string
  grant: Record<string, unknown>
  systemId: string
  clientId: string
  accountId: string
  membershipId: string
  status: Standing
  acr: string | null
  amr: string[]
  /** Whether it was opened with credentials that are valid everywhere. */
  ownCredentials: boolean
  /** The user who acts for the member in this session. */
  actorId: string | null
  /** The connection that signed the user in; null for credentials of the user. */
  connectionId: string | null
  isLastSeenDue: boolean
  platform: boolean
  /** Whether account admins can call the admin API. */
  accountAdminApi: boolean
  isAdmin: boolean
  roles: string[]
  permissions: string[]
  profiles: string[]
  user: {
    id: string
    email: string
    emailVerified: boolean
    disabled: boolean
    updatedAt: Date
  } & UserProfile
}

export type Rights = { isAdmin: boolean | null; roles: string[] | null; scopes: string[][] | null }

/** The roles of a membership by name, in one subquery, and its profiles. */
export const rights = {
  rights: sql<Rights>`(select json_build_object('isAdmin', bool_or(r.is_admin), 'roles', json_agg(r.name order by r.name), 'scopes', json_agg(r.scopes))
    from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = ${memberships.id})`,
  profiles: sql<
    string[]
  >`array(select p.name from membership_profiles mp join profiles p on p.id = mp.profile_id where mp.membership_id = ${memberships.id} order by p.name)`,
}

/**
 * The columns of a `Member` without its user, for a statement that joins sessions, memberships and systems.
 */
export const memberColumns = {
  sid: sessions.sid,
  grant: sessions.grant,
  systemId: sessions.systemId,
  accountId: sessions.accountId,
  membershipId: sessions.membershipId,
  acr: sessions.acr,
  amr: sessions.amr,
  ownCredentials: sessions.ownCredentials,
  actorId: sessions.actorId,
  connectionId: sessions.connectionId,
  /** Whether `lastSeenAt` is due (touchSession). */
  isLastSeenDue: sql<boolean>`${sessions.lastSeenAt} < now() - interval '1 minute'`,
  status: standingOf(memberships.status, memberships.accountId),
  /** What the organization states about the member. */
  facts: memberships.stated,
  clientId: systems.clientId,
  platform: systems.platform,
  accountAdminApi: systems.accountAdminApi,
  ...rights,
}

/** The condition that joins `users` with the row of the session's system. */
export const ofSessionSystem = and(
  eq(systemUsers.userId, users.id),
  eq(systemUsers.systemId, sessions.systemId),
)

/** A connection of an organization opened it: the organization reads nothing of the user's own profile. */
const isByConnection = sql`${sessions.connectionId} is not null`

/** Whether the user has entered: from then on the system reads the user's own profile. */
const readsOwn = sql<boolean>`(${systemUsers.enteredAt} is not null and not ${isByConnection})`

/**
 * A user as the system of the session reads them, from `users` joined with the row of the system. The two
 * profiles are read as they are stored and combined by `toMember`: in SQL, that was a fifth of the statement.
 * In a session by a connection no value of an address is verified here: domains/match.ts decides.
 */
export const memberUserColumns = {
  user: {
    id: users.id,
    email: sql<string>`${systemUsers.email}`,
    emailVerified: sql<boolean>`(not ${isByConnection} and (${systemUsers.emailVerified} or (${readsOwn} and ${users.emailVerified})))`,
    disabled: sql<boolean>`(${users.disabled} or ${systemUsers.disabled})`,
    updatedAt: sql<Date>`greatest(${systemUsers.updatedAt}, case when ${readsOwn} then ${users.updatedAt} end,
        case when ${memberships.stated} <> '{}' then ${memberships.updatedAt} end)`.mapWith(users.updatedAt),
    ...profileColumns,
  },
  stated: { profile: systemUsers.profile, hasEntered: readsOwn },
}

type MemberUser = { user: Member['user']; stated: Statement }

/** Whether a membership has a role with `canActForMembers`. */
export const canActForMembers = (membershipId: SQL) =>
  sql<boolean>`exists (select from membership_roles mr join roles o on o.id = mr.role_id
    where mr.membership_id = ${membershipId} and o.can_act_for_members)`

/** The session of the user who acts in another one. */
const actor = alias(sessions, 'actor')

/** Whether the session of the user who acts in a session goes on, and the user may still act. */
const actorBySid = preparedRead((db) =>
  db
    .select({ sid: actor.sid })
    .from(sessions)
    .innerJoin(systems, eq(systems.id, sessions.systemId))
    .innerJoin(actor, eq(actor.sid, sessions.actorSid))
    .innerJoin(memberships, eq(memberships.id, actor.membershipId))
    .innerJoin(users, eq(users.id, actor.userId))
    .innerJoin(
      systemUsers,
      and(eq(systemUsers.userId, actor.userId), eq(systemUsers.systemId, actor.systemId)),
    )
    .where(sql`${sessions.sid} = ${sql.placeholder('sid')} and ${systems.allowActingForMembers}
      and ${livingIn(actor)} and ${actor.connectionId} is null and ${isUsable(memberships.status, memberships.accountId)}
      and not ${users.disabled} and not ${systemUsers.disabled} and ${canActForMembers(sql`${memberships.id}`)}`)
    .prepare('find_actor'),
)

const memberBySid = lookup('find_member', { sid: 'text' }, (db, wanted) =>
  db
    .select({ nth: wanted.nth, ...memberColumns, ...memberUserColumns })
    .from(wanted.rows)
    .innerJoinLateral(wanted.rowOf(sessions, and(eq(sessions.sid, wanted.sid), living)), always)
    .innerJoinLateral(wanted.rowOf(memberships, eq(memberships.id, sessions.membershipId)), always)
    .innerJoinLateral(wanted.rowOf(users, eq(users.id, sessions.userId)), always)
    .innerJoinLateral(wanted.rowOf(systemUsers, ofSessionSystem), always)
    .innerJoinLateral(wanted.rowOf(systems, eq(systems.id, sessions.systemId)), always),
)

/**
 * All claims of a token, in one statement, and in a second one if another user acts for the member. Undefined
 * if the session has ended or expired, its membership was deleted, or who acts may no longer act.
 */
export async function findMember(db: Db, sid: string): Promise<Member | undefined> {
  const row = await memberBySid(db, { sid })
  if (!row) return undefined
  const { user, stated, ...member } = row
  if (member.actorId !== null && (await actorBySid(db).execute({ sid })).length === 0) return undefined
  return toMember(member, { user, stated })
}

type MemberRow = Omit<Member, 'user' | 'isAdmin' | 'roles' | 'permissions'> & {
  rights: Rights
  facts: StatedByAccount
}

/** Permissions are the union of the scopes of the roles. */
export const rightsOf = ({ isAdmin, roles, scopes }: Rights) => ({
  isAdmin: isAdmin ?? false,
  roles: roles ?? [],
  permissions: [...new Set(scopes?.flat())].sort(),
})

/** Converts a row of `memberColumns`. The organization's statements override those of the system. */
const toMember = ({ rights, facts, ...row }: MemberRow, { user, stated }: MemberUser): Member => ({
  ...row,
  ...rightsOf(rights),
  user: {
    ...user,
    ...profileIn(user, { ...stated, profile: { ...stated.profile, ...facts } }, row.ownCredentials),
  },
})

type MaybeMember = { [Column in keyof MemberRow]: MemberRow[Column] | null }
type MaybeUser = { [Part in keyof MemberUser]: MemberUser[Part] | null }

/** The member in the columns of left joins, which are all null if there is no session. */
export const memberOrNone = (columns: MaybeMember, { user, stated }: MaybeUser): Member | undefined =>
  columns.sid && user && stated ? toMember(columns as MemberRow, { user, stated }) : undefined

/**
 * Updates `lastSeenAt`, at most once a minute: an update at every refresh would make requests wait for the
 * row.
 */
export async function touchSession(db: Db, sid: string): Promise<void> {
  await db
    .update(sessions)
    .set({ lastSeenAt: sql`now()` })
    .where(and(eq(sessions.sid, sid), sql`${sessions.lastSeenAt} < now() - interval '1 minute'`))
}

/** A membership as the account selection of a sign-in reads it. */
export type SelectableMembership = {
  membershipId: string
  accountId: string
  accountName: string
  accountKind: 'personal' | 'organization'
  status: Standing
  addedBy: 'platform' | 'system' | 'account' | 'user'
  /** The account requires a second factor. */
  requireMfa: boolean
  /** Only a login by a connection of the account opens it. */
  isClosed: boolean
  /** Of a member who is exempt from that. */
  exemption: Exemption | null
  /** Others have added it for a user who existed: the own credentials of the user do not open it alone. */
  confirmEntry: boolean
  /** The time of the newest session; null without one, and for the user's only membership in the system. */
  lastUsedAt: string | null
}

/**
 * Revokes a service token. True for exactly one caller, false if it had expired. `exp` is in seconds since
 * 1970.
 */
export async function insertRevokedToken(db: Db, jti: string, exp: number): Promise<boolean> {
  const [row] = await db
    .insert(revokedTokens)
    .values({ jti, expiresAt: sql`to_timestamp(${exp})` })
    .onConflictDoNothing()
    .returning({ inTime: sql<boolean>`${revokedTokens.expiresAt} > now()` })
  return row?.inTime ?? false
}

const revokedByJti = preparedRead((db) =>
  db
    .select({ jti: revokedTokens.jti })
    .from(revokedTokens)
    .where(eq(revokedTokens.jti, sql.placeholder('jti')))
    .prepare('is_revoked'),
)

export const isRevoked = async (db: Db, jti: string): Promise<boolean> =>
  (await revokedByJti(db).execute({ jti })).length > 0

/** The service tokens that were revoked. */
export async function findRevoked(db: Db, jtis: string[]): Promise<Set<string>> {
  if (jtis.length === 0) return new Set()
  const rows = await db
    .select({ jti: revokedTokens.jti })
    .from(revokedTokens)
    .where(inArray(revokedTokens.jti, jtis))
  return new Set(rows.map(({ jti }) => jti))
}
