/** SQL statements of second factors. */

import type { Db } from '../../database/database.ts'
import {
  and,
  asc,
  count,
  eq,
  inArray,
  isNull,
  lt,
  or,
  type PgColumn,
  type SQL,
  sql,
  unionAll,
} from '../../database/drizzle.ts'
import { passkeys, recoveryCodes, totpFactors, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import type { Reach, Scope } from '../../http/authority.ts'
import {
  hasOtherSignInMethod,
  hasSecondFactor,
  hasSecondFactorOf,
  isFactorValidIn,
  isOfScope,
} from '../users/sign-in-methods.ts'

export type Totp = {
  id: string
  /** Where it is valid. */
  scope: Scope
  sealedSecret: Buffer
  /** The time step that was used last; earlier ones are invalid. */
  lastStep: number | null
  /** Seconds since 1970, by the database's clock. */
  epoch: number
}

const selectTotp = (db: Db, userId: string, valid: SQL): Promise<Totp[]> =>
  db
    .select({
      id: totpFactors.id,
      scope: totpFactors.systemId,
      sealedSecret: totpFactors.sealedSecret,
      lastStep: totpFactors.lastStep,
      epoch: sql<number>`floor(extract(epoch from now()))::int`,
    })
    .from(totpFactors)
    .where(and(eq(totpFactors.userId, userId), sql`${totpFactors.confirmedAt} is not null`, valid))

/** The confirmed authenticator apps of a user that are valid in a system: at most one of each scope. */
export const findValidTotps = (db: Db, userId: string, systemId: Scope): Promise<Totp[]> =>
  selectTotp(db, userId, isFactorValidIn('totp_factors', sql`${systemId}::uuid`))

/** The confirmed authenticator app of a user for exactly this scope. */
export async function findTotp(db: Db, userId: string, scope: Scope): Promise<Totp | undefined> {
  const [row] = await selectTotp(db, userId, isOfScope('totp_factors', scope))
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

/** Replaces the authenticator app that a row-locked user has for a scope. */
export async function replaceTotp(
  tx: Db,
  totp: { id: string; userId: string; systemId: Scope; sealedSecret: Buffer; lastStep: number },
): Promise<void> {
  await deleteTotp(tx, totp.userId, totp.systemId)
  await tx.insert(totpFactors).values({ ...totp, confirmedAt: sql`now()` })
}

/** Deletes the authenticator app of a row-locked user. False if there was none. */
export async function deleteTotp(tx: Db, userId: string, scope: Scope): Promise<boolean> {
  const gone = await tx
    .delete(totpFactors)
    .where(and(eq(totpFactors.userId, userId), isOfScope('totp_factors', scope)))
    .returning({ id: totpFactors.id })
  return gone.length > 0
}

export type Passkey = Omit<typeof passkeys.$inferSelect, 'createdAt' | 'lastUsedAt'>
export type NewPasskey = Passkey

const passkey = {
  id: passkeys.id,
  userId: passkeys.userId,
  systemId: passkeys.systemId,
  credentialId: passkeys.credentialId,
  publicKey: passkeys.publicKey,
  counter: passkeys.counter,
  transports: passkeys.transports,
  backedUp: passkeys.backedUp,
  name: passkeys.name,
}

/** A passkey that is valid in a system. */
export async function findPasskey(
  db: Db,
  credentialId: string,
  systemId: Scope,
): Promise<Passkey | undefined> {
  const isValid = isFactorValidIn('passkeys', sql`${systemId}::uuid`)
  const [row] = await db
    .select(passkey)
    .from(passkeys)
    .where(and(eq(passkeys.credentialId, credentialId), isValid))
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

const selectPasskeys = (db: Db, userId: string, valid: SQL): Promise<ListedPasskey[]> =>
  db
    .select(listed)
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), valid))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id))

