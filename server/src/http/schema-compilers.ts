/**
 * Compiles schemas to functions that validate a value or serialize it as JSON, at the first request
 * that needs them: a process serves few of its routes, and compiling all of them took more than a
 * quarter of its start (decision 0036).
 */
import { createRequire } from 'node:module'
import type { Ajv, ErrorObject } from 'ajv'
import type { FastifyServerOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { addFormats } from './formats.ts'

const load = createRequire(import.meta.url)

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
  return addFormats(formats.default(ajv, ['date-time', 'uri']))
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

/** The compiler of an operation whose body is no JSON value: it validates that itself. */
export const bodyUnchecked = (part: { schema?: unknown; httpPart?: string | undefined }) =>
  part.httpPart === 'body'
    ? () => true
    : validatorOf({ schema: Object(part.schema), ...(part.httpPart && { httpPart: part.httpPart }) })

/** Replaces the compilers that Fastify would load for its routes. */
export const COMPILERS: Factories = {
  buildValidator: () => validatorOf as never,
  buildSerializer: () => (({ schema }: Route) => writerOf(schema)) as never,
}
