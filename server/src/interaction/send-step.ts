/** Sends the required step as an HTML page or as JSON: `{step, action, system, fields, errors}`. */
import type { FastifyReply } from 'fastify'
import { csrfToken, wantsJson } from '../http/forms-and-cookies.ts'
import type { Step } from '../oidc/interaction.ts'
import { clientOf } from '../resources/systems/clients.ts'
import { pagePolicy, redirectOrigins } from '../ui/assets.ts'
import { localeOf } from '../ui/i18n/texts.ts'
import { recoveryCodesPage } from '../ui/pages/enrol.ts'
import { stepJson } from './step-json.ts'
import { stepPage } from './step-page.ts'
import { lookOf, readStep, type StepState } from './step-view.ts'

export async function sendStep(step: Step, state: StepState): Promise<FastifyReply> {
  const { parts, request, reply, interaction } = step
  const view = await readStep(step, state)
  reply.code(state.status ?? 200)
  if (state.retryAfter !== undefined) reply.header('retry-after', String(state.retryAfter))
  if (wantsJson(request)) return reply.send(stepJson(view))
  const page = await stepPage(view, csrfToken(parts.seal, interaction.uid))
  const formOrigins = redirectOrigins(interaction.params.redirect_uri)
  const csp = pagePolicy({ logoUrl: view.system.logoUrl, formOrigins, page })
  return reply.header('content-security-policy', csp).type('text/html').send(page)
}

/** The first factor is enrolled: its recovery codes, and where the sign-in continues. */
export async function sendRecoveryCodes(
  { parts, request, reply, interaction: { params } }: Step,
  sent: { location: string; recoveryCodes: string[] },
): Promise<FastifyReply> {
  if (wantsJson(request)) return reply.send(sent)
  const locale = localeOf(params.ui_locales, request.headers['accept-language'])
  const system = lookOf(parts.config, await clientOf(parts.db, params.client_id))
  const next = { href: sent.location }
  const page = recoveryCodesPage({ locale, system, codes: sent.recoveryCodes, next })
  const csp = pagePolicy({ logoUrl: system.logoUrl })
  return reply.header('content-security-policy', csp).type('text/html').send(page)
}
