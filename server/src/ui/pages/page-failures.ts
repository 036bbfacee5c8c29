import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { wantsJson } from '../../http/forms-and-cookies.ts'
import { languageOf } from '../../http/language.ts'
import { isRead } from '../../http/methods.ts'
import { dropCookies, failureOfRequest, logFailure, sendProblem } from '../../http/problems.ts'
import { addressShowing, isBrowserForm, readShown } from '../../http/shown.ts'
import { cachedClient, clientOf } from '../../resources/systems/queries.ts'
import { pagePolicy, type SystemLook } from '../layout.ts'
import { lookOf } from '../look.ts'
import { type ErrorPage, errorPage } from './error.ts'

/** The page of an error that was the outcome of a form. */
export const ERROR_PATH = '/error'

type Parts = { db: Db; seal: Seal; config: Config }

/** `clientId`: of the application that the page shows; null: the installation. */
type ShownError = Omit<ErrorPage, 'locale' | 'system' | 'next' | 'again'> & {
  status: number
  uiLocales?: string
  clientId?: string | null | undefined
}

/**
 * The client id of the application that a request was for, if it is known; null on the pages of the user,
 * which are those of the installation.
 */
type ClientId = string | null | undefined
type NamesClient = (request: FastifyRequest, reply: FastifyReply) => ClientId | Promise<ClientId>

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
export async function sendShownError(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = readShown<ShownError>(parts.seal, request, ERROR_PATH)
  if (!found) throw new Failure('not_found')
  const { status, uiLocales, retryAfter, clientId, ...error } = found.shown
  const left = retryAfter === undefined ? undefined : Math.max(1, retryAfter - found.age)
  const locale = languageOf(request, uiLocales)
  const system = await lookOfClient(parts, clientId, status)
  return sendErrorPage(reply, status, { ...error, locale, system, retryAfter: left })
}

/** It never fails: the page is that of another fault. */
async function lookOfClient(
  { db, config }: Pick<Parts, 'db' | 'config'>,
  clientId: ClientId,
  status: number,
): Promise<SystemLook | undefined> {
  if (clientId === undefined) return undefined
  if (clientId === null) return lookOf(config, undefined)
  // No statement after a fault of the database.
  const found = await (status >= 500
    ? cachedClient(db, clientId)
    : clientOf(db, clientId).catch(() => undefined))
  return found && lookOf(config, found)
}

/**
 * Answers errors of a plugin as an HTML page, or as problem+json (RFC 9457) to a client that asks for JSON. A
 * form is answered by a redirect to the page. `without`: what the page shows if the application is not known,
 * also after a fault of the database, in which nothing is read.
 */
export function answerPageFailures(
  app: FastifyInstance,
  parts: Parts,
  nameClient: NamesClient = () => undefined,
  without?: null,
): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    const { status } = failure
    logFailure(request, error, failure)
    if (wantsJson(request)) return sendProblem(failure, request, reply)
    const named =
      status >= 500 ? undefined : await Promise.resolve(nameClient(request, reply)).catch(() => undefined)
    const clientId = named ?? without
    if (!isBrowserForm(request)) {
      const system = await lookOfClient(parts, clientId, status)
      return sendFailurePage(failure, request, reply, { system })
    }
    if (status >= 500) dropCookies(reply)
    request.actor?.refusalNote?.noteStatus(status)
    return reply.redirect(errorAddress(parts.seal, { ...shownOf(failure, request), status, clientId }), 303)
  })
}

/**
 * Answers an unknown address as a page to a browser, and as problem+json to others. `brandOf`: the
 * application that the page shows, or the installation.
 */
export const unknownAddress =
  (brandOf?: (request: FastifyRequest, reply: FastifyReply) => Promise<SystemLook | undefined>) =>
  async (failure: Failure, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { accept = '' } = request.headers
    const isApi = /^(\/console\/api)?\/admin\//.test(request.url)
    const isBrowser = isRead(request) && /\btext\/html\b/i.test(accept) && !isApi
    if (!isBrowser || wantsJson(request)) return sendProblem(failure, request, reply)
    return sendFailurePage(failure, request, reply, { system: await brandOf?.(request, reply) })
  }

/** The brand of an unknown address below pages that know their application: as of their other errors. */
export const brandBy =
  (parts: Pick<Parts, 'db' | 'config'>, nameClient: NamesClient) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<SystemLook | undefined> => {
    const named = await Promise.resolve(nameClient(request, reply)).catch(() => undefined)
    return lookOfClient(parts, named ?? null, 404)
  }

const shownOf = ({ code, retryAfter }: Failure, { id: requestId }: FastifyRequest) => ({
  code,
  requestId,
  retryAfter,
})

/** What else the page of a failure shows. */
type Shown = Partial<Pick<ErrorPage, 'requestId' | 'system' | 'again' | 'registers'>>

export const sendFailurePage = (
  failure: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Shown = {},
): FastifyReply =>
  sendErrorPage(reply, failure.status, {
    ...shownOf(failure, request),
    ...shown,
    locale: languageOf(request),
  })

function sendErrorPage(reply: FastifyReply, status: number, page: ErrorPage): FastifyReply {
  if (page.retryAfter !== undefined) reply.header('retry-after', String(page.retryAfter))
  return reply
    .code(status)
    .header('content-security-policy', pagePolicy({ forms: 'own', logoUrl: page.system?.logoUrl }))
    .type('text/html')
    .send(errorPage(page))
}
