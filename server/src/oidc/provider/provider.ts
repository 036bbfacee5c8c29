/**
 * The configuration of the protocol library: OAuth and OpenID Connect are its own, policy and claims are
 * ours. Each request of it is one transaction.
 */
import type Provider from 'oidc-provider'
import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { AAL1, AAL2 } from '../../authentication/assurance.ts'
import type { Config } from '../../config/config.ts'
import { type Seal, sameText } from '../../crypto/seal.ts'
import { failureOf } from '../../database/faults.ts'
import { inTransactionContext, type TransactionContext } from '../../database/transaction.ts'
import { isRead } from '../../http/methods.ts'
import { measureSystem } from '../../http/metrics/requests.ts'
import { startBatch, writeBatch } from '../../resources/artifacts/write.ts'
import { CLIENT_ALGS } from '../../resources/systems/client-keys.ts'
import { LANGUAGE_TAGS } from '../../texts/texts.ts'
import { OWN_PROPERTIES } from '../clients/client.ts'
import { defaultResource, loadGrantIn } from '../grants.ts'
import { EcSigner, type SigningKey } from '../keys/signing-keys.ts'
import { customizeTokenWith, extraTokenClaims, findAccountIn, introspectedClaims } from '../policy/claims.ts'
import { beginStepIn, prompts } from '../policy/prompts.ts'
import { storeProofs } from '../policy/proofs.ts'
import { guardFaults, requestState, startRequest } from '../policy/request-state.ts'
import { CLAIMS, SCOPES } from '../policy/scopes.ts'
import type { Storage } from '../policy/storage.ts'
import { dropSilentCookies } from '../policy/strangers.ts'
import { adapterFor } from '../storage/adapter.ts'
import type { AnonymousRows } from '../storage/anonymous-rows.ts'
import { answerSecondUse, isRepeat } from '../storage/artifacts.ts'
import { checkClientAssertion, fetchKeys } from './client-assertions.ts'
import { compareHashedSecrets, rejectResponseTypes } from './client-secrets.ts'
import { exposeHeaders, isAllowedOrigin } from './cross-origin.ts'
import {
  deviceInfoOf,
  keepDeviceSignIn,
  renderDeviceCode,
  renderDeviceConfirm,
  renderDeviceEnd,
  USER_CODE_MAX,
} from './device-pages.ts'
import { completeLogout, logOutOrAsk } from './logout.ts'
import { acceptTestIn, completeParametersIn, ignoreExtraSpaces, PROMPTS } from './parameters.ts'
import { answerMissingClient, logRefusal, noteRefusals } from './refusals.ts'
import {
  acceptFormPost,
  answerError,
  type Device,
  type Render,
  renderError,
  renderLoggedOut,
} from './render.ts'
import { checkRequestObject } from './request-objects.ts'
import { codeLifetime, FAPI, isPkceRequired, rotatesRefreshTokens } from './security-profile.ts'
import { serviceAccountGrant } from './service-accounts.ts'
import { providerWith, serviceGrant } from './service-grant.ts'
import { keepTestAnswer } from './test-answers.ts'
import { countTokens } from './token-counts.ts'
import { addTokenExchange } from './token-exchange.ts'

export type PublicDocument = { type: string; body: string }
/** The keys and the discovery documents by path. They change only with the library's instance. */
export type Documents = Map<string, PublicDocument>

/** Called again when the signing keys change: the library reads its keys once, when it is constructed. */
export function createProvider(
  storage: Storage,
  keys: readonly SigningKey[],
  render: Render,
  { documents, rows }: { documents: Documents; rows: AnonymousRows },
): Provider {
  const { config } = storage
  const signers = keys.map((key) => (key.alg === 'ES256' ? new EcSigner(key) : key.privateJwk))
  const first = signers.find((signer) => signer instanceof EcSigner)
  const rsa = keys.find((key) => key.alg === 'RS256')
  if (!first || !rsa) throw new Error('there is no key to sign access tokens')
  const Library = providerWith(
    serviceGrant(storage, first),
    serviceAccountGrant(storage, { ES256: first, RS256: rsa }),
  )
  const provider = new Library(config.BASE_URL, configuration(storage, signers, render))
  storeProofs(provider)
  ignoreExtraSpaces(provider)
  provider.proxy = true // mount.ts sets the forwarded headers from BASE_URL, not from the request
  compareHashedSecrets(provider, storage.seal)
  addTokenExchange(provider, storage)
  rejectResponseTypes(provider)
  addMiddleware(provider, { documents, rows }, storage, render)
  // The library does not log server errors, and its responses do not describe them.
  noteRefusals(provider)
  countTokens(provider)
  provider.on('server_error', (ctx, error) => logFault(render, ctx, error))
  return provider
}

