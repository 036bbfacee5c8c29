/** Where a browser goes on after the page of a SAML provider has posted its response. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomToken } from '../../crypto/seal.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { insertAttempt, noteOutcome } from '../../resources/connections/attempts.ts'
import type { SamlConfigured } from '../../resources/connections/configured.ts'
import { SAML_CODES } from '../../saml/refusal.ts'
import { storeArrived } from './arrived.ts'
import { completeTest, isFirst, openedTest, sendRefusal } from './connection-test.ts'
import { type SamlResult, takeResult } from './saml-result.ts'
import { noteRefused, type SignInParts } from './sign-in.ts'
import { sendRefused } from './sign-in-pages.ts'
import { clearSamlRequest, findSamlRequest, lastSamlRequest, type SamlRequest } from './state.ts'
import { sendToApplication } from './tile.ts'

/** 2 minutes, in ms: so long after a request, a response without its `RelayState` is taken for the answer. */
const ANSWER_MAX = 120_000

/** With the cookie of the request. Whoever has none uses nothing up. */
export async function finishSaml(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: SamlConfigured,
): Promise<FastifyReply> {
  const { id, readAt } = connection
  const { request: requestId, error } = request.query as { request?: unknown; error?: unknown }
  const pending =
    typeof requestId === 'string'
      ? findSamlRequest(parts, request, { connection: id, state: requestId })
      : undefined
  if (!pending) throw new Failure('provider_state_invalid')
  if (error !== undefined) {
    const code = SAML_CODES.find((each) => each === error) ?? 'saml_invalid'
    return refuse(parts, request, reply, connection, pending, code)
  }
  const { uid } = pending
  if (uid === undefined) return finishTest(parts, request, reply, connection, pending)
  if (!connection.enabled) throw new Failure('not_found')
  const result = await takeResult(parts, { connection: id, requestId: pending.state }, readAt)
  if (result?.kind !== 'sign-in' || isOutdated(connection, result))
    throw new Failure('provider_state_invalid')
  clearSamlRequest(parts, reply, pending.state)
  const { at, stated, until } = result
  const arrived = { nonce: randomToken(), connection: id, at, stated, ...(until !== undefined && { until }) }
  storeArrived(parts, reply, uid, arrived)
  return reply.redirect(`/interaction/${uid}/connection`, 303)
}

async function finishTest(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: SamlConfigured,
  { state: requestId }: SamlRequest,
): Promise<FastifyReply> {
  const { id, readAt } = connection
  const opened = await openedTest(parts, request, id)
  const result = await takeResult(parts, { connection: id, requestId }, readAt)
  if (result?.kind !== 'test' || isOutdated(connection, result)) throw new Failure('provider_state_invalid')
  clearSamlRequest(parts, reply, requestId)
  const { stated, groups = null } = result
  return completeTest(parts, request, reply, opened, async () => ({ ...stated, groups }))
}

/** A response that was accepted by other settings, such as a certificate that was replaced since. */
const isOutdated = ({ configuredAt }: SamlConfigured, { at }: SamlResult): boolean =>
  at < configuredAt.getTime()

/** A page with one of our texts, and the ways on. */
async function refuse(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: SamlConfigured,
  { uid }: Pick<SamlRequest, 'uid'>,
  code: string,
): Promise<FastifyReply> {
  if (uid === undefined) return sendRefusal(parts, request, reply, connection, { code, status: 400 })
  const at = { parts, request, reply, interaction: { uid, params: {} } }
  return sendRefused(at, connection, { code, status: 400 })
}

/**
 * A response that nobody here has asked for, which was not read: accepting it would sign a browser in as
 * whoever the response is about. The application begins a sign-in of its own instead. If this browser has
 * just sent a request, the provider has lost its `RelayState`, and would again.
 */
export async function showUnsolicited(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: SamlConfigured,
): Promise<FastifyReply> {
  const { id, readAt, enabled } = connection
  const last = lastSamlRequest(parts, request, id)
  const isAnswer = last !== undefined && readAt - last.at < ANSWER_MAX
  if (!isAnswer && enabled) return sendToApplication(parts, request, reply, connection)
  const code = 'relay_state_lost'
  // Once for a request: whoever loads the page again writes nothing.
  const isNew = isAnswer && (await isFirst(parts, last, 'connection:relay-state-lost'))
  if (isNew && last.uid !== undefined) await noteRefused(parts, request, connection, { code })
  else if (isNew)
    await inTransaction(parts.db, async (tx) => {
      await noteOutcome(tx, id, code)
      const attempt = { connectionId: id, requestId: request.id, subject: null, email: null }
      await insertAttempt(tx, { ...attempt, outcome: 'refused', code })
    })
  return refuse(parts, request, reply, connection, enabled ? (last ?? {}) : {}, code)
}
