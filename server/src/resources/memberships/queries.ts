/** SQL statements of memberships. events/enqueue-access.ts has the one of their events. */

import type { Db } from '../../database/database.ts'
import { and, eq, ne, notInArray, type SQL, sql } from '../../database/drizzle.ts'
import {
  accounts,
  blocks,
  membershipProfiles,
  membershipRoles,
  memberships,
  systems,
  users,
} from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Authority, type Rank, type Reach, ranksAbove, within } from '../../http/authority.ts'
import { demandQuota } from '../../http/quotas.ts'
import {
  COUNTED_ROLES,
  type CountedRoles,
  demandAssignable,
  lockedRoles,
  uniqueIds,
} from '../roles/assignment.ts'
import { nameReadIn } from '../users/profile.ts'
import { IS_ADMIN, STATED_MEMBERSHIPS } from './account-admins.ts'
import { lockMemberships } from './locks.ts'
import type { MembershipStatus } from './states.ts'

const columns = {
  id: memberships.id,
  userId: memberships.userId,
  systemId: memberships.systemId,
  accountId: memberships.accountId,
  status: memberships.status,
  blockedBy: memberships.blockedBy,
  roles: sql<
    string[]
  >`array(select r.role_id::text from membership_roles r where r.membership_id = memberships.id order by r.role_id)`,
  profiles: sql<
    string[]
  >`array(select p.profile_id::text from membership_profiles p where p.membership_id = memberships.id order by p.profile_id)`,
  account: { id: accounts.id, name: accounts.name },
  connection: sql<Membership['connection']>`(select json_build_object('id', c.id, 'name', c.name)
    from connection_links l join connections c on c.id = l.connection_id
    where l.account_id = memberships.account_id and l.user_id = memberships.user_id
    order by l.last_used_at desc nulls last, l.created_at desc limit 1)`,
  confirmEntry: memberships.confirmEntry,
  ssoExemptBy: memberships.ssoExemptBy,
  /** The user has the address and the name that the system reads. */
  user: {
    id: users.id,
    email: memberships.email,
    name: nameReadIn(memberships.systemId, memberships.userId),
  },
  createdAt: memberships.createdAt,
  updatedAt: memberships.updatedAt,
}

export type Membership = {
  id: string
  userId: string
  systemId: string
  accountId: string
  status: MembershipStatus
  /** The authority that blocked it; null unless it is blocked. */
  blockedBy: Authority | null
  /** Ids. */
  roles: string[]
  /** Ids. */
  profiles: string[]
  account: { id: string; name: string }
  /** The connection that the member is linked to; of several the one that was used last. */
  connection: { id: string; name: string } | null
  /** Credentials of the user do not open it yet: a connection created it for a user who existed. */
  confirmEntry: boolean
  /** The authority that has exempted it from required single sign-on; null: none has. */
  ssoExemptBy: Authority | null
  user: { id: string; email: string; name: string | null }
  createdAt: Date
  updatedAt: Date
}

export const inReach = (reach: Reach): SQL | undefined =>
  within(reach, { system: memberships.systemId, account: memberships.accountId })

export const selectMemberships = (db: Db) =>
  db
    .select(columns)
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(systems, eq(systems.id, memberships.systemId)) // not one that is being deleted

/** Throws `membership_not_found`, also if the membership is out of reach. */
export async function findMembership(db: Db, reach: Reach, id: string): Promise<Membership> {
  const [membership] = await selectMemberships(db).where(and(eq(memberships.id, id), inReach(reach)))
  if (!membership) throw new Failure('membership_not_found')
  return membership
}

/** What an account admin is not allowed to change. */
const restrictions = {
  /** It was never active, and the admins of its system or of the platform activate memberships. */
  awaitsActivation: sql<boolean>`(${memberships.activatedAt} is null and (select s.require_admin_activation from systems s where s.id = ${memberships.systemId}))`,
  /** It has a role that account admins cannot assign. */
  hasReservedRole: sql<boolean>`exists (select from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = ${memberships.id} and not r.assignable_by_account_admins)`,
}
export type LockedMembership = Membership & Record<keyof typeof restrictions, boolean>

/**
 * Reads a membership and locks it against changes, deletion and sign-ins until the transaction ends. Rows are
 * locked in the order of all transactions: the user and the account, which a new block refers to (FOR KEY
 * SHARE; for `demandAdmin` the account FOR NO KEY UPDATE), then the membership. It is read after the lock: a
 * statement that waits for a lock returns the current columns of the row, but subqueries as they were before.
 * `accountId`: the account that it has to be of.
 */
