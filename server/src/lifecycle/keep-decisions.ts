/**
 * Users can delete their own profile. What the platform or a system has decided against them outlives it, by
 * a keyed hash of the address, and applies to the next user of this address: otherwise whoever is blocked or
 * disabled deletes the profile and registers again. A platform administrator who deletes a user decides that
 * nothing remains; a system, that nothing of its own does.
 */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { EVERYTHING, SERVER } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { claimPersonalAccount } from '../resources/accounts/queries.ts'
import { entryOf } from '../resources/memberships/create.ts'
import {
  insertBlocks,
  type KeptDecision,
  keepDecisions,
  takeDecisions,
} from '../resources/memberships/kept-decisions.ts'
import { blockMembership, findMembershipOf, lockMembership } from '../resources/memberships/queries.ts'
import { eventOf } from '../resources/users/changes.ts'
import type { User } from '../resources/users/queries.ts'
import { disableInSystem } from '../resources/users/system-users.ts'
import { endSessions } from './end-sessions.ts'

/** `seal`: of the process, whose hashes have the same keys after SECRET_KEY was replaced. */
const hashOf = (seal: Seal, email: string) => seal.hash(email, 'kept-decision')

/** Call it before the row-locked user is deleted by itself, or by a system: it decides for itself only. */
export const keepForNext = (
  tx: Db,
  seal: Seal,
  { id, email }: User,
  by: string | null = null,
): Promise<void> => keepDecisions(tx, { userId: id, addressHash: hashOf(seal, email), except: by })

type Addressed = Pick<User, 'id' | 'email'>

/**
 * Applies what was kept for the addresses of users who are new, or have got this address. Returns the systems
 * in which it disables users, by user.
 */
export async function applyKept(tx: Db, seal: Seal, users: Addressed[]): Promise<Map<string, Set<string>>> {
  const disabled = new Map<string, Set<string>>()
  if (users.length === 0) return disabled
  const byHash = new Map(users.map((user) => [hashOf(seal, user.email).toString('hex'), user]))
  const kept = await takeDecisions(
    tx,
    users.map(({ email }) => hashOf(seal, email)),
  )
  for (const decision of kept) {
    const user = byHash.get(decision.addressHash.toString('hex'))!
    if (decision.kind === 'disabled') {
      await disable(tx, user, decision.systemId)
      disabled.set(user.id, (disabled.get(user.id) ?? new Set()).add(decision.systemId))
    } else await block(tx, user, decision)
  }
  return disabled
}

async function disable(tx: Db, user: Addressed, systemId: string): Promise<void> {
  if (!(await disableInSystem(tx, { userId: user.id, systemId }))) return
  await endSessions(tx, SERVER, { userId: user.id, systemId }, 'user_disabled')
  const target = { type: 'user', id: user.id }
  await record(tx, SERVER, { action: 'user.updated', target, systemId, changes: { disabled: [false, true] } })
  await enqueue(tx, eventOf('user.updated', SERVER, user, { changed: ['disabled'] }, systemId))
}

async function block(tx: Db, user: Addressed, decision: KeptDecision): Promise<void> {
  const { systemId, setBy } = decision
  const accountId = decision.accountId ?? (await claimPersonalAccount(tx, systemId, user)).id
  const member = await findMembershipOf(tx, { userId: user.id, accountId })
  if (!member) return insertBlocks(tx, [{ userId: user.id, systemId, accountId, setBy }])
  const before = await lockMembership(tx, EVERYTHING, member.id)
  await blockMembership(tx, before, setBy)
  if (before.status === 'active')
    await endSessions(tx, SERVER, { systemId, membershipId: before.id }, 'membership_blocked')
  await record(tx, SERVER, {
    action: 'membership.blocked',
    ...entryOf(before),
    changes: { status: [before.status, 'blocked'] },
  })
  await enqueueAccess(tx, SERVER, 'user.access_blocked', { membershipIds: [before.id] })
}
