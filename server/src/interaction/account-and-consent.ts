/** The last steps of a sign-in, account and consent, and how the user cancels it. */

import type { FastifyReply } from 'fastify'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { isUuid } from '../http/uuid.ts'
import { type AuditEntry, record } from '../journal/audit/record.ts'
import { acceptOffer, attemptJoin } from '../lifecycle/accept-invitation.ts'
import {
  allowsAnotherUser,
  completeStep,
  denyAccess,
  redirectToStep,
  restartLogin,
  type SignInStep,
  systemIdOf,
} from '../oidc/interaction.ts'
import { NEW_ACCOUNT, type Offer } from '../oidc/policy/account-choice.ts'
import type { ConsentDetails } from '../oidc/policy/consent.ts'
import type { SelectionDetails } from '../oidc/policy/prompts.ts'
import { refusedSignIn } from '../oidc/policy/refused-sign-ins.ts'
import { upsertConsent } from '../resources/consents/queries.ts'
import { isSelectable } from '../resources/sign-ins/access.ts'
import { clientOf } from '../resources/systems/queries.ts'
import { markEntered } from '../resources/users/system-users.ts'
import { pagePolicy } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { messagePage } from '../ui/pages/message.ts'
import { INVITATION } from './account-view.ts'
import { anyForm, sendStep, stepForm, stepPage } from './step.ts'

export const submitAccount = stepForm('/account', 'select_account', async (step) => {
  const { request, interaction } = step
  const { accountId } = (request.body ?? {}) as { accountId?: unknown }
  const { accounts, more, invitations, mayCreate } = interaction.prompt.details as SelectionDetails
  const offer = invitations?.find(({ id }) => accountId === `${INVITATION}${id}`)
  if (offer) return acceptOffered(step, offer)
  const isListed = accounts.some(({ id }) => id === accountId) || (mayCreate && accountId === NEW_ACCOUNT)
  if (!isListed && !(more && (await isFound(step, accountId))))
    return sendStep(step, { status: 400, errors: { form: 'organizationMissing' } })
  return completeStep(step, { select_account: { accountId: String(accountId) } })
})

/** Whether it is an account that a search on the page finds. */
async function isFound(step: SignInStep, accountId: unknown): Promise<boolean> {
  const userId = step.interaction.session?.accountId
  const systemId = await systemIdOf(step)
  if (!isUuid(accountId) || userId === undefined || systemId === null) return false
  return isSelectable(step.parts.db, { userId, systemId }, accountId)
}

/** The invitation may have ended since the page was sent. */
async function acceptOffered(step: SignInStep, { id, accountId }: Offer): Promise<FastifyReply> {
  const { request, interaction } = step
  const userId = interaction.session?.accountId ?? ''
  let refused: keyof typeof REFUSALS | undefined
  try {
    return await completeStep(step, { select_account: { accountId } }, async (tx) => {
      const outcome = await attemptJoin(() =>
        acceptOffer(tx, step.parts, userOf(request, userId), id, userId),
      )
      if (outcome === 'blocked' || outcome === 'suspended') refused = outcome
      else if (outcome === 'gone' || outcome === 'other') refused = 'gone'
      if (refused) throw new Failure('insufficient_authority')
    })
  } catch (error) {
    if (!refused) throw error
    return sendStep(step, { status: 409, errors: { form: REFUSALS[refused] } })
  }
}

const REFUSALS = {
  gone: 'invitationGoneLead',
  blocked: 'invitationBlockedLead',
  suspended: 'invitationSuspendedLead',
} as const

export const submitConsent = stepForm('/consent', 'consent', async (step) => {
  const { request, interaction } = step
  const { decision } = (request.body ?? {}) as { decision?: unknown }
  const { account, scopes, claims, entry: enters } = interaction.prompt.details as ConsentDetails
  const userId = interaction.session?.accountId ?? ''
  const systemId = await systemIdOf(step)
  if (decision === 'deny') {
    if (enters) return sendDeclined(step)
    const entry = refusedSignIn('consent', { userId, systemId, accountId: account?.id ?? null })
    return denyAccess(step, 'the user did not consent', { entry, actor: userOf(request, userId) })
  }
  if (!account) return redirectToStep(step)
  return completeStep(step, { consent: {} }, async (tx) => {
    await upsertConsent(tx, userId, account.id, { scopes, claims })
    if (enters && systemId !== null) await markEntered(tx, { userId, systemId })
    const target = { type: 'account', id: account.id }
    const changes: AuditEntry['changes'] = {
      scopes: [null, scopes],
      ...(claims.length > 0 && { claims: [null, claims] }),
      ...(enters && { entered: [false, true] }),
    }
    const entry = { action: 'consent.granted', target, systemId, accountId: account.id, changes }
    await record(tx, userOf(request, userId), entry)
  })
})

const userOf = ({ actor }: SignInStep['request'], id: string): Actor => ({ ...actor, type: 'user', id })

/** The application does not learn that a user has declined a membership that another person created. */
const sendDeclined = ({ request, reply, interaction: { uid } }: SignInStep): FastifyReply =>
  wantsJson(request) ? reply.send({ step: 'declined' }) : reply.redirect(`/interaction/${uid}/declined`, 303)

export const showDeclined = stepPage(
  '/declined',
  async ({ parts, request, reply, interaction: { params } }) => {
    const locale = languageOf(request, params.ui_locales)
    const system = lookOf(parts.config, await clientOf(parts.db, params.client_id))
    const html = messagePage({ locale, kind: 'declined', system })
    const csp = pagePolicy({ logoUrl: system.logoUrl, forms: 'away' })
    return reply.header('content-security-policy', csp).type('text/html').send(html)
  },
)

/** Leads to the login of another user. At the step `login` there is no user to replace. */
export const submitAnother = anyForm('/another', async (step) => {
  const { interaction } = step
  if (interaction.prompt.name === 'login' || !allowsAnotherUser(interaction)) return redirectToStep(step)
  return restartLogin(step)
})

/** Leaves the sign-in at any step. */
export const submitAbort = anyForm('/abort', (step) =>
  denyAccess(
    step,
    step.interaction.prompt.name === 'access'
      ? 'the user has no active membership'
      : 'the user left the sign-in',
  ),
)
