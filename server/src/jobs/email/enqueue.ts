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
import { contentOf } from './compose.ts'
import type { EmailContent, EmailMessage } from './email.ts'
import { isOwnKind } from './kinds.ts'
import { type ClaimedEmail, insertEmail } from './queries.ts'
import { findSending } from './texts-queries.ts'

export type { EmailContent, EmailMessage }

export const emailContextOf = (id: string) => `mail:${id}`

/**
 * An email takes the turn of the system that has caused it, if any. `isAwaited`: a person has asked for it
 * and waits. `isOfSecurity`: it has a turn beside the other emails of the system, and does not wait for them.
 */
export type Turn = { systemId: string | null; isAwaited: boolean; isOfSecurity?: boolean }

const tenantOf = ({ systemId, isOfSecurity = false }: Turn): string =>
  systemId === null ? '' : `${systemId}${isOfSecurity ? ' security' : ''}`

/** A notification that no system has caused. */
export const OF_NO_SYSTEM: Turn = { systemId: null, isAwaited: false }

/** Wakes the worker of this process: an email was inserted. */
export const queuedEmails = new EventEmitter<{ email: [] }>()

/**
 * Inserts an email into the queue, encrypted: it may contain a link that grants access to an account. Returns
 * its id.
 */
export async function enqueueEmail(tx: Db, seal: Seal, email: EmailMessage, turn: Turn): Promise<string> {
  const { kind, recipient, userId, expiresIn } = email
  // Defence in depth: such an address can neither end the SMTP command nor name a second recipient.
  if (storedAddress(recipient) !== recipient)
    throw new Error(`an email (${kind}) must have exactly one recipient`)
  const id = randomUUID()
  const content = await contentToSend(tx, email)
  const sealedMessage = seal.seal(JSON.stringify(content), emailContextOf(id))
  const of = { userId: userId ?? null, tenant: tenantOf(turn), isAwaited: turn.isAwaited }
  await insertEmail(tx, { id, kind, recipient, sealedMessage, ...of }, expiresIn)
  afterCommit(() => queuedEmails.emit('email'))
  return id
}

/** With the addresses of the application, and its texts where it has some. */
async function contentToSend(tx: Db, { kind, draft, sender }: EmailMessage): Promise<EmailContent> {
  const { systemId, locale, isOurs } = draft
  const named = sender ? { sender } : {}
  if (systemId === undefined || !isOwnKind(kind)) return { ...contentOf(draft), ...named }
  const found = await findSending(tx, { systemId, kind, locale })
  return {
    ...contentOf(draft, (!isOurs && found?.texts) || undefined),
    ...named,
    ...(found?.from && { from: found.from }),
    ...(found?.replyTo && { replyTo: found.replyTo }),
  }
}

/** Throws if the content belongs to another row, was modified, or was encrypted with another key. */
export function openEmail(
  seal: Seal,
  { id, sealedMessage }: Pick<ClaimedEmail, 'id' | 'sealedMessage'>,
): EmailContent {
  if (sealedMessage === null) throw new Error('the email has no content')
  return JSON.parse(seal.open(sealedMessage, emailContextOf(id))) as EmailContent
}
