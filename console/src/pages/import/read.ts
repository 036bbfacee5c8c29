/** The users in a file. Line numbers are those of the file, from 1. */
import { texts } from '../../texts/texts.ts'
import { booleanOf } from './booleans.ts'
import { parseCsv } from './csv.ts'

export type Line = { line: number; user: Record<string, unknown> | undefined }
export type Read =
  | { format: 'csv'; header: string[]; rows: { line: number; cells: string[] }[] }
  | { format: 'ndjson'; lines: Line[] }

export const FIELDS = [
  'email',
  'emailVerified',
  'name',
  'givenName',
  'familyName',
  'locale',
  'phoneNumber',
  'zoneinfo',
  'passwordHash',
  'mustChangePassword',
  'disabled',
] as const
export type ImportField = (typeof FIELDS)[number]
const BOOLEANS: readonly Use[] = ['emailVerified', 'mustChangePassword', 'disabled']
/** What becomes of a column; '' is not used. */
export type Use = ImportField | 'metadata' | ''

const ALIASES: Record<string, ImportField> = {
  mail: 'email',
  emailaddress: 'email',
  verified: 'emailVerified',
  fullname: 'name',
  displayname: 'name',
  firstname: 'givenName',
  lastname: 'familyName',
  surname: 'familyName',
  language: 'locale',
  phone: 'phoneNumber',
  timezone: 'zoneinfo',
  hash: 'passwordHash',
  blocked: 'disabled',
}

/** Letters only, without what is in parentheses. */
const plainOf = (title: string) =>
  title
    .replace(/[(（].*/, '')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '')

/** What a column seems to be, by its title: the name of the field, or as this page calls it. */
export function useOf(title: string): Use {
  const plain = plainOf(title)
  const isIt = (field: ImportField) =>
    field.toLowerCase() === plain || plainOf(texts.imports.fields[field]) === plain
  return (plain !== '' && FIELDS.find(isIt)) || ALIASES[plain] || ''
}

export const readText = (text: string): Read =>
  /^\s*\{/.test(text) ? { format: 'ndjson', lines: linesOf(text) } : { format: 'csv', ...rowsOf(text) }

const linesOf = (text: string): Line[] =>
  text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return []
    return [{ line: index + 1, user: objectOf(content) }]
  })

function objectOf(text: string): Line['user'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Line['user'])
      : undefined
  } catch {
    return undefined
  }
}

function rowsOf(text: string) {
  const [first, ...rows] = parseCsv(text)
  return { header: first?.cells ?? [], rows: rows.filter(({ cells }) => cells.some(Boolean)) }
}

/**
 * The users of a CSV file by the use of its columns. An empty cell is no value. A word that is neither true
 * nor false is sent as it is: the server refuses the line and names the field.
 */
export const usersOf = ({ header, rows }: Extract<Read, { format: 'csv' }>, uses: readonly Use[]): Line[] =>
  rows.map(({ line, cells }) => {
    const user: Record<string, unknown> = {}
    const metadata: Record<string, string> = {}
    for (const [index, use] of uses.entries()) {
      const cell = cells[index]?.trim() ?? ''
      if (use === '' || cell === '') continue
      if (use === 'metadata') metadata[header[index]!] = cell
      else user[use] = BOOLEANS.includes(use) ? (booleanOf(cell) ?? cell) : cell
    }
    return { line, user: Object.keys(metadata).length > 0 ? { ...user, metadata } : user }
  })
