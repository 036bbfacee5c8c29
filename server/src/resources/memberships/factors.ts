/** How many members of an account would have to enroll a second factor if the account required one. */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'

/** The number of the newest members that are looked at: an account can have a hundred thousand. */
const LOOKED_AT = sql.raw('10000')

/**
 * The active members who have no factor of the system, and have not verified one in a session with it.
 * Whether a user has a factor that is valid everywhere is not for the account or the system to know before it
 * was used there.
 */
export async function countWithoutFactor(db: Db, accountId: string): Promise<number> {
  const { rows } = (await db.execute(sql`
    select count(*)::int as count from (
      select m.* from memberships m where m.account_id = ${accountId}
      order by m.created_at desc, m.id desc limit ${LOOKED_AT}) m
    where m.status = 'active'
      and not exists (select from totp_factors f
        where f.user_id = m.user_id and f.system_id = m.system_id and f.confirmed_at is not null)
      and not exists (select from passkeys p where p.user_id = m.user_id and p.system_id = m.system_id)
      and not exists (select from sessions s where s.membership_id = m.id and 'mfa' = any(s.amr))`)) as {
    rows: { count: number }[]
  }
  return rows[0]!.count
}
