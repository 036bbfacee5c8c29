/** SQL statements of identities: users at other identity providers. */
import type { Db } from '../../database/database.ts'
import { identities, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import type { Scope } from '../../http/authority.ts'
import { and, asc, eq, sql } from '../../tuning/drizzle.ts'
import { hasOtherSignInMethod, isOfScope, isValidIn } from '../users/sign-in-methods.ts'

/** `subject` never changes and is unique at its provider. */
export type Identity = { provider: string; subject: string; email: string | null }

/** The user of an identity that is valid in a system. */
export async function findIdentityUser(
  db: Db,
  { provider, subject }: Pick<Identity, 'provider' | 'subject'>,
  systemId: Scope,
): Promise<LinkedIdentity | undefined> {
  const [row] = await db
    .select({ id: identities.id, scope: identities.systemId, userId: users.id, disabled: users.disabled })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(
        eq(identities.provider, provider),
        eq(identities.subject, subject),
        isValidIn('identities', sql`${systemId}::uuid`),
      ),
    )
    .orderBy(asc(identities.systemId)) // one that is valid in this system only comes first
    .limit(1)
  return row
}

/** `scope`: where the identity is valid. */
export type LinkedIdentity = { id: string; scope: Scope; userId: string; disabled: boolean }

/** Returns its id. Throws `identity_taken` or `identity_linked`. */
export async function insertIdentity(
  tx: Db,
  userId: string,
  { provider, subject, email }: Identity,
  scope: Scope,
): Promise<string> {
  const [row] = await tx
    .insert(identities)
    .values({ userId, systemId: scope, provider, subject, email, lastLoginAt: sql`now()` })
    .returning({ id: identities.id })
  return row!.id
}

/** Stores the time of a sign-in and the current address of the identity. False if it was unlinked since. */
export async function touchIdentity(tx: Db, id: string, email: string | null): Promise<boolean> {
  const touched = await tx
    .update(identities)
    .set({ lastLoginAt: sql`now()`, email })
    .where(eq(identities.id, id))
    .returning({ id: identities.id })
  return touched.length === 1
}

/**
 * Deletes the identity that a row-locked user has for a scope. Throws `identity_not_found`, or `only_way_in`
 * when the user could not sign in everywhere without it.
 */
export async function deleteIdentity(tx: Db, userId: string, scope: Scope, provider: string): Promise<void> {
  const linked = and(
    eq(identities.userId, userId),
    eq(identities.provider, provider),
    isOfScope('identities', scope),
  )
  const allowed = scope === null ? hasOtherSignInMethod(userId, null, { provider }) : undefined
  const deleted = await tx.delete(identities).where(and(linked, allowed)).returning({ id: identities.id })
  if (deleted.length > 0) return
  const kept = await tx.select({ id: identities.id }).from(identities).where(linked)
  throw new Failure(kept.length > 0 ? 'only_way_in' : 'identity_not_found')
}

/** Deletes all identities of a user. */
export async function deleteIdentities(tx: Db, userId: string): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId))
}
