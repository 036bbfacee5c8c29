/** SQL statements of second factors. */

import type { Db } from '../../database/database.ts'
import { passkeys, recoveryCodes, totpFactors } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { and, asc, count, eq, isNull, lt, or, sql } from '../../tuning/drizzle.ts'
import { hasOtherSignInMethod } from '../users/sign-in-methods.ts'

export type Totp = {
  id: string
  sealedSecret: Buffer
  /** The time step that was used last; earlier ones are invalid. */
  lastStep: number | null
  /** Seconds since 1970, by the database's clock. */
  epoch: number
}

/** The confirmed authenticator app of a user. */
export async function findTotp(db: Db, userId: string): Promise<Totp | undefined> {
  const [row] = await db
    .select({
      id: totpFactors.id,
      sealedSecret: totpFactors.sealedSecret,
      lastStep: totpFactors.lastStep,
      epoch: sql<number>`floor(extract(epoch from now()))::int`,
    })
    .from(totpFactors)
    .where(and(eq(totpFactors.userId, userId), sql`${totpFactors.confirmedAt} is not null`))
  return row
}

/** Seconds since 1970, by the database's clock. */
export async function epochOf(db: Db): Promise<number> {
  const answer = (await db.execute(sql`select floor(extract(epoch from now()))::int as epoch`)) as {
    rows: { epoch: number }[]
  }
  return answer.rows[0]!.epoch
}

/** Consumes a time step. True for exactly one caller; earlier steps are invalid afterwards. */
export async function useStep(tx: Db, id: string, step: number): Promise<boolean> {
  const used = await tx
    .update(totpFactors)
    .set({ lastStep: step })
    .where(and(eq(totpFactors.id, id), or(isNull(totpFactors.lastStep), lt(totpFactors.lastStep, step))))
    .returning({ id: totpFactors.id })
  return used.length === 1
}

/** Replaces the authenticator app of a row-locked user. */
export async function replaceTotp(
  tx: Db,
  userId: string,
  sealedSecret: Buffer,
  lastStep: number,
): Promise<void> {
  await deleteTotp(tx, userId)
  await tx.insert(totpFactors).values({ userId, sealedSecret, lastStep, confirmedAt: sql`now()` })
}

/** Deletes the authenticator app of a row-locked user. False if there was none. */
export async function deleteTotp(tx: Db, userId: string): Promise<boolean> {
  const gone = await tx
    .delete(totpFactors)
    .where(eq(totpFactors.userId, userId))
    .returning({ id: totpFactors.id })
  return gone.length > 0
}

export type Passkey = Omit<typeof passkeys.$inferSelect, 'createdAt' | 'lastUsedAt'>
export type NewPasskey = Omit<Passkey, 'id'>

const passkey = {
  id: passkeys.id,
  userId: passkeys.userId,
  credentialId: passkeys.credentialId,
  publicKey: passkeys.publicKey,
  counter: passkeys.counter,
  transports: passkeys.transports,
  backedUp: passkeys.backedUp,
  name: passkeys.name,
}

export async function findPasskey(db: Db, credentialId: string): Promise<Passkey | undefined> {
  const [row] = await db.select(passkey).from(passkeys).where(eq(passkeys.credentialId, credentialId))
  return row
}

export type ListedPasskey = Pick<typeof passkeys.$inferSelect, keyof typeof listed>

const listed = {
  id: passkeys.id,
  name: passkeys.name,
  credentialId: passkeys.credentialId,
  transports: passkeys.transports,
  createdAt: passkeys.createdAt,
  lastUsedAt: passkeys.lastUsedAt,
}

/** The passkeys of a user, oldest first. */
export const listPasskeys = (db: Db, userId: string): Promise<ListedPasskey[]> =>
  db
    .select(listed)
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id))

/** Throws `passkey_taken`. */
export async function insertPasskey(tx: Db, added: NewPasskey): Promise<void> {
  await tx.insert(passkeys).values(added)
}

