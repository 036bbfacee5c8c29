import type { Db } from '../../database/database.ts'
import { eq, type SQL, sql } from '../../database/drizzle.ts'
import { events, membershipProfiles, membershipRoles, memberships, roles } from '../../database/schema.ts'
import { afterCommit } from '../../database/transaction.ts'
import type { Actor } from '../../http/authority.ts'
import { noteWritten } from '../../request-time.ts'
import { actorOrigin, type EventType, written } from './enqueue.ts'

type AccessEvent = Extract<EventType, `user.access_${string}`>

/**
 * The memberships that events are added for: some, or all of a user, an account,
 * a system, a role or a profile.
 */
export type Affected =
  | { membershipIds: string[] }
  | { userId: string; systemId?: string }
  | { accountId: string }
  | { systemId: string }
  | { roleId: string }
  | { profileId: string }

/**
 * Adds one event for each of these memberships, with the current state of the rows, in one statement; the
 * status in `user.access_revoked` is `removed`. Call it in the transaction of the change: before a deletion,
 * after any other change. `reason`: why access was revoked, if it is more than a change by an administrator.
 */
export async function enqueueAccess(
  tx: Db,
  actor: Actor,
  type: AccessEvent,
  affected: Affected,
  reason?: 'left',
): Promise<void> {
  const ownRoles = sql`${membershipRoles} join ${roles} on ${roles.id} = ${membershipRoles.roleId} where ${membershipRoles.membershipId} = ${memberships.id}`
  const inserted = await tx.execute(sql`
    insert into ${events} (type, system_id, account_id, user_id, membership_id, data)
    select ${type}::text, ${memberships.systemId}, ${memberships.accountId}, ${memberships.userId}, ${memberships.id}, jsonb_build_object(
      'user', jsonb_build_object('id', ${memberships.userId}, 'email', ${memberships.email}),
      'membershipId', ${memberships.id},
      'accountId', ${memberships.accountId},
      'systemId', ${memberships.systemId},
      'roles', coalesce((select jsonb_agg(${roles.name} order by ${roles.name}) from ${ownRoles}), '[]'),
      'isAdmin', coalesce((select bool_or(${roles.isAdmin}) from ${ownRoles}), false),
      'status', ${type === 'user.access_revoked' ? sql`'removed'` : memberships.status},
      'actor', ${JSON.stringify(actorOrigin(actor))}::jsonb) || ${JSON.stringify(reason ? { reason } : {})}::jsonb
    from ${memberships}
    where ${conditionOf(affected)}
    order by ${memberships.createdAt}, ${memberships.id}`)
  noteWritten('events', rowsOf(inserted))
  afterCommit(() => written.emit('event'))
}

/** As `pg` and PGlite name it. */
function rowsOf(result: unknown): number {
  const { rowCount, affectedRows } = result as { rowCount?: number | null; affectedRows?: number }
  return rowCount ?? affectedRows ?? 0
}

function conditionOf(affected: Affected): SQL {
  // An array is one parameter; a statement takes 65,535.
  if ('membershipIds' in affected)
    return sql`${memberships.id} = any(${sql.param(affected.membershipIds)}::uuid[])`
  if ('roleId' in affected)
    return sql`${memberships.id} in (select ${membershipRoles.membershipId} from ${membershipRoles} where ${membershipRoles.roleId} = ${affected.roleId})`
  if ('profileId' in affected)
    return sql`${memberships.id} in (select ${membershipProfiles.membershipId} from ${membershipProfiles} where ${membershipProfiles.profileId} = ${affected.profileId})`
  if ('userId' in affected) {
    const { userId, systemId } = affected
    const inSystem = systemId === undefined ? sql`true` : eq(memberships.systemId, systemId)
    return sql`${eq(memberships.userId, userId)} and ${inSystem}`
  }
  if ('accountId' in affected) return eq(memberships.accountId, affected.accountId)
  return eq(memberships.systemId, affected.systemId)
}
