/** A change of a role, with the sessions and tokens of the members who have it. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { revokeLost } from '../resources/invitations/changes.ts'
import { demandTokenSize } from '../resources/memberships/token-size.ts'
import { type Role, type RoleInput, updateRole } from '../resources/roles/queries.ts'
import { endForbiddenActing, endReserved } from './end-sessions.ts'

/**
 * Changes a row-locked role. Throws `role_name_taken`, and `limit_reached` if a token of a member would be
 * too large.
 */
export async function changeRole(
  tx: Db,
  actor: Actor,
  before: Role,
  patch: Partial<RoleInput>,
): Promise<Role> {
  const { id: roleId, systemId } = before
  const changes = difference(before, { ...before, ...patch })
  if (Object.keys(changes).length === 0) return before
  const after = await updateRole(tx, before, patch)
  if ('scopes' in changes || 'name' in changes) await demandTokenSize(tx, { roleId })
  const isNarrowed =
    (before.isAdmin && !after.isAdmin) ||
    (before.assignableByAccountAdmins && !after.assignableByAccountAdmins)
  if (isNarrowed) await revokeLost(tx, actor, { systemId })
  if (before.canActForMembers && !after.canActForMembers) await endForbiddenActing(tx, actor, systemId)
  const isReserved =
    (!before.canActForMembers && after.canActForMembers) ||
    (before.assignableByAccountAdmins && !after.assignableByAccountAdmins)
  if (isReserved) await endReserved(tx, actor, systemId)
  await enqueueAccess(tx, actor, 'user.access_updated', { roleId })
  await record(tx, actor, {
    action: 'role.updated',
    target: { type: 'role', id: roleId },
    systemId,
    changes,
  })
  return after
}
