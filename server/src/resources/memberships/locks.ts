/** Locks of many memberships. */
import type { Db } from '../../database/database.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { memberships } from '../../database/schema.ts'

/**
 * Locks every membership of a user, a system or an account, in one order. A transaction that ends sessions of
 * a membership locks it first. Accounts are locked before, so that no two transactions deadlock: by the
 * caller, if it changes or deletes them (`lockAccounts`); those of a user here (FOR KEY SHARE), since blocks
 * refer to them.
 */
export async function lockMemberships(
  tx: Db,
  of: { userId: string } | { systemId: string } | { accountId: string },
): Promise<void> {
  const [[field, id]] = Object.entries(of) as [['userId' | 'systemId' | 'accountId', string]]
  const which = eq(memberships[field], id)
  const isOfUser = field === 'userId'
  await tx.execute(sql`with accounts as (
      select a.id from accounts a where ${isOfUser}::boolean
        and a.id in (select account_id from ${memberships} where ${which}) order by a.id for key share
    ), locked as (select id from ${memberships} where ${which} and (select count(*) from accounts) >= 0
      order by id for update
    ) select count(*) from locked`)
}
