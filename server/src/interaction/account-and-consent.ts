/** The last steps of a sign-in, account and consent, and how the user cancels it. */
import { completeStep, denyAccess, systemIdOf } from '../oidc/interaction.ts'
import { record } from '../resources/audit/record.ts'
import { upsertConsent } from '../resources/consents/queries.ts'
import { anyForm, form, sendStep } from './step.ts'

export const submitAccount = form('/account', 'select_account', async (step) => {
  const { request, interaction } = step
  const { accountId } = (request.body ?? {}) as { accountId?: unknown }
  const offered = (interaction.prompt.details.accounts as { id: string }[] | undefined) ?? []
  if (!offered.some((account) => account.id === accountId))
    return sendStep(step, { status: 400, errors: { form: 'accountMissing' } })
  return completeStep(step, { select_account: { accountId: String(accountId) } })
})

export const submitConsent = form('/consent', 'consent', async (step) => {
  const { request, interaction } = step
  const { decision } = (request.body ?? {}) as { decision?: unknown }
  if (decision === 'deny') return denyAccess(step, 'the user did not consent')
  const { account, scopes } = interaction.prompt.details as { account: { id: string }; scopes: string[] }
  const userId = interaction.session?.accountId ?? ''
  const systemId = await systemIdOf(step)
  return completeStep(step, { consent: {} }, async (tx) => {
    await upsertConsent(tx, userId, account.id, scopes)
    const actor = { ...request.actor, type: 'user' as const, id: userId }
    const target = { type: 'account', id: account.id }
    const changes = { scopes: [null, scopes] as [unknown, unknown] }
    const entry = { action: 'consent.granted', target, systemId, accountId: account.id, changes }
    await record(tx, actor, entry)
  })
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
