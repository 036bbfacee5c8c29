/**
 * The states of a membership and every arrow between them:
 *
 * | from    | to      | by                                   | event                 | also                              |
 * |---------|---------|--------------------------------------|-----------------------|-----------------------------------|
 * | (none)  | pending | POST, the system asks for activation | user.access_requested |                                   |
 * | (none)  | active  | POST                                 | user.access_granted   |                                   |
 * | (none)  | blocked | POST with this status                | user.access_blocked   |                                   |
 * | pending | active  | PATCH                                | user.access_granted   |                                   |
 * | pending | blocked | PATCH                                | user.access_blocked   |                                   |
 * | active  | blocked | PATCH                                | user.access_blocked   | its sessions end (sessions/end.ts) |
 * | blocked | active  | PATCH                                | user.access_restored  |                                   |
 * | any     | (none)  | DELETE                               | user.access_revoked   | its sessions end                  |
 *
 * To the state it is in: nothing happens. Anything else is refused as invalid_transition.
 */
import { Failure } from '../../errors.ts'

export type Status = 'pending' | 'active' | 'blocked'

/** What becomes of a person's access; the event is `user.access_` and this, the audit entry `membership.` and this. */
export type Step = 'requested' | 'granted' | 'blocked' | 'restored'

export const FIRST: Record<Status, Step> = { pending: 'requested', active: 'granted', blocked: 'blocked' }

const ARROWS: Record<Status, Partial<Record<Status, Step>>> = {
  pending: { active: 'granted', blocked: 'blocked' },
  active: { blocked: 'blocked' },
  blocked: { active: 'restored' },
}

/** The status of a new membership: the caller's word, else what the system asks for. */
export const firstStatus = (given: Status | undefined, requireAdminActivation: boolean): Status =>
  given ?? (requireAdminActivation ? 'pending' : 'active')

export function transition(from: Status, to: Status): Step | 'same' {
  if (from === to) return 'same'
  const step = ARROWS[from][to]
  if (!step)
    throw new Failure('invalid_transition', { detail: `A membership that is ${from} can't become ${to}.` })
  return step
}
