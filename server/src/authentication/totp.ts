/**
 * TOTP codes of authenticator apps (RFC 6238): SHA-1, 6 digits, 30 seconds, the
 * parameters that all apps support.
 */

import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Scope } from '../http/authority.ts'
import { epochOf, findValidTotps } from '../resources/factors/queries.ts'
import { openTotpSecret } from '../resources/factors/totp-secret.ts'

/** Loaded on first use, not at startup. */
const library = () => import('otplib')

/**
 * The secret that an enrollment offers: 160 bits, base32. It is derived, so that reloading the
 * page shows the same secret, and is stored only after a first code was verified. `enrolment` is
 * a random value of this enrollment.
 */
export async function offeredSecret(seal: Seal, userId: string, enrolment: string): Promise<string> {
  const { ScureBase32Plugin } = await library()
  const bytes = seal.hash(JSON.stringify([userId, enrolment]), 'totp-enrolment').subarray(0, 20)
  return new ScureBase32Plugin().encode(bytes, { padding: false })
}

/** The content of the QR code (key URI format of Google Authenticator). */
export async function keyUri(secret: string, issuer: string, email: string): Promise<string> {
  const { generateURI } = await library()
  return generateURI({ issuer: issuer.replaceAll(':', ' '), label: email, secret })
}

/** The time step of a valid code: the current one, the one before or the one after. */
async function stepOf(secret: string, code: string, epoch: number): Promise<number | undefined> {
  const { verifySync } = await library()
  const result = verifySync({ secret, token: code, epoch, epochTolerance: 30 })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Six digits, also full-width ones, without blanks and dashes; undefined if the input is anything else. */
export const readCode = (given: unknown): string | undefined => {
  const digits = typeof given === 'string' ? given.normalize('NFKC').replace(/[\s\p{Pd}]/gu, '') : ''
  return /^\d{6}$/.test(digits) ? digits : undefined
}

/** The time step of a first code for an offered secret; undefined if the code is wrong. */
export const confirmedStep = async (db: Db, secret: string, code: string): Promise<number | undefined> =>
  stepOf(secret, code, await epochOf(db))

/**
 * The authenticator app and the time step of a code that is valid in a system and was not used before;
 * `useStep` consumes it.
 */
export async function checkTotp(
  db: Db,
  seal: Seal,
  user: { userId: string; systemId: Scope },
  code: string,
): Promise<{ id: string; scope: Scope; step: number } | undefined> {
  for (const { id, scope, sealedSecret, lastStep, epoch } of await findValidTotps(
    db,
    user.userId,
    user.systemId,
  )) {
    const step = await stepOf(openTotpSecret(seal, user.userId, sealedSecret), code, epoch)
    if (step !== undefined && step > (lastStep ?? 0)) return { id, scope, step }
  }
  return undefined
}
