/** SQL statements that update a user at a sign-in. */
import type { Db } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { users } from '../../database/schema.ts'
import { and, eq, sql } from '../../tuning/drizzle.ts'

/** A user and the hash that their password was verified against. */
type Verified = { id: string; passwordHash: string | null }

const touchedLogin = prepared((db) =>
  db
    .update(users)
    .set({ lastLoginAt: sql`now()` })
    .where(
      and(
        eq(users.id, sql.placeholder('id')),
        eq(users.passwordHash, sql.placeholder('passwordHash')),
        eq(users.disabled, false),
      ),
    )
    .returning({ id: users.id })
    .prepare('touch_login'),
)

/**
 * Stores the time of a sign-in. False if the verified password was changed or the user was disabled since.
 * Both sides update the same row, so a change that ends sessions finds every session it must end.
 */
export async function touchLogin(tx: Db, { id, passwordHash }: Verified): Promise<boolean> {
  return (await touchedLogin(tx).execute({ id, passwordHash: passwordHash ?? '' })).length === 1
}

/** The same for a sign-in without a password. False for a disabled or deleted user. */
export async function touchEnabled(tx: Db, userId: string): Promise<boolean> {
  const touched = await tx
    .update(users)
    .set({ lastLoginAt: sql`now()` })
    .where(and(eq(users.id, userId), eq(users.disabled, false)))
    .returning({ id: users.id })
  return touched.length === 1
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
