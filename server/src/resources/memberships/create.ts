/**
 * A new membership with its account: for the admin API, registration, and joining at sign-in. The caller
 * checks the authority and has locked the system (`shareSystem`), so that its account model does not change.
 */

import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { type Actor, EVERYTHING, type Rank } from '../../http/authority.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { enqueueAccess } from '../../journal/events/enqueue-access.ts'
import { recordCreated } from '../accounts/event.ts'
import { type Account, claimPersonalAccount, endWait, insertOrganization } from '../accounts/queries.ts'
import { addSystemUser } from '../users/system-users.ts'
import { type Mailing, notifyWaiting } from './approval.ts'
import { addProfiles, addRoles, findMembership, insertMembership, type Membership } from './queries.ts'
import { FIRST, firstStatus, type MembershipStatus } from './states.ts'
import { demandTokenSize } from './token-size.ts'

export type MembershipWanted = {
  /** The authority of the caller; `user` if the user registers or joins. */
  addedBy: Rank
  user: { id: string; email: string }
  system: { id: string; multiAccount: boolean; requireAdminActivation: boolean }
  /**
   * An account of this system. Default: the personal account of the user in a 1:1 system, else a new
   * organization.
   */
  account?: Account | undefined
  accountName?: string | undefined
  /** Ids of roles of this system. */
  roles?: string[] | undefined
  /** The authority that assigns them, if it is another one. */
  rolesBy?: Rank | undefined
  profiles?: string[] | undefined
  status?: MembershipStatus | undefined
}

/** Target, system and account of an audit entry about a membership. */
export const entryOfMembership = ({
  id,
  systemId,
  accountId,
}: Pick<Membership, 'id' | 'systemId' | 'accountId'>) => ({
  target: { type: 'membership', id },
  systemId,
  accountId,
})

/**
 * Throws `account_taken`, `account_occupied`, `membership_exists`, `limit_reached`, `role_not_in_system`,
 * `profile_not_in_system`, or `insufficient_authority` if a higher authority has blocked the user.
 */
export async function createMembership(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  wanted: MembershipWanted,
): Promise<Membership> {
  const { user, system } = wanted
  // A personal account without a membership is reserved for its user: apps store that user's data under it.
  const kept = wanted.account?.kind === 'personal' && wanted.account.personalOf !== user.id
  if (kept && !system.multiAccount) throw new Failure('account_occupied')
  const account = wanted.account ?? (await openAccount(tx, actor, wanted))
  await addSystemUser(tx, { userId: user.id, systemId: system.id })
  const id = await insertMembership(tx, {
    userId: user.id,
    systemId: system.id,
    accountId: account.id,
    status: firstStatus(wanted, system.requireAdminActivation),
    exclusive: !system.multiAccount,
    addedBy: wanted.addedBy,
  })
  if (account.awaitsMember) await endWait(tx, account.id)
  await addRoles(tx, { id, systemId: system.id }, wanted.roles ?? [], wanted.rolesBy ?? wanted.addedBy)
  await addProfiles(tx, { id, systemId: system.id }, wanted.profiles ?? [])
  if (wanted.roles?.length || wanted.profiles?.length) await demandTokenSize(tx, { membershipId: id })
  const membership = await findMembership(tx, EVERYTHING, id)
  const { userId, status, roles, profiles } = membership
  await record(tx, actor, {
    action: 'membership.created',
    ...entryOfMembership(membership),
    changes: difference({}, { userId, status, roles, profiles }),
  })
  await enqueueAccess(tx, actor, `user.access_${FIRST[status]}`, { membershipIds: [id] })
  if (status === 'pending')
    await notifyWaiting(tx, mailing, {
      id,
      actorId: actor.id,
      awaitsActivation: system.requireAdminActivation,
    })
  return membership
}

async function openAccount(
  tx: Db,
  actor: Actor,
  { user, system, accountName }: MembershipWanted,
): Promise<Account> {
  const systemId = system.id
  const account = system.multiAccount
    ? { ...(await insertOrganization(tx, systemId, accountName)), created: true }
    : await claimPersonalAccount(tx, systemId, user, accountName)
  if (!account.created) return account
  await recordCreated(tx, actor, account)
  return account
}
