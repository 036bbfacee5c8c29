/**
 * Rows that requests of unknown senders store: browser sessions and sign-ins without a user, pushed requests
 * of public clients, device codes. They are limited in size and, per network, in number (docs/limits.md).
 */
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { AnonymousWrites } from '../../authentication/anonymous-writes.ts'
import { bytesOnDisk } from '../../database/connections/written-bytes.ts'
import type { TransactionContext } from '../../database/transaction.ts'
import { requestState, userIdOf } from '../policy/request-state.ts'

/** Bytes of a parameter of an authorization request, and of all together. */
const PARAMETER_MAX = 2_048
const PARAMETERS_MAX = 6_144
/** Applications store more in it than elsewhere. */
const LONGER: Record<string, number> = { state: 4_096, claims: 4_096, id_token_hint: 4_096 }

/** Rejects parameters whose values are too large to be stored. */
export function boundParameters({ oidc }: KoaContextWithOIDC): void {
  let total = 0
  const params = oidc.params ?? {}
  for (const name in params) {
    const value = params[name]
    // a pushed request was checked when it was pushed, and is passed by its id
    if (value === undefined || name === 'request') continue
    const length = Buffer.byteLength(String(value))
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

/** Limits the protocol requests, whose rows are written together when the library is done. */
export const limitAnonymousRows = (writes: AnonymousWrites): AnonymousRows => ({
  count(ctx, context) {
    if (!isAnonymous(ctx)) return
    const stored = [...(context.artifacts?.stored.values() ?? [])]
    if (stored.length === 0) return
    const bytes = bytesOnDisk(
      stored.length,
      stored.map(({ payload }) => JSON.stringify(payload)),
    )
    const cookieOf = (name: string) => ctx.cookies.get(name, { signed: false })
    const seconds = writes.take({ ip: requestState(ctx).sender.ip, cookieOf }, bytes)
    if (seconds > 0) throw tooMany(seconds)
  },
})

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
