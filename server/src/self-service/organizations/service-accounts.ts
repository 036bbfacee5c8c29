/** The service accounts of an organization, for its admins: the list with all keys, and a new one. */
import type { FastifyReply } from 'fastify'
import { Failure } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { isUuid } from '../../http/uuid.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import {
  changeServiceAccount,
  createServiceAccount,
  removeServiceAccount,
  revokeKey,
} from '../../resources/service-accounts/changes.ts'
import {
  listServiceAccountKeys,
  listServiceAccounts,
  lockServiceAccount,
  type Place,
} from '../../resources/service-accounts/queries.ts'
import { type Catalog, textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import {
  newServiceAccountPage,
  serviceAccountsPage,
} from '../../ui/pages/self-service/organizations/service-accounts.ts'
import { type AccountRoute, type Requirement, sendPage, showAt } from '../signed-in.ts'
import { bodyOf, idsOf, optionsOf, typedName } from './options.ts'
import {
  type Handle,
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  refusalOfChange,
  sentenceOf,
} from './visit.ts'

export const PATH = '/service-accounts'

/**
 * There are no such pages if the system does not allow service accounts, unless some have remained, which the
 * admin can disable and delete.
 */
const ifAny =
  (handle: Handle): Handle =>
  (visit) => {
    if (!visit.organization.hasServiceAccounts) throw new Failure('not_found')
    return handle(visit)
  }

export const programPage = (path: string, handle: Handle, requirement?: Requirement): AccountRoute =>
  organizationPage(`${PATH}${path}`, 'admin', ifAny(handle), requirement)

export const programForm = (path: string, requirement: Requirement, handle: Handle): AccountRoute =>
  organizationForm(`${PATH}${path}`, 'admin', requirement, ifAny(handle))

/** The service account in the address. Throws `service_account_not_found`. */
export function serviceAccountPlace({ request, organization }: OrganizationVisit): Place {
  const { serviceAccountId: id } = request.params as { serviceAccountId?: unknown }
  if (!isUuid(id)) throw new Failure('service_account_not_found')
  return { accountId: organization.id, id: id.toLowerCase() }
}

type Done = Extract<keyof Catalog['serviceAccounts'], `${string}Done`>

/** The success message after the redirect of a form. */
export function serviceAccountNotice(
  { request, locale }: OrganizationVisit,
  ...keys: Done[]
): string | undefined {
  const done = keys.find((key) => key === (request.query as { done?: unknown }).done)
  return done && textsOf(locale, 'serviceAccounts')[done]
}

export const showServiceAccounts = programPage('', (visit) => showList(visit))

type ShownList = { status?: number; error?: string }

function showList(visit: OrganizationVisit, refusal?: Failure) {
  const shown: ShownList = refusal ? { status: refusal.status, error: sentenceOf(visit, refusal) } : {}
  return showAt(visit, pathOf(visit, PATH), shown, (state) => drawList(visit, state))
}

async function drawList(visit: OrganizationVisit, { status, error }: ShownList): Promise<FastifyReply> {
  const { parts, organization, reader, csrf } = visit
  const { id, systemId } = organization
  const [found, keys, roles] = await Promise.all([
    listServiceAccounts(parts.db, id),
    listServiceAccountKeys(parts.db, id),
    listRoles(parts.db, systemId),
  ])
  const roleNames = new Map(roles.map((role) => [role.id, role.name]))
  const html = serviceAccountsPage({
    ...reader,
    csrf,
    organization,
    serviceAccounts: found.map((each) => ({
      ...each,
      roles: each.roles.flatMap((role) => roleNames.get(role) ?? []).sort(),
      keys: keys.get(each.id) ?? [],
    })),
    notice: serviceAccountNotice(visit, 'deletedDone', 'revokedDone'),
    errors: error === undefined ? undefined : { form: error },
  })
  return sendPage(visit, html, status)
}

type Shown = { status?: number; typed?: string; chosen?: string[]; errors?: Faults }

/** The page asks for the recent sign-in before the admin fills in the form. */
export const showNewServiceAccount = programPage('/new', (visit) => showNew(visit), 'recent')

const showNew = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit, `${PATH}/new`), shown, (state) => drawNew(visit, state))

