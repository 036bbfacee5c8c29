/**
 * Random requests to the admin API, generated from its OpenAPI document. New operations are covered
 * automatically; an unknown parameter or field of id type fails the test.
 *
 * A request has placeholders: `{{foreign:user:3}}` is the id of a user outside of the caller's authority,
 * `own` of one within it, `unknown` of none. So the same request can be sent with another id.
 */
import fc from 'fast-check'
import { readDocument } from './openapi.ts'
import { pngOf } from './png.ts'
import type { AdminClient, Answer } from './testing.ts'

type Schema = {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  minItems?: number
}
type Parameter = { in: string; name: string; schema: Schema; required?: boolean }
type Described = {
  operationId: string
  'x-authority': string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: object }>
}

/** Fields that depend on each other: a random combination is rejected whatever the ids of the request. */
const OMITTED = new Set([
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
  'requireSignedRequestObject',
  'requirePkce',
  'securityProfile',
])

export type Operation = {
  id: string
  method: string
  path: string
  /** The authorities that may use it; others get 403. */
  authority: string[]
  parameters: Parameter[]
  body: Schema | undefined
  /** Media type of the body. A body of JSON lines is sent as one line. */
  mediaType: string | undefined
}

const isStream = ({ responses }: Described) => 'text/event-stream' in (responses[200]?.content ?? {})

/** Every admin operation except streams, which do not end (see events/stream.test.ts). */
export async function readOperations(url: string): Promise<Operation[]> {
  const { paths } = await readDocument<{ paths: Record<string, Record<string, Described>> }>(url)
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, each]) => !isStream(each))
        .map(([method, { operationId, 'x-authority': authority, parameters = [], requestBody }]) => ({
          id: operationId,
          method: method.toUpperCase(),
          path,
          authority,
          parameters,
          body: Object.values(requestBody?.content ?? {})[0]?.schema,
          mediaType: Object.keys(requestBody?.content ?? {})[0],
        })),
    )
}

/** The kind of resource of an id, by the name of its parameter or field. */
export const KINDS: Record<string, string> = {
  systemId: 'system',
  roleId: 'role',
  roles: 'role',
  founderRoleId: 'role',
  profileId: 'profile',
  profiles: 'profile',
  userId: 'user',
  accountId: 'account',
  membershipId: 'membership',
  ids: 'user',
  q: 'membership',
  jti: 'session',
  sid: 'session',
  sessionId: 'session',
  webhookId: 'webhook',
  deliveryId: 'delivery',
  emailId: 'email',
  eventId: 'event',
  invitationId: 'invitation',
  domainId: 'domain',
  connectionId: 'connection',
  defaultRoles: 'role',
  serviceAccountId: 'serviceAccount',
  keyId: 'key',
  factorId: 'factor',
  operatorId: 'operator',
  testSignInId: 'testSignIn',
  jobId: 'job',
  forUserId: 'user',
  actorId: 'user',
  targetId: 'membership',
}

/** Texts other than ids, by name. `{{fresh:…}}` is a new text each time. */
const TEXTS: Record<string, string[]> = {
  email: ['{{fresh:email:0}}'],
  password: ['correct horse battery staple'],
  locale: ['en'],
  kind: ['access_approved'],
  provider: ['google'],
  // A response repeats these: a text that is new each time would make two responses differ.
  redirectUri: ['https://own.example/wrong'],
  scope: ['openid unknown'],
  reason: ['password', 'other'],
  redirectUris: ['https://own.example/cb'],
  postLogoutRedirectUris: ['https://own.example/out'],
  backchannelLogoutUri: ['https://own.example/logout'],
  url: ['https://own.example/hook'],
  logoUrl: ['https://own.example/logo.png'],
  logoDarkUrl: ['https://own.example/brand/dark.png'],
  faviconUrl: ['https://own.example/brand/icon.png'],
  color: ['#336699'],
  image: ['logo'],
  scopes: ['read', 'write'],
  from: ['2020-01-01T00:00:00Z'],
  to: ['2100-01-01T00:00:00Z'],
}

/** The ids in a request: the caller's own, those of others, or unknown ones. */
export type Whose = 'own' | 'foreign' | 'unknown'
export type Request = {
  operation: Operation
  path: string
  query: [string, string][]
  body: string | undefined
}
/** Chooses the id for a placeholder. */
export type Chooser = (operation: Operation, name: string) => Whose

/** Chooses whether an optional parameter or field is included. */
export type Included = (name: string) => boolean

/** The optional parameters and fields of an operation. */
export const optionsOf = ({ parameters, body }: Operation): string[] => [
  ...parameters.filter((each) => each.in === 'query').map(({ name }) => name),
  ...Object.keys(body?.properties ?? {}).filter((name) => !body?.required?.includes(name)),
]

/** Depth of a body below which optional fields are omitted. */
const DEPTH_MAX = 4

