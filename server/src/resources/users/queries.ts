/** SQL statements of users. `sign-in.ts` has those of a sign-in. */
import type { Db } from '../../database/database.ts'
import { type Listed, listNewest, type Matching, rowsContaining, withRows } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { memberships, systems, users } from '../../database/schema.ts'
import { addressKey } from '../../email-address.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'
import { and, eq, getTableColumns, inArray, type SQL, sql } from '../../tuning/drizzle.ts'
import { lockMemberships } from '../memberships/queries.ts'
import { hasSecondFactor } from './sign-in-methods.ts'

/** The password hash is not selected, so that it cannot leak. */
const { passwordHash, passwordChangedAt, passwordExpiresAt, ...own } = getTableColumns(users)

const columns = {
  ...own,
  hasPassword: sql<boolean>`users.password_hash is not null`,
  mfaEnabled: hasSecondFactor,
  identities: sql<
    Identity[]
  >`(select coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'subject', i.subject, 'email', i.email) order by i.provider), '[]') from identities i where i.user_id = users.id)`,
}

type Identity = { provider: string; subject: string; email: string | null }

export type User = Omit<
  typeof users.$inferSelect,
  'passwordHash' | 'passwordChangedAt' | 'passwordExpiresAt'
> & {
  hasPassword: boolean
  /** An authenticator app that was confirmed, or a passkey. */
  mfaEnabled: boolean
  identities: Identity[]
}

type UserField = 'email' | 'emailVerified' | 'name' | 'givenName' | 'familyName' | 'locale' | 'metadata'
export type UserInput = Pick<typeof users.$inferInsert, UserField>
/** The fields of a user that another identity provider states. */
export type Names = Pick<User, 'name' | 'givenName' | 'familyName' | 'locale'>
export type UserPatch = Partial<UserInput & { disabled: boolean }>

/** The users with a membership within the reach; every user for an unlimited reach. */
function inReach(reach: Reach): SQL | undefined {
  const place = within(reach, { system: memberships.systemId, account: memberships.accountId })
  return (
    place && sql`exists (select from ${memberships} where ${memberships.userId} = ${users.id} and ${place})`
  )
}

const hasEmail = (email: string) => eq(users.email, email)

export type ListedUser = User & { inReach: boolean }

type UserFilter = { email?: string | undefined; search?: string | undefined }

/**
 * A page of the users, and their number: newest first, or, for one system, by their last membership there. A
 * complete address in `email` or `search` also finds a user outside the reach; only the id of such a user is
 * returned to the caller.
 */
export async function listUsers(
  db: Db,
  reach: Reach,
  { email, search: typed, ...page }: PageRequest & UserFilter,
): Promise<Listed<ListedUser>> {
  const search = typed === undefined ? undefined : addressKey(typed)
  const reached = inReach(reach) ?? sql`true`
  const { systemId } = reach
  const matching =
    systemId === undefined || email !== undefined
      ? allUsers({ email, search })
      : await membersOf(db, systemId, search)
  return listNewest(db, page, matching, (ids) =>
    db
      .select({ ...columns, inReach: sql<boolean>`${reached}` })
      .from(users)
      .where(inArray(users.id, ids)),
  )
}

function allUsers({ email, search }: UserFilter): Matching {
  const { id, createdAt: time, email: text } = users
  const scope = email === undefined ? undefined : hasEmail(email)
  return rowsContaining(search, { from: users, scope, id, time, text })
}

/**
 * By membership, each user once by the newest one: the users of an old system are far from the newest users.
 */
async function membersOf(db: Db, systemId: string, search: string | undefined): Promise<Matching> {
  const { userId: id, createdAt: time, email: text } = memberships
  const scope = eq(memberships.systemId, systemId)
  const [system] = await db
    .select({ several: systems.multiAccount })
    .from(systems)
    .where(eq(systems.id, systemId))
  const last = system?.several
    ? sql`not exists (select from memberships n where n.user_id = ${id} and n.system_id = ${systemId} and (n.created_at, n.id) > (${time}, ${memberships.id}))`
    : undefined
  const found = rowsContaining(search, { from: memberships, scope, id, time, text, last })
  if (search === undefined || !/.@./.test(search)) return found
  const elsewhere = sql`select id, created_at from ${users} where ${hasEmail(search)} and not (${inReach({ systemId })})`
  return withRows(found, elsewhere)
}

