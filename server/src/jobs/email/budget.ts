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
  NOTIFICATIONS_TO_USER,
} from '../../http/limits/guard.ts'
import { type Limit, type Rule, reserve, secondsToWait } from '../../http/limits/queries.ts'
import { type EmailMessage, enqueueEmail } from './enqueue.ts'
import type { MailKind } from './kinds.ts'
import { noteLeftOut } from './left-out.ts'
import { hasSignedIn } from './queries.ts'

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

/** Notifications of a system in a day, and those of an organization of it. */
const OF_SYSTEM = dailyRule(5_000)
const OF_ACCOUNT = dailyRule(500)

/** What a notification of security is about: a credential, or a way around one. The others are about none. */
const CREDENTIAL: Partial<Record<MailKind, string>> = {
  password_changed: 'password',
  password_reset_by_admin: 'password',
  factor_added: 'factor',
  factor_removed: 'factor',
  mfa_removed: 'factor',
  recovery_code_used: 'factor',
  identity_added: 'identity',
  identity_removed: 'identity',
  member_exempt: 'exemption',
  exempt_sign_in: 'exemption',
}

/**
 * Emails a notification of a change. `scope`: where what has changed is valid. `accountId`: the organization
 * that has caused it. Those beyond the limits are left out, and counted.
 *
 * The threat: whoever can cause notifications uses up those of somebody else, and then changes a credential
 * unseen. So a notification of security to a user who has signed in to the system has no limit but that of
 * this reader and credential. Others count in the day of the organization, or of the system: it could add any
 * address as a user.
 */
export async function notify(
  tx: Db,
  seal: Seal,
  email: EmailMessage,
  scope: Scope,
  accountId?: string,
): Promise<void> {
  if (scope !== null && !(await isAllowed(tx, seal, email, { systemId: scope, accountId })))
    return noteLeftOut(scope)
  const isOfSecurity = CREDENTIAL[email.kind] !== undefined
  await enqueueEmail(tx, seal, email, { systemId: scope, isAwaited: false, isOfSecurity })
}

async function isAllowed(
  tx: Db,
  seal: Seal,
  { kind, recipient, userId }: EmailMessage,
  { systemId, accountId }: { systemId: string; accountId: string | undefined },
): Promise<boolean> {
  const credential = CREDENTIAL[kind]
  const about = [recipient, systemId, accountId ?? '', credential ?? '']
  if (!(await reserve(tx, limitOf(seal, 'notifications', NOTIFICATIONS_TO_USER, ...about)))) return false
  if (credential && userId !== undefined && (await hasSignedIn(tx, { userId, systemId }))) return true
  return reserve(
    tx,
    accountId === undefined
      ? limitOf(seal, 'system notifications', OF_SYSTEM, systemId)
      : limitOf(seal, 'account notifications', OF_ACCOUNT, accountId),
  )
}
