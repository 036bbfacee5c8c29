/** Rate limits and audit entries for codes and second factors of an identified user. */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { networkOf } from '../http/ip-address.ts'
import { GUESSER, guarded, inSequence, limitOf, UNKNOWN_DEVICES } from '../http/limits/guard.ts'
import type { Limit } from '../http/limits/queries.ts'
import { type AuditEntry, record } from '../journal/audit/record.ts'

/** The browser that sends a credential. A Fastify request is one. */
export type Sender = { actor: Actor; ip: string; cookies: { [name: string]: string | undefined } }

/** A credential that is not accepted. `retryAfter`: seconds until the next attempt is checked at all. */
export type Rejection = { rejected: 'wrong' } | { rejected: 'throttled'; retryAfter: number }

/** `too_many_requests` as a rejection, which is noted for the log; any other error is thrown. */
export function throttled(error: unknown, { refusalNote }: Actor, systemId: string | null): Rejection {
  if (!(error instanceof Failure && error.code === 'too_many_requests')) throw error
  refusalNote?.note({ kind: 'sign_in', reason: 'throttled', systemId })
  return { rejected: 'throttled', retryAfter: error.retryAfter ?? 1 }
}

/** The audit entry of a wait, written once, when the wait begins: attempts during a wait are not checked. */
export const throttledEntry = (failure: AuditEntry, seconds: number): AuditEntry[] =>
  seconds > 0 ? [{ ...failure, action: 'login.throttled', changes: { seconds: [null, seconds] } }] : []

/**
 * `userId`: null for an address without a user. `counted`: what the attempts are counted for; default: the
 * user. `system`: of the sign-in; empty without one. `of`: the credentials that the attempts of all networks
 * are counted for. `countedFor`: an account whose connection has signed the user in; its attempts are counted
 * for themselves. `known`: a browser with a budget of its own. `isOther`: whether it was another credential.
 */
type Attempt<T> = {
  kind: 'mailed-code' | 'second-factor' | 'link-code'
  userId: string | null
  counted?: string
  system: string
  of: string
  known?: string | undefined
  countedFor?: string | undefined
  isOther?: (verified: T) => boolean
  failure: AuditEntry
}

const REASONS = {
  'mailed-code': 'mailed_code',
  'second-factor': 'second_factor',
  'link-code': 'mailed_code',
} as const

const limitsOf = <T>(seal: Seal, ip: string, attempt: Attempt<T>): [Limit, ...Limit[]] => {
  const { kind, userId, counted = userId ?? '', system, of, known, countedFor } = attempt
  const about = (systemId: string) => ({ about: { userId, systemId: systemId || null } })
  const network = networkOf(ip) ?? ''
  if (countedFor !== undefined)
    return [
      { ...limitOf(seal, `${kind}-account`, UNKNOWN_DEVICES, counted, countedFor), ...about(of) },
      {
        ...limitOf(seal, `${kind}-account-guesser`, GUESSER, counted, countedFor, network),
        ...about(system),
      },
    ]
  if (known !== undefined) return [{ ...limitOf(seal, `${kind}-known`, GUESSER, known), ...about('') }]
  return [
    { ...limitOf(seal, kind, UNKNOWN_DEVICES, counted, of), ...about(of) },
    { ...limitOf(seal, `${kind}-guesser`, GUESSER, counted, system, network), ...about(system) },
  ]
}

/**
 * Runs `check` under the limits of the user, system and network, and of all networks together, so that an
 * attacker who knows the password and guesses the code does not lock out the user. `check` returns
 * undefined for a wrong credential.
 */
export async function limitAttempts<T>(
  { db, seal }: { db: Db; seal: Seal },
  { actor, ip }: Sender,
  attempt: Attempt<T>,
  check: () => Promise<T | undefined>,
): Promise<{ verified: T } | Rejection> {
  const { userId, failure, isOther, system } = attempt
  const limits = limitsOf(seal, ip, attempt)
  let verified: T | undefined
  try {
    const { right, wait } = await inSequence(limits[0].key, () =>
      guarded(db, limits, async () => {
        verified = await check()
        return verified !== undefined && (isOther?.(verified) ? 'other' : true)
      }),
    )
    if (right && verified !== undefined) return { verified }
    actor.refusalNote?.note({ kind: 'sign_in', reason: REASONS[attempt.kind], systemId: system || null })
    const by = userId === null ? actor : { ...actor, type: 'user' as const, id: userId }
    await record(db, by, failure, ...throttledEntry(failure, wait))
    return { rejected: 'wrong' }
  } catch (error) {
    return throttled(error, actor, system || null)
  }
}

/** A one-time credential or its user was used, changed or disabled by a concurrent request. */
export const usedMeanwhile = () =>
  new Failure('unavailable', {
    detail: 'The credential or the user was changed by another request.',
    retryAfter: 1,
  })
