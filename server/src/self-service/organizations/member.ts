/** One member of an organization, for its admins: status, roles and profiles, removal, handing over. */
import type { FastifyReply } from 'fastify'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { isUuid } from '../../http/uuid.ts'
import { assign, changeOf, setStatus } from '../../lifecycle/change-membership.ts'
import { removeMember } from '../../lifecycle/remove-membership.ts'
import { findRestricted, type LockedMembership, lockMembership } from '../../resources/memberships/queries.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import { type MemberPage, memberPage } from '../../ui/pages/self-service/organizations/member.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { listOf, pathOfList, showList } from './members.ts'
import { idsOf, optionsOf } from './options.ts'
import { listNames, listProfileNames } from './queries.ts'
import {
  doneOf,
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  reachOfAdmin,
  refusalOfChange,
  sentenceOf,
} from './visit.ts'

const PATH = '/members/:memberId'

/** The id in the address. Throws `membership_not_found`. */
function memberIdOf({ request }: OrganizationVisit): string {
  const { memberId } = request.params as { memberId?: unknown }
  if (!isUuid(memberId)) throw new Failure('membership_not_found')
  return memberId
}

/** The own membership: its status is not changed here, and the user ends it by leaving. */
const isSelf = (visit: OrganizationVisit): boolean =>
  memberIdOf(visit).toLowerCase() === visit.organization.membershipId

const DONE = ['approvedDone', 'blockedDone', 'unblockedDone', 'rolesDone'] as const

export const showMember = organizationPage(PATH, 'admin', (visit) => show(visit))

type Shown = { status?: number; error?: string }

function show(visit: OrganizationVisit, refusal?: Failure) {
  const shown: Shown = refusal ? { status: refusal.status, error: sentenceOf(visit, refusal) } : {}
  const address = pathOf(visit, `/members/${memberIdOf(visit).toLowerCase()}`)
  return showAt(visit, address, shown, (state) => draw(visit, state))
}

async function draw(visit: OrganizationVisit, { status, error }: Shown): Promise<FastifyReply> {
  const { parts, organization, reader, csrf } = visit
  const { db } = parts
  const { systemId } = organization
  const member = await findRestricted(db, reachOfAdmin(visit), memberIdOf(visit))
  const [roles, profiles, names] = await Promise.all([
    listRoles(db, systemId),
    listProfileNames(db, systemId),
    listNames(db, systemId, [member.userId]),
  ])
  const html = memberPage({
    ...reader,
    csrf,
    organization,
    member: {
      ...shownStateOf(member),
      id: member.id,
      email: member.user.email,
      name: names.get(member.userId) ?? null,
      isSelf: isSelf(visit),
    },
    roles: optionsOf(roles, member.roles),
    profiles: optionsOf(profiles, member.profiles),
    notice: doneOf(visit, DONE),
    errors: error === undefined ? undefined : { form: error },
  })
  return sendPage(visit, html, status)
}

/** What the rules of lifecycle/change-membership.ts leave to an account admin. */
function shownStateOf(member: LockedMembership): Pick<MemberPage['member'], 'status' | 'restriction'> {
  const { status, blockedBy, hasReservedRole, awaitsActivation } = member
  if (hasReservedRole) return { status, restriction: 'reserved' }
  if (blockedBy !== null && blockedBy !== 'account') return { status, restriction: 'blockedAbove' }
  return { status, restriction: status !== 'active' && awaitsActivation ? 'awaitsApplication' : null }
}

type Change = (tx: Db, caller: Caller, before: LockedMembership) => Promise<unknown>

/**
 * Changes the row-locked member; then a redirect to the page from which the form was sent, the list or that
 * of the member, or this page with the refusal.
 */
async function change(
  visit: OrganizationVisit,
  done: (typeof DONE)[number],
  by: Change,
): Promise<FastifyReply> {
  const id = memberIdOf(visit)
  const refusal = await refusalOfChange(
    visit,
    async (tx, caller) => by(tx, caller, await lockMembership(tx, reachOf(caller), id)),
    id,
  )
  const { list } = (visit.request.body ?? {}) as { list?: unknown }
  const filters = typeof list === 'string' ? listOf(list) : undefined
  if (refusal && filters)
    return showList(visit, filters, { status: refusal.status, error: sentenceOf(visit, refusal) })
  if (refusal) return show(visit, refusal)
  // An admin who has given up the own role may not open the pages of members any more.
  if (isSelf(visit)) return visit.reply.redirect(`${pathOf(visit)}?done=${done}`, 303)
  const page = filters ? pathOfList(visit, filters, done) : `${pathOf(visit, `/members/${id}`)}?done=${done}`
  return visit.reply.redirect(page, 303)
}

