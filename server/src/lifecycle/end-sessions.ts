/**
 * The end of sessions: of one, or of all of a user, membership, connection, account or system. What follows
 * an end, in the same transaction or in its job:
 *
 * 1. no token of the session is valid (`ended_at`, or the row of `session_ends` that covers it)
 * 2. the sessions of users who act for the member end
 * 3. the back-channel logout of the application is queued
 * 4. the audit entry and the event `session.ended` are written
 * 5. for a whole user, the browser sessions and the sign-ins in progress are deleted
 *
 * remove-system.ts stores the row of `session_ends` itself; its job does the rest with `endCovered`.
 */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { enqueueLogouts } from '../jobs/backchannel-logout/enqueue.ts'
import type { LogoutReceiver } from '../jobs/backchannel-logout/queries.ts'
import { insertJob, type Job } from '../jobs/background/queries.ts'
import type { JobStep } from '../jobs/background/worker.ts'
import { record } from '../journal/audit/record.ts'
import { actorOrigin, enqueue } from '../journal/events/enqueue.ts'
import {
  deleteBrowserSession,
  deleteBrowserSessions,
  deleteInteractions,
  type OwnSignIn,
} from '../resources/artifacts/queries.ts'
import {
  countLiving,
  deleteSessionEnd,
  type EndedSession,
  type Extent,
  findSessionEnd,
  insertSessionEnd,
  type SessionEnd,
  type SessionFilter,
  type StoredEnd,
  updateActing,
  updateCovered,
  updateEnded,
  updateForbiddenActing,
  updateReserved,
} from '../resources/sessions/end-queries.ts'

/** Why a session ended, for the audit and for `session.ended`. */
export type EndReason =
  | 'logout'
  | 'admin'
  | 'membership_blocked'
  | 'membership_removed'
  | 'account_removed'
  | 'account_suspended'
  | 'user_disabled'
  | 'user_removed'
  | 'password_changed'
  | 'mfa_disabled'
  | 'factor_removed'
  | 'system_removed'
  | 'token_revoked'
  | 'code_replay'
  | 'refresh_reuse'
  | 'account_switched'
  | 'acting_not_allowed'
  | 'connection_disabled'
  | 'connection_removed'
  | 'connection_sessions_ended'
  | 'connection_unlinked'
  | 'reserved_role'
  | 'sso_required'

/**
 * Sessions that a request ends by itself, and a batch of a job: about 200 ms. With more, the request makes
 * the end effective for all, and leaves the rows, entries, events and logouts of the rest to a job.
 */
const BATCH = 1_000

/**
 * 10 s, in seconds: twice the time that a request may wait (request-time.ts). A sign-in that was in progress
 * at the time of the end has stored its session by then, or never will.
 */
const SETTLED = 10

/**
 * Ends all active sessions that match: no token of theirs is valid once the transaction has committed.
 * Returns their number. The rows, audit entries, events and back-channel logouts of a thousand are part of
 * the transaction, those of further ones of a job. For a whole user the browser sessions are deleted too;
 * otherwise only the system of the session asks the browser to authenticate again (oidc/policy/prompts.ts).
 *
 * `own`: a sign-in in progress, with its browser, that continues.
 *
 * If the rows that the filter names are deleted next, call `endEverySession` instead.
 */
export async function endSessions(
  tx: Db,
  actor: Actor,
  filter: SessionFilter,
  reason: EndReason,
  own?: OwnSignIn,
): Promise<number> {
  if ('sid' in filter || 'browserUid' in filter) return end(tx, actor, filter, reason, {}, own)
  const ended = await end(tx, actor, filter, reason, { limit: BATCH }, own)
  return ended < BATCH ? ended : ended + (await endByJob(tx, actor, filter, reason))
}

/** Ends all sessions in this transaction. Call it before the rows that the filter names are deleted. */
export const endEverySession = (
  tx: Db,
  actor: Actor,
  filter: SessionFilter,
  reason: EndReason,
  own?: OwnSignIn,
): Promise<number> => end(tx, actor, filter, reason, { covered: true }, own)

/**
 * Ends the sessions of a user in one browser. `browserHash`: of its browser session, which is deleted: the
 * user signs in there again. As for a whole user, the second update ends what was opened meanwhile.
 */
export async function endBrowser(
  tx: Db,
  actor: Actor,
  filter: { userId: string; browserUid: string },
  browserHash: Buffer | undefined,
): Promise<number> {
  const reason = 'logout'
  const ended = await updateEnded(tx, filter, reason, {})
  if (browserHash) {
    await deleteBrowserSession(tx, filter.userId, browserHash)
    ended.push(...(await updateEnded(tx, filter, reason, {})))
  }
  return noteEnded(tx, actor, ended, reason)
}