export async function lockMembership(
  tx: Db,
  reach: Reach,
  id: string,
  admins = reach.accountId !== undefined,
  accountId?: string,
): Promise<LockedMembership> {
  const ofAccount = accountId === undefined ? undefined : eq(memberships.accountId, accountId)
  const wanted = and(eq(memberships.id, id), ofAccount, inReach(reach))
  await tx.execute(sql`with wanted as (
      select id, user_id, account_id from ${memberships} where ${wanted}
    ), owner as (select id from users where id = (select user_id from wanted) for key share
    ), account as (select id from accounts where id = (select account_id from wanted)
      and (select count(*) from owner) >= 0 for ${sql.raw(admins ? 'no key update' : 'key share')}
    ) select id from memberships where id = (select id from wanted)
      and (select count(*) from owner) >= 0 and (select count(*) from account) >= 0 for update`)
  const membership = await findRestricted(tx, reach, id)
  if (accountId !== undefined && membership.accountId !== accountId.toLowerCase())
    throw new Failure('membership_not_found')
  return membership
}

/** Finds the membership in the same way, without a lock. */
export async function findRestricted(db: Db, reach: Reach, id: string): Promise<LockedMembership> {
  const [membership] = await db
    .select({ ...columns, ...restrictions })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(systems, eq(systems.id, memberships.systemId))
    .where(and(eq(memberships.id, id), inReach(reach)))
  if (!membership) throw new Failure('membership_not_found')
  return membership
}

/** The membership of a user in an account, if there is one, with the address that the system reads. */
export async function findMembershipOf(
  db: Db,
  { userId, accountId }: { userId: string; accountId: string },
): Promise<{ id: string; status: MembershipStatus; email: string } | undefined> {
  const [found] = await db
    .select({ id: memberships.id, status: memberships.status, email: memberships.email })
    .from(memberships)
    .where(and(eq(memberships.userId, userId), eq(memberships.accountId, accountId)))
  return found
}

/** Whether a user is a member of a system, in any status, or is not allowed to join it because of a block. */
export async function joinState(
  db: Db,
  userId: string,
  system: { id: string; multiAccount: boolean },
): Promise<{ isMember: boolean; isBlocked: boolean }> {
  // A user of a 1:1 system joins with the personal account, where the system may have blocked the user.
  const covering = system.multiAccount ? sql`set_by = 'platform'` : sql`true`
  const { rows } = (await db.execute(sql`select
    exists (select from ${memberships} where user_id = ${userId} and system_id = ${system.id}) as "isMember",
    exists (select from ${blocks} where user_id = ${userId} and system_id = ${system.id} and ${covering}) as "isBlocked"`)) as {
    rows: { isMember: boolean; isBlocked: boolean }[]
  }
  return rows[0]!
}

type Place = Pick<Membership, 'userId' | 'systemId' | 'accountId'>

/** The blocks of higher authorities that cover a user in an account. */
const covering = ({ userId, systemId, accountId }: Place, by: Rank) =>
  sql`select set_by from ${blocks} where user_id = ${userId} and set_by = any(${sql.param(ranksAbove(by))}::text[])
    and (account_id = ${accountId} or (set_by = 'platform' and system_id = ${systemId}))`

const unblocked = ({ userId, accountId }: Place) =>
  sql`delete from ${blocks} where account_id = ${accountId} and user_id = ${userId}`

const blocked = ({ userId, systemId, accountId }: Place, by: Rank) =>
  sql`insert into ${blocks} (user_id, system_id, account_id, set_by) values (${userId}::uuid, ${systemId}::uuid, ${accountId}::uuid, ${by}::text)
    on conflict (account_id, user_id) do update set set_by = excluded.set_by
    where not (blocks.set_by = any(${sql.param(ranksAbove(by))}::text[]))`

/** Blocks a user in an account of which the user is no member, unless a higher authority has. */
export async function blockNonMember(tx: Db, place: Place, by: Authority): Promise<void> {
  await tx.execute(blocked(place, by))
}

/** Throws `insufficient_authority` if a higher authority has blocked the user in the account. */
export async function demandUnblocked(tx: Db, place: Place, by: Rank): Promise<void> {
  const { rows } = (await tx.execute(covering(place, by))) as { rows: { set_by: Authority }[] }
  if (rows.length === 0) return
  const detail = rows.some((row) => row.set_by === 'platform')
    ? 'The platform has blocked this user in the system. Only the platform can lift the block.'
    : 'The system has blocked this user in the account. Only the system or the platform can lift the block.'
  throw new Failure('insufficient_authority', { detail })
}

type NewMembershipField = 'userId' | 'systemId' | 'accountId' | 'status' | 'exclusive' | 'addedBy'
export type NewMembership = Pick<typeof memberships.$inferInsert, NewMembershipField>

/**
 * Returns its id. Lifts a block that was set by the same or a lower authority. Throws `account_taken` (in a
 * 1:1 system), `membership_exists`, `account_occupied`, `user_not_found`, `account_not_found`,
 * `limit_reached`, or `insufficient_authority` if a higher authority has blocked the user. The user is
 * row-locked.
 */
