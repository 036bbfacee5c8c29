/** SQL statements that update a user at a sign-in. */
import type { Db } from '../../database/database.ts'
import { preparedRead } from '../../database/prepared.ts'
import { users } from '../../database/schema.ts'
import type { WriteCondition } from '../../database/transaction.ts'
import { and, eq, sql } from '../../tuning/drizzle.ts'
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

/** Stores another hash of the same password. False if the verified hash was replaced since. */
export async function replaceHash(db: Db, { id, passwordHash }: Verified, other: string): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: other })
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash ?? '')))
    .returning({ id: users.id })
  return replaced.length === 1
}
