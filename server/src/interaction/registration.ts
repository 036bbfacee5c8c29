/** The steps of registration: register, confirm the e-mail address, join a system. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  isPasswordUnchanged,
  openPendingRegistration,
  register,
  sealPendingRegistration,
  sendVerificationAgain,
} from '../authentication/registration.ts'
import { readAccountName, readRegistrant } from '../authentication/registration-input.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import { Failure } from '../errors.ts'
import {
  completeStep,
  denyAccess,
  redirectToStep,
  type Step,
  signedInUser,
  systemOf,
} from '../oidc/interaction.ts'
import { joinSystem } from '../resources/memberships/join.ts'
import type { Client } from '../resources/systems/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { findLogin } from '../resources/users/sign-in.ts'
import { LANGUAGE_TAGS, localeOf } from '../ui/i18n/texts.ts'
import { completeLogin } from './login.ts'
import { anyForm, form, page, type StepState, sendMailStep, sendStep } from './step.ts'

type Fields = { registration?: unknown; resend?: unknown; decision?: unknown }
const fieldsOf = (request: FastifyRequest) => (request.body ?? {}) as Fields

export const showRegistration = page('/register', async (step) => {
  const { prompt, params } = step.interaction
  await demandOpen(step)
  if (prompt.name !== 'login') return redirectToStep(step)
  const values = params.login_hint === undefined ? {} : { email: params.login_hint }
  return sendStep(step, { step: 'register', values })
})

export const submitRegistration = anyForm('/register', async (step) => {
  const { parts, request, interaction } = step
  const { seal, config } = parts
  const system = await demandOpen(step)
  if (interaction.prompt.name !== 'login') return redirectToStep(step)
  const { multiAccount } = system
  const given = readRegistrant(request.body, { multiAccount, minLength: config.PASSWORD_MIN_LENGTH })
  if ('errors' in given) return sendStep(step, { step: 'register', status: 400, ...given })
  const { email, name, accountName, password } = given
  const values = { email, ...(name !== null && { name }), ...(accountName !== null && { accountName }) }
  const { ui_locales } = interaction.params
  const locale = LANGUAGE_TAGS[localeOf(ui_locales, request.headers['accept-language'])]
  let registration = ''
  return sendMailStep(step, {
    send: async () => {
      const passwordHash = await hashPassword(password)
      registration = sealPendingRegistration(seal, interaction.uid, email, passwordHash)
      await register(parts, request, system, { ...given, locale }, passwordHash)
    },
    before: { step: 'register', values },
    after: () => ({ step: 'verify_email', values: { email }, registration }),
  })
})

/** Continues once the e-mail address is verified, in whichever browser. */
export const submitVerifyEmail = anyForm('/verify-email', async (step) => {
  const { request, interaction } = step
  if (interaction.prompt.name === 'login') return continueRegistered(step)
  if (interaction.prompt.name !== 'verify_email') return redirectToStep(step)
  const { user } = await signedInUser(step)
  if (fieldsOf(request).resend) return resend(step, { email: user.email, signedIn: true }, {})
  if (user.registrationPending || !user.emailVerified)
    return sendStep(step, { status: 400, errors: { form: 'notConfirmedYet' } })
  return completeStep(step, { verify_email: {} })
})

/** The browser that has just registered: it is signed in if the user still has the password chosen here. */
async function continueRegistered(step: Step): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const { registration, resend: asked } = fieldsOf(request)
  const pending = openPendingRegistration(parts.seal, interaction.uid, registration)
  if (!pending) return redirectToStep(step)
  const { email } = pending
  const state = { step: 'verify_email', values: { email }, registration: String(registration) } as const
  if (asked) return resend(step, { email, signedIn: false }, state)
  const user = await findLogin(parts.db, email)
  if (
    !user?.mayLogIn ||
    user.registrationPending ||
    !isPasswordUnchanged(parts.seal, pending, user.passwordHash)
  )
    return sendStep(step, { ...state, status: 400, errors: { form: 'notConfirmedYet' } })
  return completeLogin(step, user, await systemOf(step))
}

async function resend(
  step: Step,
  to: { email: string; signedIn: boolean },
  state: StepState,
): Promise<FastifyReply> {
  const system = await systemOf(step)
  return sendMailStep(step, {
    send: () => sendVerificationAgain(step.parts, step.request, system, to),
    before: state,
    after: () => ({ ...state, notice: 'mailSentAgain' }),
  })
}

export const submitJoin = form('/join', 'join', async (step) => {
  const { request, interaction } = step
  if (fieldsOf(request).decision === 'deny') return denyAccess(step, 'the user did not want to join')
  const { id: systemId, multiAccount } = await demandOpen(step)
  const account = readAccountName(request.body, multiAccount)
  if ('fault' in account) return sendStep(step, { status: 400, errors: { accountName: account.fault } })
  const userId = interaction.session?.accountId ?? ''
  const actor = { ...request.actor, type: 'user', id: userId } as const
  let isBlocked = false
  try {
    return await completeStep(step, { join: {} }, async (tx) => {
      const user = await lockUser(tx, {}, userId)
      isBlocked = !(await joinSystem(tx, actor, { user, systemId, ...account }))
      if (isBlocked) throw new Failure('insufficient_authority')
    })
  } catch (error) {
    if (isBlocked) return denyAccess(step, 'the user is blocked')
    throw error
  }
})

/** The system of the sign-in, if users may register and join by themselves; else `not_found`. */
async function demandOpen(step: Step): Promise<Client> {
  const system = await systemOf(step)
  if (!system?.open) throw new Failure('not_found')
  return system
}
