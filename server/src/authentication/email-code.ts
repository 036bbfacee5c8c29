/** Emailed codes: six digits, valid for 10 minutes and five attempts, in one sign-in only. */

import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { CODE_PAUSE, CODES_MAILED, limitOf } from '../http/limits/guard.ts'
import { giveBack, reserve, secondsToWait } from '../http/limits/queries.ts'
import { enqueueEmail } from '../jobs/email/enqueue.ts'
import { type Reader, signInCode } from '../jobs/email/messages.ts'
import { record } from '../journal/audit/record.ts'
import { hasCode, replaceCode, takeTry } from '../resources/credentials/codes.ts'
import type { BrandedSystem } from '../texts/brand.ts'
import { limitAttempts, type Rejection, type Sender } from './attempts.ts'

/** 10 minutes, in seconds. */
const LIFETIME = 600
const TRIES = 5

/** `uid`: of the interaction that the code is bound to. */
type SignIn = { userId: string; uid: string }

const emailCodeHashOf = (seal: Seal, id: string, code: string) =>
  seal.hash(JSON.stringify([id, code]), 'mailed-code')
const ofSignIn = (seal: Seal, { userId, uid }: SignIn) => ({
  userId,
  interactionHash: seal.hash(uid, 'mailed-code-interaction'),
})

type Sending = {
  uid: string
  systemId: string | null
  system: BrandedSystem | undefined
  /** Requested before a login: counted separately, so that no visitor uses up the codes of a user. */
  isAnonymous?: boolean
  /** An account whose connection has signed the user in: counted separately, too. */
  countedFor?: string
}

/** How often a user can be sent a code for a system. */
function limitsOf(
  seal: Seal,
  userId: string,
  { systemId, isAnonymous = false, countedFor }: Omit<Sending, 'uid' | 'system'>,
) {
  const cause = `${systemId ?? ''}${isAnonymous ? ' anonymous' : ''}${countedFor ? ` ${countedFor}` : ''}`
  return [
    limitOf(seal, 'code-pause', CODE_PAUSE, userId, cause),
    limitOf(seal, 'codes-mailed', CODES_MAILED, userId, cause),
  ] as const
}

/** Seconds until the user can be sent a code for the system; 0: at once. */
export const secondsToNextCode = (
  db: Db,
  seal: Seal,
  { userId, ...cause }: { userId: string; systemId: string | null; countedFor?: string },
): Promise<number> => secondsToWait(db, limitsOf(seal, userId, cause))

/** Sends a code. Returns 0, or the seconds until the user can be sent another one for this system. */
export async function sendEmailCode(
  tx: Db,
  seal: Seal,
  actor: Actor,
  user: Reader,
  { uid, system, ...cause }: Sending,
): Promise<number> {
  const { systemId } = cause
  const limits = limitsOf(seal, user.id, cause)
  const [pause, mailed] = limits
  if (!(await reserve(tx, pause))) return Math.max(1, await secondsToWait(tx, limits))
  if (!(await reserve(tx, mailed))) {
    await giveBack(tx, pause)
    return Math.max(1, await secondsToWait(tx, limits))
  }
  const [id, code] = [randomUUID(), String(randomInt(1_000_000)).padStart(6, '0')]
  const signIn = ofSignIn(seal, { userId: user.id, uid })
  await replaceCode(
    tx,
    { id, ...signIn, email: user.email, hash: emailCodeHashOf(seal, id, code), triesLeft: TRIES },
    LIFETIME,
  )
  await enqueueEmail(tx, seal, signInCode(user, system, code, LIFETIME), { systemId, isAwaited: true })
  await record(tx, actor, { action: 'user.code_mailed', target: { type: 'user', id: user.id }, systemId })
  return 0
}

/** Whether a code was sent that is still valid. */
export const hasEmailCode = (db: Db, seal: Seal, signIn: SignIn): Promise<boolean> =>
  hasCode(db, ofSignIn(seal, signIn))

/** `address`: of a code that was sent before a login; `userId` is null if it has no user. */
type Typed = { uid: string; systemId: string | null; countedFor?: string | undefined } & (
  | { userId: string; address?: never }
  | { userId: string | null; address: string }
)

/**
 * Verifies a code; each call counts as one of its attempts. `verified` is the id to pass to `consumeCode`.
 */
export async function checkEmailCode(
  { db, seal }: { db: Db; seal: Seal },
  sender: Sender,
  { systemId, userId, uid, address, countedFor }: Typed,
  code: string,
): Promise<{ verified: string } | Rejection> {
  const target = userId === null ? {} : { target: { type: 'user', id: userId } }
  const failure = { action: 'user.mailed_code', ...target, systemId, outcome: 'failure' as const }
  // A code is valid in the sign-in that it was mailed for.
  const system = systemId ?? ''
  const counted = { userId, system, of: system, failure, countedFor }
  const attempt =
    address === undefined
      ? ({ ...counted, kind: 'mailed-code' } as const)
      : ({ ...counted, kind: 'link-code', counted: address } as const)
  return limitAttempts({ db, seal }, sender, attempt, async () => {
    const tried = await takeTry(db, ofSignIn(seal, { userId: userId ?? randomUUID(), uid }))
    return tried && timingSafeEqual(tried.hash, emailCodeHashOf(seal, tried.id, code)) ? tried.id : undefined
  })
}
