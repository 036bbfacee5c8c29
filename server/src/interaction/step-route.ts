import type { FastifyReply } from 'fastify'
import { redirectToStep, type Step, stepOf, submittedStep } from '../oidc/interaction.ts'

/** A route below /interaction/:uid. */
export type StepRoute = {
  method: 'GET' | 'POST'
  /** After the uid, such as `/login`. */
  path: string
  open: typeof stepOf
  handle: (step: Step) => Promise<FastifyReply>
}

/** A page of a sign-in. */
export const page = (path: string, handle: StepRoute['handle']): StepRoute => ({
  method: 'GET',
  path,
  open: stepOf,
  handle,
})

/** A form that is accepted at any prompt. */
export const anyForm = (path: string, handle: StepRoute['handle']): StepRoute => ({
  method: 'POST',
  path,
  open: submittedStep,
  handle,
})

/**
 * A form of one prompt (oidc/policy/prompts.ts). At any other prompt the browser is
 * redirected to the required step.
 */
export const form = (path: string, prompt: string, handle: StepRoute['handle']): StepRoute =>
  anyForm(path, async (step) =>
    step.interaction.prompt.name === prompt ? handle(step) : redirectToStep(step),
  )
