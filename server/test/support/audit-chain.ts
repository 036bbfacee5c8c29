/** The chain of hashes over the audit log, for tests. They share a database. */
import { type SQL, sql } from '../../src/database/drizzle.ts'
import { audit } from '../../src/database/schema.ts'
import { openCheckpointKey } from '../../src/journal/audit/chain/checkpoint.ts'
import { extendToEnd, restartChain } from '../../src/journal/audit/chain/extend.ts'
import { verifyAudit } from '../../src/journal/audit/chain/verify.ts'
import type { Driver } from './testing.ts'

/** An empty log and a chain of its own. `first`: adds entries before the chain begins. */
export async function chainOf({ db, seal }: Pick<Driver, 'db' | 'seal'>, first?: SQL) {
  const key = await openCheckpointKey(seal)
  const parts = { db, key, retentionDays: 0 }
  await db.delete(audit)
  if (first) await db.execute(first)
  await restartChain(parts)
  return {
    parts,
    extend: () => extendToEnd(parts),
    faults: async (checkpoint?: string) => (await verifyAudit(db, key, checkpoint)).faults,
  }
}

/** Removes the newest block, its links and its entries. */
export const WITHOUT_NEWEST = [
  sql`delete from audit where id in
    (select entry_id from audit_links where block = (select max(number) from audit_blocks))`,
  sql`delete from audit_links where block = (select max(number) from audit_blocks)`,
  sql`delete from audit_blocks where number = (select max(number) from audit_blocks)`,
]
