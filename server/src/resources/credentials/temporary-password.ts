import { randomInt } from 'node:crypto'

/** Without characters that are easily confused: i, l, 1, o, 0. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
/** 21 characters of an alphabet of 31: 104 bits. */
const GROUPS = 3
const GROUP_LENGTH = 7

/** 72 hours. */
export const TEMPORARY_HOURS = 72

/** A password to be read aloud or typed once: three groups of seven, such as `k7m2pqx-9htb4na-w3cdyf8`. */
export function temporaryPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}