async function end(
  tx: Db,
  actor: Actor,
  filter: SessionFilter,
  reason: EndReason,
  extent: Extent,
  own: OwnSignIn | undefined,
): Promise<number> {
  // The locks are taken in the order of a sign-in. The second update ends what a
  // concurrent sign-in has opened.
  const isWhole = 'userId' in filter && !('browserUid' in filter) && filter.systemId === undefined
  const wholeUser = isWhole ? filter.userId : undefined
  if (wholeUser) await deleteInteractions(tx, wholeUser, own)
  const ended = await updateEnded(tx, filter, reason, extent)
  if (wholeUser) {
    await deleteBrowserSessions(tx, wholeUser, own)
    if (ended.length !== extent.limit) ended.push(...(await updateEnded(tx, filter, reason, extent)))
  }
  return noteEnded(tx, actor, ended, reason)
}

/** Everything that follows the update of the rows. Returns the number of ended sessions. */
async function noteEnded(
  tx: Db,
  actor: Actor,
  ended: EndedSession[],
  reason: EndReason,
  receiver?: LogoutReceiver,
): Promise<number> {
  const all = [...ended, ...(await updateActing(tx, ended, reason))]
  await enqueueLogouts(
    tx,
    all.map((session) => session.sid),
    receiver,
  )
  await recordEnded(tx, actor, all, reason)
  return all.length
}

/** Ends the sessions that are left, and returns their number. */
async function endByJob(tx: Db, actor: Actor, filter: SessionEnd, reason: EndReason): Promise<number> {
  const total = await countLiving(tx, filter)
  if (total === 0) return 0
  const systemId = filter.systemId ?? null
  const target = targetOf(filter)
  const jobId = await insertJob(tx, { kind: 'end_sessions', systemId, target, actor, total })
  await insertSessionEnd(tx, { jobId, filter, reason })
  return total
}

const targetOf = ({ membershipId, userId, connectionId, accountId, systemId }: SessionEnd): Job['target'] => {
  if (connectionId) return { type: 'connection', id: connectionId }
  if (membershipId) return { type: 'membership', id: membershipId }
  if (userId) return { type: 'user', id: userId }
  return accountId ? { type: 'account', id: accountId } : { type: 'system', id: String(systemId) }
}

/**
 * Updates the rows of a thousand sessions that a row of `session_ends` covers, with all that follows.
 * `isLast`: there are no more. `receiver`: of a system that was deleted.
 */
export async function endCovered(
  tx: Db,
  job: Pick<Job, 'id' | 'actor'>,
  from: string | null,
  stored: StoredEnd,
  receiver?: LogoutReceiver,
): Promise<{ done: number; cursor: string | null; isLast: boolean }> {
  const { ended, found, cursor } = await updateCovered(tx, job.id, stored, from, BATCH)
  const done = await noteEnded(tx, job.actor, ended, stored.reason as EndReason, receiver)
  return { done, cursor, isLast: found < BATCH }
}

/** A batch of the job `end_sessions`. */
export const endBatch: JobStep = async (tx, job) => {
  const stored = await findSessionEnd(tx, job.id)
  if (!stored) return { done: 0, cursor: null, wait: undefined }
  const { done, cursor, isLast } = await endCovered(tx, job, job.cursor as string | null, stored)
  if (!isLast) return { done, cursor, wait: 0 }
  if (stored.age < SETTLED) return { done, cursor: null, wait: SETTLED - stored.age }
  await deleteSessionEnd(tx, job.id)
  return { done, cursor: null, wait: undefined }
}

/**
 * Ends the sessions in which users act for members of a system and may not any more, since a setting or a
 * role has changed in the same transaction. They have no browser, so there is no back-channel logout.
 */
export async function endForbiddenActing(tx: Db, actor: Actor, systemId: string): Promise<void> {
  const reason = 'acting_not_allowed'
  await recordEnded(tx, actor, await updateForbiddenActing(tx, systemId, reason), reason)
}

/**
 * Ends the sessions in a system that a connection has opened for members whom it may not sign in any more,
 * since a membership, role or connection has changed in the same transaction.
 */
export async function endReserved(tx: Db, actor: Actor, systemId: string): Promise<void> {
  const reason = 'reserved_role'
  await noteEnded(tx, actor, await updateReserved(tx, systemId, reason), reason)
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
        actor: actorOrigin(actor),
      },
    })),
  )
}
