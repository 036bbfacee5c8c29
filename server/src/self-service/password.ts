/** Changes the user's own password. The current password is verified under the rate limits of a sign-in. */

import type { FastifyReply } from 'fastify'
import type { Rejection } from '../authentication/attempts.ts'
import { rememberDevice } from '../authentication/known-devices.ts'
import { faultSentences, passwordLengths, readNewPassword } from '../authentication/new-password.ts'
import { checkPassword, TYPED_PASSWORD_MAX } from '../authentication/password.ts'
import { withReplaced } from '../authentication/proofs.ts'
import { hashPassword, verifyPassword } from '../crypto/password-hash.ts'
import { inTransaction } from '../database/transaction.ts'
import { EVERYTHING } from '../http/authority.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../jobs/email/enqueue.ts'
import { passwordChanged } from '../jobs/email/messages.ts'
import { replacePassword } from '../lifecycle/replace-password.ts'
import { signInBrowser } from '../oidc/provider/browser-session.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { findPassword, lockPassword, type StoredPassword } from '../resources/credentials/passwords.ts'
import { lockUser } from '../resources/users/queries.ts'
import { textsOf } from '../texts/texts.ts'
import { rejectedState, sentencesOf } from '../ui/forms.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { passwordPage } from '../ui/pages/self-service/password.ts'
import {
  changedMeanwhile,
  noticeOf,
  sendPage,
  showAt,
  type Visit,
  visitForm,
  visitPage,
} from './signed-in.ts'

export const showPassword = visitPage('/account/password', (visit) => sendForm(visit), 'unlessPassword')

export const submitPassword = visitForm(
  '/account/password',
  async (visit) => {
    const { parts, request, user, locale } = visit
    const { current } = (request.body ?? {}) as { current?: unknown }
    if (user.hasPassword && (typeof current !== 'string' || current === ''))
      return sendForm(visit, { current: textsOf(locale).passwordMissing })
    const chosen = readNewPassword(request.body, parts.config.PASSWORD_MIN_LENGTH)
    if ('errors' in chosen) return sendForm(visit, faultSentences(chosen.errors, locale))
    const verified = user.hasPassword
      ? await verifyCurrent(visit, String(current))
      : { password: await findPassword(parts.db, user.id, null) }
    if ('rejected' in verified) return sendRejection(visit, verified)
    const old = verified.password
    if (await verifyPassword(old ?? null, chosen.password, { tenant: null, scope: null }))
      return sendForm(visit, { password: textsOf(locale).passwordSame })
    await changePassword(visit, old, await hashPassword(chosen.password, null))
    return visit.reply.redirect('/account/password?done=passwordSaved', 303)
  },
  'unlessPassword',
)

async function verifyCurrent(
  { parts, request, user }: Visit,
  current: string,
): Promise<{ password: StoredPassword } | Rejection> {
  const password = current.slice(0, TYPED_PASSWORD_MAX + 1)
  const everywhere = { systemId: null, scope: null }
  const checked = await checkPassword(parts, request, { email: user.email, password }, everywhere)
  return 'user' in checked ? checked.user : checked
}

/** Every other session that was opened with the old password ends; this browser stays signed in. */
async function changePassword(visit: Visit, old: StoredPassword | undefined, hash: string): Promise<void> {
  const { parts, request, reply, session, user, actor } = visit
  const id = crypto.randomUUID()
  await inTransaction(parts.db, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, user.id)
    const isSame = old ? await lockPassword(tx, old) : !before.hasPassword
    if (before.disabled || !isSame) throw changedMeanwhile()
    const entry = { action: 'user.password_changed', target: { type: 'user', id: user.id } }
    const own = ownSignIn(parts.seal, '', session.uid)
    const after = await replacePassword(tx, actor, before, null, { id, hash, mustChange: false }, entry, own)
    const proofs = session.proofs ?? []
    const kept = {
      userId: user.id,
      proofs: old ? withReplaced(proofs, { replaced: old.id, by: id }) : proofs,
    }
    if (!(await signInBrowser(parts, request, reply, session, kept))) throw changedMeanwhile()
    // A page of /account requires the second factor of a user who has one.
    rememberDevice(parts, request, reply, { id: user.id, password: { hash } }, user.mfaEnabled)
    await enqueueEmail(tx, parts.seal, passwordChanged(after, 'inSettings'), OF_NO_SYSTEM)
  })
}

function sendRejection(visit: Visit, rejection: Rejection): FastifyReply {
  const { request, locale } = visit
  const state = rejectedState(request, rejection, {})
  const errors =
    rejection.rejected === 'wrong'
      ? { current: textsOf(locale, 'profile').currentWrong }
      : sentencesOf(state, locale).errors
  return sendForm(visit, errors, state)
}

type Refused = { status?: number; retryAfter?: number | undefined }

function sendForm(visit: Visit, errors?: Faults, refused: Refused = { status: errors ? 400 : 200 }) {
  const { parts, reply, reader, csrf, user } = visit
  const { status = 200, retryAfter } = refused
  const shown: Refused & { errors: Faults } = { status, retryAfter, errors: errors ?? {} }
  return showAt(visit, '/account/password', shown, ({ status, retryAfter, errors }) => {
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
    const lengths = passwordLengths(parts.config)
    const page = passwordPage({ ...reader, csrf, user, lengths, errors, notice: noticeOf(visit) })
    return sendPage(visit, page, status)
  })
}
