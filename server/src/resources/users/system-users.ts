/**
 * SQL statements of `system_users`: the users of a system, with what the system states about each. None of
 * it is valid in another system.
 */
import type { Db } from '../../database/database.ts'
import { and, eq, type SQL, sql } from '../../database/drizzle.ts'
import { PROFILE, type StatedProfile, systemUsers, users } from '../../database/schema.ts'
import { demandQuota, quotaOf } from '../../http/quotas.ts'
import type { UserPatch } from './queries.ts'
import { forgetStated, keepStated, type SystemUserKey, statedAddress } from './stated-addresses.ts'

export type { SystemUserKey }

const isRow = ({ userId, systemId }: SystemUserKey) =>
  and(eq(systemUsers.userId, userId), eq(systemUsers.systemId, systemId))

/** The address of a row `u` of `users` for a system that gets the user: the one that it knows. */
const addressFor = (systemId: string) =>
  sql`coalesce(${statedAddress(sql`u.id`, sql`${systemId}::uuid`)}, u.email)`

/** Adds a user to a system, or notes that a user of it gets a membership. */
export async function addSystemUser(tx: Db, { userId, systemId }: SystemUserKey): Promise<void> {
  await tx.execute(sql`
    insert into ${systemUsers} (user_id, system_id, email)
    select u.id, ${systemId}::uuid, ${addressFor(systemId)} from ${users} u where u.id = ${userId}
    on conflict on constraint user_in_system do update set created_by_system = false
    where system_users.created_by_system`)
  await forgetStated(tx, userId, [systemId])
}

/** The profile fields of a patch. */
export const profileOf = (patch: UserPatch): StatedProfile =>
  Object.fromEntries(PROFILE.flatMap((field) => (patch[field] === undefined ? [] : [[field, patch[field]]])))

type Stated = Pick<typeof systemUsers.$inferInsert, 'emailVerified' | 'disabled' | 'metadata'>

/** The other fields that a system states. */
const statedOf = ({ emailVerified, disabled, metadata }: UserPatch): Stated => ({
  ...(emailVerified !== undefined && { emailVerified }),
  ...(disabled !== undefined && { disabled }),
  ...(metadata !== undefined && { metadata }),
})

/** Up to the limit. */
const withoutMembership = (systemId: string) => sql<number>`(select count(*)::int from (
    select from system_users o where o.system_id = ${systemId} and o.created_by_system limit ${quotaOf('usersWithoutMembership')}) o)`

/** How many users without a membership a system has created, up to the limit. */
export async function countWithoutMembership(db: Db, systemId: string): Promise<number> {
  const [row] = await db.select({ count: withoutMembership(systemId) }).from(sql`(select) one`)
  return row!.count
}

/**
 * Users that a system has just created, with what it states about them. One transaction at a time adds users
 * of a system without memberships. Throws `limit_reached`.
 */
