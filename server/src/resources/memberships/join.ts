import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { findOnlyAdminRole } from '../roles/queries.ts'
import { shareOpenSystem } from '../systems/queries.ts'
import { createMembership } from './create.ts'
import { isMember } from './queries.ts'

type Joining = { user: { id: string; email: string }; systemId: string; accountName: string | null }

/**
 * Makes a person, whom the transaction holds, a member of a system that is open to all: with their personal account, or
 * with a new organization that they name and administer (decision 0030). Nothing happens when the system is open no
 * longer, or they are a member already.
 */
export async function joinSystem(
  tx: Db,
  actor: Actor,
  { user, systemId, accountName }: Joining,
): Promise<void> {
  const system = await shareOpenSystem(tx, systemId)
  if (!system || (await isMember(tx, user.id, systemId))) return
  if (!system.multiAccount) return void (await createMembership(tx, actor, { user, system }))
  const admin = await findOnlyAdminRole(tx, systemId)
  await createMembership(tx, actor, {
    user,
    system,
    accountName: accountName ?? undefined,
    roles: admin ? [admin] : [],
  })
}
