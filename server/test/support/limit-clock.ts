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

/**
 * Moves the attempts of all single guessers by seconds, as above; those of networks and of all unknown
 * browsers stay, since they would count as more attempts.
 */
export const moveGuesses = ({ db }: { db: Db }, seconds: number) =>
  db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${seconds * 1_000}::bigint` })
    .where(sql`${limits.key} ~ '(^|-)(guesser|known):'`)

/** Moves what is counted for a limit by seconds, as above. */
export const moveLimit = ({ db }: { db: Db }, { key }: { key: string }, seconds: number) =>
  db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${seconds * 1_000}::bigint` })
    .where(eq(limits.key, key))

/** The most attempts that are checked in that many seconds: five, and one more after each wait. */
export const mostChecked = (seconds: number) => 5 + [1, 5, 21, 85].filter((due) => seconds > due).length
