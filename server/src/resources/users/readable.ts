/** The user whom a caller names by an address. */
import type { Db } from '../../database/database.ts'
import { and, eq, sql } from '../../database/drizzle.ts'
import { systemUsers, users } from '../../database/schema.ts'

/** `reader`: the system that names the user; undefined: the platform, which reads the present addresses. */
export type ByAddress = { email: string; reader: string | undefined }

/**
 * The id of the user with an address as a system reads it: of its own users the address that it reads, which
 * is not the present one of a user who has moved without entering it; of others the present one.
 */
export async function findReadable(db: Db, { email, reader }: ByAddress): Promise<string | undefined> {
  const isPresent = eq(users.email, email)
  if (reader === undefined) return (await db.select({ id: users.id }).from(users).where(isPresent))[0]?.id
  const ofReader = and(eq(systemUsers.userId, users.id), eq(systemUsers.systemId, reader))
  const [present] = await db
    .select({ id: users.id, read: systemUsers.email })
    .from(users)
    .leftJoin(systemUsers, ofReader)
    .where(isPresent)
  if (present?.read === email) return present.id
  // `lower` is that of the index system_users_email_part: an index of its own would cost every sign-in.
  const hasMoved = sql`lower(${systemUsers.email}) = lower(${email}) and ${systemUsers.email} = ${email}`
  const [moved] = await db
    .select({ id: systemUsers.userId })
    .from(systemUsers)
    .where(and(eq(systemUsers.systemId, reader), hasMoved))
    .limit(1)
  return moved?.id ?? (present?.read === null ? present.id : undefined)
}
