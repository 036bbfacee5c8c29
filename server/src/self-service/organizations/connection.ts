/**
 * One connection of an organization, for its admins: what is exchanged with the provider, its test and its
 * settings.
 */
import type { FastifyReply } from 'fastify'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import {
  changeConnection,
  endConnectionSessions,
  removeConnection,
} from '../../lifecycle/change-connection.ts'
import type { ConnectionPatch } from '../../resources/connections/changes.ts'
import { findConnection, lockConnection } from '../../resources/connections/queries.ts'
import { readingAfter } from '../../resources/connections/saml.ts'
import { addressesOf, type ConnectionKind } from '../../resources/connections/settings.ts'
import { demandReading, requestTest } from '../../resources/connections/test.ts'
import { listDomains } from '../../resources/domains/queries.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import { textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { connectionPage } from '../../ui/pages/self-service/organizations/connection.ts'
import {
  type ConnectionField,
  isService,
  type Service,
  serviceOf,
  type TypedConnection,
} from '../../ui/pages/self-service/organizations/connections.ts'
import { type AccountRoute, sendPage, showAt } from '../signed-in.ts'
import { connectionInput, OF_PROVIDER, OF_SETTINGS, typedOf } from './connection-input.ts'
import {
  AT,
  CONNECTIONS,
  type ConnectionDone,
  connectionKey,
  connectionSentence,
  redirectToConnection,
  shownConnection,
} from './connections.ts'
import { bodyOf, idsOf, optionsOf } from './options.ts'
import { SSO_PATH, ssoForm, ssoPage } from './sso-visit.ts'
import { type OrganizationVisit, pathOf, reachOfAdmin, refusalOfChange } from './visit.ts'

const ONE = '/connections/:connectionId'
const UPDATE = { operation: `PATCH ${AT}/:connectionId` } as const

export const showConnection = ssoPage(ONE, (visit) => show(visit))

type Shown = { status?: number; typed?: Partial<TypedConnection>; errors?: Faults }

/** Whose steps are shown, until the issuer says it. */
function chosenService(visit: OrganizationVisit): Service | undefined {
  const given = (visit.request.query as { service?: unknown }).service ?? bodyOf(visit).service
  return isService(given) ? given : undefined
}

function show(visit: OrganizationVisit, shown: Shown = {}) {
  const service = chosenService(visit)
  const page = pathOf(visit, `${CONNECTIONS}/${connectionKey(visit).id}`)
  const address = service ? `${page}?service=${service}` : page
  return showAt(visit, address, shown, (state) => draw(visit, state))
}

const DONE: ConnectionDone[] = ['createdDone', 'savedDone', 'onDone', 'offDone', 'sessionsDone']

async function draw(visit: OrganizationVisit, { status, typed, errors }: Shown): Promise<FastifyReply> {
  const { parts, organization, reader, csrf, request, locale } = visit
  const [found, roles, domains] = await Promise.all([
    findConnection(parts.db, reachOfAdmin(visit), connectionKey(visit)),
    listRoles(parts.db, organization.systemId),
    listDomains(parts.db, organization.id),
  ])
  const done = DONE.find((key) => key === (request.query as { done?: unknown }).done)
  const isAddable = (role: { isAdmin: boolean; canActForMembers: boolean }) =>
    !role.isAdmin && !role.canActForMembers
  const stored = typedOf(found)
  const html = connectionPage({
    ...reader,
    csrf,
    organization,
    connection: { ...shownConnection(found), ...addressesOf(parts.config, found) },
    service: serviceOf(found.issuer) ?? chosenService(visit),
    domain: domains.find((each) => each.status === 'verified')?.name,
    stored,
    typed: { ...stored, ...typed },
    roles: optionsOf(roles.filter(isAddable), found.defaultRoles),
    notice: done && textsOf(locale, 'connections')[done],
    errors,
  })
  return sendPage(visit, html, status)
}

const refused = (visit: OrganizationVisit, failure: Failure) =>
  show(visit, { status: failure.status, errors: { form: connectionSentence(visit, failure) } })

const WRONG = {
  name: 'nameWrong',
  issuer: 'issuerWrong',
  clientId: 'clientIdWrong',
  clientSecret: 'clientSecretWrong',
  secretExpiresAt: 'dateWrong',
  subjectAttribute: 'issuerWrong',
  requiredClaims: 'claimsWrong',
  scopes: 'scopesWrong',
  sessionHours: 'hoursWrong',
  jit: 'nameWrong',
  closedIssuer: 'nameWrong',
  groupAttribute: 'groupsWrong',
  mfaAcr: 'acrWrong',
  reauthentication: 'nameWrong',
  metadata: 'metadataWrong',
  ssoUrl: 'ssoUrlWrong',
  certificates: 'certificatesWrong',
} as const satisfies Record<ConnectionField, string>

/** The sentence of a field that is wrong. The issuer of a SAML provider can be any text. */
const sentenceAt = ({ locale }: OrganizationVisit, kind: ConnectionKind, field: ConnectionField): string =>
  textsOf(locale, 'connections')[kind === 'saml' && field === 'issuer' ? 'entityWrong' : WRONG[field]]

