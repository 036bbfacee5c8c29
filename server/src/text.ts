/**
 * What a text from outside may be. JSON can escape half of a surrogate pair, which PostgreSQL and UTF-8 do
 * not have: two texts that differ only there would be stored as one. Texts in URLs, forms and headers are
 * decoded bytes, in which it does not occur.
 */
export const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\0')

/** Whether all texts of a value of JSON, and the names of its fields, are such. */
export function hasOnlyText(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  if (typeof value !== 'object' || value === null) return true
  for (const name in value) if (!isText(name) || !hasOnlyText(value[name as keyof typeof value])) return false
  return true
}

/** The first characters of a text. `slice` alone would cut a surrogate pair. */
export const shortened = (value: string, max: number): string =>
  value.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')

/** Characters of a name that a provider states. */
const CLAIM_MAX = 100

/** A stated text without control characters and those that change the direction of writing. */
export const claimText = (value: unknown): string | null =>
  (typeof value === 'string' &&
    shortened(
      value
        .toWellFormed()
        .replace(/[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ')
        .trim(),
      CLAIM_MAX,
    )) ||
  null
