/** What is stored about a user. It decides whether a user whom a system removes is deleted. */
import type { Db } from '../../database/database.ts'
import { eq, type SQL, sql } from '../../database/drizzle.ts'
import { PROFILE, users } from '../../database/schema.ts'

const everywhere = (table: string) =>
  sql`exists (select from ${sql.raw(table)} c where c.user_id = users.id and c.system_id is null)`

/** Facts or credentials that are valid everywhere, a block by the platform, or an operator of the console. */
const anythingEverywhere = sql<boolean>`(${everywhere('passwords')} or ${everywhere('totp_factors')}
  or ${everywhere('passkeys')} or ${everywhere('identities')}
  or exists (select from blocks b where b.user_id = users.id and b.set_by = 'platform')
  or exists (select from operators o where o.user_id = users.id)
  or users.email_verified or users.disabled or users.metadata <> '{}'
  or ${sql.join(
    PROFILE.flatMap((field) => (field === 'phoneNumberVerified' ? [] : [sql`${users[field]} is not null`])),
    sql` or `,
  )})`

async function holds(tx: Db, userId: string, condition: SQL<boolean>): Promise<boolean> {
  const [found] = await tx.select({ condition }).from(users).where(eq(users.id, userId))
  return found?.condition ?? false
}

/** Whether anything about a user is valid everywhere: facts, credentials, or a block by the platform. */
export const hasAnythingEverywhere = (tx: Db, userId: string): Promise<boolean> =>
  holds(tx, userId, anythingEverywhere)

/**
 * Whether anything is stored about a user that no single system has stated: a row of a system, anything that
 * is valid everywhere, or a link or code that is still valid.
 */
export const hasAnything = (tx: Db, userId: string): Promise<boolean> =>
  holds(
    tx,
    userId,
    sql`${anythingEverywhere} or exists (select from system_users r where r.user_id = users.id)
      or exists (select from one_time_tokens t where t.user_id = users.id and t.consumed_at is null and t.expires_at > now())`,
  )
