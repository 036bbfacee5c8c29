/** The pages of a sign-in by a connection, and their JSON. */
import type { FastifyReply } from 'fastify'
import { EVERYTHING } from '../../http/authority.ts'
import { csrfToken, wantsJson } from '../../http/forms-and-cookies.ts'
import { languageOf } from '../../http/language.ts'
import { allowsAnotherUser, type SignInStep } from '../../oidc/interaction.ts'
import type { Configured } from '../../resources/connections/configured.ts'
import type { EnabledUser } from '../../resources/sign-ins/queries.ts'
import { findUser } from '../../resources/users/queries.ts'
import { textsOf } from '../../texts/texts.ts'
import { fillPlain } from '../../ui/html.ts'
import { pagePolicy, type SystemLook } from '../../ui/layout.ts'
import { brandJson, lookOf } from '../../ui/look.ts'
import { anotherUserPage, connectionRefusedPage } from '../../ui/pages/connection-sign-in.ts'
import type { Arrived } from './arrived.ts'

const sendHtml = (reply: FastifyReply, { logoUrl }: SystemLook, html: string): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy({ forms: 'away', logoUrl }))
    .type('text/html')
    .send(html)

/** Names the user of the browser and the one whom the provider states. Until its form nothing changes. */
export async function sendAnotherUser(
  { parts, request, reply, interaction }: SignInStep,
  { application, organization }: Configured,
  { id, email }: EnabledUser,
  stated: Arrived['stated'],
): Promise<FastifyReply> {
  const { name } = await findUser(parts.db, EVERYTHING, id)
  const { uid, params } = interaction
  const system = lookOf(parts.config, application)
  const action = `/interaction/${uid}/connection`
  const current = { email, name }
  const next = { email: stated.email, name: stated.name }
  if (wantsJson(request)) {
    const view = { step: 'another_user', action, system: brandJson(system), current, new: next }
    return reply.send({ ...view, fields: [], errors: [] })
  }
  const page = anotherUserPage({
    ...{ locale: languageOf(request, params.ui_locales), system, organization, current, next, action },
    csrf: csrfToken(parts.seal, uid),
    stay: allowsAnotherUser(interaction) ? `/interaction/${uid}` : undefined,
  })
  return sendHtml(reply, system, page)
}

type Place = Pick<SignInStep, 'parts' | 'request' | 'reply'> & {
  interaction: { uid: string; params: { ui_locales?: string } }
}

/** One text for the person, whatever the reason: it is in the log of the connection. */
export function sendRefused(
  { parts, request, reply, interaction: { uid, params } }: Place,
  { id, name, organization, application }: Configured,
  { code, status }: { code: string; status: number },
): FastifyReply {
  const system = lookOf(parts.config, application)
  const locale = languageOf(request, params.ui_locales)
  const isFailed = code.startsWith('provider_')
  const links = { again: `/interaction/${uid}/connection/${id}`, signIn: `/interaction/${uid}?ways=other` }
  reply.code(status)
  if (wantsJson(request)) {
    const texts = textsOf(locale, 'connection')
    const names = { name, organization, system: system.name }
    const message = fillPlain(isFailed ? texts.failedLead : texts.refusedLead, names)
    const view = { step: 'connection_refused', system: brandJson(system), links, fields: [] }
    return reply.send({ ...view, errors: [{ path: 'form', message }] })
  }
  const shown = { locale, system, name, organization, isFailed, ...links, requestId: request.id }
  return sendHtml(reply, system, connectionRefusedPage(shown))
}
