/** Removal of a user: from one system, or with everything that is stored about them. */
import type { Db } from '../../database/database.ts'
import { eq, type SQL, sql } from '../../database/drizzle.ts'
import { PROFILE, users } from '../../database/schema.ts'
import type { Actor } from '../../http/authority.ts'
import { eraseUserFromAudit } from '../../journal/audit/erase.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import { enqueueAccess } from '../../journal/events/enqueue-access.ts'
import { releaseSharedAccounts } from '../accounts/personal.ts'
import { lockMemberships } from '../memberships/queries.ts'
import { endEverySession } from '../sessions/end.ts'
import { eventOf } from './changes.ts'
import { deleteUser, type User } from './queries.ts'
import { deleteSystemUser } from './system-users.ts'

/** Removes a row-locked user from a system: memberships, statements and credentials of that system. */
export async function removeFromSystem(tx: Db, actor: Actor, user: User, systemId: string): Promise<void> {
  await lockMemberships(tx, { userId: user.id })
  await endEverySession(tx, actor, { userId: user.id, systemId }, 'user_removed')
  await enqueueAccess(tx, actor, 'user.access_revoked', { userId: user.id, systemId })
  await enqueue(tx, eventOf('user.deleted', actor, user, {}, systemId))
  await deleteSystemUser(tx, { userId: user.id, systemId })
}

const everywhere = (table: string) =>
  sql`exists (select from ${sql.raw(table)} c where c.user_id = users.id and c.system_id is null)`

/** Facts or credentials that are valid everywhere, a block by the platform, or an operator of the console. */
const anythingEverywhere = sql<boolean>`(${everywhere('passwords')} or ${everywhere('totp_factors')}
  or ${everywhere('passkeys')} or ${everywhere('identities')}
  or exists (select from blocks b where b.user_id = users.id and b.set_by = 'platform')
  or exists (select from operators o where o.user_id = users.id)
  or users.email_verified or users.disabled or users.metadata <> '{}'
  or ${sql.join(
    PROFILE.flatMap((field) => (field === 'phoneNumberVerified' ? [] : [sql`${users[field]} is not null`])),
    sql` or `,
  )})`

async function holds(tx: Db, userId: string, condition: SQL<boolean>): Promise<boolean> {
  const [found] = await tx.select({ condition }).from(users).where(eq(users.id, userId))
  return found?.condition ?? false
}

/** Whether anything about a user is valid everywhere: facts, credentials, or a block by the platform. */
export const hasAnythingEverywhere = (tx: Db, userId: string): Promise<boolean> =>
  holds(tx, userId, anythingEverywhere)

/**
 * Whether anything is stored about a user that no single system has stated: a row of a system, anything that
 * is valid everywhere, or a link or code that is still valid.
 */
export const hasAnything = (tx: Db, userId: string): Promise<boolean> =>
  holds(
    tx,
    userId,
    sql`${anythingEverywhere} or exists (select from system_users r where r.user_id = users.id)
      or exists (select from one_time_tokens t where t.user_id = users.id and t.consumed_at is null and t.expires_at > now())`,
  )

/**
 * Deletes a row-locked user with everything that is stored about them, except pseudonymous audit entries.
 * Counts of wrong attempts have the id of the user for a day at most. Returns the
 * changes for the audit entry: the ids of the personal accounts.
 */
export async function erase(
  tx: Db,
  actor: Actor,
  gone: User,
): Promise<{ personalAccounts: [string[], null] }> {
  await lockMemberships(tx, { userId: gone.id })
  await endEverySession(tx, actor, { userId: gone.id }, 'user_removed')
  await enqueueAccess(tx, actor, 'user.access_revoked', { userId: gone.id })
  await enqueue(tx, eventOf('user.deleted', actor, gone))
  const personalAccounts = await eraseUserFromAudit(tx, gone.id)
  await releaseSharedAccounts(tx, actor, gone.id)
  await deleteUser(tx, gone.id)
  return { personalAccounts: [personalAccounts, null] }
}
