import type { Db } from '../../database/database.ts'
import { accounts, audit } from '../../database/schema.ts'
import { and, eq, or, sql } from '../../tuning/drizzle.ts'

/**
 * Removes the personal data of a deleted user from the audit log: old and new values of the fields of the
 * user and of the user's personal accounts (whose names are the user's), those of the user's acting for
 * members, which name the user, and the IP address and user agent of the user's requests. The entries remain,
 * with the ids and the names of the changed fields. Call it before the personal accounts are deleted.
 */
export async function eraseUserFromAudit(tx: Db, userId: string): Promise<void> {
  const isActor = and(eq(audit.actorType, 'user'), eq(audit.actorId, userId))
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
        and(isActor, eq(audit.action, 'session.acting_started')),
      ),
    )
  await tx.update(audit).set({ actorIp: null, actorUserAgent: null }).where(isActor)
}
