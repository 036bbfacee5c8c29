/** Writes src/api.ts, the types of docs/openapi.json; a part of `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

const API = join(import.meta.dirname, 'src/api.ts')
const DOCUMENT = join(import.meta.dirname, '../docs/openapi.json')

type Content = {
  content?: Record<string, { schema: { allOf?: { properties?: { code?: { enum: string[] } } }[] } }>
}
type Operation = { requestBody?: Content; responses: Record<string, Content> }

const isJson = ({ content = {} }: Content = {}) =>
  Object.keys(content).every((type) => type === 'application/json')
const codesOf = ({ content }: Content) =>
  (content?.['application/problem+json']?.schema.allOf ?? []).flatMap(
    ({ properties }) => properties?.code?.enum ?? [],
  )

/** What it may answer that is no refusal. */
const answersOf = ({ responses }: Operation) =>
  Object.entries(responses).filter(([status]) => status.startsWith('2'))

/** Of the admin API what speaks JSON both ways, and the codes of all its refusals. */
export async function apiTypes(): Promise<string> {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenAPI3 & {
    paths: Record<string, Record<string, Operation>>
  }
  const codes = new Set<string>()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [path, methods] of Object.entries(document.paths).filter(([path]) =>
    path.startsWith('/admin/'),
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      const answers = answersOf(operation)
      for (const code of Object.values(operation.responses).flatMap(codesOf)) codes.add(code)
      if (!isJson(operation.requestBody) || !answers.every(([, answer]) => isJson(answer))) continue
      paths[path] = { ...paths[path], [method]: { ...operation, responses: Object.fromEntries(answers) } }
    }
  }
  const types = await openapiTS({ openapi: document.openapi, info: document.info, paths } as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false, // what has a default need not be given
  })
  const failures = [...codes].sort().map((code) => `  | '${code}'`)
  return `/** Written by \`npm run docs\` from docs/openapi.json. */\n\nexport type FailureCode =\n${failures.join('\n')}\n\n${astToString(types)}`
}

export const committedTypes = () => readFileSync(API, 'utf8')

if (import.meta.main) writeFileSync(API, await apiTypes())
