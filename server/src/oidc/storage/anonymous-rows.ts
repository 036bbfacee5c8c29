/**
 * Rows that requests of unknown senders store: browser sessions and sign-ins without a user, pushed requests
 * of public clients, device codes. They are limited in size and, per network, in number (docs/limits.md).
 */
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { knownBrowser } from '../../authentication/known-devices.ts'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { TransactionContext } from '../../database/transaction.ts'
import { networkOf } from '../../http/ip-address.ts'
import { createRowBudget, type RowBudget } from '../../http/limits/row-budget.ts'
import { requestState, userIdOf } from '../policy/request-state.ts'

/**
 * Bytes per minute. A bucket may be emptied and refilled within one minute, so a network stores at most 1 MB
 * in any minute, over all processes that one start creates.
 */
const OF_NETWORK = 500_000
/** Of a browser in which a user has signed in before. */
const OF_KNOWN_BROWSER = 100_000
/** A row without its payload, and its entries in the indexes. */
const ROW = 600

/** Characters of a parameter of an authorization request, and of all together. */
const PARAMETER_MAX = 2_048
const PARAMETERS_MAX = 6_144
/** Applications store more in it than elsewhere. */
const LONGER: Record<string, number> = { state: 4_096, claims: 4_096, id_token_hint: 4_096 }

/** Rejects parameters whose values are too large to be stored. */
export function boundParameters({ oidc }: KoaContextWithOIDC): void {
  let total = 0
  for (const [name, value] of Object.entries(oidc.params ?? {})) {
    // a pushed request was checked when it was pushed, and is passed by its id
    if (value === undefined || name === 'request') continue
    const { length } = String(value)
    total += length
    if (length > (LONGER[name] ?? PARAMETER_MAX)) throw tooLong(`parameter '${name}' is too long`)
  }
  if (total > PARAMETERS_MAX) throw tooLong('the parameters are too long')
}

const tooLong = (description: string) => new errors.InvalidRequest(description)

const CLIENT_ROUTES = new Set(['pushed_authorization_request', 'device_authorization'])
const BROWSER_ROUTES = new Set(['authorization', 'code_verification', 'end_session'])

export type AnonymousRows = {
  /** Counts what the request is about to store. Throws `too_many_requests` if the budget is used up. */
  count(ctx: KoaContextWithOIDC, context: TransactionContext): void
}

type Parts = { config: Config; seal: Seal }

export function limitAnonymousRows(parts: Parts): AnonymousRows {
  const networks = createRowBudget(OF_NETWORK / parts.config.WORKERS)
  const browsers = createRowBudget(OF_KNOWN_BROWSER / parts.config.WORKERS)
  return {
    count(ctx, context) {
      if (!isAnonymous(ctx)) return
      const stored = [...(context.artifacts?.stored.values() ?? [])]
      const bytes = stored.reduce((sum, { payload }) => sum + ROW + JSON.stringify(payload).length, 0)
      if (bytes === 0) return
      const seconds = secondsToWait(ctx, bytes)
      if (seconds > 0) throw tooMany(seconds)
    },
  }

  function secondsToWait(ctx: KoaContextWithOIDC, bytes: number): number {
    const network = networkOf(requestState(ctx).sender.ip)
    if (network === undefined) return 0
    const browser = knownBrowser(parts, (name) => ctx.cookies.get(name, { signed: false }))
    const [budget, sender]: [RowBudget, string] =
      browser === undefined ? [networks, network] : [browsers, browser]
    return budget.take(sender, bytes)
  }
}

/** Neither a user nor a client that has authenticated. */
function isAnonymous({ oidc }: KoaContextWithOIDC): boolean {
  const route = oidc?.route ?? ''
  if (BROWSER_ROUTES.has(route)) return userIdOf(oidc.session) === undefined
  return CLIENT_ROUTES.has(route) && oidc.client?.tokenEndpointAuthMethod === 'none'
}

const tooMany = (retryAfter: number) =>
  Object.assign(
    new errors.CustomOIDCProviderError(
      'too_many_requests',
      'too many requests from this network, try again later',
    ),
    { status: 429, statusCode: 429, retryAfter },
  )
