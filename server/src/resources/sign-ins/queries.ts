/**
 * The SQL statements of a sign-in: users as the password step, /auth and the steps read them, and their
 * changes by a sign-in.
 */
import type { Db } from '../../database/database.ts'
import { and, desc, eq, gt, type PgColumn, type SQL, sql } from '../../database/drizzle.ts'
import { always, lookup } from '../../database/lookups.ts'
import { preparedRead } from '../../database/prepared.ts'
import { memberships, passwords, sessions, systems, systemUsers, users } from '../../database/schema.ts'
import type { WriteCondition } from '../../database/write-batch.ts'
import type { Scope } from '../../http/authority.ts'
import type { Consented } from '../consents/queries.ts'
import type { StoredPassword } from '../credentials/passwords.ts'
import { type Standing, standingOf } from '../memberships/standing.ts'
import { endedByAdmin, living } from '../sessions/living.ts'
import {
  type Member,
  memberColumns,
  memberOrNone,
  memberUserColumns,
  type SelectableMembership,
} from '../sessions/queries.ts'
import {
  hasSecondFactor,
  hasSecondFactorOf,
  isValidIn,
  validCredentials,
  validPassword,
} from '../users/sign-in-methods.ts'
import { accessColumns } from './access.ts'
import { isPasskeyOffered } from './passkey-offer.ts'

/** A user and the password that they entered, as it was verified. */
type Verified = { id: string; password: StoredPassword | null }

/** A user who has authenticated, as authentication/known-devices.ts needs them. */
export type AuthenticatedUser = Verified & {
  /** The time of the database; ms since 1970. */
  readAt: number
  email: string
  locale: string | null
  hasFactor: boolean
  /** The password is valid only together with an emailed code (credentials/unconfirmed.ts). */
  isUnconfirmed: boolean
  /** Before the present sign-in. */
  signedInBefore: boolean
}

const milliseconds = (time: PgColumn | SQL) =>
  sql<number | null>`(extract(epoch from ${time}) * 1000)::float8`

/** The time at which the statement was executed. */
const readAt = milliseconds(sql`now()`) as SQL<number>

/** The placeholder `systemId` of the statements of a sign-in. */
export const system = sql`${sql.placeholder('systemId')}::uuid`

const password = {
  id: passwords.id,
  hash: passwords.hash,
  scope: passwords.systemId,
  mustChange: passwords.mustChange,
}

const signedInColumns = {
  readAt,
  id: users.id,
  email: users.email,
  locale: users.locale,
  hasFactor: hasSecondFactor(system),
  isUnconfirmed: sql<boolean>`exists (select from unconfirmed_credentials n where n.user_id = ${users.id} and n.credential_id = ${passwords.id})`,
  signedInBefore: sql<boolean>`${users.lastLoginAt} is not null`,
}

/** The row of the system that the user signs in to. */
export const inSystem = (system: SQL) =>
  and(eq(systemUsers.userId, users.id), eq(systemUsers.systemId, system))

const isDisabled = sql<boolean>`(${users.disabled} or coalesce(${systemUsers.disabled}, false))`

/**
 * A user as the password step reads them. `mayLogIn` is false for a disabled user and an expired temporary
 * password.
 */
export type Login = AuthenticatedUser & {
  mayLogIn: boolean
  /** Why not, as far as the system may know: what is valid elsewhere is not its to read. */
  refusal: 'disabled' | 'expired' | null
  /** The hash of the password that is valid everywhere. */
  ownHash: string | null
  /** They are offered a passkey. */
  isOfferedPasskey: boolean
}

const loginByEmail = preparedRead((db) =>
  db
    .select({
      user: {
        ...signedInColumns,
        mayLogIn: sql<boolean>`not ${isDisabled} and coalesce(${passwords.expiresAt} > now(), true)`,
        refusal: sql<Login['refusal']>`case
          when ${systemUsers.disabled} or (${users.disabled} and (${system} is null or ${systemUsers.enteredAt} is not null)) then 'disabled'
          when ${passwords.expiresAt} <= now() and ${passwords.systemId} is not distinct from ${system} then 'expired' end`,
        ownHash: sql<
          string | null
        >`(select w.hash from passwords w where w.user_id = ${users.id} and w.system_id is null)`,
        isOfferedPasskey: isPasskeyOffered(system),
      },
      password,
    })
    .from(users)
    .leftJoin(systemUsers, inSystem(system))
    .leftJoin(passwords, eq(passwords.id, validPassword(system)))
    .where(eq(users.email, sql.placeholder('address')))
    .prepare('find_login'),
)

/** The user of an e-mail address in its stored form, with the one password that is valid in the system. */
export async function findLogin(db: Db, address: string, systemId: Scope): Promise<Login | undefined> {
  const [row] = await loginByEmail(db).execute({ address, systemId })
  return row && { ...row.user, password: row.password }
}

