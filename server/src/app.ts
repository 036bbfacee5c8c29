/** The route map: which plugin stands where, and what holds for all of them. */
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Config } from './config.ts'
import type { Database } from './db.ts'
import { Failure, type FieldFault, failureOf, problemOf } from './errors.ts'
import { dropUnknownFields } from './fields.ts'
import type { Seal } from './seal.ts'

/** What a server is made of. */
export type Parts = { config: Config; database: Database; seal: Seal }

/** 64 kB; imports and protocol requests set their own. */
const BODY_LIMIT = 65_536

export async function buildApp(parts: Parts): Promise<FastifyInstance> {
  const { config } = parts
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    http: { headersTimeout: 15_000, maxHeaderSize: 16_384 },
    genReqId: () => crypto.randomUUID(),
    disableRequestLogging: true,
    logger: {
      level: config.LOG_LEVEL,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  checkShapes(app)
  declareActors(app)
  answerFailures(app)
  await app.register(cookie)
  await app.register(helmet, helmetOptions(config))
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))

  return app
}

/** A route without a declared authority does not start. */
function declareActors(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.authority === undefined) throw new Error(`${route.method} ${route.url} declares no authority`)
  })
  app.decorateRequest('caller')
  app.decorateRequest('actor')
  app.addHook('onRequest', async (request) => {
    request.actor = {
      type: 'anonymous',
      id: null,
      ip: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 400) ?? null,
      requestId: request.id,
    }
  })
}

/** Bodies are taken as they are; a query string is text, so its numbers are read from text. */
function checkShapes(app: FastifyInstance): void {
  const options = { useDefaults: true, removeAdditional: false, allErrors: true, strict: false } as const
  const exact = new Ajv({ ...options, coerceTypes: false })
  const fromText = new Ajv({ ...options, coerceTypes: true })
  for (const ajv of [exact, fromText]) formats.default(ajv, ['uuid', 'date-time', 'uri'])
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? exact : fromText).compile(schema))
  app.addHook('preValidation', dropUnknownFields)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i, { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    app.getDefaultJsonParser('error', 'error')(request, body as string, done)
  })
}

/** Two years, with sub-domains, wherever the issuer is https. */
const helmetOptions = (config: Config) => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  },
  strictTransportSecurity: config.BASE_URL.startsWith('https:') ? { maxAge: 63_072_000, includeSubDomains: true } : false,
  referrerPolicy: { policy: 'no-referrer' as const },
  crossOriginOpenerPolicy: { policy: 'same-origin' as const },
  crossOriginResourcePolicy: { policy: 'same-origin' as const },
})

function answerFailures(app: FastifyInstance): void {
  app.setNotFoundHandler({}, (request, reply) => sendProblem(new Failure('not_found'), request, reply))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    if (failure.status >= 500) request.log.error({ err: error }, failure.code)
    return sendProblem(failure, request, reply)
  })
}

export function sendProblem(failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  if (failure.code === 'invalid_token') reply.header('www-authenticate', `Bearer error="invalid_token"`) // RFC 6750 section 3
  if (failure.code === 'insufficient_authority') reply.header('www-authenticate', `Bearer error="insufficient_scope"`)
  return reply.code(failure.status).type('application/problem+json').send(JSON.stringify(problemOf(failure, request.id)))
}

const FASTIFY_CODES: Record<string, Failure['code']> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
}

/** Any error of a request as a failure; what nobody foresaw is `internal`. */
export function failureOfRequest(error: FastifyError): Failure {
  const known = failureOf(error)
  if (known) return known
  // A malformed id in a path names nothing: it answers as an address that does not exist.
  if (error.validation && error.validationContext === 'params') return new Failure('not_found')
  if (error.validation) return new Failure('invalid_request', { errors: fieldFaults(error) })
  const code = FASTIFY_CODES[error.code]
  if (code) return new Failure(code)
  if (error.statusCode !== undefined && error.statusCode < 500) return new Failure('invalid_request', { detail: 'The body is not valid JSON.' })
  return new Failure('internal', { cause: error })
}

/** At most ten, so that a body of faults does not become an answer of faults. */
function fieldFaults(error: FastifyError): FieldFault[] {
  return (error.validation ?? []).slice(0, 10).map((fault) => {
    const missing = (fault.params as { missingProperty?: string }).missingProperty
    const path = error.validationContext === 'querystring' ? fault.instancePath.slice(1) : fault.instancePath
    return { path: missing ? `${path}/${missing}` : path, message: fault.message ?? 'is not valid' }
  })
}
