/** Every SQL statement about requests that may be repeated. */
import type { Db } from '../../database/database.ts'
import { idempotencyKeys } from '../../database/schema.ts'
import { Failure, isLockTimeout } from '../../errors.ts'
import { and, eq, lte, sql } from '../../tuning/drizzle.ts'

/** A caller's key, and the hash of the request it stands for. */
export type Claim = { owner: string; key: string; requestHash: Buffer }

/** What the first request was answered, sealed. */
export type Stored = { requestHash: Buffer; status: number; sealedAnswer: Buffer }

const one = ({ owner, key }: Claim) => and(eq(idempotencyKeys.owner, owner), eq(idempotencyKeys.key, key))

/**
 * Takes the key for the transaction, or answers what was stored under it. Waits for another transaction that has it:
 * once that has committed there is its answer, once it is rolled back the key is free. Refused as
 * idempotency_key_in_use when the wait is longer than a statement may wait for a lock.
 */
export async function claimKey(tx: Db, claim: Claim, lifetime: number): Promise<Stored | undefined> {
  const fresh = {
    requestHash: claim.requestHash,
    expiresAt: sql`now() + make_interval(secs => ${lifetime})`,
    createdAt: sql`now()`,
  }
  const taken = await tx
    .insert(idempotencyKeys)
    .values({ ...claim, ...fresh })
    .onConflictDoUpdate({
      target: [idempotencyKeys.owner, idempotencyKeys.key],
      set: { ...fresh, status: null, sealedAnswer: null },
      setWhere: lte(idempotencyKeys.expiresAt, sql`now()`),
    })
    .returning({ key: idempotencyKeys.key })
    .catch((error) => {
      // Its cause is not named: that would make a fault of the database of it.
      throw isLockTimeout(error) ? new Failure('idempotency_key_in_use', { retryAfter: 1 }) : error
    })
  if (taken.length > 0) return undefined
  const [stored] = await tx
    .select({
      requestHash: idempotencyKeys.requestHash,
      status: idempotencyKeys.status,
      sealedAnswer: idempotencyKeys.sealedAnswer,
    })
    .from(idempotencyKeys)
    .where(one(claim))
  if (!stored) throw new Failure('idempotency_key_in_use', { retryAfter: 1 }) // it has just expired and was removed
  return stored as Stored
}

/** Keeps the answer beside the key that the transaction has taken. */
export async function storeAnswer(
  tx: Db,
  claim: Claim,
  answer: Pick<Stored, 'status' | 'sealedAnswer'>,
): Promise<void> {
  await tx.update(idempotencyKeys).set(answer).where(one(claim))
}
