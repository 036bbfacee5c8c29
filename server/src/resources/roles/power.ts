/** Whether an operation is `power` (http/power.ts), which may depend on the roles that it concerns. */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { type OperationClass, powerOf, type Target } from '../../http/power.ts'
import { isUuid } from '../../http/uuid.ts'

type Params = Readonly<Record<string, unknown>>

/** The roles that the path of an operation is about. */
const ROLES_OF: Record<Target, { param: string; roles: (ids: SQL) => SQL }> = {
  role: { param: 'roleId', roles: (ids) => sql`select unnest(${ids})` },
  membership: {
    param: 'membershipId',
    roles: (ids) => sql`select role_id from membership_roles where membership_id = any(${ids})`,
  },
  invitation: {
    param: 'invitationId',
    roles: (ids) => sql`select unnest(roles) from invitations where id = any(${ids})`,
  },
}

function rolesAt(of: Target, params: Params[]): SQL[] {
  const { param, roles } = ROLES_OF[of]
  const ids = params.map((each) => each[param]).filter(isUuid)
  return ids.length > 0 ? [sql`union all ${roles(sql`${sql.param(ids)}::uuid[]`)}`] : []
}

/** `params`: those of the path; of a form that performs the operation several times, those of each. */
export async function isPower(
  db: Db,
  class_: OperationClass,
  { params, body }: { params: unknown; body: unknown },
): Promise<boolean> {
  const found = powerOf(class_, body)
  if (typeof found === 'boolean') return found
  const given = found.roles.filter(isUuid)
  const named = found.of ? rolesAt(found.of, [params ?? {}].flat() as Params[]) : []
  if (given.length === 0 && named.length === 0) return false
  const { rows } = (await db.execute(sql`
    select exists (select from roles r
      where (r.is_admin or not r.assignable_by_account_admins or r.can_act_for_members)
        and r.id in (select unnest(${sql.param(given)}::uuid[]) ${sql.join(named, sql` `)})) as power`)) as unknown as {
    rows: { power: boolean }[]
  }
  return rows[0]?.power === true
}
