/** The secret of an authenticator app as it is stored: sealed for its user. */
import type { Seal } from '../../crypto/seal.ts'

export const totpContextOf = (userId: string) => `totp:${userId}`

export const sealTotpSecret = (seal: Seal, userId: string, secret: string): Buffer =>
  seal.seal(secret, totpContextOf(userId))

/** Throws if the secret was sealed for another user or under another key. */
export const openTotpSecret = (seal: Seal, userId: string, sealedSecret: Buffer): string =>
  seal.open(sealedSecret, totpContextOf(userId))
