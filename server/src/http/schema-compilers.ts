/**
 * Compiles schemas to functions that validate a value or serialize it as JSON, at the first request
 * that needs them: a process serves few of its routes, and compiling all of them took more than a
 * quarter of its start (decision 0036).
 */
import { createRequire } from 'node:module'
import type { Ajv, ErrorObject } from 'ajv'
import type { FastifyServerOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { storedAddress } from '../email-address.ts'

const load = createRequire(import.meta.url)

/** In PostgreSQL's format; the library's own also accepts `urn:uuid:`, which PostgreSQL does not. */
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Bodies are validated without conversion; the numbers of a query string are converted from text. */
const exact = once(() => newAjv({ coerceTypes: false }))
const fromText = once(() => newAjv({ coerceTypes: true }))

function newAjv(more: { coerceTypes: boolean }): Ajv {
  const { Ajv }: typeof import('ajv') = load('ajv')
  const { default: formats }: typeof import('ajv-formats') = load('ajv-formats')
  load('fast-json-stringify') // fails here if it is missing, not after the request has changed something
  const ajv = new Ajv({
    useDefaults: true,
    removeAdditional: false,
    allErrors: true,
    verbose: true,
    strict: false,
    ...more,
  })
  formats.default(ajv, ['date-time', 'uri']).addFormat('uuid', UUID)
  const modifying = { type: 'string', modifying: true } as const
  return ajv
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

/** `errors` describes the last value that was not valid. */
export type Check = { (value: unknown): boolean; errors?: ErrorObject[] | null }

function checkBy(ajv: () => Ajv, shape: object): Check {
  const compiled = once(() => ajv().compile(shape))
  const check: Check = (value) => {
    const made = compiled()
    const right = made(value)
    check.errors = made.errors ?? null
    return right
  }
  return check
}

const checks = new WeakMap<TSchema, Check>()

/** The validator of a body with this schema. */
export function checkOf(shape: TSchema): Check {
  const known = checks.get(shape)
  if (known) return known
  const check = checkBy(exact, shape)
  checks.set(shape, check)
  return check
}

/** Whether a value is valid by a schema. */
export const fits = <Shape extends TSchema>(shape: Shape, value: unknown): value is Static<Shape> =>
  checkOf(shape)(value)

function writerOf(shape: object): (value: unknown) => string {
  const compiled = once(() => {
    const { default: compile }: typeof import('fast-json-stringify') = load('fast-json-stringify')
    return compile(shape)
  })
  return (value) => compiled()(value)
}

type Factories = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type Route = { schema: object; httpPart?: string }

/** The validator of a part of a request. */
export const validatorOf = ({ schema, httpPart }: Route): Check =>
  checkBy(httpPart === 'body' ? exact : fromText, schema)

/** Replaces the compilers that Fastify would load for its routes. */
export const COMPILERS: Factories = {
  buildValidator: () => validatorOf as never,
  buildSerializer: () => (({ schema }: Route) => writerOf(schema)) as never,
}
