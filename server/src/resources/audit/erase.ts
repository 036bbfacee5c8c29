import type { Db } from '../../database/database.ts'
import { accounts, audit } from '../../database/schema.ts'
import { and, eq, inArray, or, sql } from '../../tuning/drizzle.ts'
import { keepHashes, lockChain } from './chain/queries.ts'

/**
 * Removes the personal data of a deleted user from the audit log: old and new values of the fields of the
 * user and of the user's personal accounts (whose names are the user's), those of the user's acting for
 * members, which name the user, and the IP address and user agent of the user's requests. The entries remain,
 * with the ids and the names of the changed fields. Call it before the personal accounts are deleted. Returns
 * the ids of these accounts.
 */
export async function eraseUserFromAudit(tx: Db, userId: string): Promise<string[]> {
  const personal = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.personalOf, userId))
  const accountIds = personal.map(({ id }) => id)
  const isActor = and(eq(audit.actorType, 'user'), eq(audit.actorId, userId))!
  const isAbout = or(
    and(eq(audit.targetType, 'user'), eq(audit.targetId, userId)),
    accountIds.length > 0
      ? and(eq(audit.targetType, 'account'), inArray(audit.targetId, accountIds))
      : undefined,
    and(isActor, eq(audit.action, 'session.acting_started')),
  )!
  await lockChain(tx)
  await keepHashes(tx, { what: 'changes', erased: isAbout, userId })
  await keepHashes(tx, { what: 'sender', erased: isActor, userId })
  await tx
    .update(audit)
    .set({
      changes: sql`(select coalesce(jsonb_object_agg(field, '[null, null]'::jsonb), '{}') from jsonb_object_keys(${audit.changes}) field)`,
    })
    .where(isAbout)
  await tx.update(audit).set({ actorIp: null, actorUserAgent: null }).where(isActor)
  return accountIds
}
