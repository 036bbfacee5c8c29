/**
 * The sign-in: /interaction/:uid and its steps, as pages and as JSON. A step does its own work and submits
 * the result to the protocol library, which decides by oidc/policy/prompts.ts which step is required next. A
 * form of a step that is not the required one changes nothing.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { BODY_LIMIT, type InteractionParts, STEP } from '../oidc/interaction.ts'
import { answerPageFailures } from '../ui/page-failures.ts'
import { submitAbort, submitAccount, submitAnother, submitConsent } from './account-and-consent.ts'
import { assetRoutes } from './assets.ts'
import { submitEmailCode, submitEnrollment, submitPasskeyName, submitSecondFactor } from './factors.ts'
import { submitLogin, submitPasskey } from './login.ts'
import { showRegistration, submitJoin, submitRegistration, submitVerifyEmail } from './registration.ts'
import { showForgotPassword, submitForgotPassword, submitNewPassword } from './replace-password.ts'
import { page, type StepRoute, sendStep } from './step.ts'
import { submitShare } from './test-sign-in.ts'

const showStep = page('', (step) => {
  const { another, screen } = step.request.query as { another?: unknown; screen?: unknown }
  if (screen === 'register') return showRegistration.handle(step)
  return sendStep(step, { another: another === 'yes' })
})

const ROUTES: StepRoute[] = [
  showStep,
  submitLogin,
  submitPasskey,
  showRegistration,
  submitRegistration,
  submitVerifyEmail,
  showForgotPassword,
  submitForgotPassword,
  submitNewPassword,
  submitEmailCode,
  submitSecondFactor,
  submitEnrollment,
  submitPasskeyName,
  submitJoin,
  submitAccount,
  submitConsent,
  submitShare,
  submitAnother,
  submitAbort,
]

export const interactionRoutes: FastifyPluginAsyncTypebox<InteractionParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  await app.register(assetRoutes, { config: parts.config })
  answerPageFailures(app)
  // With no-referrer, browsers send `Origin: null` with our own forms (Fetch standard), and
  // csrf_rejected would be the answer.
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))
  for (const { method, path, open, handle } of ROUTES)
    app.route({
      ...STEP,
      method,
      url: `/interaction/:uid${path}`,
      handler: async (request, reply) => handle(await open(parts, request, reply)),
    })
}
