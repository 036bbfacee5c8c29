/** SQL statements of authentication: users as a sign-in reads them. */

import type { Db } from '../database/database.ts'
import { preparedRead } from '../database/prepared.ts'
import { sessions, users } from '../database/schema.ts'
import { type SignedIn, signedInColumns } from '../resources/users/sign-in.ts'
import { and, desc, eq, gt, sql } from '../tuning/drizzle.ts'

/**
 * A user as the password step reads them. `mayLogIn` is false for a disabled user and an expired temporary
 * password; `registrationPending`: registered with an e-mail address that is not verified yet.
 */
export type Login = SignedIn & {
  mayLogIn: boolean
  registrationPending: boolean
}

const loginByEmail = preparedRead((db) =>
  db
    .select({
      address: sql<string>`typed.address`,
      user: {
        ...signedInColumns,
        mayLogIn: sql<boolean>`not ${users.disabled} and coalesce(${users.passwordExpiresAt} > now(), true)`,
        registrationPending: sql<boolean>`${users.registration} is not null`,
      },
    })
    .from(sql`(select lower(${sql.placeholder('email')}::text) as address) as typed`)
    .leftJoin(users, eq(sql`lower(${users.email})`, sql`typed.address`))
    .prepare('find_login'),
)

/**
 * The user of an e-mail address, in any letter case. `address` is the normalized form that the database
 * compares, also when no user has it.
 */
export async function findLogin(
  db: Db,
  email: string,
): Promise<{ address: string; user: Login | undefined }> {
  const [row] = await loginByEmail(db).execute({ email: email.normalize('NFC') })
  return { address: row!.address, user: row!.user ?? undefined }
}

/** The number of sessions that are read: some users have thousands. */
const NEWEST = 100

/**
 * The IP addresses of the user's sessions of the last 90 days with this user
 * agent, among their newest hundred.
 */
export async function findAddresses(
  tx: Db,
  userId: string,
  userAgent: string | null,
): Promise<(string | null)[]> {
  const newest = tx
    .select({ ip: sessions.ip, userAgent: sessions.userAgent, lastSeenAt: sessions.lastSeenAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt))
    .limit(NEWEST)
    .as('newest')
  const found = await tx
    .selectDistinct({ ip: newest.ip })
    .from(newest)
    .where(
      and(
        sql`${newest.userAgent} is not distinct from ${userAgent}`,
        gt(newest.lastSeenAt, sql`now() - interval '90 days'`),
      ),
    )
  return found.map(({ ip }) => ip)
}
