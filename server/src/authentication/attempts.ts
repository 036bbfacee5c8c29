/** Rate limits and audit entries for codes and second factors of an identified user. */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { networkOf } from '../http/ip-address.ts'
import { GUESSER, guarded, inSequence, limitOf, UNKNOWN_DEVICES } from '../http/limits/guard.ts'
import { type AuditEntry, record } from '../resources/audit/record.ts'

/** The browser that sends a credential. A Fastify request is one. */
export type Sender = { actor: Actor; ip: string; cookies: { [name: string]: string | undefined } }

/** A credential that is not accepted. `retryAfter`: seconds until the next attempt is checked at all. */
export type Rejection = { rejected: 'wrong' } | { rejected: 'throttled'; retryAfter: number }

/** `too_many_requests` as a rejection; any other error is thrown. */
export function throttled(error: unknown): Rejection {
  if (!(error instanceof Failure && error.code === 'too_many_requests')) throw error
  return { rejected: 'throttled', retryAfter: error.retryAfter ?? 1 }
}

/** The audit entry of a wait, written once, when the wait begins: attempts during a wait are not checked. */
export const throttledEntry = (failure: AuditEntry, seconds: number): AuditEntry[] =>
  seconds > 0 ? [{ ...failure, action: 'login.throttled', changes: { seconds: [null, seconds] } }] : []

type Attempt = {
  kind: 'mailed-code' | 'second-factor' | 'link-code'
  /** Null for an address without a user. */
  userId: string | null
  /** What the attempts are counted for. Default: the user. */
  counted?: string
  failure: AuditEntry
}

/**
 * Runs `check` under the limits of the user and of the user with the sender's network, so that an
 * attacker who knows the password and guesses the code does not lock out the user. `check` returns
 * undefined for a wrong credential.
 */
export async function limitAttempts<T>(
  { db, seal }: { db: Db; seal: Seal },
  { actor, ip }: Sender,
  { kind, userId, counted = userId ?? '', failure }: Attempt,
  check: () => Promise<T | undefined>,
): Promise<{ verified: T } | Rejection> {
  const all = limitOf(seal, kind, UNKNOWN_DEVICES, counted)
  const limits = [all, limitOf(seal, `${kind}-guesser`, GUESSER, counted, networkOf(ip) ?? '')]
  let verified: T | undefined
  try {
    const { right, wait } = await inSequence(all.key, () =>
      guarded(db, limits, async () => {
        verified = await check()
        return verified !== undefined
      }),
    )
    if (right && verified !== undefined) return { verified }
    const by = userId === null ? actor : { ...actor, type: 'user' as const, id: userId }
    await record(db, by, failure, ...throttledEntry(failure, wait))
    return { rejected: 'wrong' }
  } catch (error) {
    return throttled(error)
  }
}

/** A one-time credential or its user was used, changed or disabled by a concurrent request. */
export const usedMeanwhile = () =>
  new Failure('unavailable', {
    detail: 'The credential or the user was changed by another request.',
    retryAfter: 1,
  })
