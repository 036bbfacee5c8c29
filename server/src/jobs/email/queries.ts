/** The SQL of the email queue. */

import type { Db } from '../../database/database.ts'
import { and, eq, type SQL, sql } from '../../database/drizzle.ts'
import { mail, systemUsers } from '../../database/schema.ts'
import { nextInTurn } from '../turns.ts'

/**
 * 2 minutes, in seconds: longer than one attempt (SEND_MAX in deliver.ts), so that no two processes send one
 * email.
 */
const LEASE = 120

const inSeconds = (seconds: number): SQL => sql`now() + make_interval(secs => ${seconds})`
/** It is no parameter: the planner would not use the partial index. */
const pending = sql`${mail.status} = 'pending'`

export type NewEmail = Pick<
  typeof mail.$inferInsert,
  'kind' | 'recipient' | 'userId' | 'tenant' | 'isAwaited'
> & {
  id: string
  sealedMessage: Buffer
}

export async function insertEmail(tx: Db, email: NewEmail, expiresIn: number): Promise<void> {
  await tx.insert(mail).values({ ...email, expiresAt: inSeconds(expiresIn) })
}

/** Whether a user has signed in to a system. */
export async function hasSignedIn(
  tx: Db,
  { userId, systemId }: { userId: string; systemId: string },
): Promise<boolean> {
  const isUser = and(eq(systemUsers.userId, userId), eq(systemUsers.systemId, systemId))
  const rows = await tx
    .select({ userId: systemUsers.userId })
    .from(systemUsers)
    .where(and(isUser, sql`${systemUsers.lastLoginAt} is not null`))
  return rows.length > 0
}

export type ClaimedEmail = {
  id: string
  kind: string
  recipient: string
  isAwaited: boolean
  sealedMessage: Buffer | null
  /** Including this one. */
  attempts: number
  createdAt: Date
  expired: boolean
}

/** Leases up to `limit` emails that are due and that a person waits for, or does not. Systems take turns. */
export function claimEmails(db: Db, isAwaited: boolean, limit: number): Promise<ClaimedEmail[]> {
  // It is no parameter: the planner would not use the index.
  const open = sql`${pending} and ${isAwaited ? sql`is_awaited` : sql`not is_awaited`}`
  const next = nextInTurn({ table: sql`${mail}`, tenant: sql`${mail.tenant}`, open }, limit)
  return db
    .update(mail)
    .set({ leasedUntil: inSeconds(LEASE), attempts: sql`${mail.attempts} + 1` })
    .where(sql`${mail.id} = any(array(${next}))`)
    .returning({
      id: mail.id,
      kind: mail.kind,
      recipient: mail.recipient,
      isAwaited: mail.isAwaited,
      sealedMessage: mail.sealedMessage,
      attempts: mail.attempts,
      createdAt: mail.createdAt,
      expired: sql<boolean>`${mail.expiresAt} <= now()`,
    })
}

/** The row of this attempt, unless another process has leased it since. */
const leased = ({ id, attempts }: ClaimedEmail) => and(pending, eq(mail.id, id), eq(mail.attempts, attempts))

/** Deletes the content. */
export async function markSent(db: Db, email: ClaimedEmail): Promise<void> {
  await db
    .update(mail)
    .set({ status: 'sent', sentAt: sql`now()`, sealedMessage: null, leasedUntil: null, lastError: null })
    .where(leased(email))
}

/** Deletes the content. Keeps the error of an earlier attempt, which is more specific. */
export async function markExpired(db: Db, email: ClaimedEmail): Promise<void> {
  const lastError = sql`coalesce(${mail.lastError}, 'expired before it could be sent')`
  await db
    .update(mail)
    .set({ status: 'failed', sealedMessage: null, leasedUntil: null, lastError })
    .where(leased(email))
}

/** Deletes the content. */
export async function markRefused(db: Db, email: ClaimedEmail, lastError: string): Promise<void> {
  await db
    .update(mail)
    .set({ status: 'failed', sealedMessage: null, leasedUntil: null, lastError })
    .where(leased(email))
}

/** Due again after `seconds`, or at its expiry if that is sooner; it is then marked as expired. */
export async function postpone(
  db: Db,
  email: ClaimedEmail,
  seconds: number,
  lastError: string,
): Promise<void> {
  await db
    .update(mail)
    .set({
      nextAttemptAt: sql`least(${inSeconds(seconds)}, ${mail.expiresAt})`,
      leasedUntil: null,
      lastError,
    })
    .where(leased(email))
}
