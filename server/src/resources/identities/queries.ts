/** SQL statements of identities: users at other identity providers. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, inArray, sql } from '../../database/drizzle.ts'
import { identities, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import type { Scope } from '../../http/authority.ts'
import type { Identity } from '../users/queries.ts'
import { hasOtherSignInMethod, isOfScope, isValidIn } from '../users/sign-in-methods.ts'

/** The user of an identity that is valid in a system. */
export async function findIdentityUser(
  db: Db,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
  systemId: Scope,
): Promise<LinkedIdentity | undefined> {
  const [row] = await db
    .select({
      id: identities.id,
      scope: identities.systemId,
      email: identities.email,
      userId: users.id,
      userEmail: users.email,
      disabled: users.disabled,
    })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(
        eq(identities.issuer, issuer),
        eq(identities.subject, subject),
        isValidIn('identities', sql`${systemId}::uuid`),
      ),
    )
    .orderBy(asc(identities.systemId)) // one that is valid in this system only comes first
    .limit(1)
  return row
}

/** `scope`: where the identity is valid. `email`: the address that the provider stated last. */
export type LinkedIdentity = {
  id: string
  scope: Scope
  email: string | null
  userId: string
  userEmail: string
  disabled: boolean
}

/** Returns its id. Throws `identity_taken` or `identity_linked`. */
export async function insertIdentity(
  tx: Db,
  userId: string,
  { provider, issuer, subject, email }: Identity,
  scope: Scope,
): Promise<string> {
  const [row] = await tx
    .insert(identities)
    .values({ userId, systemId: scope, provider, issuer, subject, email, lastLoginAt: sql`now()` })
    .returning({ id: identities.id })
  return row!.id
}

/**
 * Stores the time of a sign-in, the provider's id, and the address if the provider states one. False if the
 * identity was unlinked since.
 */
export async function touchIdentity(
  tx: Db,
  id: string,
  { provider, email }: Pick<Identity, 'provider' | 'email'>,
): Promise<boolean> {
  const touched = await tx
    .update(identities)
    .set({ lastLoginAt: sql`now()`, provider, ...(email !== null && { email }) })
    .where(eq(identities.id, id))
    .returning({ id: identities.id })
  return touched.length === 1
}

/**
 * Deletes the identities of these issuers that a row-locked user has for a scope. Throws
 * `identity_not_found`, or `only_way_in` when the user could not sign in everywhere without them.
 */
export async function deleteIdentitiesOf(
  tx: Db,
  userId: string,
  scope: Scope,
  issuers: string[],
): Promise<void> {
  const linked = and(
    eq(identities.userId, userId),
    inArray(identities.issuer, issuers),
    isOfScope('identities', scope),
  )
  const allowed = scope === null ? hasOtherSignInMethod(userId, null, { issuers }) : undefined
  const deleted = await tx.delete(identities).where(and(linked, allowed)).returning({ id: identities.id })
  if (deleted.length > 0) return
  const kept = await tx.select({ id: identities.id }).from(identities).where(linked)
  throw new Failure(kept.length > 0 ? 'only_way_in' : 'identity_not_found')
}

/** Deletes all identities of a user. */
export async function deleteIdentities(tx: Db, userId: string): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId))
}

/** Gives the identities of these systems to another user. */
export async function moveIdentities(
  tx: Db,
  { from, into }: { from: string; into: string },
  systemIds: string[],
): Promise<void> {
  await tx
    .update(identities)
    .set({ userId: into })
    .where(and(eq(identities.userId, from), inArray(identities.systemId, systemIds)))
}
