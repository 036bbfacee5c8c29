/** All SQL statements for roles. */

import type { Db } from '../../database/database.ts'
import { and, desc, eq, getTableColumns, sql } from '../../database/drizzle.ts'
import { roles } from '../../database/schema.ts'
import { Failure, invalid } from '../../errors.ts'
import { demandQuota } from '../../http/quotas.ts'

const { isFounder, ...columns } = getTableColumns(roles)
export type Role = Omit<typeof roles.$inferSelect, 'isFounder'>
type RoleField = 'name' | 'isAdmin' | 'scopes' | 'assignableByAccountAdmins' | 'canActForMembers'
export type RoleInput = Pick<typeof roles.$inferInsert, RoleField>

const one = (systemId: string, id: string) => and(eq(roles.id, id), eq(roles.systemId, systemId))

/** The roles of a system, newest first. */
export function listRoles(db: Db, systemId: string): Promise<Role[]> {
  return db
    .select(columns)
    .from(roles)
    .where(eq(roles.systemId, systemId))
    .orderBy(desc(roles.createdAt), desc(roles.id))
}

/** The role of users who create an account by registering or joining. */
export async function findFounderRole(db: Db, systemId: string): Promise<string | undefined> {
  const [role] = await db
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.systemId, systemId), eq(roles.isFounder, true)))
  return role?.id
}

/**
 * Sets the founder role of a row-locked system, or none. Throws `role_not_in_system`, and `invalid_request`
 * for a role with `canActForMembers`.
 */
export async function setFounderRole(tx: Db, systemId: string, id: string | null): Promise<void> {
  await tx
    .update(roles)
    .set({ isFounder: false })
    .where(and(eq(roles.systemId, systemId), eq(roles.isFounder, true)))
  if (id === null) return
  const set = await tx
    .update(roles)
    .set({ isFounder: true })
    .where(and(one(systemId, id), eq(roles.canActForMembers, false)))
    .returning({ id: roles.id })
  if (set.length > 0) return
  const [found] = await tx.select({ id: roles.id }).from(roles).where(one(systemId, id))
  if (found) throw invalid('/founderRoleId', 'must not be a role with canActForMembers')
  throw new Failure('role_not_in_system')
}

/**
 * Whether a role of a row-locked system becomes the founder role: as the first admin role, if it is not
 * reserved. A caller who does not set `founderRoleId` thereby gets founders who administer their account. It
 * is stored then and never derived again, so that no other role takes its place. Never in a platform system.
 */
const becomesFounder = (systemId: string, { isAdmin, assignableByAccountAdmins }: Partial<RoleInput>) =>
  isAdmin && assignableByAccountAdmins !== false
    ? sql`not exists (select from roles a where a.system_id = ${systemId} and (a.is_admin or a.is_founder))
        and not (select s.platform from systems s where s.id = ${systemId})`
    : sql`false`

/** The system is row-locked. Throws `role_name_taken` (names are case-sensitive) or `limit_reached`. */
export async function insertRole(db: Db, systemId: string, input: RoleInput): Promise<Role> {
  const others = sql<number>`(select count(*)::int from roles o where o.system_id = ${systemId})`
  const [inserted] = await db
    .insert(roles)
    .values({ ...input, systemId, isFounder: becomesFounder(systemId, input) })
    .returning({ ...columns, others })
  const { others: before, ...role } = inserted!
  demandQuota('rolesOfSystem', before + 1)
  return role
}

/** Whether it is the only admin role of a system that has accounts. */
const isLastAdmin = sql<boolean>`(roles.is_admin
  and not exists (select from roles o where o.system_id = roles.system_id and o.is_admin and o.id <> roles.id)
  and exists (select from accounts a where a.system_id = roles.system_id))`

/** Throws `role_not_found`, also if it belongs to another system. */
export async function findRole(db: Db, systemId: string, id: string): Promise<Role> {
  const [role] = await db.select(columns).from(roles).where(one(systemId, id))
  if (!role) throw new Failure('role_not_found')
  return role
}

/**
 * Returns a role of a row-locked system and locks its row. Throws `role_not_found`, also if it belongs to
 * another system.
 */
export async function lockRole(
  tx: Db,
  systemId: string,
  id: string,
): Promise<Role & { isLastAdmin: boolean; isFounder: boolean }> {
  const [role] = await tx
    .select({ ...columns, isFounder, isLastAdmin })
    .from(roles)
    .where(one(systemId, id))
    .for('update')
  if (!role) throw new Failure('role_not_found')
  return role
}

/** Updates a row-locked role. Throws `role_name_taken`. */
export async function updateRole(tx: Db, before: Role, patch: Partial<RoleInput>): Promise<Role> {
  const isFounder = sql`${roles.isFounder} or (${becomesFounder(before.systemId, { ...before, ...patch })})`
  const [role] = await tx
    .update(roles)
    .set({ ...patch, isFounder, updatedAt: sql`now()` })
    .where(eq(roles.id, before.id))
    .returning(columns)
  return role!
}

/** Deletes a row-locked role. */
export async function deleteRole(tx: Db, id: string): Promise<void> {
  await tx.delete(roles).where(eq(roles.id, id))
}
