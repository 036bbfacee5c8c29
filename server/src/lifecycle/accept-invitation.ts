/** The answer to an invitation: the membership of the user who accepts it, or nothing. */
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { Failure, type FailureCode } from '../errors.ts'
import { type Actor, EVERYTHING } from '../http/authority.ts'
import { difference } from '../journal/audit/record.ts'
import { type Account, lockAccount, statusOf } from '../resources/accounts/queries.ts'
import { recordChanges } from '../resources/invitations/changes.ts'
import { stillHolds } from '../resources/invitations/holding.ts'
import {
  endInvitation,
  findInvitationByLink,
  findOpened,
  type Invitation,
  lockOpen,
  type OpenedInvitation,
  stillAssignable,
  type Which,
} from '../resources/invitations/queries.ts'
import type { Mailing } from '../resources/memberships/approval.ts'
import { createMembership } from '../resources/memberships/create.ts'
import { demandUnblocked, findMembershipOf } from '../resources/memberships/queries.ts'
import type { MembershipStatus } from '../resources/memberships/states.ts'
import { type System, shareSystem } from '../resources/systems/queries.ts'
import { findUserOf, lockUser, type User } from '../resources/users/queries.ts'
import { markEntered } from '../resources/users/system-users.ts'
import { verifyMailbox } from '../resources/users/verify-mailbox.ts'
import { createOrClaim } from './confirm-registration.ts'
import { isKeptOut } from './keep-decisions.ts'

/**
 * `pending`: an administrator has to approve. `member`: the user is one already. `gone`: the link is not
 * valid. `other`: it is for another address, which the user may not accept it with, or for one that the user
 * has to verify first. An acceptance throws `account_suspended` while the account is suspended.
 */
export type InvitationOutcome = 'joined' | 'pending' | 'member' | 'gone' | 'other'

/**
 * Accepts the invitation of a link as a signed-in user. An emailed link verifies the invited address. `as`:
 * the address of the user, if it is another one and the user joins with it nevertheless.
 */
export async function acceptInvitation(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  linkHash: Buffer,
  { userId, as }: { userId: string; as?: string | undefined },
): Promise<InvitationOutcome> {
  const user = await lockUser(tx, EVERYTHING, userId)
  const opened = await findInvitationByLink(tx, linkHash)
  if (opened?.status !== 'pending') return 'gone'
  if (user.email !== opened.email)
    return user.email === as && isForOthers(opened, user)
      ? joinAsAnother(tx, mailing, actor, { linkHash }, opened, user)
      : 'other'
  if (!user.emailVerified && !opened.mailed) return 'other'
  return join(tx, mailing, actor, { linkHash }, opened, () => verifyMailbox(tx, actor, user))
}

/**
 * Whether the user of another address can accept an invitation: the user's own address is verified, and the
 * link was emailed. A link that the API returned is for the invited address only.
 */
export const isForOthers = (
  { acceptOtherAddress, mailed }: Pick<OpenedInvitation, 'acceptOtherAddress' | 'mailed'>,
  { emailVerified }: Pick<User, 'emailVerified'>,
): boolean => acceptOtherAddress && mailed && emailVerified

/** Accepts an invitation that a sign-in offers to the user of the verified address. */
export async function acceptOffer(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  id: string,
  userId: string,
): Promise<InvitationOutcome> {
  const user = await lockUser(tx, EVERYTHING, userId)
  const offered = await findOpened(tx, id)
  if (offered?.status !== 'pending') return 'gone'
  if (user.email !== offered.email || !user.emailVerified) return 'other'
  return join(tx, mailing, actor, { id }, offered, async () => user)
}

/**
 * Accepts the invitation of an address that the organization vouches for, when its connection signs the user
 * in. It says nothing about the mailbox, and the user does not enter the system. False if the invitation does
 * not hold any more. Throws `insufficient_authority` if a higher authority has blocked the user.
 */
export async function acceptByConnection(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  invitation: Pick<Invitation, 'id' | 'systemId' | 'accountId'>,
  user: { id: string; email: string },
): Promise<boolean> {
  try {
    const joining = await lockJoining(tx, invitation, invitation)
    await addMember(tx, mailing, actor, { ...joining, user })
    await noteAccepted(tx, actor, joining.invitation, user)
    return true
  } catch (error) {
    if (failureOf(error)?.code === 'link_expired') return false
    throw error
  }
}

/**
 * Accepts the emailed invitation of an address without credentials, with the password chosen on its page.
 * Undefined if the address has credentials by now: its user signs in.
 */
export async function registerInvited(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  linkHash: Buffer,
  { name, locale, passwordHash }: { name: string | null; locale: string; passwordHash: string },
): Promise<InvitationOutcome | undefined> {
  const opened = await findInvitationByLink(tx, linkHash)
  if (!opened?.mailed || opened.status !== 'pending') return 'gone'
  const { email, systemId } = opened
  const user = await createOrClaim(tx, mailing.seal, actor, { email, name, locale, systemId }, passwordHash)
  const own = user && { ...actor, type: 'user' as const, id: user.id }
  return own && join(tx, mailing, own, { linkHash }, opened, async () => user)
}

