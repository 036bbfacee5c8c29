import type { Db } from '../../src/database/database.ts'
import { eq, sql } from '../../src/database/drizzle.ts'
import { limits } from '../../src/database/schema.ts'

/**
 * Moves the attempts that are counted for a user by seconds, into the past if negative. With attempts in the
 * future a refusal does not depend on the speed of the machine, which may take longer than the wait.
 */
export const moveAttempts = ({ db }: { db: Db }, userId: string, seconds: number) =>
  db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${seconds * 1_000}::bigint` })
    .where(eq(limits.userId, userId))
