/**
 * How many emails an address receives on request, and how many a system causes. Each cause has a budget of
 * its own, so that no system and no visitor uses up the emails that another may request.
 */
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Scope } from '../../http/authority.ts'
import { networksOf } from '../../http/ip-address.ts'
import {
  dailyRule,
  EMAILS_OF_ASKER,
  EMAILS_OF_ASKERS,
  EMAILS_TO_ADDRESS,
  limitOf,
  NOTIFICATIONS_OF_SYSTEM,
} from '../../http/limits/guard.ts'
import { type Limit, type Rule, reserve, secondsToWait } from '../../http/limits/queries.ts'
import { type EmailMessage, enqueueEmail } from './enqueue.ts'

/**
 * Who requests an email: anyone without authentication, the platform, or the system of this id; or
 * the account of this id, by its invitations. `test`: the platform, to test the mail server.
 */
export type Cause =
  | 'anonymous'
  | 'platform'
  | 'test'
  | { systemId: string; ofDay?: Rule }
  | { accountId: string }

/**
 * Counts an email to an address; for a system also as one of its day (`ofDay`), whose row is locked until the
 * transaction ends. Returns 0, or the seconds until the next one of this cause is allowed.
 */
export async function reserveEmail(tx: Db, seal: Seal, address: string, cause: Cause): Promise<number> {
  const by =
    typeof cause === 'string'
      ? cause
      : 'systemId' in cause
        ? `system:${cause.systemId}`
        : `account:${cause.accountId}`
  const limits = [limitOf(seal, 'emails', EMAILS_TO_ADDRESS, address, by)]
  if (typeof cause === 'object' && 'ofDay' in cause)
    limits.push(limitOf(seal, 'system emails', cause.ofDay, by))
  for (const limit of limits)
    if (!(await reserve(tx, limit))) return Math.max(1, await secondsToWait(tx, [limit]))
  return 0
}

/**
 * Counts an email to an address that a user wants to have, who has not proved it. All users share what an
 * address receives in this way: otherwise many of them flood a mailbox. But the owner may be the last who
 * asks: when the others have used it up, each user still has one an hour, each network those of one user, and
 * all of these have a limit. Returns whether it is allowed.
 */
export async function reserveForAsker(
  tx: Db,
  seal: Seal,
  address: string,
  asker: { userId: string; ip: string | null },
): Promise<boolean> {
  const of = (rule: Rule, ...by: string[]) => limitOf(seal, 'emails to asked', rule, address, ...by)
  if (!(await reserve(tx, of(EMAILS_TO_ADDRESS, 'user', asker.userId)))) return false
  if (await reserve(tx, of(EMAILS_TO_ADDRESS))) return true
  return reserveAll(tx, [
    of(EMAILS_OF_ASKER, 'beyond', asker.userId),
    ...networksOf(asker.ip).map((network) => of(EMAILS_TO_ADDRESS, 'network', network)),
    of(EMAILS_OF_ASKERS, 'beyond'),
  ])
}

/** Counts nothing unless all limits allow it. */
async function reserveAll(tx: Db, limits: Limit[]): Promise<boolean> {
  if ((await secondsToWait(tx, limits)) > 0) return false
  for (const limit of limits) if (!(await reserve(tx, limit))) return false
  return true
}

/** Notifications of one system in a day, beside the emails that its service tokens ask for. */
const NOTIFICATIONS_OF_DAY = dailyRule(5_000)

/**
 * Emails a notification of a change. `scope`: where what has changed is valid. A system can repeat the
 * changes of what is valid in it: those beyond the limit are not notified.
 */
export async function notify(tx: Db, seal: Seal, email: EmailMessage, scope: Scope): Promise<void> {
  if (scope !== null) {
    if (!(await reserve(tx, limitOf(seal, 'notifications', NOTIFICATIONS_OF_SYSTEM, email.recipient, scope))))
      return
    if (!(await reserve(tx, limitOf(seal, 'system notifications', NOTIFICATIONS_OF_DAY, scope)))) return
  }
  await enqueueEmail(tx, seal, email, { systemId: scope, isAwaited: false })
}
