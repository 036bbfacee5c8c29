/** The members of an organization: active ones for every member, all of them for its admins. */
import { Failure } from '../../errors.ts'
import { listMemberships } from '../../resources/memberships/list.ts'
import type { MembershipStatus } from '../../resources/memberships/states.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import { membersPage } from '../../ui/pages/self-service/organizations/members.ts'
import { sendPage } from '../signed-in.ts'
import { PAGE_SIZE, pageNumberOf } from './paging.ts'
import { listNames } from './queries.ts'
import { doneOf, organizationPage, reachOfAdmin } from './visit.ts'

const SEARCH_MAX = 254
const STATUSES = ['active', 'pending', 'blocked'] as const satisfies MembershipStatus[]

/** The filters in the address; invalid ones are ignored. */
function filtersOf(query: unknown) {
  const { search, status } = query as Record<string, unknown>
  const typed = typeof search === 'string' ? search.trim().normalize('NFC') : ''
  return {
    page: pageNumberOf(query),
    search: typed.includes('\0') ? '' : typed.slice(0, SEARCH_MAX),
    status: STATUSES.find((each) => each === status),
  }
}

export const showMembers = organizationPage('/members', 'others', async (visit) => {
  const { parts, organization, request, locale } = visit
  const { db } = parts
  const { isAccountAdmin, membersVisible, systemId } = organization
  if (!isAccountAdmin && !membersVisible) throw new Failure('insufficient_authority')
  const filters = filtersOf(request.query)
  const [{ rows, total }, roles] = await Promise.all([
    listMemberships(db, reachOfAdmin(visit), {
      accountId: organization.id,
      page: filters.page,
      pageSize: PAGE_SIZE,
      search: filters.search || undefined,
      status: isAccountAdmin ? filters.status : 'active',
    }),
    listRoles(db, systemId),
  ])
  const names = await listNames(
    db,
    systemId,
    rows.map(({ userId }) => userId),
  )
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]))
  const html = membersPage({
    locale,
    organization,
    filters,
    hasNext: filters.page * PAGE_SIZE < total,
    members: rows.map(({ id, userId, user, status, roles }) => ({
      id,
      email: user.email,
      name: names.get(userId) ?? null,
      status,
      roles: roles.flatMap((role) => roleNames.get(role) ?? []).sort(),
    })),
    notice: doneOf(visit, ['removedDone']),
  })
  return sendPage(visit, html)
})
