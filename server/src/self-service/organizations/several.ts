/**
 * Blocks, removes or gives roles to several members at once: a page that names them and asks, and its form.
 * Each member is changed in a transaction of its own, by the operation for one; a member for whom it is
 * refused does not prevent the others.
 */
import type { FastifyReply } from 'fastify'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import type { OperationName } from '../../http/power.ts'
import { assign, changeOf, setStatus } from '../../lifecycle/change-membership.ts'
import { removeMember } from '../../lifecycle/remove-membership.ts'
import { lockMembership } from '../../resources/memberships/queries.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import type { KeyOf } from '../../texts/message.ts'
import { type Catalog, textsOf } from '../../texts/texts.ts'
import { fillPlain } from '../../ui/html.ts'
import { severalPage } from '../../ui/pages/self-service/organizations/several.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { idsOf, optionsOf } from './options.ts'
import { PAGE_SIZE } from './paging.ts'
import { findMembers, listNames } from './queries.ts'
import {
  countChanges,
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  reachOfAdmin,
  refusalKey,
  refusalOfChange,
} from './visit.ts'

const PATH = '/members/several'
/** As many as a page of the list has. */
const MEMBERS_MAX = PAGE_SIZE

const ACTIONS = ['roles', 'block', 'remove'] as const
export type SeveralAction = (typeof ACTIONS)[number]

const OPERATIONS: Record<SeveralAction, OperationName> = {
  roles: 'PATCH /admin/memberships/:membershipId/roles',
  block: 'PATCH /admin/memberships/:membershipId',
  remove: 'DELETE /admin/memberships/:membershipId',
}

type Sent = Readonly<Record<string, unknown>>

const actionOf = (sent: Sent): SeveralAction => ACTIONS.find((each) => each === sent.do) ?? 'roles'
/** In lower case, as the database returns them; each once. */
const chosenIn = (sent: Sent): string[] => [...new Set(idsOf(sent.members).map((id) => id.toLowerCase()))]
const rolesIn = ({ add, remove }: Sent) => ({ add: idsOf(add), remove: idsOf(remove) })

const sentBy = ({ request }: OrganizationVisit): Sent =>
  ((request.method === 'GET' ? request.query : request.body) ?? {}) as Sent

type Reason = KeyOf<Catalog['organization']>

/** `reasons`: why a member was not changed, in the order of the members in the address. */
type Shown = { status?: number; reasons?: Reason[]; error?: 'severalFailed' | 'rolesMissing' }

const addressOf = (visit: OrganizationVisit, action: SeveralAction, members: string[]) => {
  const query = new URLSearchParams({ do: action })
  for (const id of members) query.append('members', id)
  return `${pathOf(visit, PATH)}?${query}`
}

export const showSeveral = organizationPage(PATH, 'admin', (visit) => {
  const sent = sentBy(visit)
  return show(visit, actionOf(sent), chosenIn(sent))
})

function show(visit: OrganizationVisit, action: SeveralAction, members: string[], shown: Shown = {}) {
  if (members.length === 0) return visit.reply.redirect(pathOf(visit, '/members'), 303)
  return showAt(visit, addressOf(visit, action, members), shown, (state) =>
    draw(visit, action, members, state),
  )
}