/**
 * Stores the signature counter of a used passkey. False if the passkey was deleted, or if the stored counter
 * is not lower, which means that the key was copied. Authenticators without a counter always send 0 (Web
 * Authentication section 6.1.1).
 */
export async function usePasskey(
  tx: Db,
  id: string,
  { counter, backedUp }: { counter: number; backedUp: boolean },
): Promise<boolean> {
  const ahead = counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter)
  const used = await tx
    .update(passkeys)
    .set({ counter, backedUp, lastUsedAt: sql`now()` })
    .where(and(eq(passkeys.id, id), ahead))
    .returning({ id: passkeys.id })
  return used.length === 1
}

/**
 * Deletes a passkey of a row-locked user. Returns its name; undefined if there is none. Throws `only_way_in`
 * if the user could not sign in without it.
 */
export async function deletePasskey(tx: Db, userId: string, id: string): Promise<string | undefined> {
  const own = and(eq(passkeys.id, id), eq(passkeys.userId, userId))
  const gone = await tx
    .delete(passkeys)
    .where(and(own, hasOtherSignInMethod(userId, { passkey: id })))
    .returning({ name: passkeys.name })
  if (gone[0]) return gone[0].name
  const kept = await tx.select({ id: passkeys.id }).from(passkeys).where(own)
  if (kept.length > 0) throw new Failure('only_way_in')
  return undefined
}

/** Renames a passkey of a user. Returns its previous name; undefined if there is none. */
export async function renamePasskey(
  tx: Db,
  userId: string,
  id: string,
  name: string,
): Promise<string | undefined> {
  const own = and(eq(passkeys.id, id), eq(passkeys.userId, userId))
  const [before] = await tx.select({ name: passkeys.name }).from(passkeys).where(own).for('update')
  if (before) await tx.update(passkeys).set({ name }).where(own)
  return before?.name
}

/**
 * Whether a user has a second factor. Read it after the user is locked: `mfaEnabled` of the locked row is
 * from before the lock.
 */
export async function hasFactor(db: Db, userId: string): Promise<boolean> {
  const [app] = await db
    .select({ id: totpFactors.id })
    .from(totpFactors)
    .where(eq(totpFactors.userId, userId))
    .limit(1)
  const [key] = app
    ? [app]
    : await db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId)).limit(1)
  return key !== undefined
}

/** Replaces the recovery codes of a row-locked user. */
export async function replaceRecoveryCodes(tx: Db, userId: string, hashes: Buffer[]): Promise<void> {
  await deleteRecoveryCodes(tx, userId)
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ userId, hash })))
}

export async function deleteRecoveryCodes(tx: Db, userId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
}

const unused = (userId: string) => and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))

export async function hasRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const [row] = await db
    .select({ userId: recoveryCodes.userId })
    .from(recoveryCodes)
    .where(and(unused(userId), eq(recoveryCodes.hash, hash)))
  return row !== undefined
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const [row] = await db.select({ left: count() }).from(recoveryCodes).where(unused(userId))
  return row!.left
}

/** Consumes a recovery code. True for exactly one caller. */
export async function useRecoveryCode(tx: Db, userId: string, hash: Buffer): Promise<boolean> {
  const used = await tx
    .update(recoveryCodes)
    .set({ usedAt: sql`now()` })
    .where(and(unused(userId), eq(recoveryCodes.hash, hash)))
    .returning({ userId: recoveryCodes.userId })
  return used.length === 1
}

/**
 * Deletes every second factor of a row-locked user, with unconfirmed ones. False if none was confirmed.
 * `mfaEnabled` of the locked row is from before the lock, so it is not read.
 */
export async function deleteFactors(tx: Db, userId: string): Promise<boolean> {
  const apps = await tx
    .delete(totpFactors)
    .where(eq(totpFactors.userId, userId))
    .returning({ confirmedAt: totpFactors.confirmedAt })
  const keys = await tx.delete(passkeys).where(eq(passkeys.userId, userId)).returning({ id: passkeys.id })
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  return keys.length > 0 || apps.some(({ confirmedAt }) => confirmedAt !== null)
}
