/** Links between the members of an organization and their subjects at its connections. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, inArray, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { connectionLinks, connections, memberships } from '../../database/schema.ts'
import { nameReadIn } from '../users/profile.ts'

type Row = typeof connectionLinks.$inferSelect
export type NewConnectionLink = Pick<
  Row,
  'accountId' | 'connectionId' | 'userId' | 'subject' | 'email' | 'groups'
>

/** A link as administrators read it, with what the system reads of the member. */
export type ListedLink = Pick<Row, 'id' | 'userId' | 'subject' | 'email' | 'createdAt' | 'lastUsedAt'> & {
  membershipId: string
  user: { id: string; email: string; name: string | null }
}

/** A page of the links of a connection, newest first. */
export function listLinks(db: Db, connectionId: string, page: PageRequest): Promise<Listed<ListedLink>> {
  const all = sql`select id, created_at as time from ${connectionLinks} where connection_id = ${connectionId}`
  const { id, userId, subject, email, createdAt, lastUsedAt } = connectionLinks
  return listPage(db, page, { all }, (ids) =>
    db
      .select({
        ...{ id, userId, subject, email, createdAt, lastUsedAt },
        membershipId: memberships.id,
        user: {
          id: userId,
          email: memberships.email,
          name: nameReadIn(memberships.systemId, memberships.userId),
        },
      })
      .from(connectionLinks)
      .innerJoin(memberships, ofMembership)
      .where(inArray(connectionLinks.id, ids)),
  )
}

const ofMembership = and(
  eq(memberships.accountId, connectionLinks.accountId),
  eq(memberships.userId, connectionLinks.userId),
)

/**
 * Links a member, and returns the id. The membership is row-locked. Throws `link_taken`, `link_exists`,
 * `membership_not_found` or `connection_not_found`.
 */
export async function insertLink(tx: Db, link: NewConnectionLink): Promise<string> {
  const [linked] = await tx.insert(connectionLinks).values(link).returning({ id: connectionLinks.id })
  return linked!.id
}

/** The connection is row-locked, so that no other link is inserted meanwhile. */
export async function insertLinks(tx: Db, links: NewConnectionLink[]): Promise<void> {
  if (links.length > 0) await tx.insert(connectionLinks).values(links)
}

/** The links of a connection that have one of these subjects or users. */
export const findLinksAmong = (
  tx: Db,
  connectionId: string,
  { subjects, userIds }: { subjects: string[]; userIds: string[] },
): Promise<Pick<Row, 'subject' | 'userId'>[]> =>
  tx
    .select({ subject: connectionLinks.subject, userId: connectionLinks.userId })
    .from(connectionLinks)
    .where(
      and(
        eq(connectionLinks.connectionId, connectionId),
        sql`(${connectionLinks.subject} = any(${sql.param(subjects)}::text[])
          or ${connectionLinks.userId} = any(${sql.param(userIds)}::uuid[]))`,
      ),
    )

type Member = Pick<Row, 'accountId' | 'userId'>
const ofMember = ({ accountId, userId }: Member) =>
  and(eq(connectionLinks.accountId, accountId), eq(connectionLinks.userId, userId))

type LinkOfMember = Pick<Row, 'connectionId' | 'subject'> & Pick<typeof connections.$inferSelect, 'setBy'>

/** The links of a member: at most one for each connection of the account. */
export const listLinksOf = (tx: Db, member: Member): Promise<LinkOfMember[]> =>
  tx
    .select({
      ...{ connectionId: connectionLinks.connectionId, subject: connectionLinks.subject },
      setBy: connections.setBy,
    })
    .from(connectionLinks)
    .innerJoin(connections, eq(connections.id, connectionLinks.connectionId))
    .where(ofMember(member))
    .orderBy(asc(connectionLinks.connectionId))

/** Deletes links of a member who is row-locked. */
export async function deleteLinksOf(tx: Db, member: Member, connectionIds: string[]): Promise<void> {
  await tx
    .delete(connectionLinks)
    .where(and(ofMember(member), inArray(connectionLinks.connectionId, connectionIds)))
}

/** Deletes the links of a row-locked connection, in the order of their ids. Returns their number. */
export async function deleteLinks(tx: Db, connectionId: string): Promise<number> {
  const { rows } = (await tx.execute(sql`
    with locked as (
      select id from ${connectionLinks} where connection_id = ${connectionId} order by id for update
    ), gone as (delete from ${connectionLinks} where id in (select id from locked) returning 1)
    select count(*)::int as count from gone`)) as { rows: unknown[] }
  return (rows as { count: number }[])[0]!.count
}