/** The passkeys of a user that are valid in a system, oldest first. */
export const listValidPasskeys = (db: Db, userId: string, systemId: Scope): Promise<ListedPasskey[]> =>
  selectPasskeys(db, userId, isFactorValidIn('passkeys', sql`${systemId}::uuid`))

/** The passkeys of a user for exactly this scope, oldest first. */
export const listPasskeys = (db: Db, userId: string, scope: Scope): Promise<ListedPasskey[]> =>
  selectPasskeys(db, userId, isOfScope('passkeys', scope))

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
export async function deletePasskey(
  tx: Db,
  userId: string,
  scope: Scope,
  id: string,
): Promise<string | undefined> {
  const own = and(eq(passkeys.id, id), eq(passkeys.userId, userId), isOfScope('passkeys', scope))
  const gone = await tx
    .delete(passkeys)
    .where(and(own, hasOtherSignInMethod(userId, scope, { passkey: id })))
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
  scope: Scope,
  { id, name }: { id: string; name: string },
): Promise<string | undefined> {
  const own = and(eq(passkeys.id, id), eq(passkeys.userId, userId), isOfScope('passkeys', scope))
  const [before] = await tx.select({ name: passkeys.name }).from(passkeys).where(own).for('update')
  if (before) await tx.update(passkeys).set({ name }).where(own)
  return before?.name
}

/**
 * The second factors of a user: whether one is valid in the system, and one of exactly the scope. Read it
 * after the user is locked: `mfaEnabled` of the locked row is from before the lock.
 */
export async function findFactors(
  db: Db,
  userId: string,
  systemId: Scope,
  scope: Scope,
): Promise<{ valid: boolean; ofScope: boolean }> {
  const [row] = await db
    .select({ valid: hasSecondFactor(sql`${systemId}::uuid`), ofScope: hasSecondFactorOf(scope) })
    .from(users)
    .where(eq(users.id, userId))
  return row ?? { valid: false, ofScope: false }
}

/** `name`: of a passkey. `systemId`: where it is valid; null: everywhere. */
export type FoundFactor = {
  id: string
  kind: 'totp' | 'passkey'
  name: string | null
  systemId: Scope
  createdAt: Date
  lastUsedAt: Date | null
}

const inReach = ({ systemId }: Reach, column: PgColumn) =>
  systemId === undefined ? undefined : eq(column, systemId)

/** The factors of a user in reach, oldest first: a system reaches those that are valid in it only. */
export function listFactors(db: Db, reach: Reach, userId: string, id?: string): Promise<FoundFactor[]> {
  const { lastStep, createdAt } = totpFactors
  const apps = db
    .select({
      id: totpFactors.id,
      kind: sql<'totp' | 'passkey'>`'totp'`.as('kind'),
      name: sql<string | null>`null::text`.as('name'),
      systemId: totpFactors.systemId,
      createdAt,
      lastUsedAt: sql<Date | null>`to_timestamp(${lastStep} * 30)`.mapWith(passkeys.lastUsedAt).as('used'),
    })
    .from(totpFactors)
    .where(
      and(
        eq(totpFactors.userId, userId),
        sql`${totpFactors.confirmedAt} is not null`,
        inReach(reach, totpFactors.systemId),
        id === undefined ? undefined : eq(totpFactors.id, id),
      ),
    )
  const keys = db
    .select({
      id: passkeys.id,
      kind: sql<'totp' | 'passkey'>`'passkey'`.as('kind'),
      name: sql<string | null>`${passkeys.name}`.as('name'),
      systemId: passkeys.systemId,
      createdAt: passkeys.createdAt,
      lastUsedAt: sql<Date | null>`${passkeys.lastUsedAt}`.mapWith(passkeys.lastUsedAt).as('used'),
    })
    .from(passkeys)
    .where(
      and(
        eq(passkeys.userId, userId),
        inReach(reach, passkeys.systemId),
        id === undefined ? undefined : eq(passkeys.id, id),
      ),
    )
  return unionAll(apps, keys).orderBy(sql`created_at`, sql`id`)
}

