/** Every SQL statement of a sign-in's pages. */

import type { Db } from '../database/database.ts'
import { prepared, preparedRead } from '../database/prepared.ts'
import { type Branding, sessions, systems, users } from '../database/schema.ts'
import { open } from '../resources/systems/queries.ts'
import { and, desc, eq, gt, sql } from '../tuning/drizzle.ts'

/**
 * A person as the password step needs them. `mayLogIn` is false for a disabled user and an expired temporary password;
 * `unproven` says that they registered and the address is not proven yet.
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
 * By e-mail address, in any letter case; and the address as the database compares it, which is the same for every way to
 * write it, whether anybody has it or not.
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
 * Keeps when a person signed in. False when the password that was proven, or the right to sign in, has gone since: what
 * ends it waits here for us or we for it, so that it finds every sign-in it must end.
 */
export async function touchLogin(tx: Db, { id, passwordHash }: Login): Promise<boolean> {
  return (await touchedLogin(tx).execute({ id, passwordHash: passwordHash ?? '' })).length === 1
}

/** The same for who has proven a passkey: false for who is disabled or gone. */
export async function touchEnabled(tx: Db, userId: string): Promise<boolean> {
  const touched = await tx
    .update(users)
    .set({ lastLoginAt: sql`now()` })
    .where(and(eq(users.id, userId), eq(users.disabled, false)))
    .returning({ id: users.id })
  return touched.length === 1
}

/** Another hash of the same password. False when the one it was proven by has gone since. */
export async function replaceHash(db: Db, { id, passwordHash }: Login, other: string): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: other })
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash ?? '')))
    .returning({ id: users.id })
  return replaced.length === 1
}

const arrival = prepared((db) =>
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
    .prepare('find_arrival'),
)

/** Who has signed in, as a letter and the cookie of a known browser need them. Holds the user. */
export async function findArrival(tx: Db, userId: string, systemId: string | null) {
  const [found] = await arrival(tx).execute({ userId, systemId })
  return found
}

/** How many sessions of a person are looked at: whoever signs in often has thousands. */
const NEWEST = 100

/**
 * The addresses that a browser, by its name, had a session from in the last 90 days, as far as the newest of the person's
 * sessions tell.
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

export type Look = { name: string; branding: Branding; multiAccount: boolean; open: boolean }

const look = preparedRead((db) =>
  db
    .select({ name: systems.name, branding: systems.branding, multiAccount: systems.multiAccount, open })
    .from(systems)
    .where(eq(systems.clientId, sql.placeholder('clientId')))
    .prepare('find_look'),
)

/** What the pages show of a system. */
export async function findLook(db: Db, clientId: string): Promise<Look | undefined> {
  const [row] = await look(db).execute({ clientId })
  return row
}
