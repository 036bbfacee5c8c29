/**
 * SQL conditions on the ways a user can sign in. Each is written once and is part of the statements of
 * several folders.
 *
 * A credential (password, authenticator app, passkey, recovery code, linked identity) is valid everywhere, or
 * in one system only: `system_id`. A sign-in to a system looks only at the credentials that are valid there;
 * the built-in pages, for which the system is null, look only at those that are valid everywhere.
 *
 * Columns of `users` are written as text, since Drizzle writes a column of a single table without the table's
 * name, which would name another table in a subquery.
 */

import { type SQL, sql } from '../../database/drizzle.ts'
import type { Scope } from '../../http/authority.ts'

/** Whether a row of credentials is valid in `system`. */
export const isValidIn = (row: string, system: SQL): SQL =>
  sql`(${sql.raw(row)}.system_id is null or ${sql.raw(row)}.system_id = ${system})`

/** Whether a second factor is valid. The system may have refused it by disabling those of the user. */
export const isFactorValidIn = (row: string, system: SQL): SQL =>
  sql`(${isValidIn(row, system)} and not exists (select from system_users r where r.user_id = ${sql.raw(row)}.user_id
    and r.system_id = ${system} and r.factors_after >= ${sql.raw(row)}.created_at))`

/** Whether a row of credentials is of exactly this scope. */
export const isOfScope = (row: string, scope: Scope): SQL =>
  sql`${sql.raw(row)}.system_id is not distinct from ${scope}::uuid`

const apps = (valid: SQL) =>
  sql`select f.id from totp_factors f where f.user_id = users.id and f.confirmed_at is not null and ${valid}`
const keys = (valid: SQL) => sql`select p.id from passkeys p where p.user_id = users.id and ${valid}`

/**
 * Whether a row of `users` has a second factor that is valid in `system`: a confirmed authenticator app or a
 * passkey.
 */
export const hasSecondFactor = (system: SQL): SQL<boolean> =>
  sql<boolean>`(exists (${apps(isFactorValidIn('f', system))}) or exists (${keys(isFactorValidIn('p', system))}))`

/**
 * Whether a user, named by `user`, has a second factor that is valid in `system`, and those of each scope go
 * back to one from `since` or before: a later one was enrolled with an earlier one of its scope, not by
 * whoever knows the password alone.
 */
export const hasFactorSince = (user: SQL, system: SQL, since: SQL): SQL<boolean> =>
  sql<boolean>`coalesce((select bool_and(of_scope.first <= ${since}) from (select min(v.at) as first from (
      select f.system_id, f.confirmed_at as at from totp_factors f
        where f.user_id = ${user} and f.confirmed_at is not null and ${isFactorValidIn('f', system)}
      union all select p.system_id, p.created_at from passkeys p
        where p.user_id = ${user} and ${isFactorValidIn('p', system)}) v group by v.system_id) of_scope), false)`

/** Whether a row of `users` has a second factor of exactly this scope. */
export const hasSecondFactorOf = (scope: Scope): SQL<boolean> =>
  sql<boolean>`(exists (${apps(isOfScope('f', scope))}) or exists (${keys(isOfScope('p', scope))}))`

/** The id of the one password of a row of `users` that is valid in `system`. */
export const validPassword = (system: SQL): SQL =>
  sql`(select w.id from passwords w where w.user_id = users.id and ${isValidIn('w', system)} order by w.system_id limit 1)`

/** The ids of all credentials of a row of `users` that are valid in `system`, except recovery codes. */
export const validCredentials = (system: SQL): SQL<string[]> =>
  sql<string[]>`array(select ${validPassword(system)} union all ${apps(isFactorValidIn('f', system))}
    union all ${keys(isFactorValidIn('p', system))}
    union all select i.id from identities i where i.user_id = users.id and ${isValidIn('i', system)})`

/**
 * Whether a user can sign in, with credentials of this scope, without one of their passkeys, or without the
 * identities of some issuers. An expired password does not count. With the user row locked the answer stays
 * true.
 */
export function hasOtherSignInMethod(
  userId: string,
  scope: Scope,
  without: { passkey?: string; issuers?: string[] },
): SQL {
  const { passkey = null, issuers = [] } = without
  return sql`(exists (select from passwords w where w.user_id = ${userId} and ${isOfScope('w', scope)}
      and coalesce(w.expires_at > now(), true))
    or exists (select from passkeys p where p.user_id = ${userId} and ${isOfScope('p', scope)} and p.id is distinct from ${passkey}::uuid)
    or exists (select from identities i where i.user_id = ${userId} and ${isOfScope('i', scope)} and i.issuer <> all(${sql.param(issuers)}::text[])))`
}
