/**
 * Client authentication by a signed JWT, `private_key_jwt` (OpenID Connect Core section 9, RFC 7523). The
 * library verifies the signature, `iss`, `sub`, `aud` and `exp`; the rules here are in addition.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config.ts'
import { currentTransaction } from '../../database/transaction.ts'
import { call } from '../../http/outbound.ts'
import { usableKeys, verifiedMark } from '../../resources/systems/client-keys.ts'
import { requestState } from '../request-state.ts'
import type { RegisteredKeys } from './clients.ts'
import { assertionFault } from './security-profile.ts'

/** 10 minutes, in seconds: each assertion is stored until it expires. */
const LIFETIME_MAX = 600
/** In seconds. */
const CLOCK_DIFFERENCE_MAX = 60
/** RFC 7523 requires none. A request object (RFC 9101) is no assertion. */
const TYPES: unknown[] = [undefined, 'JWT', 'client-authentication+jwt']

type Claims = Record<string, unknown>

/** Called for an assertion whose signature is verified, before its use is stored. */
export function checkClientAssertion(
  ctx: KoaContextWithOIDC,
  claims: Claims,
  header: Claims,
  client: Client,
): void {
  const now = Date.now() / 1_000
  if (!TYPES.includes(header.typ)) throw refusal('its typ is of another kind of JWT')
  if (Number(claims.exp) > now + LIFETIME_MAX)
    throw refusal(`it expires in more than ${LIFETIME_MAX} seconds`)
  if (Number(claims.iat ?? now) > now + CLOCK_DIFFERENCE_MAX) throw refusal('it was issued in the future')
  const fault = assertionFault(client, claims.aud, header.alg, ctx.oidc.issuer)
  if (fault !== undefined) throw refusal(fault)
  const mark = verifiedMark(client.registered_keys as RegisteredKeys, header)
  if (mark === undefined) throw refusal('it must name its key (kid), since several apply')
  // As ReplayDetection of the library names it.
  const assertionId = hash('sha256', `${claims.iss}${claims.jti}`, 'base64url')
  Object.assign(requestState(ctx), { secretMark: mark, assertionId })
}

const refusal = (reason: string) => new errors.InvalidClientAuth(`the client assertion is refused: ${reason}`)

/** 10 s, in ms: an address that has failed is not called again for so long. */
const PAUSE = 10_000
const ADDRESSES_MAX = 1_000

/**
 * The library's outbound requests, which are those to a `jwksUri`. It sets a time limit, and makes at most
 * one each minute for the same keys. The response contains checked keys only, and no header that prolongs
 * their use.
 */
export function fetchKeys({
  WEBHOOK_ALLOW_PRIVATE: allowPrivate,
}: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE'>): NonNullable<Configuration['fetch']> {
  const failed = new LRUCache<string, Error>({ max: ADDRESSES_MAX, ttl: PAUSE })
  const read = async (address: string, signal: AbortSignal | null | undefined) => {
    const headers = { accept: 'application/json' }
    const answer = await call(address, { headers, allowPrivate, ...(signal && { signal }) })
    if ('fault' in answer) throw new Error(answer.reason)
    if (answer.status !== 200) throw new Error(`status ${answer.status}`)
    return usableKeys(answer.body.toString())
  }
  return async (input, { signal } = {}) => {
    if (currentTransaction()?.isOpen) throw new Error('no outbound request is made in a transaction')
    const address = String(input)
    const before = failed.get(address)
    if (before) throw before
    try {
      return Response.json(await read(address, signal))
    } catch (cause) {
      const error = new Error(`jwksUri cannot be read: ${(cause as Error).message}`, { cause })
      failed.set(address, error)
      throw error
    }
  }
}
