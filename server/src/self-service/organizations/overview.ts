/** The first page of an organization: the user's own membership, its admins, and leaving it. */
import type { FastifyReply } from 'fastify'
import { inTransaction } from '../../database/transaction.ts'
import { failureOf } from '../../errors.ts'
import { leaveAccount } from '../../resources/memberships/remove.ts'
import { textsOf } from '../../ui/i18n/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { organizationOverview } from '../../ui/pages/self-service/organizations/overview.ts'
import { sendPage } from '../signed-in.ts'
import { ADMINS_MAX, listAdmins } from './queries.ts'
import { doneOf, type OrganizationVisit, organizationForm, organizationPage } from './visit.ts'

export const showOrganization = organizationPage('', 'own', (visit) => show(visit))

async function show(visit: OrganizationVisit, errors?: Faults): Promise<FastifyReply> {
  const { parts, organization, user, locale, csrf } = visit
  const admins = await listAdmins(parts.db, organization.id)
  const html = organizationOverview({
    locale,
    csrf,
    organization,
    admins: admins.slice(0, ADMINS_MAX),
    hasMoreAdmins: admins.length > ADMINS_MAX,
    email: user.email,
    notice: doneOf(visit, ['handedOverDone', 'rolesDone']),
    errors,
  })
  return sendPage(visit, html, errors ? 409 : 200)
}

export const submitLeave = organizationForm('/leave', 'own', async (visit) => {
  const { parts, actor, user, organization, locale, reply } = visit
  try {
    const key = { userId: user.id, membershipId: organization.membershipId }
    await inTransaction(parts.db, (tx) => leaveAccount(tx, actor, key))
  } catch (error) {
    if (failureOf(error)?.code !== 'last_admin') throw error
    return show(visit, { form: textsOf(locale, 'organization').lastAdmin })
  }
  return reply.redirect('/account/accounts?done=left', 303)
})
