/** SQL statements that read the audit log; record.ts writes it. */

import type { Db } from '../../database/database.ts'
import { readDistributed } from '../../database/distributed.ts'
import { and, eq, getTableColumns, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import { containing, type PageRequest } from '../../database/pages.ts'
import {
  audit,
  isByProvider,
  isOtherRefusal,
  memberships,
  reasonOf,
  systems,
  systemUsers,
  users,
} from '../../database/schema.ts'
import { ofScope, type Reach, within } from '../../http/authority.ts'

const { actorAuthority, stamp: _, ...columns } = getTableColumns(audit)
export type Entry = Omit<typeof audit.$inferSelect, 'actorAuthority' | 'stamp'>

/** The columns with an exact filter. */
const EXACT = {
  action: audit.action,
  outcome: audit.outcome,
  actorType: audit.actorType,
  actorId: audit.actorId,
  ip: audit.actorIp,
  targetType: audit.targetType,
  targetId: audit.targetId,
  systemId: audit.systemId,
  accountId: audit.accountId,
  requestId: audit.requestId,
}

/** `from` is inclusive, `to` exclusive. `actor`: a part of the email address, or a client id. */
export type EntryFilter = { [column in keyof typeof EXACT]?: string } & {
  from?: Date
  to?: Date
  actor?: string
  reason?: string
}

/** The failures of a reason. `provider`, `other`: the refused sign-ins that the statistics count as these. */
function hasReason(reason: string): SQL {
  if (reason === 'provider') return sql`(${isOtherRefusal} and ${isByProvider})`
  if (reason === 'other') return sql`(${isOtherRefusal} and not ${isByProvider})`
  // The outcome is text of the statement: the planner must see that the partial index fits.
  return sql`(${audit.outcome} = 'failure' and ${reasonOf(audit.changes)} = ${reason})`
}

/** Actors that a text finds: no more of them are searched. */
const ACTORS_MAX = 50

/** The users in reach whose address contains the text, and the clients whose id starts with it. */
async function actorsOf(db: Db, { systemId, accountId }: Reach, text: string): Promise<string[]> {
  const part = containing(text)
  const ofUsers =
    accountId !== undefined
      ? sql`select ${memberships.userId}::text from ${memberships} where ${memberships.accountId} = ${accountId}
          and lower(${memberships.email}) like lower(${part})`
      : systemId !== undefined
        ? sql`select ${systemUsers.userId}::text from ${systemUsers} where ${systemUsers.systemId} = ${systemId}
            and lower(${systemUsers.email}) like lower(${part})`
        : sql`select ${users.id}::text from ${users} where lower(${users.email}) like lower(${part})`
  const ofSystems = sql`select ${systems.clientId} from ${systems} where starts_with(${systems.clientId}, ${text})
    and ${within(ofScope(systemId ?? null), { system: systems.id, account: 'none' }) ?? sql`true`}`
  const found = await db.execute(
    sql`(${ofUsers} limit ${ACTORS_MAX}) union all (${ofSystems} limit ${ACTORS_MAX})`,
  )
  return (found as unknown as { rows: Record<string, string>[] }).rows.map((row) => Object.values(row)[0]!)
}

/**
 * Whether a caller may see who acted: not an actor with an authority above its own, a client of another
 * system, or a user who is not one of the system's or a member of the account.
 */
export function isActorShown({ systemId, accountId }: Reach): SQL<boolean> {
  if (systemId === undefined) return sql`true`
  const isOwnUser =
    accountId === undefined
      ? sql`select from ${systemUsers} where ${systemUsers.systemId} = ${systemId} and ${systemUsers.userId} = ${audit.actorId}::uuid`
      : sql`select from ${memberships} where ${memberships.accountId} = ${accountId} and ${memberships.userId} = ${audit.actorId}::uuid`
  const isOwnAuthority =
    accountId === undefined ? sql`${actorAuthority} <> 'platform'` : sql`${actorAuthority} = 'account'`
  return sql<boolean>`case ${audit.actorType}
    when 'service' then ${audit.actorId} = (select ${systems.clientId} from ${systems} where ${systems.id} = ${systemId})
    when 'user' then case when ${actorAuthority} is null then exists (${isOwnUser}) else ${isOwnAuthority} end
    else true end`
}

/** An entry without who acted, except for the kind. */
const shown = ({ isShown, ...entry }: Entry & { isShown: boolean }): Entry =>
  isShown ? entry : { ...entry, actorId: null, actorIp: null, actorUserAgent: null, actorVia: null }

/** The filters that an entry matches only if the caller may see who acted. */
const OF_ACTOR = ['actorId', 'ip'] as const

/** Matching entries in reach: `filters`, and whether only those are meant of which the actor is shown. */
type Condition = { filters: SQL | undefined; isOfActor: boolean }

async function conditionOf(
  db: Db,
  reach: Reach,
  { from, to, actor, reason, ...exact }: EntryFilter,
): Promise<Condition> {
  const asked = (Object.keys(EXACT) as (keyof typeof EXACT)[]).filter((column) => exact[column] !== undefined)
  const actors = actor === undefined ? undefined : await actorsOf(db, reach, actor)
  const filters = and(
    within(reach, { system: audit.systemId, account: audit.accountId }),
    ...asked.map((column) => eq(EXACT[column], exact[column]!)),
    actors && sql`${audit.actorId} = any(${sql.param(actors)}::text[])`,
    reason === undefined ? undefined : hasReason(reason),
    from && sql`${audit.time} >= ${from.toISOString()}`,
    to && sql`${audit.time} < ${to.toISOString()}`,
  )
  const isOfActor = actors !== undefined || OF_ACTOR.some((name) => exact[name] !== undefined)
  return { filters, isOfActor: isOfActor && reach.systemId !== undefined }
}

const NEWEST_FIRST = sql`${audit.time} desc, ${audit.id} desc`

/**
 * Some of the entries, newest first, as the table `audit`. PostgreSQL evaluates the subquery first: in a
 * distributed log a condition that reads other tables, as `isActorShown`, must be outside of it.
 */
export const newestEntries = (db: Db, filters: SQL | undefined, limit: number) =>
  db.select().from(audit).where(filters).orderBy(NEWEST_FIRST).limit(limit).as('audit')

/** In a distributed log, a filter by actor searches so many of the newest entries that match the others. */
const SEARCHED_MAX = 100_000

/** A page of the matching entries in reach, newest first, and their number. */
export async function listEntries(
  db: Db,
  reach: Reach,
  { page, pageSize, order, after, ...filter }: PageRequest & EntryFilter,
): Promise<Listed<Entry>> {
  const { filters, isOfActor } = await conditionOf(db, reach, filter)
  const isSearched = isOfActor && (await readDistributed(db)).has('audit')
  const rows = isSearched ? newestEntries(db, filters, SEARCHED_MAX) : audit
  const condition = and(isSearched ? undefined : filters, isOfActor ? isActorShown(reach) : undefined)
  const matching = { all: sql`select id, time from ${rows} where ${condition ?? sql`true`}` }
  const listed = await listPage(db, { page, pageSize, order, after }, matching, (ids) =>
    db
      .select({ ...columns, isShown: isActorShown(reach) })
      .from(newestEntries(db, inArray(audit.id, ids), ids.length)),
  )
  return { ...listed, rows: listed.rows.map(shown) }
}

/** The matching entries in reach, newest first, in batches; at most `max`. */
export async function* readEntries(
  db: Db,
  reach: Reach,
  filter: EntryFilter,
  { max, batch }: { max: number; batch: number },
): AsyncGenerator<Entry[]> {
  const { filters, isOfActor } = await conditionOf(db, reach, filter)
  const isSearched = isOfActor && (await readDistributed(db)).has('audit')
  let after: SQL | undefined
  for (let left = max; left > 0; ) {
    const limit = Math.min(left, batch)
    const found = and(filters, after)
    const isJoined = isOfActor && !isSearched
    const condition = and(isJoined ? found : undefined, isOfActor ? isActorShown(reach) : undefined)
    // The text of the time has the microseconds that a Date does not have.
    const rows = await db
      .select({ ...columns, isShown: isActorShown(reach), at: sql<string>`${audit.time}::text` })
      .from(isJoined ? audit : newestEntries(db, found, isOfActor ? SEARCHED_MAX : limit))
      .where(condition)
      .orderBy(NEWEST_FIRST)
      .limit(limit)
    if (rows.length > 0) yield rows.map(({ at: _, ...entry }) => shown(entry))
    if (rows.length < limit) return
    const { at, id } = rows.at(-1)!
    after = sql`(${audit.time}, ${audit.id}) < (${at}::timestamptz, ${id}::uuid)`
    left -= rows.length
  }
}
