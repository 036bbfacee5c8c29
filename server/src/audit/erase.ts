import type { Db } from '../db.ts'
import { and, eq, sql } from '../drizzle.ts'
import { audit } from '../schema.ts'

/**
 * Takes a person who is erased out of the audit: old and new values of the person's fields, and where the person called
 * from. The entries stay, with the id and with which fields changed.
 */
export async function erasePerson(tx: Db, userId: string): Promise<void> {
  await tx
    .update(audit)
    .set({
      changes: sql`(select coalesce(jsonb_object_agg(field, '[null, null]'::jsonb), '{}') from jsonb_object_keys(${audit.changes}) field)`,
    })
    .where(and(eq(audit.targetType, 'user'), eq(audit.targetId, userId)))
  await tx
    .update(audit)
    .set({ actorIp: null, actorUserAgent: null })
    .where(and(eq(audit.actorType, 'user'), eq(audit.actorId, userId)))
}
