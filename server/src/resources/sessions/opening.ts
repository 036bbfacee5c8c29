/**
 * SQL statements that row-lock what permits a session before another session of the browser ends, or if a
 * connection opens it. They come first in the order of locks: whoever changes these rows locks them before
 * sessions, so that it ends the session or the sign-in finds the change.
 */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'

/** A login by a connection: its time and stated end (ms since 1970), connection and link. */
export type ConnectionLogin = { at: number; connection: string; credential: string; until?: number }
type Opened = { membershipId: string; userId: string }

/**
 * Row-locks the account, the connection, the membership, the link and the roles. Returns for how many seconds
 * from the database's now a session by this login may last; undefined if it may not be opened.
 *
 * Account, connection and membership are locked FOR SHARE, as their columns decide: after it has waited,
 * PostgreSQL returns the columns of the locked rows as they are then, which is not so with FOR KEY SHARE and
 * in subqueries. The roles are read once the membership is locked, which keeps those of the member.
 */
export async function lockConnected(
  tx: Db,
  { membershipId, userId }: Opened,
  { at, connection, credential, until }: ConnectionLogin,
): Promise<number | undefined> {
  const time = sql`to_timestamp(${at / 1_000}::float8)`
  const end = sql`to_timestamp(${until === undefined ? null : until / 1_000}::float8)`
  const { rows } = (await tx.execute(sql`
    select a.suspended_by = '{}' and c.enabled and (c.proofs_after is null or c.proofs_after < ${time}) as counts,
      c.reserved_roles as "reservedRoles",
      extract(epoch from least(${time} + make_interval(hours => c.session_hours), ${end}) - now())::float8 as lifetime
    from accounts a join connections c on c.account_id = a.id join memberships m on m.account_id = a.id
      join connection_links l on l.connection_id = c.id and l.user_id = m.user_id
    where m.id = ${membershipId} and m.user_id = ${userId} and c.id = ${connection} and l.id = ${credential}
    for share of a for share of c for share of m for key share of l`)) as unknown as {
    rows: { counts: boolean; reservedRoles: boolean; lifetime: number }[]
  }
  const [found] = rows
  if (!found?.counts || found.lifetime <= 0) return undefined
  const { rows: roles } = (await tx.execute(sql`
    select r.can_act_for_members or not (r.assignable_by_account_admins or ${found.reservedRoles}::boolean) as forbidden
    from membership_roles mr join roles r on r.id = mr.role_id
    where mr.membership_id = ${membershipId} order by r.id for share of r`)) as unknown as {
    rows: { forbidden: boolean }[]
  }
  return roles.some(({ forbidden }) => forbidden) ? undefined : found.lifetime
}

/** Row-locks what `sessionOpened` locks, before sessions. */
export async function lockOpening(tx: Db, { membershipId, userId }: Opened): Promise<void> {
  await tx.execute(sql`
    select from memberships m join system_users r on r.user_id = m.user_id and r.system_id = m.system_id
      join accounts a on a.id = m.account_id
    where m.id = ${membershipId} and m.user_id = ${userId}
    for key share of a for share of m for no key update of r`)
}
