/**
 * The sign-in: /interaction/:uid and its steps, as pages and as JSON. A step does its own work and submits
 * the result to the protocol library, which decides by oidc/policy/prompts.ts which step is required next. A
 * form of a step that is not the required one changes nothing.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { takeRegistered } from '../authentication/just-registered.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { keepOpeners } from '../http/opener.ts'
import { clientOfStep } from '../oidc/clients/opened.ts'
import {
  type InteractionParts,
  isTestSignIn,
  type SignInStep,
  STEP,
  STEP_BODY_MAX,
  systemOf,
  toPageOf,
} from '../oidc/interaction.ts'
import type { ProofResults } from '../oidc/policy/proofs.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import {
  showDeclined,
  submitAbort,
  submitAccount,
  submitAnother,
  submitConsent,
} from './account-and-consent.ts'
import {
  showAdded,
  submitEmailCode,
  submitEnrollment,
  submitPasskeyName,
  submitPasskeyOffer,
  submitSecondFactor,
} from './factors.ts'
import { completeLogin, submitAddress, submitLogin, submitPasskeyLogin } from './login.ts'
import { showRegistration, submitJoin, submitRegistration, submitVerifyEmail } from './registration.ts'
import { showForgotPassword, submitForgotPassword, submitNewPassword } from './replace-password.ts'
import { type StepRoute, sendStep, shownState, stepPage } from './step.ts'
import { submitShare } from './test-sign-in.ts'

const showStep = stepPage('', async (step) => {
  const { another, screen, ways } = step.request.query as Record<string, unknown>
  const shown = shownState(step)
  if (shown) return sendStep(step, shown)
  if (screen === 'register') return showRegistration.handle(step)
  const registered = another === undefined ? await justRegistered(step) : undefined
  if (registered) return completeLogin(step, registered.user, await systemOf(step), registered.hasDevice)
  const asked = { another: another === 'yes', ways: ways === 'other' }
  return sendStep(step, { ...asked, ...(isProviderRefused(step) && PROVIDER_REFUSED) })
})

const PROVIDER_REFUSED = { errors: { form: 'providerNotEnough' } } as const

/** Whether the user has just signed in by another provider, where they have to authenticate in person. */
function isProviderRefused({ interaction: { prompt, lastSubmission } }: SignInStep): boolean {
  const last = lastSubmission as ProofResults | undefined
  const isAsked = prompt.reasons.some(
    (each) => each === 'max_age' || each === 'session_old' || each === 'device',
  )
  return prompt.name === 'login' && isAsked && last?.login?.proof?.method === 'social'
}

/** At the first login of a browser, on our pages; not if the application asks for a new one. */
async function justRegistered({ parts, request, reply, interaction }: SignInStep) {
  const { prompt, params } = interaction
  const { login_hint: hint, max_age: maxAge, prompt: asked } = params
  if (prompt.name !== 'login' || !prompt.reasons.includes('no_session') || isTestSignIn(interaction))
    return undefined
  if (asked !== undefined || maxAge !== undefined || wantsJson(request)) return undefined
  const taken = await takeRegistered(parts, request, reply)
  return hint === undefined || hint === taken?.user.email ? taken : undefined
}

const ROUTES: StepRoute[] = [
  showStep,
  submitLogin,
  submitAddress,
  submitPasskeyLogin,
  showRegistration,
  submitRegistration,
  submitVerifyEmail,
  showForgotPassword,
  submitForgotPassword,
  submitNewPassword,
  submitEmailCode,
  submitSecondFactor,
  submitEnrollment,
  showAdded,
  submitPasskeyName,
  submitPasskeyOffer,
  submitJoin,
  submitAccount,
  submitConsent,
  showDeclined,
  submitShare,
  submitAnother,
  submitAbort,
]

export const interactionRoutes: FastifyPluginAsyncTypebox<InteractionParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: STEP_BODY_MAX })
  answerPageFailures(app, parts, (request) =>
    clientOfStep(parts.config, request, (request.params as { uid: string }).uid),
  )
  keepOpeners(app)
  // With no-referrer, browsers send `Origin: null` with our own forms (Fetch standard), and
  // csrf_rejected would be the answer.
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))
  for (const { method, path, open, handle } of ROUTES)
    app.route({
      ...STEP,
      method,
      url: `/interaction/:uid${path}`,
      handler: async (request, reply) => {
        const step = await open(parts, request, reply)
        return step ? handle(step).catch((error: unknown) => toPageOf(step, error)) : reply
      },
    })
}
