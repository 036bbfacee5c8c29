/** What an email is until it is in the queue, and there. */
import type { Locale } from '../../texts/texts.ts'
import type { MailKind } from './kinds.ts'
import type { EmailBlock, EmailLayout } from './layout.ts'

/**
 * What an email says: it is stored until it is sent, and drawn then, since the name and the address of the
 * installation are settings of the server.
 */
export type EmailContent = {
  locale: Locale
  subject: string
  /** The heading. */
  title: string
  blocks: EmailBlock[]
  /** Of the application; an email without one has that of the installation. */
  brand?: EmailLayout['sender']
  /** The name of the application that the email is from. */
  sender?: string
  /** Instead of the address of MAIL_FROM. */
  from?: string
  replyTo?: string
}

export type EmailMessage = {
  /** For the log, for limits, and for texts of the application. */
  kind: MailKind
  /** One address. */
  recipient: string
  /** Pending email of a user is deleted with the user. */
  userId?: string
  /** It is not sent after this time, in seconds. */
  expiresIn: number
  /** The name of the application that the email is from. */
  sender?: string
  draft: Draft
}

/** Of what an email is made: an application can have texts of its own for it. */
export type Draft = {
  /** The application that the email is from. */
  systemId: string | undefined
  /** Whether it has no texts of its own for this reader. */
  isOurs: boolean
  locale: Locale
  /** The subject and the heading. */
  title: string
  blocks: DraftBlock[]
  brand: EmailLayout['sender'] | undefined
  /** By placeholder. */
  values: Readonly<Record<string, string>>
}

/** `isKept`: no text of an application is in its place. */
export type DraftBlock = EmailBlock & { isKept?: boolean }
