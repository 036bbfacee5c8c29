/** The steps of registration: register, confirm the e-mail address, join a system. */

import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { confirmByCode, register, registerAgain, registeredAddress } from '../authentication/registration.ts'
import { readAccountName, readRegistrant } from '../authentication/registration-input.ts'
import { isGiven } from '../authentication/second-factor.ts'
import { readCode } from '../authentication/totp.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { languageOf } from '../http/language.ts'
import { fits } from '../http/schema-compilers.ts'
import { Id } from '../http/schemas.ts'
import {
  completeStep,
  denyAccess,
  isTestSignIn,
  placeOf,
  redirectToStep,
  type SignInStep,
  systemOf,
} from '../oidc/interaction.ts'
import type { ConfirmationDetails, JoinDetails } from '../oidc/policy/prompts.ts'
import { type ProofResults, proofOf } from '../oidc/policy/proofs.ts'
import { confirmCredentials } from '../resources/credentials/unconfirmed.ts'
import { joinSystem } from '../resources/memberships/join.ts'
import { findLogin } from '../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../resources/systems/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { verifyMailbox } from '../resources/users/verify-mailbox.ts'
import { LANGUAGE_TAGS } from '../texts/texts.ts'
import { rejectedState } from '../ui/forms.ts'
import { submitCode } from './factors.ts'
import { completeLogin } from './login.ts'
import { anyForm, type StepState, sendMailStep, sendStep, stepForm, stepPage } from './step.ts'

type Fields = { [Name in 'registration' | 'code' | 'resend' | 'decision']?: unknown }
const fieldsOf = (request: FastifyRequest) => (request.body ?? {}) as Fields

export const showRegistration = stepPage('/register', async (step) => {
  const { prompt, params } = step.interaction
  await demandOpen(step)
  if (prompt.name !== 'login') return redirectToStep(step)
  const values = params.login_hint === undefined ? {} : { email: params.login_hint }
  return sendStep(step, { step: 'register', values })
})

export const submitRegistration = anyForm('/register', async (step) => {
  const { parts, request, interaction } = step
  const { config } = parts
  const system = await demandOpen(step)
  if (interaction.prompt.name !== 'login') return redirectToStep(step)
  const { multiAccount } = system
  const given = readRegistrant(request.body, { multiAccount, minLength: config.PASSWORD_MIN_LENGTH })
  if ('errors' in given) return sendStep(step, { step: 'register', status: 400, ...given })
  const { email, name, accountName, password } = given
  const values = { email, ...(name !== null && { name }), ...(accountName !== null && { accountName }) }
  const { ui_locales } = interaction.params
  const locale = LANGUAGE_TAGS[languageOf(request, ui_locales)]
  const registration = randomUUID()
  let passwordHash: string | undefined
  return sendMailStep(step, {
    send: async (waits) => {
      passwordHash ??= await hashPassword(password, system.id)
      const place = { uid: interaction.uid, id: registration, system, waits }
      await register(parts, request, place, { ...given, locale }, passwordHash)
    },
    before: { step: 'register', values },
    after: () => ({ step: 'verify_email', values: { email }, registration }),
  })
})

/** Verifies an emailed code: of the registration of this browser, or of a signed-in user who joins. */
export const submitVerifyEmail = anyForm('/verify-email', async (step) => {
  const { prompt } = step.interaction
  if (prompt.name === 'login') return confirmRegistered(step)
  return prompt.name === 'verify_email' ? verifySignedIn(step) : redirectToStep(step)
})

/** A right code creates the user with the password typed here, and signs in. */
async function confirmRegistered(step: SignInStep): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const { registration: id, resend: asked, code: typed } = fieldsOf(request)
  const place = typeof id === 'string' && fits(Id, id) ? { uid: interaction.uid, id } : undefined
  const email = place && (await registeredAddress(parts, place))
  if (!place || email === undefined) return redirectToStep(step)
  const state = { step: 'verify_email', values: { email }, registration: place.id } as const
  if (isGiven(asked)) return resend(step, place, state)
  const code = readCode(typed)
  if (!code) return sendStep(step, { ...state, status: 400, errors: { code: 'codeMissing' } })
  const confirmed = await confirmByCode(parts, request, { ...place, code })
  if (confirmed !== 'known' && 'rejected' in confirmed)
    return sendStep(step, { ...state, ...rejectedState(request, confirmed, { code: 'codeWrong' }) })
  const system = await systemOf(step)
  const user = confirmed === 'known' ? undefined : await findLogin(parts.db, email, placeOf(system).scope)
  if (user?.mayLogIn && user.password?.scope === null)
    return completeLogin(step, { ...user, password: user.password }, system)
  return sendStep(step, { values: { email }, errors: { form: 'userKnown' } })
}

async function resend(
  step: SignInStep,
  place: { uid: string; id: string },
  state: StepState,
): Promise<FastifyReply> {
  const system = await demandOpen(step)
  return sendMailStep(step, {
    send: (waits) => registerAgain(step.parts, step.request, { ...place, system, waits }),
    before: state,
    after: () => ({ ...state, notice: 'mailSentAgain' }),
  })
}

/** The code verifies the address, and confirms the credentials of this sign-in that need it. */
function verifySignedIn(step: SignInStep): Promise<FastifyReply> {
  const { confirms } = step.interaction.prompt.details as ConfirmationDetails
  return submitCode(step, (user, actor) => {
    const proof = proofOf(user, { method: 'mailedCode', credential: null, scope: null })
    return {
      result: { verify_email: confirms.length > 0 ? { proof } : {} } satisfies ProofResults,
      async work(tx) {
        await verifyMailbox(tx, actor, await lockUser(tx, EVERYTHING, actor.id))
        if (confirms.length > 0) await confirmCredentials(tx, actor.id, confirms)
      },
    }
  })
}

export const submitJoin = stepForm('/join', 'join', async (step) => {
  const { request, interaction } = step
  if (fieldsOf(request).decision === 'deny') return denyAccess(step, 'the user did not want to join')
  const { id: systemId, multiAccount } = await demandOpen(step)
  const account = readAccountName(request.body, multiAccount)
  if ('fault' in account) return sendStep(step, { status: 400, errors: { accountName: account.fault } })
  const userId = interaction.session?.accountId ?? ''
  const { enters } = interaction.prompt.details as JoinDetails
  const actor = { ...request.actor, type: 'user', id: userId } as const
  let isBlocked = false
  try {
    return await completeStep(step, { join: {} }, async (tx) => {
      const user = await lockUser(tx, EVERYTHING, userId)
      isBlocked = !(await joinSystem(tx, step.parts, actor, { user, systemId, enters, ...account }))
      if (isBlocked) throw new Failure('insufficient_authority')
    })
  } catch (error) {
    if (isBlocked) return denyAccess(step, 'the user is blocked')
    throw error
  }
})

/** The system of the sign-in, if users may register and join by themselves; else `not_found`. */
async function demandOpen(step: SignInStep): Promise<ClientSystem> {
  const system = await systemOf(step)
  if (!system?.open || isTestSignIn(step.interaction)) throw new Failure('not_found')
  return system
}
