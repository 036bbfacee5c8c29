/** Every SQL statement about accounts. */

import { type Reach, within } from '../authority.ts'
import type { Db } from '../db.ts'
import { and, eq, getTableColumns, sql } from '../drizzle.ts'
import { Failure } from '../errors.ts'
import { accounts } from '../schema.ts'

export type Account = typeof accounts.$inferSelect

/** Refused as account_not_found, also when the account is out of reach. */
export async function findAccount(db: Db, reach: Reach, id: string): Promise<Account> {
  const inReach = within(reach, { system: accounts.systemId, account: accounts.id })
  const [account] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), inReach))
  if (!account) throw new Failure('account_not_found')
  return account
}

/**
 * An account for several people. Without a name it is called after its id and not after the person: what it is called
 * is shown to every member and outlives who made it.
 */
export async function insertOrganization(tx: Db, systemId: string, name?: string): Promise<Account> {
  const id = crypto.randomUUID()
  const [account] = await tx
    .insert(accounts)
    .values({ id, systemId, name: name ?? `Account ${id.slice(0, 8)}`, kind: 'organization' })
    .returning()
  return account!
}

/**
 * The personal account of a user in a system, made unless it was there: apps key their data by it, so it is kept when
 * the membership goes and is the same when it comes back. Of callers at once the later waits for the first to commit.
 */
export async function claimPersonalAccount(
  tx: Db,
  systemId: string,
  userId: string,
  name: string,
): Promise<Account & { created: boolean }> {
  const [account] = await tx
    .insert(accounts)
    .values({ systemId, name, kind: 'personal', personalOf: userId })
    .onConflictDoUpdate({ target: [accounts.systemId, accounts.personalOf], set: { name: sql`${accounts.name}` } })
    .returning({ ...getTableColumns(accounts), created: sql<boolean>`xmax = 0` }) // xmax: the transaction that changed the row that was there
  return account!
}
