/**
 * The OpenAPI 3.1 document: served at GET /openapi.json, written to docs/openapi.json by docs.ts. An
 * operation is described by its `config.docs` and by the schemas that its route checks. Parameters, headers
 * and errors that all operations of the admin API share are added here.
 */
import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { type Config, VERSION } from '../../config/config.ts'
import type { FailureCode } from '../../errors.ts'
import type { Authority } from '../authority.ts'
import { type Docs, TAGS } from '../docs.ts'
import { classOf } from '../power.ts'
import { CONSOLE_API } from '../recent-sign-in.ts'
import { COMPILERS } from '../schema-compilers.ts'
import { type Document, type Json, nameComponents, type Operation, operationsOf } from './components.ts'
import { errorResponses, header, OTHER_ERRORS, PAGE, responseComponents } from './error-responses.ts'
import { INTRODUCTION } from './introduction.ts'
import { PROTOCOL } from './protocol.ts'
import { OAUTH_ERROR, PROTOCOL_DOCS } from './protocol-docs.ts'
import { SIGN_IN } from './sign-in.ts'
import { SIGN_IN_DOCS, STEP_ELSEWHERE, STEP_ERROR } from './sign-in-docs.ts'

const DESCRIBED = { ...PROTOCOL, ...SIGN_IN }
const DESCRIPTIONS: Record<string, Docs> = { ...PROTOCOL_DOCS, ...SIGN_IN_DOCS }

/** Call it before the routes it is to know. */
export function describeRoutes(app: FastifyInstance, config: Config): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith(CONSOLE_API)) routes.push(route) // the admin API behind another guard
  })
  let document: Promise<object> | undefined
  app.get('/openapi.json', { config: { authority: 'public' }, schema: { hide: true } }, (_request, reply) => {
    reply.header('access-control-allow-origin', '*') // public; read by the API page on its opaque origin
    document ??= documentOf(routes, config).catch((error) => {
      document = undefined
      throw error
    })
    return document
  })
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token. The admin API requires one with `is_admin` true.',
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description: 'The `clientId` and the `clientSecret` of a system (RFC 6749 section 2.3.1).',
  },
} as const

/**
 * Made by @fastify/swagger in an application that never listens: the library is loaded when the document is
 * requested, which happens in few processes.
 */
async function documentOf(routes: RouteOptions[], { BASE_URL }: Config): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = Fastify({ exposeHeadRoutes: false, schemaController: { compilersFactory: COMPILERS } })
  const described = new Map<string, Described>()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tenantry',
        version: VERSION,
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: BASE_URL }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transformObject: (given) => finish((given as { openapiObject: object }).openapiObject, described),
    transform: ({ url, route }) => {
      const operation = describe(route)
      if (operation) described.set(operation.docs.operationId, operation)
      return { schema: operation ? operation.schema : { hide: true }, url: url.replace(/(?<=.)\/$/, '') }
    },
  })
  const handler = () => {}
  for (const { method, url, schema = {}, config = {} } of routes)
    if (method !== 'HEAD') app.route({ method, url, schema, config, handler })
  await app.ready()
  return app.swagger()
}

/** An operation while the document is made: what the library is given, and what is added afterwards. */
type Described = {
  docs: Docs
  schema: FastifySchema
  route: RouteOptions
  codes: FailureCode[]
}

type Shape = TSchema & {
  type?: string
  description?: string
  properties?: { id?: TSchema; code?: { enum: FailureCode[] } }
}

/** The codes of an error response that `failures` made. */
const codesOf = (shape: Shape): FailureCode[] => shape.properties?.code?.enum ?? []

/** Undefined for a route that the document does not have. */
function describe(route: RouteOptions): Described | undefined {
  const address = `${String(route.method)} ${route.url}`
  const { schema: checked = {}, config = {} } = route
  const known = DESCRIBED[address]
  const docs = config.docs ?? DESCRIPTIONS[known?.operationId ?? '']
  if (!docs) return undefined
  const schema: FastifySchema = { ...checked, ...known }
  const responses = Object.entries((schema.response ?? {}) as Record<string, Shape>)
  const codes = responses.flatMap(([, shape]) => codesOf(shape))
  const answers = responses.filter(([, shape]) => codesOf(shape).length === 0)
  const isAdmin = Array.isArray(config.authority)
  return {
    docs,
    route,
    codes: isAdmin ? [...codes, ...sharedFailures(route, schema)] : codes,
    schema: {
      ...schema,
      operationId: docs.operationId,
      ...(known?.body !== undefined && { body: withTitle(known.body as TSchema, docs) }),
      tags: [docs.tag],
      summary: docs.summary,
      description: docs.description,
      security: isAdmin ? [{ bearer: [] }] : (schema.security ?? []),
      ...(isAdmin && requestHeaders(route, schema)),
      response: Object.fromEntries(
        answers.map(([status, shape]) => [
          status,
          withDescription(shape, docs.others?.[Number(status)]?.description ?? docs.success),
        ]),
      ),
    },
  }
}

/** The body of an operation that another library validates is named after the operation. */
const withTitle = (body: TSchema, { operationId }: Docs) => ({
  title: `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`,
  ...body,
})

/** The library describes a response by this keyword of the schema. */
const withDescription = (shape: Shape, success: string) =>
  'content' in shape || shape.type === 'null'
    ? { ...shape, description: shape.description ?? success }
    : { ...shape, 'x-response-description': success }

