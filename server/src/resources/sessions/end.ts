import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { enqueueLogouts } from '../../jobs/backchannel-logout/enqueue.ts'
import { deleteBrowserSessions, deleteInteractions, type OwnSignIn } from '../artifacts/queries.ts'
import { record } from '../audit/record.ts'
import { enqueue, originOf } from '../events/enqueue.ts'
import {
  type EndedSession,
  type SessionFilter,
  updateActing,
  updateEnded,
  updateForbiddenActing,
} from './queries.ts'

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
  | 'acting_not_allowed'

/**
 * Ends every active session that matches: rows, audit entries, events and back-channel logouts. Returns their
 * number. For a whole user the browser sessions are deleted too; otherwise only the system of the session
 * asks the browser to authenticate again (oidc/policy/prompts.ts).
 *
 * `own`: a sign-in in progress, with its browser, that continues.
 *
 * Call it in the same transaction before the rows that the filter names are deleted.
 */
export async function endSessions(
  tx: Db,
  actor: Actor,
  filter: SessionFilter,
  reason: EndReason,
  own?: OwnSignIn,
): Promise<number> {
  // The locks are taken in the order of a sign-in. The second update ends what a
  // concurrent sign-in has opened.
  const wholeUser = 'userId' in filter && filter.systemId === undefined ? filter.userId : undefined
  if (wholeUser) await deleteInteractions(tx, wholeUser, own)
  const ended = await updateEnded(tx, filter, reason)
  if (wholeUser) {
    await deleteBrowserSessions(tx, wholeUser, own)
    ended.push(...(await updateEnded(tx, filter, reason)))
  }
  ended.push(...(await updateActing(tx, ended, reason)))
  await enqueueLogouts(
    tx,
    ended.map((session) => session.sid),
  )
  await recordEnded(tx, actor, ended, reason)
  return ended.length
}

/**
 * Ends the sessions in which users act for members of a system and may not any more, since a setting or a
 * role has changed in the same transaction. They have no browser, so there is no back-channel logout.
 */
export async function endForbiddenActing(tx: Db, actor: Actor, systemId: string): Promise<void> {
  const reason = 'acting_not_allowed'
  await recordEnded(tx, actor, await updateForbiddenActing(tx, systemId, reason), reason)
}

/** In batches: one statement takes at most 65,535 values, and a system may have many sessions. */
async function recordEnded(tx: Db, actor: Actor, ended: EndedSession[], reason: EndReason): Promise<void> {
  for (let from = 0; from < ended.length; from += 1_000)
    await recordBatch(tx, actor, ended.slice(from, from + 1_000), reason)
}

async function recordBatch(tx: Db, actor: Actor, ended: EndedSession[], reason: EndReason): Promise<void> {
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
        actor: originOf(actor),
      },
    })),
  )
}
