/** How a refusal is answered: problem+json (RFC 9457), whatever was thrown. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure, type FieldFault, failureOf, problemOf } from '../errors.ts'

export function answerFailures(app: FastifyInstance): void {
  app.setNotFoundHandler({}, (request, reply) => sendProblem(new Failure('not_found'), request, reply))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    if (failure.status >= 500) request.log.error({ err: error }, failure.code)
    if (failure.status >= 500) dropCookies(reply)
    return sendProblem(failure, request, reply)
  })
}

/** For responses whose transaction was rolled back: the state that a cookie refers to does not exist. */
export function dropCookies(reply: FastifyReply): void {
  reply.removeHeader('set-cookie')
  reply.raw.removeHeader('set-cookie')
}

/** Also where no hook has run: an address that can't be read. */
const ALWAYS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function sendProblem(failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  if (failure.code === 'invalid_token') reply.header('www-authenticate', `Bearer error="invalid_token"`) // RFC 6750 section 3
  if (failure.code === 'insufficient_authority')
    reply.header('www-authenticate', `Bearer error="insufficient_scope"`)
  reply.headers(ALWAYS)
  return reply
    .code(failure.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(failure, request.id)))
}

const FASTIFY_CODES: Record<string, Failure['code']> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  // An address that can't be read, or is longer than any of ours, names nothing.
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
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
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new Failure('invalid_request', { detail: 'The body is not valid JSON.' })
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

type Logged = { [field: string]: unknown; type: string; message: string; stack: string }

/**
 * An error as the log has it. Drizzle puts the statement and its values into message and stack, and a value may be a
 * hash, a sealed key or an address: of a failed query only what the driver says of it is kept.
 */
export function loggedError(error: unknown): Logged {
  const {
    name,
    message,
    code,
    constraint,
    stack = '',
    cause,
    query,
  } = error as FastifyError & { constraint?: string; query?: string }
  const isQuery = query !== undefined
  return {
    type: name,
    message: isQuery ? 'A query failed.' : message,
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    stack: isQuery ? stack.slice(stack.lastIndexOf(message) + message.length).trim() : stack,
    ...(cause instanceof Error && { cause: loggedError(cause) }),
  }
}
