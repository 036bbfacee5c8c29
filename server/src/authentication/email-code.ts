/** Codes that are mailed at a sign-in, of systems with `requireEmailOtp`: six digits, for 10 minutes, five tries. */

import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { giveBack, reserve, secondsToWait } from '../http/limits/queries.ts'
import { CODE_PAUSE, CODES_MAILED, limitOf } from '../http/limits/rules.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { type Reader, signInCode } from '../jobs/email/messages.ts'
import { record } from '../resources/audit/record.ts'
import { hasCode, replaceCode, takeTry } from '../resources/credentials/codes.ts'
import type { Brand } from '../ui/brand.ts'

/** 10 minutes, in seconds. */
const LIFE = 600
const TRIES = 5

/** `uid`: of the interaction, in which alone the code is good. */
type SignIn = { userId: string; uid: string }

const hashOf = (seal: Seal, id: string, code: string) => seal.hash(JSON.stringify([id, code]), 'mailed-code')
const ofSignIn = (seal: Seal, { userId, uid }: SignIn) => ({
  userId,
  interactionHash: seal.hash(uid, 'mailed-code-interaction'),
})

type Sending = { uid: string; systemId: string | null; system: Brand | undefined }

/** Mails a code. Answers 0, or for how many seconds the person may get no other. */
export async function mailCode(
  tx: Db,
  seal: Seal,
  actor: Actor,
  user: Reader,
  { uid, systemId, system }: Sending,
): Promise<number> {
  const limits = [
    limitOf(seal, 'code-pause', CODE_PAUSE, user.id),
    limitOf(seal, 'codes-mailed', CODES_MAILED, user.id),
  ] as const
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
    { id, ...signIn, email: user.email, hash: hashOf(seal, id, code), triesLeft: TRIES },
    LIFE,
  )
  await sendMail(tx, seal, signInCode(user, system, code, LIFE))
  await record(tx, actor, { action: 'user.code_mailed', target: { type: 'user', id: user.id }, systemId })
  return 0
}

/** Whether there is a code that the person could still type. */
export const isCodeUnderWay = (db: Db, seal: Seal, signIn: SignIn): Promise<boolean> =>
  hasCode(db, ofSignIn(seal, signIn))

/** The id of the code that was typed, if it was right; `consumeCode` uses it. Each call costs a try. */
export async function checkMailedCode(
  db: Db,
  seal: Seal,
  signIn: SignIn,
  code: string,
): Promise<string | undefined> {
  const tried = await takeTry(db, ofSignIn(seal, signIn))
  return tried && timingSafeEqual(tried.hash, hashOf(seal, tried.id, code)) ? tried.id : undefined
}
