/** Rules for a password that a user chooses: its length and the list of common passwords (decision 0017). */
import { readFileSync } from 'node:fs'
import { lengthFault } from '../../crypto/password-hash.ts'

export type ChosenFault = 'short' | 'long' | 'common'

export function chosenFault(password: string, minLength: number): ChosenFault | undefined {
  return lengthFault(password, minLength) ?? (isCommon(password) ? 'common' : undefined)
}

let known: Set<string> | undefined

/** Loaded on first use. The notice at its start ends with an empty line. */
function common(): Set<string> {
  const text = readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
  known ??= new Set(text.slice(text.indexOf('\n\n')).split('\n').filter(Boolean))
  return known
}

const isCommon = (password: string) => common().has(password.normalize('NFC').trim().toLowerCase())
