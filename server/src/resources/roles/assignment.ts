/** The roles that are assigned to a membership or a service account, and who may assign them. */

import { type SQL, sql } from '../../database/drizzle.ts'
import { Failure } from '../../errors.ts'
import type { Rank } from '../../http/authority.ts'

/** Ids as they are stored, each once. */
export const uniqueIds = (ids: readonly string[]): string[] => [
  ...new Set(ids.map((each) => each.toLowerCase())),
]

/**
 * Selects the wanted roles that the system has, row-locked (FOR SHARE): their scopes and reservation do not
 * change meanwhile. Columns: `id`, `is_admin`, `assignable`.
 */
export const lockedRoles = (systemId: string, wanted: string[]): SQL => sql`
  select id, is_admin, assignable_by_account_admins as assignable from roles
  where system_id = ${systemId} and id = any(${sql.param(wanted)}::uuid[]) order by id for share`

/** What a statement counts among `lockedRoles`, as the table `given`. */
export const COUNTED_ROLES = sql`select count(*)::int as found, bool_and(assignable) as assignable from given`
export type CountedRoles = { found: number; assignable: boolean }

/** Throws `role_not_in_system`, or `insufficient_authority` if an account admin assigns a reserved role. */
export function demandAssignable({ found, assignable }: CountedRoles, wanted: string[], by: Rank): void {
  if (found < wanted.length) throw new Failure('role_not_in_system')
  if (by === 'account' && !assignable) throw reservedRole()
}

export const reservedRole = () =>
  new Failure('insufficient_authority', {
    detail: 'One of the roles is assigned by the system or the platform only.',
  })
