/** What is asked of a password that people choose for themselves, beyond its length (decision 0017). */
import { readFileSync } from 'node:fs'
import { lengthFault } from '../../crypto/password-hash.ts'

export type ChosenFault = 'short' | 'long' | 'common'

export function chosenFault(password: string, minLength: number): ChosenFault | undefined {
  return lengthFault(password, minLength) ?? (isCommon(password) ? 'common' : undefined)
}

let known: Set<string> | undefined

/** Read when the first is chosen: a start has no use for it. Its notice ends with an empty line. */
function common(): Set<string> {
  const text = readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
  known ??= new Set(text.slice(text.indexOf('\n\n')).split('\n').filter(Boolean))
  return known
}

const isCommon = (password: string) => common().has(password.normalize('NFC').trim().toLowerCase())
