import type { Db } from '../../database/database.ts'
import { accounts, audit } from '../../database/schema.ts'
import { and, eq, or, sql } from '../../tuning/drizzle.ts'

/**
 * Takes a person who is erased out of the audit: old and new values of the fields of the person and of their
 * personal accounts, which are called after them, and where the person called from. The entries stay, with
 * the id and with which fields changed. Call it before those accounts are gone.
 */
export async function erasePerson(tx: Db, userId: string): Promise<void> {
  await tx
    .update(audit)
    .set({
      changes: sql`(select coalesce(jsonb_object_agg(field, '[null, null]'::jsonb), '{}') from jsonb_object_keys(${audit.changes}) field)`,
    })
    .where(
      or(
        and(eq(audit.targetType, 'user'), eq(audit.targetId, userId)),
        and(
          eq(audit.targetType, 'account'),
          sql`${audit.targetId} in (select ${accounts.id}::text from ${accounts} where ${accounts.personalOf} = ${userId})`,
        ),
      ),
    )
  await tx
    .update(audit)
    .set({ actorIp: null, actorUserAgent: null })
    .where(and(eq(audit.actorType, 'user'), eq(audit.actorId, userId)))
}
