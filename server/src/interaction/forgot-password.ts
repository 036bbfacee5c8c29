/** The step of a forgotten password: a reset link is emailed. */
import { sendPasswordReset } from '../authentication/registration.ts'
import { readAddress } from '../authentication/registration-input.ts'
import { redirectToStep, systemOf } from '../oidc/interaction.ts'
import { sendMailStep } from './mail-step.ts'
import { sendStep } from './send-step.ts'
import { form, page } from './step-route.ts'

export const showForgotPassword = page('/forgot-password', async (step) => {
  const { prompt, params } = step.interaction
  if (prompt.name !== 'login') return redirectToStep(step)
  const values = params.login_hint === undefined ? {} : { email: params.login_hint }
  return sendStep(step, { step: 'forgot_password', values })
})

/** The response is the same whether or not the address has a user. */
export const submitForgotPassword = form('/forgot-password', 'login', async (step) => {
  const { parts, request } = step
  const given = readAddress(request.body)
  if ('fault' in given) {
    const values = { email: given.typed }
    return sendStep(step, { step: 'forgot_password', status: 400, values, errors: { email: given.fault } })
  }
  const system = await systemOf(step)
  return sendMailStep(step, {
    send: () => sendPasswordReset(parts, request, system, given.email),
    before: { step: 'forgot_password', values: given },
    after: () => ({ step: 'password_reset_sent', values: given }),
  })
})