function configuration(storage: Storage, keys: readonly unknown[], render: Render): Configuration {
  const { config, db, seal } = storage
  return {
    adapter: adapterFor(storage),
    findAccount: guardFaults(findAccountIn(db)),
    loadExistingGrant: guardFaults(loadGrantIn(db)),
    jwks: { keys: keys as never },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    assertJwtClientAuthClaimsAndHeader: checkClientAssertion,
    clientDefaults: { id_token_signed_response_alg: 'RS256' },
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256', 'ES256'],
      clientAuthSigningAlgValues: [...CLIENT_ALGS],
      requestObjectSigningAlgValues: [...CLIENT_ALGS],
    },
    extraClientMetadata: { properties: OWN_PROPERTIES },
    clientBasedCORS: (_ctx, origin, client) => isAllowedOrigin(client, origin ?? ''),
    responseTypes: ['code', 'none'], // `none`: of the built-in client only
    scopes: [...SCOPES],
    // Back-channel logouts are sent by us (jobs/backchannel-logout), also for
    // sessions unknown to the library.
    discovery: {
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      prompt_values_supported: PROMPTS,
      ui_locales_supported: Object.values(LANGUAGE_TAGS),
    },
    fetch: fetchKeys(config),
    claims: CLAIMS,
    conformIdTokenClaims: false,
    subjectTypes: ['public'],
    acrValues: [AAL1, AAL2],
    extraParams: {
      account_id: guardFaults(completeParametersIn(db)),
      test: guardFaults(acceptTestIn(storage)),
      organization: null,
      connection: null,
      audience: null,
      screen_hint: null,
    },
    extraTokenClaims: extraTokenClaims as never,
    formats: { customizers: { jwt: customizeTokenWith(seal) as never } },
    pkce: { required: (_ctx, client) => isPkceRequired(config, client) },
    rotateRefreshToken: rotatesRefreshTokens(storage),
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    expiresWithSession: async () => false, // a logout ends all sessions of the browser (completeRequest)
    revokeGrantPolicy: () => true,
    allowOmittingSingleRegisteredRedirectUri: false,
    acceptQueryParamAccessTokens: false,
    interactions: { url: guardFaults(beginStepIn(storage)), policy: prompts(db) },
    cookies: cookies(config, seal),
    ttl: lifetimes(config),
    renderError: (ctx, out, error) => answerError(render, ctx, out, error),
    features: features(storage, render),
  }
}

function features(storage: Storage, render: Render): NonNullable<Configuration['features']> {
  const { config, db, seal } = storage
  const pages = { render, config, seal }
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: {
      enabled: true,
      allowedPolicy: async (ctx, client, token) => {
        if (token.clientId === client.clientId) return true
        // Such a client is not authenticated: with the console's client id anyone could introspect any token.
        if (client.tokenEndpointAuthMethod === 'none') return false
        if (client.tenantry.platform) return true
        // A token of a service account is for the system of its account.
        if (token.kind === 'ClientCredentials' && token.aud === client.clientId) return true
        // An API must not accept one in place of an access token.
        if (token.kind === 'RefreshToken') return false
        const owner = await (ctx.oidc.provider as Provider).Client.find(token.clientId ?? '')
        return owner?.tenantry.introspectableBy.includes(client.clientId) === true
      },
    },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    userinfo: { enabled: true },
    claimsParameter: { enabled: true }, // policy/claims-request.ts
    pushedAuthorizationRequests: { enabled: true },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: (ctx, form, out, error) => renderDeviceCode(pages, ctx, form, out, error),
      deviceInfo: deviceInfoOf as never, // the library's default, with a limited length
      userCodeConfirmSource: (ctx, form, client, device, code) =>
        renderDeviceConfirm(pages, ctx, form, { client, device: device as Device, code }),
      successSource: (ctx) => renderDeviceEnd(pages, ctx, true),
    },
    dPoP: { enabled: true },
    fapi: FAPI,
    requestObjects: { enabled: true, assertJwtClaimsAndHeader: checkRequestObject },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => logOutOrAsk({ db, render, cookie: cookieOptions(config) }, ctx, form),
      postLogoutSuccessSource: (ctx) => renderLoggedOut(render, ctx),
    },
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => defaultResource(config.BASE_URL),
      useGrantedResource: async () => true,
      getResourceServerInfo: async (ctx, resource, client) => {
        const machine = ctx.oidc.params?.grant_type === 'client_credentials'
        if (machine && !client.tenantry.allowClientCredentials)
          throw new errors.UnauthorizedClient('this client is not allowed to use client_credentials')
        if (resource !== defaultResource(config.BASE_URL)) throw new errors.InvalidTarget()
        const scope = String(ctx.oidc.params?.scope ?? '').trim()
        if (machine && scope !== '') throw new errors.InvalidScope('a service token has no scopes', scope)
        return {
          // The OpenID scopes are granted only if they are listed here; /me requires them.
          scope: machine ? '' : SCOPES.join(' '),
          audience: client.clientId,
          accessTokenFormat: 'jwt',
          accessTokenTTL: machine ? config.TTL_SERVICE_TOKEN : config.TTL_ACCESS_TOKEN,
          jwt: { sign: { alg: client.tenantry.accessTokenAlg } },
        }
      },
    },
  }
}