export async function insertMembership(tx: Db, membership: NewMembership): Promise<string> {
  const { userId, systemId, accountId, status, exclusive, addedBy } = membership
  const isBlocked = status === 'blocked'
  const block = isBlocked
    ? sql`${blocked(membership, addedBy)} returning 1`
    : sql`${unblocked(membership)} and not exists (select from covering) and not exists (
        select from ${memberships} where account_id = ${accountId} and user_id = ${userId}) returning 1`
  const { rows } = (await tx.execute(sql`
    with covering as (${covering(membership, addedBy)}), block as (${block})
    insert into ${memberships} (user_id, email, system_id, account_id, status, exclusive, added_by, blocked_by, activated_at)
    select ${userId}::uuid, (select r.email from system_users r where r.user_id = ${userId} and r.system_id = ${systemId}), ${systemId}::uuid, ${accountId}::uuid, ${status}::text, ${exclusive}::boolean,
      ${addedBy}::text, ${isBlocked ? addedBy : null}::text,
      ${status === 'active' ? sql`now()` : null}::timestamptz
    where not exists (select from covering)
    -- A second membership in a 1:1 system also violates membership_exists; account_taken names the reason.
    on conflict (system_id, user_id) where exclusive do nothing
    returning id, (select count(*)::int from memberships o where o.user_id = ${userId} and o.system_id = ${systemId}) as others`)) as {
    rows: { id: string; others: number }[]
  }
  if (rows[0]) {
    demandQuota('membershipsOfUser', rows[0].others + 1)
    return rows[0].id
  }
  await demandUnblocked(tx, membership, addedBy)
  throw new Failure('account_taken')
}

/** The roles of a membership have whether it is active. */
const rolesActive = ({ id }: Membership, active: boolean) =>
  sql`update ${membershipRoles} set active = ${active} where membership_id = ${id} and active <> ${active}`

/** Blocks a row-locked membership, or raises the authority of its block. */
export async function blockMembership(tx: Db, membership: Membership, by: Authority): Promise<void> {
  await tx.execute(sql`with block as (${blocked(membership, by)}), inactive as (${rolesActive(membership, false)})
    update ${memberships} set status = 'blocked', blocked_by = ${by}, updated_at = now() where id = ${membership.id}`)
}

/** Activates a row-locked membership and lifts its block. Throws `insufficient_authority`. */
export async function activateMembership(tx: Db, membership: Membership, by: Authority): Promise<void> {
  const { rows } = (await tx.execute(sql`
    with activated as (
      update ${memberships} set status = 'active', blocked_by = null, activated_at = coalesce(activated_at, now()), updated_at = now()
      where id = ${membership.id} and not exists (${covering(membership, by)}) returning id
    ), lifted as (${unblocked(membership)} and exists (select from activated) returning 1),
    active as (${rolesActive(membership, true)} and exists (select from activated))
    select id from activated`)) as { rows: unknown[] }
  if (rows.length === 0) await demandUnblocked(tx, membership, by)
}

/** Replaces the roles of a membership. Throws as `addRoles`. */
export async function replaceMemberRoles(tx: Db, owner: Owner, ids: string[], by: Rank): Promise<void> {
  await tx
    .delete(membershipRoles)
    .where(and(eq(membershipRoles.membershipId, owner.id), notInArray(membershipRoles.roleId, ids)))
  await addRoles(tx, owner, ids, by)
}

/**
 * Adds roles to a membership. Throws `role_not_in_system`, or `insufficient_authority` if an account admin
 * adds a reserved role. Locks the roles (FOR SHARE): their scopes and reservation do not change meanwhile.
 */
export async function addRoles(tx: Db, { id, systemId }: Owner, ids: string[], by: Rank): Promise<void> {
  const wanted = uniqueIds(ids)
  if (wanted.length === 0) return
  const { rows } = (await tx.execute(sql`
    with given as (${lockedRoles(systemId, wanted)}), added as (
      insert into ${membershipRoles} (membership_id, role_id, system_id, account_id, user_id, active, is_admin)
      select m.id, given.id, m.system_id, m.account_id, m.user_id, m.status = 'active', given.is_admin
      from given, memberships m where m.id = ${id} and m.system_id = ${systemId}
      on conflict do nothing
    )
    ${COUNTED_ROLES}`)) as { rows: CountedRoles[] }
  demandAssignable(rows[0]!, wanted, by)
}

/** Replaces the profiles of a membership. Throws `profile_not_in_system`. */
export async function replaceProfiles(tx: Db, owner: Owner, ids: string[]): Promise<void> {
  await tx
    .delete(membershipProfiles)
    .where(and(eq(membershipProfiles.membershipId, owner.id), notInArray(membershipProfiles.profileId, ids)))
  await addProfiles(tx, owner, ids)
}

