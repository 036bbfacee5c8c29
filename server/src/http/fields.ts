/** Parses JSON bodies, and rejects or removes fields and query parameters that a schema does not define. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure, type FieldFault, invalid } from '../errors.ts'
import { isText } from '../text.ts'
import { FAULTS_MAX, step } from './validation-errors.ts'

/**
 * The maximum nesting of a body, a limit of our own: deeper values would overflow the stack of a recursive
 * serializer.
 */
const DEPTH_MAX = 20
/**
 * The maximum number of items of an array with a schema, a limit of our own: the check for unique items takes
 * quadratic time, and the report of invalid items can be many times larger than the array.
 */
const ITEMS_MAX = 1_000

/**
 * Parses JSON bodies itself, also JSON Merge Patches (RFC 7396), which is what a PATCH is here; and rejects
 * or removes the fields and query parameters that the schema of the operation does not define.
 */
export function takeBodies(app: FastifyInstance): void {
  app.decorateRequest('readOnly')
  app.addHook('onRoute', (route) => {
    const hooks = [
      ...(route.config?.bodyOptional ? [fillBody] : []),
      ...(route.method === 'PATCH' ? [takeReadOnlyFields] : []),
      ...(route.url.startsWith('/admin') ? [takeUnknownOfAdmin] : route.schema?.body ? [dropUnknown] : []),
    ]
    if (hooks.length > 0) route.preValidation = [hooks, route.preValidation ?? []].flat(2)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(merge-patch\+)?json\s*(;\s*charset="?utf-8"?\s*)?$/i,
    { parseAs: 'string' },
    (request, body, done) => {
      if (body === '') return done(null, undefined)
      try {
        done(null, readJson(app, request, body as string))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

/** Parses text by the rules for a body. Throws `invalid_request` or the error of the parser. */
export function readJson(app: FastifyInstance, request: FastifyRequest, text: string): unknown {
  let read: { error: Error | null; value: unknown } | undefined
  void app.getDefaultJsonParser('error', 'error')(request, text, (error, value) => {
    read = { error, value }
  })
  if (read?.error) throw read.error
  demandStorable(read?.value)
  return read?.value
}

/** Throws `invalid_request` if a parsed value cannot be stored and serialized: by its depth, or by a text. */
function demandStorable(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string' && !isText(value)) throw invalid(path, NO_TEXT)
  if (typeof value !== 'object' || value === null) return
  if (depth === DEPTH_MAX)
    throw new Failure('invalid_request', {
      detail: `The body is nested more than ${DEPTH_MAX} levels deep.`,
    })
  for (const [key, each] of Object.entries(value)) {
    if (!isText(key)) throw invalid(path, `has a field whose name ${NO_TEXT}`)
    demandStorable(each, path + step(key), depth + 1)
  }
}

const NO_TEXT = 'has half of a surrogate pair or the character U+0000, which cannot be stored'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

declare module 'fastify' {
  interface FastifyRequest {
    /** Fields of a PATCH that it does not set, with the reason to reject another value than the current. */
    readOnly: Record<string, { value: unknown; message: string }>
  }
  interface FastifyContextConfig {
    /** A request without a body is handled as one with `{}`. */
    bodyOptional?: boolean
    /** Fields that another operation sets, with the reason why this one rejects them. */
    setElsewhere?: Record<string, string>
  }
}

async function fillBody(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}

type Shape = {
  properties?: Record<string, Shape>
  anyOf?: Shape[]
  items?: Shape
  format?: string
  /** A field of an answer that is computed from other data. */
  'x-computed'?: boolean
}

/** The fields that a schema or one of its alternatives defines; undefined if it allows all fields. */
function propertiesOf({ properties, anyOf = [] }: Shape): Record<string, Shape> | undefined {
  const each = [properties, ...anyOf.map(propertiesOf)].filter((known) => known !== undefined)
  return each.length === 0 ? undefined : Object.assign({}, ...each)
}

/**
 * The fields of a value that its schema does not define, at any depth. A schema without `properties` allows
 * all fields.
 */
function unknownFields(
  value: unknown,
  shape: Shape,
  path = '',
): { holder: Record<string, unknown>; field: string; path: string }[] {
  if (Array.isArray(value)) {
    if (!shape.items) return []
    if (value.length > ITEMS_MAX) throw invalid(path, `has more than ${ITEMS_MAX} items`)
    return value.flatMap((each, at) => unknownFields(each, shape.items!, `${path}/${at}`))
  }
  const known = propertiesOf(shape)
  if (!known || !isObject(value)) return []
  return Object.entries(value).flatMap(([field, each]) =>
    Object.hasOwn(known, field)
      ? unknownFields(each, known[field]!, path + step(field))
      : [{ holder: value, field, path: path + step(field) }],
  )
}

type Unknown = ReturnType<typeof unknownFields>

/** `handling` of the header field `Prefer` (RFC 7240 section 4.4). */
function handlingOf({ headers }: FastifyRequest): string | undefined {
  return /\bhandling\s*=\s*"?(strict|lenient)\b/i.exec(String(headers.prefer ?? ''))?.[1]?.toLowerCase()
}

/**
 * Removes the fields that a schema does not define and returns their JSON pointers. With `Prefer:
 * handling=strict` the request is rejected instead.
 */
export function takeUnknown(request: FastifyRequest, value: unknown, shape: object): string[] {
  const unknown = unknownFields(value, shape)
  if (handlingOf(request) === 'strict') rejectUnknown(unknown)
  return removeUnknown(unknown)
}

function rejectUnknown(unknown: Unknown): void {
  if (unknown.length === 0) return
  const errors: FieldFault[] = unknown.slice(0, FAULTS_MAX).map(({ path }) => ({
    path,
    message: `is not a ${path.startsWith('/query/') ? 'parameter' : 'field'} of this operation`,
  }))
  throw new Failure('invalid_request', {
    detail: `The operation does not have ${errors[0]!.path}. \`Prefer: handling=lenient\` leaves out such fields.`,
    errors,
  })
}

function removeUnknown(unknown: Unknown): string[] {
  for (const { holder, field } of unknown) delete holder[field]
  return unknown.map(({ path }) => path)
}

/**
 * Rejects unknown fields of a body: a caller that receives 200 for `{"status": "suspended"}` believes that it
 * is stored. With `Prefer: handling=lenient` it may send more than we define. Unknown query parameters are
 * rejected with `handling=strict` only.
 */
async function takeUnknownOfAdmin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { body, querystring } = request.routeOptions.schema ?? {}
  const parameters = unknownFields(request.query, { properties: {}, ...(querystring as Shape) }, '/query')
  const fields = unknownFields(request.body, body ?? { properties: {} })
  const handling = handlingOf(request)
  if (handling !== 'lenient') rejectUnknown(handling === 'strict' ? [...parameters, ...fields] : fields)
  nameIgnored(reply, removeUnknown([...parameters, ...fields]))
}

/** Removes the fields of a body that the operation does not have. */
async function dropUnknown(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  nameIgnored(reply, takeUnknown(request, request.body, request.routeOptions.schema?.body ?? {}))
}

/** Encoded, since a field's name is the caller's text; bounded, since a header is (16 kB in all). */
function nameIgnored(reply: FastifyReply, paths: string[]): void {
  if (paths.length === 0) return
  reply.header(
    'ignored-fields',
    paths
      .slice(0, 20)
      .map((path) => path.slice(1, 51).toWellFormed().split('/').map(encodeURIComponent).join('/'))
      .join(', '),
  )
}

const isTime = ({ format, anyOf = [] }: Shape = {}): boolean => format === 'date-time' || anyOf.some(isTime)

/**
 * Takes the fields that the resource has and the operation does not set out of the body of a PATCH. The body
 * may have them as this caller reads them; `demandVersion` rejects other values, which a caller that gets 200
 * would take for stored. Times and computed flags are ignored: they may have changed since.
 */
async function takeReadOnlyFields(request: FastifyRequest): Promise<void> {
  const { body, routeOptions } = request
  const { schema = {}, config } = routeOptions
  const { properties: taken } = (schema.body ?? {}) as Shape
  const { properties: shown = {} } = (schema.response as Record<number, Shape> | undefined)?.[200] ?? {}
  request.readOnly = {}
  if (!isObject(body) || !taken) return
  const { setElsewhere = {} } = config
  for (const [field, value] of Object.entries(body)) {
    if (Object.hasOwn(taken, field)) continue
    if (isTime(shown[field]) || shown[field]?.['x-computed']) {
      delete body[field]
      continue
    }
    const message = Object.hasOwn(setElsewhere, field) ? setElsewhere[field]! : 'cannot be changed'
    if (Object.hasOwn(shown, field)) {
      request.readOnly[field] = { value, message }
      delete body[field]
    } else if (Object.hasOwn(setElsewhere, field)) throw invalid(step(field), message)
  }
}
