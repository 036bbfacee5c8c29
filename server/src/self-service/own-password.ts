/** Another password, chosen by its owner: the one they have is asked for under the limits of a sign-in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rememberBrowser } from '../authentication/known-devices.ts'
import { faultSentences, readNewPassword } from '../authentication/new-password.ts'
import { attemptLogin } from '../authentication/password.ts'
import { hashPassword, verifyPassword } from '../crypto/password-hash.ts'
import { inTransaction } from '../database/transaction.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { passwordChanged } from '../jobs/email/messages.ts'
import { signInBrowser } from '../oidc/provider/browser-session.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { findPasswordHash } from '../resources/credentials/queries.ts'
import { replacePassword } from '../resources/credentials/replace.ts'
import { lockUser } from '../resources/users/queries.ts'
import { ownTexts, said } from '../ui/i18n/self-service/texts.ts'
import { textsOf } from '../ui/i18n/texts.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { holdPassword } from './queries.ts'
import { meanwhile, type OwnParts, type Standing } from './signed-in.ts'

/** What is wrong, if anything. Everybody else who got in with the old password is out then; this browser goes on. */
export async function changeOwnPassword(
  parts: OwnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, user, actor, locale }: Standing,
): Promise<{ status: number; errors?: Faults }> {
  const { db, seal, config } = parts
  const chosen = readNewPassword(request.body, config.PASSWORD_MIN_LENGTH)
  const { current } = (request.body ?? {}) as { current?: unknown }
  if (user.hasPassword && (typeof current !== 'string' || current === ''))
    return { status: 400, errors: { current: textsOf(locale).passwordMissing } }
  if ('errors' in chosen) return { status: 400, errors: faultSentences(chosen.errors, locale) }
  let old: string | null = null
  if (user.hasPassword) {
    const password = String(current).slice(0, 1_025)
    const attempt = await attemptLogin(parts, request, { email: user.email, password }, null)
    if (!attempt.user) return refusal(reply, attempt.screen, locale)
    old = attempt.user.passwordHash
  } else old = await findPasswordHash(db, user.id)
  if (await verifyPassword(old, chosen.password))
    return { status: 400, errors: { password: textsOf(locale).passwordSame } }
  const passwordHash = await hashPassword(chosen.password)
  await inTransaction(db, async (tx) => {
    if (!(await holdPassword(tx, user.id, old))) throw meanwhile()
    const before = await lockUser(tx, {}, user.id)
    const entry = { action: 'user.password_changed', target: { type: 'user', id: user.id } }
    const own = ownSignIn(seal, '', session.uid)
    const after = await replacePassword(
      tx,
      actor,
      before,
      { passwordHash, mustChangePassword: false },
      entry,
      own,
    )
    const proven = { accountId: user.id, amr: session.amr ?? [], loginTs: session.loginTs }
    if (!(await signInBrowser(parts, request, reply, session, proven))) throw meanwhile()
    rememberBrowser(parts, request, reply, { id: user.id, passwordHash })
    await sendMail(tx, seal, passwordChanged(after, 'onOwnPages'))
  })
  return { status: 303 }
}

function refusal(reply: FastifyReply, screen: Parameters<typeof said>[0], locale: Standing['locale']) {
  const { status = 401, retryAfter, errors } = screen
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  return errors?.form === 'wrongCredentials'
    ? { status, errors: { current: ownTexts(locale).currentWrong } }
    : { status, errors: said(screen, locale) }
}
