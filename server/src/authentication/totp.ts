/** Authenticator apps: RFC 6238 with SHA-1, 6 digits and 30 seconds, which is what all of them speak. */

import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { epochOf, findTotp } from '../resources/factors/queries.ts'

/** Loaded when the first is needed: a start has no use for it. */
const library = () => import('otplib')

const contextOf = (userId: string) => `totp:${userId}`

export const sealSecret = (seal: Seal, userId: string, secret: string): Buffer =>
  seal.seal(secret, contextOf(userId))

/**
 * The secret an enrolment offers, 160 bits in base32: the same however often its page is opened, and kept nowhere until a
 * first code was right. `enrolment` is a random value of this one enrolment.
 */
export async function offeredSecret(seal: Seal, userId: string, enrolment: string): Promise<string> {
  const { ScureBase32Plugin } = await library()
  const bytes = seal.hash(JSON.stringify([userId, enrolment]), 'totp-enrolment').subarray(0, 20)
  return new ScureBase32Plugin().encode(bytes, { padding: false })
}

/** What the QR code says (the key URI format of Google Authenticator). */
export async function keyUri(secret: string, issuer: string, email: string): Promise<string> {
  const { generateURI } = await library()
  return generateURI({ issuer: issuer.replaceAll(':', ' '), label: email, secret })
}

/** The step a code is of: the one of now, the one before or the one after. */
async function stepOf(secret: string, code: string, epoch: number): Promise<number | undefined> {
  const { verifySync } = await library()
  const result = verifySync({ secret, token: code, epoch, epochTolerance: 30 })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Six digits, as people type them. */
export const readCode = (given: unknown): string | undefined => {
  const digits = typeof given === 'string' ? given.replace(/[\s-]/g, '') : ''
  return /^\d{6}$/.test(digits) ? digits : undefined
}

/** The step of a first code for a secret that is offered. */
export const confirmedStep = async (db: Db, secret: string, code: string): Promise<number | undefined> =>
  stepOf(secret, code, await epochOf(db))

/** The app and the step of a right code that is not used yet; `useStep` uses it. */
export async function checkTotp(
  db: Db,
  seal: Seal,
  userId: string,
  code: string,
): Promise<{ id: string; step: number } | undefined> {
  const totp = await findTotp(db, userId)
  if (!totp) return undefined
  const step = await stepOf(seal.open(totp.sealedSecret, contextOf(userId)), code, totp.epoch)
  return step !== undefined && step > (totp.lastStep ?? 0) ? { id: totp.id, step } : undefined
}
