/**
 * The sign-in by a connection of an organization: /interaction/<uid>/connection/<id> leads to its provider,
 * whose answer (/sso/<id>/callback) is kept for the interaction, and /interaction/<uid>/connection completes
 * the login step, or asks first for what the user has to show beside the answer (own-proof.ts). Each of them
 * finds the connection enabled, of the system of the interaction and of the account that the request names.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asksForFactors } from '../../authentication/assurance.ts'
import { usedMeanwhile } from '../../authentication/attempts.ts'
import type { OwnProof } from '../../authentication/proofs.ts'
import { takeFactor, type VerifiedFactor } from '../../authentication/second-factor.ts'
import { readTyped } from '../../authentication/typed-address.ts'
import { noteConnection } from '../../authentication/used-connections.ts'
import { randomToken } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { addressKey } from '../../email-address.ts'
import { Failure } from '../../errors.ts'
import { siteOf } from '../../http/ip-address.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { isUuid } from '../../http/uuid.ts'
import { recordRefused } from '../../journal/audit/failures.ts'
import {
  ConnectionRefusal,
  findMeant,
  type LinkedSignIn,
  type Meant,
  type Remedy,
  signInByConnection,
} from '../../lifecycle/sign-in-by-connection.ts'
import {
  completeStep,
  type InteractionParts,
  isTestSignIn,
  redirectToStep,
  type SignInStep,
  stepOf,
  submittedStep,
  systemOf,
} from '../../oidc/interaction.ts'
import type { ConnectionDetails } from '../../oidc/policy/connection-prompt.ts'
import { connectionLoginOf } from '../../oidc/policy/proofs.ts'
import { insertArtifact } from '../../resources/artifacts/queries.ts'
import { insertAttempt, noteOutcome } from '../../resources/connections/attempts.ts'
import { type Configured, findConfigured } from '../../resources/connections/configured.ts'
import { isVerifiedBy } from '../../resources/domains/match.ts'
import { type EnabledUser, enabledLogin, findEnabledUser } from '../../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../../resources/systems/queries.ts'
import type { SamlReader } from '../../saml/reader.ts'
import type { PageState } from '../../ui/forms.ts'
import { newAuthorizationValues } from '../openid.ts'
import { type Arrived, clearArrived, isOver, readArrived, storeArrived } from './arrived.ts'
import { assertionOf } from './assertion.ts'
import { askedOf, asksForLogin, freshnessOf } from './freshness.ts'
import type { ConnectionProviders } from './providers.ts'
import { sendSamlRequest } from './saml-start.ts'
import { sendAnotherUser, sendCodeStep, sendFactorStep, sendRefused, shownState } from './sign-in-pages.ts'
import { type PendingRequest, storeRequest } from './state.ts'

export type SignInParts = InteractionParts & { connections: ConnectionProviders; saml: SamlReader }

/** The steps at which a connection can sign in, unless it is a test, which changes nothing. */
const takesLogin = ({ interaction }: SignInStep): boolean =>
  (interaction.prompt.name === 'login' || interaction.prompt.name === 'connection') &&
  !isTestSignIn(interaction)

/** The account that the request names, or in which the membership is closed. */
function accountAsked({ interaction: { prompt, params } }: SignInStep): string | undefined {
  if (prompt.name === 'connection') return (prompt.details as Partial<ConnectionDetails>).account?.id
  return params.account_id === undefined ? undefined : String(params.account_id).toLowerCase()
}

type Place = { system: ClientSystem; connection: Configured }

/** Throws `not_found`. */
async function placeOfConnection(step: SignInStep, id: unknown): Promise<Place> {
  const system = await systemOf(step)
  const connection = isUuid(id)
    ? await findConfigured(step.parts.db, step.parts, id.toLowerCase())
    : undefined
  const requested = accountAsked(step)
  const isRequested = requested === undefined || requested === connection?.accountId.toLowerCase()
  if (!system || !connection?.enabled || connection.systemId !== system.id || !isRequested)
    throw new Failure('not_found')
  return { system, connection }
}

