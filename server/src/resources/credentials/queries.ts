/** Every SQL statement about what a user signs in with beside the password, and about mailed links. */

import type { Db } from '../../database/database.ts'
import { oneTimeTokens, users } from '../../database/schema.ts'
import { and, eq, isNull, type SQL, sql } from '../../tuning/drizzle.ts'

type Token = typeof oneTimeTokens.$inferSelect
export type Purpose = Token['purpose']
export type Link = Pick<Token, 'purpose' | 'hash'>

/** Keeps a new link, in the place of those of its purpose that were not used. Answers when it ends; `life` is in seconds. */
export async function replaceLink(
  tx: Db,
  { purpose, hash }: Link,
  user: { id: string; email: string },
  life: number,
): Promise<Date> {
  await tx
    .delete(oneTimeTokens)
    .where(
      and(
        eq(oneTimeTokens.userId, user.id),
        eq(oneTimeTokens.purpose, purpose),
        isNull(oneTimeTokens.consumedAt),
      ),
    )
  const [row] = await tx
    .insert(oneTimeTokens)
    .values({
      purpose,
      hash,
      userId: user.id,
      email: user.email,
      expiresAt: sql`now() + make_interval(secs => ${life})`,
    })
    .returning({ expiresAt: oneTimeTokens.expiresAt })
  return row!.expiresAt
}

/** A link that is still good: for its purpose, in time, not used, and to the address that its user has now. */
const good = ({ purpose, hash }: Link): SQL | undefined =>
  and(
    eq(oneTimeTokens.purpose, purpose),
    eq(oneTimeTokens.hash, hash),
    isNull(oneTimeTokens.consumedAt),
    sql`${oneTimeTokens.expiresAt} > now()`,
    sql`exists (select from ${users} where ${users.id} = ${oneTimeTokens.userId} and lower(${users.email}) = lower(${oneTimeTokens.email}))`,
  )

const reader = {
  userId: oneTimeTokens.userId,
  email: oneTimeTokens.email,
  registeredAt: sql<
    string | null
  >`(select s.name from users u join systems s on s.id::text = u.registration->>'systemId' where u.id = one_time_tokens.user_id)`,
}
export type LinkReader = {
  userId: string
  email: string
  /** The system they registered at, by its name, until the address is proven. */
  registeredAt: string | null
}

/** Whom a link that is good was sent to. */
export async function findLink(db: Db, link: Link): Promise<LinkReader | undefined> {
  const [row] = await db.select(reader).from(oneTimeTokens).where(good(link))
  return row
}

/** Uses a link. True for exactly one caller. */
export async function consumeLink(tx: Db, link: Link): Promise<boolean> {
  const used = await tx
    .update(oneTimeTokens)
    .set({ consumedAt: sql`now()` })
    .where(good(link))
    .returning({ id: oneTimeTokens.id })
  return used.length === 1
}

/** Keeps the links of a change of address, in the place of all of an earlier one. `life` is in seconds. */
export async function replaceChange(
  tx: Db,
  userId: string,
  email: string,
  hashes: Buffer[],
  life: number,
): Promise<void> {
  await deleteChange(tx, userId)
  const expiresAt = sql`now() + make_interval(secs => ${life})`
  await tx
    .insert(oneTimeTokens)
    .values(hashes.map((hash) => ({ purpose: 'email_change' as const, hash, userId, email, expiresAt })))
}

const isChangeOf = (userId: string) =>
  and(eq(oneTimeTokens.userId, userId), eq(oneTimeTokens.purpose, 'email_change'))

export async function deleteChange(tx: Db, userId: string): Promise<void> {
  await tx.delete(oneTimeTokens).where(isChangeOf(userId))
}

const goodChange = (hash: Buffer) =>
  and(
    eq(oneTimeTokens.purpose, 'email_change'),
    eq(oneTimeTokens.hash, hash),
    isNull(oneTimeTokens.consumedAt),
    sql`${oneTimeTokens.expiresAt} > now()`,
  )

/** Whose address is to be which, by a link that is good. */
export async function findChange(
  db: Db,
  hash: Buffer,
): Promise<{ userId: string; email: string } | undefined> {
  const [row] = await db
    .select({ userId: oneTimeTokens.userId, email: oneTimeTokens.email })
    .from(oneTimeTokens)
    .where(goodChange(hash))
  return row
}

/** Uses a link of a change, for exactly one caller; of a user that the transaction holds. Answers how many are used and not. */
export async function consumeChange(
  tx: Db,
  userId: string,
  hash: Buffer,
): Promise<{ used: number; waiting: number } | undefined> {
  const taken = await tx
    .update(oneTimeTokens)
    .set({ consumedAt: sql`now()` })
    .where(and(goodChange(hash), eq(oneTimeTokens.userId, userId)))
    .returning({ id: oneTimeTokens.id })
  if (taken.length === 0) return undefined
  const [row] = await tx
    .select({
      used: sql<number>`count(${oneTimeTokens.consumedAt})::int`,
      waiting: sql<number>`(count(*) - count(${oneTimeTokens.consumedAt}))::int`,
    })
    .from(oneTimeTokens)
    .where(isChangeOf(userId))
  return row
}

/** What a password is compared with. */
export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const [row] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId))
  return row?.passwordHash ?? null
}

/** Whether a user still has the password that was read, has to change it, and may sign in. Holds the user. */
export async function holdDuty(tx: Db, userId: string, passwordHash: string | null): Promise<boolean> {
  const [row] = await tx
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.id, userId),
        eq(users.disabled, false),
        eq(users.mustChangePassword, true),
        sql`${users.passwordHash} is not distinct from ${passwordHash}`,
      ),
    )
    .for('update')
  return row !== undefined
}

/** Deletes every unused link and code that was emailed to a user: they were for an earlier password or address. */
export async function deleteMailedTokens(tx: Db, userId: string): Promise<void> {
  await tx
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.userId, userId), isNull(oneTimeTokens.consumedAt)))
}
