/** SQL statements that read the audit log; record.ts writes it. */

import type { Db } from '../../database/database.ts'
import { type Listed, listNewest } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { audit } from '../../database/schema.ts'
import { type Reach, within } from '../../http/authority.ts'
import { and, eq, inArray, sql } from '../../tuning/drizzle.ts'

export type Entry = typeof audit.$inferSelect

/** The columns with an exact filter. */
const EXACT = {
  action: audit.action,
  outcome: audit.outcome,
  actorType: audit.actorType,
  actorId: audit.actorId,
  targetType: audit.targetType,
  targetId: audit.targetId,
  systemId: audit.systemId,
  accountId: audit.accountId,
  requestId: audit.requestId,
}

/** `from` is inclusive, `to` exclusive. */
export type EntryFilter = { [column in keyof typeof EXACT]?: string } & { from?: Date; to?: Date }

/** A page of the matching entries in reach, newest first, and their number. */
export async function listEntries(
  db: Db,
  reach: Reach,
  { page, pageSize, from, to, ...exact }: PageRequest & EntryFilter,
): Promise<Listed<Entry>> {
  const asked = Object.entries(exact) as [keyof typeof EXACT, string][]
  const found = and(
    within(reach, { system: audit.systemId, account: audit.accountId }),
    ...asked.map(([column, value]) => eq(EXACT[column], value)),
    from && sql`${audit.time} >= ${from.toISOString()}`,
    to && sql`${audit.time} < ${to.toISOString()}`,
  )
  const matching = { all: sql`select id, time from ${audit} where ${found ?? sql`true`}` }
  return listNewest(db, { page, pageSize }, matching, (ids) =>
    db.select().from(audit).where(inArray(audit.id, ids)),
  )
}
