/** The parameters of authorization requests, as far as the library leaves them to us. */
import { decodeJwt } from 'jose'
import type Provider from 'oidc-provider'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import { isUuid } from '../../http/uuid.ts'
import { findAccountOf } from '../../resources/connections/linking.ts'
import { findTestBySecret, hashTestSecret } from '../../resources/test-sign-ins/queries.ts'
import { limitClaims } from '../policy/claims-request.ts'
import type { Storage } from '../policy/storage.ts'
import { hideStranger } from '../policy/strangers.ts'
import { boundParameters } from '../storage/anonymous-rows.ts'

/** The values of `prompt`. `create`: Initiating User Registration via OpenID Connect 1.0. */
export const PROMPTS = ['none', 'login', 'consent', 'select_account', 'create']

/** Parameters that are lists with spaces between the items. */
const LISTS = ['scope', 'prompt', 'response_type', 'acr_values', 'ui_locales', 'claims_locales'] as const

/**
 * Makes lists with a second space, or one at an end, the same as those without it. RFC 6749 section 3.3
 * allows exactly one space, and the library refuses others; tools that join optional parts send them.
 */
export function ignoreExtraSpaces({ OIDCContext }: Provider): void {
  type Context = { givenParams?: Record<string, unknown> }
  Object.defineProperty(OIDCContext.prototype, 'params', {
    configurable: true,
    get(this: Context) {
      return this.givenParams
    },
    set(this: Context, params: Record<string, unknown>) {
      for (const name of LISTS) if (name in params) keepListSingle(params, name)
      this.givenParams = params
    },
  })
}

const EXTRA_SPACE = /^ | {2}| $/

/** A parameter that is set later, from a request object, is treated in the same way. */
function keepListSingle(params: Record<string, unknown>, name: string): void {
  const single = (list: unknown) =>
    typeof list === 'string' && EXTRA_SPACE.test(list)
      ? list.split(' ').filter(Boolean).join(' ') || undefined
      : list
  let value = single(params[name])
  if (params.request === undefined) params[name] = value
  else
    Object.defineProperty(params, name, {
      enumerable: true,
      get: () => value,
      set: (next: unknown) => {
        value = single(next)
      },
    })
}

/**
 * Runs for every authorization request, also without the parameter that it is registered for. Whether a
 * well-formed account_id is one of the user's is known after the sign-in. It is the last step before the user
 * of the session is read.
 */
export const completeParametersIn =
  (db: Db) =>
  async (ctx: KoaContextWithOIDC, accountId: unknown): Promise<void> => {
    complete(ctx, accountId)
    await selectConnection(db, ctx)
    await hideStranger(db, ctx)
  }

function complete(ctx: KoaContextWithOIDC, accountId: unknown): void {
  boundParameters(ctx)
  selectAccount(ctx, accountId)
  checkAudience(ctx)
  if (ctx.oidc.prompts.has('create') && ctx.oidc.client?.tenantry.open !== true)
    throw new errors.InvalidRequest('prompt=create requires allowSelfRegister of the system')
  limitClaims(ctx)
  restoreOfflineAccess(ctx)
}

/**
 * Verifies the parameter `test`, which is the secret of a test of this system's sign-in, and replaces it by
 * the id of the test. It is accepted in the query of /auth only, so that no application can hide it.
 */
export const acceptTestIn =
  ({ db, seal }: Pick<Storage, 'db' | 'seal'>) =>
  async (ctx: KoaContextWithOIDC, given: unknown): Promise<void> => {
    const { params, client, route } = ctx.oidc
    const sent = ctx.query.test
    if (!params || (given === undefined && sent === undefined)) return
    if (route !== 'authorization') throw new errors.InvalidRequest('test is a parameter of /auth only')
    const systemId = client?.tenantry.systemId
    if (typeof given !== 'string' || given !== sent || !systemId) throw invalidTest()
    const id = await findTestBySecret(await readHandle(db), systemId, hashTestSecret(seal, given))
    if (id === undefined) throw invalidTest()
    params.test = id
  }

/** Shown to the user: the application has sent nothing. */
const invalidTest = () =>
  Object.assign(
    new errors.CustomOIDCProviderError('link_invalid', 'the test of the sign-in is unknown or has expired'),
    { allow_redirect: false },
  )

/** `organization` is the name that Auth0's libraries use for `account_id`. */
function selectAccount({ oidc: { params } }: KoaContextWithOIDC, accountId: unknown): void {
  const organization = params?.organization
  const wanted = accountId ?? organization
  if (wanted === undefined || !params) return
  if (organization !== undefined && organization !== wanted)
    throw new errors.InvalidRequest('account_id and organization must be the same')
  const name = accountId === undefined ? 'organization' : 'account_id'
  if (!isUuid(wanted)) throw new errors.InvalidRequest(`${name} must be the id of an account`)
  params.account_id = wanted
}

/**
 * `connection` names a connection of an organization, which the login page then offers. One that is unknown,
 * not enabled or of another system is ignored: a link to it has outlived it.
 */
async function selectConnection(
  db: Db,
  { oidc: { params, client, route } }: KoaContextWithOIDC,
): Promise<void> {
  const named = params?.connection
  if (named === undefined || !params || route === 'pushed_authorization_request') return
  const systemId = client?.tenantry.systemId
  const isKnown = isUuid(named) && systemId && !client?.tenantry.platform
  const accountId = isKnown
    ? await findAccountOf(await readHandle(db), systemId, named.toLowerCase())
    : undefined
  const requested = params.account_id
  if (accountId !== undefined && requested !== undefined && String(requested).toLowerCase() !== accountId)
    throw new errors.InvalidRequest('connection is of another account than account_id')
  params.connection = accountId === undefined ? undefined : String(named).toLowerCase()
}

/** The audience of access tokens is fixed: a request for another one would not get what it asks for. */
function checkAudience({ oidc: { params, client, issuer } }: KoaContextWithOIDC): void {
  const audience = params?.audience
  if (audience === undefined || audience === client?.clientId || audience === issuer) return
  throw new errors.InvalidTarget(
    'audience must be the client id, which is the audience of its access tokens: remove it or replace it',
  )
}

/**
 * Restores offline_access, which the library removes from a request without prompt=consent. OpenID Connect
 * Core section 11 requires the user's consent, which is asked for once and stored.
 */
function restoreOfflineAccess(ctx: KoaContextWithOIDC): void {
  const { params, client } = ctx.oidc
  const requested = requestedScope(ctx)
  if (!params || typeof requested !== 'string' || !requested.split(' ').includes('offline_access')) return
  const scopes = String(params.scope ?? '')
    .split(' ')
    .filter(Boolean)
  if (scopes.includes('offline_access')) return
  if (!client?.scope?.split(' ').includes('offline_access'))
    throw new errors.InvalidScope('requested scope is not allowed', 'offline_access')
  params.scope = [...scopes, 'offline_access'].join(' ')
}

/** The scope as it was sent, pushed (RFC 9126) or signed (RFC 9101). The library has verified it. */
function requestedScope(ctx: KoaContextWithOIDC): unknown {
  const sent = (ctx.method === 'POST' ? ctx.oidc.body : ctx.query) as Record<string, unknown> | undefined
  const object = ctx.oidc.entities.PushedAuthorizationRequest?.request ?? sent?.request
  return typeof object === 'string' ? decodeJwt(object).scope : sent?.scope
}