/** The status of the membership follows the authority that invited. Throws as `lockJoining`. */
async function join(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  which: Which,
  opened: Invitation,
  verified: () => Promise<User>,
): Promise<InvitationOutcome> {
  const joining = await lockJoining(tx, which, opened)
  const user = await verified()
  const known = await findMembershipOf(tx, { userId: user.id, accountId: opened.accountId })
  if (known?.status === 'blocked') throw new Failure('insufficient_authority')
  const status = known?.status ?? (await addMember(tx, mailing, actor, { ...joining, user }))
  await accepted(tx, actor, joining.invitation, user)
  return status === 'pending' ? 'pending' : known ? 'member' : 'joined'
}

/**
 * Accepts as a user whom the inviter has not named: the account allows it, so that the membership is one that
 * the account adds, whoever invited. The invitation lifts no block, of this user or of the invited one, and
 * remains if the user is a member already. Verifies no address.
 */
async function joinAsAnother(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  which: Which,
  opened: OpenedInvitation,
  user: User,
): Promise<InvitationOutcome> {
  const { invitation, ...joining } = await lockJoining(tx, which, opened)
  if (!joining.account.acceptOtherAddress) return 'other'
  const { systemId, accountId, email } = invitation
  const place = { systemId, accountId }
  const invited = await findUserOf(tx, email)
  for (const { id } of invited ? [user, invited] : [user])
    await demandUnblocked(tx, { userId: id, ...place }, 'user')
  if (await isKeptOut(tx, mailing.seal, { email, user: invited }, place))
    throw new Failure('insufficient_authority')
  const known = await findMembershipOf(tx, { userId: user.id, accountId })
  if (known) return known.status === 'pending' ? 'pending' : 'member'
  const byAccount = { ...invitation, addedBy: 'account' as const }
  const status = await addMember(tx, mailing, actor, { ...joining, user, invitation: byAccount })
  await accepted(tx, actor, invitation, user)
  return status === 'pending' ? 'pending' : 'joined'
}

type Joining = { system: System; account: Account; invitation: Invitation }

/**
 * Rows are locked in the order user, system, account, invitation, as by all changes of them, to avoid
 * deadlocks. Throws `link_expired` if the invitation has ended meanwhile or its inviter could not send it any
 * more, `account_suspended`, and `insufficient_authority` if the user is blocked; nothing is written then.
 */
async function lockJoining(
  tx: Db,
  which: Which,
  { systemId, accountId }: Pick<Invitation, 'systemId' | 'accountId'>,
): Promise<Joining> {
  const system = await shareSystem(tx, EVERYTHING, systemId)
  const account = await lockAccount(tx, EVERYTHING, accountId)
  const invitation = await lockOpen(tx, which)
  // In a 1:1 system only the platform adds members, and to the account of a user only.
  if (!invitation || !system.multiAccount || !(await stillHolds(tx, invitation.id)))
    throw new Failure('link_expired')
  if (statusOf(account) === 'suspended') throw new Failure('account_suspended')
  return { system, account, invitation }
}

async function addMember(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  { invitation, ...joining }: Joining & { user: { id: string; email: string } },
): Promise<MembershipStatus> {
  const { addedBy } = invitation
  const { status } = await createMembership(tx, mailing, actor, {
    ...joining,
    addedBy,
    ...(await stillAssignable(tx, invitation)),
    ...(addedBy !== 'account' && { status: 'active' }),
  })
  return status
}

async function accepted(tx: Db, actor: Actor, invitation: Invitation, user: User): Promise<void> {
  await markEntered(tx, { userId: user.id, systemId: invitation.systemId })
  await noteAccepted(tx, actor, invitation, user)
}

async function noteAccepted(tx: Db, actor: Actor, { id }: Invitation, user: { id: string }): Promise<void> {
  const ended = await endInvitation(tx, id, 'accepted', user.id)
  await recordChanges(tx, actor, 'invitation.accepted', [ended], difference({}, { acceptedBy: user.id }))
}

/** The account or the system was deleted, and the invitation with it. */
const GONE = new Set<FailureCode | undefined>(['link_expired', 'account_not_found', 'system_not_found'])

/** What ends an acceptance is found while rows are locked: the transaction is then rolled back. */
export async function attemptJoin<T>(work: () => Promise<T>): Promise<T | 'blocked' | 'suspended' | 'gone'> {
  try {
    return await work()
  } catch (error) {
    const code = failureOf(error)?.code
    if (code === 'insufficient_authority') return 'blocked'
    if (code === 'account_suspended') return 'suspended'
    if (GONE.has(code)) return 'gone'
    throw error
  }
}

/** Declines the invitation of a link, by whoever has the link. Returns whether it was pending. */
export async function declineInvitation(tx: Db, actor: Actor, linkHash: Buffer): Promise<boolean> {
  const invitation = await lockOpen(tx, { linkHash })
  if (!invitation) return false
  const ended = await endInvitation(tx, invitation.id, 'declined')
  await recordChanges(tx, actor, 'invitation.declined', [ended])
  return true
}
