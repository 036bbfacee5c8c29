/**
 * The TXT record by which an organization shows that it controls a domain. There is no list of public
 * suffixes or of email providers: who cannot set a record below a name cannot verify it, and who can is its
 * owner. The name begins with an underscore, which the names that providers give to customers do not.
 */
import type { FoundRecords } from '../../database/schema.ts'
import { DOMAIN_MAX, storedDomain } from '../../email-address.ts'
import { invalid } from '../../errors.ts'

/** A value found in the DNS that is shown, in characters, and the number of such values. */
const SHOWN_MAX = 200
const SHOWN = 5
/** A longer value is no value of ours, in characters: providers add spaces and quotes. */
const VALUE_MAX = 1_000

/** What a record consists of. `word`: DOMAIN_RECORD when the domain was added. */
export type Challenge = { name: string; word: string; token: string }

const nameOf = ({ name, word }: Omit<Challenge, 'token'>): string => `_${word}-challenge.${name}`

export const recordOf = (challenge: Challenge) => ({
  name: nameOf(challenge),
  type: 'TXT' as const,
  value: `${challenge.word}-verification=${challenge.token}`,
})

/**
 * The names that are asked: that of the record, and the same once more below the domain, which the pages of
 * some providers make of a name that is complete already. Both are below the domain.
 */
export function askedNames(challenge: Challenge): string[] {
  const name = nameOf(challenge)
  const doubled = `${name}.${challenge.name}`
  return doubled.length <= DOMAIN_MAX ? [name, doubled] : [name]
}

/** The stored form of a domain whose record can exist. Throws `invalid_request`. */
export function domainNamed(typed: string, word: string): string {
  const name = storedDomain(typed)
  if (name === undefined)
    throw invalid('/name', 'must be a domain such as example.com, as it is written in email addresses')
  if (nameOf({ name, word }).length > DOMAIN_MAX)
    throw invalid('/name', 'is too long: its TXT record would have a name of more than 253 characters')
  return name
}

/** A value without the spaces, quotes and pieces that the pages of some providers store as a part of it. */
function plain(value: string): string {
  const text = value.trim()
  if (!/^(?:"[^"]*"\s*)+$/.test(text)) return text
  return Array.from(text.matchAll(/"([^"]*)"/g), ([, piece]) => piece)
    .join('')
    .trim()
}

/** Whether a value is the token, with or without what stands before it. */
export function isOwnRecord(value: string, challenge: Challenge): boolean {
  if (value.length > VALUE_MAX) return false
  const text = plain(value)
  return text === challenge.token || text === recordOf(challenge).value
}

/**
 * What is shown of the values that were found: those that look like ours. Others may be of a private zone of
 * the operator, whose resolver is asked.
 */
export function foundIn(values: string[], { token, word }: Challenge): FoundRecords {
  const alike = values.filter((value) => value.includes(token) || value.includes(word)).slice(0, SHOWN)
  return {
    values: alike.map((value) => value.slice(0, SHOWN_MAX).replace(/[^\x20-\x7e]/g, '?')),
    others: values.length - alike.length,
  }
}
