/** The steps that replace a password: a temporary one at a sign-in, a forgotten one by an emailed link. */

import { rememberDevice } from '../authentication/known-devices.ts'
import { readNewPassword } from '../authentication/new-password.ts'
import { sendPasswordReset } from '../authentication/registration.ts'
import { readSignInAddress } from '../authentication/registration-input.ts'
import { hashPassword, verifyPassword } from '../crypto/password-hash.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { notify } from '../jobs/email/budget.ts'
import { passwordChanged } from '../jobs/email/messages.ts'
import { replacePassword } from '../lifecycle/replace-password.ts'
import { completeStep, placeOf, redirectToStep, systemOf } from '../oidc/interaction.ts'
import type { ProofResults } from '../oidc/policy/proofs.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { lockPassword } from '../resources/credentials/passwords.ts'
import { findSignedIn } from '../resources/sign-ins/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { sendMailStep, sendStep, stepForm, stepPage } from './step.ts'

/**
 * The user chooses a password of their own. Ends every other session that was opened with the temporary one;
 * this sign-in continues.
 */
export const submitNewPassword = stepForm('/change-password', 'change_password', async (step) => {
  const { parts, request, reply, interaction } = step
  const { db, seal, config } = parts
  const chosen = readNewPassword(request.body, config.PASSWORD_MIN_LENGTH)
  if ('errors' in chosen) return sendStep(step, { status: 400, errors: chosen.errors })
  const userId = interaction.session?.accountId ?? ''
  const { systemId, scope: validHere } = placeOf(await systemOf(step))
  const { password: old } = (await findSignedIn(db, userId, validHere)) ?? { password: null }
  if (!old?.mustChange) return redirectToStep(step)
  if (await verifyPassword(old, chosen.password, { tenant: systemId, scope: validHere }))
    return sendStep(step, { status: 400, errors: { password: 'passwordSame' } })
  const hash = await hashPassword(chosen.password, systemId)
  const id = crypto.randomUUID()
  const result = { change_password: { replaced: old.id, by: id } } satisfies ProofResults
  return completeStep(step, result, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, userId)
    if (before.disabled || !(await lockPassword(tx, old)))
      throw new Failure('unavailable', {
        detail: 'The password or the user was changed by another request.',
        retryAfter: 1,
      })
    const actor = { ...request.actor, type: 'user' as const, id: userId }
    const entry = { action: 'user.password_changed', target: { type: 'user', id: userId }, systemId }
    const own = ownSignIn(seal, interaction.uid, interaction.session?.uid ?? '')
    const after = await replacePassword(
      tx,
      actor,
      before,
      old.scope,
      { id, hash, mustChange: false },
      entry,
      own,
    )
    await notify(tx, seal, passwordChanged(after, 'atSignIn'), old.scope)
    if (!after.mfaEnabled)
      rememberDevice({ seal, config }, request, reply, { id: userId, password: { hash } })
  })
})

export const showForgotPassword = stepPage('/forgot-password', async (step) => {
  const { prompt, params } = step.interaction
  if (prompt.name !== 'login') return redirectToStep(step)
  const values = params.login_hint === undefined ? {} : { email: params.login_hint }
  return sendStep(step, { step: 'forgot_password', values })
})

/** The response is the same whether or not the address has a user. */
export const submitForgotPassword = stepForm('/forgot-password', 'login', async (step) => {
  const { parts, request } = step
  const given = readSignInAddress(request.body)
  if ('fault' in given) {
    const values = { email: given.typed }
    return sendStep(step, { step: 'forgot_password', status: 400, values, errors: { email: given.fault } })
  }
  const system = await systemOf(step)
  return sendMailStep(step, {
    send: (waits) => sendPasswordReset(parts, request, system, { ...given, waits }),
    before: { step: 'forgot_password', values: given },
    after: () => ({ step: 'password_reset_sent', values: given }),
  })
})
