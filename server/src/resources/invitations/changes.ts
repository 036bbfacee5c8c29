/** What every change of an invitation writes besides the row: the audit entry and the event. */
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { type Actor, SERVER } from '../../http/authority.ts'
import { type AuditEntry, record } from '../../journal/audit/record.ts'
import { actorOrigin, type Event, type EventType, enqueue } from '../../journal/events/enqueue.ts'
import type { Sent } from './holding.ts'
import { endInvitationsOf, endLost, expireInvitations, type Invitation, type Inviting } from './queries.ts'

type Happened = Extract<EventType, `invitation.${string}`>

/** Target, system and account of an audit entry about an invitation. */
export const entryOfInvitation = ({ id, systemId, accountId }: Invitation) => ({
  target: { type: 'invitation', id },
  systemId,
  accountId,
})

/** `changes`: of the audit entries. */
export async function recordChanges(
  tx: Db,
  actor: Actor,
  type: Happened,
  invitations: Invitation[],
  changes: AuditEntry['changes'] = {},
): Promise<void> {
  await record(
    tx,
    actor,
    ...invitations.map((each) => ({ action: type, ...entryOfInvitation(each), changes })),
  )
  await enqueue(tx, ...invitations.map((each) => eventOfInvitation(type, actor, each)))
}

function eventOfInvitation(type: Happened, actor: Actor, invitation: Invitation): Event {
  const { id, email, roles, systemId, accountId, addedBy, invitedBy, acceptedBy } = invitation
  return {
    type,
    systemId,
    accountId,
    data: {
      invitation: { id, email, roles },
      accountId,
      systemId,
      invitedBy: addedBy === 'platform' ? null : invitedBy,
      ...(acceptedBy !== null && { userId: acceptedBy }),
      actor: actorOrigin(actor),
    },
  }
}

/**
 * Revokes the pending invitations of an admin who is blocked or disabled: one to another address of the same
 * person would undo that. Call it after the account is locked, if it is.
 */
export const revokeInvitationsOf = async (tx: Db, actor: Actor, inviting: Inviting): Promise<void> =>
  recordChanges(tx, actor, 'invitation.revoked', await endInvitationsOf(tx, inviting, 'revoked'))

/**
 * Revokes the pending invitations that the inviters could not send any more: call it after a change that
 * takes rights away from a user, or from the inviters of a system.
 */
export const revokeLost = async (tx: Db, actor: Actor, sent: Sent): Promise<void> =>
  recordChanges(tx, actor, 'invitation.revoked', await endLost(tx, sent))

/** Rows in one transaction. */
const BATCH = 100

/** Notes which invitations have expired, in batches, until `signal` aborts. */
export async function noteExpired(db: Db, signal: AbortSignal): Promise<void> {
  for (let count = BATCH; count === BATCH && !signal.aborted; )
    count = await inTransaction(db, async (tx) => {
      const expired = await expireInvitations(tx, { limit: BATCH })
      await recordChanges(tx, SERVER, 'invitation.expired', expired)
      return expired.length
    })
}
