/** The validation errors of a request: a message for people and a JSON Pointer for each. */
import type { ErrorObject } from 'ajv'
import type { FieldFault } from '../errors.ts'

/** The greatest number of faults in a response. */
export const FAULTS_MAX = 10

/** The prefix of `path` for each part of a request; the body is the root. */
const ROOTS: Record<string, string> = { querystring: '/query', headers: '/headers', params: '/path' }

/** The faults that the validator found in one part of a request. */
export function faultsOf(errors: readonly ErrorObject[], part = 'body'): FieldFault[] {
  const root = ROOTS[part] ?? ''
  const faults = withoutAlternatives(errors).map((error) => ({
    path: `${root}${error.instancePath}${missingIn(error)}`,
    message: messageOf(error),
  }))
  return faults.slice(0, FAULTS_MAX)
}

/** A field's name as a step of a JSON Pointer (RFC 6901). */
export const step = (field: string) => `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`

const missingIn = ({ keyword, params }: ErrorObject) =>
  keyword === 'required' ? step(String(params.missingProperty)) : ''

/**
 * A value that matches none of several schemas (`anyOf`) has errors from each of them. Those that say more
 * than that the type is another one are kept; if there are none, one error lists the types.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = [...errors]
  for (const any of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const inside = kept.filter(({ schemaPath }) => schemaPath.startsWith(`${any.schemaPath}/`))
    const isType = (error: ErrorObject) => error.keyword === 'type' && error.instancePath === any.instancePath
    const types = inside.filter(isType).map(({ params }) => params.type)
    const dropped = inside.length > types.length ? new Set([any, ...inside.filter(isType)]) : new Set(inside)
    kept = kept
      .filter((error) => !dropped.has(error))
      .map((error) => (error === any ? { ...any, keyword: 'type', params: { type: types } } : error))
  }
  return kept
}

const TYPES: Record<string, string> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}
const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  'date-time': 'a date and time (RFC 3339)',
  uri: 'a URI (RFC 3986)',
}

/** Parameters of the keywords, as Ajv names them. */
type Params = { type: string | string[]; allowedValues: unknown[]; format: string; limit: number }

const MESSAGES: Record<string, (params: Params) => string> = {
  required: () => 'is required',
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((each) => TYPES[each])
      .join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${allowedValues.join(', ')}`,
  format: ({ format }) => `must be ${FORMATS[format] ?? 'of another format'}`,
  pattern: () => 'has an invalid format',
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} items`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  uniqueItems: () => 'must not contain an item twice',
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
}

/** A schema can have a message of its own (`x-message`). */
function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  const own: unknown = /^(pattern|x-address|x-birthdate|x-bytes|x-time-zone)$/.test(keyword)
    ? parentSchema?.['x-message']
    : undefined
  return typeof own === 'string' ? own : (MESSAGES[keyword]?.(params as Params) ?? message ?? 'is invalid')
}
