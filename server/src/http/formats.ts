/** The formats and keywords of our schemas that JSON Schema does not have. Some convert the value. */
import type { Ajv } from 'ajv'
import { storedAddress } from '../email-address.ts'
import { UUID } from './uuid.ts'

export function addFormats(ajv: Ajv): Ajv {
  const modifying = { type: 'string', modifying: true } as const
  return ajv
    .addFormat('uuid', UUID)
    .addFormat('email', true) // for the OpenAPI document; `x-address` validates
    .addKeyword({ ...modifying, keyword: 'x-address', schemaType: 'boolean', validate: toStoredForm })
    .addKeyword({ type: 'string', keyword: 'x-birthdate', schemaType: 'boolean', validate: isBirthdate })
    .addKeyword({ type: 'string', keyword: 'x-time-zone', schemaType: 'boolean', validate: isTimeZone })
    .addKeyword({ type: 'object', keyword: 'x-bytes', schemaType: 'number', validate: isWithin })
    .addKeyword({ ...modifying, keyword: 'x-unicode', schemaType: 'string', validate: normalise })
}

/** OpenID Connect Core section 5.1 (`x-birthdate`): YYYY-MM-DD, YYYY, or 0000-MM-DD without the year. */
function isBirthdate(_schema: boolean, text: string): boolean {
  const [, year, day] = /^(\d{4})(-\d{2}-\d{2})?$/.exec(text) ?? []
  if (year === undefined) return false
  if (day === undefined) return year !== '0000'
  const date = new Date(`${year === '0000' ? '2000' : year}${day}T00:00:00Z`) // 2000 has a February 29
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(4, 10) === day
}

/** A name of the IANA time zone database, not an offset (`x-time-zone`). */
function isTimeZone(_schema: boolean, text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

type Place = { parentData?: object; parentDataProperty: string | number }

/**
 * Converts a text to the Unicode normalization form of its schema (`x-unicode`), so that equal-looking texts
 * are equal. A text that is the whole value has no parent, and is not converted.
 */
function normalise(form: string, text: string, _shape?: object, place?: Place) {
  replaceBy(text.normalize(form), place)
  return true
}

/** Whether the JSON of an object has at most this number of bytes (`x-bytes`). */
const isWithin = (max: number, value: object): boolean => Buffer.byteLength(JSON.stringify(value)) <= max

/** Converts an email address to its stored form (`x-address`). Not valid without one. */
function toStoredForm(_schema: boolean, text: string, _shape?: object, place?: Place) {
  const stored = storedAddress(text)
  if (stored !== undefined) replaceBy(stored, place)
  return stored !== undefined
}

function replaceBy(text: string, place: Place | undefined) {
  const holder = place?.parentData as Record<string | number, string> | undefined
  if (holder) holder[place!.parentDataProperty] = text
}
