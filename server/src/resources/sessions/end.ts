import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { enqueueLogouts } from '../../jobs/backchannel-logout/enqueue.ts'
import { deleteBrowserSessions, deleteInteractions, type OwnSignIn } from '../artifacts/queries.ts'
import { record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { type EndedSession, type SessionFilter, updateEnded } from './queries.ts'

/** Why a session ended, for the audit and for `session.ended`. */
export type EndReason =
  | 'logout'
  | 'admin'
  | 'membership_blocked'
  | 'membership_removed'
  | 'account_removed'
  | 'user_disabled'
  | 'user_removed'
  | 'password_changed'
  | 'mfa_disabled'
  | 'system_removed'
  | 'token_revoked'
  | 'code_replay'
  | 'refresh_reuse'
  | 'account_switched'

/**
 * Ends every living session that matches, with the audit entries and events of it, and answers how many. For a whole
 * user the browser sessions go too; otherwise other systems' sign-ins in the same browser live on, and only the system
 * of what ended asks for a new one (prompts.ts).
 * `own`: a sign-in under way, in its browser, that goes on.
 * Call it before the rows it speaks of are deleted, in the same transaction.
 */
export async function endSessions(
  tx: Db,
  actor: Actor,
  filter: SessionFilter,
  reason: EndReason,
  own?: OwnSignIn,
): Promise<number> {
  // In the order in which a sign-in comes by them, and then again what was opened by one that had to be waited for.
  const person = 'userId' in filter && filter.systemId === undefined ? filter.userId : undefined
  if (person) await deleteInteractions(tx, person, own)
  const ended = await updateEnded(tx, filter, reason)
  if (person) {
    await deleteBrowserSessions(tx, person, own)
    ended.push(...(await updateEnded(tx, filter, reason)))
  }
  await enqueueLogouts(
    tx,
    ended.map((session) => session.sid),
  )
  // A system's end can be many: in batches, since one statement takes 65,535 values at most.
  for (let from = 0; from < ended.length; from += 1_000)
    await tell(tx, actor, ended.slice(from, from + 1_000), reason)
  return ended.length
}

async function tell(tx: Db, actor: Actor, ended: EndedSession[], reason: EndReason): Promise<void> {
  await record(
    tx,
    actor,
    ...ended.map((session) => ({
      action: 'session.ended',
      target: { type: 'session', id: session.sid },
      systemId: session.systemId,
      accountId: session.accountId,
      changes: { reason: [null, reason] as [unknown, unknown] },
    })),
  )
  await enqueue(
    tx,
    ...ended.map((session) => ({
      type: 'session.ended' as const,
      systemId: session.systemId,
      accountId: session.accountId,
      userId: session.userId,
      membershipId: session.membershipId,
      data: {
        sid: session.sid,
        reason,
        user: { id: session.userId },
        membershipId: session.membershipId,
        accountId: session.accountId,
        systemId: session.systemId,
        actor: { type: actor.type, id: actor.id },
      },
    })),
  )
}
