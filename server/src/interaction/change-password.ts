/** The step of who signs in with a password that an administrator has set: another one is chosen before anything else. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { findPasswordHash, holdDuty } from '../credentials/queries.ts'
import { replacePassword } from '../credentials/replace.ts'
import type { Db } from '../db.ts'
import { Failure } from '../errors.ts'
import { passwordChanged } from '../mail/letters.ts'
import { sendMail } from '../mail/send.ts'
import { ownSignIn } from '../oidc/stored-artifacts.ts'
import type { Seal } from '../seal.ts'
import { hashPassword, verifyPassword } from '../users/passwords.ts'
import { lockUser } from '../users/queries.ts'
import { rememberBrowser } from './known-browsers.ts'
import { type NewPasswordFaults, readNewPassword } from './new-password.ts'
import type { Details } from './screens.ts'

type Parts = { db: Db; seal: Seal; config: Config }

/**
 * What is wrong with the password that was chosen, or the work that keeps it. Everybody else who got in with the old one
 * and stands at this step is out then; this sign-in goes on.
 */
export async function changePassword(
  { db, seal, config }: Parts,
  { body, actor, headers }: FastifyRequest,
  reply: FastifyReply,
  { uid, session }: Details,
  systemId: string | null,
): Promise<{ errors: NewPasswordFaults } | { keep: (tx: Db) => Promise<void> }> {
  const chosen = readNewPassword(body, config.PASSWORD_MIN_LENGTH)
  if ('errors' in chosen) return chosen
  const userId = session?.accountId ?? ''
  const old = await findPasswordHash(db, userId)
  if (await verifyPassword(old, chosen.password)) return { errors: { password: 'passwordSame' } }
  const passwordHash = await hashPassword(chosen.password)
  return {
    async keep(tx) {
      if (!(await holdDuty(tx, userId, old)))
        throw new Failure('unavailable', { detail: 'The password or the user was changed meanwhile.', retryAfter: 1 })
      const before = await lockUser(tx, {}, userId)
      const person = { ...actor, type: 'user' as const, id: userId }
      const entry = { action: 'user.password_changed', target: { type: 'user', id: userId }, systemId }
      const own = ownSignIn(seal, uid, session?.uid ?? '')
      const after = await replacePassword(tx, person, before, { passwordHash, mustChangePassword: false }, entry, own)
      await sendMail(tx, seal, passwordChanged(after, 'atSignIn'))
      const known = { id: userId, passwordHash }
      if (!after.mfaEnabled) reply.header('set-cookie', rememberBrowser({ seal, config }, headers.cookie, known))
    },
  }
}
