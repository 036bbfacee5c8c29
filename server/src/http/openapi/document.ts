/**
 * The OpenAPI 3.1 document: served at GET /openapi.json, written to docs/openapi.json by docs.ts. An operation of the
 * admin API is described by the shapes its route checks; its name, its tag and the refusals that every such route
 * shares are worked out here, so that no route has to repeat them.
 */
import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { type Config, VERSION } from '../../config.ts'
import { FAILURES, type FailureCode, problem } from '../../errors.ts'
import { COMPILERS } from '../../tuning/compiled.ts'
import type { Authority } from '../authority.ts'
import { PROTOCOL } from './protocol.ts'
import { SIGN_IN } from './sign-in.ts'

const DESCRIBED = { ...PROTOCOL, ...SIGN_IN }

/** In the order of the admin API, then what it rests on. An operation's tag is its noun. */
const TAGS = {
  systems: 'Client applications.',
  roles: 'What a member may do in one system.',
  profiles: 'Named attributes of a membership, for the application to interpret.',
  webhooks: 'Where a system wants its events sent.',
  users: 'People.',
  accounts: 'Tenants: an organization, or one person.',
  memberships: 'A user in an account of a system.',
  sessions: 'Sign-ins that are alive.',
  audit: 'Who did what.',
  events: 'What happened, in order.',
  oidc: 'OAuth 2.0 and OpenID Connect.',
  interaction: 'The pages of a sign-in, as pages and as JSON.',
  social: 'Sign-in with another identity provider.',
  health: 'Whether the service runs, and how it does.',
}

/** Call it before the routes it is to know. */
export function describeRoutes(app: FastifyInstance, config: Config): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  let document: Promise<object> | undefined
  app.get('/openapi.json', { config: { authority: 'public' }, schema: { hide: true } }, () => {
    document ??= documentOf(routes, config).catch((error) => {
      document = undefined
      throw error
    })
    return document
  })
}

/** By the plugin that makes it, in an application of its own that never listens: few processes are ever asked for the document. */
async function documentOf(routes: RouteOptions[], { BASE_URL }: Config): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = Fastify({ exposeHeadRoutes: false, schemaController: { compilersFactory: COMPILERS } })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tenantry',
        version: VERSION,
        description: 'OpenID Connect identity and access for products with many tenants.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: BASE_URL }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        schemas: { Problem: problem(Object.keys(FAILURES)) },
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'An access token; for /admin one with is_admin true.',
          },
          client: {
            type: 'http',
            scheme: 'basic',
            description: "The system's clientId and clientSecret (RFC 6749 section 2.3.1).",
          },
        },
      },
    },
    transformObject: (document) =>
      'openapiObject' in document ? withOptionalParts(document.openapiObject) : document.swaggerObject,
    transform: ({ schema, url, route }) => ({
      schema: describe(route, schema),
      url: url.replace(/(?<=.)\/$/, ''),
    }),
  })
  const handler = () => {}
  for (const { method, url, schema = {}, config = {} } of routes)
    if (method !== 'HEAD') app.route({ method, url, schema, config, handler })
  await app.ready()
  return app.swagger()
}

/** An authority, with how far it reaches here if that is not its rule. */
const said =
  ({ config }: RouteOptions) =>
  (authority: Authority) =>
    config?.reach?.[authority] ? `${authority} (${config.reach[authority]})` : authority

/** Says of an operation, until the document is whole, that its body may be left out: the plugin knows no such thing. */
const BODY_OPTIONAL = 'x-body-optional'

/** Says what may be left out: such a body, and a parameter that has a default. */
function withOptionalParts<T extends { paths?: object }>(document: T): T {
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) =>
    Object.values(methods as object),
  )) {
    for (const parameter of operation.parameters ?? [])
      if ('default' in parameter.schema) parameter.required = false
    if (!operation[BODY_OPTIONAL]) continue
    operation.requestBody.required = false
    delete operation[BODY_OPTIONAL]
  }
  return document
}

/** A body that is not JSON as a whole is read as a stream, which no key can stand for. */
const isStream = ({ body }: FastifySchema) => typeof body === 'object' && body !== null && 'content' in body

function describe(route: RouteOptions, checked: FastifySchema = {}): FastifySchema {
  const address = `${String(route.method)} ${route.url}`
  const known = DESCRIBED[address]
  const forBrowsers = route.method === 'OPTIONS' || route.url.startsWith('/assets/')
  if (checked.hide || forBrowsers || (address in DESCRIBED && !known)) return { hide: true }
  const schema = { ...checked, ...known }
  const { name, tag } = nameOf(route)
  const { authority } = route.config ?? {}
  const named = {
    ...schema,
    operationId: schema.operationId ?? name,
    tags: schema.tags ?? [tag],
    summary: schema.summary ?? sentence(name),
  }
  if (typeof authority === 'string' || authority === undefined)
    return { ...named, security: schema.security ?? [], response: asProblems(schema.response, []) }
  const method = String(route.method)
  const isOne = method === 'GET' && /\/:\w+$/.test(route.url)
  return {
    ...named,
    ...(method === 'POST' &&
      !isStream(schema) && { headers: Type.Object({ 'Idempotency-Key': Type.Optional(KEY) }) }),
    ...(method === 'PATCH' && { headers: Type.Object({ 'If-Match': Type.Optional(IF_MATCH) }) }),
    ...(isOne && { headers: Type.Object({ 'If-None-Match': Type.Optional(IF_NONE_MATCH) }) }),
    ...(route.config?.bodyOptional && schema.body !== undefined && { [BODY_OPTIONAL]: true }),
    security: [{ bearer: [] }],
    description: [schema.description, `Authority: ${authority.map(said(route)).join(', ')}.`]
      .filter(Boolean)
      .join(' '),
    response: {
      ...asProblems(schema.response, sharedFailures(schema, method)),
      ...(isOne && { 304: { description: 'The caller has this version already.', type: 'null' } }),
      default: OTHERWISE,
    },
  }
}

