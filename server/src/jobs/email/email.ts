/** What an email is until it is in the queue. */
import type { Locale } from '../../texts/texts.ts'
import type { MailKind } from './kinds.ts'
import type { EmailBlock, EmailLayout } from './layout.ts'

export type EmailContent = {
  subject: string
  text: string
  html: string
  /** The name of the application that the email is from. */
  sender?: string
  /** Instead of the address of MAIL_FROM. */
  from?: string
  replyTo?: string
}

export type EmailMessage = EmailContent & {
  /** For the log, for limits, and for texts of the application. */
  kind: MailKind
  /** One address. */
  recipient: string
  /** Pending email of a user is deleted with the user. */
  userId?: string
  /** It is not sent after this time, in seconds. */
  expiresIn: number
  /** Of what it is made, so that an application can have texts of its own. */
  draft?: Draft
}

export type Draft = {
  /** The application that the email is from. */
  systemId: string | undefined
  /** Whether it has no texts of its own for this reader. */
  isOurs: boolean
  locale: Locale
  /** The subject and the heading. */
  title: string
  blocks: DraftBlock[]
  brand: EmailLayout['sender']
  /** By placeholder. */
  values: Readonly<Record<string, string>>
}

/** `isKept`: no text of an application is in its place. */
export type DraftBlock = EmailBlock & { isKept?: boolean }
