/** The deletion of a role, with the assignments to members and the sessions that depend on it. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { revokeLost } from '../resources/invitations/changes.ts'
import { removeRoleFromMemberships } from '../resources/memberships/queries.ts'
import { deleteRole, type Role } from '../resources/roles/queries.ts'
import { endForbiddenActing } from './end-sessions.ts'

/** Deletes a row-locked role. */
export async function removeRole(tx: Db, actor: Actor, role: Role): Promise<void> {
  const { id: roleId, systemId, name, isAdmin, canActForMembers } = role
  const membershipIds = await removeRoleFromMemberships(tx, roleId)
  await deleteRole(tx, roleId)
  if (isAdmin) await revokeLost(tx, actor, { systemId })
  if (canActForMembers) await endForbiddenActing(tx, actor, systemId)
  await enqueueAccess(tx, actor, 'user.access_updated', { membershipIds })
  await record(tx, actor, {
    action: 'role.deleted',
    target: { type: 'role', id: roleId },
    systemId,
    changes: { name: [name, null] },
  })
}