const KEY = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept.',
})

const IF_MATCH = Type.String({
  description:
    'The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now.',
})
const IF_NONE_MATCH = Type.String({
  description: 'The `ETag` of the version the caller has, or a list of them.',
})

/** What an operation of the admin API may answer beside its own failures; faults of the body's form and ours are its `default`. */
function sharedFailures(schema: FastifySchema, method: string): FailureCode[] {
  return [
    ...(method === 'PATCH' ? (['version_conflict'] as const) : []),
    ...(method === 'POST' && !isStream(schema)
      ? (['invalid_request', 'idempotency_key_in_use', 'idempotency_key_reused'] as const)
      : []),
    ...(schema.body || schema.querystring ? (['invalid_request'] as const) : []),
    'invalid_token',
    'insufficient_authority', // also to a person without an admin role
    ...(schema.params ? (['not_found'] as const) : []), // an id that is none
  ]
}

type Shape = TSchema & { description?: string; properties?: { code?: { enum: FailureCode[] } } }

/** The answers, with every failure in its media type. A refusal's shape is said once; each operation says its codes. */
function asProblems(responses: unknown, more: FailureCode[]): Record<string, unknown> {
  const given = Object.entries((responses ?? {}) as Record<string, Shape>)
  const codesOf = (shape: Shape) => shape.properties?.code?.enum ?? []
  const codes = new Set([...given.flatMap(([, shape]) => codesOf(shape)), ...more])
  return {
    ...Object.fromEntries(given.filter(([, shape]) => codesOf(shape).length === 0).map(answered)),
    ...Object.fromEntries([...Map.groupBy(codes, (code) => FAILURES[code].status)].map(refused)),
  }
}

const PROBLEM = { $ref: '#/components/schemas/Problem' }
const OTHERWISE = {
  description: 'Any other refusal.',
  content: { 'application/problem+json': { schema: PROBLEM } },
}

const refused = ([status, codes]: [number, FailureCode[]]) => [
  status,
  {
    description: `Refused: ${codes.join(', ')}.`,
    content: {
      'application/problem+json': {
        schema: { allOf: [PROBLEM, { properties: { code: { enum: codes } } }] },
      },
    },
  },
]

const ANSWERS: Record<string, string> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Taken; it will be done soon.',
  204: 'Done; there is nothing to say.',
}
const answered = ([status, shape]: [string, Shape]) => [
  status,
  { ...shape, description: shape.description ?? ANSWERS[status] ?? 'Done.' },
]

const VERBS: Record<string, string> = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' }

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
/** `send-password-reset` -> `SendPasswordReset`. */
const joined = (words: string) =>
  words
    .split(/[^A-Za-z]+/)
    .map(capital)
    .join('')
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '')
/** `listSystemRoles` -> `List system roles`. */
const sentence = (name: string) => capital(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))

/**
 * An operation's name and tag, from its address alone:
 *   GET /admin/systems/:systemId/roles            listSystemRoles        roles
 *   PATCH /admin/systems/:systemId/roles/:roleId  updateSystemRole       roles
 *   POST /admin/users/:userId/set-password        setPasswordOfUser      users
 */
function nameOf({ method, url }: RouteOptions): { name: string; tag: string } {
  const parts = url.split('/').filter((part) => part !== '' && part !== 'admin')
  const last = parts.at(-1) ?? ''
  const nouns = parts.flatMap((part, at) =>
    part.startsWith(':') ? [] : [parts[at + 1]?.startsWith(':') ? singular(part) : part],
  )
  const isMany = last.endsWith('s') && !last.startsWith(':')
  const isAction = parts.length > 2 && !isMany && !last.startsWith(':')
  const tag = tagOf(parts)
  if (isAction) {
    const action = joined(nouns.pop() ?? '')
    return { name: `${action.charAt(0).toLowerCase()}${action.slice(1)}Of${nouns.map(joined).join('')}`, tag }
  }
  const verb = method === 'GET' ? (isMany ? 'list' : 'get') : VERBS[String(method)]
  // One is made in a collection: POST /systems is createSystem.
  const words = method === 'POST' ? [...nouns.slice(0, -1), singular(nouns.at(-1) ?? '')] : nouns
  return { name: verb + words.map(joined).join(''), tag }
}

/** The first noun that has a tag; a system's own collections stand before the system. */
function tagOf([first = '', , second = '']: string[]): string {
  if (first === 'systems' && second in TAGS) return second
  return first in TAGS ? first : 'oidc'
}
