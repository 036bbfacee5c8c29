import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Failure } from '../../errors.ts'
import { wantsJson } from '../../http/forms-and-cookies.ts'
import { isRead } from '../../http/methods.ts'
import { failureOfRequest, logFailure, sendProblem } from '../../http/problems.ts'
import { localeOf } from '../../texts/texts.ts'
import { pagePolicy } from '../layout.ts'
import { errorPage } from './error.ts'

/**
 * Answers errors of a plugin as an HTML page, or as problem+json (RFC 9457) to a client that asks for JSON.
 */
export function answerPageFailures(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    logFailure(request, error, failure)
    if (wantsJson(request)) return sendProblem(failure, request, reply)
    return sendPage(failure, request, reply)
  })
}

/** Answers an unknown address as a page to a browser, and as problem+json to others. */
export function sendUnknownAddress(
  failure: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { accept = '' } = request.headers
  const isApi = /^(\/console\/api)?\/admin\//.test(request.url)
  const isBrowser = isRead(request) && /\btext\/html\b/i.test(accept) && !isApi
  return isBrowser && !wantsJson(request)
    ? sendPage(failure, request, reply)
    : sendProblem(failure, request, reply)
}

function sendPage(failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  return reply
    .code(failure.status)
    .header('content-security-policy', pagePolicy({ forms: 'own' }))
    .type('text/html')
    .send(pageOf(failure, request))
}

const pageOf = (failure: Failure, request: FastifyRequest) =>
  errorPage({
    locale: localeOf(undefined, request.headers['accept-language']),
    code: failure.code,
    requestId: request.id,
    retryAfter: failure.retryAfter,
  })
