/** The members that a connection of an organization knows, for its admins: the list, and the end of links. */
import type { FastifyReply } from 'fastify'
import { Failure } from '../../errors.ts'
import { isUuid } from '../../http/uuid.ts'
import { unlinkAll, unlinkMember } from '../../lifecycle/unlink.ts'
import { listLinks } from '../../resources/connections/links.ts'
import { findConnection } from '../../resources/connections/queries.ts'
import { textsOf } from '../../texts/texts.ts'
import { linksPage } from '../../ui/pages/self-service/organizations/connection-links.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { AT, CONNECTIONS, connectionKey, connectionSentence } from './connections.ts'
import { bodyOf } from './options.ts'
import { PAGE_SIZE, pageNumberOf } from './paging.ts'
import { ssoForm, ssoPage } from './sso-visit.ts'
import { type OrganizationVisit, pathOf, reachOfAdmin, refusalOfChange } from './visit.ts'

const LINKS = '/connections/:connectionId/links'

const DONE = ['unlinkedDone', 'allUnlinkedDone'] as const

const addressOf = (visit: OrganizationVisit) =>
  pathOf(visit, `${CONNECTIONS}/${connectionKey(visit).id}/links`)

export const showConnectionLinks = ssoPage(LINKS, (visit) => show(visit))

type Shown = { status?: number; error?: string }

function show(visit: OrganizationVisit, refusal?: Failure) {
  const shown: Shown = refusal ? { status: refusal.status, error: connectionSentence(visit, refusal) } : {}
  return showAt(visit, addressOf(visit), shown, (state) => draw(visit, state))
}

async function draw(visit: OrganizationVisit, { status, error }: Shown): Promise<FastifyReply> {
  const { parts, organization, reader, csrf, request, locale } = visit
  const { id, name, setBy } = await findConnection(parts.db, reachOfAdmin(visit), connectionKey(visit))
  const page = pageNumberOf(request.query)
  const { rows, total } = await listLinks(parts.db, id, { page, pageSize: PAGE_SIZE })
  const done = DONE.find((key) => key === (request.query as { done?: unknown }).done)
  const html = linksPage({
    ...reader,
    csrf,
    organization,
    connection: { id, name, isAbove: setBy !== 'account' },
    links: rows.map(({ membershipId, subject, user, lastUsedAt }) => ({
      ...{ membershipId, subject, lastUsedAt },
      email: user.email,
      member: user.name,
    })),
    filters: { page },
    hasNext: page * PAGE_SIZE < total,
    notice: done && textsOf(locale, 'connections')[done],
    errors: error === undefined ? undefined : { form: error },
  })
  return sendPage(visit, html, status)
}

const back = (visit: OrganizationVisit, done: (typeof DONE)[number]) =>
  visit.reply.redirect(`${addressOf(visit)}?done=${done}`, 303)

export const submitUnlink = ssoForm(
  `${LINKS}/unlink`,
  { operation: 'DELETE /admin/accounts/:accountId/members/:membershipId/link' },
  async (visit) => {
    const { member } = bodyOf(visit)
    if (!isUuid(member)) throw new Failure('membership_not_found')
    const place = { accountId: visit.organization.id, membershipId: member.toLowerCase() }
    const refusal = await refusalOfChange(
      visit,
      (tx, caller) => unlinkMember(tx, caller, place),
      place.membershipId,
    )
    return refusal ? show(visit, refusal) : back(visit, 'unlinkedDone')
  },
)

export const submitUnlinkAll = ssoForm(
  `${LINKS}/unlink-all`,
  { operation: `DELETE ${AT}/:connectionId/links` },
  async (visit) => {
    const refusal = await refusalOfChange(visit, (tx, caller) => unlinkAll(tx, caller, connectionKey(visit)))
    return refusal ? show(visit, refusal) : back(visit, 'allUnlinkedDone')
  },
)