export async function beginSignIn(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const step = await stepOf(parts, request, reply)
  if (!step) return reply
  if (!takesLogin(step)) return redirectToStep(step)
  const { connection } = await placeOfConnection(step, (request.params as { id?: unknown }).id)
  if (connection.kind === 'saml') {
    const { uid } = step.interaction
    return sendSamlRequest(parts, request, reply, connection, {
      uid,
      forceAuthn: asksForLogin(step.interaction),
    })
  }
  const pending = { ...newAuthorizationValues(), connection: connection.id, uid: step.interaction.uid }
  const hint = await hintFor(step, connection)
  try {
    const asked = askedOf(step.interaction, connection, hint)
    const away = await parts.connections.begin(connection, pending, asked)
    storeRequest(parts, request, reply, pending)
    return reply.redirect(away.href, 303)
  } catch (error) {
    return refuseAnswer(parts, request, reply, { connection, uid: step.interaction.uid, error })
  }
}

/**
 * The address that the provider is told: the one that was typed, if the organization has verified its domain
 * (other addresses of a user do not concern it), else the one that the application names.
 */
async function hintFor(
  { parts, request, interaction }: SignInStep,
  connection: Configured,
): Promise<string | undefined> {
  const typed = readTyped(parts.seal, interaction.uid, request.query)
  if (typed === undefined) return interaction.params.login_hint
  return (await isVerifiedBy(parts.db, connection, addressKey(typed))) ? typed : undefined
}

/** The answer of the provider to a request of a sign-in, of which the `state` is used for the first time. */
export async function receiveAnswer(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingRequest & { uid: string },
): Promise<FastifyReply> {
  const { connections } = parts
  const { uid } = pending
  const connection = await findConfigured(parts.db, parts, pending.connection)
  if (!connection?.enabled || connection.kind !== 'oidc') throw new Failure('not_found')
  try {
    const query = new URLSearchParams(request.url.split('?')[1] ?? '')
    const answer = await connections.complete(connection, pending, query, siteOf(request.ip))
    const { groups: _, ...stated } = assertionOf(connection, answer)
    const nonce = randomToken()
    storeArrived(parts, reply, uid, { nonce, connection: connection.id, at: connection.readAt, stated })
    return reply.redirect(`/interaction/${uid}/connection`, 303)
  } catch (error) {
    return refuseAnswer(parts, request, reply, { connection, uid, error })
  }
}

export type Returned = Place & { arrived: Arrived }

/** The answer with which the browser has returned; undefined at another step, or if it is too old. */
export async function returnedTo(step: SignInStep): Promise<Returned | undefined> {
  const arrived = takesLogin(step) ? readArrived(step.parts, step.request, step.interaction.uid) : undefined
  if (!arrived) return undefined
  const place = await placeOfConnection(step, arrived.connection)
  const { readAt, configuredAt } = place.connection
  const isOutdated = arrived.at < configuredAt.getTime()
  if (!isOver(arrived, readAt) && !isOutdated) return { ...place, arrived }
  clearArrived(step.parts, step.reply, step.interaction.uid)
  return undefined
}

/** Whom the answer would sign in; the user of the browser, if it is another one who has to be asked first. */
export async function meantBy(
  { parts: { db }, interaction }: SignInStep,
  returned: Returned,
): Promise<{ meant: Meant | undefined; current: EnabledUser | undefined }> {
  const userId = interaction.session?.accountId
  const current = userId === undefined ? undefined : await findEnabledUser(db, userId, returned.system.id)
  const meant = await findMeant(db, answeredOf(returned), returned.arrived.stated)
  const isAnother = current && meant?.userId !== current.id && returned.arrived.replaces !== current.id
  return { meant, current: isAnother ? current : undefined }
}

/** Signs in, or asks before another user is signed in than the one whom the browser has. */
export async function showCompletion(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const step = await stepOf(parts, request, reply)
  if (!step) return reply
  const state = shownState(step)
  if (state?.refused) {
    const { connection } = await placeOfConnection(step, state.refused.connection)
    return sendRefused(step, connection, state.refused)
  }
  const returned = await returnedTo(step)
  if (!returned) return redirectToStep(step)
  const { current } = step.interaction.session?.accountId ? await meantBy(step, returned) : {}
  if (current) return sendAnotherUser(step, returned.connection, current, returned.arrived.stated)
  return signIn(step, returned, { state })
}

