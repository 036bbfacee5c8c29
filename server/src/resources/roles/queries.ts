/** All SQL statements for roles. */

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

/** The admin role of a system; undefined if there is none or more than one. */
export async function findOnlyAdminRole(db: Db, systemId: string): Promise<string | undefined> {
  const admins = await db
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.systemId, systemId), eq(roles.isAdmin, true)))
    .limit(2)
  return admins.length === 1 ? admins[0]!.id : undefined
}

/** Throws `role_name_taken` (names are case-sensitive) or `system_not_found`. */
export async function insertRole(db: Db, systemId: string, input: RoleInput): Promise<Role> {
  const [role] = await db
    .insert(roles)
    .values({ ...input, systemId })
    .returning()
  return role!
}

/** Returns a role and locks its row. Throws `role_not_found`, also if it belongs to another system. */
export async function lockRole(tx: Db, systemId: string, id: string): Promise<Role> {
  const [role] = await tx.select().from(roles).where(one(systemId, id)).for('update')
  if (!role) throw new Failure('role_not_found')
  return role
}

/** Updates a row-locked role. Throws `role_name_taken`. */
export async function updateRole(tx: Db, id: string, patch: Partial<RoleInput>): Promise<Role> {
  const [role] = await tx
    .update(roles)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(roles.id, id))
    .returning()
  return role!
}

/** Deletes a row-locked role. */
export async function deleteRole(tx: Db, id: string): Promise<void> {
  await tx.delete(roles).where(eq(roles.id, id))
}
