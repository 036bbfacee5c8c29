/** Values of query parameters that a schema cannot describe completely. */
import { invalid } from '../errors.ts'
import { isUuid } from './uuid.ts'

/** The format allows times that JavaScript (a leap second) or PostgreSQL (the year 0) does not. */
export function momentOf(name: string, text: string): Date {
  const moment = new Date(text)
  const year = moment.getUTCFullYear()
  if (!(year >= 1 && year <= 9999))
    throw invalid(`/query/${name}`, 'must be a date and time of the years 1 to 9999')
  return moment
}

/** A list of values that are separated by commas, each once. */
export function readList(name: string, text: string, max: number): string[] {
  const values = [...new Set(text.split(',').filter((each) => each !== ''))]
  if (values.length > max) throw invalid(`/query/${name}`, `must be at most ${max} values`)
  return values
}

export function uuidsOf(name: string, text: string, max: number): string[] {
  const ids = readList(name, text, max)
  if (!ids.every(isUuid)) throw invalid(`/query/${name}`, 'must be UUIDs separated by commas')
  return ids
}
