/**
 * Emailed links: a random token, stored as a keyed hash, for one purpose, user and address. A link is valid
 * once, until it expires, another one of its purpose is used, the address or the password of the user changes
 * or the user is disabled; a later link does not invalidate it. The links open the pages of recovery/.
 */

import type { Config } from '../../config/config.ts'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { type Cause, reserveEmail } from '../../jobs/email/budget.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { passwordResetEmail, type Reader, verificationEmail } from '../../jobs/email/messages.ts'
import type { BrandedSystem } from '../../texts/brand.ts'
import { insertLink, type MailedLink, type TokenPurpose } from './queries.ts'

/** `expiresIn` is in seconds: 30 minutes and one day. */
export const LINKS = {
  password_reset: { path: '/reset-password', expiresIn: 1_800, email: passwordResetEmail },
  email_verification: { path: '/verify-email', expiresIn: 86_400, email: verificationEmail },
} as const satisfies Partial<Record<TokenPurpose, unknown>>

export type LinkPurpose = keyof typeof LINKS
type LinkEmail = typeof passwordResetEmail

/** The stored form of a token. The hash depends on the purpose. */
export const linkOf = (seal: Seal, purpose: LinkPurpose, token: string): MailedLink => ({
  purpose,
  hash: seal.hash(token, `link:${purpose}`),
})

/**
 * `systemId`: whose turn the email takes, and to which application the pages of the link lead. `email`:
 * default: that of the purpose.
 */
type Mailing = {
  system: BrandedSystem | undefined
  systemId: string | null
  cause: LinkCause
  email?: LinkEmail
}
/** The visitor of a page waits for the link; an administrator does not. */
type LinkCause = Extract<Cause, 'anonymous' | 'platform' | object>
export type Mailed = { sent: true; expiresAt: Date } | { sent: false; retryAfter: number }

/**
 * Emails a link to a row-locked user, unless the address has received the maximum of emails of this cause.
 * Only an administrator may receive `retryAfter`, not an anonymous caller. `system` is named in the email.
 */
export async function mailLink(
  tx: Db,
  { seal, config }: { seal: Seal; config: Pick<Config, 'BASE_URL'> },
  purpose: LinkPurpose,
  user: Reader,
  { system, systemId, cause, email = LINKS[purpose].email }: Mailing,
): Promise<Mailed> {
  const retryAfter = await reserveEmail(tx, seal, user.email, cause)
  if (retryAfter > 0) return { sent: false, retryAfter }
  const { path, expiresIn } = LINKS[purpose]
  const token = randomToken()
  const expiresAt = await insertLink(tx, linkOf(seal, purpose, token), { user, systemId }, expiresIn)
  const message = email(user, system, `${config.BASE_URL}${path}?token=${token}`, expiresIn)
  await enqueueEmail(tx, seal, message, { systemId, isAwaited: cause === 'anonymous' })
  return { sent: true, expiresAt }
}