/** Adds profiles to a membership, and locks them (FOR SHARE). Throws `profile_not_in_system`. */
export async function addProfiles(tx: Db, { id, systemId }: Owner, ids: string[]): Promise<void> {
  const wanted = uniqueIds(ids)
  if (wanted.length === 0) return
  const { rows } = (await tx.execute(sql`
    with given as (
      select id from profiles where system_id = ${systemId} and id = any(${sql.param(wanted)}::uuid[]) order by id for share
    ), added as (
      insert into ${membershipProfiles} (membership_id, profile_id, system_id)
      select ${id}::uuid, given.id, ${systemId}::uuid from given on conflict do nothing
    )
    select count(*)::int as found from given`)) as { rows: { found: number }[] }
  if (rows[0]!.found < wanted.length) throw new Failure('profile_not_in_system')
}

type Owner = Pick<Membership, 'id' | 'systemId'>

/** Deletes a row-locked membership. Its sessions have been ended before. */
export async function deleteMembership(tx: Db, id: string): Promise<void> {
  await tx.delete(memberships).where(eq(memberships.id, id))
}

/**
 * Throws `last_admin` if an account has no administrator who may sign in. Call it last, after the change: two
 * administrators who remove each other wait for the lock, and the second one reads the change of the first.
 * The account has been locked before the membership, which is the order of all transactions.
 */
export async function demandAdmin(tx: Db, accountId: string): Promise<void> {
  await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('no key update')
  const { rows } = (await tx.execute(sql`
    select 1 from ${STATED_MEMBERSHIPS} join users u on u.id = m.user_id
    where m.account_id = ${accountId} and ${IS_ADMIN} and not u.disabled limit 1`)) as { rows: unknown[] }
  if (rows.length === 0) throw new Failure('last_admin')
}

/** Removes a role from every membership that has it, and returns the ids of these. */
export async function removeRoleFromMemberships(tx: Db, roleId: string): Promise<string[]> {
  const rows = await tx
    .delete(membershipRoles)
    .where(eq(membershipRoles.roleId, roleId))
    .returning({ id: membershipRoles.membershipId })
  return rows.map((row) => row.id)
}

/** Removes a profile from every membership that has it, and returns the ids of these. */
export async function removeProfileFromMemberships(tx: Db, profileId: string): Promise<string[]> {
  const rows = await tx
    .delete(membershipProfiles)
    .where(eq(membershipProfiles.profileId, profileId))
    .returning({ id: membershipProfiles.membershipId })
  return rows.map((row) => row.id)
}

/**
 * Sets on every membership of a system whether a user may have only one there. Throws
 * `account_taken` or `account_occupied`.
 */
export async function updateExclusive(tx: Db, systemId: string, exclusive: boolean): Promise<void> {
  await lockMemberships(tx, { systemId })
  await tx
    .update(memberships)
    .set({ exclusive })
    .where(and(eq(memberships.systemId, systemId), ne(memberships.exclusive, exclusive)))
}

/**
 * Gives memberships and blocks to another user, whose memberships in the same accounts remain as they are,
 * and who gets none where a block of theirs covers the account. Of two blocks that of the higher authority
 * remains. In a 1:1 system a user has one membership.
 */
export async function moveMemberships(tx: Db, { from, into }: { from: string; into: string }): Promise<void> {
  const { rows } = (await tx.execute(sql`
    select m.id from ${memberships} m where m.user_id = ${from}
      and not exists (select from ${memberships} o where o.user_id = ${into}
        and (o.account_id = m.account_id or (m.exclusive and o.system_id = m.system_id)))
      and not exists (select from ${blocks} b where b.user_id = ${into} and (b.account_id = m.account_id
        or (b.set_by = 'platform' and b.system_id = m.system_id)))`)) as { rows: { id: string }[] }
  await tx.execute(sql`
    with moved as (
      insert into ${blocks} (user_id, system_id, account_id, set_by, created_at)
      select ${into}::uuid, system_id, account_id, set_by, created_at from ${blocks} where user_id = ${from}
      on conflict (account_id, user_id) do update set set_by = excluded.set_by
        where blocks.set_by = 'account' and excluded.set_by = 'system'
      returning account_id, set_by
    )
    update ${memberships} m set blocked_by = moved.set_by, updated_at = now() from moved
    where m.user_id = ${into} and m.account_id = moved.account_id and m.status = 'blocked'`)
  const moved = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  await tx.execute(sql`
    update ${memberships} m set user_id = r.user_id, email = r.email, sso_exempt_by = null, sso_exempt_at = null,
      updated_at = now() from system_users r
    where r.user_id = ${into} and r.system_id = m.system_id and m.id = ${moved}`)
  await tx.execute(sql`update ${membershipRoles} set user_id = ${into} where membership_id = ${moved}`)
}
