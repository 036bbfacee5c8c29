/**
 * A user who has verified the address of another user who never proved it. Systems have created the other
 * one; their rows become rows of the user.
 */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { releaseSharedAccounts } from '../resources/accounts/personal.ts'
import { lockAccounts, movePersonalAccounts } from '../resources/accounts/queries.ts'
import { movePasswords } from '../resources/credentials/passwords.ts'
import { moveFactors } from '../resources/factors/queries.ts'
import { moveIdentities } from '../resources/identities/queries.ts'
import { revokeInvitationsOf } from '../resources/invitations/changes.ts'
import { listDecisions, moveKept } from '../resources/memberships/kept-decisions.ts'
import { lockMemberships } from '../resources/memberships/locks.ts'
import { moveMemberships } from '../resources/memberships/queries.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { deleteUser, type User, updateWithAddress } from '../resources/users/queries.ts'
import { listSystemsOf, moveSystemUsers } from '../resources/users/system-users.ts'
import { endEverySession } from './end-sessions.ts'
import { applyDecision } from './keep-decisions.ts'

/** Two row-locked users. */
type Merge = { from: User; into: User }

/** Ends the sessions of the other user, and frees the address. */
export async function releaseAddress(tx: Db, actor: Actor, from: User): Promise<void> {
  await lockAccounts(tx, { personalOf: from.id })
  await lockMemberships(tx, { userId: from.id })
  await endEverySession(tx, actor, { userId: from.id }, 'user_removed')
  await updateWithAddress(tx, from.id, { email: `${from.id}@merged.invalid` })
}

/**
 * The threat: a system creates a user with somebody's address and a password that it knows, and waits until
 * the owner of the address arrives. Only the owner has verified the address, so nothing of the other user may
 * become valid beyond the system that has stated it, and nothing of the owner may be lost:
 *
 * 1. statements, passwords, factors and identities of further systems move, each in its system;
 * 2. then memberships and personal accounts move;
 * 3. what systems have decided against the other user is decided against the owner, who may have been a user
 *    of the system, or a member of the account, too;
 * 4. the events are written, and the other user is deleted.
 *
 * Both users are row-locked, and `releaseAddress` has ended the sessions of the other one.
 *
 * Moves what systems have stated about a user, and the memberships, to the user who has the address now, and
 * deletes the other user. Where both are users of a system, the statements and credentials of the user
 * remain, and only memberships in further accounts move; the user is disabled, and blocked in an account, if
 * one of them was. Each system receives `user.merged`.
 */
export async function mergeUser(tx: Db, actor: Actor, { from, into }: Merge): Promise<void> {
  const ids = { from: from.id, into: into.id }
  const systems = await listSystemsOf(tx, from.id)
  const decisions = await listDecisions(tx, from.id)
  const moved = await moveSystemUsers(tx, ids)
  await movePasswords(tx, ids, moved)
  await moveFactors(tx, ids, moved)
  await moveIdentities(tx, ids, moved)
  await movePersonalAccounts(tx, ids)
  await moveMemberships(tx, ids)
  await moveKept(tx, ids)
  for (const decision of decisions) await applyDecision(tx, actor, into, decision)
  await revokeInvitationsOf(tx, actor, { userId: from.id, always: true })
  await enqueueAccess(tx, actor, 'user.access_revoked', { userId: from.id })
  const merged = systems.map((systemId) =>
    eventOfUser('user.merged', actor, into, { mergedUserId: from.id }, systemId),
  )
  await enqueue(tx, ...merged)
  const target = { type: 'user', id: from.id }
  const changes = { mergedInto: [null, into.id] as [unknown, unknown] }
  const entries = [null, ...systems].map((systemId) => ({ action: 'user.merged', target, systemId, changes }))
  await record(tx, actor, ...entries)
  await releaseSharedAccounts(tx, actor, from.id)
  await deleteUser(tx, from.id)
}
