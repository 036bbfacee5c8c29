/**
 * Links that are imported, so that members of another service find their accounts at the first sign-in. Only
 * members with an address in a verified domain of the organization are linked: an imported link opens the
 * membership to whoever the provider calls by that subject.
 */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { record } from '../../journal/audit/record.ts'
import { verifiedBy } from '../domains/match.ts'
import { demandRank, demandSetUp } from '../domains/rights.ts'
import { findLinksAmong, insertLinks, type NewConnectionLink } from './links.ts'
import { type ConnectionKey, type LockedConnection, lockConnection } from './queries.ts'

/** The links of one request. */
export const LINKS_MAX = 1_000

export type WantedLink = { subject: string; userId: string }

/** Why a link was not imported; null: the member is linked to the subject. */
export const LINK_REFUSALS = ['membership_not_found', 'address_foreign', 'link_taken', 'link_exists'] as const
export type ImportedLink = WantedLink & { code: (typeof LINK_REFUSALS)[number] | null }

type LockedMember = { userId: string; email: string }

/** The members among the users, row-locked (FOR KEY SHARE) in the order of their ids. */
async function lockMembers(tx: Db, accountId: string, userIds: string[]): Promise<Map<string, LockedMember>> {
  const { rows } = (await tx.execute(sql`
    select m.user_id as "userId", m.email from memberships m
    where m.account_id = ${accountId} and m.user_id = any(${sql.param(userIds)}::uuid[])
    order by m.id for key share`)) as { rows: unknown[] }
  return new Map((rows as LockedMember[]).map((member) => [member.userId, member]))
}

/**
 * Links members to subjects, in one transaction. One that is refused does not prevent the others. Throws
 * `connection_not_found`, `insufficient_authority` or `sso_not_enabled`.
 */
export async function importLinks(
  tx: Db,
  caller: Caller,
  key: ConnectionKey,
  given: WantedLink[],
): Promise<ImportedLink[]> {
  const connection = await lockConnection(tx, reachOf(caller), key)
  demandRank(caller, connection)
  demandSetUp(caller, connection)
  const wanted = given.map(({ subject, userId }) => ({ subject, userId: userId.toLowerCase() }))
  const userIds = wanted.map(({ userId }) => userId)
  const members = await lockMembers(tx, connection.accountId, userIds)
  const isOwn = await verifiedBy(tx, connection)
  const subjects = wanted.map(({ subject }) => subject)
  const links = await findLinksAmong(tx, connection.id, { subjects, userIds })
  const userOf = new Map(links.map(({ subject, userId }) => [subject, userId]))
  const linked = new Set(links.map(({ userId }) => userId))
  const added: NewConnectionLink[] = []
  const results = wanted.map(({ subject, userId }): ImportedLink => {
    const member = members.get(userId)
    if (!member) return { subject, userId, code: 'membership_not_found' }
    const isThere = userOf.get(subject) === userId
    if (isThere) return { subject, userId, code: null }
    if (!isOwn(member.email)) return { subject, userId, code: 'address_foreign' }
    if (userOf.has(subject)) return { subject, userId, code: 'link_taken' }
    if (linked.has(userId)) return { subject, userId, code: 'link_exists' }
    userOf.set(subject, userId)
    linked.add(userId)
    const { id: connectionId, accountId } = connection
    added.push({ accountId, connectionId, userId, subject, email: member.email, groups: [] })
    return { subject, userId, code: null }
  })
  await insertLinks(tx, added)
  await recordImported(tx, caller, connection, added)
  return results
}

const recordImported = (
  tx: Db,
  { actor }: Caller,
  { id, systemId, accountId }: LockedConnection,
  added: NewConnectionLink[],
): Promise<void> =>
  record(
    tx,
    actor,
    ...added.map(({ userId, subject }) => ({
      action: 'connection.linked',
      target: { type: 'connection', id },
      ...{ systemId, accountId },
      changes: { userId: [null, userId], subject: [null, subject] } as Record<string, [unknown, unknown]>,
    })),
  )