/** The form of the page that names both users. */
export async function submitCompletion(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const step = await submittedStep(parts, request, reply)
  if (!step) return reply
  const returned = await returnedTo(step)
  if (!returned) return redirectToStep(step)
  const replaces = step.interaction.session?.accountId
  return signIn(step, { ...returned, arrived: { ...returned.arrived, replaces } })
}

const answeredOf = ({ connection, arrived }: Returned) => ({
  id: connection.id,
  systemId: connection.systemId,
  accountId: connection.accountId,
  at: arrived.at,
})

/** A second factor of the user that was verified in this sign-in, and not used yet. */
export type OwnFactor = { userId: string; verified: VerifiedFactor; proof: OwnProof }

/**
 * Completes the login step. If the user has to show something first, it sends that step with `state`, and
 * nothing is stored; otherwise why the sign-in is refused.
 */
export async function signIn(
  step: SignInStep,
  returned: Returned,
  { factor, state }: { factor?: OwnFactor; state?: PageState | undefined } = {},
): Promise<FastifyReply> {
  const { parts, request, reply, interaction } = step
  const { connection, arrived } = returned
  try {
    const found = await inTransaction(parts.db, (tx) => userOf(tx, step, returned, factor))
    clearArrived(parts, reply, interaction.uid)
    return await completeSignIn(step, returned, found, factor)
  } catch (error) {
    if (!(error instanceof ConnectionRefusal)) throw error
    const { code, remedy } = error
    if (remedy) return askFor(step, returned, remedy, state)
    clearArrived(parts, reply, interaction.uid)
    await noteRefused(parts, request, connection, { code, stated: arrived.stated })
    return sendRefused(step, connection, { code, status: 403 })
  }
}

async function askFor(
  step: SignInStep,
  { system, connection, arrived }: Returned,
  { by, userId }: Remedy,
  state: PageState = {},
): Promise<FastifyReply> {
  const { parts, reply, interaction } = step
  const user = await findEnabledUser(parts.db, userId, system.id)
  if (!user) throw usedMeanwhile()
  storeArrived(parts, reply, interaction.uid, { ...arrived, isAsked: true })
  return (by === 'code' ? sendCodeStep : sendFactorStep)(step, connection, user, state)
}

type Found = LinkedSignIn & { user: EnabledUser; mfa: 'reported' | 'trusted' | undefined }

/** The user of the answer. Without a second factor that is required nothing is created. */
async function userOf(
  tx: Db,
  step: SignInStep,
  returned: Returned,
  factor: OwnFactor | undefined,
): Promise<Found> {
  const { parts, request, interaction } = step
  const { system, arrived } = returned
  const answered = answeredOf(returned)
  const linked = await signInByConnection(tx, parts, request.actor, answered, arrived.stated, arrived.mailbox)
  const user = await findEnabledUser(tx, linked.userId, system.id)
  if (!user) throw usedMeanwhile()
  await demandFactor(tx, step, returned, linked, { user, factor })
  const { connection } = linked
  const mfa = connection.mfa === 'trusted' ? 'trusted' : arrived.stated.mfa ? 'reported' : undefined
  const isRequired =
    system.requireMfa || connection.requireMfa || asksForFactors(interaction.params.acr_values)
  if (isRequired && mfa === undefined && !user.hasFactor)
    throw new ConnectionRefusal('connection_without_mfa')
  return { ...linked, user, mfa }
}

/**
 * Uses the factor of the user that this sign-in has verified. It is required where the provider states no
 * login that is recent enough, and, of a user who has one, before a code links the user: later sign-ins by
 * the link do not ask for it. Of a user who was no member before, it is not asked for: the page would tell
 * the organization whether a user of elsewhere has a factor.
 */