/** `__Host-` and `__Secure-` (RFC 6265bis section 4.1.3) wherever the issuer is https. */
function cookies(config: Config, seal: Seal): NonNullable<Configuration['cookies']> {
  const options = cookieOptions(config)
  return {
    keys: cookieSigner(seal),
    names: options.secure
      ? { session: '__Host-session', interaction: '__Secure-interaction', resume: '__Secure-resume' }
      : { session: '_session', interaction: '_interaction', resume: '_interaction_resume' },
    long: options,
    short: options,
  }
}

/** Replaces Keygrip, which compares by hashing both values again under a random key. */
function cookieSigner(seal: Seal) {
  const sign = (data: string) => seal.hash(data, 'cookie').toString('base64url')
  const verify = (data: string, signature: string) => sameText(sign(data), signature)
  return { sign, verify, index: (data: string, signature: string) => (verify(data, signature) ? 0 : -1) }
}

export const cookieOptions = ({ BASE_URL }: Config) =>
  ({ httpOnly: true, sameSite: 'lax', signed: true, secure: BASE_URL.startsWith('https:') }) as const

const now = () => Math.floor(Date.now() / 1_000)
const within = (lifetime: number, startedAt: number, maximum: number) =>
  Math.max(1, Math.min(lifetime, startedAt + maximum - now()))

/**
 * The idle lifetime of a browser session in seconds. It ends TTL_SESSION_MAX after the sign-in at the latest.
 */
export const browserLifetime = (config: Config, loginTs: number | undefined): number =>
  within(config.TTL_SESSION_IDLE, loginTs ?? now(), config.TTL_SESSION_MAX)

function lifetimes(config: Config): NonNullable<Configuration['ttl']> {
  return {
    AuthorizationCode: (_ctx, _code, client) => codeLifetime(config, client),
    AccessToken: config.TTL_ACCESS_TOKEN,
    ClientCredentials: config.TTL_SERVICE_TOKEN,
    IdToken: config.TTL_ID_TOKEN,
    Interaction: config.TTL_INTERACTION,
    DeviceCode: 600,
    Grant: config.TTL_REFRESH_TOKEN_MAX,
    RefreshToken: (_ctx, token) =>
      within(config.TTL_REFRESH_TOKEN, token.iiat ?? now(), config.TTL_REFRESH_TOKEN_MAX),
    Session: (_ctx, session) => browserLifetime(config, session.loginTs),
  }
}

const DOCUMENT_ROUTES = new Set(['jwks', 'discovery'])

/**
 * Routes that answer a refusal with the form again: its new CSRF token and the refusal of
 * the device code are committed.
 */
const FORM_ROUTES = new Set(['code_verification', 'device_resume'])

/**
 * Runs each request of the library in one transaction context, by its documented pre- and post-middleware.
 */
function addMiddleware(
  provider: Provider,
  { documents, rows }: { documents: Documents; rows: AnonymousRows },
  storage: Storage,
  render: Render,
): void {
  provider.use(async (koa, next) => {
    const ctx = koa as unknown as KoaContextWithOIDC
    try {
      await inTransactionContext(storage.db, async (context) => {
        startRequest(ctx)
        removeUserCode(ctx)
        startBatch(context)
        await next()
        acceptFormPost(ctx)
        keepDeviceSignIn(storage, ctx)
        await completeRequest(ctx, context)
        dropSilentCookies(ctx, requestState(ctx).refusal !== undefined)
        answerMissingClient(ctx)
        keepDocument(documents, ctx)
        const isKept = keepTestAnswer(render, ctx)
        const status = requestState(ctx).shownStatus ?? ctx.status
        if (status >= 400 && !isKept && !(status < 500 && FORM_ROUTES.has(ctx.oidc?.route ?? '')))
          context.refuse()
        else if (!context.isFailed) {
          rows.count(ctx, context)
          const used = await writeBatch(context)
          if (used) await answerSecondUse(storage, context, ctx, used)
        }
      })
    } catch (error) {
      answerFailure(render, ctx, error)
    }
    exposeHeaders(ctx)
    logRefusal(render.refusals, ctx)
    measureSystem(systemIdOf(ctx), ctx.status, performance.now() - requestState(ctx).startedAt)
    const { refusal } = requestState(ctx)
    if (refusal)
      await render.refusedClients
        .note(ctx, refusal)
        .catch((error) =>
          render.log.error({ err: error }, 'could not record a refused request in the audit log'),
        )
  })
}

