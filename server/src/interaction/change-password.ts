/** The step of who signs in with a password that an administrator has set: another one is chosen before anything else. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rememberBrowser } from '../authentication/known-devices.ts'
import { type NewPasswordFaults, readNewPassword } from '../authentication/new-password.ts'
import type { Config } from '../config.ts'
import { hashPassword, verifyPassword } from '../crypto/password-hash.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { passwordChanged } from '../jobs/email/messages.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { findPasswordHash, holdDuty } from '../resources/credentials/queries.ts'
import { replacePassword } from '../resources/credentials/replace.ts'
import { lockUser } from '../resources/users/queries.ts'
import type { Details } from './screens.ts'

type Parts = { db: Db; seal: Seal; config: Config }

/**
 * What is wrong with the password that was chosen, or the work that keeps it. Everybody else who got in with the old one
 * and stands at this step is out then; this sign-in goes on.
 */
export async function changePassword(
  { db, seal, config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { uid, session }: Details,
  systemId: string | null,
): Promise<{ errors: NewPasswordFaults } | { keep: (tx: Db) => Promise<void> }> {
  const { body, actor } = request
  const chosen = readNewPassword(body, config.PASSWORD_MIN_LENGTH)
  if ('errors' in chosen) return chosen
  const userId = session?.accountId ?? ''
  const old = await findPasswordHash(db, userId)
  if (await verifyPassword(old, chosen.password)) return { errors: { password: 'passwordSame' } }
  const passwordHash = await hashPassword(chosen.password)
  return {
    async keep(tx) {
      if (!(await holdDuty(tx, userId, old)))
        throw new Failure('unavailable', {
          detail: 'The password or the user was changed meanwhile.',
          retryAfter: 1,
        })
      const before = await lockUser(tx, {}, userId)
      const person = { ...actor, type: 'user' as const, id: userId }
      const entry = { action: 'user.password_changed', target: { type: 'user', id: userId }, systemId }
      const own = ownSignIn(seal, uid, session?.uid ?? '')
      const after = await replacePassword(
        tx,
        person,
        before,
        { passwordHash, mustChangePassword: false },
        entry,
        own,
      )
      await sendMail(tx, seal, passwordChanged(after, 'atSignIn'))
      const known = { id: userId, passwordHash }
      if (!after.mfaEnabled) rememberBrowser({ seal, config }, request, reply, known)
    },
  }
}
