/** Systems as other processes see them later. */
import type { Db } from '../../src/database/database.ts'
import { eq, sql } from '../../src/database/drizzle.ts'
import { systems } from '../../src/database/schema.ts'
import { forgetClient } from '../../src/resources/systems/queries.ts'

type System = { clientId: string }

/** Ends the second for which the process caches a system. */
export const expireCache = (db: Db, { clientId }: System): void => forgetClient(db, clientId)

/** Ends the grace period of the previous secret. */
export async function endGrace(db: Db, system: System): Promise<void> {
  await db
    .update(systems)
    .set({ previousSecretUntil: sql`now()` })
    .where(eq(systems.clientId, system.clientId))
  expireCache(db, system)
}
