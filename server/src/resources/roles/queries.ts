/** Every SQL statement about roles. */

import type { Db } from '../../database/database.ts'
import { roles } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { and, desc, eq, sql } from '../../tuning/drizzle.ts'

export type Role = typeof roles.$inferSelect
export type RoleInput = Pick<typeof roles.$inferInsert, 'name' | 'isAdmin' | 'scopes'>

const one = (systemId: string, id: string) => and(eq(roles.id, id), eq(roles.systemId, systemId))

/** The roles of a system, newest first. */
export function listRoles(db: Db, systemId: string): Promise<Role[]> {
  return db
    .select()
    .from(roles)
    .where(eq(roles.systemId, systemId))
    .orderBy(desc(roles.createdAt), desc(roles.id))
}

/** The role of a system that is admin; none when there are several. */
export async function findOnlyAdminRole(db: Db, systemId: string): Promise<string | undefined> {
  const admins = await db
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.systemId, systemId), eq(roles.isAdmin, true)))
    .limit(2)
  return admins.length === 1 ? admins[0]!.id : undefined
}

/** Refused as role_name_taken (names differ by case) or system_not_found. */
export async function insertRole(db: Db, systemId: string, input: RoleInput): Promise<Role> {
  const [role] = await db
    .insert(roles)
    .values({ ...input, systemId })
    .returning()
  return role!
}

/**
 * A role that nobody else changes before the transaction ends. Refused as role_not_found,
 * also when it is another system's.
 */
export async function lockRole(tx: Db, systemId: string, id: string): Promise<Role> {
  const [role] = await tx.select().from(roles).where(one(systemId, id)).for('update')
  if (!role) throw new Failure('role_not_found')
  return role
}

/** Changes a role that the transaction holds. Refused as role_name_taken. */
export async function updateRole(tx: Db, id: string, patch: Partial<RoleInput>): Promise<Role> {
  const [role] = await tx
    .update(roles)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(roles.id, id))
    .returning()
  return role!
}

/** Deletes a role that the transaction holds. */
export async function deleteRole(tx: Db, id: string): Promise<void> {
  await tx.delete(roles).where(eq(roles.id, id))
}
