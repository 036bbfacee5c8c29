/** Codes and passkeys that are checked for a person who is known already: how often they may be tried, and what is written down. */
import type { FastifyRequest } from 'fastify'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms.ts'
import { guarded, inSequence } from '../http/limits/guard.ts'
import { networkOf } from '../http/limits/network.ts'
import { GUESSER, limitOf, STRANGERS } from '../http/limits/rules.ts'
import type { Screen } from '../interaction/screens.ts'
import { type AuditEntry, record } from '../resources/audit/record.ts'

type Judged = { kind: 'mailed-code' | 'second-factor'; userId: string; failure: AuditEntry }

/**
 * Whether it was right, or the screen that says when to try again. By person and network, as with passwords: who knows the
 * password and guesses at the code does not keep the person out.
 */
export async function judge(
  { db, seal }: { db: Db; seal: Seal },
  request: FastifyRequest,
  { kind, userId, failure }: Judged,
  check: () => Promise<boolean>,
): Promise<boolean | Screen> {
  const all = limitOf(seal, kind, STRANGERS, userId)
  const limits = [all, limitOf(seal, `${kind}-guesser`, GUESSER, userId, networkOf(request.ip) ?? '')]
  try {
    const { right, wait } = await inSequence(all.key, () => guarded(db, limits, check))
    if (right) return true
    const throttled = {
      ...failure,
      action: 'login.throttled',
      changes: { seconds: [null, wait] as [unknown, unknown] },
    }
    await record(
      db,
      { ...request.actor, type: 'user', id: userId },
      failure,
      ...(wait > 0 ? [throttled] : []),
    )
    return false
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'too_many_requests') || wantsJson(request)) throw error
    return { status: 429, errors: { form: 'tooManyAttempts' }, retryAfter: error.retryAfter }
  }
}

/** Of two at the same time with one code, the later. */
export const usedMeanwhile = () =>
  new Failure('unavailable', { detail: 'The code or the user was changed meanwhile.', retryAfter: 1 })
