/**
 * The sign-in by a connection of an organization: /interaction/<uid>/connection/<id> leads to its provider,
 * whose answer (/sso/<id>/callback) is kept for the interaction, and /interaction/<uid>/connection completes
 * the login step. Each of the three finds the connection enabled, of the system of the interaction and of the
 * account that the request names.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asksForFactors } from '../../authentication/assurance.ts'
import { usedMeanwhile } from '../../authentication/attempts.ts'
import { randomToken } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { isUuid } from '../../http/uuid.ts'
import { recordRefused } from '../../journal/audit/failures.ts'
import {
  ConnectionRefusal,
  findAnswered,
  type LinkedSignIn,
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
import { connectionLoginOf } from '../../oidc/policy/proofs.ts'
import { insertArtifact } from '../../resources/artifacts/queries.ts'
import { insertAttempt, noteOutcome } from '../../resources/connections/attempts.ts'
import { type Configured, findConfigured } from '../../resources/connections/configured.ts'
import { type EnabledUser, enabledLogin, findEnabledUser } from '../../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../../resources/systems/queries.ts'
import { newAuthorizationValues } from '../openid.ts'
import { type Arrived, clearArrived, readArrived, storeArrived } from './arrived.ts'
import { assertionOf } from './assertion.ts'
import { askedOf, freshnessOf } from './freshness.ts'
import type { ConnectionProviders } from './providers.ts'
import { sendAnotherUser, sendRefused } from './sign-in-pages.ts'
import { type PendingRequest, storeRequest } from './state.ts'

export type SignInParts = InteractionParts & { connections: ConnectionProviders }

/** A step at which a connection can sign in: the login, unless it is a test, which changes nothing. */
const takesLogin = ({ interaction }: SignInStep): boolean =>
  interaction.prompt.name === 'login' && !isTestSignIn(interaction)

type Place = { system: ClientSystem; connection: Configured }

/** Throws `not_found`. */
async function placeOfConnection(step: SignInStep, id: unknown): Promise<Place> {
  const { db, seal } = step.parts
  const system = await systemOf(step)
  const connection = isUuid(id) ? await findConfigured(db, seal, id.toLowerCase()) : undefined
  const requested = step.interaction.params.account_id
  const isRequested =
    requested === undefined || String(requested).toLowerCase() === connection?.accountId.toLowerCase()
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
  const pending = { ...newAuthorizationValues(), connection: connection.id, uid: step.interaction.uid }
  try {
    const away = await parts.connections.begin(connection, pending, askedOf(step.interaction, connection))
    storeRequest(parts, request, reply, pending)
    return reply.redirect(away.href, 303)
  } catch (error) {
    return refuseAnswer(parts, request, reply, { connection, uid: step.interaction.uid, error })
  }
}

/** The answer of the provider to a request of a sign-in, of which the `state` is used for the first time. */
export async function receiveAnswer(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingRequest & { uid: string },
): Promise<FastifyReply> {
  const { db, seal, connections } = parts
  const { uid } = pending
  const connection = await findConfigured(db, seal, pending.connection)
  if (!connection?.enabled) throw new Failure('not_found')
  try {
    const query = new URLSearchParams(request.url.split('?')[1] ?? '')
    const answer = await connections.complete(connection, pending, query)
    const { groups: _, ...stated } = assertionOf(connection, answer)
    const nonce = randomToken()
    storeArrived(parts, reply, uid, { nonce, connection: connection.id, at: connection.readAt, stated })
    return reply.redirect(`/interaction/${uid}/connection`, 303)
  } catch (error) {
    return refuseAnswer(parts, request, reply, { connection, uid, error })
  }
}

type Returned = Place & { arrived: Arrived }

/** Undefined if the reply redirects. */
async function returnedTo(step: SignInStep): Promise<Returned | undefined> {
  const arrived = takesLogin(step) ? readArrived(step.parts, step.request, step.interaction.uid) : undefined
  return arrived && { ...(await placeOfConnection(step, arrived.connection)), arrived }
}

/** Signs in, or asks before another user is signed in than the one whom the browser has. */
export async function showCompletion(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const step = await stepOf(parts, request, reply)
  if (!step) return reply
  const returned = await returnedTo(step)
  if (!returned) return redirectToStep(step)
  const current = await currentUser(step, returned.system)
  if (current) {
    const next = await findAnswered(parts.db, answeredOf(returned), returned.arrived.stated)
    if (next !== current.id)
      return sendAnotherUser(step, returned.connection, current, returned.arrived.stated)
  }
  return signIn(step, returned)
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
  return returned ? signIn(step, returned) : redirectToStep(step)
}

const currentUser = async ({ parts, interaction }: SignInStep, { id }: ClientSystem) => {
  const userId = interaction.session?.accountId
  return userId === undefined ? undefined : findEnabledUser(parts.db, userId, id)
}

const answeredOf = ({ connection, arrived }: Returned) => ({
  id: connection.id,
  systemId: connection.systemId,
  accountId: connection.accountId,
  at: arrived.at,
})

async function signIn(step: SignInStep, returned: Returned): Promise<FastifyReply> {
  const { parts, request, reply, interaction } = step
  const { connection, arrived } = returned
  clearArrived(parts, reply, interaction.uid)
  const freshness = freshnessOf(interaction, connection, arrived)
  try {
    if (!freshness.isMet) throw new ConnectionRefusal('connection_not_fresh')
    const found = await inTransaction(parts.db, (tx) => userOf(tx, step, returned))
    return await completeSignIn(step, returned, found, freshness)
  } catch (error) {
    if (!(error instanceof ConnectionRefusal)) throw error
    const { code } = error
    await noteRefused(parts, request, connection, { code, stated: arrived.stated })
    return sendRefused(step, connection, { code, status: 403 })
  }
}

type Found = LinkedSignIn & { user: EnabledUser; mfa: 'reported' | 'trusted' | undefined }

/** The user of the answer. Without a second factor that is required nothing is created. */
async function userOf(tx: Db, step: SignInStep, returned: Returned): Promise<Found> {
  const { parts, request, interaction } = step
  const { system, arrived } = returned
  const linked = await signInByConnection(tx, parts, request.actor, answeredOf(returned), arrived.stated)
  const user = await findEnabledUser(tx, linked.userId, system.id)
  if (!user) throw usedMeanwhile()
  const { connection } = linked
  const mfa = connection.mfa === 'trusted' ? 'trusted' : arrived.stated.mfa ? 'reported' : undefined
  const isRequired =
    system.requireMfa || connection.requireMfa || asksForFactors(interaction.params.acr_values)
  if (isRequired && mfa === undefined && !user.hasFactor)
    throw new ConnectionRefusal('connection_without_mfa')
  return { ...linked, user, mfa }
}

async function completeSignIn(
  step: SignInStep,
  { system, connection, arrived }: Returned,
  { userId, linkId, mfa }: Found,
  { loginAt, isFresh }: ReturnType<typeof freshnessOf>,
): Promise<FastifyReply> {
  const { parts, request } = step
  const { id, accountId } = connection
  const login = connectionLoginOf(
    { userId, at: arrived.at, credential: linkId, scope: system.id, account: accountId, connection: id },
    { mfa, loginAt, isFresh },
  )
  const entry = {
    action: 'user.login',
    target: { type: 'user', id: userId },
    ...{ systemId: system.id, accountId, changes: { connection: [null, id] as [unknown, unknown] } },
  }
  return completeStep(
    step,
    { login },
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

async function noteRefused(
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
