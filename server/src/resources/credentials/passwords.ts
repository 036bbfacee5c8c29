/** SQL statements of passwords. A new password is a new row: what refers to the old one is invalid. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, isNull, sql } from '../../database/drizzle.ts'
import { passwords } from '../../database/schema.ts'
import type { Scope } from '../../http/authority.ts'

export type NewPassword = {
  /** Default: a new id. */
  id?: string
  hash: string
  mustChange: boolean
  /** Hours until the password expires. Default: it does not expire. */
  goodFor?: number | undefined
}

const isOf = (userId: string, scope: Scope) =>
  and(
    eq(passwords.userId, userId),
    scope === null ? isNull(passwords.systemId) : eq(passwords.systemId, scope),
  )

/** The passwords of users who have none yet. */
export async function insertPasswords(
  tx: Db,
  scope: Scope,
  created: { id: string; userId: string; hash: string; mustChange: boolean }[],
): Promise<void> {
  if (created.length > 0)
    await tx.insert(passwords).values(created.map((each) => ({ ...each, systemId: scope })))
}

/** Replaces the password that a row-locked user has for a scope, and no other. */
export async function replaceHashOf(
  tx: Db,
  userId: string,
  scope: Scope,
  { goodFor, ...password }: NewPassword,
): Promise<void> {
  await tx.delete(passwords).where(isOf(userId, scope))
  const expiresAt = goodFor === undefined ? null : sql`now() + make_interval(hours => ${goodFor})`
  await tx.insert(passwords).values({ userId, systemId: scope, ...password, expiresAt })
}

/** Deletes the passwords of a row-locked user in every system: the one that is valid everywhere is left. */
export async function deleteSystemPasswords(tx: Db, userId: string): Promise<void> {
  await tx.delete(passwords).where(and(eq(passwords.userId, userId), sql`${passwords.systemId} is not null`))
}

export type StoredPassword = { id: string; hash: string; scope: Scope; mustChange: boolean }

/** The password of a user for exactly this scope. */
export async function findPassword(
  db: Db,
  userId: string,
  scope: Scope,
): Promise<StoredPassword | undefined> {
  const [found] = await db
    .select({
      id: passwords.id,
      hash: passwords.hash,
      scope: passwords.systemId,
      mustChange: passwords.mustChange,
    })
    .from(passwords)
    .where(isOf(userId, scope))
  return found
}

/** Whether a password is still the one that was read. Locks it. */
export async function lockPassword(
  tx: Db,
  { id, hash }: Pick<StoredPassword, 'id' | 'hash'>,
): Promise<boolean> {
  const locked = await tx
    .select({ id: passwords.id })
    .from(passwords)
    .where(and(eq(passwords.id, id), eq(passwords.hash, hash)))
    .for('update')
  return locked.length === 1
}

/** Stores another hash of the same password. False if the verified hash was replaced since. */
export async function updateHash(
  db: Db,
  { id, hash }: Pick<StoredPassword, 'id' | 'hash'>,
  other: string,
): Promise<boolean> {
  const replaced = await db
    .update(passwords)
    .set({ hash: other })
    .where(and(eq(passwords.id, id), eq(passwords.hash, hash)))
    .returning({ id: passwords.id })
  return replaced.length === 1
}

/** Gives the passwords of these systems to another user. */
export async function movePasswords(
  tx: Db,
  { from, into }: { from: string; into: string },
  systemIds: string[],
): Promise<void> {
  await tx
    .update(passwords)
    .set({ userId: into })
    .where(and(eq(passwords.userId, from), inArray(passwords.systemId, systemIds)))
}
