/** The first page of an organization: the user's own membership, its admins, and leaving it. */
import type { FastifyReply } from 'fastify'
import { failureOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { leaveAccount } from '../../lifecycle/remove-membership.ts'
import { textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { leavePage, organizationOverview } from '../../ui/pages/self-service/organizations/overview.ts'
import { noticeOf, sendPage, showAt } from '../signed-in.ts'
import { ADMINS_MAX, listAdmins } from './queries.ts'
import {
  doneOf,
  isBarred,
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  sendBarred,
} from './visit.ts'

export const showOrganization = organizationPage('', 'own', (visit) => show(visit))

type Shown = { status?: number; errors?: Faults }

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit), shown, (state) => draw(visit, state))

async function draw(visit: OrganizationVisit, { status, errors }: Shown): Promise<FastifyReply> {
  if (isBarred(visit.organization)) return sendBarred(visit, errors)
  const { parts, organization, reader, csrf } = visit
  const admins = await listAdmins(parts.db, organization.id)
  const html = organizationOverview({
    ...reader,
    csrf,
    organization,
    admins: admins.slice(0, ADMINS_MAX),
    hasMoreAdmins: admins.length > ADMINS_MAX,
    notice: noticeOf(visit) ?? doneOf(visit, ['handedOverDone', 'rolesDone']),
    errors,
  })
  return sendPage(visit, html, status)
}

/** The form to leave alone, without the second factor that the organization requires. */
export const showLeave = organizationPage('/leaving', 'leaving', (visit) => {
  const { reader, csrf, organization } = visit
  return isBarred(organization)
    ? sendBarred(visit, undefined)
    : sendPage(visit, leavePage({ ...reader, csrf, organization }))
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
