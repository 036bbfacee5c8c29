/** Every SQL statement about mail that waits, is being sent, or is done with. */

import type { Db } from '../../database/database.ts'
import { mail } from '../../database/schema.ts'
import { and, asc, desc, eq, inArray, isNull, lte, or, type SQL, sql } from '../../tuning/drizzle.ts'

/** 2 minutes, in seconds: longer than one attempt can take (SEND_MAX in deliver.ts), so that two processes never hold one email. */
const LEASE = 120

const inSeconds = (seconds: number): SQL => sql`now() + make_interval(secs => ${seconds})`
/** As a constant: with a parameter the planner could not use the index of what is pending. */
const pending = sql`${mail.status} = 'pending'`

export type NewEmail = Pick<typeof mail.$inferInsert, 'kind' | 'recipient' | 'userId'> & {
  id: string
  sealedLetter: Buffer
}

export async function insertEmail(tx: Db, email: NewEmail, expiresIn: number): Promise<void> {
  await tx.insert(mail).values({ ...email, expiresAt: inSeconds(expiresIn) })
}

export type ClaimedEmail = {
  id: string
  kind: string
  recipient: string
  sealedLetter: Buffer | null
  /** This attempt included. */
  attempts: number
  createdAt: Date
  expired: boolean
}

/** Takes up to `limit` emails that are due, longest due first, out of everybody else's sight for the lease. */
export function claimEmails(db: Db, limit: number): Promise<ClaimedEmail[]> {
  const free = or(isNull(mail.leasedUntil), lte(mail.leasedUntil, sql`now()`))
  // A CTE: as a plain subquery the planner may run it more than once, and take more than the limit.
  const due = db.$with('due').as(
    db
      .select({ id: mail.id })
      .from(mail)
      .where(and(pending, lte(mail.nextAttemptAt, sql`now()`), free))
      .orderBy(asc(mail.nextAttemptAt))
      .limit(limit)
      .for('update', { skipLocked: true }),
  )
  return db
    .with(due)
    .update(mail)
    .set({ leasedUntil: inSeconds(LEASE), attempts: sql`${mail.attempts} + 1` })
    .where(inArray(mail.id, db.select({ id: due.id }).from(due)))
    .returning({
      id: mail.id,
      kind: mail.kind,
      recipient: mail.recipient,
      sealedLetter: mail.sealedLetter,
      attempts: mail.attempts,
      createdAt: mail.createdAt,
      expired: sql<boolean>`${mail.expiresAt} <= now()`,
    })
}

/** The claim, unless another process has taken the email over since. */
const held = ({ id, attempts }: ClaimedEmail) => and(pending, eq(mail.id, id), eq(mail.attempts, attempts))

/** Its content goes. */
export async function markSent(db: Db, email: ClaimedEmail): Promise<void> {
  await db
    .update(mail)
    .set({ status: 'sent', sentAt: sql`now()`, sealedLetter: null, leasedUntil: null, lastError: null })
    .where(held(email))
}

/** Its content goes; the fault of an earlier attempt says more than that time ran out. */
export async function markExpired(db: Db, email: ClaimedEmail): Promise<void> {
  const lastError = sql`coalesce(${mail.lastError}, 'expired before it could be sent')`
  await db
    .update(mail)
    .set({ status: 'failed', sealedLetter: null, leasedUntil: null, lastError })
    .where(held(email))
}

/** Its content goes. */
export async function markRefused(db: Db, email: ClaimedEmail, lastError: string): Promise<void> {
  await db
    .update(mail)
    .set({ status: 'failed', sealedLetter: null, leasedUntil: null, lastError })
    .where(held(email))
}

/** Due again after `seconds`, or when it expires if that is sooner: then to be given up. */
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
    .where(held(email))
}

/**
 * Kinds of mail that somebody asks for, and could ask for in somebody else's name: of these an address gets three in 15
 * minutes and ten in a day, whoever asked and in whichever way.
 */
const ASKED_FOR = ['password_reset', 'email_verification', 'email_change', 'account_exists']

/**
 * Seconds until an address may get another mail of those; 0 or less: now. Call it with the user of the address locked, in
 * the transaction that sends the mail: nobody else counts meanwhile.
 */
export async function waitForMail(tx: Db, recipient: string): Promise<number> {
  const asked = tx
    .select({ at: mail.createdAt })
    .from(mail)
    .where(and(eq(mail.recipient, recipient), inArray(mail.kind, ASKED_FOR)))
    .orderBy(desc(mail.createdAt))
    .limit(10)
    .as('asked')
  const nth = (n: number) => sql`(array_agg(${asked.at} order by ${asked.at} desc))[${sql.raw(String(n))}]`
  const free = sql`greatest(${nth(3)} + interval '15 minutes', ${nth(10)} + interval '1 day')`
  // By the clock: whoever waited for the lock began before the mails that were sent meanwhile.
  const left = sql<number | null>`ceil(extract(epoch from ${free} - clock_timestamp()))::int`
  const [row] = await tx.select({ seconds: left }).from(asked)
  return row?.seconds ?? 0
}
