/** The request that leads a browser to a SAML provider. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { SamlConfigured } from '../../resources/connections/configured.ts'
import { samlAddressesOf } from '../../resources/connections/settings.ts'
import { requestUrl } from '../../saml/documents.ts'
import { newTicket } from '../../saml/ticket.ts'
import { storeRequest } from './state.ts'

/** `uid`: the interaction of a sign-in; without it, a test. */
type For = { uid?: string; forceAuthn: boolean }

/** The cookie says later that the browser which returns is the one that was sent. */
export function sendSamlRequest(
  parts: { seal: Seal; config: Config },
  request: FastifyRequest,
  reply: FastifyReply,
  { id, readAt, ssoUrl }: SamlConfigured,
  { uid, forceAuthn }: For,
): FastifyReply {
  const now = new Date(readAt)
  const { relayState, requestId } = newTicket(parts.seal, id, uid === undefined ? 'test' : 'sign-in', now)
  const pending = { state: requestId, connection: id, at: readAt, ...(uid !== undefined && { uid }) }
  storeRequest(parts, request, reply, pending)
  const ours = samlAddressesOf(parts.config, id)
  return reply.redirect(requestUrl({ ...ours, id: requestId, now, ssoUrl, relayState, forceAuthn }), 303)
}
