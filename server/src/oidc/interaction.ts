/** An interaction of the protocol library, as the routes of a sign-in use it: read, checked, completed. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { errors, type InteractionResults } from 'oidc-provider'
import { Type } from 'typebox'
import { endCountOfWrites } from '../authentication/anonymous-writes.ts'
import type { SignInPlace } from '../authentication/password.ts'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransactionContext } from '../database/transaction.ts'
import type { WriteCondition } from '../database/write-batch.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { checkCookies } from '../http/cookie-check.ts'
import { csrfToken, isOwnForm, wantsJson } from '../http/forms-and-cookies.ts'
import { isRead } from '../http/methods.ts'
import { isBrowserForm } from '../http/shown.ts'
import { type AuditEntry, recordWithArtifacts } from '../journal/audit/record.ts'
import { batchCondition, startBatch, writeArtifacts, writeBatch } from '../resources/artifacts/write.ts'
import { type EnabledUser, findEnabledUser } from '../resources/sign-ins/queries.ts'
import { type ClientSystem, clientOf } from '../resources/systems/queries.ts'
import { keepClient } from './clients/opened.ts'
import { namesUser } from './policy/claims-request.ts'

export type InteractionParts = { db: Db; seal: Seal; config: Config; provider: () => Provider }

/** The members of the library's interaction that we use. */
export type Interaction = {
  uid: string
  /** Of the authorization: its steps have the same. */
  cid: string
  prompt: { name: string; reasons: string[]; details: Record<string, unknown> }
  params: Record<string, unknown> & {
    client_id: string
    redirect_uri?: string
    login_hint?: string
    /** The account of the sign-in, and a connection of an organization, if the request names them. */
    account_id?: string
    connection?: string
    ui_locales?: string
    scope?: string
  }
  session?: { accountId?: string; uid?: string }
  lastSubmission?: InteractionResults
  result?: InteractionResults
  returnTo: string
  /** When the authorization, or the present step, began; seconds since 1970. */
  iat: number
  persist(): Promise<unknown>
}

/** 16 kB: the forms of a sign-in are small. */
export const STEP_BODY_MAX = 16_384
/** The library generates 43 characters of this alphabet. */
const INTERACTION = /^[\w-]{1,100}$/
const Params = Type.Object({ uid: Type.String({ pattern: INTERACTION.source }) })
/** The options of every route below /interaction/:uid. */
export const STEP = {
  config: { authority: 'interaction' },
  bodyLimit: STEP_BODY_MAX,
  schema: { params: Params },
} as const

/** A request in an interaction. */
export type SignInStep = {
  parts: InteractionParts
  request: FastifyRequest
  reply: FastifyReply
  interaction: Interaction
}

/**
 * A submitted form; undefined if the reply redirects. Throws `csrf_rejected` unless one of our own pages sent
 * it.
 */
