/** The connections of an organization, for its admins: a new one, and the log of one. */
import type { FastifyReply } from 'fastify'
import { Failure } from '../../errors.ts'
import { isUuid } from '../../http/uuid.ts'
import { listAttempts } from '../../resources/connections/attempts.ts'
import { createConnection } from '../../resources/connections/changes.ts'
import { type Connection, type ConnectionKey, findConnection } from '../../resources/connections/queries.ts'
import { type ConnectionKind, missingOf } from '../../resources/connections/settings.ts'
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
    saml_disabled: texts.samlOff,
    connection_incomplete: texts.testFirst,
    connection_untested: texts.onFirst,
    too_many_requests: texts.tooMany,
    sso_not_enabled: textsOf(visit.locale, 'organization').refused,
  }
  return sentences[failure.code] ?? sentenceOf(visit, failure)
}

type Shown = {
  status?: number
  typed?: string
  service?: string
  kind?: ConnectionKind
  errors?: Faults
}

/** What identifies a person at Entra ID: `sub` and the NameID are others for each registered application. */
const OF_ENTRA: Record<ConnectionKind, string> = {
  oidc: 'oid',
  saml: 'http://schemas.microsoft.com/identity/claims/objectidentifier',
}

/** The page asks for the recent sign-in before the admin fills in the form. */
export const showNewConnection = ssoPage('/connections/new', (visit) => show(visit), 'recent')

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit, `${CONNECTIONS}/new`), shown, (state) => draw(visit, state))

function draw(visit: OrganizationVisit, shown: Shown): FastifyReply {
  const { organization, reader, csrf, parts } = visit
  if (!organization.setsUpSso) throw new Failure('not_found')
  const { status, typed = '', service, kind = 'oidc', errors } = shown
  const more = { typed, service, kind, hasSaml: parts.config.SAML, errors }
  const html = newConnectionPage({ ...reader, csrf, organization, ...more })
  return sendPage(visit, html, status)
}

export const submitNewConnection = ssoForm('/connections/new', { operation: `POST ${AT}` }, async (visit) => {
  const { parts, organization, locale } = visit
  const texts = textsOf(locale, 'connections')
  const { typed, name } = typedName(visit)
  const { service: given, kind: protocol } = bodyOf(visit)
  const kind = protocol === 'saml' ? 'saml' : 'oidc'
  const service = isService(given) ? given : undefined
  const again = { typed, kind, ...(service && { service }) } as const
  if (name === undefined) return show(visit, { status: 400, ...again, errors: { name: texts.nameWrong } })
  let id = ''
  const subject = service === 'entra' && { subjectAttribute: OF_ENTRA[kind] }
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    id = (await createConnection(tx, parts, caller, organization.id, { name, kind, ...subject })).id
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
