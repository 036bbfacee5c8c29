/**
 * The limits of one membership or service account, whose roles and profiles are in each of its tokens
 * (http/quotas.ts). A change of roles or profiles locks their rows first, so that concurrent changes are
 * measured too.
 */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { demandQuota } from '../../http/quotas.ts'

type Measured = {
  roles: number
  profiles: number
  scopes: number
  scopeBytes: number
  profileBytes: number
}

/** JSON of an array of names, without its brackets. */
const bytes = (name: SQL) => sql`coalesce(sum(octet_length(to_json(${name})::text) + 1), 0)::int`

const ofMemberships = (condition: SQL) => sql`select distinct
      array(select role_id from membership_roles where membership_id = m.id order by role_id) as roles,
      array(select profile_id from membership_profiles where membership_id = m.id order by profile_id) as profiles
    from memberships m where ${condition}`

const ofServiceAccounts = (condition: SQL) => sql`select distinct
      array(select role_id from service_account_roles where service_account_id = a.id order by role_id) as roles,
      '{}'::uuid[] as profiles
    from service_accounts a where ${condition}`

/** The largest measures among sets of roles and profiles; each different set is measured once. */
const measured = (sets: SQL) => sql`
  select coalesce(max(cardinality(sets.roles)), 0) as roles, coalesce(max(cardinality(sets.profiles)), 0) as profiles,
    coalesce(max(scopes.count), 0) as scopes, coalesce(max(scopes.bytes + names.bytes), 0) as "scopeBytes",
    coalesce(max(profiles.bytes), 0) as "profileBytes"
  from (${sets}) sets
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

/** Roles and profiles: of a membership that is not created yet. */
type Of =
  | { roles: string[]; profiles: string[] }
  | { membershipId: string }
  | { serviceAccountId: string }
  | { roleId: string }
  | { profileId: string }

function setsOf(of: Of): SQL {
  if ('roles' in of)
    return sql`select ${sql.param(of.roles)}::uuid[] as roles, ${sql.param(of.profiles)}::uuid[] as profiles`
  if ('membershipId' in of) return ofMemberships(sql`m.id = ${of.membershipId}`)
  if ('serviceAccountId' in of) return ofServiceAccounts(sql`a.id = ${of.serviceAccountId}`)
  if ('profileId' in of)
    return ofMemberships(
      sql`m.id in (select membership_id from membership_profiles where profile_id = ${of.profileId})`,
    )
  const holder = (id: SQL, table: SQL) => sql`(select ${id} from ${table} where role_id = ${of.roleId})`
  return sql`${ofMemberships(sql`m.id in ${holder(sql`membership_id`, sql`membership_roles`)}`)} union
    ${ofServiceAccounts(sql`a.id in ${holder(sql`service_account_id`, sql`service_account_roles`)}`)}`
}

/**
 * Throws `limit_reached` if a membership or service account, or one with this role or profile, or with these
 * roles and profiles, has more than its tokens may contain.
 */
export async function demandTokenSize(tx: Db, of: Of): Promise<void> {
  const { rows } = (await tx.execute(measured(setsOf(of)))) as { rows: Measured[] }
  demandWithin(rows[0]!)
}

/** Checks a row-locked membership in the same way, and updates its `updatedAt`. */
export async function touchMembership(tx: Db, id: string): Promise<void> {
  const { rows } = (await tx.execute(sql`
    with touched as (update memberships set updated_at = now() where id = ${id})
    ${measured(ofMemberships(sql`m.id = ${id}`))}`)) as { rows: Measured[] }
  demandWithin(rows[0]!)
}
