/** The SQL of the list of memberships. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { type Listed, listPage, rowsContaining, termOf } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { memberships } from '../../database/schema.ts'
import type { Reach } from '../../http/authority.ts'
import { isPresent } from '../systems/present.ts'
import { namedInSystem } from '../users/profile.ts'
import { inReach, type Membership, selectMemberships } from './queries.ts'
import type { MembershipStatus } from './states.ts'

type MembershipFilter = {
  status?: MembershipStatus | undefined
  systemId?: string
  accountId?: string
  userId?: string
  roleId?: string | undefined
  profileId?: string | undefined
  search?: string | undefined
  query?: string | undefined
  /** The order; by `createdAt` if it is absent. */
  sort?: 'createdAt' | 'updatedAt' | undefined
}

const having = (table: 'role' | 'profile', id: string | undefined): SQL | undefined =>
  id === undefined
    ? undefined
    : sql`exists (select from ${sql.raw(`membership_${table}s`)} h where h.membership_id = memberships.id
        and h.${sql.raw(`${table}_id`)} = ${id})`

/** A page of the memberships in reach that match, newest first, and their number. */
export async function listMemberships(
  db: Db,
  reach: Reach,
  filter: PageRequest & MembershipFilter,
): Promise<Listed<Membership>> {
  const { status, systemId, accountId, userId, roleId, profileId, search, query, sort, ...page } = filter
  const { id, createdAt, updatedAt, email } = memberships
  const scope = and(
    inReach(reach),
    systemId === undefined ? undefined : and(eq(memberships.systemId, systemId), isPresent(systemId)),
    accountId === undefined ? undefined : eq(memberships.accountId, accountId),
    userId === undefined ? undefined : eq(memberships.userId, userId),
  )
  const also = and(
    status === undefined ? undefined : eq(memberships.status, status),
    having('role', roleId),
    having('profile', profileId),
  )
  const isByChange = sort === 'updatedAt'
  const time = isByChange ? updatedAt : createdAt
  const terms = [termOf(search, email), namedInSystem(query, memberships)]
  const isIndexed = roleId !== undefined || profileId !== undefined
  const found = rowsContaining(terms, { from: memberships, scope, id, time, also, isIndexed })
  // Only the index in the order of creation has the other columns.
  const matching = isByChange ? { all: found.all } : found
  return listPage(db, page, matching, (ids) => selectMemberships(db).where(inArray(memberships.id, ids)))
}