export async function insertSystemUsers(
  tx: Db,
  systemId: string,
  created: { id: string; email: string; stated: UserPatch }[],
): Promise<void> {
  if (created.length === 0) return
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`system_users ${systemId}`}, 0))`)
  const rows = tx.insert(systemUsers).values(
    created.map(({ id, email, stated }) => ({
      userId: id,
      systemId,
      email,
      profile: profileOf(stated),
      ...statedOf(stated),
      createdBySystem: true,
    })),
  )
  const [first] = await rows.returning({ before: withoutMembership(systemId) })
  demandQuota('usersWithoutMembership', first!.before + created.length)
}

/** No membership in the system, no other system, and no sign-in with credentials of their own. */
const HAS_NOTHING_ELSE = sql`o.entered_at is null
  and not exists (select from memberships m where m.user_id = o.user_id and m.system_id = o.system_id)
  and not exists (select from system_users e where e.user_id = o.user_id and e.system_id <> o.system_id)`

/**
 * Notes that a connection of a row-locked account has just created the user. Throws `limit_reached`. As long
 * as the account has created no more users than it may leave behind, none of them is looked at.
 */
export async function noteCreatedByAccount(tx: Db, key: SystemUserKey, accountId: string): Promise<void> {
  await tx.update(systemUsers).set({ createdByAccount: accountId }).where(isRow(key))
  const upTo = quotaOf('usersOfConnections') + 1
  const countOf = async (condition: SQL) => {
    const { rows } = (await tx.execute(sql`
      select count(*)::int as count from (select from system_users o
        where o.created_by_account = ${accountId} and ${condition} limit ${upTo}) created`)) as {
      rows: { count: number }[]
    }
    return rows[0]!.count
  }
  if ((await countOf(sql`true`)) < upTo) return
  demandQuota('usersOfConnections', await countOf(HAS_NOTHING_ELSE))
}

/** What a system states by a patch. */
export const statementOf = (patch: UserPatch): Record<string, unknown> => ({
  ...profileOf(patch),
  ...statedOf(patch),
})

/** Whether a system has stated every value of a patch before, also a value that is the user's own. */
export async function hasStated(tx: Db, key: SystemUserKey, patch: UserPatch): Promise<boolean> {
  const { emailVerified, disabled, metadata } = patch
  const [same] = await tx
    .select({ userId: systemUsers.userId })
    .from(systemUsers)
    .where(
      and(
        isRow(key),
        sql`${systemUsers.profile} @> ${JSON.stringify(profileOf(patch))}::jsonb`,
        emailVerified === undefined ? undefined : eq(systemUsers.emailVerified, emailVerified),
        disabled === undefined ? undefined : eq(systemUsers.disabled, disabled),
        metadata === undefined ? undefined : eq(systemUsers.metadata, metadata),
      ),
    )
  return same !== undefined
}

/** Updates what a system states about a row-locked user. */
export async function updateSystemUser(tx: Db, key: SystemUserKey, patch: UserPatch): Promise<void> {
  const profile = profileOf(patch)
  await tx
    .update(systemUsers)
    .set({
      ...statedOf(patch),
      ...(Object.keys(profile).length > 0 && {
        profile: sql`${systemUsers.profile} || ${JSON.stringify(profile)}::jsonb`,
      }),
      updatedAt: sql`now()`,
    })
    .where(isRow(key))
}

/**
 * Makes earlier authentications of a row-locked user invalid in a system; or, with `factors`, the second
 * factors that are enrolled.
 */
export async function refuseEarlier(
  tx: Db,
  key: SystemUserKey,
  { factors = false }: { factors?: boolean } = {},
): Promise<void> {
  const now = sql`clock_timestamp()`
  await tx
    .update(systemUsers)
    .set({ ...(factors ? { factorsAfter: now } : { proofsAfter: now }), updatedAt: sql`now()` })
    .where(isRow(key))
}

/** Disables a user in a system, also one whom the system has not stated. False if the user is already. */
export async function disableInSystem(tx: Db, { userId, systemId }: SystemUserKey): Promise<boolean> {
  const { rows } = (await tx.execute(sql`
    insert into ${systemUsers} (user_id, system_id, email, disabled)
    select u.id, ${systemId}::uuid, ${addressFor(systemId)}, true from ${users} u where u.id = ${userId}
    on conflict on constraint user_in_system do update set disabled = true, updated_at = now()
      where not system_users.disabled
    returning user_id`)) as { rows: unknown[] }
  await forgetStated(tx, userId, [systemId])
  return rows.length > 0
}

const presentAddress = sql`(select u.email from ${users} u where u.id = ${systemUsers.userId})`

/** Stores that the user has accepted to be a member of the system. */
export async function markEntered(tx: Db, key: SystemUserKey): Promise<void> {
  await tx
    .update(systemUsers)
    .set({ enteredAt: sql`coalesce(${systemUsers.enteredAt}, now())`, email: presentAddress })
    .where(isRow(key))
}

/** Deletes up to `limit` users of a system that was deleted, and returns their number. */
export async function deleteSystemUsersOf(tx: Db, systemId: string, limit: number): Promise<number> {
  const some = sql`select user_id from system_users where system_id = ${systemId} limit ${limit}`
  const deleted = await tx
    .delete(systemUsers)
    .where(and(eq(systemUsers.systemId, systemId), sql`${systemUsers.userId} in (${some})`))
    .returning({ userId: systemUsers.userId })
  return deleted.length
}

/**
 * Removes a user from a system: with their credentials of it, not with their memberships. The system goes on
 * to read the same address if it adds the user again.
 */
export async function deleteSystemUser(tx: Db, key: SystemUserKey): Promise<void> {
  await keepStated(tx, key)
  await tx.delete(systemUsers).where(isRow(key))
}

/**
 * The part of the statement that opens a session: the time of the sign-in, and with the first value that the
 * user has entered the system, which reads the present address from then on. `locked` is the membership with
 * the time as `now`: Citus refuses now() in a `case` of a statement that also writes a distributed table.
 */
export const sessionSeen = (value: (type: string) => SQL, locked: SQL, isReady: SQL): SQL =>
  sql`update system_users r set last_login_at = m.now,
      entered_at = case when n.enters then coalesce(r.entered_at, m.now) else r.entered_at end,
      email = case when n.enters and r.entered_at is null
        then (select u.email from users u where u.id = r.user_id) else r.email end
    from ${locked} m, (select ${value('boolean')} as enters) n where r.user_id = m.user_id and r.system_id = m.system_id and ${isReady}`

/** The systems that have a user. */
export async function listSystemsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .select({ systemId: systemUsers.systemId })
    .from(systemUsers)
    .where(eq(systemUsers.userId, userId))
    .orderBy(systemUsers.systemId)
  return rows.map(({ systemId }) => systemId)
}

/**
 * Copies what systems state about a user to another user, in systems that do not have that user. Returns
 * these systems. The user has not entered them: they read the address at which they have stated the other
 * user, and the present one if that user had entered.
 */
export async function moveSystemUsers(
  tx: Db,
  { from, into }: { from: string; into: string },
): Promise<string[]> {
  const { rows } = (await tx.execute(sql`
    insert into ${systemUsers} (user_id, system_id, email, profile, metadata, email_verified, disabled, proofs_after,
      factors_after, created_by_system, last_login_at, created_at)
    select u.id, r.system_id, case when r.entered_at is null then r.email else u.email end, r.profile, r.metadata, r.email_verified, r.disabled, r.proofs_after,
      r.factors_after, r.created_by_system, r.last_login_at, r.created_at
    from ${systemUsers} r, ${users} u where r.user_id = ${from} and u.id = ${into}
    on conflict on constraint user_in_system do nothing
    returning system_id as "systemId"`)) as { rows: { systemId: string }[] }
  const moved = rows.map(({ systemId }) => systemId)
  await forgetStated(tx, into, moved)
  return moved
}
