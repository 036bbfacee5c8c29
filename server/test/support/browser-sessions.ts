/** Changes of stored browser sessions and passwords that no request makes. */
import type { Proof } from '../../src/authentication/proofs.ts'
import type { Db } from '../../src/database/database.ts'
import { and, eq, sql } from '../../src/database/drizzle.ts'
import { artifacts, passwords } from '../../src/database/schema.ts'

type Login = Pick<Proof, 'method' | 'credential'>

/**
 * Moves the authentication of every browser session of a user to `age` seconds ago, and its last use to
 * `idle` seconds ago. `login` replaces all its proofs by one that is valid everywhere.
 */
export async function changeProofs(
  db: Db,
  userId: string,
  { age = 0, idle = age, login }: { age?: number; idle?: number; login?: Login },
): Promise<void> {
  const seconds = sql`(extract(epoch from now())::int - ${age}::int)`
  const at = sql`jsonb_build_object('at', ${seconds} * 1000::float8,
    'usedAt', (extract(epoch from now())::int - ${idle}::int) * 1000::float8)`
  const proofs = login
    ? sql`jsonb_build_array(${JSON.stringify({ ...login, userId, scope: null, primary: true })}::jsonb || ${at})`
    : sql`(select coalesce(jsonb_agg(p || ${at}), '[]') from jsonb_array_elements(payload->'proofs') p)`
  await db
    .update(artifacts)
    .set({ payload: sql`payload || jsonb_build_object('loginTs', ${seconds}, 'proofs', ${proofs})` })
    .where(and(eq(artifacts.model, 'Session'), eq(artifacts.userId, userId)))
}

/** As after a sign-in in another account: the browser has proofs, and no session of a system. */
export const forgetSessions = (db: Db, userId: string) =>
  db
    .update(artifacts)
    .set({ payload: sql`payload - 'authorizations'` })
    .where(and(eq(artifacts.model, 'Session'), eq(artifacts.userId, userId)))

/** A proof without its user, with its age in seconds. */
export type AgedProof = Login & Partial<Pick<Proof, 'scope' | 'primary'>> & { age: number }

/** Replaces the proofs of every browser session of a user. */
export async function setProofs(db: Db, userId: string, proofs: readonly AgedProof[]): Promise<void> {
  await db
    .update(artifacts)
    .set({
      payload: sql`payload || jsonb_build_object('proofs', (select jsonb_agg((p - 'age') || jsonb_build_object('at',
        floor(extract(epoch from now()) * 1000)::float8 - (p->>'age')::float8 * 1000))
        from jsonb_array_elements(${JSON.stringify(
          proofs.map((proof) => ({ scope: null, primary: true, ...proof, userId })),
        )}::jsonb) p))`,
    })
    .where(and(eq(artifacts.model, 'Session'), eq(artifacts.userId, userId)))
}

export const removePasswords = (db: Db, userId: string) =>
  db.delete(passwords).where(eq(passwords.userId, userId))