const signedInById = preparedRead((db) =>
  db
    .select({ user: signedInColumns, password })
    .from(users)
    .leftJoin(passwords, eq(passwords.id, validPassword(system)))
    .where(eq(users.id, sql.placeholder('id')))
    .prepare('find_signed_in'),
)

/** A user who has authenticated otherwise than with a password. */
export async function findSignedIn(
  db: Db,
  id: string,
  systemId: Scope,
): Promise<AuthenticatedUser | undefined> {
  const [row] = await signedInById(db).execute({ id, systemId })
  return row && { ...row.user, password: row.password }
}

/** The number of sessions that are read: some users have thousands. */
const NEWEST = 100

/**
 * The IP addresses of the user's sessions of the last 90 days with this user agent, among their newest
 * hundred: of those that were opened with the user's own credentials, and of those with this system.
 */
export async function findAddresses(
  tx: Db,
  userId: string,
  { systemId, userAgent }: { systemId: string | null; userAgent: string | null },
): Promise<(string | null)[]> {
  const newest = tx
    .select({ ip: sessions.ip, userAgent: sessions.userAgent, lastSeenAt: sessions.lastSeenAt })
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        sql`(${sessions.ownCredentials} or ${sessions.systemId} = ${systemId})`,
      ),
    )
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

/** A user as a sign-in to one system reads them, or to the built-in pages. */
export type EnabledUser = {
  id: string
  /** The time of the database; ms since 1970. */
  readAt: number
  email: string
  locale: string | null
  emailVerified: boolean
  mustChangePassword: boolean
  /** The password that must be changed is valid everywhere. */
  mustChangeEverywhere: boolean
  /** An authenticator app or a passkey that is valid here. */
  hasFactor: boolean
  /** An authenticator app or a passkey that is valid everywhere. */
  hasOwnFactor: boolean
  /** The ids of the credentials that are valid here. */
  credentials: (string | null)[]
  /** The credentials that are valid only together with an emailed code (credentials/unconfirmed.ts). */
  unconfirmed: string[]
  /** Authentications before this time are not valid here; ms since 1970. */
  proofsAfter: number | null
  /** Verifications of a second factor before this time are not valid here; ms since 1970. */
  factorsAfter: number | null
  /** Neither a password nor a passkey that is valid here. */
  withoutCredentials: boolean
  /** A user of the system. */
  isInSystem: boolean
  /** The user has entered the system. */
  hasEntered: boolean
}

/** A user as `EnabledUser`, from `users` joined with the row of the system. */
export const userColumns = (system: SQL) => ({
  id: users.id,
  readAt,
  email: users.email,
  locale: users.locale,
  emailVerified: sql<boolean>`(${users.emailVerified} or coalesce(${systemUsers.emailVerified}, false))`,
  mustChangePassword: sql<boolean>`coalesce((select w.must_change from passwords w where w.id = ${validPassword(system)}), false)`,
  mustChangeEverywhere: sql<boolean>`coalesce((select w.must_change and w.system_id is null from passwords w where w.id = ${validPassword(system)}), false)`,
  hasFactor: hasSecondFactor(system),
  hasOwnFactor: hasSecondFactorOf(null),
  credentials: validCredentials(system),
  unconfirmed: sql<
    string[]
  >`array(select n.credential_id from unconfirmed_credentials n where n.user_id = ${users.id})`,
  proofsAfter: milliseconds(systemUsers.proofsAfter),
  factorsAfter: milliseconds(systemUsers.factorsAfter),
  isInSystem: sql<boolean>`${systemUsers.userId} is not null`,
  hasEntered: sql<boolean>`${systemUsers.enteredAt} is not null`,
  withoutCredentials: sql<boolean>`${validPassword(system)} is null and not exists (select from passkeys p where p.user_id = users.id and ${isValidIn('p', system)})`,
})

const enabledUser = lookup('find_enabled_user', { userId: 'uuid', systemId: 'uuid' }, (db, wanted) =>
  db
    .select({ nth: wanted.nth, ...userColumns(wanted.systemId) })
    .from(wanted.rows)
    .innerJoinLateral(wanted.rowOf(users, eq(users.id, wanted.userId)), always)
    .leftJoinLateral(wanted.rowOf(systemUsers, inSystem(wanted.systemId)), always)
    .where(sql`not ${isDisabled}`),
)

/** The user of a browser session; none if deleted, disabled, or disabled in the system. */
export async function findEnabledUser(
  db: Db,
  userId: string,
  systemId: Scope,
): Promise<EnabledUser | undefined> {
  return enabledUser(db, { userId, systemId })
}

/**
 * The user and system of a request to /auth, the session that the browser has with that system, and the
 * account that the request or the user names.
 */
export type SignInKeys = {
  userId: string
  systemId: string
  sid: string | undefined
  accountId: string | undefined
}

