/** Changes of a row-locked membership by the admin API: its status, roles and profiles. */

import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import {
  type Actor,
  type Authority,
  authorityOf,
  type Caller,
  EVERYTHING,
  ranksAbove,
} from '../http/authority.ts'
import { type AuditEntry, difference, record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { revokeInvitationsOf, revokeLost } from '../resources/invitations/changes.ts'
import { type Mailing, notifyApproved } from '../resources/memberships/approval.ts'
import { entryOfMembership } from '../resources/memberships/create.ts'
import {
  activateMembership,
  blockMembership,
  demandAdmin,
  findMembership,
  type LockedMembership,
  type Membership,
  replaceMemberRoles,
  replaceProfiles,
} from '../resources/memberships/queries.ts'
import { type MembershipStatus, type Transition, transition } from '../resources/memberships/states.ts'
import { touchMembership } from '../resources/memberships/token-size.ts'
import { endForbiddenActing, endReserved, endSessions } from './end-sessions.ts'

/** Throws `insufficient_authority` if an account admin changes a membership with a reserved role. */
export function demandChangeable({ authority }: Caller, { hasReservedRole }: LockedMembership): void {
  if (authority === 'account' && hasReservedRole)
    throw new Failure('insufficient_authority', {
      detail: 'The membership has a role that only the system or the platform assigns.',
    })
}

/**
 * Changes the status. Throws `invalid_transition`, `last_admin`, or `insufficient_authority` if a higher
 * authority has blocked the membership or has to activate it.
 */
export async function setStatus(
  tx: Db,
  mailing: Mailing,
  caller: Caller,
  before: LockedMembership,
  status: MembershipStatus,
): Promise<Membership> {
  const { actor } = caller
  const authority = authorityOf(caller)
  demandChangeable(caller, before)
  const step = transition(before.status, status)
  if (status === 'blocked') await blockMember(tx, actor, authority, before)
  if (step === 'same') return status === 'blocked' ? findMembership(tx, EVERYTHING, before.id) : before
  if (status !== 'blocked') await activate(tx, mailing, caller, before, step)
  if (authority === 'account') await demandAdmin(tx, before.accountId)
  return findMembership(tx, EVERYTHING, before.id)
}

async function activate(
  tx: Db,
  mailing: Mailing,
  caller: Caller,
  before: LockedMembership,
  step: Transition,
): Promise<void> {
  const { actor } = caller
  const authority = authorityOf(caller)
  if (authority === 'account' && before.awaitsActivation)
    throw new Failure('insufficient_authority', {
      detail: 'The system or the platform activates the memberships of this system.',
    })
  await activateMembership(tx, before, authority)
  const changes: AuditEntry['changes'] = { status: [before.status, 'active'] }
  await record(tx, actor, { action: `membership.${step}`, ...entryOfMembership(before), changes })
  await enqueueAccess(tx, actor, `user.access_${step}`, { membershipIds: [before.id] })
  if (step === 'granted') await notifyApproved(tx, mailing, before.id, authority)
}

/** What a block covers: that of the platform all accounts of the system. */
const coveredBy = ({ userId, systemId, accountId }: Membership, by: Authority) =>
  by === 'platform' ? { userId, systemId } : { userId, accountId }

/**
 * Blocks a row-locked membership. A higher authority takes over the block of a lower one: only it can lift
 * the block from now on. Does nothing if this authority or a higher one has blocked it.
 */
export async function blockMember(
  tx: Db,
  actor: Actor,
  by: Authority,
  before: LockedMembership,
): Promise<void> {
  const { id, userId, systemId, status, blockedBy } = before
  if (blockedBy && !ranksAbove(blockedBy).includes(by)) return
  await blockMembership(tx, before, by)
  if (status === 'active') await endSessions(tx, actor, { systemId, membershipId: id }, 'membership_blocked')
  const changes: AuditEntry['changes'] = blockedBy
    ? { blockedBy: [blockedBy, by] }
    : { status: [status, 'blocked'] }
  await record(tx, actor, { action: 'membership.blocked', ...entryOfMembership(before), changes })
  if (!blockedBy) await enqueueAccess(tx, actor, 'user.access_blocked', { membershipIds: [id] })
  await revokeInvitationsOf(tx, actor, coveredBy(before, by))
  if (!blockedBy) await revokeLost(tx, actor, { invitedBy: userId })
}

type Change = (now: string[]) => string[]

/** The change of a set of ids that a body describes. Ids are in lower case, as the database returns them. */
export function changeOf(
  field: string,
  { whole, add, remove }: Record<'whole' | 'add' | 'remove', string[] | undefined>,
): Change {
  const lower = (ids: string[] = []) => ids.map((id) => id.toLowerCase())
  const errors = [{ path: `/${field}`, message: 'is required, unless add or remove is present' }]
  if ((whole === undefined) === (add === undefined && remove === undefined))
    throw new Failure('invalid_request', { errors })
  const removed = new Set(lower(remove))
  return (now) =>
    [...new Set(whole ? lower(whole) : [...now, ...lower(add)].filter((id) => !removed.has(id)))].sort()
}

/** Changes the roles or profiles of a row-locked membership; does nothing if they are the same. */
export async function assign(
  tx: Db,
  caller: Caller,
  before: LockedMembership,
  field: 'roles' | 'profiles',
  change: Change,
): Promise<Membership> {
  const { actor } = caller
  const authority = authorityOf(caller)
  demandChangeable(caller, before)
  const ids = change(before[field])
  const changes = difference({ [field]: before[field] }, { [field]: ids })
  if (Object.keys(changes).length === 0) return before
  if (field === 'profiles') await replaceProfiles(tx, before, ids)
  else {
    await replaceMemberRoles(tx, before, ids, authority)
    // A role with canActForMembers is always reserved.
    if (before.hasReservedRole) await endForbiddenActing(tx, actor, before.systemId)
    if (ids.some((role) => !before.roles.includes(role))) await endReserved(tx, actor, before.systemId)
    if (before.roles.some((role) => !ids.includes(role)))
      await revokeLost(tx, actor, { invitedBy: before.userId })
  }
  await touchMembership(tx, before.id)
  await record(tx, actor, { action: `membership.${field}_changed`, ...entryOfMembership(before), changes })
  await enqueueAccess(tx, actor, 'user.access_updated', { membershipIds: [before.id] })
  if (authority === 'account') await demandAdmin(tx, before.accountId)
  return findMembership(tx, EVERYTHING, before.id)
}
