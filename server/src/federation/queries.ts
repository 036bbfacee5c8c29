/** Every SQL statement of signing in with another identity provider. */
import type { Db } from '../database/database.ts'
import { artifacts, identities, users } from '../database/schema.ts'
import { and, eq, sql } from '../tuning/drizzle.ts'
import type { Person } from './identity.ts'

/** Uses up what may be used once, by its hash. True for exactly one caller. `life` is in seconds. */
export async function spendOnce(db: Db, hash: Buffer, life: number): Promise<boolean> {
  const added = await db
    .insert(artifacts)
    .values({
      model: 'SocialState',
      idHash: hash,
      payload: {},
      expiresAt: sql`now() + make_interval(secs => ${life})`,
    })
    .onConflictDoNothing()
    .returning({ model: artifacts.model })
  return added.length === 1
}

/** Whose an identity is. */
export async function findOwner(
  db: Db,
  provider: string,
  subject: string,
): Promise<{ id: string; disabled: boolean } | undefined> {
  const [row] = await db
    .select({ id: users.id, disabled: users.disabled })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, provider), eq(identities.subject, subject)))
  return row
}

type New = { userId: string; provider: string; person: Person }

/** Refused as identity_taken or identity_linked. */
export async function insertIdentity(tx: Db, { userId, provider, person }: New): Promise<void> {
  const { subject, email } = person
  await tx.insert(identities).values({ userId, provider, subject, email, lastLoginAt: sql`now()` })
}

/** Keeps when a person signed in with an identity, and its address. False when it was unlinked meanwhile. */
export async function touchIdentity(tx: Db, { userId, provider, person }: New): Promise<boolean> {
  const touched = await tx
    .update(identities)
    .set({ lastLoginAt: sql`now()`, email: person.email })
    .where(
      and(
        eq(identities.userId, userId),
        eq(identities.provider, provider),
        eq(identities.subject, person.subject),
      ),
    )
    .returning({ id: identities.id })
  return touched.length === 1
}

const told = ({ name, givenName, familyName, locale }: Person) => ({ name, givenName, familyName, locale })

/** A person whose address the provider has verified; nobody when the address has a user. */
export async function insertVerified(tx: Db, email: string, person: Person): Promise<string | undefined> {
  const [row] = await tx
    .insert(users)
    .values({ ...told(person), email, emailVerified: true })
    .onConflictDoNothing()
    .returning({ id: users.id })
  return row?.id
}

/** Of a user that the transaction holds: nothing is left of whoever registered with the address and never proved it. */
export async function clearRegistered(tx: Db, userId: string, person: Person): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId))
  await tx
    .update(users)
    .set({
      ...told(person),
      emailVerified: true,
      registration: null,
      passwordHash: null,
      passwordChangedAt: null,
      passwordExpiresAt: null,
      mustChangePassword: false,
      updatedAt: sql`now()`,
    })
    .where(eq(users.id, userId))
}