/**
 * The library answers a link with a user code with a form that submits itself. Without the parameter it
 * answers with the form to enter the code, which contains the code of the link.
 */
function removeUserCode(ctx: KoaContextWithOIDC): void {
  if (ctx.path !== '/device' || !isRead(ctx)) return
  const { user_code: code, ...query } = ctx.query
  if (code === undefined) return
  ctx.query = query
  if (typeof code === 'string' && code.length <= USER_CODE_MAX) requestState(ctx).userCode = code
}

function keepDocument(documents: Documents, ctx: KoaContextWithOIDC): void {
  const route = ctx.oidc?.route ?? ''
  if (ctx.status !== 200 || !DOCUMENT_ROUTES.has(route)) return
  // Response type `none` is reserved to the built-in client (clients/client.ts).
  if (route === 'discovery') Object.assign(ctx.body as object, { response_types_supported: ['code'] })
  documents.set(ctx.path, { type: ctx.response.get('content-type'), body: JSON.stringify(ctx.body) })
}

async function completeRequest(ctx: KoaContextWithOIDC, context: TransactionContext): Promise<void> {
  if (!ctx.oidc) return
  const body = ctx.body as { refresh_token?: string } | undefined
  // A retry gets the successor that the first use got, not the used token.
  if (ctx.status === 200 && body?.refresh_token && isRepeat(ctx))
    body.refresh_token = ctx.oidc.entities.RefreshToken?.jti ?? body.refresh_token
  await completeLogout(ctx, context)
  const introspected = ctx.oidc.route === 'introspection' ? (ctx.body as { active?: boolean }) : undefined
  if (introspected?.active) Object.assign(introspected, await introspectedClaims(ctx, await context.read()))
}

const systemIdOf = ({ oidc }: KoaContextWithOIDC) => oidc?.client?.tenantry.systemId ?? undefined

const logFault = (render: Render, ctx: KoaContextWithOIDC, error: unknown) =>
  render.log.error({ reqId: ctx.get('x-request-id'), err: error }, 'protocol error')

/**
 * Answers a request whose query or commit failed: nothing was written, and the caller can try again.
 * An error thrown after the library has answered may be the caller's (a character that can't be
 * stored in a session); any other is a bug.
 */
function answerFailure(render: Render, ctx: KoaContextWithOIDC, cause: unknown): void {
  ctx.remove('location')
  ctx.remove('set-cookie')
  const failure = failureOf(cause)
  // The membership was blocked or removed since it was read. Nothing was written: the browser repeats the
  // request, which is answered from the present state.
  if (cause instanceof errors.AccessDenied && ctx.method === 'GET') {
    requestState(ctx).sender.refusalNote?.take()
    ctx.status = 303
    ctx.redirect(ctx.url)
    return
  }
  const refusal =
    failure?.code === 'interaction_not_found' ? new errors.SessionNotFound(failure.message) : cause
  if (refusal instanceof errors.OIDCProviderError && refusal.statusCode < 500) {
    requestState(ctx).refusal ??= refusal
    ctx.status = refusal.statusCode
    if ('retryAfter' in refusal) ctx.set('retry-after', String(refusal.retryAfter))
    const { error, error_description } = refusal
    renderError(render, ctx, { error, ...(error_description !== undefined && { error_description }) })
    return
  }
  const isUnavailable = failure?.code === 'unavailable'
  if (isUnavailable) requestState(ctx).sender.refusalNote?.noteFailure(failure, 'protocol')
  else logFault(render, ctx, cause)
  ctx.status = isUnavailable ? 503 : 500
  renderError(render, ctx, {
    error: isUnavailable ? 'temporarily_unavailable' : 'server_error',
    error_description: isUnavailable
      ? 'the service is temporarily unavailable, try again'
      : 'an internal error occurred',
  })
}
