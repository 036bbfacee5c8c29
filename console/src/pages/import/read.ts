/** The users in a file. Line numbers are those of the file, from 1. */
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
] as const
export type Field = (typeof FIELDS)[number]
/** What becomes of a column; '' is not used. */
export type Use = Field | 'metadata' | ''

const ALIASES: Record<string, Field> = {
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
}

/** What a column seems to be, by its title. */
export function useOf(title: string): Use {
  const plain = title.toLowerCase().replace(/[^a-z]/g, '')
  return FIELDS.find((field) => field.toLowerCase() === plain) ?? ALIASES[plain] ?? ''
}

export async function readFile(file: File): Promise<Read> {
  const text = (await file.text()).replace(/^\uFEFF/, '')
  return /^\s*\{/.test(text) ? { format: 'ndjson', lines: linesOf(text) } : { format: 'csv', ...rowsOf(text) }
}

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

const isTrue = (text: string) => /^(true|1|yes|y|t)$/i.test(text.trim())

/** The users of a CSV file by the use of its columns. An empty cell is no value. */
export const usersOf = ({ header, rows }: Extract<Read, { format: 'csv' }>, uses: readonly Use[]): Line[] =>
  rows.map(({ line, cells }) => {
    const user: Record<string, unknown> = {}
    const metadata: Record<string, string> = {}
    for (const [index, use] of uses.entries()) {
      const cell = cells[index]?.trim() ?? ''
      if (use === '' || cell === '') continue
      if (use === 'metadata') metadata[header[index]!] = cell
      else user[use] = use === 'emailVerified' ? isTrue(cell) : cell
    }
    return { line, user: Object.keys(metadata).length > 0 ? { ...user, metadata } : user }
  })