async function draw(
  visit: OrganizationVisit,
  action: SeveralAction,
  ids: string[],
  { status, reasons = [], error }: Shown,
): Promise<FastifyReply> {
  const { parts, organization, reader, csrf } = visit
  const { db } = parts
  const chosen = ids.slice(0, MEMBERS_MAX)
  const [found, roles] = await Promise.all([
    findMembers(db, reachOfAdmin(visit), chosen),
    action === 'roles' ? listRoles(db, organization.systemId) : [],
  ])
  const names = await listNames(
    db,
    organization.systemId,
    found.map(({ userId }) => userId),
  )
  const texts = textsOf(reader.locale, 'organization')
  const isTooMany = ids.length > MEMBERS_MAX
  const max = { max: String(MEMBERS_MAX) }
  const sentence = isTooMany ? fillPlain(texts.tooManySelected, max) : error && texts[error]
  const reasonOf = (id: string) => {
    const reason = reasons[ids.indexOf(id)]
    return reason && texts[reason]
  }
  const html = severalPage({
    ...reader,
    csrf,
    organization,
    action,
    members: found.map(({ id, userId, user }) => ({
      id,
      email: user.email,
      name: names.get(userId) ?? null,
      reason: reasonOf(id),
    })),
    gone: reasons.filter((reason) => reason === 'memberGone').length,
    roles: optionsOf(roles, []),
    errors: sentence === undefined ? undefined : { form: sentence },
  })
  return sendPage(visit, html, isTooMany ? 400 : status)
}

type Change = (tx: Db, caller: Caller, id: string) => Promise<unknown>

function changeBy({ parts }: OrganizationVisit, action: SeveralAction, sent: Sent): Change {
  const { add, remove } = rolesIn(sent)
  if (action === 'remove') return removeMember
  return async (tx, caller, id) => {
    const before = await lockMembership(tx, reachOf(caller), id)
    return action === 'block'
      ? setStatus(tx, parts, caller, before, 'blocked')
      : assign(tx, caller, before, 'roles', changeOf('roles', { whole: undefined, add, remove }))
  }
}

/** Why a member is not changed; undefined if it is. */
async function reasonFor(
  visit: OrganizationVisit,
  action: SeveralAction,
  change: Change,
  id: string,
): Promise<Reason | undefined> {
  if (id === visit.organization.membershipId && action !== 'roles') return 'isYourself'
  try {
    const refusal = await refusalOfChange(visit, (tx, caller) => change(tx, caller, id), id)
    return refusal && refusalKey(refusal)
  } catch (error) {
    if (failureOf(error)?.code === 'membership_not_found') return 'memberGone'
    throw error
  }
}

const bodyOf = (visit: OrganizationVisit) => {
  const sent = sentBy(visit)
  const action = actionOf(sent)
  return action === 'roles' ? rolesIn(sent) : action === 'block' ? { status: 'blocked' } : undefined
}

const CHANGE = {
  operation: (visit: OrganizationVisit) => OPERATIONS[actionOf(sentBy(visit))],
  params: (visit: OrganizationVisit) =>
    chosenIn(sentBy(visit))
      .slice(0, MEMBERS_MAX)
      .map((membershipId) => ({ membershipId })),
  body: bodyOf,
}

export const submitSeveral = organizationForm(PATH, 'admin', CHANGE, async (visit) => {
  const sent = sentBy(visit)
  const [action, ids] = [actionOf(sent), chosenIn(sent)]
  const { add, remove } = rolesIn(sent)
  if (ids.length === 0 || ids.length > MEMBERS_MAX) return show(visit, action, ids)
  if (action === 'roles' && add.length + remove.length === 0)
    return show(visit, action, ids, { status: 400, error: 'rolesMissing' })
  await countChanges(visit, ids.length)
  const change = changeBy(visit, action, sent)
  const refused: { id: string; reason: Reason }[] = []
  for (const id of ids) {
    const reason = await reasonFor(visit, action, change, id)
    if (reason) refused.push({ id, reason })
  }
  if (refused.length === 0) {
    // An admin who has given up the own role may not open the list any more.
    const isOwn = action === 'roles' && ids.includes(visit.organization.membershipId)
    const page = isOwn ? pathOf(visit) : pathOf(visit, '/members')
    return visit.reply.redirect(`${page}?done=${isOwn ? 'rolesDone' : 'severalDone'}`, 303)
  }
  const members = refused.map(({ id }) => id)
  const reasons = refused.map(({ reason }) => reason)
  return show(visit, action, members, { status: 409, reasons, error: 'severalFailed' })
})
