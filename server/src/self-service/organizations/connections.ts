/** The connections of an organization, for its admins: a new one, and the log of one. */
import type { FastifyReply } from 'fastify'
import { Failure } from '../../errors.ts'
import { isUuid } from '../../http/uuid.ts'
import { listAttempts } from '../../resources/connections/attempts.ts'
import { createConnection } from '../../resources/connections/changes.ts'
import { type Connection, type ConnectionKey, findConnection } from '../../resources/connections/queries.ts'
import { missingOf } from '../../resources/connections/settings.ts'
import { type Catalog, textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import {
  isService,
  logPage,
  newConnectionPage,
  type ShownConnection,
} from '../../ui/pages/self-service/organizations/connections.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { bodyOf, typedName } from './options.ts'
import { SSO_PATH, ssoForm, ssoPage } from './sso-visit.ts'
import { type OrganizationVisit, pathOf, reachOfAdmin, refusalOfChange, sentenceOf } from './visit.ts'

export const CONNECTIONS = `${SSO_PATH}/connections`
export const AT = '/admin/accounts/:accountId/connections' as const

/** The connection in the address. Throws `connection_not_found`. */
export function connectionKey({ request, organization }: OrganizationVisit): ConnectionKey {
  const { connectionId: id } = request.params as { connectionId?: unknown }
  if (!isUuid(id)) throw new Failure('connection_not_found')
  return { accountId: organization.id, id: id.toLowerCase() }
}

export const shownConnection = (connection: Connection): ShownConnection => ({
  ...connection,
  missing: missingOf(connection),
  isAbove: connection.setBy !== 'account',
})

export type ConnectionDone = Extract<keyof Catalog['connections'], `${string}Done`>

export const redirectToConnection = (
  visit: OrganizationVisit,
  id: string,
  done: ConnectionDone,
  service?: string,
) => {
  const query = new URLSearchParams({ done, ...(service && { service }) })
  return visit.reply.redirect(`${pathOf(visit, `${CONNECTIONS}/${id}`)}?${query}`, 303)
}

/** The sentence of a refusal that belongs to no field. */
export function connectionSentence(visit: OrganizationVisit, failure: Failure): string {
  const texts = textsOf(visit.locale, 'connections')
  const sentences: Record<string, string> = {
    connection_fixed: texts.issuerFixed,
    connection_incomplete: texts.testFirst,
    connection_untested: texts.onFirst,
    too_many_requests: texts.tooMany,
    sso_not_enabled: textsOf(visit.locale, 'organization').refused,
  }
  return sentences[failure.code] ?? sentenceOf(visit, failure)
}

type Shown = { status?: number; typed?: string; service?: string; errors?: Faults }

/** The page asks for the recent sign-in before the admin fills in the form. */
export const showNewConnection = ssoPage('/connections/new', (visit) => show(visit), 'recent')

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit, `${CONNECTIONS}/new`), shown, (state) => draw(visit, state))

function draw(visit: OrganizationVisit, shown: Shown): FastifyReply {
  const { organization, reader, csrf } = visit
  if (!organization.setsUpSso) throw new Failure('not_found')
  const { status, typed = '', service, errors } = shown
  const html = newConnectionPage({ ...reader, csrf, organization, typed, service, errors })
  return sendPage(visit, html, status)
}

export const submitNewConnection = ssoForm('/connections/new', { operation: `POST ${AT}` }, async (visit) => {
  const { parts, organization, locale } = visit
  const texts = textsOf(locale, 'connections')
  const { typed, name } = typedName(visit)
  const { service: given } = bodyOf(visit)
  const service = isService(given) ? given : undefined
  const again = { typed, ...(service && { service }) }
  if (name === undefined) return show(visit, { status: 400, ...again, errors: { name: texts.nameWrong } })
  let id = ''
  // Entra's `sub` is another one for each registered application.
  const subject = service === 'entra' && { subjectAttribute: 'oid' as const }
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    const given = { name, kind: 'oidc' as const, ...subject }
    id = (await createConnection(tx, parts, caller, organization.id, given)).id
  })
  if (!refusal) return redirectToConnection(visit, id, 'createdDone', service)
  const errors =
    refusal.code === 'connection_exists'
      ? { name: texts.nameTaken }
      : { form: connectionSentence(visit, refusal) }
  return show(visit, { status: refusal.status, ...again, errors })
})

export const showConnectionLog = ssoPage('/connections/:connectionId/log', async (visit) => {
  const { parts, organization, reader } = visit
  const { id, name } = await findConnection(parts.db, reachOfAdmin(visit), connectionKey(visit))
  const attempts = await listAttempts(parts.db, id)
  return sendPage(visit, logPage({ ...reader, organization, connection: { id, name }, attempts }))
})
