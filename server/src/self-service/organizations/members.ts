/** The members of an organization: active ones for every member, all of them for its admins. */
import { Failure } from '../../errors.ts'
import { listMemberships } from '../../resources/memberships/list.ts'
import type { MembershipStatus } from '../../resources/memberships/states.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import { membersPage, queryOf } from '../../ui/pages/self-service/organizations/members.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { optionsOf } from './options.ts'
import { PAGE_SIZE, pageNumberOf } from './paging.ts'
import { doneOf, type OrganizationVisit, organizationPage, pathOf, reachOfAdmin } from './visit.ts'

const SEARCH_MAX = 254
const STATUSES = ['active', 'pending', 'blocked'] as const satisfies MembershipStatus[]

type Filters = { page: number; search: string; status: (typeof STATUSES)[number] | undefined }

/** The filters in the address; invalid ones are ignored. */
function filtersOf(query: unknown): Filters {
  const { search, status } = query as Record<string, unknown>
  const typed = typeof search === 'string' ? search.trim().normalize('NFC') : ''
  return {
    page: pageNumberOf(query),
    search: typed.includes('\0') ? '' : typed.slice(0, SEARCH_MAX),
    status: STATUSES.find((each) => each === status),
  }
}

/** The list from which a form of one member was sent, by its field `list`. */
export const listOf = (list: string): Filters => filtersOf(Object.fromEntries(new URLSearchParams(list)))

export function pathOfList(visit: OrganizationVisit, filters: Filters, done?: string): string {
  const query = queryOf(filters)
  if (done !== undefined) query.set('done', done)
  return query.size > 0 ? `${pathOf(visit, '/members')}?${query}` : pathOf(visit, '/members')
}

type Shown = { status?: number; error?: string }

export const showMembers = organizationPage('/members', 'others', (visit) => {
  const { isAccountAdmin, membersVisible } = visit.organization
  if (!isAccountAdmin && !membersVisible) throw new Failure('insufficient_authority')
  return showList(visit, filtersOf(visit.request.query))
})

export const showList = (visit: OrganizationVisit, filters: Filters, shown: Shown = {}) =>
  showAt(visit, pathOfList(visit, filters), shown, (state) => draw(visit, filters, state))

async function draw(visit: OrganizationVisit, filters: Filters, { status, error }: Shown) {
  const { parts, organization, reader, csrf } = visit
  const { db } = parts
  const { isAccountAdmin, systemId } = organization
  const [{ rows, total }, roles] = await Promise.all([
    listMemberships(db, reachOfAdmin(visit), {
      accountId: organization.id,
      page: filters.page,
      pageSize: PAGE_SIZE,
      query: filters.search || undefined,
      status: isAccountAdmin ? filters.status : 'active',
    }),
    listRoles(db, systemId),
  ])
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]))
  const isReserved = new Set(
    roles.filter(({ assignableByAccountAdmins }) => !assignableByAccountAdmins).map(({ id }) => id),
  )
  const isInMenu = isAccountAdmin && roles.length <= ROLES_IN_MENU
  const html = membersPage({
    ...reader,
    csrf,
    organization,
    filters,
    hasNext: filters.page * PAGE_SIZE < total,
    members: rows.map(({ id, user, status, blockedBy, roles: held }) => ({
      id,
      email: user.email,
      name: user.name,
      status,
      isSelf: id === organization.membershipId,
      isFixed: held.some((role) => isReserved.has(role)),
      isBlockedAbove: blockedBy !== null && blockedBy !== 'account',
      roles: held.flatMap((role) => roleNames.get(role) ?? []).sort(),
      options: isInMenu ? optionsOf(roles, held) : undefined,
    })),
    notice: doneOf(visit, DONE),
    errors: error === undefined ? undefined : { form: error },
  })
  return sendPage(visit, html, status)
}

const DONE = ['removedDone', 'rolesDone', 'severalDone', 'approvedDone', 'unblockedDone'] as const
/** A list of 50 members has their roles 50 times. With more roles the page of the member has them. */
const ROLES_IN_MENU = 20
