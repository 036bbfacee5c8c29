/**
 * The form with a response of a SAML provider (assertion consumer service). Anybody can post here, without a
 * cookie, so the order matters: the address exists for a connection in use only; nothing is decoded without a
 * ticket of ours; each ticket costs a process one reading, in a thread of its own; and a request has one
 * answer, over all processes.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { insertAttempt, noteOutcome } from '../../resources/connections/attempts.ts'
import type { SamlConfigured } from '../../resources/connections/configured.ts'
import { samlAddressesOf } from '../../resources/connections/settings.ts'
import type { SamlCode } from '../../saml/refusal.ts'
import { readTicket, type Ticket } from '../../saml/ticket.ts'
import { hasResult, type RequestKey, type SamlResult, sealedResult, storeResult } from './saml-result.ts'
import { noteRefused, type SignInParts } from './sign-in.ts'

/** Refused requests that a process remembers. */
const REFUSED_MAX = 10_000
/** 1 MB, in bytes: what a connection stores in a minute. */
const STORED_MAX = 1_048_576
/** In ms. */
const MINUTE = 60_000

/** The code with which the response was refused; null: it was accepted. */
type Outcome = SamlCode | null

export function createResponses(parts: SignInParts) {
  const { seal, config, saml } = parts
  const refused = new Map<string, SamlCode>()
  const reading = new Map<string, Promise<Outcome>>()
  const stored = countStored()

  async function receive(
    request: FastifyRequest,
    reply: FastifyReply,
    connection: SamlConfigured,
  ): Promise<FastifyReply> {
    const { id } = connection
    const { SAMLResponse: field, RelayState: relayState } = (request.body ?? {}) as Record<string, unknown>
    const now = new Date(connection.readAt)
    const ticket =
      typeof relayState === 'string'
        ? readTicket(seal, id, relayState, { now, lifetime: config.TTL_INTERACTION })
        : undefined
    if (!ticket || !isWanted(connection, ticket)) return reply.redirect(`/sso/${id}/unsolicited`, 303)
    const { requestId } = ticket
    const key = `${id} ${requestId}`
    const outcome = refused.get(key) ?? (await readOnce(key))
    const query = new URLSearchParams({ request: requestId, ...(outcome && { error: outcome }) })
    return reply.redirect(`/sso/${id}/finish?${query}`, 303)

    /** Forms with one ticket at the same time have one reading: nothing is awaited before it is noted. */
    function readOnce(of: string): Promise<Outcome> {
      const started = reading.get(of)
      if (started) return started
      const text = typeof field === 'string' ? field : ''
      const promise = read(request, connection, ticket!, text).finally(() => reading.delete(of))
      reading.set(of, promise)
      return promise
    }
  }

  async function read(
    request: FastifyRequest,
    connection: SamlConfigured,
    { kind, requestId }: Ticket,
    field: string,
  ): Promise<Outcome> {
    const { id, readAt, certificates, issuer, subjectAttribute, groupAttribute, mfaAcr, closedIssuer } =
      connection
    if (await hasResult(parts, { connection: id, requestId })) return null
    stored.demandRoom(id)
    const result = await saml.read(connection, {
      field,
      pems: certificates.map(({ pem }) => pem),
      expected: { ...samlAddressesOf(config, id), issuer, requestId, now: new Date(readAt) },
      rules: { subjectAttribute, groupAttribute, mfaAcr, closedIssuer },
    })
    const refuse = async (code: SamlCode, message: string): Promise<Outcome> => {
      refused.set(`${id} ${requestId}`, code)
      const [oldest = ''] = refused.keys()
      if (refused.size > REFUSED_MAX) refused.delete(oldest)
      request.log.info({ connection: id, code, reason: message }, 'a SAML response was refused')
      await note(request, connection, kind, code)
      return code
    }
    if ('code' in result) return refuse(result.code, result.message)
    const { groups, authTime, sessionEndsAt, ...facts } = result.facts
    const key: RequestKey = { connection: id, requestId }
    const arrived: SamlResult = {
      ...{ kind, at: readAt },
      stated: { ...facts, missing: [], hostedDomain: null, locale: null, authTime },
      ...(sessionEndsAt && { until: sessionEndsAt.getTime() }),
      ...(kind === 'test' && { groups }),
    }
    const sealed = sealedResult(parts, key, arrived)
    if (sealed === undefined) return refuse('saml_invalid', 'what it states is too long')
    stored.add(id, sealed.length)
    await storeResult(parts, key, sealed)
    return null
  }

  /** Why a response was refused, where the admins read it. */
  async function note(
    request: FastifyRequest,
    connection: SamlConfigured,
    kind: Ticket['kind'],
    code: SamlCode,
  ): Promise<void> {
    if (kind === 'sign-in') return noteRefused(parts, request, connection, { code })
    const { id: connectionId } = connection
    const attempt = { connectionId, requestId: request.id, subject: null, email: null }
    await inTransaction(parts.db, async (tx) => {
      await noteOutcome(tx, connectionId, code)
      await insertAttempt(tx, { ...attempt, outcome: 'refused', code })
    })
  }

  return receive
}

/** A draft takes responses to its test only, and no response to a test signs anybody in. */
const isWanted = ({ enabled, isTesting }: SamlConfigured, { kind }: Ticket): boolean =>
  kind === 'sign-in' ? enabled : isTesting

/** Counts what is stored of a connection by this process. */
function countStored() {
  const counted = new Map<string, { since: number; bytes: number }>()
  const countOf = (id: string) => {
    const now = performance.now()
    for (const [each, { since }] of counted) if (since <= now - MINUTE) counted.delete(each)
    return counted.get(id) ?? { since: now, bytes: 0 }
  }
  return {
    /** Before a reading, which is not repeated for want of room. Throws `too_many_requests`. */
    demandRoom(id: string): void {
      if (countOf(id).bytes >= STORED_MAX) throw new Failure('too_many_requests', { retryAfter: 60 })
    },
    add(id: string, bytes: number): void {
      const count = countOf(id)
      counted.set(id, { ...count, bytes: count.bytes + bytes })
    },
  }
}