const TARGETS = {
  approve: ['active', 'approvedDone'],
  unblock: ['active', 'unblockedDone'],
  block: ['blocked', 'blockedDone'],
} as const

/** The member as the parameter of an operation. */
const params = ({ request }: OrganizationVisit) => ({
  membershipId: (request.params as { memberId?: unknown }).memberId,
})
const CHANGE = { operation: 'PATCH /admin/memberships/:membershipId', params } as const
const CHANGE_ROLES = {
  operation: 'PATCH /admin/memberships/:membershipId/roles',
  params,
  body: ({ request }: OrganizationVisit) => {
    const { roles, rolesBefore } = (request.body ?? {}) as Record<string, unknown>
    return { add: idsOf(roles), remove: idsOf(rolesBefore) }
  },
} as const
const REMOVE = { operation: 'DELETE /admin/memberships/:membershipId', params } as const

export const submitStatus = organizationForm(`${PATH}/status`, 'admin', CHANGE, (visit) => {
  const { action } = (visit.request.body ?? {}) as { action?: unknown }
  const name = (Object.keys(TARGETS) as (keyof typeof TARGETS)[]).find((each) => each === action)
  if (!name || isSelf(visit)) return show(visit)
  const [status, done] = TARGETS[name]
  return change(visit, done, (tx, caller, before) => setStatus(tx, visit.parts, caller, before, status))
})

/** The difference to what the page has shown, so that a change by somebody else meanwhile is kept. */
function changeIn(body: unknown, field: 'roles' | 'profiles') {
  const { [field]: chosen, [`${field}Before`]: shown } = body as Record<string, unknown>
  const [now, before] = [idsOf(chosen), idsOf(shown)]
  return changeOf(field, {
    whole: undefined,
    add: now.filter((id) => !before.includes(id)),
    remove: before.filter((id) => !now.includes(id)),
  })
}

export const submitRoles = organizationForm(`${PATH}/roles`, 'admin', CHANGE_ROLES, (visit) => {
  const body = visit.request.body ?? {}
  return change(visit, 'rolesDone', async (tx, caller, before) => {
    await assign(tx, caller, before, 'roles', changeIn(body, 'roles'))
    await assign(tx, caller, before, 'profiles', changeIn(body, 'profiles'))
  })
})

export const submitRemove = organizationForm(`${PATH}/remove`, 'admin', REMOVE, async (visit) => {
  if (isSelf(visit)) return show(visit)
  const id = memberIdOf(visit)
  const refusal = await refusalOfChange(visit, (tx, caller) => removeMember(tx, caller, id), id)
  return refusal
    ? show(visit, refusal)
    : visit.reply.redirect(`${pathOf(visit, '/members')}?done=removedDone`, 303)
})

/** Gives the own admin roles to another member, and then gives them up, in one transaction. */
export const submitHandOver = organizationForm(`${PATH}/hand-over`, 'admin', 'recent', async (visit) => {
  const { parts, organization, reply } = visit
  const id = memberIdOf(visit)
  const roles = await listRoles(parts.db, organization.systemId)
  const admins = new Set(roles.filter(({ isAdmin }) => isAdmin).map((role) => role.id))
  const refusal = await refusalOfChange(
    visit,
    async (tx, caller) => {
      const own = await lockMembership(tx, reachOf(caller), organization.membershipId)
      const other = await lockMembership(tx, reachOf(caller), id)
      if (other.id === own.id || other.status !== 'active') throw new Failure('invalid_transition')
      const given = own.roles.filter((role) => admins.has(role))
      await assign(tx, caller, other, 'roles', (now) => [...new Set([...now, ...given])].sort())
      await assign(tx, caller, own, 'roles', (now) => now.filter((role) => !admins.has(role)))
    },
    id,
  )
  return refusal ? show(visit, refusal) : reply.redirect(`${pathOf(visit)}?done=handedOverDone`, 303)
})
