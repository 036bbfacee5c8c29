/**
 * Links that are mailed: a random token, of which a keyed hash is stored, for one purpose, one user and one address. Only
 * the newest of a purpose is good, once, and it dies with another password or address of its user. What they lead to is
 * the pages of recovery.
 */

import type { Config } from '../../config.ts'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { sendMail } from '../../jobs/email/enqueue.ts'
import { passwordResetLink, type Reader, verificationLink } from '../../jobs/email/messages.ts'
import { waitForMail } from '../../jobs/email/queries.ts'
import type { Brand } from '../../ui/brand.ts'
import { type Link, type Purpose, replaceLink } from './queries.ts'

/** `life` is in seconds: 30 minutes, and a day. */
export const LINKS = {
  password_reset: { path: '/reset-password', life: 1_800, letter: passwordResetLink },
  email_verification: { path: '/verify-email', life: 86_400, letter: verificationLink },
} as const satisfies Partial<Record<Purpose, unknown>>

export type LinkPurpose = keyof typeof LINKS
type LinkEmail = typeof passwordResetLink

/** What the table has of a token. For another purpose it is another hash. */
export const linkOf = (seal: Seal, purpose: LinkPurpose, token: string): Link => ({
  purpose,
  hash: seal.hash(token, `link:${purpose}`),
})

export type Mailed = { sent: true; expiresAt: Date } | { sent: false; retryAfter: number }

/**
 * Mails a link to a user that the transaction holds. Not sent when the address got as many as it may, whoever asked for
 * them: an administrator may be told, a stranger never. `system`: when the letter is to tell it.
 */
export async function mailLink(
  tx: Db,
  { seal, config }: { seal: Seal; config: Pick<Config, 'BASE_URL'> },
  purpose: LinkPurpose,
  user: Reader,
  system: Brand | undefined,
  letter: LinkEmail = LINKS[purpose].letter,
): Promise<Mailed> {
  const retryAfter = await waitForMail(tx, user.email)
  if (retryAfter > 0) return { sent: false, retryAfter }
  const { path, life } = LINKS[purpose]
  const token = randomToken()
  const expiresAt = await replaceLink(tx, linkOf(seal, purpose, token), user, life)
  await sendMail(tx, seal, letter(user, system, `${config.BASE_URL}${path}?token=${token}`, life))
  return { sent: true, expiresAt }
}
