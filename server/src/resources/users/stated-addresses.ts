/**
 * SQL statements of `stated_addresses`. The threat: the id of a user is the same in all systems and outlives
 * the removal from one. A system that keeps the id would read the present address of somebody who has moved,
 * by removing the user and adding the id again, or by adding the id of a user whom it once looked up.
 */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { statedAddresses, systemUsers, users } from '../../database/schema.ts'

/** A user of a system. */
export type SystemUserKey = { userId: string; systemId: string }

/** In hours: how long a system may use the id of a user whom it has named by the address. */
const NAMED_FOR = 24

const isValid = sql`(s.expires_at is null or s.expires_at > now())`

/** The address at which a system knows a user who is none of its users, or null. */
export const statedAddress = (userId: SQL, systemId: SQL): SQL<string | null> =>
  sql`(select s.email from stated_addresses s where s.user_id = ${userId} and s.system_id = ${systemId} and ${isValid})`

/** Whether a system may name a row of `users` by id: it has the address of its users, or the present one. */
export const isNamedById = (systemId: string): SQL =>
  sql`(${users.movedAt} is null
    or exists (select from ${systemUsers} r where r.user_id = ${users.id} and r.system_id = ${systemId})
    or ${statedAddress(sql`${users.id}`, sql`${systemId}::uuid`)} is not null)`

/** Notes the address that a system reads, before it removes the user. */
export async function keepStated(tx: Db, { userId, systemId }: SystemUserKey): Promise<void> {
  await tx.execute(sql`
    insert into ${statedAddresses} (user_id, system_id, email)
    select user_id, system_id, email from ${systemUsers} where user_id = ${userId} and system_id = ${systemId}
    on conflict (user_id, system_id) do update set email = excluded.email, expires_at = null`)
}

/**
 * The part of the statement that counts the addresses of which a system asks (`asked-addresses.ts`): it names
 * their users. Only of those who have moved before, the id could be that of a former address. `given` has
 * the addresses. In the order of ids, so that concurrent statements lock the users in the same order.
 */
export const namesUsers = (systemId: string, given: SQL): SQL => sql`
  insert into ${statedAddresses} (user_id, system_id, email, expires_at)
  select u.id, ${systemId}::uuid, u.email, now() + make_interval(hours => ${NAMED_FOR})
    from ${users} u where u.email in (select email from ${given}) and u.moved_at is not null
      and not exists (select from ${systemUsers} r where r.user_id = u.id and r.system_id = ${systemId})
    order by u.id
  on conflict (user_id, system_id) do update set email = excluded.email,
    expires_at = case when stated_addresses.expires_at is null then null else excluded.expires_at end`

/** The user is one of these systems' again, whose rows have the addresses. */
export async function forgetStated(tx: Db, userId: string, systemIds: string[]): Promise<void> {
  if (systemIds.length === 0) return
  await tx
    .delete(statedAddresses)
    .where(and(eq(statedAddresses.userId, userId), inArray(statedAddresses.systemId, systemIds)))
}

/** Deletes up to `limit` rows of a system that was deleted, and returns their number. */
export async function deleteStatedOf(tx: Db, systemId: string, limit: number): Promise<number> {
  const some = sql`select user_id from ${statedAddresses} where system_id = ${systemId} limit ${limit}`
  const deleted = await tx
    .delete(statedAddresses)
    .where(and(eq(statedAddresses.systemId, systemId), sql`${statedAddresses.userId} in (${some})`))
    .returning({ userId: statedAddresses.userId })
  return deleted.length
}
