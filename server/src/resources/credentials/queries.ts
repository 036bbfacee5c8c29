/** SQL statements of emailed links, and of passwords as a sign-in compares them. */

import type { Db } from '../../database/database.ts'
import { and, eq, inArray, isNull, type SQL, sql } from '../../database/drizzle.ts'
import { oneTimeTokens, systems, systemUsers, users } from '../../database/schema.ts'
import type { Application } from '../systems/application.ts'
import { applicationColumns } from '../systems/queries.ts'

type Token = typeof oneTimeTokens.$inferSelect
export type TokenPurpose = Token['purpose']
/** The purposes of links that an application can cause; a change of address is the user's own. */
const LINK_PURPOSES: TokenPurpose[] = ['password_reset', 'email_verification']
export type MailedLink = Pick<Token, 'purpose' | 'hash'>

/** Inserts a link. Returns when it expires; `expiresIn` is in seconds. */
export async function insertLink(
  tx: Db,
  { purpose, hash }: MailedLink,
  { user, systemId }: { user: { id: string; email: string }; systemId: string | null },
  expiresIn: number,
): Promise<Date> {
  const [row] = await tx
    .insert(oneTimeTokens)
    .values({
      purpose,
      hash,
      userId: user.id,
      systemId,
      email: user.email,
      expiresAt: sql`now() + make_interval(secs => ${expiresIn})`,
    })
    .returning({ expiresAt: oneTimeTokens.expiresAt })
  return row!.expiresAt
}

const isThis = ({ purpose, hash }: MailedLink): SQL | undefined =>
  and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.hash, hash))

/** A link was sent to the present address of its user, who is not disabled. */
const isOfUser = sql`exists (select from ${users} where ${users.id} = ${oneTimeTokens.userId} and ${users.email} = ${oneTimeTokens.email} and not ${users.disabled})`

/** A valid link is not expired and not used, and is of its user. */
const isGood = and(isNull(oneTimeTokens.consumedAt), sql`${oneTimeTokens.expiresAt} > now()`, isOfUser)

const good = (link: MailedLink): SQL | undefined => and(isThis(link), isGood)

/**
 * What the row of a link says, also of one that is not valid. `readEmail`: the address of the user that the
 * application may read, if it may.
 */
export type LinkRow = {
  userId: string
  email: string
  isGood: boolean
  isOfUser: boolean
  application: (Application & { id: string }) | null
  readEmail: string | null
}

export async function findLink(db: Db, link: MailedLink): Promise<LinkRow | undefined> {
  const { userId, email } = oneTimeTokens
  const [row] = await db
    .select({
      userId,
      email,
      isGood: sql<boolean>`(${isGood})`,
      isOfUser: sql<boolean>`(${isOfUser})`,
      application: applicationColumns,
      readEmail: systemUsers.email,
    })
    .from(oneTimeTokens)
    .leftJoin(systems, eq(systems.id, oneTimeTokens.systemId))
    .leftJoin(systemUsers, and(eq(systemUsers.userId, userId), eq(systemUsers.systemId, systems.id)))
    .where(isThis(link))
  return row
}

/** Consumes a link and ends the others of its user and purpose. True for exactly one caller. */
export async function consumeLink(tx: Db, link: MailedLink): Promise<boolean> {
  const used = await tx
    .update(oneTimeTokens)
    .set({ consumedAt: sql`now()` })
    .where(good(link))
    .returning({ userId: oneTimeTokens.userId })
  const [one] = used
  if (!one) return false
  await endLinks(tx, one.userId, [link.purpose])
  return true
}

/** Ends the unused links of these purposes. Their rows stay until they expire: their pages lead on. */
async function endLinks(tx: Db, id: string, purposes: TokenPurpose[]): Promise<void> {
  const { userId, purpose, consumedAt } = oneTimeTokens
  await tx
    .update(oneTimeTokens)
    .set({ consumedAt: sql`now()` })
    .where(and(eq(userId, id), inArray(purpose, purposes), isNull(consumedAt)))
}

/** A link to the new address, or to the current one. */
export type ChangeLink = { purpose: 'email_change' | 'email_change_approval'; hash: Buffer }

/** Inserts the links of an address change and deletes those of an earlier one. `expiresIn` is in seconds. */
export async function replaceChange(
  tx: Db,
  userId: string,
  email: string,
  links: ChangeLink[],
  expiresIn: number,
): Promise<void> {
  await deleteChange(tx, userId)
  const expiresAt = sql`now() + make_interval(secs => ${expiresIn})`
  await tx.insert(oneTimeTokens).values(links.map((link) => ({ ...link, userId, email, expiresAt })))
}

const isChange = inArray(oneTimeTokens.purpose, ['email_change', 'email_change_approval'])
const isChangeOf = (userId: string) => and(eq(oneTimeTokens.userId, userId), isChange)

export async function deleteChange(tx: Db, userId: string): Promise<void> {
  await tx.delete(oneTimeTokens).where(isChangeOf(userId))
}

const goodChange = (hash: Buffer) =>
  and(
    isChange,
    eq(oneTimeTokens.hash, hash),
    isNull(oneTimeTokens.consumedAt),
    sql`${oneTimeTokens.expiresAt} > now()`,
  )

/** The user and the new address of a valid link, and which side it was sent to. */
export async function findChange(
  db: Db,
  hash: Buffer,
): Promise<{ userId: string; email: string; purpose: string } | undefined> {
  const { userId, email, purpose } = oneTimeTokens
  const [row] = await db.select({ userId, email, purpose }).from(oneTimeTokens).where(goodChange(hash))
  return row
}

/**
 * Consumes a link of an address change of a row-locked user, for exactly one caller. Returns how many links
 * are used and unused.
 */
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

/**
 * Ends every unused link and code that was emailed to a user: they were for an earlier password or address.
 */
export async function endMailedTokens(tx: Db, userId: string): Promise<void> {
  await endLinks(tx, userId, LINK_PURPOSES)
  await tx
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.userId, userId), isNull(oneTimeTokens.consumedAt)))
}
