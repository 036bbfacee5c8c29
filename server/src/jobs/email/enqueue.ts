/**
 * Mail is a row of the transaction that gives a reason for it: no change without its email, no email without its
 * change, and no request waits for a mail server. deliver.ts sends it after the commit.
 */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { Email } from '../../http/shapes.ts'
import { fits } from '../../tuning/compiled.ts'
import { type ClaimedEmail, insertEmail } from './queries.ts'

export type Content = { subject: string; text: string; html: string }

export type EmailMessage = Content & {
  /** What it is about, a word for the log: `password_changed`. */
  kind: string
  /** One address. */
  recipient: string
  /** Whose email it is: a user who is deleted takes along what waits. */
  userId?: string
  /** Seconds. After these it is not sent any more. */
  expiresIn: number
}

const contextOf = (id: string) => `mail:${id}`

/** Tells the mailer of this process that an email was queued. */
export const queued = new EventEmitter<{ email: [] }>()

/** Puts an email into the queue. It is sealed, since it may hold a link that opens an account. */
export async function sendMail(tx: Db, seal: Seal, email: EmailMessage): Promise<void> {
  const { kind, recipient, userId, expiresIn, subject, text, html } = email
  // The last of several checks: what passes here can neither end the SMTP command nor name a second recipient.
  if (!fits(Email, recipient)) throw new Error(`an email (${kind}) must go to exactly one address`)
  const id = randomUUID()
  const content: Content = { subject, text, html }
  const sealedLetter = seal.seal(JSON.stringify(content), contextOf(id))
  await insertEmail(tx, { id, kind, recipient, userId: userId ?? null, sealedLetter }, expiresIn)
  afterCommit(() => queued.emit('email'))
}

/** Throws when the row was moved, changed, or sealed under another key. */
export function openEmail(
  seal: Seal,
  { id, sealedLetter }: Pick<ClaimedEmail, 'id' | 'sealedLetter'>,
): Content {
  if (sealedLetter === null) throw new Error('the email has no content')
  return JSON.parse(seal.open(sealedLetter, contextOf(id))) as Content
}
