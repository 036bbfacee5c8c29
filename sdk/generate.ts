/** Writes src/api.ts, the types of docs/openapi.json; a part of `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'

const API = join(import.meta.dirname, 'src/api.ts')
const DOCUMENT = join(import.meta.dirname, '../docs/openapi.json')

type Content = { content?: Record<string, { examples?: Record<string, unknown> }> }
type Operation = { requestBody?: Content; responses: Record<string, Content> }
type Components = Record<string, Record<string, object>>

const isOf = (types: string[], { content = {} }: Content = {}) =>
  Object.keys(content).every((type) => types.includes(type))
/** The error codes of a response: each has an example. */
const codesOf = ({ content }: Content) => Object.keys(content?.['application/problem+json']?.examples ?? {})

/** The components that a part of the document refers to, and those that they refer to. */
function componentsOf(part: object, all: Components, found: Components = {}): Components {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
    const component = all[kind]?.[name]
    if (!component || found[kind]?.[name]) continue
    found[kind] = { ...found[kind], [name]: component }
    componentsOf(component, all, found)
  }
  return found
}

/** The successful responses. */
const answersOf = ({ responses }: Operation) =>
  Object.entries(responses).filter(([status]) => status.startsWith('2'))

const PNG = 'image/png'
const bytes = ts.factory.createTypeReferenceNode('Uint8Array')

/** The operations of the admin API whose bodies are JSON or an image, and the codes of all its errors. */
export async function apiTypes(): Promise<string> {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenAPI3 & {
    paths: Record<string, Record<string, Operation>>
    components: Components
  }
  const codes = new Set<string>()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [path, methods] of Object.entries(document.paths).filter(([path]) =>
    path.startsWith('/admin/'),
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      const answers = answersOf(operation)
      for (const code of Object.values(operation.responses).flatMap(codesOf)) codes.add(code)
      if (!isOf(['application/json', PNG], operation.requestBody)) continue
      if (!answers.every(([, answer]) => isOf(['application/json'], answer))) continue
      paths[path] = { ...paths[path], [method]: { ...operation, responses: Object.fromEntries(answers) } }
    }
  }
  const components = componentsOf(paths, document.components)
  const types = await openapiTS(
    { openapi: document.openapi, info: document.info, paths, components } as OpenAPI3,
    {
      alphabetize: true,
      defaultNonNullable: false, // a parameter with a default is optional
      transform: (schema) => (Object(schema).contentMediaType === PNG ? bytes : undefined),
    },
  )
  const failures = [...codes].sort().map((code) => `  | '${code}'`)
  return `/** Written by \`npm run docs\` from docs/openapi.json. */\n\nexport type FailureCode =\n${failures.join('\n')}\n\n${astToString(types)}`
}

export const committedTypes = () => readFileSync(API, 'utf8')

if (import.meta.main) writeFileSync(API, await apiTypes())
