/** The first page of an organization: the user's own membership, its admins, its settings, and leaving it. */
import type { FastifyReply } from 'fastify'
import { oneLine } from '../../authentication/registration-input.ts'
import { failureOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { reachOf } from '../../http/authority.ts'
import { fits } from '../../http/schema-compilers.ts'
import { Name } from '../../http/schemas.ts'
import { changeAccount } from '../../lifecycle/change-account.ts'
import { leaveAccount } from '../../lifecycle/remove-membership.ts'
import { lockAccount } from '../../resources/accounts/queries.ts'
import { countWithoutFactor } from '../../resources/memberships/factors.ts'
import { textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { leavePage, organizationOverview } from '../../ui/pages/self-service/organizations/overview.ts'
import { noticeOf, sendPage, showAt } from '../signed-in.ts'
import { ADMINS_MAX, listAdmins } from './queries.ts'
import {
  doneOf,
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  refusalOfChange,
  sendSuspended,
  sentenceOf,
} from './visit.ts'

export const showOrganization = organizationPage('', 'own', (visit) => show(visit))

type Shown = { status?: number; errors?: Faults; typed?: string }

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit), shown, (state) => draw(visit, state))

async function draw(visit: OrganizationVisit, { status, errors, typed }: Shown): Promise<FastifyReply> {
  if (visit.organization.isSuspended) return sendSuspended(visit, errors)
  const { parts, organization, user, locale, csrf } = visit
  const [admins, withoutFactor] = await Promise.all([
    listAdmins(parts.db, organization.id),
    organization.isAccountAdmin ? countWithoutFactor(parts.db, organization.id) : undefined,
  ])
  const html = organizationOverview({
    locale,
    csrf,
    organization,
    admins: admins.slice(0, ADMINS_MAX),
    hasMoreAdmins: admins.length > ADMINS_MAX,
    withoutFactor,
    email: user.email,
    notice: noticeOf(visit) ?? doneOf(visit, ['handedOverDone', 'rolesDone']),
    errors,
    typed,
  })
  return sendPage(visit, html, status)
}

/** The form to leave alone, without the second factor that the organization requires. */
export const showLeave = organizationPage('/leaving', 'leaving', (visit) => {
  const { locale, csrf, organization } = visit
  return organization.isSuspended
    ? sendSuspended(visit, undefined)
    : sendPage(visit, leavePage({ locale, csrf, organization }))
})

export const submitLeave = organizationForm('/leave', 'leaving', 'ordinary', async (visit) => {
  const { parts, actor, user, organization, locale, reply } = visit
  try {
    const key = { userId: user.id, membershipId: organization.membershipId }
    await inTransaction(parts.db, (tx) => leaveAccount(tx, actor, key))
  } catch (error) {
    if (failureOf(error)?.code !== 'last_admin') throw error
    return show(visit, { status: 409, errors: { form: textsOf(locale, 'organization').lastAdmin } })
  }
  return reply.redirect('/account/accounts?done=left', 303)
})

const FLAGS = ['membersVisible', 'acceptOtherAddress', 'requireMfa'] as const
type Flag = (typeof FLAGS)[number]

/** What differs from what the page has shown: somebody else may have changed the rest. */
function changesIn(given: unknown): Partial<Record<Flag, boolean> & { name: unknown }> {
  const body = (given ?? {}) as Record<string, unknown>
  const isOn = (flag: Flag) => body[flag] === 'yes'
  const isSent = (flag: Flag) => flag !== 'requireMfa' || body.requireMfaBefore !== undefined
  const changed = FLAGS.filter(
    (flag) => isSent(flag) && body[`${flag}Before`] !== (isOn(flag) ? 'yes' : 'no'),
  )
  return {
    ...Object.fromEntries(changed.map((flag) => [flag, isOn(flag)])),
    ...(body.name !== body.nameBefore && { name: body.name }),
  }
}

const CHANGE = {
  operation: 'PATCH /admin/accounts/:accountId',
  body: ({ request }: OrganizationVisit) => changesIn(request.body),
} as const

export const submitSettings = organizationForm('', 'admin', CHANGE, async (visit) => {
  const { organization, request, locale, reply } = visit
  const body = (request.body ?? {}) as Record<string, unknown>
  const { name, nameBefore } = body
  const typed = typeof name === 'string' ? oneLine(name) : ''
  if (!fits(Name, typed))
    return show(visit, { status: 400, typed, errors: { name: textsOf(locale, 'organization').nameWrong } })
  const { name: _, ...flags } = changesIn(body)
  const patch = { ...flags, ...(typed !== nameBefore && { name: typed }) }
  const refusal = await refusalOfChange(visit, async (tx, caller) =>
    changeAccount(tx, caller, await lockAccount(tx, reachOf(caller), organization.id), patch),
  )
  if (refusal) return show(visit, { status: refusal.status, errors: { form: sentenceOf(visit, refusal) } })
  return reply.redirect(`${pathOf(visit)}?done=saved`, 303)
})
