/**
 * Moves what operations share into `components`, and refers to it: each schema and each parameter that has a
 * `title`. A title stands for one definition; two different definitions under one title are an error.
 */
import { isDeepStrictEqual } from 'node:util'

export type Json = { [key: string]: unknown }
export type Operation = Json & {
  operationId: string
  parameters?: Json[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, Json & { content?: Record<string, MediaType> }>
}
export type MediaType = { schema: Json; example?: unknown; examples?: Json }
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Json>>
}

/** Keywords of our own compilers (http/schema-compilers.ts), which no client needs. */
const INTERNAL = [
  'x-address',
  'x-birthdate',
  'x-bytes',
  'x-computed',
  'x-message',
  'x-time-zone',
  'x-unicode',
]

export function nameComponents(document: Document): void {
  const { components } = document
  const { schemas = {}, parameters = {} } = components
  const visit = (schema: Json): Json => referTo(schemas, 'schemas', simplified(mapSchemas(schema, visit)))
  Object.assign(components, { schemas, parameters })
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = mapSchemas(schema, visit)
  for (const { parameters: given = [], requestBody, responses } of operationsOf(document)) {
    for (const media of Object.values(requestBody?.content ?? {})) media.schema = visit(media.schema)
    for (const { content } of Object.values(responses))
      for (const media of Object.values(content ?? {})) media.schema = visit(media.schema)
    given.splice(0, given.length, ...given.map((each) => named(parameters, visit, each)))
  }
}

export const operationsOf = ({ paths }: Document): Operation[] => Object.values(paths).flatMap(Object.values)

/** A parameter is the component; its schema stays in it. */
function named(parameters: Record<string, Json>, visit: (schema: Json) => Json, parameter: Json): Json {
  const { title: name, ...schema } = repeatable(parameter.schema as Json)
  // generators have one name space for all components
  const title = typeof name === 'string' && `${name}Parameter`
  return referTo(parameters, 'parameters', {
    ...(title && { title }),
    ...parameter,
    schema: visit(schema),
  })
}

/** A list of one value may be written without a list: the query string is the same (`form`, `explode`). */
function repeatable({ anyOf, ...schema }: Json): Json {
  const [one, list] = (anyOf ?? []) as Json[]
  const isList = list?.type === 'array' && isDeepStrictEqual(list.items, one)
  return isList ? { ...list, ...schema } : { ...(anyOf !== undefined && { anyOf }), ...schema }
}

function referTo(known: Record<string, Json>, kind: string, { title, ...definition }: Json): Json {
  if (typeof title !== 'string') return definition
  if (known[title] && !isDeepStrictEqual(known[title], definition))
    throw new Error(`two different ${kind} of the OpenAPI document are named ${title}`)
  known[title] = definition
  return { $ref: `#/components/${kind}/${title}` }
}

/** The schema with each schema in it mapped. */
function mapSchemas(schema: Json, map: (schema: Json) => Json): Json {
  const mapped = { ...schema }
  const one = (each: unknown) => (typeof each === 'object' && each !== null ? map(each as Json) : each)
  for (const key of ['items', 'additionalProperties']) if (key in mapped) mapped[key] = one(mapped[key])
  for (const key of ['anyOf', 'allOf', 'oneOf'])
    if (Array.isArray(mapped[key])) mapped[key] = (mapped[key] as Json[]).map(one)
  for (const key of ['properties', 'patternProperties'])
    if (mapped[key])
      mapped[key] = Object.fromEntries(
        Object.entries(mapped[key] as Json).map(([name, each]) => [name, one(each)]),
      )
  return mapped
}

/**
 * The schema without keywords of ours, with the type of an enumeration, and `null` as one of the types where
 * that is enough. It is not enough for an enumeration: clients are generated with `null` as one of its
 * constants, or with a numbered model for each place. It has a title, and `null` stands beside the reference.
 */
function simplified(schema: Json): Json {
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !INTERNAL.includes(key)))
  if (
    Array.isArray(rest.enum) &&
    rest.type === undefined &&
    rest.enum.every((each) => typeof each === 'string')
  )
    return { type: 'string', ...rest }
  const [value, none, ...more] = (rest.anyOf ?? []) as Json[]
  if (more.length > 0 || none?.type !== 'null' || typeof value?.type !== 'string') return rest
  if (value.type === 'object' || Array.isArray(value.enum)) return rest
  const { anyOf, ...own } = rest
  return {
    ...value,
    type: [value.type, 'null'],
    ...own,
  }
}