/** Throws `user_not_found`, also if the user is out of reach. */
export async function findUser(db: Db, reach: Reach, id: string): Promise<User> {
  const [user] = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.id, id), inReach(reach)))
  if (!user) throw new Failure('user_not_found')
  return user
}

/**
 * Locks a user, of any system or a member of this one, against deletion until the transaction ends. The
 * foreign key of a membership would wait for that deletion too, but only after the key of the account, for
 * which the deletion may be waiting. One transaction at a time adds memberships of a user.
 */
export async function shareUser(
  tx: Db,
  by: { id: string } | { email: string },
  memberOf?: string,
): Promise<{ id: string; email: string }> {
  const [user] = await tx
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(
      and(
        'id' in by ? eq(users.id, by.id) : hasEmail(by.email),
        inReach(memberOf ? { systemId: memberOf } : {}),
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
  const [user] = await tx
    .select(columns)
    .from(users)
    .where(and(eq(users.id, id), inReach(reach)))
    .for('update')
  if (!user) throw new Failure('user_not_found')
  return user
}

/**
 * Throws `user_shared` unless all memberships of the user are in this system, and there is one. The caller
 * has locked the user, so that no membership is added meanwhile.
 */
export async function demandManaged(tx: Db, id: string, systemId: string): Promise<void> {
  const [row] = await tx
    .select({ managed: sql<boolean>`coalesce(bool_and(${memberships.systemId} = ${systemId}), false)` })
    .from(memberships)
    .where(eq(memberships.userId, id))
  if (!row!.managed) throw new Failure('user_shared')
}

export type NewUser = UserInput & {
  id?: string | undefined
  passwordHash?: string | null | undefined
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
  const inserted = await tx
    .insert(users)
    .values(ordered.map((user) => ({ ...user, passwordChangedAt: user.passwordHash ? sql`now()` : null })))
    .onConflictDoNothing()
    .returning({ ...own, hasPassword: columns.hasPassword })
  return inserted.map((user) => ({ ...user, mfaEnabled: false, identities: [] }))
}

/** Whether an address has a user. */
export async function hasUser(db: Db, email: string): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(hasEmail(email))
  return found.length > 0
}

/** The user of an address. Locks the row. */
export async function lockUserOf(tx: Db, email: string): Promise<User | undefined> {
  const [user] = await tx.select(columns).from(users).where(hasEmail(email)).for('update')
  return user
}

/** Updates a row-locked user. Throws `email_taken`. */
export async function updateUser(tx: Db, id: string, patch: UserPatch): Promise<User> {
  // memberships store the address too
  if (patch.email !== undefined) await lockMemberships(tx, { userId: id })
  const [user] = await tx
    .update(users)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(users.id, id))
    .returning(columns)
  return user!
}

export type NewPassword = {
  passwordHash: string
  mustChangePassword: boolean
  /** Hours until the password expires. Default: it does not expire. */
  goodFor?: number | undefined
  /** Set by a link that was emailed to the address, which verifies it. */
  emailVerified?: true | undefined
}

/** Sets the password of a row-locked user. */
export async function updatePassword(
  tx: Db,
  id: string,
  { goodFor, ...password }: NewPassword,
): Promise<User> {
  const passwordExpiresAt = goodFor === undefined ? null : sql`now() + make_interval(hours => ${goodFor})`
  const [user] = await tx
    .update(users)
    .set({
      ...password,
      passwordExpiresAt,
      passwordChangedAt: sql`now()`,
      updatedAt: sql`now()`,
    })
    .where(eq(users.id, id))
    .returning(columns)
  return user!
}

/** Removes the password of a row-locked user. */
export async function deletePassword(tx: Db, id: string): Promise<void> {
  const nothing = {
    passwordHash: null,
    passwordChangedAt: null,
    passwordExpiresAt: null,
    mustChangePassword: false,
  }
  await tx.update(users).set(nothing).where(eq(users.id, id))
}

/** Deletes a user with their memberships, personal accounts, identities, factors and queued email. */
export async function deleteUser(tx: Db, id: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, id))
}