export async function submittedStep(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignInStep | undefined> {
  const step = await stepOf(parts, request, reply)
  if (step && !isOwnForm(request, parts.config.BASE_URL, csrfToken(parts.seal, step.interaction.uid)))
    throw new Failure('csrf_rejected')
  return step
}

/**
 * A request with the interaction of this browser's cookie, which the path names. Undefined if the reply
 * redirects: to the present step of the sign-in if the page is an earlier one, or to find out whether the
 * browser keeps cookies. Throws `interaction_not_found` if there is no such sign-in in this browser, and to a
 * page also `interaction_finished` or `cookies_required`.
 */
export async function stepOf(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignInStep | undefined> {
  const { uid } = request.params as { uid: string }
  try {
    const found = await parts.provider().interactionDetails(request.raw, reply.raw)
    if (found.uid === uid) {
      if (found.session?.accountId !== undefined) endCountOfWrites()
      const interaction = found as unknown as Interaction
      if (isRead(request) && !wantsJson(request))
        keepClient(parts.config, request, reply, { uid, clientId: interaction.params.client_id })
      return { parts, request, reply, interaction }
    }
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
  }
  const present = presentInteraction(parts, request, reply)
  if (present !== undefined && present !== uid) return void goTo(request, reply, present)
  if (wantsJson(request)) throw new Failure('interaction_not_found')
  // The page after a form is requested by its own address: see http/shown.ts.
  if (!isRead(request)) return void goTo(request, reply, uid)
  if (present !== undefined) throw new Failure('interaction_finished')
  const check = checkCookies(parts.config, request)
  if (check.cookies !== 'kept') reply.header('set-cookie', check.setCookie)
  if (check.cookies === 'unknown') return void reply.redirect(check.location, 303)
  throw new Failure(check.cookies === 'refused' ? 'cookies_required' : 'interaction_not_found')
}

/**
 * The interaction that the cookie of this page names. The page of an earlier step has the next one
 * (policy/prompts.ts); the cookie of a finished one remains until it would have expired.
 */
function presentInteraction(
  { provider }: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  const { cookies } = provider().createContext(request.raw, reply.raw)
  const uid = cookies.get(provider().cookieName('interaction'), { signed: true })
  return uid && INTERACTION.test(uid) ? uid : undefined
}

/** The answer to a form whose sign-in has ended meanwhile: its page says so. Throws any other error. */
export function toPageOf({ request, reply, interaction }: SignInStep, error: unknown): FastifyReply {
  const isGone = error instanceof Failure && error.code === 'interaction_not_found'
  if (!isGone || !isBrowserForm(request)) throw error
  return goTo(request, reply, interaction.uid)
}

function goTo(request: FastifyRequest, reply: FastifyReply, uid: string): FastifyReply {
  const location = `/interaction/${uid}`
  return wantsJson(request) ? reply.code(409).send({ location }) : reply.redirect(location, 303)
}

/** The system that the user signs in to, for audit entries and emails. */
export const systemOf = ({ parts, interaction }: SignInStep): Promise<ClientSystem | undefined> =>
  clientOf(parts.db, interaction.params.client_id)

export const systemIdOf = async (step: SignInStep): Promise<string | null> =>
  (await systemOf(step))?.id ?? null

/**
 * The system of a sign-in, null for /account, and the scope whose credentials are valid there. The systems of
 * the platform accept only credentials that are valid everywhere, as /account does.
 */
export const placeOf = (system: ClientSystem | undefined): SignInPlace => ({
  systemId: system?.id ?? null,
  scope: !system || system.platform ? null : system.id,
})

/**
 * The answer to a step that is not the required one: nothing is changed, the
 * browser goes to the required step.
 */
export const redirectToStep = ({ request, reply, interaction }: SignInStep): FastifyReply =>
  goTo(request, reply, interaction.uid)

/** Ends the sign-in with `access_denied` (RFC 6749 section 4.1.2.1). */
export const denyAccess = (
  step: SignInStep,
  description: string,
  changes?: Pick<Changes, 'entry' | 'actor'>,
): Promise<FastifyReply> =>
  completeStep(step, { error: 'access_denied', error_description: description }, changes)

/**
 * Returns the sign-in to the login step, for another user: what the present one has done in it is dropped.
 * The browser stays signed in until the other user has authenticated.
 */
export async function restartLogin(step: SignInStep): Promise<FastifyReply> {
  const { parts, interaction } = step
  const { login_hint: _, ...params } = interaction.params
  const prompt = { name: 'login', reasons: ['another_user'], details: {} }
  await inTransactionContext(parts.db, async (context) => {
    startBatch(context)
    Object.assign(interaction, { prompt, params, lastSubmission: undefined, result: undefined })
    await interaction.persist()
    await writeBatch(context)
  })
  const location = `/interaction/${interaction.uid}`
  return wantsJson(step.request) ? step.reply.send({ location }) : step.reply.redirect(location, 303)
}

/** Whether the application does not expect one user, by an `id_token_hint` or the claim `sub`. */
export const allowsAnotherUser = ({ params }: Interaction): boolean =>
  params.id_token_hint === undefined && !namesUser(params.claims)

/** Whether the sign-in is a test (policy/test-sign-in.ts), in which nothing is created or changed. */
export const isTestSignIn = ({ params }: Interaction): boolean => params.test !== undefined

type Work = (tx: Db) => Promise<void>

/** What a step changes besides its result. `work` runs in a transaction; without it the step needs none. */
type Changes = {
  work?: Work | undefined
  /** Nothing is stored unless it is true. `work` runs after it. */
  condition?: WriteCondition
  /** The audit entry of the step, and who acts. */
  entry: AuditEntry
  actor: Actor
}

/** Completes a step and sends the browser on. */
export async function completeStep(
  step: SignInStep,
  result: InteractionResults,
  changes?: Work | Changes,
): Promise<FastifyReply> {
  const location = await submitResult(step, result, changes)
  return wantsJson(step.request) ? step.reply.send({ location }) : step.reply.redirect(location, 303)
}

/**
 * Stores the result of a step for the library, in one transaction with the rows that `work` writes. Returns
 * the address where the library resumes. Throws `interaction_not_found` if the sign-in has ended meanwhile.
 */
export async function submitResult(
  { parts, interaction }: SignInStep,
  result: InteractionResults,
  changes?: Work | Changes,
): Promise<string> {
  if (!('error' in result)) endCountOfWrites() // the step has proved who the user is
  const { work, condition, entry, actor } = typeof changes === 'function' ? { work: changes } : { ...changes }
  return inTransactionContext(parts.db, async (context) => {
    startBatch(context)
    if (entry && actor) await recordWithArtifacts(parts.db, actor, entry)
    if (work) {
      const tx = await context.write()
      // First, as in every change of a user: no deadlock.
      if (condition) await writeArtifacts(tx, { conditions: [condition], stored: [] })
      await work(tx)
    } else if (condition) batchCondition(condition)
    // This is what the library's interactionResult does, which would read the interaction again.
    interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result }
    await interaction.persist()
    await writeBatch(context)
    return interaction.returnTo
  })
}

/**
 * The user who has completed the login step. Throws `interaction_not_found` if they
 * were disabled or deleted since.
 */
export async function signedInUser(step: SignInStep): Promise<{ user: EnabledUser; actor: Actor }> {
  const { parts, request, interaction } = step
  const { scope } = placeOf(await systemOf(step))
  const user = await findEnabledUser(parts.db, interaction.session?.accountId ?? '', scope)
  if (!user) throw new Failure('interaction_not_found')
  return { user, actor: { ...request.actor, type: 'user', id: user.id } }
}
