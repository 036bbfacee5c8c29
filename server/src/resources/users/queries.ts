/** SQL statements of users. resources/sign-ins has those of a sign-in. */
import type { Db } from '../../database/database.ts'
import {
  alias,
  and,
  eq,
  getTableColumns,
  inArray,
  type PgColumn,
  type SQL,
  sql,
} from '../../database/drizzle.ts'
import { type StatedProfile, systemUsers, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import type { Reach, Scope } from '../../http/authority.ts'
import { profileIn, type Statement } from './profile.ts'
import { type ByAddress, findReadable } from './readable.ts'
import { hasSecondFactorOf } from './sign-in-methods.ts'
import { isNamedById } from './stated-addresses.ts'

/** The columns of a user that do not depend on who reads them. */
const own = getTableColumns(users)

const identitiesOf = (scope: SQL) =>
  sql<
    Identity[]
  >`(select coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'issuer', i.issuer, 'subject', i.subject, 'email', i.email) order by i.provider), '[]') from identities i where i.user_id = users.id and i.system_id is not distinct from ${scope})`

const passwordOf = (what: SQL, scope: SQL) =>
  sql<boolean>`coalesce((select ${what} from passwords w where w.user_id = users.id and w.system_id is not distinct from ${scope}), false)`

/** The credentials of a user that are valid everywhere, or in one system only. */
const credentialsOf = (scope: Scope) => {
  const id = sql`${scope}::uuid`
  return {
    hasPassword: passwordOf(sql`true`, id),
    mustChangePassword: passwordOf(sql`w.must_change`, id),
    mfaEnabled: hasSecondFactorOf(scope),
    identities: identitiesOf(id),
  }
}

/** A user as the platform and the user themselves read it. */
export const columns = { ...own, readEmail: users.email, ...credentialsOf(null) }

/** The row of the system that reads a user. */
export const row = alias(systemUsers, 'r')
export const rowOf = (systemId: string) => and(eq(row.userId, users.id), eq(row.systemId, systemId))

/** A flag that the system or, once the user has entered, the platform has set. */
const flag = (stated: PgColumn, everywhere: PgColumn) =>
  sql<boolean>`(${stated} or (${row.enteredAt} is not null and ${everywhere}))`

/** A user in a system, for `readBySystem`, from `users` joined with the system's row. */
export const columnsIn = (systemId: string) => ({
  ...own,
  readEmail: sql<string>`coalesce(${row.email}, ${users.email})`,
  stated: { profile: row.profile, hasEntered: sql<boolean>`${row.enteredAt} is not null` },
  metadata: row.metadata,
  emailVerified: flag(row.emailVerified, users.emailVerified),
  disabled: flag(row.disabled, users.disabled),
  lastLoginAt: row.lastLoginAt,
  createdAt: row.createdAt,
  updatedAt:
    sql<Date>`greatest(${row.updatedAt}, case when ${row.enteredAt} is not null then ${users.updatedAt} end)`.mapWith(
      users.updatedAt,
    ),
  ...credentialsOf(systemId),
})

/**
 * A user as a system reads it: its own statements and credentials, and the user's own profile, without phone
 * number and address, once they have entered the system.
 */
export const readBySystem = <Row extends User>({ stated, ...user }: Row & { stated: Statement | null }) => ({
  ...user,
  ...profileIn(user, stated ?? NOT_STATED, false),
})
const NOT_STATED: Statement = { profile: {}, hasEntered: false }

export type User = typeof users.$inferSelect & {
  /**
   * The address that the reader reads: of a system, `email` once the user has entered it. Email is sent to
   * `email`.
   */
  readEmail: string
  hasPassword: boolean
  mustChangePassword: boolean
  /** An authenticator app that was confirmed, or a passkey. */
  mfaEnabled: boolean
  identities: Identity[]
}

/**
 * `issuer` and `subject` identify the user at the provider and never change. `provider` is the provider's id
 * in the settings, `email` the address that it states.
 */
export type Identity = { provider: string; issuer: string; subject: string; email: string | null }

export type UserInput = Pick<
  typeof users.$inferInsert,
  keyof StatedProfile | 'email' | 'emailVerified' | 'metadata' | 'disabled'
>
/** The fields of a user that another identity provider states. */
export type Names = Pick<User, 'name' | 'givenName' | 'familyName' | 'locale'>
export type UserPatch = Partial<UserInput>

export const hasEmail = (email: string) => eq(users.email, email)

async function selectUsers(db: Db, { systemId }: Reach, condition: SQL | undefined): Promise<User[]> {
  if (systemId === undefined) return db.select(columns).from(users).where(condition)
  const found = await db
    .select(columnsIn(systemId))
    .from(users)
    .innerJoin(row, rowOf(systemId))
    .where(condition)
  return found.map(readBySystem)
}

/** Throws `user_not_found`, also if the user is not in the reach of the caller. */
export async function findUser(db: Db, reach: Reach, id: string): Promise<User> {
  const inAccount =
    reach.accountId === undefined
      ? undefined
      : sql`exists (select from memberships m where m.user_id = ${users.id} and m.account_id = ${reach.accountId})`
  const [user] = await selectUsers(db, reach, and(eq(users.id, id), inAccount))
  if (!user) throw new Failure('user_not_found')
  return user
}

/**
 * Locks a user, of any system or a member of this one, against deletion until the transaction ends. The
 * foreign key of a membership would wait for that deletion too, but only after the key of the account, for
 * which the deletion may be waiting. One transaction at a time adds memberships of a user. A system names a
 * user who has moved by id only if it has stated an address of the user, or has just named the present one.
 */
export async function shareUser(
  tx: Db,
  by: { id: string; reader: string | undefined } | ByAddress,
  memberOf?: string,
): Promise<{ id: string; email: string }> {
  const id = 'id' in by ? by.id : await findReadable(tx, by)
  if (id === undefined) throw new Failure('user_not_found')
  const [user] = await tx
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(
      and(
        eq(users.id, id),
        'id' in by && by.reader !== undefined ? isNamedById(by.reader) : undefined,
        memberOf === undefined
          ? undefined
          : sql`exists (select from memberships m where m.user_id = ${users.id} and m.system_id = ${memberOf})`,
      ),
    )
    .for('no key update')
  if (!user) throw new Failure('user_not_found')
  return user
}

/**
 * Locks a user in reach against changes and new memberships until the transaction ends. Throws
 * `user_not_found`.
 */
export async function lockUser(tx: Db, reach: Reach, id: string): Promise<User> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update')
  // Read after the lock: a statement that waits for a lock returns other rows as they were before.
  return findUser(tx, reach, id)
}