/** A body that is not JSON as a whole is read as a stream, for which no `Idempotency-Key` is accepted. */
const isStream = ({ body }: FastifySchema) => typeof body === 'object' && body !== null && 'content' in body
/** One resource, which has a version. */
const isOne = ({ method, url }: RouteOptions) => method === 'GET' && /\/:\w+$/.test(url)

function requestHeaders(route: RouteOptions, schema: FastifySchema): { headers?: TSchema } {
  if (route.method === 'POST' && !isStream(schema))
    return { headers: Type.Object({ 'Idempotency-Key': Type.Optional(KEY) }) }
  if (route.method === 'PATCH') return { headers: Type.Object({ 'If-Match': Type.Optional(IF_MATCH) }) }
  return isOne(route) ? { headers: Type.Object({ 'If-None-Match': Type.Optional(IF_NONE_MATCH) }) } : {}
}

const KEY = Type.String({
  title: 'IdempotencyKey',
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored.',
})
const IF_MATCH = Type.String({
  title: 'IfMatch',
  description:
    'The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`.',
})
const IF_NONE_MATCH = Type.String({
  title: 'IfNoneMatch',
  description:
    'The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304.',
})

/**
 * The errors of an operation of the admin API beside its own; `default` stands for those of every request.
 */
function sharedFailures(route: RouteOptions, schema: FastifySchema): FailureCode[] {
  const codes: FailureCode[] = ['invalid_token', 'insufficient_authority']
  const methods = [route.method].flat()
  const isChange = methods.some((method) => method !== 'GET' && method !== 'HEAD')
  if (isChange || classOf({ method: String(route.method), url: route.url }) === 'power')
    codes.push('insufficient_user_authentication')
  if (isChange) codes.push('too_many_requests') // limits/write-budget.ts
  if (schema.body || schema.querystring) codes.push('invalid_request')
  if (schema.params) codes.push('not_found') // an id that is not a UUID
  if (route.method === 'PATCH') codes.push('version_conflict')
  if (route.method === 'POST' && !isStream(schema))
    codes.push('invalid_request', 'idempotency_key_in_use', 'idempotency_key_reused')
  return codes
}

/** Adds what the library knows nothing of. */
function finish(given: object, described: Map<string, Described>): object {
  const document = given as Document
  document.components = { ...document.components, ...responseComponents() }
  for (const operation of operationsOf(document))
    finishOperation(operation, described.get(operation.operationId)!)
  dropUnused(document, 'examples')
  nameComponents(document)
  return document
}

function dropUnused({ paths, components }: Document, kind: string): void {
  const text = JSON.stringify(paths)
  const used = Object.entries(components[kind] ?? {}).filter(([name]) =>
    text.includes(`"#/components/${kind}/${name}"`),
  )
  components[kind] = Object.fromEntries(used)
}

function finishOperation(operation: Operation, { docs, route, schema, codes }: Described): void {
  const authorities = route.config?.authority
  const isAdmin = Array.isArray(authorities)
  for (const parameter of operation.parameters ?? [])
    if ('default' in (parameter.schema as Json)) parameter.required = false
  if (operation.requestBody && route.config?.bodyOptional) operation.requestBody.required = false
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    if (docs.request !== undefined) media.example = docs.request
  for (const [status, response] of Object.entries(operation.responses)) {
    for (const [type, media] of Object.entries(response.content ?? {}))
      if (media.example === undefined && media.examples === undefined) {
        const example = type === 'text/html' ? PAGE : exampleOf(docs, Number(status))
        if (example !== undefined) media.example = example
      }
    const headers = isAdmin && status.startsWith('2') ? responseHeaders(route, schema, status, response) : {}
    if (Object.keys(headers).length > 0) response.headers = { ...(response.headers as Json), ...headers }
  }
  Object.assign(operation.responses, errorResponses(codes, !isAdmin && docs.tag !== 'oidc'))
  if (!isAdmin) return
  operation['x-authority'] = authorities
  operation.description = `${operation.description}\n\n**Authority:** ${authorities.map(reachIn(route)).join('; ')}.`
  if (isOne(route)) operation.responses[304] = { description: 'The client already has this version.' }
  operation.responses.default = OTHER_ERRORS
}

/** The example of a JSON response. */
function exampleOf({ tag, others, response }: Docs, status: number): unknown {
  if (others?.[status]) return others[status].example
  if (status < 400) return response
  if (tag === 'oidc') return OAUTH_ERROR
  return status === 409 ? STEP_ELSEWHERE : STEP_ERROR
}

/** An authority, with how far it reaches here if that is not its rule. */
const reachIn =
  ({ config }: RouteOptions) =>
  (authority: Authority) =>
    config?.reach?.[authority] ? `\`${authority}\` (${config.reach[authority]})` : `\`${authority}\``

function responseHeaders(
  route: RouteOptions,
  { body, querystring }: FastifySchema,
  status: string,
  { content }: Operation['responses'][string],
): Json {
  const shape = content?.['application/json']?.schema as Shape | undefined
  const isPost = route.method === 'POST'
  const hasVersion = shape?.properties?.id !== undefined && status === (isPost ? '201' : '200')
  return {
    ...(hasVersion && { ETag: header('ETag') }),
    ...(hasVersion && isPost && { Location: header('Location') }),
    ...((body ?? querystring) !== undefined && { 'Ignored-Fields': header('IgnoredFields') }),
    ...(isPost && !isStream({ body }) && { 'Idempotency-Replayed': header('IdempotencyReplayed') }),
  }
}
