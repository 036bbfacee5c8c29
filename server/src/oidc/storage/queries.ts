/**
 * The SQL statements of the protocol's artifacts, and those that read the user at /auth. Sessions
 * and revoked tokens are in resources/sessions. A token request executes one statement that reads
 * and one that writes (decision 0033).
 */

import type { Db } from '../../database/database.ts'
import { prepared, preparedRead } from '../../database/prepared.ts'
import { artifacts, memberships, sessions, systems, users } from '../../database/schema.ts'
import {
  endedByAdmin,
  living,
  type Member,
  memberColumns,
  memberUserColumns,
  type SelectableMembership,
  toMember,
} from '../../resources/sessions/queries.ts'
import { hasSecondFactor } from '../../resources/users/sign-in-methods.ts'
import { and, eq, type SQL, sql } from '../../tuning/drizzle.ts'

export type EnabledUser = {
  id: string
  email: string
  locale: string | null
  emailVerified: boolean
  /** The user has registered with an address that is not verified yet. */
  registrationPending: boolean
  mustChangePassword: boolean
  /** An authenticator app or a passkey. */
  hasFactor: boolean
  /** Neither a password nor a passkey; read by `findEnabledUser` only. */
  withoutCredentials?: boolean
}

const userColumns = {
  id: users.id,
  email: users.email,
  locale: users.locale,
  emailVerified: users.emailVerified,
  registrationPending: sql<boolean>`${users.registration} is not null`,
  mustChangePassword: users.mustChangePassword,
  hasFactor: hasSecondFactor,
}

const withoutCredentials = sql<boolean>`${users.passwordHash} is null and not exists (select from passkeys p where p.user_id = users.id)`

const isEnabled = and(eq(users.id, sql.placeholder('userId')), eq(users.disabled, false))

const enabledUser = preparedRead((db) =>
  db
    .select({ ...userColumns, withoutCredentials })
    .from(users)
    .where(isEnabled)
    .prepare('find_enabled_user'),
)

/** The user of a browser session; none if deleted or disabled. */
export async function findEnabledUser(db: Db, userId: string): Promise<EnabledUser | undefined> {
  const [row] = await enabledUser(db).execute({ userId })
  return row
}

/** The user and system of a request to /auth, and the session that the browser has with that system. */
export type SignInKeys = { userId: string; systemId: string; sid: string | undefined }

/** The rows that decide a request to /auth. */
export type SignIn = {
  user: EnabledUser
  /** The user's memberships in the system, by account name. */
  memberships: SelectableMembership[]
  /** The scopes the user has consented to, by account. */
  consents: Record<string, string[]>
  /** The member behind the session, if it has not ended and is the user's own. */
  member: Member | undefined
  /** Whether an administrator has ended another session of this browser and system since. */
  endedByAdmin: boolean
}

const systemId = sql.placeholder('systemId')

/**
 * A condition that no index fits, so that the session is found by its sid. With `=` the planner may
 * read all sessions of the user.
 */
const theirs = sql`${sessions.userId} is not distinct from ${users.id}`

const signIn = preparedRead((db) =>
  db
    .select({
      user: userColumns,
      memberships: sql<SelectableMembership[]>`(select coalesce(json_agg(json_build_object(
          'membershipId', m.id, 'accountId', m.account_id, 'accountName', a.name, 'accountKind', a.kind, 'status', m.status
        ) order by a.name, a.id), '[]')
        from memberships m join accounts a on a.id = m.account_id where m.user_id = ${users.id} and m.system_id = ${systemId})`,
      consents: sql<Record<string, string[]>>`(select coalesce(json_object_agg(c.account_id, c.scopes), '{}')
        from consents c join accounts a on a.id = c.account_id where c.user_id = ${users.id} and a.system_id = ${systemId})`,
      member: memberColumns,
      memberUser: memberUserColumns,
      endedByAdmin,
    })
    .from(users)
    .leftJoin(sessions, and(eq(sessions.sid, sql.placeholder('sid')), theirs, living))
    .leftJoin(memberships, eq(memberships.id, sessions.membershipId))
    .leftJoin(systems, eq(systems.id, sessions.systemId))
    .where(isEnabled)
    .prepare('find_sign_in'),
)

