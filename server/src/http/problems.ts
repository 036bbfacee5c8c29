/** Error responses: problem+json (RFC 9457) for any error. */

import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { failureOf } from '../database/faults.ts'
import { Failure, problemOf } from '../errors.ts'
import { meantAddresses } from './addresses.ts'
import { allowedMethods } from './methods.ts'
import { RECENT_CHALLENGE } from './recent-sign-in.ts'
import { faultsOf } from './validation-errors.ts'

type Send = (
  failure: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>
type Answer = (request: FastifyRequest, reply: FastifyReply) => ReturnType<Send>

/**
 * `sendUnknown`: the response to an unknown address. Returns the answer to unknown addresses of a scope with
 * a response of its own.
 */
export function answerFailures(app: FastifyInstance, sendUnknown: Send): (sendUnknown: Send) => Answer {
  const methodsOf = allowedMethods(app)
  const meantBy = meantAddresses(app)
  const answerBy =
    (send: Send): Answer =>
    (request, reply) => {
      const allowed = methodsOf(request)
      const meant = allowed.length === 0 ? meantBy(request) : undefined
      if (meant !== undefined) {
        // Scripts of other origins read the discovery document.
        if (meant.startsWith('/.well-known/')) reply.header('access-control-allow-origin', '*')
        return reply.redirect(meant, 308)
      }
      if (allowed.length === 0) return send(new Failure('not_found'), request, reply)
      reply.header('allow', allowed.join(', '))
      if (request.method === 'OPTIONS') return reply.code(204).send()
      return sendProblem(new Failure('method_not_allowed'), request, reply)
    }
  app.setNotFoundHandler({}, answerBy(sendUnknown))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    logFailure(request, error, failure)
    if (failure.status >= 500) dropCookies(reply)
    return sendProblem(failure, request, reply)
  })
  return answerBy
}

/** Answers that are refusals. Any other answer of the protocol's endpoints is one, too. */
const REFUSALS = new Set([401, 403, 429, 503])

/** Logs a fault of the server with its stack, and notes a refusal, which has one line (refusal-log.ts). */
export function logFailure(
  { actor, log }: FastifyRequest,
  error: unknown,
  failure: Failure,
  kind: 'request' | 'protocol' = 'request',
): void {
  // An error before our hooks have run has no actor.
  if (failure.code === 'internal') log.error({ err: error }, failure.code)
  else if (failure.code.startsWith('provider_')) actor?.refusalNote?.noteFailure(failure, 'sign_in')
  else if (kind === 'protocol' || REFUSALS.has(failure.status)) actor?.refusalNote?.noteFailure(failure, kind)
}

/** Called when the transaction was rolled back: the state that a cookie refers to does not exist. */
export function dropCookies(reply: FastifyReply): void {
  reply.removeHeader('set-cookie')
  reply.raw.removeHeader('set-cookie')
}

/** Set also if no hook has run, as for a URL that cannot be parsed. */
const ALWAYS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function sendProblem(failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  // RFC 6750 section 3.1: no error code if the request has no credentials
  if (failure.code === 'invalid_token')
    reply.header(
      'www-authenticate',
      request.headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"',
    )
  if (failure.code === 'insufficient_user_authentication') reply.header('www-authenticate', RECENT_CHALLENGE)
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
  // No resource has a URL that cannot be parsed, or a path parameter of this length.
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

/** Any error of a request as a failure; an unexpected one is `internal`. */
export function failureOfRequest(error: FastifyError): Failure {
  const known = failureOf(error)
  if (known) return known
  // No resource has a malformed id.
  if (error.validation && error.validationContext === 'params') return new Failure('not_found')
  if (error.validation)
    return new Failure('invalid_request', {
      errors: faultsOf(error.validation as ErrorObject[], error.validationContext),
    })
  const code = FASTIFY_CODES[error.code]
  if (code) return new Failure(code)
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new Failure('invalid_request', { detail: 'The body is not valid JSON.' })
  return new Failure('internal', { cause: error })
}

export type Logged = { [field: string]: unknown; type: string; message: string; stack: string }

/**
 * An error as it is logged. Drizzle writes the statement and its values into message and stack,
 * and a value can be a hash, an encrypted key or an email address: of a failed query, only the
 * error of the driver is logged.
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
