/** SQL of the decisions that outlive a user who deletes the own profile (lifecycle/keep-decisions.ts). */
import type { Db } from '../../database/database.ts'
import { inArray, sql } from '../../database/drizzle.ts'
import { blocks, keptDecisions } from '../../database/schema.ts'

export type KeptDecision = typeof keptDecisions.$inferSelect

/**
 * Keeps what the platform and systems, except the one that deletes it, have decided against a row-locked user
 * who is about to be deleted. A block of a personal account is kept without the account.
 */
export async function keepDecisions(
  tx: Db,
  { userId, addressHash, except }: { userId: string; addressHash: Buffer; except: string | null },
): Promise<void> {
  await tx.execute(sql`
    insert into ${keptDecisions} (address_hash, system_id, account_id, kind, set_by)
    select ${addressHash}::bytea, b.system_id, case when a.personal_of = b.user_id then null else b.account_id end,
      'blocked', b.set_by
      from blocks b join accounts a on a.id = b.account_id
      where b.user_id = ${userId} and b.set_by in ('platform', 'system')
        and b.system_id is distinct from ${except}::uuid
    union all
    select ${addressHash}::bytea, r.system_id, null, 'disabled', 'system'
      from system_users r where r.user_id = ${userId} and r.disabled
    on conflict on constraint kept_decisions_once do nothing`)
}

/** The decisions that wait for the users of these addresses. Deletes them: the caller applies them. */
export const takeDecisions = (tx: Db, addressHashes: Buffer[]): Promise<KeptDecision[]> =>
  tx.delete(keptDecisions).where(inArray(keptDecisions.addressHash, addressHashes)).returning()

type Block = Pick<typeof blocks.$inferInsert, 'userId' | 'systemId' | 'accountId' | 'setBy'>

/** Blocks users in accounts of which they are no members. */
export async function insertBlocks(tx: Db, given: Block[]): Promise<void> {
  if (given.length > 0) await tx.insert(blocks).values(given).onConflictDoNothing()
}
