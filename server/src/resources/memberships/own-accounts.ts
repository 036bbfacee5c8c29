/** What becomes of the organizations of a user who deletes the own profile. */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { IS_ADMIN, STATED_MEMBERSHIPS } from './account-admins.ts'

/**
 * `left`: it has other members. `lastAdmin`: they would have no administrator. `deleted`: it has no other
 * member. `kept`: neither has it, but it is suspended, of a platform system, or has a block by the platform
 * or the system, which a deletion would lift.
 */
export type Fate = 'left' | 'lastAdmin' | 'deleted' | 'kept'

export type OwnAccount = {
  id: string
  name: string
  systemId: string
  /** Its name. */
  system: string
  fate: Fate
  /** The user is one of its administrators. */
  isAdmin: boolean
}

const others = sql`exists (select from memberships o where o.account_id = a.id and o.user_id <> m.user_id)`

const otherAdmin = sql`exists (select from memberships o
  join system_users os on os.user_id = o.user_id and os.system_id = o.system_id
  join users ou on ou.id = o.user_id
  where o.account_id = a.id and o.user_id <> m.user_id and o.status = 'active' and not os.disabled and not ou.disabled
    and exists (select from membership_roles r join roles on roles.id = r.role_id
      where r.membership_id = o.id and roles.is_admin))`

const decided = sql`exists (select from blocks b where b.account_id = a.id and b.set_by in ('platform', 'system'))`

/** The organizations of a user, by name; not the personal accounts, which are deleted with the user. */
export async function listOwnAccounts(db: Db, userId: string): Promise<OwnAccount[]> {
  const { rows } = (await db.execute(sql`
    select a.id, a.name, a.system_id as "systemId", s.name as system, (${IS_ADMIN}) as "isAdmin",
      case when ${others} then case when ${IS_ADMIN} and not ${otherAdmin} then 'lastAdmin' else 'left' end
        when a.suspended_by <> '{}' or s.platform or ${decided} then 'kept' else 'deleted' end as fate
    from ${STATED_MEMBERSHIPS} join accounts a on a.id = m.account_id
    where m.user_id = ${userId} and a.kind = 'organization' order by a.name, a.id`)) as { rows: OwnAccount[] }
  return rows
}

const PLATFORM_ADMINS = sql`select m.user_id from ${STATED_MEMBERSHIPS} where s.platform and ${IS_ADMIN}
  union select o.user_id from operators o where o.system_id is null and o.level = 'admin'`

/** Whether a user administers the platform, and whether no other user does. */
export async function platformRightOf(
  db: Db,
  userId: string,
): Promise<{ isAdmin: boolean; isLast: boolean }> {
  const { rows } = (await db.execute(sql`
    select exists (select from (${PLATFORM_ADMINS}) p where p.user_id = ${userId}) as "isAdmin",
      not exists (select from (${PLATFORM_ADMINS}) p join users u on u.id = p.user_id
        where u.id <> ${userId} and not u.disabled) as "isAlone"`)) as {
    rows: { isAdmin: boolean; isAlone: boolean }[]
  }
  const { isAdmin, isAlone } = rows[0]!
  return { isAdmin, isLast: isAdmin && isAlone }
}
