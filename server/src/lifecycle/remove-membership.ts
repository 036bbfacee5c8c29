/** The end of a membership: an administrator removes the member, or the member leaves. */
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Actor, type Caller, EVERYTHING, reachOf } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { refuseLinksUntilNow } from '../resources/connections/queries.ts'
import { revokeLost } from '../resources/invitations/changes.ts'
import { hasAdminRole } from '../resources/memberships/account-admins.ts'
import { entryOfMembership } from '../resources/memberships/create.ts'
import {
  deleteMembership,
  demandAdmin,
  lockMembership,
  type Membership,
} from '../resources/memberships/queries.ts'
import { demandChangeable } from './change-membership.ts'
import { endEverySession } from './end-sessions.ts'

/** Throws `membership_not_found`, `insufficient_authority` or `last_admin`. */
export async function removeMember(tx: Db, caller: Caller, id: string): Promise<void> {
  const reach = reachOf(caller)
  await refuseLinksUntilNow(tx, { membershipId: id, reach, admins: reach.accountId !== undefined })
  const gone = await lockMembership(tx, reach, id)
  demandChangeable(caller, gone)
  await end(tx, caller.actor, gone, 'deleted')
  if (caller.authority === 'account') await demandAdmin(tx, gone.accountId)
}

/**
 * A user leaves an account in which the membership is active. Roles that only the system assigns do not keep
 * the user. Throws `membership_not_found`, or `last_admin` if the user is the only active admin.
 */
export async function leaveAccount(
  tx: Db,
  actor: Actor,
  { userId, membershipId }: { userId: string; membershipId: string },
): Promise<void> {
  await refuseLinksUntilNow(tx, { membershipId, reach: EVERYTHING, admins: true })
  const gone = await lockMembership(tx, EVERYTHING, membershipId, true)
  if (gone.userId !== userId || gone.status !== 'active') throw new Failure('membership_not_found')
  const wasAdmin = await hasAdminRole(tx, gone.id)
  await end(tx, actor, gone, 'left')
  if (wasAdmin) await demandAdmin(tx, gone.accountId)
}

async function end(tx: Db, actor: Actor, gone: Membership, how: 'deleted' | 'left'): Promise<void> {
  await endEverySession(tx, actor, { membershipId: gone.id }, 'membership_removed')
  const reason = how === 'left' ? how : undefined
  await enqueueAccess(tx, actor, 'user.access_revoked', { membershipIds: [gone.id] }, reason)
  await deleteMembership(tx, gone.id)
  await revokeLost(tx, actor, { invitedBy: gone.userId })
  await record(tx, actor, { action: `membership.${how}`, ...entryOfMembership(gone), changes: endOf(gone) })
}

/** The changes of the audit entry of a deletion. */
const endOf = ({ userId, status, roles, profiles }: Membership): Record<string, [unknown, null]> => ({
  userId: [userId, null],
  status: [status, null],
  roles: [roles, null],
  profiles: [profiles, null],
})
