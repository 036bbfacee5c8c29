/** SQL statements that update a user at a sign-in. */
import type { Db } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { users } from '../../database/schema.ts'
import { and, eq, type SQL, sql } from '../../tuning/drizzle.ts'
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

const signedIn = {
  id: users.id,
  email: users.email,
  locale: users.locale,
  passwordHash: users.passwordHash,
  hasFactor: hasSecondFactor,
}

/** Stores the time of the sign-in of an enabled user, if the row meets the condition. */
const touch = (db: Db, condition?: SQL) => {
  const before = sql`(select id, last_login_at from users where id = ${sql.placeholder('id')} for no key update) before`
  return db
    .update(users)
    .set({ lastLoginAt: sql`now()` })
    .from(before)
    .where(and(sql`${users.id} = before.id`, eq(users.disabled, false), condition))
    .returning({ ...signedIn, signedInBefore: sql<boolean>`before.last_login_at is not null` })
}

const touchedLogin = prepared((db) =>
  touch(db, eq(users.passwordHash, sql.placeholder('passwordHash'))).prepare('touch_login'),
)

/**
 * Stores the time of a sign-in. None if the verified password was changed or the user was disabled since.
 * Both sides update the same row, so a change that ends sessions finds every session it must end.
 */
export async function touchLogin(tx: Db, { id, passwordHash }: Verified): Promise<SignedIn | undefined> {
  const [user] = await touchedLogin(tx).execute({ id, passwordHash: passwordHash ?? '' })
  return user
}

const touchedEnabled = prepared((db) => touch(db).prepare('touch_enabled'))

/** The same for a sign-in without a password. None for a disabled or deleted user. */
export async function touchEnabled(tx: Db, id: string): Promise<SignedIn | undefined> {
  const [user] = await touchedEnabled(tx).execute({ id })
  return user
}

/** A user who has verified a second factor, after `touchLogin`. */
export async function findSignedIn(tx: Db, id: string): Promise<SignedIn | undefined> {
  const [user] = await tx
    .select({ ...signedIn, signedInBefore: sql<boolean>`${users.lastLoginAt} is not null` })
    .from(users)
    .where(eq(users.id, id))
  return user
}

/** Stores another hash of the same password. False if the verified hash was replaced since. */
export async function replaceHash(db: Db, { id, passwordHash }: Verified, other: string): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: other })
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash ?? '')))
    .returning({ id: users.id })
  return replaced.length === 1
}
