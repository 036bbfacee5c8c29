/**
 * Sealed cookies of requests to the providers of organizations: one for each, so that tabs do not disturb
 * each other.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { type Seal, sameText } from '../../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../../http/forms-and-cookies.ts'
import type { AuthorizationValues } from '../openid.ts'

type Parts = { seal: Seal; config: Config }
/** A request to the provider of a connection that has no response yet. */
export type PendingRequest = AuthorizationValues & {
  connection: string
  /** The interaction that it belongs to; absent in a test of the connection. */
  uid?: string
}

/** A request to a SAML provider. `state`: its id. `at`: when it was sent, by the database; ms since 1970. */
export type SamlRequest = { state: string; connection: string; at: number; uid?: string }

/** Requests of one browser at the same time. */
const PENDING_MAX = 5
const MARK = 8
const CONTEXT = 'connection:request'
/** No request of one protocol is one of the other. */
const SAML_CONTEXT = 'connection:saml-request'

const prefix = (config: Config) => cookieName(config, '__Host-', 'sso_')
const nameOf = (config: Config, state: string) =>
  prefix(config) + createHash('sha256').update(state).digest('base64url').slice(0, MARK)

export function storeRequest(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  reply: FastifyReply,
  pending: PendingRequest | SamlRequest,
): void {
  const attributes = cookieAttributes(config, '/')
  const others = Object.keys(cookies).filter((name) => name.startsWith(prefix(config)))
  for (const name of others.slice(0, Math.max(0, others.length - PENDING_MAX + 1)))
    reply.clearCookie(name, attributes)
  const context = 'nonce' in pending ? CONTEXT : SAML_CONTEXT
  const sealed = seal.seal(JSON.stringify(pending), context).toString('base64url')
  reply.setCookie(nameOf(config, pending.state), sealed, { ...attributes, maxAge: config.TTL_INTERACTION })
}

/** The request of this browser with this `state` to this connection, whose cookie it clears. */
export function takeRequest(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  reply: FastifyReply,
  { connection, state }: { connection: string; state: string | null },
): PendingRequest | undefined {
  if (state === null) return undefined
  const name = nameOf(config, state)
  const pending = opened<PendingRequest>(seal, cookies[name], CONTEXT)
  if (!pending || pending.connection !== connection || !sameText(pending.state, state)) return undefined
  reply.clearCookie(name, cookieAttributes(config, '/'))
  return pending
}

/** The request of this browser with this id to this connection. */
export function findSamlRequest(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  { connection, state }: { connection: string; state: string },
): SamlRequest | undefined {
  const pending = opened<SamlRequest>(seal, cookies[nameOf(config, state)], SAML_CONTEXT)
  return pending?.connection === connection && sameText(pending.state, state) ? pending : undefined
}

/** The last request of this browser to this connection. */
export function lastSamlRequest(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  connection: string,
): SamlRequest | undefined {
  const own = Object.keys(cookies)
    .filter((name) => name.startsWith(prefix(config)))
    .map((name) => opened<SamlRequest>(seal, cookies[name], SAML_CONTEXT))
    .filter((request) => request?.connection === connection)
  return own.sort((one, other) => (other?.at ?? 0) - (one?.at ?? 0))[0]
}

export const clearSamlRequest = (
  { config }: Pick<Parts, 'config'>,
  reply: FastifyReply,
  state: string,
): void => void reply.clearCookie(nameOf(config, state), cookieAttributes(config, '/'))

function opened<Request>(seal: Seal, value: string | undefined, context: string): Request | undefined {
  if (!value) return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(value, 'base64url'), context)) as Request
  } catch {
    return undefined // sealed under another key
  }
}
