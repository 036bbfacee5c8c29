import type { FastifyReply } from 'fastify'
import { withMailLimit } from '../authentication/registration.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import type { Step } from '../oidc/interaction.ts'
import { sendStep } from './send-step.ts'
import type { StepState } from './step-view.ts'

type Mailing = { send: () => Promise<unknown>; before: StepState; after: () => StepState }

/**
 * Sends an email that is requested without authentication, then shows `after`. If the network has requested
 * too many, it shows `before` with that error; a client that asks for JSON gets `too_many_requests`.
 */
export async function sendMailStep(step: Step, { send, before, after }: Mailing): Promise<FastifyReply> {
  try {
    await withMailLimit(step.parts, step.request, send)
  } catch (error) {
    const isLimit = error instanceof Failure && error.code === 'too_many_requests'
    if (!isLimit || wantsJson(step.request)) throw error
    const { retryAfter } = error
    return sendStep(step, { ...before, status: 429, errors: { form: 'tooManyAttempts' }, retryAfter })
  }
  return sendStep(step, after())
}
