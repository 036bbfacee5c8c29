/** Wire shapes that more than one noun uses. Limits are ours unless a source is given. */
import { type Static, type TSchema, Type } from 'typebox'

export const Id = Type.String({ format: 'uuid' })

/** 1 to 100 characters. */
export const Name = Type.String({ minLength: 1, maxLength: 100 })

/** RFC 5321 section 4.5.3.1 bounds the length; a stricter grammar would refuse addresses that work. No spaces, quotes, brackets, commas or control characters. In a body or a query it is taken in NFC, however it is composed (compiled.ts). */
export const Email = Type.String({
  'x-unicode': 'NFC',
  maxLength: 254,
  pattern:
    '^[^@\\s<>"(),:;\\[\\]\\\\\\u0000-\\u001F\\u007F]{1,64}@[^@\\s<>"(),:;\\[\\]\\\\\\u0000-\\u001F\\u007F]+$',
})

/** UTC, ISO 8601, as Date.prototype.toISOString writes it. */
export const Time = Type.Unsafe<string>({ type: 'string', format: 'date-time' })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Every list takes these. `pageSize` above 100 is cut to 100. */
export const PageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  pageSize: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 20,
    description: 'More than 100 is cut to 100.',
  }),
}
const MAX_PAGE_SIZE = 100

export const Search = Type.String({
  'x-unicode': 'NFC',
  maxLength: 254,
  description: 'A part of the e-mail address, in any letter case.',
})
export const NameSearch = Type.String({
  maxLength: 254,
  description: 'A part of the name, in any letter case.',
})

/** Bounded by what a body may be. */
export const JsonObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Yours to fill; replaced as a whole.',
})

const Total = Type.Integer({
  description:
    'How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page.',
})

/** A page of a list. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), page: Type.Integer(), pageSize: Type.Integer(), total: Total })

export type PageRequest = { page: number; pageSize: number }

/** The rows to skip and to take. */
export function slice({ page, pageSize }: PageRequest): { limit: number; offset: number } {
  const limit = Math.min(pageSize, MAX_PAGE_SIZE)
  return { limit, offset: (page - 1) * limit }
}

/** What a list answers, from its rows and their count. */
export function pageOf<T>(
  request: PageRequest,
  data: T[],
  total: number,
): { data: T[]; page: number; pageSize: number; total: number } {
  return { data, page: request.page, pageSize: Math.min(request.pageSize, MAX_PAGE_SIZE), total }
}

/** An SQL LIKE pattern that matches `text` anywhere, its own % and _ taken literally. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export type { Static }
