/**
 * SQL conditions on the ways a user can sign in. Each is written once and is part of the
 * statements of several folders.
 */
import { type SQL, sql } from '../../tuning/drizzle.ts'

/**
 * Whether a row of `users` has a second factor: a confirmed authenticator app or a passkey. The column is
 * written as text, since Drizzle writes a column of a single table without the table's name, which would name
 * another table in the subquery.
 */
export const hasSecondFactor = sql<boolean>`exists (select from totp_factors f where f.user_id = users.id and f.confirmed_at is not null) or exists (select from passkeys p where p.user_id = users.id)`

/**
 * Whether a user can sign in without one of their passkeys, or without an identity provider. An expired
 * password does not count. With the user row locked the answer stays true.
 */
export function hasOtherSignInMethod(userId: string, without: { passkey?: string; provider?: string }): SQL {
  const { passkey = null, provider = null } = without
  return sql`exists (select from users u where u.id = ${userId} and (
    (u.password_hash is not null and coalesce(u.password_expires_at > now(), true))
    or exists (select from passkeys p where p.user_id = u.id and p.id is distinct from ${passkey}::uuid)
    or exists (select from identities i where i.user_id = u.id and i.provider is distinct from ${provider}::text)))`
}
