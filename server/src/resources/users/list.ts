/** The SQL of the list of users. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, type SQL, sql, type Table } from '../../database/drizzle.ts'
import {
  beyond,
  type Listed,
  listPage,
  type Matching,
  NONE_LISTED,
  rowsContaining,
  type Term,
  termOf,
  timestampOf,
  walkOf,
  withRows,
} from '../../database/lists.ts'
import { type PageRequest, slice } from '../../database/pages.ts'
import { systemUsers, users } from '../../database/schema.ts'
import { addressKey } from '../../email-address.ts'
import type { Reach } from '../../http/authority.ts'
import { ofPlatform, ofPlatformIn, systemFilter, type UserFilters } from './filters.ts'
import { namedByPlatform, namedInSystem } from './profile.ts'
import { columns, columnsIn, hasEmail, readBySystem, row, rowOf, type User } from './queries.ts'

/** `inReach`: the user is a user of the system that asks. */
export type ListedUser = User & { inReach: boolean }

/** `systemId`: users of this system only. */
type UserFilter = UserFilters & {
  email?: string | undefined
  search?: string | undefined
  query?: string | undefined
  systemId?: string | undefined
}

/**
 * A page of the users, and their number: all, or those of a system, newest first. To a system that does not
 * filter by anything else, a complete address in `email` or `search` also finds a user of other systems; only
 * the id and the address of such a user are returned to the caller.
 */
export async function listUsers(
  db: Db,
  { systemId: reader }: Reach,
  { page, pageSize, order, after, search: typed, ...asked }: PageRequest & UserFilter,
): Promise<Listed<ListedUser>> {
  if (reader !== undefined && asked.systemId !== undefined && asked.systemId !== reader) return NONE_LISTED
  const filter = { ...asked, search: typed === undefined ? undefined : addressKey(typed) }
  const asPage = { page, pageSize, order, after }
  const matching =
    reader !== undefined
      ? matchingOf(reader, filter)
      : filter.sort === 'lastLoginAt'
        ? await latestSignIns(db, asPage, filter)
        : matchingAll(filter)
  return listPage(db, asPage, matching, (ids) => selectListed(db, reader, ids))
}

/** The users as the platform reads them. */
function matchingAll({ email, search, query, systemId, ...filters }: UserFilter): Matching {
  if (systemId === undefined)
    return allUsers({ email, search, named: namedByPlatform(query), also: ofPlatform(filters) })
  const named = namedByPlatform(query, systemUsers.userId)
  // Neither time is in a row of the system: the first rows tell nothing of the others.
  const isIndexed = filters.createdAfter !== undefined || filters.lastLoginAfter !== undefined
  return usersOf(systemId, { email, search, named, also: ofPlatformIn(filters), isIndexed })
}

/** The users of a system as it reads them. */
function matchingOf(reader: string, { email, search, query, systemId, ...filters }: UserFilter): Matching {
  const also = systemFilter(reader, filters)
  const named = namedInSystem(query, systemUsers)
  if (systemId !== undefined || also !== undefined || named !== undefined)
    return usersOf(reader, { email, search, named, also })
  return withFound(reader, email ?? search, usersOf(reader, { email, search }))
}

const address = (email: string | undefined) => (email === undefined ? undefined : hasEmail(email))

/** The part of the pages of `users` that is read for an estimate, in percent. */
const SAMPLE = 1

/**
 * In the order of their latest sign-ins. An index in that order would be written at
 * every sign-in, with all others of the row. The index `users_signed_in` is not: it finds the pages of the
 * table with sign-ins since a time, up to that of the page before. A sample estimates the time since which
 * about twice as many users as needed have signed in.
 */
async function latestSignIns(
  db: Db,
  page: PageRequest,
  { email, search, query, systemId, ...filters }: UserFilter,
): Promise<Matching> {
  const ofOne =
    systemId === undefined
      ? undefined
      : sql`exists (select from ${systemUsers} su where su.user_id = users.id and su.system_id = ${systemId})`
  const scope = and(ofPlatform(filters), ofOne, address(email))
  const { id } = users
  const terms = [termOf(search, users.email), namedByPlatform(query)]
  const time = sql`coalesce(${users.lastLoginAt}, to_timestamp(0))`
  const matching = (from: Table | SQL, since?: SQL) =>
    rowsContaining(terms, { from, scope: and(scope, since), id, time })
  const { limit, offset } = slice(page)
  const sampled = matching(sql`users tablesample system (${sql.raw(`${SAMPLE}`)})`).near!.walk
  const { rows } = (await db.execute(sql`select time::text as since from (${beyond(sampled, walkOf(page))}) m
    order by time desc offset ${Math.ceil((2 * (offset + limit) * SAMPLE) / 100) + 10} limit 1`)) as {
    rows: { since: string }[]
  }
  const since = rows[0]?.since
  const until = page.after && sql`users.last_login_at <= ${timestampOf(page.after)}::timestamptz`
  return {
    all: matching(users).all,
    first:
      since === undefined ? undefined : matching(users, and(sql`users.last_login_at >= ${since}`, until)).all,
  }
}

/** A user of other systems has no values but the id and the address. */
async function selectListed(db: Db, systemId: string | undefined, ids: string[]): Promise<ListedUser[]> {
  const listed = inArray(users.id, ids)
  if (systemId === undefined) {
    const found = await db.select(columns).from(users).where(listed)
    return found.map((user) => ({ ...user, inReach: true }))
  }
  const found = await db
    .select({ ...columnsIn(systemId), inReach: sql<boolean>`${row.userId} is not null` })
    .from(users)
    .leftJoin(row, rowOf(systemId))
    .where(listed)
  return found.map((user) => readBySystem(user as typeof user & ListedUser))
}

type Part = Pick<UserFilter, 'email' | 'search'> & {
  named?: Term
  also?: SQL | undefined
  isIndexed?: boolean
}

function allUsers({ email, search, named, also }: Part): Matching {
  const { id, createdAt: time } = users
  const terms = [termOf(search, users.email), named]
  return rowsContaining(terms, { from: users, scope: address(email), id, time, also })
}

function usersOf(systemId: string, { email, search, named, ...filters }: Part): Matching {
  const { userId: id, createdAt: time, email: text } = systemUsers
  const isOf = eq(systemUsers.systemId, systemId)
  const scope = email === undefined ? isOf : and(isOf, eq(text, email))
  return rowsContaining([termOf(search, text), named], { from: systemUsers, scope, id, time, ...filters })
}

/** The users of a system and, if the text is a complete address, the user who has it. */
function withFound(systemId: string, search: string | undefined, matching: Matching): Matching {
  if (search === undefined || !/.@./.test(search)) return matching
  const isOf = sql`${systemUsers.userId} = ${users.id} and ${eq(systemUsers.systemId, systemId)}`
  return withRows(
    matching,
    sql`select id, created_at from ${users} where ${hasEmail(search)}
    and not exists (select from ${systemUsers} where ${isOf})`,
  )
}
