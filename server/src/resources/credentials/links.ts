/**
 * Emailed links: a random token, stored as a keyed hash, for one purpose, user and address. Only the newest
 * link of a purpose is valid, once; a new password or address of the user invalidates it. The links open the
 * pages of recovery/.
 */

import type { Config } from '../../config.ts'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { passwordResetLink, type Reader, verificationLink } from '../../jobs/email/messages.ts'
import { waitForMail } from '../../jobs/email/queries.ts'
import type { Brand } from '../../ui/brand.ts'
import { type Link, type Purpose, replaceLink } from './queries.ts'

/** `expiresIn` is in seconds: 30 minutes and one day. */
export const LINKS = {
  password_reset: { path: '/reset-password', expiresIn: 1_800, email: passwordResetLink },
  email_verification: { path: '/verify-email', expiresIn: 86_400, email: verificationLink },
} as const satisfies Partial<Record<Purpose, unknown>>

export type LinkPurpose = keyof typeof LINKS
type LinkEmail = typeof passwordResetLink

/** The stored form of a token. The hash depends on the purpose. */
export const linkOf = (seal: Seal, purpose: LinkPurpose, token: string): Link => ({
  purpose,
  hash: seal.hash(token, `link:${purpose}`),
})

export type Mailed = { sent: true; expiresAt: Date } | { sent: false; retryAfter: number }

/**
 * Emails a link to a row-locked user, unless the address has received the maximum of emails. Only an
 * administrator may receive `retryAfter`, not an anonymous caller. `system` is named in the email.
 */
export async function mailLink(
  tx: Db,
  { seal, config }: { seal: Seal; config: Pick<Config, 'BASE_URL'> },
  purpose: LinkPurpose,
  user: Reader,
  system: Brand | undefined,
  email: LinkEmail = LINKS[purpose].email,
): Promise<Mailed> {
  const retryAfter = await waitForMail(tx, user.email)
  if (retryAfter > 0) return { sent: false, retryAfter }
  const { path, expiresIn } = LINKS[purpose]
  const token = randomToken()
  const expiresAt = await replaceLink(tx, linkOf(seal, purpose, token), user, expiresIn)
  await enqueueEmail(tx, seal, email(user, system, `${config.BASE_URL}${path}?token=${token}`, expiresIn))
  return { sent: true, expiresAt }
}
