/**
 * The SQL statements of a sign-in: users as the password step, /auth and the steps read them, and their
 * changes by a sign-in.
 */
import type { Db } from '../../database/database.ts'
import { preparedRead } from '../../database/prepared.ts'
import { memberships, sessions, systems, users } from '../../database/schema.ts'
import type { WriteCondition } from '../../database/transaction.ts'
import { and, desc, eq, gt, sql } from '../../tuning/drizzle.ts'
import {
  endedByAdmin,
  living,
  type Member,
  memberColumns,
  memberOrNone,
  memberUserColumns,
  type SelectableMembership,
} from '../sessions/queries.ts'
import { hasSecondFactor } from './sign-in-methods.ts'

/** A user and the hash that their password was verified against. */
type Verified = { id: string; passwordHash: string | null }

/** A user who has authenticated, as authentication/known-devices.ts needs them. */
export type SignedIn = Verified & {
  email: string
  locale: string | null
  hasFactor: boolean
  /** Before the present sign-in. */
  signedInBefore: boolean
}

export const signedInColumns = {
  id: users.id,
  email: users.email,
  locale: users.locale,
  passwordHash: users.passwordHash,
  hasFactor: hasSecondFactor,
  signedInBefore: sql<boolean>`${users.lastLoginAt} is not null`,
}

/**
 * A user as the password step reads them. `mayLogIn` is false for a disabled user and an expired temporary
 * password.
 */
export type Login = SignedIn & { mayLogIn: boolean }

const loginByEmail = preparedRead((db) =>
  db
    .select({
      ...signedInColumns,
      mayLogIn: sql<boolean>`not ${users.disabled} and coalesce(${users.passwordExpiresAt} > now(), true)`,
    })
    .from(users)
    .where(eq(users.email, sql.placeholder('address')))
    .prepare('find_login'),
)

/** The user of an e-mail address in its stored form. */
export async function findLogin(db: Db, address: string): Promise<Login | undefined> {
  const [user] = await loginByEmail(db).execute({ address })
  return user
}

const signedInById = preparedRead((db) =>
  db
    .select(signedInColumns)
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare('find_signed_in'),
)

/** A user who has authenticated otherwise than with a password. */
export async function findSignedIn(db: Db, id: string): Promise<SignedIn | undefined> {
  const [user] = await signedInById(db).execute({ id })
  return user
}

/** The number of sessions that are read: some users have thousands. */
const NEWEST = 100

/**
 * The IP addresses of the user's sessions of the last 90 days with this user
 * agent, among their newest hundred.
 */
export async function findAddresses(
  tx: Db,
  userId: string,
  userAgent: string | null,
): Promise<(string | null)[]> {
  const newest = tx
    .select({ ip: sessions.ip, userAgent: sessions.userAgent, lastSeenAt: sessions.lastSeenAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt))
    .limit(NEWEST)
    .as('newest')
  const found = await tx
    .selectDistinct({ ip: newest.ip })
    .from(newest)
    .where(
      and(
        sql`${newest.userAgent} is not distinct from ${userAgent}`,
        gt(newest.lastSeenAt, sql`now() - interval '90 days'`),
      ),
    )
  return found.map(({ ip }) => ip)
}

export type EnabledUser = {
  id: string
  email: string
  locale: string | null
  emailVerified: boolean
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

const storedTime: Pick<WriteCondition, 'change' | 'changeValues'> = {
  change: (_value, locked, isReady) =>
    sql`update users set last_login_at = now() where id = (select id from ${locked}) and ${isReady}`,
  changeValues: [],
}

/**
 * The time of a sign-in with a password. Refused if the verified password was changed or the user was
 * disabled since. Both sides update the same row, so a change that ends sessions finds every session it must
 * end.
 */
export const loginTime = ({ id, passwordHash }: Verified, refusal: () => Error): WriteCondition => ({
  name: 'password_login',
  lock: (value) => sql`select id from users
    where id = ${value('uuid')} and password_hash = ${value('text')} and not disabled for no key update`,
  lockValues: [id, passwordHash ?? ''],
  ...storedTime,
  refusal,
})

/** The same for a sign-in without a password. Refused for a disabled or deleted user. */
export const enabledLoginTime = (id: string, refusal: () => Error): WriteCondition => ({
  name: 'enabled_login',
  lock: (value) => sql`select id from users where id = ${value('uuid')} and not disabled for no key update`,
  lockValues: [id],
  ...storedTime,
  refusal,
})

/** Stores another hash of the same password. False if the verified hash was replaced since. */
export async function replaceHash(db: Db, { id, passwordHash }: Verified, other: string): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: other })
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash ?? '')))
    .returning({ id: users.id })
  return replaced.length === 1
}