async function drawNew(visit: OrganizationVisit, shown: Shown): Promise<FastifyReply> {
  const { parts, organization, reader, csrf } = visit
  if (!organization.allowsServiceAccounts) throw new Failure('not_found')
  const { status, typed = '', chosen = [], errors } = shown
  const roles = optionsOf(await listRoles(parts.db, organization.systemId), [])
  const html = newServiceAccountPage({
    ...reader,
    csrf,
    organization,
    typed,
    roles: roles.map((role) => ({ ...role, isHeld: chosen.includes(role.id) })),
    errors,
  })
  return sendPage(visit, html, status)
}

export const submitNewServiceAccount = programForm('/new', 'recent', async (visit) => {
  const { organization, locale, reply } = visit
  const { typed, name } = typedName(visit)
  const chosen = idsOf(bodyOf(visit).roles)
  if (name === undefined) {
    const errors = { name: textsOf(locale, 'organization').nameWrong }
    return showNew(visit, { status: 400, typed, chosen, errors })
  }
  let id = ''
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    id = (await createServiceAccount(tx, caller, organization.id, { name, roles: chosen })).id
  })
  if (refusal)
    return showNew(visit, {
      status: refusal.status,
      typed,
      chosen,
      errors: { form: sentenceOf(visit, refusal) },
    })
  return reply.redirect(`${pathOf(visit, `${PATH}/${id}`)}?done=createdDone`, 303)
})

/** It ends access, so that it needs no recent sign-in, as in the admin API. */
export const submitRevokeKey = programForm('/:serviceAccountId/revoke', 'ordinary', async (visit) => {
  const place = serviceAccountPlace(visit)
  const { key } = bodyOf(visit)
  if (!isUuid(key)) throw new Failure('service_account_key_not_found')
  const refusal = await refusalOfChange(visit, (tx, caller) => revokeKey(tx, caller, place, key))
  return refusal ? showList(visit, refusal) : redirectToList(visit, 'revokedDone')
})

export const submitDeleteServiceAccount = programForm(
  '/:serviceAccountId/delete',
  'ordinary',
  async (visit) => {
    const place = serviceAccountPlace(visit)
    const refusal = await refusalOfChange(visit, (tx, caller) => removeServiceAccount(tx, caller, place))
    return refusal ? showList(visit, refusal) : redirectToList(visit, 'deletedDone')
  },
)

export const submitDisable = programForm('/:serviceAccountId/disable', 'ordinary', async (visit) => {
  const refusal = await setDisabled(visit, true)
  return refusal ? showList(visit, refusal) : redirectTo(visit, 'disabledDone')
})

/** The keys get tokens again. */
export const submitEnable = programForm('/:serviceAccountId/enable', 'recent', async (visit) => {
  const refusal = await setDisabled(visit, false)
  return refusal ? showList(visit, refusal) : redirectTo(visit, 'enabledDone')
})

function setDisabled(visit: OrganizationVisit, disabled: boolean): Promise<Failure | undefined> {
  const place = serviceAccountPlace(visit)
  return refusalOfChange(visit, async (tx, caller) =>
    changeServiceAccount(tx, caller, await lockServiceAccount(tx, reachOf(caller), place), { disabled }),
  )
}

const redirectToList = (visit: OrganizationVisit, done: Done) =>
  visit.reply.redirect(`${pathOf(visit, PATH)}?done=${done}`, 303)

export const redirectTo = (visit: OrganizationVisit, done: Done) =>
  visit.reply.redirect(`${pathOf(visit, `${PATH}/${serviceAccountPlace(visit).id}`)}?done=${done}`, 303)
