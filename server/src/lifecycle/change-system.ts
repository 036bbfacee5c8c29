/** A change of a system, with the roles, memberships and sessions that depend on it. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import type { Static } from '../http/schemas.ts'
import { type AuditEntry, record } from '../journal/audit/record.ts'
import { demandNoConnections } from '../resources/connections/queries.ts'
import { demandNoDomains } from '../resources/domains/queries.ts'
import { revokeLost } from '../resources/invitations/changes.ts'
import { updateExclusive } from '../resources/memberships/queries.ts'
import { setFounderRole } from '../resources/roles/queries.ts'
import { type System, updateSystem } from '../resources/systems/queries.ts'
import type { UpdateSystem } from '../resources/systems/schemas.ts'
import { endForbiddenActing } from './end-sessions.ts'

/**
 * Changes a row-locked system. `changes` are those of the fields that differ. Throws `role_not_in_system`,
 * `account_taken`, `account_occupied`, or `sso_in_use`.
 */
export async function changeSystem(
  tx: Db,
  actor: Actor,
  before: System,
  { founderRoleId, ...patch }: Static<typeof UpdateSystem>,
  changes: NonNullable<AuditEntry['changes']>,
): Promise<System> {
  const systemId = before.id
  if (founderRoleId !== undefined) await setFounderRole(tx, systemId, founderRoleId)
  const after = await updateSystem(tx, systemId, patch)
  if (before.multiAccount && !after.multiAccount) {
    await demandNoDomains(tx, systemId)
    await demandNoConnections(tx, systemId)
  }
  if ('multiAccount' in changes) await updateExclusive(tx, systemId, !after.multiAccount)
  if (before.allowActingForMembers && !after.allowActingForMembers)
    await endForbiddenActing(tx, actor, systemId)
  const isClosed =
    (before.accountAdminApi && !after.accountAdminApi) ||
    (before.allowClientCredentials && !after.allowClientCredentials)
  if (isClosed) await revokeLost(tx, actor, { systemId })
  await record(tx, actor, {
    action: 'system.updated',
    target: { type: 'system', id: systemId },
    systemId,
    changes,
  })
  return after
}
