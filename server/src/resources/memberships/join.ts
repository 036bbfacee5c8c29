import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { findFounderRole } from '../roles/queries.ts'
import { shareOpenSystem } from '../systems/queries.ts'
import { createMembership } from './create.ts'
import { joinState } from './queries.ts'

type Joining = { user: { id: string; email: string }; systemId: string; accountName: string | null }

/**
 * Adds a row-locked user to a system that allows self-registration: with their personal account, or with a
 * new organization and the founder role of the system (decision 0030). Does nothing if self-registration is
 * no longer allowed or the user is a member. Returns whether it was possible: not if the platform, or in a
 * 1:1 system the system, has blocked the user.
 */
export async function joinSystem(
  tx: Db,
  actor: Actor,
  { user, systemId, accountName }: Joining,
): Promise<boolean> {
  const system = await shareOpenSystem(tx, systemId)
  if (!system) return true
  const { isMember, isBlocked } = await joinState(tx, user.id, system)
  if (isMember || isBlocked) return isMember
  if (!system.multiAccount) {
    await createMembership(tx, actor, { addedBy: 'user', user, system })
    return true
  }
  const founder = await findFounderRole(tx, systemId)
  await createMembership(tx, actor, {
    addedBy: 'user',
    user,
    system,
    accountName: accountName ?? undefined,
    roles: founder ? [founder] : [],
  })
  return true
}
