/**
 * The protocol as app.ts uses it: one instance of the library for the current signing keys, replaced when
 * they change. Each request of it is one transaction.
 */
import type { RequestListener } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type Provider from 'oidc-provider'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransactionContext, type TransactionContext } from '../../database/transaction.ts'
import { failureOf } from '../../errors.ts'
import { endSessions } from '../../resources/sessions/end.ts'
import { actorOf, startRequest } from '../request-state.ts'
import { startBatch, writeBatch } from '../storage/artifact-batch.ts'
import type { Storage } from '../storage/storage.ts'
import { answerSecondUse, isRepeat } from '../storage/token-reuse.ts'
import { createProvider } from './provider.ts'
import { type Render, renderError } from './render.ts'
import { ensureSigningKeys, loadSigningKeys, type SigningKey } from './signing-keys.ts'
import { createTokenVerifier, type TokenVerifier } from './token-verifier.ts'

/**
 * How often a process reads the keys to see whether their state has changed, in ms. New keys
 * are published far longer ahead.
 */
const KEY_CHECK_MS = 10_000
/** An unknown key is searched for at most this often, in ms. */
const KEY_SEARCH_MS = 1_000

export type PublicDocument = { type: string; body: string }
/** The keys and the discovery documents by path. They change only with the library's instance. */
type Documents = Map<string, PublicDocument>

export type Protocol = {
  provider(): Provider
  handle: RequestListener
  /** A public document that this instance has answered before. */
  documentAt(path: string): PublicDocument | undefined
  tokens: TokenVerifier
  close(): void
}

export async function startProtocol({
  db,
  seal,
  config,
  render,
  log,
}: {
  db: Db
  seal: Seal
  config: Config
  render: Render
  log: FastifyBaseLogger
}): Promise<Protocol> {
  await ensureSigningKeys(db, seal)
  let keys: readonly SigningKey[] = await loadSigningKeys(db, seal)
  let searchedAt = 0
  const refresh = async () => {
    const found = await loadSigningKeys(db, seal)
    if (fingerprint(found) === fingerprint(keys)) return
    keys = found
    current = build()
  }
  const search = async () => {
    if (performance.now() - searchedAt < KEY_SEARCH_MS) return
    searchedAt = performance.now()
    await refresh()
  }
  const tokens = createTokenVerifier(config.BASE_URL, { current: () => keys, refresh: search })
  const build = () => {
    const storage = { db, seal, config, tokens }
    const provider = createProvider(storage, keys, render)
    const documents: Documents = new Map()
    addMiddleware(provider, documents, storage, render)
    return { provider, documents, handle: provider.callback() } // composed once, not for each request
  }
  let current = build()
  const timer = setInterval(
    () => refresh().catch((error) => log.error({ err: error }, 'the signing keys cannot be read')),
    KEY_CHECK_MS,
  ).unref()
  return {
    provider: () => current.provider,
    handle: (request, response) => current.handle(request, response),
    documentAt: (path) => current.documents.get(path),
    tokens,
    close: () => clearInterval(timer),
  }
}

const fingerprint = (keys: readonly SigningKey[]) => keys.map((key) => `${key.kid}:${key.state}`).join()

const DOCUMENT_ROUTES = new Set(['jwks', 'discovery'])

/**
 * Routes that answer a refusal with the form again: its new CSRF token and the refusal of
 * the device code are committed.
 */
const FORM_ROUTES = new Set(['code_verification', 'device_resume'])

/**
 * Runs each request of the library in one transaction context, by its documented pre- and post-middleware.
 */
function addMiddleware(provider: Provider, documents: Documents, storage: Storage, render: Render): void {
  provider.use(async (koa, next) => {
    const ctx = koa as unknown as KoaContextWithOIDC
    try {
      await inTransactionContext(storage.db, async (context) => {
        startRequest(ctx)
        startBatch(context)
        await next()
        await completeRequest(ctx, context)
        keepDocument(documents, ctx)
        if (ctx.status >= 400 && !(ctx.status < 500 && FORM_ROUTES.has(ctx.oidc?.route ?? '')))
          context.refuse()
        else if (!context.isFailed) {
          const used = await writeBatch(context)
          if (used) await answerSecondUse(storage, context, ctx, used)
        }
      })
    } catch (error) {
      answerFailure(render, ctx, error)
    }
  })
}

function keepDocument(documents: Documents, ctx: KoaContextWithOIDC): void {
  const route = ctx.oidc?.route ?? ''
  if (ctx.status !== 200 || !DOCUMENT_ROUTES.has(route)) return
  // Response type `none` is reserved to the built-in client (clients.ts).
  if (route === 'discovery') Object.assign(ctx.body as object, { response_types_supported: ['code'] })
  documents.set(ctx.path, { type: ctx.response.get('content-type'), body: JSON.stringify(ctx.body) })
}

async function completeRequest(ctx: KoaContextWithOIDC, context: TransactionContext): Promise<void> {
  if (!ctx.oidc) return
  const body = ctx.body as { refresh_token?: string } | undefined
  // A retry gets the successor that the first use got, not the used token.
  if (ctx.status === 200 && body?.refresh_token && isRepeat(ctx))
    body.refresh_token = ctx.oidc.entities.RefreshToken?.jti ?? body.refresh_token
  const { session, route, params } = ctx.oidc
  if (route === 'end_session_confirm' && params?.logout && ctx.status < 400 && session?.uid) {
    await endSessions(await context.write(), actorOf(ctx), { browserUid: session.uid }, 'logout')
  }
}

/**
 * Answers a request whose query or commit failed: nothing was written, and the caller can try again.
 * An error thrown after the library has answered may be the caller's (a character that can't be
 * stored in a session); any other is a bug.
 */
function answerFailure(render: Render, ctx: KoaContextWithOIDC, cause: unknown): void {
  ctx.remove('location')
  ctx.remove('set-cookie')
  if (cause instanceof errors.OIDCProviderError && cause.statusCode < 500) {
    ctx.status = cause.statusCode
    const { error, error_description } = cause
    renderError(render, ctx, { error, ...(error_description !== undefined && { error_description }) })
    return
  }
  const isUnavailable = failureOf(cause)?.code === 'unavailable'
  if (!isUnavailable) render.log.error({ err: cause }, 'protocol error')
  ctx.status = isUnavailable ? 503 : 500
  renderError(render, ctx, {
    error: isUnavailable ? 'temporarily_unavailable' : 'server_error',
    error_description: isUnavailable
      ? 'the service is temporarily unavailable, try again'
      : 'an internal error occurred',
  })
}
