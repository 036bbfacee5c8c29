/**
 * Schemas that more than one resource uses. Limits are our own unless a source is given. The OpenAPI
 * document has a component for every schema that has a `title` (http/openapi/components.ts), and for
 * every parameter whose schema has one.
 */

import { type Static, type TSchema, type TSchemaOptions, type TString, Type } from 'typebox'
import { ADDRESS_MAX } from '../email-address.ts'
import { EXAMPLE } from './example.ts'
import { OBJECT_BYTES_MAX } from './quotas.ts'

/** A UUID as PostgreSQL reads it. */
export const Id = Type.String({ format: 'uuid' })

/** A path parameter: the id of a `noun`. */
export const pathId = (noun: keyof typeof EXAMPLE): TString =>
  Type.String({
    format: 'uuid',
    title: `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Id`,
    description: `The id of the ${noun}.`,
    examples: [EXAMPLE[noun]],
  })

/** 1 to 100 characters. */
export const Name = Type.String({ minLength: 1, maxLength: 100 })

/**
 * RFC 5321 section 4.5.3.1 limits the length; a stricter grammar would reject addresses that work. White
 * space, quotes, brackets, commas, control and format characters are not allowed. Converted to the stored
 * form in a body or a query (http/formats.ts).
 */
export const Email = Type.String({
  format: 'email',
  'x-address': true,
  'x-message': 'must be an email address',
  maxLength: ADDRESS_MAX,
  description:
    'Stored and returned in NFC, with ASCII letters in lower case and the domain as A-labels without a trailing dot. A domain with characters that IDNA maps to others is refused.',
})

/** UTC, ISO 8601, as Date.prototype.toISOString writes it. */
export const Time = Type.Unsafe<string>({ type: 'string', format: 'date-time' })

/** A time with a description of its own. */
export const timeOf = (description: string) => Type.Unsafe<string>({ ...Time, description })

export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** The claims of a token, as a value for people. */
export const TokenClaims = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'TokenClaims',
})

/** One of a few strings. */
export const oneOf = <const Values extends readonly string[]>(values: Values, options: TSchemaOptions = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/** Every list takes these. */
export const PageQuery = {
  page: Type.Integer({
    title: 'Page',
    minimum: 1,
    maximum: 1_000_000_000,
    default: 1,
    description: 'The number of the page, from 1. A page after the last one is empty.',
  }),
  pageSize: Type.Integer({
    title: 'PageSize',
    minimum: 1,
    maximum: 1_000_000_000,
    default: 20,
    description: 'The number of items on a page. A value above 100 is treated as 100.',
  }),
  order: Type.Optional(
    oneOf(['createdAt'], {
      title: 'Order',
      description:
        '`createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      title: 'Cursor',
      maxLength: 300,
      description:
        'The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile.',
    }),
  ),
}

export const Search = Type.String({
  'x-unicode': 'NFC',
  title: 'EmailSearch',
  maxLength: 254,
  description: 'Returns only items whose email address contains this text. Case-insensitive.',
})
/** A search by what a row shows of a user. */
export const Query = Type.String({
  'x-unicode': 'NFC',
  title: 'UserQuery',
  maxLength: 254,
  pattern: '^[^\\u0000]*$',
  'x-message': 'must be a text of at most 254 characters',
  description:
    'Returns only items whose email address or name, as the caller reads them in the item, contains this text. Case-insensitive. With `search`, both must match.',
})
export const NameSearch = Type.String({
  title: 'NameSearch',
  maxLength: 254,
  description: 'Returns only items whose name contains this text. Case-insensitive.',
})

export const JsonObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  'x-bytes': OBJECT_BYTES_MAX,
  'x-message': 'must have at most 16,384 bytes',
  description: 'Any JSON object of at most 16,384 bytes. An update replaces the whole object.',
})

const Total = Type.Integer({
  description:
    'The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter.',
})

/** A page of a list, with the name of its component in the OpenAPI document. */
export const PageOf = <T extends TSchema>(item: T, title?: string) =>
  Type.Object(
    {
      data: Type.Array(item),
      page: Type.Integer({ description: 'The number of this page.' }),
      pageSize: Type.Integer({ description: 'The greatest number of items on a page, at most 100.' }),
      total: Total,
      nextCursor: Nullable(Type.String(), {
        description: 'The `cursor` of the next page; null on the last one.',
      }),
    },
    title === undefined ? {} : { title },
  )

export type { Static }
