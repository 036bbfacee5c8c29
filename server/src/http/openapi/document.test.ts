/** Validates the OpenAPI document by OpenAPI 3.1 and Redocly's `recommended-strict` rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { startTestApp } from '../../../test/support/testing.ts'
import { FAILURES } from '../../errors.ts'

/** Rules that are switched off, with the reason. */
const EXCEPTIONS = {
  'no-server-example.com': 'off', // a trial installation runs on localhost
  // a step of a sign-in answers with a redirect; docs.test.ts requires 2xx or 3xx
  'operation-2xx-response': 'off',
  'operation-4xx-response': 'off', // /health and the keys refuse no request
} as const

test('the OpenAPI document is valid and declares every error code', async (t) => {
  const { url } = await startTestApp(t)
  const source = await (await fetch(`${url}/openapi.json`)).text()
  const config = await createConfig({ extends: ['recommended-strict'], rules: EXCEPTIONS })

  const problems = await lintFromString({ source, absoluteRef: `${url}/openapi.json`, config })

  const document = JSON.parse(source)
  assert.match(document.openapi, /^3\.1\./)
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
  assert.deepEqual(document.components.schemas.ErrorCode.enum, Object.keys(FAILURES))
})

type Schema = {
  $ref?: string
  type?: unknown
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
} & Partial<Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>>

/**
 * The parts of a schema for which generators invent a model: openapi-generator names it after its place and
 * numbers the second one, openapi-python-client numbers each alternative (`_type_1`), and oapi-codegen makes
 * `null` a constant of an enumeration.
 */
function unnamedIn(place: string, schema: Schema, isNamed = false): string[] {
  if (schema.$ref !== undefined) return []
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const values = parts.filter(({ type }) => type !== 'null')
  const isInvented =
    values.length > 1 || values.some(({ $ref }) => $ref === undefined) || (schema.properties && !isNamed)
  const { items, additionalProperties: rest, properties = {} } = schema
  return [
    ...(schema.enum?.includes(null) ? [`${place}: an enumeration with null`] : []),
    ...(isInvented ? [`${place}: an object or a union without a name`] : []),
    ...(items ? unnamedIn(`${place}[]`, items) : []),
    ...(typeof rest === 'object' ? unnamedIn(`${place}{}`, rest) : []),
    ...Object.entries(properties).flatMap(([name, each]) => unnamedIn(`${place}.${name}`, each)),
  ]
}

test('each object, union and nullable enumeration has a name: no generator numbers or invents a model', async (t) => {
  const { url } = await startTestApp(t)
  const { components, paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, Schema>; parameters: Record<string, { schema: Schema }> }
    paths: Record<string, Record<string, unknown>>
  }
  /** The schemas of parameters, bodies and responses: each is the value of a key of this name. */
  const inlineOf = (part: unknown): Schema[] =>
    typeof part !== 'object' || part === null
      ? []
      : Object.entries(part).flatMap(([key, each]) => (key === 'schema' ? [each as Schema] : inlineOf(each)))
  /** A free-form object as a whole response becomes a model as well. */
  const isMap = (schema: Schema) => schema.type === 'object' && !schema.properties

  const unnamed = [
    ...Object.entries(components.schemas).flatMap(([name, schema]) => unnamedIn(name, schema, true)),
    ...Object.entries(components.parameters).flatMap(([name, { schema }]) => unnamedIn(name, schema)),
    ...Object.entries(paths).flatMap(([path, operations]) =>
      inlineOf(operations).flatMap((schema) => [
        ...unnamedIn(path, schema),
        ...(isMap(schema) ? [`${path}: a free-form object without a name`] : []),
      ]),
    ),
  ]

  assert.ok(Object.keys(components.schemas).length > 100)
  assert.deepEqual(unnamed, [])
})

test('an operation whose body is optional declares it, and accepts a request without a body', async (t) => {
  const { url, platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()

  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { required?: boolean } }>>
  }
  const answer = await platform.post(`/admin/systems/${id}/rotate-secret`)

  const bodyOf = (path: string) => paths[path]?.post?.requestBody?.required
  assert.deepEqual(
    [bodyOf('/admin/systems/{systemId}/rotate-secret'), bodyOf('/admin/systems')],
    [false, true],
  )
  assert.equal(answer.status, 200)
  assert.ok(!JSON.stringify(paths).includes('x-body-optional'))
})
