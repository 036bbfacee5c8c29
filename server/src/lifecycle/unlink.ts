/**
 * The end of links between members and their subjects at a connection, with the sessions that rest on them.
 * The sessions end before the links are deleted: whoever removes a member does both in this order too.
 */
import type { Db } from '../database/database.ts'
import { authorityOf, type Caller, ranksAbove, reachOf } from '../http/authority.ts'
import { recordConnection } from '../resources/connections/event.ts'
import { deleteLinks, deleteLinksOf, listLinksOf } from '../resources/connections/links.ts'
import {
  type ConnectionKey,
  lockConnection,
  refuseLinksUntilNow,
  refuseLoginsUntilNow,
} from '../resources/connections/queries.ts'
import { demandRank } from '../resources/domains/rights.ts'
import { lockMembership } from '../resources/memberships/queries.ts'
import { endSessionsOf } from './change-connection.ts'
import { demandChangeable } from './change-membership.ts'
import { endSessions } from './end-sessions.ts'

/**
 * Ends all links of a connection, which accepts no answer from before any more. Throws `connection_not_found`
 * or `insufficient_authority`.
 */
export async function unlinkAll(tx: Db, caller: Caller, key: ConnectionKey): Promise<void> {
  const connection = await lockConnection(tx, reachOf(caller), key)
  demandRank(caller, connection)
  await refuseLoginsUntilNow(tx, connection.id)
  await endSessionsOf(tx, caller, connection, 'connection_unlinked')
  const count = await deleteLinks(tx, connection.id)
  if (count === 0) return
  await recordConnection(tx, caller.actor, 'connection.unlinked', connection, { links: [count, 0] })
}

/**
 * Ends the links of a member, except those at connections of a higher authority; without one nothing happens.
 * Throws `membership_not_found`, or `insufficient_authority` if an account admin does not change the
 * membership, or a higher authority has set up all of the connections.
 */
export async function unlinkMember(
  tx: Db,
  caller: Caller,
  { accountId, membershipId }: { accountId: string; membershipId: string },
): Promise<void> {
  const reach = reachOf(caller)
  await refuseLinksUntilNow(tx, { membershipId, reach, admins: false })
  const member = await lockMembership(tx, reach, membershipId, false, accountId)
  demandChangeable(caller, member)
  const { systemId, userId } = member
  const all = await listLinksOf(tx, member)
  const above = ranksAbove(authorityOf(caller))
  const links = all.filter(({ setBy }) => !above.includes(setBy))
  const [kept] = all
  if (kept && links.length === 0) demandRank(caller, kept)
  for (const { connectionId } of links)
    await endSessions(tx, caller.actor, { systemId, membershipId, connectionId }, 'connection_unlinked')
  const ids = links.map(({ connectionId }) => connectionId)
  await deleteLinksOf(tx, member, ids)
  for (const { connectionId: id, subject } of links) {
    const changes: Record<string, [unknown, unknown]> = { userId: [userId, null], subject: [subject, null] }
    const connection = { id, systemId, accountId: member.accountId }
    await recordConnection(tx, caller.actor, 'connection.unlinked', connection, changes)
  }
}