export function requestOf(
  g: fc.GeneratorValue,
  operation: Operation,
  whose: Chooser,
  included: Included = () => g(fc.boolean),
): Request {
  const placeholder = (kind: string, name: string) =>
    `{{${whose(operation, name)}:${kind}:${g(fc.nat, { max: 9 })}}}`
  const kindOf = (name: string) =>
    ['add', 'remove'].includes(name) ? operation.path.split('/').at(-1)! : name

  function text(name: string, { format }: Schema): string {
    const kind = KINDS[kindOf(name)]
    if (kind) return placeholder(kind, name)
    if (name === 'search') return placeholder('search', name)
    if (format === 'uuid') throw new Error(`${operation.id}: of what is the id ${name}? Say it in KINDS.`)
    return g(fc.constantFrom, ...(TEXTS[name] ?? [`${name} {{fresh:text:0}}`]))
  }

  function integer({ minimum = 0, maximum = 100 }: Schema): number {
    return g(fc.integer, { min: minimum, max: Math.max(minimum, Math.min(maximum, 100)) })
  }

  function value(name: string, schema: Schema, depth = 0): unknown {
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return g(fc.constantFrom, ...schema.enum)
    if (schema.anyOf) return value(name, g(fc.constantFrom, ...schema.anyOf), depth)
    const type = Array.isArray(schema.type) ? g(fc.constantFrom, ...schema.type) : schema.type
    if (type === 'null') return null
    if (type === 'boolean') return g(fc.boolean)
    if (type === 'integer' || type === 'number') return integer(schema)
    if (type === 'array') {
      const length = g(fc.integer, { min: schema.minItems ?? 0, max: 2 })
      return Array.from({ length }, () => value(name, schema.items ?? { type: 'string' }, depth + 1))
    }
    if (type === 'object') {
      const fields = Object.entries(schema.properties ?? {}).filter(
        ([field]) =>
          !OMITTED.has(field) &&
          (schema.required?.includes(field) ||
            (depth < DEPTH_MAX && (depth === 0 ? included(field) : g(fc.boolean)))),
      )
      return Object.fromEntries(fields.map(([field, each]) => [field, value(field, each, depth + 1)]))
    }
    return text(name, schema)
  }

  const given = operation.parameters.filter((each) => each.in === 'path' || included(each.name))
  const path = given
    .filter((each) => each.in === 'path')
    .reduce((filled, { name }) => {
      if (!KINDS[name] && !TEXTS[name])
        throw new Error(`${operation.id}: what is ${name}? Say it in KINDS or TEXTS.`)
      return filled.replace(`{${name}}`, text(name, {}))
    }, operation.path)
  return {
    operation,
    path,
    query: given
      .filter((each) => each.in === 'query')
      .map(({ name, schema }) => [name, name === 'pageSize' ? '100' : String(value(name, schema))]),
    body: operation.body && JSON.stringify(value('', operation.body)),
  }
}

/** Ids by kind; `search` is an e-mail address. */
export type Things = Record<string, string[]>
/** A caller with its own and foreign ids. */
export type Asker = { client: AdminClient; own: Things; foreign: Things }

/** Ids that no other test uses: an import can create a user with an id of the request. */
const UNKNOWN_IDS = Array.from({ length: 20 }, () => crypto.randomUUID())

/** A well-formed id that does not exist. */
function unknownOf(kind: string, n: number): string {
  if (kind === 'session') return `unknown${n}`.padEnd(43, 'x')
  if (kind === 'search') return `unknown${n}@nowhere.test`
  return UNKNOWN_IDS[n % UNKNOWN_IDS.length]!
}

/** Sends a request with its placeholders filled in. `as` replaces foreign ids. */
export async function send(
  { client, own, foreign }: Asker,
  request: Request,
  as: Whose = 'foreign',
): Promise<Answer> {
  const things: Partial<Record<string, Things>> = { own, foreign: as === 'foreign' ? foreign : {} }
  const fill = (text: string) =>
    text.replace(/\{\{(\w+):(\w+):(\d+)\}\}/g, (_, whose: string, kind: string, n: string) => {
      if (whose === 'fresh')
        return kind === 'email' ? `${crypto.randomUUID()}@fresh.test` : crypto.randomUUID()
      const known = things[whose]?.[kind] ?? []
      if (known.length > 0) return known[Number(n) % known.length]!
      // There are as many unknown ids as foreign ones, which they stand for, and others besides.
      const nth = Number(n) % (foreign[kind]?.length || 10)
      return unknownOf(kind, whose === 'unknown' ? 10 + nth : nth)
    })
  const query = new URLSearchParams(request.query.map(([name, value]) => [name, fill(value)]))
  const path = `${fill(request.path)}${query.size > 0 ? `?${query}` : ''}`
  const method = request.operation.method.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete'
  if (method === 'get') return client.get(path)
  if (request.body === undefined) return client[method](path)
  const type = request.operation.mediaType ?? 'application/json'
  const body = type === 'image/png' ? pngOf() : fill(request.body)
  return client[method](path, body, { 'content-type': type })
}