/** An account that the user has used, and why the user may not use it any more. */
export type LostAccount = { name: string; status: Exclude<Standing, 'active' | 'pending'> }

/** The rows that decide a request to /auth. */
export type SignIn = {
  user: EnabledUser
  /** The user's memberships in the system that decide: at most a page of them, and the one that is named. */
  memberships: SelectableMembership[]
  /** Pending invitations of the user's verified address to other accounts of the system. */
  offers: { id: string; accountId: string; accountName: string }[]
  /** The user has not entered the system, and is a user of another one. */
  isEntryAsked: boolean
  /** What the user has consented to, by account: in the one that is named, and in the only one. */
  consents: Record<string, Consented>
  /** The member behind the session, if it has not ended and is the user's own. */
  member: Member | undefined
  /** The account of the browser's last session with the system, if it may not be used any more. */
  lastAccount: LostAccount | null
  /** Whether an administrator has ended another session of this browser and system since. */
  endedByAdmin: boolean
}

/**
 * A condition that no index fits, so that the session is found by its sid. With `=` the planner may
 * read all sessions of the user. `lastAccount` is written in the same way.
 */
const theirs = sql`${sessions.userId} is not distinct from ${users.id}`

const KEYS = { userId: 'uuid', systemId: 'uuid', sid: 'text', accountId: 'uuid' } as const

const signIn = lookup('find_sign_in', KEYS, (db, { rows, nth, userId, systemId, sid, accountId, rowOf }) =>
  db
    .select({
      nth,
      user: userColumns(systemId),
      ...accessColumns(systemId, accountId),
      lastAccount: sql<LostAccount | null>`(select json_build_object('name', a.name, 'status', ${standingOf(sql`m.status`, sql`m.account_id`)})
        from sessions s join memberships m on m.id = s.membership_id join accounts a on a.id = m.account_id
        where (m.status = 'blocked' or a.suspended_by <> '{}' and m.status = 'active') and s.sid = ${sid} and s.user_id is not distinct from ${users.id} and s.system_id is not distinct from ${systemId})`,
      member: memberColumns,
      memberUser: memberUserColumns.user,
      stated: memberUserColumns.stated,
      endedByAdmin,
    })
    .from(rows)
    .innerJoinLateral(rowOf(users, eq(users.id, userId)), always)
    .leftJoinLateral(rowOf(systemUsers, inSystem(systemId)), always)
    .leftJoinLateral(rowOf(sessions, and(eq(sessions.sid, sid), theirs, living)), always)
    .leftJoinLateral(rowOf(memberships, eq(memberships.id, sessions.membershipId)), always)
    .leftJoinLateral(rowOf(systems, eq(systems.id, sessions.systemId)), always)
    .where(sql`not ${isDisabled}`),
)

/**
 * The rows that decide a request to /auth with a browser session, read in one statement. None if the user
 * is deleted or disabled.
 */
export async function findSignIn(db: Db, keys: SignInKeys): Promise<SignIn | undefined> {
  const row = await signIn(db, keys)
  if (!row) return undefined
  const { member, memberUser, stated, ...rest } = row
  return { ...rest, member: memberOrNone(member, { user: memberUser, stated }) }
}

const storedTime: Pick<WriteCondition, 'changes' | 'changeValues'> = {
  changes: (_value, locked, isReady) => [
    sql`update users set last_login_at = now() where id = (select id from ${locked}) and ${isReady}`,
  ],
  changeValues: [],
}

/**
 * The time of a sign-in with a password. Refused if the verified password was changed or the user was
 * disabled since. Both sides lock the user, so a change that ends sessions finds every session it must end.
 */
export const loginTime = ({ id, password }: Verified, refusal: () => Error): WriteCondition => ({
  name: 'password_login',
  lock: (value) => sql`select u.id from users u join passwords w on w.user_id = u.id
    where u.id = ${value('uuid')} and w.id = ${value('uuid')} and w.hash = ${value('text')} and not u.disabled
    for no key update`,
  lockValues: [id, password?.id ?? null, password?.hash ?? ''],
  ...storedTime,
  refusal,
})

/**
 * The condition of a sign-in by the connection of an organization. The time is not stored, as it would be
 * read elsewhere.
 */
export const enabledLogin = (id: string, refusal: () => Error): WriteCondition => ({
  ...enabledLoginTime(id, refusal),
  ...{ name: 'connection_login', changes: () => [] },
})

/** The condition of a sign-in without a password. It is not met for a disabled or deleted user. */
export const enabledLoginTime = (id: string, refusal: () => Error): WriteCondition => ({
  name: 'enabled_login',
  lock: (value) => sql`select id from users where id = ${value('uuid')} and not disabled for no key update`,
  lockValues: [id],
  ...storedTime,
  refusal,
})
