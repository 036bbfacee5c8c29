/** Every SQL statement about users that the admin API needs; what a sign-in reads is the interaction's. */

import type { Db } from '../../database/database.ts'
import { holding, joined, type Listed, listNewest, type Matching } from '../../database/lists.ts'
import { memberships, type Registration, systems, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'
import type { PageRequest } from '../../http/shapes.ts'
import { and, eq, getTableColumns, inArray, type SQL, sql } from '../../tuning/drizzle.ts'
import { lockMemberships } from '../memberships/queries.ts'
import { hasSecondFactor } from './sign-in-methods.ts'

/** The hash is never read here: what isn't read can't leak. */
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

/** Everybody, or who has a membership within the reach. */
function inReach(reach: Reach): SQL | undefined {
  const place = within(reach, { system: memberships.systemId, account: memberships.accountId })
  return (
    place && sql`exists (select from ${memberships} where ${memberships.userId} = ${users.id} and ${place})`
  )
}

const hasEmail = (email: string) => sql`lower(${users.email}) = lower(${email})`

export type ListedUser = User & { inReach: boolean }

type UserFilter = { email?: string | undefined; search?: string | undefined }

/**
 * A page of the users, and how many there are: the newest first, or for one system those who joined it last. Who names an
 * address in full, by `email` or by `search`, finds its user beyond the reach too; of such a user only the id may be told.
 */
export async function listUsers(
  db: Db,
  reach: Reach,
  { email, search, ...page }: PageRequest & UserFilter,
): Promise<Listed<ListedUser>> {
  const reached = inReach(reach) ?? sql`true`
  const { systemId } = reach
  const matching =
    systemId === undefined || email !== undefined
      ? everybody({ email, search })
      : await membersOf(db, systemId, search)
  return listNewest(db, page, matching, (ids) =>
    db
      .select({ ...columns, inReach: sql<boolean>`${reached}` })
      .from(users)
      .where(inArray(users.id, ids)),
  )
}

function everybody({ email, search }: UserFilter): Matching {
  const { id, createdAt: time, email: text } = users
  const scope = email === undefined ? undefined : hasEmail(email)
  return holding(search, { from: users, scope, id, time, text })
}

/** By membership, each user by the last: the users of an old system are far from the newest of all. */
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
  const found = holding(search, { from: memberships, scope, id, time, text, last })
  if (search === undefined || !/.@./.test(search)) return found
  const elsewhere = sql`select id, created_at from ${users} where ${hasEmail(search)} and not (${inReach({ systemId })})`
  return joined(found, elsewhere)
}

/** Refused as user_not_found, also when the user is out of reach. */
export async function findUser(db: Db, reach: Reach, id: string): Promise<User> {
  const [user] = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.id, id), inReach(reach)))
  if (!user) throw new Failure('user_not_found')
  return user
}

/**
 * Any user, who is not deleted before the transaction ends. A membership's own key would wait for that deletion too, but
 * only after its account's, which the deletion may be waiting for.
 */
export async function shareUser(tx: Db, id: string): Promise<{ id: string; email: string }> {
  const [user] = await tx
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.id, id))
    .for('key share')
  if (!user) throw new Failure('user_not_found')
  return user
}

/** A user in reach, whom nobody else changes or makes a member of anything before the transaction ends. */
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
 * Refuses, as user_shared, a user whom the system does not manage: who has a membership elsewhere, or none. Call it with
 * the user locked; the lock keeps memberships from being added meanwhile.
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
  registration?: Registration | undefined
}

/**
 * Inserts the users whose e-mail address is free, the first one if several have the same. The rows are ordered by address, so
 * that concurrent calls lock them in the same order.
 */
export async function insertUsers(tx: Db, given: NewUser[]): Promise<User[]> {
  if (given.length === 0) return []
  const keyed = given.map((user) => ({ user, key: user.email.toLowerCase() }))
  const ordered = keyed.toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  const inserted = await tx
    .insert(users)
    .values(
      ordered.map(({ user }) => ({ ...user, passwordChangedAt: user.passwordHash ? sql`now()` : null })),
    )
    .onConflictDoNothing()
    .returning({ ...own, hasPassword: columns.hasPassword })
  return inserted.map((user) => ({ ...user, mfaEnabled: false, identities: [] }))
}

/** Whether an address has a user, in any letter case. */
export async function hasUser(db: Db, email: string): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(hasEmail(email))
  return found.length > 0
}

/** The user of an address, in any letter case, held. */
export async function lockUserOf(tx: Db, email: string): Promise<User | undefined> {
  const [user] = await tx.select(columns).from(users).where(hasEmail(email)).for('update')
  return user
}

/** Changes a user that the transaction holds. An address that is verified is nobody else's to register. Refused as email_taken. */
export async function updateUser(tx: Db, id: string, patch: UserPatch): Promise<User> {
  if (patch.email !== undefined) await lockMemberships(tx, { userId: id }) // they have the address too
  const proven = patch.emailVerified === true && { registration: null }
  const [user] = await tx
    .update(users)
    .set({ ...patch, ...proven, updatedAt: sql`now()` })
    .where(eq(users.id, id))
    .returning(columns)
  return user!
}

export type NewPassword = {
  passwordHash: string
  mustChangePassword: boolean
  /** Hours that a temporary password is good for; else it is for good. */
  goodFor?: number | undefined
  /** Whoever set it has proven that the address is theirs. */
  emailVerified?: true | undefined
  /** Whoever set it has registered with the address and not proven it. Any other way to set a password ends that. */
  registration?: Registration
  name?: string | null | undefined
  locale?: string | null | undefined
}

/** Sets the password of a user that the transaction holds. */
export async function updatePassword(
  tx: Db,
  id: string,
  { goodFor, ...password }: NewPassword,
): Promise<User> {
  const passwordExpiresAt = goodFor === undefined ? null : sql`now() + make_interval(hours => ${goodFor})`
  const [user] = await tx
    .update(users)
    .set({
      registration: null,
      ...password,
      passwordExpiresAt,
      passwordChangedAt: sql`now()`,
      updatedAt: sql`now()`,
    })
    .where(eq(users.id, id))
    .returning(columns)
  return user!
}

/** Leaves a user that the transaction holds without a password. */
export async function deletePassword(tx: Db, id: string): Promise<void> {
  const nothing = {
    passwordHash: null,
    passwordChangedAt: null,
    passwordExpiresAt: null,
    mustChangePassword: false,
  }
  await tx.update(users).set(nothing).where(eq(users.id, id))
}

/** Everything of the person goes with it: memberships, personal accounts, identities, factors, mail that waits. */
export async function deleteUser(tx: Db, id: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, id))
}
