/** SQL statements of identities: users at other identity providers. */
import type { Db } from '../../database/database.ts'
import { identities, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { and, eq, sql } from '../../tuning/drizzle.ts'
import { hasOtherSignInMethod } from '../users/sign-in-methods.ts'

/** `subject` never changes and is unique at its provider. */
export type Identity = { provider: string; subject: string; email: string | null }

/** The user of an identity. */
export async function findIdentityUser(
  db: Db,
  { provider, subject }: Pick<Identity, 'provider' | 'subject'>,
): Promise<{ id: string; disabled: boolean } | undefined> {
  const [row] = await db
    .select({ id: users.id, disabled: users.disabled })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, provider), eq(identities.subject, subject)))
  return row
}

/** Throws `identity_taken` or `identity_linked`. */
export async function insertIdentity(tx: Db, userId: string, identity: Identity): Promise<void> {
  const { provider, subject, email } = identity
  await tx.insert(identities).values({ userId, provider, subject, email, lastLoginAt: sql`now()` })
}

/** Stores the time of a sign-in and the current address of the identity. False if it was unlinked since. */
export async function touchIdentity(
  tx: Db,
  userId: string,
  { provider, subject, email }: Identity,
): Promise<boolean> {
  const touched = await tx
    .update(identities)
    .set({ lastLoginAt: sql`now()`, email })
    .where(
      and(eq(identities.userId, userId), eq(identities.provider, provider), eq(identities.subject, subject)),
    )
    .returning({ id: identities.id })
  return touched.length === 1
}

/**
 * Deletes the identity of a row-locked user. Throws `identity_not_found`, or `only_way_in` when the
 * user could not sign in without it.
 */
export async function deleteIdentity(tx: Db, userId: string, provider: string): Promise<void> {
  const linked = and(eq(identities.userId, userId), eq(identities.provider, provider))
  const deleted = await tx
    .delete(identities)
    .where(and(linked, hasOtherSignInMethod(userId, { provider })))
    .returning({ id: identities.id })
  if (deleted.length > 0) return
  const kept = await tx.select({ id: identities.id }).from(identities).where(linked)
  throw new Failure(kept.length > 0 ? 'only_way_in' : 'identity_not_found')
}

/** Deletes all identities of a user. */
export async function deleteIdentities(tx: Db, userId: string): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId))
}
