/** Codes for who has lost every other factor: ten of 50 bits, each good once, stored as keyed hashes. */
import { randomInt } from 'node:crypto'
import type { Seal } from '../crypto/seal.ts'

const COUNT = 10
const LENGTH = 10
/** RFC 4648 section 6: without 0, 1, 8 and 9. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const newCode = () => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

export const newRecoveryCodes = (): string[] => Array.from({ length: COUNT }, newCode)

/** As it is shown: `ABCDE-FGHIJ`. */
export const written = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`

const MISTAKEN: Record<string, string> = { 0: 'O', 1: 'I', 8: 'B' }

/** A code as people type it, with the digits that only look like letters of it. */
export function readRecoveryCode(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > 40) return undefined
  const code = given
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[018]/g, (digit) => MISTAKEN[digit]!)
  return code.length === LENGTH && [...code].every((character) => ALPHABET.includes(character))
    ? code
    : undefined
}

export const recoveryHash = (seal: Seal, userId: string, code: string): Buffer =>
  seal.hash(JSON.stringify([userId, code]), 'recovery-code')
