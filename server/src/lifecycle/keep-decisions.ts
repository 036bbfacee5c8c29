/**
 * What the platform or a system has decided against a user does not end when the user leaves the address, by
 * deleting the own profile or by a change of the address. It is kept by a keyed hash of the address, and
 * applies to the next user of this address: otherwise whoever is blocked or disabled registers again. Of a
 * user who exists it applies as long as it stands. A platform administrator who deletes a user decides that
 * nothing remains; a system, that nothing of its own does.
 */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { type Actor, EVERYTHING, SERVER } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { recordCreated } from '../resources/accounts/event.ts'
import { type Account, claimPersonalAccount } from '../resources/accounts/queries.ts'
import { revokeInvitationsOf, revokeLost } from '../resources/invitations/changes.ts'
import {
  type Decision,
  findKept,
  keepDecisions,
  listDecisions,
  outliveUser,
  takeDecisions,
} from '../resources/memberships/kept-decisions.ts'
import { blockNonMember, findMembershipOf, lockMembership } from '../resources/memberships/queries.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import type { User } from '../resources/users/queries.ts'
import { disableInSystem } from '../resources/users/system-users.ts'
import { blockMember } from './change-membership.ts'
import { endSessions } from './end-sessions.ts'

/** `seal`: of the process, whose hashes have the same keys after SECRET_KEY was replaced. */
const addressHashOf = (seal: Seal, email: string) => seal.hash(email, 'kept-decision')

type Addressed = Pick<User, 'id' | 'email'>

/** Call it before the row-locked user is deleted by itself, or by a system: it decides for itself only. */
export async function keepForNext(
  tx: Db,
  seal: Seal,
  { id, email }: Addressed,
  by: string | null = null,
): Promise<void> {
  await outliveUser(tx, { userId: id, except: by })
  const addressHash = addressHashOf(seal, email)
  await keepDecisions(tx, { userId: id, addressHash, isMoving: false, except: by })
}

/** Call it before a user, whose row and memberships are locked, gets another address. */
export const keepForFormer = (tx: Db, seal: Seal, { id, email }: Addressed): Promise<void> =>
  keepDecisions(tx, { userId: id, addressHash: addressHashOf(seal, email), isMoving: true, except: null })

/**
 * Applies what was kept for the addresses of users who are new, or have got this address. Returns the systems
 * in which it disables users, by user.
 */
export async function applyKept(tx: Db, seal: Seal, users: Addressed[]): Promise<Map<string, Set<string>>> {
  const disabled = new Map<string, Set<string>>()
  if (users.length === 0) return disabled
  const byHash = new Map(users.map((user) => [addressHashOf(seal, user.email).toString('hex'), user]))
  for (const decision of await takeDecisions(tx, [...byHash.keys()])) {
    const user = byHash.get(decision.addressHash)!
    if (decision.userId === user.id) continue // the user is back at this address
    await applyDecision(tx, SERVER, user, decision)
    if (decision.kind === 'disabled')
      disabled.set(user.id, (disabled.get(user.id) ?? new Set()).add(decision.systemId))
  }
  return disabled
}

/** Applies to a row-locked user what was decided against another one. What is the case already stays. */
export const applyDecision = (tx: Db, actor: Actor, user: Addressed, decision: Decision): Promise<void> =>
  decision.kind === 'disabled'
    ? disable(tx, actor, user, decision.systemId)
    : block(tx, actor, user, decision)

async function disable(tx: Db, actor: Actor, user: Addressed, systemId: string): Promise<void> {
  if (!(await disableInSystem(tx, { userId: user.id, systemId }))) return
  await endSessions(tx, actor, { userId: user.id, systemId }, 'user_disabled')
  const target = { type: 'user', id: user.id }
  await record(tx, actor, { action: 'user.updated', target, systemId, changes: { disabled: [false, true] } })
  await enqueue(tx, eventOfUser('user.updated', actor, user, { changed: ['disabled'] }, systemId))
  await revokeInvitationsOf(tx, actor, { userId: user.id, systemId })
  await revokeLost(tx, actor, { invitedBy: user.id })
}

async function block(tx: Db, actor: Actor, user: Addressed, decision: Decision): Promise<void> {
  const { systemId, setBy } = decision
  const accountId = decision.accountId ?? (await personalAccountOf(tx, actor, systemId, user)).id
  const member = await findMembershipOf(tx, { userId: user.id, accountId })
  if (member) await blockMember(tx, actor, setBy, await lockMembership(tx, EVERYTHING, member.id))
  else await blockNonMember(tx, { userId: user.id, systemId, accountId }, setBy)
}

async function personalAccountOf(tx: Db, actor: Actor, systemId: string, user: Addressed): Promise<Account> {
  const account = await claimPersonalAccount(tx, systemId, user)
  if (account.created) await recordCreated(tx, actor, account)
  return account
}

/**
 * Whether the platform or the system keeps the user of an address out of an account; `user` is undefined if
 * the address has none, and its next one is meant.
 */
export async function isKeptOut(
  tx: Db,
  seal: Seal,
  { email, user }: { email: string; user: User | undefined },
  place: { systemId: string; accountId: string },
): Promise<boolean> {
  if (user?.disabled) return true
  const decisions = user ? await listDecisions(tx, user.id) : await findKept(tx, addressHashOf(seal, email))
  return decisions.some(
    ({ systemId, accountId, kind, setBy }) =>
      systemId === place.systemId &&
      (kind === 'disabled' || setBy === 'platform' || accountId === place.accountId),
  )
}
