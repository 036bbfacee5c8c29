/** Removal of a user: from one system, or with everything that is stored about them. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { eraseUserFromAudit } from '../journal/audit/chain/erase.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { releaseSharedAccounts } from '../resources/accounts/personal.ts'
import { lockAccounts } from '../resources/accounts/queries.ts'
import { refuseLinksUntilNow } from '../resources/connections/queries.ts'
import { revokeInvitationsOf, revokeLost } from '../resources/invitations/changes.ts'
import { lockMemberships } from '../resources/memberships/locks.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { deleteUser, type User } from '../resources/users/queries.ts'
import { deleteSystemUser } from '../resources/users/system-users.ts'
import { endEverySession } from './end-sessions.ts'

/** Removes a row-locked user from a system: memberships, statements and credentials of that system. */
export async function removeFromSystem(tx: Db, actor: Actor, user: User, systemId: string): Promise<void> {
  await refuseLinksUntilNow(tx, { userId: user.id, systemId })
  await lockMemberships(tx, { userId: user.id })
  await endEverySession(tx, actor, { userId: user.id, systemId }, 'user_removed')
  await enqueueAccess(tx, actor, 'user.access_revoked', { userId: user.id, systemId })
  await enqueue(tx, eventOfUser('user.deleted', actor, user, {}, systemId))
  await deleteSystemUser(tx, { userId: user.id, systemId })
  await revokeLost(tx, actor, { invitedBy: user.id })
}

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
  await lockAccounts(tx, { personalOf: gone.id })
  await refuseLinksUntilNow(tx, { userId: gone.id })
  await lockMemberships(tx, { userId: gone.id })
  await revokeInvitationsOf(tx, actor, { userId: gone.id, always: true })
  await endEverySession(tx, actor, { userId: gone.id }, 'user_removed')
  await enqueueAccess(tx, actor, 'user.access_revoked', { userId: gone.id })
  await enqueue(tx, eventOfUser('user.deleted', actor, gone))
  const personalAccounts = await eraseUserFromAudit(tx, gone.id)
  await releaseSharedAccounts(tx, actor, gone.id)
  await deleteUser(tx, gone.id)
  return { personalAccounts: [personalAccounts, null] }
}