/** The sentence of a refusal, at its field. */
function faultsOf(visit: OrganizationVisit, kind: ConnectionKind, failure: Failure): Faults {
  const texts = textsOf(visit.locale, 'connections')
  if (failure.code === 'metadata_invalid') return { metadata: texts.metadataWrong }
  if (failure.code === 'issuer_multi_tenant') return { issuer: texts.issuerShared }
  if (failure.code === 'connection_exists') return { name: texts.nameTaken }
  const field = failure.errors?.[0]?.path.split('/')[1]
  if (field && Object.hasOwn(WRONG, field)) {
    return { [field]: sentenceAt(visit, kind, field as ConnectionField) }
  }
  return { form: connectionSentence(visit, failure) }
}

/** Changes the connection of the address. */
const change =
  (visit: OrganizationVisit, patchOf: (heldRoles: string[]) => ConnectionPatch) =>
  async (tx: Db, caller: Caller): Promise<void> => {
    const locked = await lockConnection(tx, reachOf(caller), connectionKey(visit))
    await changeConnection(tx, visit.parts, caller, locked, patchOf(locked.defaultRoles))
  }

/** Where metadata is read, for an admin who may set up the connection. Throws as `demandReading`. */
async function placeToRead(visit: OrganizationVisit): Promise<{ systemId: string; accountId: string }> {
  const key = connectionKey(visit)
  const failure = await refusalOfChange(visit, (tx, caller) =>
    demandReading(tx, visit.parts.seal, caller, key),
  )
  if (failure) throw failure
  return { systemId: visit.organization.systemId, accountId: key.accountId }
}

async function submitFields(
  visit: OrganizationVisit,
  fieldsOf: Record<ConnectionKind, readonly ConnectionField[]>,
  more: (heldRoles: string[]) => ConnectionPatch = () => ({}),
): Promise<FastifyReply> {
  const { parts } = visit
  const { kind } = await findConnection(parts.db, reachOfAdmin(visit), connectionKey(visit))
  const { typed, patch, wrong } = await connectionInput(
    parts.config,
    bodyOf(visit),
    fieldsOf[kind],
    readingAfter(parts.saml, () => placeToRead(visit)),
  )
  if (!patch) {
    const errors = Object.fromEntries(wrong.map((field) => [field, sentenceAt(visit, kind, field)]))
    return show(visit, { status: 400, typed, errors })
  }
  const failure =
    patch instanceof Failure
      ? patch
      : await refusalOfChange(
          visit,
          change(visit, (held) => ({ ...patch, ...more(held) })),
        )
  if (failure) return show(visit, { status: failure.status, typed, errors: faultsOf(visit, kind, failure) })
  return redirectToConnection(visit, connectionKey(visit).id, 'savedDone', chosenService(visit))
}

/** In bytes: the metadata of a SAML provider is longer than other forms. */
const PROVIDER_MAX = 131_072
const submitValues = ssoForm(`${ONE}/provider`, UPDATE, (visit) => submitFields(visit, OF_PROVIDER))
export const submitProvider = { ...submitValues, bodyLimit: PROVIDER_MAX }

/** What differs from what the page has shown changes: somebody else may have changed the rest. */
export const submitConnection = ssoForm(`${ONE}/settings`, UPDATE, (visit) => {
  const { roles, rolesBefore } = bodyOf(visit)
  const [now, before] = [idsOf(roles), idsOf(rolesBefore)]
  const added = now.filter((id) => !before.includes(id))
  const removed = before.filter((id) => !now.includes(id))
  return submitFields(visit, OF_SETTINGS, (held) =>
    added.length + removed.length === 0
      ? {}
      : { defaultRoles: [...held.filter((id) => !removed.includes(id)), ...added] },
  )
})

const submitEnabled = (path: string, enabled: boolean, done: ConnectionDone): AccountRoute =>
  ssoForm(`${ONE}/${path}`, UPDATE, async (visit) => {
    const failure = await refusalOfChange(
      visit,
      change(visit, () => ({ enabled })),
    )
    return failure ? refused(visit, failure) : redirectToConnection(visit, connectionKey(visit).id, done)
  })

export const submitTurnOn = submitEnabled('enable', true, 'onDone')
export const submitTurnOff = submitEnabled('disable', false, 'offDone')

/** Its answer is the address of the test, which works in this browser only. */
export const submitTest = ssoForm(
  `${ONE}/test`,
  { operation: `POST ${AT}/:connectionId/test` },
  async (visit) => {
    let testUrl = ''
    const failure = await refusalOfChange(visit, async (tx, caller) => {
      testUrl = (await requestTest(tx, visit.parts, caller, connectionKey(visit))).testUrl
    })
    return failure ? refused(visit, failure) : visit.reply.redirect(testUrl, 303)
  },
)

/** It ends access, so that it needs no recent sign-in, as in the admin API. */
export const submitEndConnectionSessions = ssoForm(
  `${ONE}/sessions`,
  { operation: `DELETE ${AT}/:connectionId/sessions` },
  async (visit) => {
    const key = connectionKey(visit)
    const failure = await refusalOfChange(visit, (tx, caller) => endConnectionSessions(tx, caller, key))
    return failure ? refused(visit, failure) : redirectToConnection(visit, key.id, 'sessionsDone')
  },
)

export const submitDeleteConnection = ssoForm(
  `${ONE}/delete`,
  { operation: `DELETE ${AT}/:connectionId` },
  async (visit) => {
    const failure = await refusalOfChange(visit, (tx, caller) =>
      removeConnection(tx, caller, connectionKey(visit)),
    )
    if (failure) return refused(visit, failure)
    return visit.reply.redirect(`${pathOf(visit, SSO_PATH)}?done=disconnectedDone`, 303)
  },
)
