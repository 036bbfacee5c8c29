/**
 * Recovery codes, for the loss of every other factor: ten codes of 50 bits, each
 * valid once, stored as keyed hashes.
 */
import { randomInt } from 'node:crypto'
import type { Seal } from '../../crypto/seal.ts'

const COUNT = 10
const LENGTH = 10
/** RFC 4648 section 6: without 0, 1, 8 and 9. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const newCode = () => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

export const newRecoveryCodes = (): string[] => Array.from({ length: COUNT }, newCode)

/** The displayed form: `ABCDE-FGHIJ`. */
export const formatRecoveryCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`

/** Digits that are read as letters. */
const MISTAKEN: Record<string, string> = { 0: 'O', 1: 'I', 8: 'B' }

/**
 * A typed code in its stored form; undefined if it has not the shape of one. Blanks,
 * hyphens and letter case are ignored.
 */
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
