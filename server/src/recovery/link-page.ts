/**
 * The routes of an emailed link: its page, its form, and its ends. The row of a link says to which
 * application they lead, also when the link is not valid any more.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { NewPasswordFaults } from '../authentication/new-password.ts'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { demandOwnLinkForm, readLinkToken, wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { logFailure } from '../http/problems.ts'
import { readShown, redirectToOutcome } from '../http/shown.ts'
import type { Application } from '../resources/systems/application.ts'
import { pagePolicy, type SystemLook } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { messagePage } from '../ui/pages/message.ts'
import { sendFailurePage } from '../ui/pages/page-failures.ts'

/** 16 kB: a token and two passwords. */
export const LINK_BODY_MAX = 16_384

export type RecoveryParts = { db: Db; seal: Seal; config: Config; provider: () => Provider }

/** What the row of a link says of its ends. */
export type LinkEnds = {
  application: Application | null
  /** The address of the user, if the application may read it. */
  loginHint?: string | undefined
  /** The path of the form that sends another link. */
  again?: string | undefined
  /** The link was of a registration. */
  registers?: boolean
}

export type Form = { token: string; errors?: NewPasswordFaults }
export type Done = { done: keyof typeof DONE }

/** `Row`: what is read of a link, whether or not it is valid. */
export type EmailedLink<Row extends LinkEnds> = {
  path: string
  find(token: string): Promise<Row | undefined>
  /** The form. Throws `link_expired` if the link is not valid. */
  show(request: FastifyRequest, reply: FastifyReply, form: Form, row: Row | undefined): Promise<FastifyReply>
  /** Consumes the link, or returns the errors of its form. Throws `link_expired`. */
  submit(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    row: Row | undefined,
  ): Promise<Done | { errors: NewPasswordFaults }>
}

/**
 * What a page shows; the token is that of the link, whose row its end is read from. `goneIn`: the id of the
 * request with the form of a link that is not valid.
 */
type Shown = Form | (Done & { token: string }) | { token: string; goneIn: string }

const config = { authority: 'public' } as const

/**
 * The two routes of a link. Its form is answered by a redirect to the page with the errors or to the end; the
 * token in the address of the page is sealed.
 */
export function addLinkPage<Row extends LinkEnds>(
  app: FastifyInstance,
  parts: RecoveryParts,
  { path, find, show, submit }: EmailedLink<Row>,
): void {
  const draw = async (request: FastifyRequest, reply: FastifyReply, state: Shown) => {
    const row = await find(state.token)
    const look = lookOfLink(parts, row)
    if ('done' in state) return sendDone(request, reply, state.done, look)
    const gone = { look, row, token: state.token }
    if ('goneIn' in state)
      return sendGone(request, reply, new Failure('link_expired'), { ...gone, requestId: state.goneIn })
    try {
      return await show(request, state.errors ? reply.code(400) : reply, state, row)
    } catch (error) {
      return sendGone(request, reply, error, gone)
    }
  }

  app.get(path, { config }, async (request, reply) => {
    const found = readShown<Shown>(parts.seal, request, path)
    return draw(request, reply, found?.shown ?? { token: readLinkToken(request.query) })
  })

  app.post(path, { config, bodyLimit: LINK_BODY_MAX }, async (request, reply) => {
    demandOwnLinkForm(request, parts.config)
    const token = readLinkToken(request.body)
    const outcome = await submitted(request, submit(request, reply, token, await find(token)))
    const shown = { token, ...outcome }
    const at = { address: path, page: path, shown, status: statusOf(outcome) }
    return redirectToOutcome(parts.seal, request, reply, at) ?? draw(request, reply, shown)
  })
}

type Outcome = Done | { errors: NewPasswordFaults } | { goneIn: string }

const statusOf = (outcome: Outcome): number => ('done' in outcome ? 200 : 'errors' in outcome ? 400 : 410)

const isExpired = (error: unknown) => error instanceof Failure && error.code === 'link_expired'

async function submitted(
  request: FastifyRequest,
  work: Promise<Done | { errors: NewPasswordFaults }>,
): Promise<Outcome> {
  try {
    return await work
  } catch (error) {
    if (!isExpired(error) || wantsJson(request)) throw error
    return { goneIn: request.id }
  }
}

export const lookOfLink = (
  { config }: Pick<RecoveryParts, 'config'>,
  row: LinkEnds | undefined,
): SystemLook | undefined =>
  row?.application ? lookOf(config, row.application, { loginHint: row.loginHint }) : undefined

export const sendLinkPage = (
  reply: FastifyReply,
  page: string,
  { logoUrl }: Pick<SystemLook, 'logoUrl'> = {},
): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy({ page, forms: 'own', logoUrl }))
    .type('text/html')
    .send(page)

type Gone = {
  look: SystemLook | undefined
  row: LinkEnds | undefined
  token: string
  /** The id of the form's request, if this is its outcome. */
  requestId?: string
}

/** The page of a link that is not valid. Throws any other error. */
function sendGone(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { look, row, token, requestId }: Gone,
): FastifyReply {
  if (!isExpired(error) || wantsJson(request)) throw error
  const failure = error as Failure
  if (requestId === undefined) logFailure(request, failure, failure)
  return sendFailurePage(failure, request, reply, {
    system: look,
    ...(requestId !== undefined && { requestId }),
    ...(row?.again !== undefined && { again: { action: row.again, token } }),
    ...(row?.registers && { registers: true }),
  })
}

const DONE = {
  passwordChanged: 'password_changed',
  verified: 'email_verified',
  registered: 'user_created',
  userKnown: 'user_exists',
  emailChanged: 'email_changed',
  emailWaiting: 'email_change_waiting',
  resetAgain: 'password_reset_sent',
} as const

export const sendDone = (
  request: FastifyRequest,
  reply: FastifyReply,
  kind: keyof typeof DONE,
  look: SystemLook | undefined,
): FastifyReply =>
  wantsJson(request)
    ? reply.send({ step: DONE[kind], ...(look?.next !== undefined && { location: look.next }) })
    : sendLinkPage(reply, messagePage({ locale: languageOf(request), kind, system: look }), look)