/** Throws `factor_not_found`. */
export async function findOneFactor(db: Db, reach: Reach, userId: string, id: string): Promise<FoundFactor> {
  const [factor] = await listFactors(db, reach, userId, id)
  if (!factor) throw new Failure('factor_not_found')
  return factor
}

/** Deletes a factor of a row-locked user. */
export async function deleteFactor(tx: Db, { id, kind }: Pick<FoundFactor, 'id' | 'kind'>): Promise<void> {
  const table = kind === 'totp' ? totpFactors : passkeys
  await tx.delete(table).where(eq(table.id, id))
}

/** Replaces the recovery codes that a row-locked user has for a scope. */
export async function replaceRecoveryCodes(
  tx: Db,
  userId: string,
  scope: Scope,
  hashes: Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(tx, userId, scope)
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ userId, systemId: scope, hash })))
}

export async function deleteRecoveryCodes(tx: Db, userId: string, scope: Scope): Promise<void> {
  await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isOfScope('recovery_codes', scope)))
}

const isUnused = (userId: string) => and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))

/** The scope of an unused recovery code that is valid in a system; undefined if there is none. */
export async function findRecoveryCode(
  db: Db,
  userId: string,
  systemId: Scope,
  hash: Buffer,
): Promise<{ scope: Scope } | undefined> {
  const isValid = isFactorValidIn('recovery_codes', sql`${systemId}::uuid`)
  const [row] = await db
    .select({ scope: recoveryCodes.systemId })
    .from(recoveryCodes)
    .where(and(isUnused(userId), eq(recoveryCodes.hash, hash), isValid))
  return row
}

/** Whether a user has an unused recovery code that is valid in a system. */
export async function hasRecoveryCodes(db: Db, userId: string, systemId: Scope): Promise<boolean> {
  const isValid = isFactorValidIn('recovery_codes', sql`${systemId}::uuid`)
  const found = await db
    .select({ userId: recoveryCodes.userId })
    .from(recoveryCodes)
    .where(and(isUnused(userId), isValid))
    .limit(1)
  return found.length > 0
}

export async function countRecoveryCodes(db: Db, userId: string, scope: Scope): Promise<number> {
  const [row] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(isUnused(userId), isOfScope('recovery_codes', scope)))
  return row!.left
}

/** Consumes a recovery code. True for exactly one caller. */
export async function useRecoveryCode(tx: Db, userId: string, hash: Buffer): Promise<boolean> {
  const used = await tx
    .update(recoveryCodes)
    .set({ usedAt: sql`now()` })
    .where(and(isUnused(userId), eq(recoveryCodes.hash, hash)))
    .returning({ userId: recoveryCodes.userId })
  return used.length === 1
}

/**
 * Deletes the second factors that a row-locked user has for a scope, with unconfirmed ones. False if none was
 * confirmed. `mfaEnabled` of the locked row is from before the lock, so it is not read.
 */
export async function deleteFactors(tx: Db, userId: string, scope: Scope): Promise<boolean> {
  const apps = await tx
    .delete(totpFactors)
    .where(and(eq(totpFactors.userId, userId), isOfScope('totp_factors', scope)))
    .returning({ confirmedAt: totpFactors.confirmedAt })
  const keys = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), isOfScope('passkeys', scope)))
    .returning({ id: passkeys.id })
  await deleteRecoveryCodes(tx, userId, scope)
  return keys.length > 0 || apps.some(({ confirmedAt }) => confirmedAt !== null)
}

/**
 * Gives the factors of these systems to another user; not passkeys, whose handle in the authenticator names
 * the user.
 */
export async function moveFactors(
  tx: Db,
  { from, into }: { from: string; into: string },
  systemIds: string[],
): Promise<void> {
  for (const table of [totpFactors, recoveryCodes])
    await tx
      .update(table)
      .set({ userId: into })
      .where(and(eq(table.userId, from), inArray(table.systemId, systemIds)))
}
