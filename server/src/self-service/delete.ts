/** Users delete their own profile: a page that lists what ends, its form, and the page after it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failureOf } from '../database/faults.ts'
import { inTransaction } from '../database/transaction.ts'
import { languageOf } from '../http/language.ts'
import { addressShowing, readShown } from '../http/shown.ts'
import { deleteOwnProfile } from '../lifecycle/delete-profile.ts'
import { listOwnAccounts, platformRightOf } from '../resources/memberships/own-accounts.ts'
import { clientOf } from '../resources/systems/queries.ts'
import { textsOf } from '../texts/texts.ts'
import { pagePolicy } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { messagePage } from '../ui/pages/message.ts'
import { deletePage } from '../ui/pages/self-service/delete.ts'
import { applicationOf } from './application.ts'
import { listOwnMemberships } from './queries.ts'
import { type AccountParts, sendPage, showAt, type Visit, visitForm, visitPage } from './signed-in.ts'

const PAGE = '/account/delete'
/** It needs no sign-in: the user is deleted. */
export const DELETED = '/account/deleted'

export const showDelete = visitPage(PAGE, (visit) => show(visit), 'recent')

type Shown = { status?: number; isRefused?: boolean }

const show = (visit: Visit, shown: Shown = {}) => showAt(visit, PAGE, shown, (state) => draw(visit, state))

async function draw(visit: Visit, { status, isRefused = false }: Shown): Promise<FastifyReply> {
  const { parts, user, reader, csrf, locale } = visit
  const [organizations, memberships, { isLast }] = await Promise.all([
    listOwnAccounts(parts.db, user.id),
    listOwnMemberships(parts.db, user.id),
    platformRightOf(parts.db, user.id),
  ])
  const withPages = new Set(memberships.flatMap(({ accountId, hasPage }) => (hasPage ? [accountId] : [])))
  const html = deletePage({
    ...reader,
    csrf,
    organizations: organizations.map((each) => ({ ...each, hasPage: withPages.has(each.id) })),
    applications: [...new Set(memberships.map(({ system }) => system))],
    isLastOfPlatform: isLast,
    errors: isRefused ? { form: textsOf(locale, 'profile').deleteRefused } : undefined,
  })
  return sendPage(visit, html, status)
}

export const submitDelete = visitForm(
  PAGE,
  async (visit) => {
    const { parts, request, reply, user, actor, session } = visit
    const clientId = applicationOf(parts, request, visit)
    try {
      await inTransaction(parts.db, (tx) => deleteOwnProfile(tx, parts.seal, actor, user.id))
    } catch (error) {
      if (failureOf(error)?.code !== 'last_admin') throw error
      return show(visit, { status: 409, isRefused: true })
    }
    await session.destroy()
    const at = addressShowing(parts.seal, DELETED, { page: DELETED, shown: { clientId } })
    return reply.redirect(at ?? DELETED, 303)
  },
  'recent',
)

/** The application from which the pages were opened is in the sealed address. */
export async function showDeleted(
  { db, seal, config }: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const clientId = readShown<{ clientId?: string }>(seal, request, DELETED)?.shown.clientId
  const application = clientId === undefined ? undefined : await clientOf(db, clientId)
  const system = application && lookOf(config, application)
  const html = messagePage({ locale: languageOf(request), kind: 'profileDeleted', system })
  return reply
    .header('content-security-policy', pagePolicy({ forms: 'own', logoUrl: system?.logoUrl }))
    .type('text/html')
    .send(html)
}
