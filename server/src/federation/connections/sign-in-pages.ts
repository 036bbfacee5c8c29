/** The pages of a sign-in by a connection, and their JSON. */
import type { FastifyReply } from 'fastify'
import { hasEmailCode, secondsToNextCode } from '../../authentication/email-code.ts'
import { offeredFactors } from '../../authentication/second-factor.ts'
import { EVERYTHING } from '../../http/authority.ts'
import { csrfToken, wantsJson } from '../../http/forms-and-cookies.ts'
import { languageOf } from '../../http/language.ts'
import { readShown, redirectToOutcome } from '../../http/shown.ts'
import { allowsAnotherUser, type SignInStep } from '../../oidc/interaction.ts'
import type { Configured } from '../../resources/connections/configured.ts'
import type { EnabledUser } from '../../resources/sign-ins/queries.ts'
import { findUser } from '../../resources/users/queries.ts'
import { type Locale, textsOf } from '../../texts/texts.ts'
import { type PageState, sentencesOf, stateAfter } from '../../ui/forms.ts'
import { fillPlain } from '../../ui/html.ts'
import { pagePolicy, type SystemLook } from '../../ui/layout.ts'
import { brandJson, lookOf } from '../../ui/look.ts'
import { anotherUserPage, connectionRefusedPage, linkByCodePage } from '../../ui/pages/connection-sign-in.ts'
import { mailedCodeJson } from '../../ui/pages/mailed-code.ts'
import { secondFactorFields, secondFactorPage } from '../../ui/pages/second-factor.ts'
import type { Arrived } from './arrived.ts'

const sendHtml = (reply: FastifyReply, { logoUrl }: SystemLook, html: string): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy({ forms: 'away', logoUrl, page: html }))
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

const pageNameOf = (uid: string) => `${uid} connection`

type Place = Pick<SignInStep, 'parts' | 'request' | 'reply'> & {
  interaction: { uid: string; params: { ui_locales?: string } }
}

/** Codes of an answer that is not accepted, whoever the person is. */
const OF_PROVIDER = ['relay_state_lost', 'subject_transient', 'address_ambiguous']

/** One text for the person, whatever the reason: it is in the log of the connection. */
export function sendRefused(
  { parts, request, reply, interaction: { uid, params } }: Place,
  { id, name, organization, application }: Configured,
  { code, status }: { code: string; status: number },
): FastifyReply {
  const refused = { connection: id, code, status }
  const outcome = { page: pageNameOf(uid), shown: { refused }, status }
  const address = `/interaction/${uid}/connection`
  const answer = redirectToOutcome(parts.seal, request, reply, { address, ...outcome })
  if (answer) return answer
  const system = lookOf(parts.config, application)
  const locale = languageOf(request, params.ui_locales)
  const isFailed = /^(provider|saml)_/.test(code) || OF_PROVIDER.includes(code)
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

/** `refused`: the sign-in was refused after a form. */
type Shown = PageState & { refused?: { connection: string; code: string; status: number } }

/** The state in the address of the page. */
export function shownState(step: SignInStep): Shown | undefined {
  const found = readShown<Shown>(step.parts.seal, step.request, pageNameOf(step.interaction.uid))
  return found && stateAfter(found.shown, found.age)
}

/**
 * Sends a step that the user has to complete before the sign-in goes on. A form of a browser is answered by a
 * redirect to its page.
 */
async function sendProofStep(
  step: SignInStep,
  { application }: Configured,
  state: PageState,
  draw: (shown: Drawn) => Promise<{ json: object; page: string }>,
): Promise<FastifyReply> {
  const { parts, request, reply, interaction } = step
  const { uid, params } = interaction
  const outcome = { page: pageNameOf(uid), shown: state, status: state.status }
  const address = `/interaction/${uid}/connection`
  const answer = redirectToOutcome(parts.seal, request, reply, { address, ...outcome })
  if (answer) return answer
  const locale = languageOf(request, params.ui_locales)
  const system = lookOf(parts.config, application)
  const sentences = sentencesOf(state, locale)
  const { json, page } = await draw({ locale, system, csrf: csrfToken(parts.seal, uid), ...sentences })
  reply.code(state.status ?? 200)
  if (state.retryAfter !== undefined) reply.header('retry-after', String(state.retryAfter))
  if (!wantsJson(request)) return sendHtml(reply, system, page)
  const errors = Object.entries(sentences.errors).map(([path, message]) => ({ path, message }))
  return reply.send({ ...json, system: brandJson(system), errors })
}

type Drawn = ReturnType<typeof sentencesOf> & { locale: Locale; system: SystemLook; csrf: string }

/** The step in which an emailed code shows that the address that the provider has stated is the user's. */
export const sendCodeStep = (
  step: SignInStep,
  connection: Configured,
  { id: userId, email }: EnabledUser,
  state: PageState,
): Promise<FastifyReply> =>
  sendProofStep(step, connection, state, async (shown) => {
    const { parts, interaction } = step
    const { uid } = interaction
    const { systemId, accountId, name, organization } = connection
    const code = {
      email,
      underWay: await hasEmailCode(parts.db, parts.seal, { userId, uid }),
      wait: await secondsToNextCode(parts.db, parts.seal, { userId, systemId, countedFor: accountId }),
    }
    const action = `/interaction/${uid}/connection/code`
    const other = `/interaction/${uid}?ways=other`
    return {
      json: { step: 'link_connection', action, ...mailedCodeJson(code), links: { signIn: other } },
      page: linkByCodePage({ ...shown, ...code, name, organization, action, other }),
    }
  })

/** The step of a second factor of the user, as in other sign-ins. */
export const sendFactorStep = (
  step: SignInStep,
  connection: Configured,
  { id: userId }: EnabledUser,
  state: PageState,
): Promise<FastifyReply> =>
  sendProofStep(step, connection, state, async (shown) => {
    const { uid } = step.interaction
    const place = { userId, scope: connection.systemId, binding: uid }
    const offered = await offeredFactors(step.parts, place)
    const action = `/interaction/${uid}/connection/factor`
    return {
      json: { step: 'second_factor', action, fields: secondFactorFields(offered), enrol: false },
      page: secondFactorPage({ ...shown, ...offered, action, abort: `/interaction/${uid}/abort` }),
    }
  })
