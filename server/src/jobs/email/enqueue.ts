/**
 * An email is inserted in the transaction of the change that it reports, so that both commit or neither does,
 * and no request waits for a mail server. deliver.ts sends it after the commit.
 */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { storedAddress } from '../../email-address.ts'
import { type ClaimedEmail, insertEmail } from './queries.ts'

export type EmailContent = {
  subject: string
  text: string
  html: string
  /** The name of the application that the email is from. */
  sender?: string
}

export type EmailMessage = EmailContent & {
  /** The name for the log and for limits: `password_changed`. */
  kind: string
  /** One address. */
  recipient: string
  /** Pending email of a user is deleted with the user. */
  userId?: string
  /** It is not sent after this time, in seconds. */
  expiresIn: number
}

export const emailContextOf = (id: string) => `mail:${id}`

/**
 * An email takes the turn of the system that has caused it, if any. `isAwaited`: a person has asked for it
 * and waits.
 */
export type Turn = { systemId: string | null; isAwaited: boolean }

/** A notification that no system has caused. */
export const OF_NO_SYSTEM: Turn = { systemId: null, isAwaited: false }

/** Wakes the worker of this process: an email was inserted. */
export const queuedEmails = new EventEmitter<{ email: [] }>()

/**
 * Inserts an email into the queue, encrypted: it may contain a link that grants access to an account. Returns
 * its id.
 */
export async function enqueueEmail(
  tx: Db,
  seal: Seal,
  email: EmailMessage,
  { systemId, isAwaited }: Turn,
): Promise<string> {
  const { kind, recipient, userId, expiresIn, subject, text, html, sender } = email
  // Defence in depth: such an address can neither end the SMTP command nor name a second recipient.
  if (storedAddress(recipient) !== recipient)
    throw new Error(`an email (${kind}) must have exactly one recipient`)
  const id = randomUUID()
  const content: EmailContent = { subject, text, html, ...(sender && { sender }) }
  const sealedMessage = seal.seal(JSON.stringify(content), emailContextOf(id))
  const turn = { tenant: systemId ?? '', isAwaited }
  await insertEmail(tx, { id, kind, recipient, userId: userId ?? null, sealedMessage, ...turn }, expiresIn)
  afterCommit(() => queuedEmails.emit('email'))
  return id
}

/** Throws if the content belongs to another row, was modified, or was encrypted with another key. */
export function openEmail(
  seal: Seal,
  { id, sealedMessage }: Pick<ClaimedEmail, 'id' | 'sealedMessage'>,
): EmailContent {
  if (sealedMessage === null) throw new Error('the email has no content')
  return JSON.parse(seal.open(sealedMessage, emailContextOf(id))) as EmailContent
}