/**
 * The rows that decide a request to /auth with a browser session, read in one statement. None if the user
 * is deleted or disabled.
 */
export async function findSignIn(db: Db, { userId, systemId, sid }: SignInKeys): Promise<SignIn | undefined> {
  const [row] = await signIn(db).execute({ userId, systemId, sid: sid ?? null })
  if (!row) return undefined
  const { member, memberUser, ...rest } = row
  return { ...rest, member: memberOrNone(member, memberUser) }
}

type MemberRow = Parameters<typeof toMember>[0]
type MaybeMember = { [Column in keyof MemberRow]: MemberRow[Column] | null }

/** From the columns of left joins, which are all null if there is no session. */
const memberOrNone = (columns: MaybeMember, user: Member['user'] | null): Member | undefined =>
  columns.sid && user ? toMember(columns as MemberRow, user) : undefined

export type StoredArtifact = {
  payload: Record<string, unknown>
  consumedAt: Date | null
  usedFor: number
  successor: Buffer | null
}

const stored = {
  payload: artifacts.payload,
  consumedAt: artifacts.consumedAt,
  /** Seconds since it was used, by the database's clock. */
  usedFor: sql<number>`coalesce(extract(epoch from clock_timestamp() - ${artifacts.consumedAt}), 0)::float8`,
  successor: artifacts.successor,
}

const unexpired = (which: SQL) =>
  and(eq(artifacts.model, sql.placeholder('model')), which, sql`${artifacts.expiresAt} > now()`)
const byHash = eq(artifacts.idHash, sql.placeholder('hash'))

const found = preparedRead((db) =>
  db.select(stored).from(artifacts).where(unexpired(byHash)).prepare('find_artifact'),
)
const locked = prepared((db) =>
  db.select(stored).from(artifacts).where(unexpired(byHash)).for('update').prepare('lock_artifact'),
)
const foundByUid = preparedRead((db) =>
  db
    .select(stored)
    .from(artifacts)
    .where(unexpired(eq(artifacts.uidHash, sql.placeholder('hash'))))
    .prepare('find_artifact_by_uid'),
)
const foundByUserCode = preparedRead((db) =>
  db
    .select(stored)
    .from(artifacts)
    .where(unexpired(eq(artifacts.userCodeHash, sql.placeholder('hash'))))
    .prepare('find_artifact_by_user_code'),
)

/** An artifact that has not expired, used or not. */
export async function findArtifact(db: Db, model: string, hash: Buffer): Promise<StoredArtifact | undefined> {
  const [row] = await found(db).execute({ model, hash })
  return row
}

/**
 * The same, with the row locked: of two requests with one code or refresh token the second
 * waits and sees the first's change.
 */
export async function lockArtifact(tx: Db, model: string, hash: Buffer): Promise<StoredArtifact | undefined> {
  const [row] = await locked(tx).execute({ model, hash })
  return row
}

export async function findArtifactBy(
  db: Db,
  model: string,
  by: 'uidHash' | 'userCodeHash',
  hash: Buffer,
): Promise<StoredArtifact | undefined> {
  const [row] = await (by === 'uidHash' ? foundByUid : foundByUserCode)(db).execute({ model, hash })
  return row
}

const withMember = preparedRead((db) =>
  db
    .select({ ...stored, sid: artifacts.sid, member: memberColumns, user: memberUserColumns })
    .from(artifacts)
    .leftJoin(sessions, and(eq(sessions.sid, artifacts.sid), living))
    .leftJoin(memberships, eq(memberships.id, sessions.membershipId))
    .leftJoin(users, eq(users.id, sessions.userId))
    .leftJoin(systems, eq(systems.id, sessions.systemId))
    .where(unexpired(byHash))
    .prepare('find_artifact_with_member'),
)

/** An artifact of a session, and the member behind that session. */
export async function findArtifactWithMember(
  db: Db,
  model: string,
  hash: Buffer,
): Promise<(StoredArtifact & { sid: string | null; member: Member | undefined }) | undefined> {
  const [row] = await withMember(db).execute({ model, hash })
  if (!row) return undefined
  const { member, user, ...artifact } = row
  return { ...artifact, member: memberOrNone(member, user) }
}