async function demandFactor(
  tx: Db,
  { parts, request, interaction }: SignInStep,
  { system, connection, arrived }: Returned,
  { isByCode, wasMember }: LinkedSignIn,
  { user, factor }: { user: EnabledUser; factor: OwnFactor | undefined },
): Promise<void> {
  if (factor) {
    const actor = { ...request.actor, type: 'user' as const, id: user.id }
    const place = { systemId: system.id, system }
    const isTaken =
      factor.userId === user.id && (await takeFactor(tx, parts.seal, actor, user, place, factor.verified))
    if (!isTaken) throw usedMeanwhile()
    return
  }
  const isRequired = isByCode && user.hasFactor
  if (!isRequired && freshnessOf(interaction, connection, arrived).isMet) return
  const remedy = { by: 'factor', userId: user.id } as const
  throw new ConnectionRefusal('connection_not_fresh', user.hasFactor && wasMember ? remedy : undefined)
}

async function completeSignIn(
  step: SignInStep,
  { system, connection, arrived }: Returned,
  { userId, linkId, mfa }: Found,
  factor: OwnFactor | undefined,
): Promise<FastifyReply> {
  const stated = freshnessOf(step.interaction, connection, arrived)
  // The user has authenticated in person when they have verified their own factor.
  const { loginAt, isFresh } = factor ? { loginAt: factor.proof.at, isFresh: true } : stated
  const { parts, request } = step
  const { id, accountId } = connection
  const login = connectionLoginOf(
    { userId, at: arrived.at, credential: linkId, scope: system.id, account: accountId, connection: id },
    { mfa, loginAt, isFresh, until: arrived.until },
  )
  noteConnection(parts, request, step.reply, id)
  const entry = {
    action: 'user.login',
    target: { type: 'user', id: userId },
    ...{ systemId: system.id, accountId, changes: { connection: [null, id] as [unknown, unknown] } },
  }
  return completeStep(
    step,
    { login, ...(factor && { second_factor: { proof: factor.proof } }) },
    {
      condition: enabledLogin(userId, usedMeanwhile),
      entry,
      actor: { ...request.actor, type: 'user', id: userId },
      async work(tx) {
        const isFirst = await insertArtifact(tx, {
          model: 'ConnectionState',
          idHash: parts.seal.hash(arrived.nonce, 'connection:arrived'),
          expiresIn: parts.config.TTL_INTERACTION,
        })
        if (!isFirst) throw usedMeanwhile()
        await noteOutcome(tx, id, null)
        await insertAttempt(tx, {
          ...attemptOf(request, id, arrived.stated),
          outcome: 'signed_in',
          code: null,
        })
      },
    },
  )
}

type About = Partial<Pick<Arrived['stated'], 'subject' | 'email'>>

const attemptOf = (
  { id: requestId }: FastifyRequest,
  connectionId: string,
  { subject, email }: About = {},
) => ({
  ...{ connectionId, requestId, subject: subject ?? null, email: email ?? null },
})

/** In the log of the connection and in the audit log. */
export async function noteRefused(
  { db }: SignInParts | InteractionParts,
  request: FastifyRequest,
  { id, systemId, accountId }: Configured,
  { code, stated }: { code: string; stated?: About },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await noteOutcome(tx, id, code)
    await insertAttempt(tx, { ...attemptOf(request, id, stated), outcome: 'refused', code })
  })
  const changes = { connection: [null, id], code: [null, code] } as Record<string, [unknown, unknown]>
  const entry = { action: 'user.login', outcome: 'failure' as const, systemId, accountId, changes }
  await recordRefused(db, request.actor, entry)
}

/** The provider was not reached, has refused, or its answer is not valid. Throws any other error. */
async function refuseAnswer(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { connection, uid, error }: { connection: Configured; uid: string; error: unknown },
): Promise<FastifyReply> {
  const failure = failureOfRequest(error as FastifyError)
  const { code, status, retryAfter } = failure
  if (!code.startsWith('provider_')) throw error
  request.actor.refusalNote?.noteFailure(failure, 'sign_in')
  await noteRefused(parts, request, connection, { code })
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  const at = { parts, request, reply, interaction: { uid, params: {} } }
  return sendRefused(at, connection, { code, status })
}
