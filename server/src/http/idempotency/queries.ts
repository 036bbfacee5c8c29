import type { Db } from '../../database/database.ts'
import { and, eq, gt, lte, sql } from '../../database/drizzle.ts'
import { isLockTimeout } from '../../database/faults.ts'
import { idempotencyKeys } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'

/** A caller's key, and the hash of the request that the key is used for. */
export type Claim = { owner: string; key: string; requestHash: Buffer }

/** The response to the first request, sealed. */
export type StoredAnswer = { requestHash: Buffer; status: number; sealedAnswer: Buffer }

const isOf = ({ owner, key }: Claim) => and(eq(idempotencyKeys.owner, owner), eq(idempotencyKeys.key, key))

/** The response stored under a key that has not expired. */
export async function findAnswer(db: Db, claim: Claim): Promise<StoredAnswer | undefined> {
  const [stored] = await db
    .select({
      requestHash: idempotencyKeys.requestHash,
      status: idempotencyKeys.status,
      sealedAnswer: idempotencyKeys.sealedAnswer,
    })
    .from(idempotencyKeys)
    .where(and(isOf(claim), gt(idempotencyKeys.expiresAt, sql`now()`)))
  return stored as StoredAnswer | undefined
}

/**
 * Claims the key for the transaction, or returns the response stored under it. Waits while another
 * transaction has claimed the key: when that one commits, its response is stored; when it rolls back, the key
 * is free. Throws idempotency_key_in_use if the wait exceeds the lock timeout.
 */
export async function claimKey(tx: Db, claim: Claim, lifetime: number): Promise<StoredAnswer | undefined> {
  const fresh = {
    requestHash: claim.requestHash,
    expiresAt: sql`now() + make_interval(secs => ${lifetime})`,
    createdAt: sql`now()`,
  }
  const claimed = await tx
    .insert(idempotencyKeys)
    .values({ ...claim, ...fresh })
    .onConflictDoUpdate({
      target: [idempotencyKeys.owner, idempotencyKeys.key],
      set: { ...fresh, status: null, sealedAnswer: null },
      setWhere: lte(idempotencyKeys.expiresAt, sql`now()`),
    })
    .returning({ key: idempotencyKeys.key })
    .catch((error) => {
      // The error has no cause: a lock timeout in the chain of causes would be reported as a database fault.
      throw isLockTimeout(error) ? new Failure('idempotency_key_in_use', { retryAfter: 1 }) : error
    })
  if (claimed.length > 0) return undefined
  const stored = await findAnswer(tx, claim)
  // it has expired since the insert
  if (!stored) throw new Failure('idempotency_key_in_use', { retryAfter: 1 })
  return stored
}

/** Stores the response under the key that the transaction has claimed. */
export async function storeAnswer(
  tx: Db,
  claim: Claim,
  answer: Pick<StoredAnswer, 'status' | 'sealedAnswer'>,
): Promise<void> {
  await tx.update(idempotencyKeys).set(answer).where(isOf(claim))
}
