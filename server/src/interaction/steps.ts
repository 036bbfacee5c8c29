/** What every step of a sign-in begins and ends with. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { errors, type InteractionResults } from 'oidc-provider'
import { Type } from 'typebox'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { csrfToken, isOwnForm, wantsJson } from '../http/forms.ts'
import { clientOf } from '../resources/systems/clients.ts'
import type { Details } from './screens.ts'

export type InteractionParts = { db: Db; seal: Seal; config: Config; provider: () => Provider }

/** 16 kB: a sign-in's forms are small. */
export const BODY_LIMIT = 16_384
const Params = Type.Object({ uid: Type.String({ minLength: 1, maxLength: 100 }) })
/** Of every route below /interaction/:uid. */
export const STEP = {
  config: { authority: 'interaction' },
  bodyLimit: BODY_LIMIT,
  schema: { params: Params },
} as const

/** The sign-in that a form of ours was sent in. */
export async function ownedBy(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Details> {
  const details = await detailsOf(parts.provider(), request, reply)
  if (!isOwnForm(request, parts.config.BASE_URL, csrfToken(parts.seal, details.uid)))
    throw new Failure('csrf_rejected')
  return details
}

/** The sign-in of this browser, if it is the one the address names. */
export async function detailsOf(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Details> {
  try {
    const details = await provider.interactionDetails(request.raw, reply.raw)
    if (details.uid === (request.params as { uid: string }).uid) return details as unknown as Details
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
  }
  throw new Failure('interaction_not_found')
}

/** The system a sign-in is for, so that its own audit tells of it. */
export const systemOf = async ({ db }: InteractionParts, { params }: Details): Promise<string | null> =>
  (await clientOf(db, params.client_id))?.id ?? null

/** A step that is not owed: nothing happens, the person is shown the one that is. */
export function back(request: FastifyRequest, reply: FastifyReply, details: Details): FastifyReply {
  const location = `/interaction/${details.uid}`
  return wantsJson(request) ? reply.code(409).send({ location }) : reply.redirect(location, 303)
}

export const refuse = (parts: InteractionParts, request: FastifyRequest, reply: FastifyReply, why: string) =>
  finish(parts, request, reply, { error: 'access_denied', error_description: why })

type Work = (tx: Db) => Promise<void>

/** Ends a step and goes on. */
export async function finish(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
  work?: Work,
): Promise<FastifyReply> {
  const location = await settle(parts, request, reply, result, work)
  return wantsJson(request) ? reply.send({ location }) : reply.redirect(location, 303)
}

/** A sign-in is of the moment in which it was proven: each later step hands it in again, and the library would date it anew. */
const dated = (result: InteractionResults): InteractionResults =>
  result.login ? { ...result, login: { ts: Math.floor(Date.now() / 1_000), ...result.login } } : result

/** Ends a step: its own rows and the result the library resumes with, in one transaction. Answers where it goes on. */
export async function settle(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
  work?: Work,
): Promise<string> {
  return inTransaction(parts.db, async (tx) => {
    await work?.(tx)
    return parts.provider().interactionResult(request.raw, reply.raw, dated(result), {
      mergeWithLastSubmission: !('error' in result),
    })
  })
}
