/**
 * Client authentication by a signed JWT, `private_key_jwt` (OpenID Connect Core section 9, RFC 7523). The
 * library verifies the signature, `iss`, `sub`, `aud` and `exp`; the rules here are in addition.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import type { ClientKeySet } from '../../database/schema.ts'
import { currentTransaction } from '../../database/transaction.ts'
import { type Call, call, targetsOf } from '../../http/outbound.ts'
import { usableKeys, verifiedMark } from '../../resources/systems/client-keys.ts'
import { requestState } from '../policy/request-state.ts'
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
  const { registeredKeys } = client.tenantry
  const mark = registeredKeys ? verifiedMark(registeredKeys, header) : undefined
  if (mark === undefined) throw refusal('it must name its key (kid), since several apply')
  // ReplayDetection of the library computes the same id.
  const assertionId = hash('sha256', `${claims.iss}${claims.jti}`, 'base64url')
  Object.assign(requestState(ctx), { secretMark: mark, assertionId })
}

const refusal = (reason: string) => new errors.InvalidClientAuth(`the client assertion is refused: ${reason}`)

/** In ms: an address is called again after this time, or after the pause if it has failed. */
const FRESH = 60_000
const PAUSE = 10_000
/** The library caches the keys of the last hundred clients only, and not that an address fails. */
const ADDRESSES_MAX = 500
/** The library decides by this clock when to ask again. */
const CLOCK = { now: () => Date.now() }

/**
 * The library's outbound requests, which are those to a `jwksUri`. It sets a time limit. The response
 * contains checked keys only, and no header that prolongs their use.
 */
export function fetchKeys(
  config: Pick<Config, 'BASE_URL' | 'WEBHOOK_ALLOW_PRIVATE'>,
): NonNullable<Configuration['fetch']> {
  const targets = targetsOf(config)
  const asked = new LRUCache<string, Promise<ClientKeySet>>({ max: ADDRESSES_MAX, perf: CLOCK })
  const ask = (address: string, signal: AbortSignal | null | undefined) => {
    const asking = readKeys(address, { targets, ...(signal && { signal }) })
    asked.set(address, asking, { ttl: FRESH })
    asking.catch(() => asked.set(address, asking, { ttl: PAUSE }))
    return asking
  }
  return async (input, { signal } = {}) => {
    if (currentTransaction()?.isOpen) throw new Error('no outbound request is made in a transaction')
    const address = String(input)
    return Response.json(await (asked.get(address) ?? ask(address, signal)))
  }
}

async function readKeys(address: string, options: Call): Promise<ClientKeySet> {
  try {
    const answer = await call(address, {
      ...options,
      purpose: 'client_keys',
      headers: { accept: 'application/json' },
    })
    if ('fault' in answer) throw new Error(answer.reason)
    if (answer.status !== 200) throw new Error(`status ${answer.status}`)
    return usableKeys(answer.body.toString())
  } catch (cause) {
    throw new Error(`jwksUri cannot be read: ${(cause as Error).message}`)
  }
}
