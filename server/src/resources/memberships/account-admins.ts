/** The users who administer an account: for the console and for the pages of an organization. */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import type { Reader } from '../../jobs/email/messages.ts'
import { IS_CLOSED, isSuspended } from './standing.ts'

/** Memberships with their systems and what these state about the user. */
export const STATED_MEMBERSHIPS = sql.raw(`memberships m join systems s on s.id = m.system_id
    join system_users su on su.user_id = m.user_id and su.system_id = m.system_id`)

/**
 * The active memberships among them, of users whom the system has not disabled; also in a suspended account.
 */
export const IS_MEMBER = sql.raw(`m.status = 'active' and not su.disabled`)

/** The memberships of admins among the active ones. */
export const IS_ADMIN = sql`${IS_MEMBER} and exists (
    select from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = m.id and r.is_admin)`

/** The memberships of admins in systems that leave the administration of accounts to them. */
export const HAS_ACCOUNT_ADMIN_RIGHT = sql`not s.platform and s.account_admin_api and ${IS_ADMIN}`

/** The memberships of admins whose account the admin may administer now. */
export const IS_ACCOUNT_ADMIN = sql`${HAS_ACCOUNT_ADMIN_RIGHT} and not ${isSuspended(sql`m.account_id`)}`

/**
 * Of those, the memberships that a login with credentials of the user opens: the console and the pages of the
 * user take no other.
 */
export const IS_ACCOUNT_ADMIN_HERE = sql`${IS_ACCOUNT_ADMIN} and not ${IS_CLOSED}`

/** The most that are notified of one thing. */
export const READERS_MAX = 20

/** The admins of an account as readers of an email. `without`: this user. */
export async function listAdminReaders(
  tx: Db,
  accountId: string,
  without: string | null = null,
): Promise<Reader[]> {
  const { rows } = (await tx.execute(sql`
    select u.id, u.email, u.locale from ${STATED_MEMBERSHIPS} join users u on u.id = m.user_id
    where m.account_id = ${accountId} and not u.disabled and ${IS_ACCOUNT_ADMIN}
      and u.id is distinct from ${without}::uuid
    order by m.created_at, m.id limit ${READERS_MAX}`)) as { rows: unknown[] }
  return rows as Reader[]
}

/** Whether a membership has a role that is admin. */
export async function hasAdminRole(tx: Db, id: string): Promise<boolean> {
  const { rows } = (await tx.execute(sql`
    select exists (select from membership_roles mr join roles r on r.id = mr.role_id
      where mr.membership_id = ${id} and r.is_admin) as "isAdmin"`)) as { rows: { isAdmin: boolean }[] }
  return rows[0]!.isAdmin
}
