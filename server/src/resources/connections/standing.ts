/** What an organization knows of an address that its provider states. */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'

/** `isOwnDomain`: it is in a verified domain of the organization. `isMember`: a member has the address. */
export type KnownAddress = { isOwnDomain: boolean; isMember: boolean }

export async function findStanding(db: Db, accountId: string, email: string | null): Promise<KnownAddress> {
  if (email === null) return { isOwnDomain: false, isMember: false }
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.')
  const names = labels.map((_, nth) => labels.slice(nth).join('.'))
  const { rows } = (await db.execute(sql`
    select exists (select from domains d where d.account_id = ${accountId} and d.status = 'verified'
        and d.name = any(${sql.param(names)}::text[]) and (d.name = ${names[0]} or d.subdomains)) as "isOwnDomain",
      exists (select from memberships m where m.account_id = ${accountId} and m.email = ${email}) as "isMember"`)) as {
    rows: unknown[]
  }
  return rows[0] as KnownAddress
}
