/**
 * How many emails an address receives on request. Each cause has a budget of its own, so that no system and
 * no visitor uses up the emails that another may request.
 */
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Scope } from '../../http/authority.ts'
import { EMAILS_TO_ADDRESS, limitOf, NOTIFICATIONS_OF_SYSTEM } from '../../http/limits/guard.ts'
import { reserve, secondsToWait } from '../../http/limits/queries.ts'
import { type EmailMessage, enqueueEmail } from './enqueue.ts'

/**
 * Who requests an email: anyone without authentication, the user, the platform, or the system of this id; or
 * the account of this id, by its invitations. `test`: the platform, to test the mail server.
 */
export type Cause = 'anonymous' | 'user' | 'platform' | 'test' | { systemId: string } | { accountId: string }

/** Counts an email to an address. Returns 0, or the seconds until the next one of this cause is allowed. */
export async function reserveEmail(tx: Db, seal: Seal, address: string, cause: Cause): Promise<number> {
  const by =
    typeof cause === 'string'
      ? cause
      : 'systemId' in cause
        ? `system:${cause.systemId}`
        : `account:${cause.accountId}`
  const limit = limitOf(seal, 'emails', EMAILS_TO_ADDRESS, address, by)
  return (await reserve(tx, limit)) ? 0 : Math.max(1, await secondsToWait(tx, [limit]))
}

/**
 * Emails a notification of a change. `scope`: where what has changed is valid. A system can repeat the
 * changes of what is valid in it: those beyond the limit are not notified.
 */
export async function notify(tx: Db, seal: Seal, email: EmailMessage, scope: Scope): Promise<void> {
  const limit =
    scope !== null && limitOf(seal, 'notifications', NOTIFICATIONS_OF_SYSTEM, email.recipient, scope)
  if (!limit || (await reserve(tx, limit))) await enqueueEmail(tx, seal, email)
}