const NO_CREDENTIALS = { hasPassword: false, mustChangePassword: false, mfaEnabled: false, identities: [] }

export type NewUser = UserInput & {
  id?: string | undefined
  hasPassword?: boolean
}

/** A user to create, with a password (lifecycle/create-user.ts). */
export type CreatedUser = NewUser & {
  passwordHash?: string | null | undefined
  mustChangePassword?: boolean | undefined
  /** The hash is of another service: unless the address is verified, anyone may have chosen the password. */
  isImported?: boolean | undefined
}

/**
 * Inserts the users whose e-mail address is free, the first one if several have the same. The rows are
 * ordered by address, so that concurrent calls lock them in the same order.
 */
export async function insertUsers(tx: Db, given: NewUser[]): Promise<User[]> {
  if (given.length === 0) return []
  const ordered = given.toSorted((one, other) =>
    one.email < other.email ? -1 : one.email > other.email ? 1 : 0,
  )
  const inserted = await tx.insert(users).values(ordered).onConflictDoNothing().returning(own)
  return inserted.map((user) => ({ ...user, readEmail: user.email, ...NO_CREDENTIALS }))
}

/** The addresses that have a user. */
export async function findTaken(db: Db, emails: string[]): Promise<Set<string>> {
  const rows = await db.select({ email: users.email }).from(users).where(inArray(users.email, emails))
  return new Set(rows.map(({ email }) => email))
}

/** The user with this address. */
export async function findUserOf(db: Db, email: string): Promise<User | undefined> {
  const [user] = await db.select(columns).from(users).where(hasEmail(email))
  return user
}

/** Whether a statement waits for a row that another transaction has locked; otherwise it fails. */
export type Waits = boolean

/** The user of an address. Locks the row. */
export async function lockUserOf(tx: Db, email: string, waits: Waits = true): Promise<User | undefined> {
  const user = tx.select(columns).from(users).where(hasEmail(email))
  return (await user.for('update', waits ? {} : { noWait: true }))[0]
}

/** Updates a row-locked user, except the address. */
export const updateUser = (
  tx: Db,
  id: string,
  patch: Omit<UserPatch, 'email'> & { hasPassword?: true },
): Promise<User> => updateWithAddress(tx, id, patch)

/** The systems that a user has entered read a new address; others the one at which they stated the user. */
async function moveAddress(tx: Db, { id, email }: User): Promise<void> {
  await tx
    .update(systemUsers)
    .set({ email })
    .where(
      and(
        eq(systemUsers.userId, id),
        sql`${systemUsers.enteredAt} is not null and ${systemUsers.email} <> ${email}`,
      ),
    )
}

/**
 * Updates a row-locked user. Memberships store the address too: the caller locks them before it changes.
 * Throws `email_taken`.
 */
export async function updateWithAddress(
  tx: Db,
  id: string,
  patch: UserPatch & { hasPassword?: true },
): Promise<User> {
  const [user] = await tx
    .update(users)
    .set({
      ...patch,
      ...(patch.email !== undefined && {
        movedAt: sql`case when ${users.email} = ${patch.email} then ${users.movedAt} else now() end`,
      }),
      updatedAt: sql`now()`,
    })
    .where(eq(users.id, id))
    .returning(columns)
  if (patch.email !== undefined) await moveAddress(tx, user!)
  return user!
}

/** Deletes a user with their memberships, personal accounts, identities, factors and queued email. */
export async function deleteUser(tx: Db, id: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, id))
}
