/** SQL statements that delete the memberships of a system that was deleted. */
import type { Db } from '../../database/database.ts'
import { asc, eq, inArray } from '../../database/drizzle.ts'
import { memberships } from '../../database/schema.ts'

/** Locks up to `limit` memberships of a system, in one order, and returns their ids. */
export async function lockSomeOf(tx: Db, systemId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .select({ id: memberships.id })
    .from(memberships)
    .where(eq(memberships.systemId, systemId))
    .orderBy(asc(memberships.id))
    .limit(limit)
    .for('update')
  return rows.map(({ id }) => id)
}

/** Deletes row-locked memberships. */
export async function deleteMemberships(tx: Db, ids: string[]): Promise<void> {
  await tx.delete(memberships).where(inArray(memberships.id, ids))
}
