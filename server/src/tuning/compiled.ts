/**
 * Shapes as functions that check a value or write one as JSON. They and the libraries that make them come with the first
 * request that needs them: a process is asked for few of its routes, and all of them together were more than a quarter of its start.
 */
import { createRequire } from 'node:module'
import type { Ajv, ErrorObject } from 'ajv'
import type { FastifyServerOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'

const load = createRequire(import.meta.url)

/** As PostgreSQL writes them; the library's own format also takes `urn:uuid:`, which PostgreSQL doesn't. */
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Bodies are taken as they are; a query string is text, so its numbers are read from text. */
const exact = once(() => newAjv({ coerceTypes: false }))
const fromText = once(() => newAjv({ coerceTypes: true }))

function newAjv(more: { coerceTypes: boolean }): Ajv {
  const { Ajv }: typeof import('ajv') = load('ajv')
  const { default: formats }: typeof import('ajv-formats') = load('ajv-formats')
  load('fast-json-stringify') // if it can't be had, before anything was done that would then be answered with a fault
  const ajv = new Ajv({
    useDefaults: true,
    removeAdditional: false,
    allErrors: true,
    verbose: true,
    strict: false,
    ...more,
  })
  formats.default(ajv, ['date-time', 'uri']).addFormat('uuid', UUID)
  return ajv.addKeyword({
    keyword: 'x-unicode',
    type: 'string',
    schemaType: 'string',
    modifying: true,
    validate: normalise,
  })
}

type Place = { parentData?: object; parentDataProperty: string | number }

/**
 * Puts a text into the form of Unicode that its shape names (`x-unicode`), so that what looks the same is the same. A text
 * that is the whole value stands in nothing, and stays as it is.
 */
function normalise(form: string, text: string, _shape?: object, place?: Place) {
  const holder = place?.parentData as Record<string | number, string> | undefined
  if (holder) holder[place!.parentDataProperty] = text.normalize(form)
  return true
}

/** Of a faulty value `errors` says what is wrong, until the next is looked at. */
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

/** What a body of this shape is checked by. */
export function checkOf(shape: TSchema): Check {
  const known = checks.get(shape)
  if (known) return known
  const check = checkBy(exact, shape)
  checks.set(shape, check)
  return check
}

/** Whether a value that came in no body of its own has a shape. */
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

/** How Fastify comes by the functions of a route, in place of the compilers it would load. */
export const COMPILERS: Factories = {
  buildValidator: () =>
    (({ schema, httpPart }: Route) => checkBy(httpPart === 'body' ? exact : fromText, schema)) as never,
  buildSerializer: () => (({ schema }: Route) => writerOf(schema)) as never,
}
