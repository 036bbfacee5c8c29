/**
 * The states of a membership and every transition:
 *
 * | from    | to      | by                           | event                 | also              |
 * |---------|---------|------------------------------|-----------------------|-------------------|
 * | (none)  | pending | POST, requireAdminActivation | user.access_requested |                   |
 * | (none)  | active  | POST                         | user.access_granted   |                   |
 * | (none)  | blocked | POST with this status        | user.access_blocked   |                   |
 * | pending | active  | PATCH                        | user.access_granted   |                   |
 * | pending | blocked | PATCH                        | user.access_blocked   |                   |
 * | active  | blocked | PATCH                        | user.access_blocked   | its sessions end  |
 * | blocked | active  | PATCH                        | user.access_restored  |                   |
 * | any     | (none)  | DELETE                       | user.access_revoked   | its sessions end  |
 *
 * A transition to the current state does nothing, except that a higher authority takes over a block. Any
 * other throws `invalid_transition`.
 *
 * A block is lifted by the authority that set it or a higher one: platform over system over account. It is
 * kept when the membership is deleted.
 */
import { Failure } from '../../errors.ts'
import type { Rank } from '../../http/authority.ts'

export type MembershipStatus = 'pending' | 'active' | 'blocked'

/** The event is `user.access_` with this suffix, the audit action `membership.` with it. */
export type Transition = 'requested' | 'granted' | 'blocked' | 'restored'

export const FIRST: Record<MembershipStatus, Transition> = {
  pending: 'requested',
  active: 'granted',
  blocked: 'blocked',
}

const ARROWS: Record<MembershipStatus, Partial<Record<MembershipStatus, Transition>>> = {
  pending: { active: 'granted', blocked: 'blocked' },
  active: { blocked: 'blocked' },
  blocked: { active: 'restored' },
}

/**
 * The status of a new membership: the caller's, else the one that the system requires. With
 * `requireAdminActivation` an account admin adds no active members.
 */
export function firstStatus(
  { status, addedBy }: { status?: MembershipStatus | undefined; addedBy: Rank },
  requireAdminActivation: boolean,
): MembershipStatus {
  const isReserved = requireAdminActivation && status === 'active' && addedBy === 'account'
  return !isReserved && status ? status : requireAdminActivation ? 'pending' : 'active'
}

export function transition(from: MembershipStatus, to: MembershipStatus): Transition | 'same' {
  if (from === to) return 'same'
  const step = ARROWS[from][to]
  if (!step)
    throw new Failure('invalid_transition', { detail: `A membership that is ${from} can't become ${to}.` })
  return step
}
