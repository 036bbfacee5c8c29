/** What an organization knows of an address that its provider states. */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { isVerifiedBy } from '../domains/match.ts'

/** `isOwnDomain`: it is in a verified domain of the organization. `isMember`: a member has the address. */
export type KnownAddress = { isOwnDomain: boolean; isMember: boolean }

export async function findStanding(
  db: Db,
  account: { systemId: string; accountId: string },
  email: string | null,
): Promise<KnownAddress> {
  if (email === null) return { isOwnDomain: false, isMember: false }
  const { rows } = (await db.execute(sql`
    select exists (select from memberships m
      where m.account_id = ${account.accountId} and m.email = ${email}) as "isMember"`)) as {
    rows: unknown[]
  }
  const { isMember } = rows[0] as { isMember: boolean }
  return { isOwnDomain: await isVerifiedBy(db, account, email), isMember }
}
