/**
 * Challenges of passkeys (Web Authentication section 13.4.3): 128 random bits and a keyed hash that binds them to one
 * sign-in or session, so that nothing is stored before one is used; then it is, and is not good again.
 */
import { randomBytes } from 'node:crypto'
import { type Seal, sameText } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'

const markOf = (seal: Seal, nonce: string, binding: string) =>
  seal
    .hash(JSON.stringify([nonce, binding]), 'passkey-challenge')
    .subarray(0, 16)
    .toString('base64url')

/** base64url. `binding`: whose challenge it is; a random value that ends, such as the uid of an interaction. */
export function newChallenge(seal: Seal, binding: string): string {
  const nonce = randomBytes(16)
  return Buffer.concat([
    nonce,
    Buffer.from(markOf(seal, nonce.toString('base64url'), binding), 'base64url'),
  ]).toString('base64url')
}

export function isChallenge(seal: Seal, challenge: string, binding: string): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== 32) return false
  const [nonce, mark] = [bytes.subarray(0, 16), bytes.subarray(16)].map((part) => part.toString('base64url'))
  return sameText(markOf(seal, nonce!, binding), mark!)
}

/** True for exactly one caller. `life` in seconds: as long as the binding lasts. */
export const spendChallenge = (tx: Db, seal: Seal, challenge: string, life: number): Promise<boolean> =>
  insertArtifact(tx, {
    model: 'PasskeyChallenge',
    idHash: seal.hash(challenge, 'passkey-challenge-spent'),
    expiresIn: life,
  })
