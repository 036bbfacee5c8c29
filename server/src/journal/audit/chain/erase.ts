import type { Db } from '../../../database/database.ts'
import { and, eq, inArray, or, type PgColumn, sql } from '../../../database/drizzle.ts'
import { accounts, audit } from '../../../database/schema.ts'
import { chainLock, keepHashes } from './queries.ts'

/**
 * Removes the personal data of a deleted user from the audit log: old and new values of the fields of the
 * user and of the user's personal accounts (whose names are the user's), those of the user's acting for
 * members, which name the user, and the IP address and user agent of the user's requests. The entries remain,
 * with the ids and the names of the changed fields. Call it before the personal accounts are deleted. Returns
 * the ids of these accounts.
 */
export async function eraseUserFromAudit(tx: Db, userId: string): Promise<string[]> {
  const locked = await tx.execute(sql`select ${chainLock}, array(
    select id::text from ${accounts} where ${accounts.personalOf} = ${userId}) as ids`)
  const accountIds = (locked as unknown as { rows: { ids: string[] }[] }).rows[0]!.ids
  const isActor = and(eq(audit.actorType, 'user'), eq(audit.actorId, userId))!
  const isAbout = or(
    and(eq(audit.targetType, 'user'), eq(audit.targetId, userId)),
    accountIds.length > 0
      ? and(eq(audit.targetType, 'account'), inArray(audit.targetId, accountIds))
      : undefined,
    and(isActor, eq(audit.action, 'session.acting_started')),
  )!
  await keepHashes(tx, { about: isAbout, sent: isActor, userId })
  const kept = (column: PgColumn) => sql`case when ${isActor} then null else ${column} end`
  await tx
    .update(audit)
    .set({
      changes: sql`case when ${isAbout} then (select coalesce(jsonb_object_agg(field, '[null, null]'::jsonb), '{}')
        from jsonb_object_keys(${audit.changes}) field) else ${audit.changes} end`,
      actorIp: kept(audit.actorIp),
      actorUserAgent: kept(audit.actorUserAgent),
    })
    .where(or(isAbout, isActor))
  return accountIds
}
