/**
 * The limits of one membership, whose roles and profiles are in each of its tokens (http/quotas.ts). A
 * change of roles or profiles locks their rows first, so that concurrent changes are measured too.
 */
import type { Db } from '../../database/database.ts'
import { demandQuota } from '../../http/quotas.ts'
import { type SQL, sql } from '../../tuning/drizzle.ts'

type Measured = {
  roles: number
  profiles: number
  scopes: number
  scopeBytes: number
  profileBytes: number
}

/** JSON of an array of names, without its brackets. */
const bytes = (name: SQL) => sql`coalesce(sum(octet_length(to_json(${name})::text) + 1), 0)::int`

/** The largest measures among the memberships of a condition on `m`; each set of roles is measured once. */
const measured = (condition: SQL) => sql`
  select coalesce(max(cardinality(sets.roles)), 0) as roles, coalesce(max(cardinality(sets.profiles)), 0) as profiles,
    coalesce(max(scopes.count), 0) as scopes, coalesce(max(scopes.bytes + names.bytes), 0) as "scopeBytes",
    coalesce(max(profiles.bytes), 0) as "profileBytes"
  from (
    select distinct
      array(select role_id from membership_roles where membership_id = m.id order by role_id) as roles,
      array(select profile_id from membership_profiles where membership_id = m.id order by profile_id) as profiles
    from memberships m where ${condition}
  ) sets
  cross join lateral (
    select count(*)::int as count, ${bytes(sql`scope`)} as bytes
    from (select distinct unnest(scopes) as scope from roles where id = any(sets.roles)) s
  ) scopes
  cross join lateral (select ${bytes(sql`name`)} as bytes from roles where id = any(sets.roles)) names
  cross join lateral (select ${bytes(sql`name`)} as bytes from profiles where id = any(sets.profiles)) profiles`

function demandWithin({ roles, profiles, scopes, scopeBytes, profileBytes }: Measured): void {
  demandQuota('rolesOfMembership', roles)
  demandQuota('profilesOfMembership', profiles)
  demandQuota('scopesOfToken', scopes)
  demandQuota('scopeBytesOfToken', scopeBytes)
  demandQuota('profileBytesOfToken', profileBytes)
}

/**
 * Throws `limit_reached` if a membership, or one with this role or profile, has more than its tokens may
 * contain.
 */
export async function demandTokenSize(
  tx: Db,
  of: { membershipId: string } | { roleId: string } | { profileId: string },
): Promise<void> {
  const condition =
    'membershipId' in of
      ? sql`m.id = ${of.membershipId}`
      : 'roleId' in of
        ? sql`m.id in (select membership_id from membership_roles where role_id = ${of.roleId})`
        : sql`m.id in (select membership_id from membership_profiles where profile_id = ${of.profileId})`
  const { rows } = (await tx.execute(measured(condition))) as { rows: Measured[] }
  demandWithin(rows[0]!)
}

/** The same for a row-locked membership, and updates its `updatedAt`. */
export async function touchMembership(tx: Db, id: string): Promise<void> {
  const { rows } = (await tx.execute(sql`
    with touched as (update memberships set updated_at = now() where id = ${id})
    ${measured(sql`m.id = ${id}`)}`)) as { rows: Measured[] }
  demandWithin(rows[0]!)
}
