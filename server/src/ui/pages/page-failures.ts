import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Seal } from '../../crypto/seal.ts'
import { Failure } from '../../errors.ts'
import { wantsJson } from '../../http/forms-and-cookies.ts'
import { isRead } from '../../http/methods.ts'
import { dropCookies, failureOfRequest, logFailure, sendProblem } from '../../http/problems.ts'
import { addressShowing, isBrowserForm, readShown } from '../../http/shown.ts'
import { localeOf } from '../../texts/texts.ts'
import { pagePolicy } from '../layout.ts'
import { type ErrorPage, errorPage } from './error.ts'

/** The page of an error that was the outcome of a form. */
export const ERROR_PATH = '/error'

type ShownError = Omit<ErrorPage, 'locale' | 'system' | 'next'> & { status: number; uiLocales?: string }

/** The address of an error. A description that is too long for it is left out. */
export function errorAddress(seal: Seal, error: ShownError): string {
  const { description: _, ...shown } = error
  return (
    addressShowing(seal, ERROR_PATH, { page: ERROR_PATH, shown: error }) ??
    addressShowing(seal, ERROR_PATH, { page: ERROR_PATH, shown }) ??
    ERROR_PATH
  )
}

/** The page at an address of `errorAddress`, with the status and the id of the request that was refused. */
export function sendShownError(seal: Seal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const found = readShown<ShownError>(seal, request, ERROR_PATH)
  if (!found) throw new Failure('not_found')
  const { status, uiLocales, retryAfter, ...error } = found.shown
  const left = retryAfter === undefined ? undefined : Math.max(1, retryAfter - found.age)
  const locale = localeOf(uiLocales, request.headers['accept-language'])
  return sendPage(reply, status, { ...error, locale, retryAfter: left })
}

/**
 * Answers errors of a plugin as an HTML page, or as problem+json (RFC 9457) to a client that asks for JSON. A
 * form is answered by a redirect to the page.
 */
export function answerPageFailures(app: FastifyInstance, seal: Seal): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    logFailure(request, error, failure)
    if (wantsJson(request)) return sendProblem(failure, request, reply)
    if (!isBrowserForm(request)) return sendFailurePage(failure, request, reply)
    if (failure.status >= 500) dropCookies(reply)
    request.actor?.refusalNote?.noteStatus(failure.status)
    return reply.redirect(errorAddress(seal, { ...shownOf(failure, request), status: failure.status }), 303)
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
    ? sendFailurePage(failure, request, reply)
    : sendProblem(failure, request, reply)
}

const shownOf = ({ code, retryAfter }: Failure, { id: requestId }: FastifyRequest) => ({
  code,
  requestId,
  retryAfter,
})

const sendFailurePage = (failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendPage(reply, failure.status, {
    ...shownOf(failure, request),
    locale: localeOf(undefined, request.headers['accept-language']),
  })

function sendPage(reply: FastifyReply, status: number, page: ErrorPage): FastifyReply {
  if (page.retryAfter !== undefined) reply.header('retry-after', String(page.retryAfter))
  return reply
    .code(status)
    .header('content-security-policy', pagePolicy({ forms: 'own' }))
    .type('text/html')
    .send(errorPage(page))
}
