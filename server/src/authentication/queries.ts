/** SQL statements of authentication: users as a sign-in reads and updates them. */

import type { Db } from '../database/database.ts'
import { prepared, preparedRead } from '../database/prepared.ts'
import { sessions, systems, users } from '../database/schema.ts'
import { and, desc, eq, gt, sql } from '../tuning/drizzle.ts'

/**
 * A user as the password step reads them. `mayLogIn` is false for a disabled user and an expired temporary password;
 * `unproven`: registered with an e-mail address that is not verified yet.
 */
export type Login = { id: string; passwordHash: string | null; mayLogIn: boolean; unproven: boolean }

const loginByEmail = preparedRead((db) =>
  db
    .select({
      address: sql<string>`typed.address`,
      user: {
        id: users.id,
        passwordHash: users.passwordHash,
        mayLogIn: sql<boolean>`not ${users.disabled} and coalesce(${users.passwordExpiresAt} > now(), true)`,
        unproven: sql<boolean>`${users.registration} is not null`,
      },
    })
    .from(sql`(select lower(${sql.placeholder('email')}::text) as address) as typed`)
    .leftJoin(users, eq(sql`lower(${users.email})`, sql`typed.address`))
    .prepare('find_login'),
)

/**
 * The user of an e-mail address, in any letter case. `address` is the normalized form that the database compares, also
 * when no user has it.
 */
export async function findLogin(
  db: Db,
  email: string,
): Promise<{ address: string; user: Login | undefined }> {
  const [row] = await loginByEmail(db).execute({ email: email.normalize('NFC') })
  return { address: row!.address, user: row!.user ?? undefined }
}

const touchedLogin = prepared((db) =>
  db
    .update(users)
    .set({ lastLoginAt: sql`now()` })
    .where(
      and(
        eq(users.id, sql.placeholder('id')),
        eq(users.passwordHash, sql.placeholder('passwordHash')),
        eq(users.disabled, false),
      ),
    )
    .returning({ id: users.id })
    .prepare('touch_login'),
)

/**
 * Stores the time of a sign-in. False if the verified password was changed or the user was disabled since. Both sides
 * update the same row, so a change that ends sessions finds every session it must end.
 */
export async function touchLogin(tx: Db, { id, passwordHash }: Login): Promise<boolean> {
  return (await touchedLogin(tx).execute({ id, passwordHash: passwordHash ?? '' })).length === 1
}

/** The same for a sign-in without a password. False for a disabled or deleted user. */
export async function touchEnabled(tx: Db, userId: string): Promise<boolean> {
  const touched = await tx
    .update(users)
    .set({ lastLoginAt: sql`now()` })
    .where(and(eq(users.id, userId), eq(users.disabled, false)))
    .returning({ id: users.id })
  return touched.length === 1
}

/** Stores another hash of the same password. False if the verified hash was replaced since. */
export async function replaceHash(db: Db, { id, passwordHash }: Login, other: string): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: other })
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash ?? '')))
    .returning({ id: users.id })
  return replaced.length === 1
}

const signedIn = prepared((db) =>
  db
    .select({
      reader: { id: users.id, email: users.email, locale: users.locale },
      login: { id: users.id, passwordHash: users.passwordHash },
      hasFactor: sql<boolean>`exists (select from totp_factors f where f.user_id = users.id and f.confirmed_at is not null) or exists (select from passkeys p where p.user_id = users.id)`,
      system: { name: systems.name, branding: systems.branding },
      signedInBefore: sql<boolean>`${users.lastLoginAt} is not null`,
    })
    .from(users)
    .leftJoin(systems, sql`${systems.id} = ${sql.placeholder('systemId')}::uuid`)
    .where(eq(users.id, sql.placeholder('userId')))
    .for('no key update', { of: users })
    .prepare('find_signed_in'),
)

/** The user of a sign-in, as the email and the cookie of known-devices.ts need them. Locks the user row. */
export async function findSignedIn(tx: Db, userId: string, systemId: string | null) {
  const [found] = await signedIn(tx).execute({ userId, systemId })
  return found
}

/** The number of sessions that are read: some users have thousands. */
const NEWEST = 100

/**
 * The IP addresses of the user's sessions of the last 90 days with this user agent, among their newest hundred.
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
