import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { findFounderRole } from '../roles/queries.ts'
import { shareOpenSystem } from '../systems/queries.ts'
import { markEntered } from '../users/system-users.ts'
import type { Mailing } from './approval.ts'
import { createMembership } from './create.ts'
import { joinState } from './queries.ts'

type Joining = {
  user: { id: string; email: string }
  systemId: string
  accountName: string | null
  /** The user joins with their own credentials or from their mailbox, not with a password of the system. */
  enters: boolean
}

/**
 * Adds a row-locked user to a system that allows self-registration: with their personal account, or with a
 * new organization and the founder role of the system (decision 0030). Does nothing if self-registration is
 * no longer allowed or the user is a member. Returns whether it was possible: not if the platform, or in a
 * 1:1 system the system, has blocked the user.
 */
export async function joinSystem(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  { user, systemId, accountName, enters }: Joining,
): Promise<boolean> {
  const system = await shareOpenSystem(tx, systemId)
  if (!system) return true
  const { isMember, isBlocked } = await joinState(tx, user.id, system)
  if (isMember || isBlocked) return isMember
  const founder = system.multiAccount ? await findFounderRole(tx, systemId) : undefined
  // Entered at once, the system reads the present address.
  const named = system.multiAccount ? accountName : enters ? user.email : null
  await createMembership(tx, mailing, actor, {
    addedBy: 'user',
    user,
    system,
    accountName: named ?? undefined,
    roles: founder ? [founder] : [],
  })
  if (enters) await markEntered(tx, { userId: user.id, systemId })
  return true
}
