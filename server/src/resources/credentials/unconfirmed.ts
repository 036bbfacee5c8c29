/**
 * SQL statements of credentials that are valid everywhere, but only together with a code that is emailed to
 * the user in the same sign-in. The code confirms them.
 */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { unconfirmedCredentials } from '../../database/schema.ts'

/** Marks new credentials as unconfirmed. */
export async function insertUnconfirmed(
  tx: Db,
  created: { userId: string; credentialId: string }[],
): Promise<void> {
  if (created.length > 0) await tx.insert(unconfirmedCredentials).values(created)
}

/** The credentials of a user that are valid everywhere. The id of the user stands for the recovery codes. */
const everywhere = (userId: string): SQL =>
  sql`select id from passwords where user_id = ${userId}::uuid and system_id is null
    union all select id from totp_factors where user_id = ${userId}::uuid and system_id is null
    union all select id from passkeys where user_id = ${userId}::uuid and system_id is null
    union all select id from identities where user_id = ${userId}::uuid and system_id is null
    union select user_id from recovery_codes where user_id = ${userId}::uuid and system_id is null`

/**
 * After the platform has changed the address of a row-locked user: the credentials from before are
 * unconfirmed, except those that were valid with the new address when it was the user's verified one. Also
 * deletes the marks of credentials that no longer exist.
 */
export async function unconfirmCredentials(
  tx: Db,
  before: { id: string; email: string; emailVerified: boolean },
  email: string,
): Promise<void> {
  // Both parts read the rows as they were before the statement: restored credentials are not marked again.
  await tx.execute(sql`
    with present as (${everywhere(before.id)}),
    marked as (select credential_id from unconfirmed_credentials where user_id = ${before.id}),
    gone as (
      delete from unconfirmed_credentials u where u.user_id = ${before.id}
        and ((u.email = ${email} and u.verified) or u.credential_id not in (select id from present)))
    insert into unconfirmed_credentials (user_id, credential_id, email, verified)
    select ${before.id}, id, ${before.email}, ${before.emailVerified} from present
    where id not in (select credential_id from marked)`)
}

/**
 * Confirms credentials of a row-locked user, and those that were valid with the same address: they belong to
 * the same person. A credential that was never valid confirms no other.
 */
export async function confirmCredentials(tx: Db, userId: string, ids: string[]): Promise<void> {
  const used = sql`u.credential_id in (${sql.join(
    ids.map((id) => sql`${id}::uuid`),
    sql`, `,
  )})`
  await tx.execute(sql`
    delete from unconfirmed_credentials u where u.user_id = ${userId} and (${used} or u.email in (
      select u.email from unconfirmed_credentials u where u.user_id = ${userId} and ${used}))`)
}
