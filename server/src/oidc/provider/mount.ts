/**
 * The protocol library behind our own front door. In each request it sees the origin is BASE_URL's whatever the request
 * said, JSON bodies have become forms, and one unit of work holds everything it writes.
 */

import { IncomingMessage, type RequestListener } from 'node:http'
import { stringify } from 'node:querystring'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config.ts'
import { inTransactionContext, type TransactionContext } from '../../database/transaction.ts'
import { Failure, failureOf } from '../../errors.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { isSameOrigin } from '../../http/same-origin.ts'
import { endSessions } from '../../resources/sessions/end.ts'
import { actorOf, setSender } from '../request-state.ts'
import { startBatch, writeBatch } from '../storage/artifact-batch.ts'
import type { Storage } from '../storage/storage.ts'
import { answerSecondUse } from '../storage/token-reuse.ts'
import { documentOf, keepDocument, type PublicDocument } from './documents.ts'
import { isRepeat } from './provider.ts'
import { type Render, renderError } from './render.ts'
import { handleOf } from './tokens.ts'

/** The library's own paths that we serve: the six of OpenID Connect and its standard extensions. */
const ROUTES = [
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/jwks'],
  ['GET', '/auth'],
  ['POST', '/auth'],
  ['GET', '/auth/:uid'],
  ['POST', '/token'],
  ['GET', '/me'],
  ['POST', '/me'],
  ['POST', '/token/revocation'],
  ['POST', '/token/introspection'],
  ['GET', '/session/end'],
  ['POST', '/session/end'],
  ['POST', '/session/end/confirm'],
  ['GET', '/session/end/success'],
  ['POST', '/request'],
  ['POST', '/device/auth'],
  ['GET', '/device'],
  ['POST', '/device'],
  ['GET', '/device/:uid'],
] as const

/** Called from browsers of other origins: the library answers their preflight. */
const CROSS_ORIGIN = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/jwks',
  '/token',
  '/me',
  '/token/revocation',
  '/token/introspection',
  '/device/auth',
])

/** 16 kB: the largest honest body is a /token request. */
const BODY_LIMIT = 16_384

/** Forms of the library that only pages of ours may send; it checks a token of its own too. */
const OWN_FORMS = new Set(['/session/end/confirm', '/device'])

/** What verifiers fetch and may keep for 5 minutes; signing keys are published longer than that before they sign. */
const PUBLIC_DOCUMENTS = new Set([
  '/jwks',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])
const PUBLIC_HEADERS = [
  ['cache-control', 'public, max-age=300'],
  ['cross-origin-resource-policy', 'cross-origin'],
] as const

/** Its own pages post a form to the application by a script it adds the hash of; ours set their own policy. */
const LIBRARY_CSP = "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'"

export async function mountProtocol(
  app: FastifyInstance,
  { handle, provider, config }: { handle: RequestListener; provider: () => Provider; config: Config },
): Promise<void> {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  // What never reaches the library is refused in its words (RFC 6749 section 5.2).
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    if (failure.status >= 500) request.log.error({ err: error }, failure.code)
    const refusal =
      failure.status >= 500 ? 'server_error' : failure.status === 403 ? 'access_denied' : 'invalid_request'
    return reply.code(failure.status).send({ error: refusal, error_description: failure.message })
  })
  const origin = originHeaders(config.BASE_URL)
  const give = (request: FastifyRequest, reply: FastifyReply, inner: IncomingMessage) => {
    reply.hijack()
    setSender(inner, request.actor)
    handle(inner, reply.raw)
  }
  // Before a body is read: what the library can read by itself is not read twice.
  app.addHook('onRequest', (request, reply, done) => {
    const url = request.routeOptions.url ?? ''
    reply.raw.setHeader('content-security-policy', LIBRARY_CSP)
    reply.raw.setHeader('referrer-policy', 'same-origin') // else a browser hides the origin of our own forms
    if (PUBLIC_DOCUMENTS.has(url)) {
      for (const [name, value] of PUBLIC_HEADERS) reply.raw.setHeader(name, value)
      const document = request.method === 'GET' && documentOf(provider(), request.url)
      if (document) return void sendDocument(request, reply, document)
    }
    if (isPlain(request, url)) give(request, reply, cleaned(request, origin))
    else done()
  })
  const pass = (request: FastifyRequest, reply: FastifyReply) => {
    if (
      OWN_FORMS.has(request.routeOptions.url ?? '') &&
      request.method === 'POST' &&
      !isSameOrigin(request, config.BASE_URL)
    )
      throw new Failure('csrf_rejected')
    give(request, reply, innerRequest(request, config.BASE_URL, origin))
  }
  for (const [method, url] of ROUTES)
    app.route({
      method,
      url,
      bodyLimit: BODY_LIMIT,
      exposeHeadRoute: false,
      config: { authority: 'public' },
      handler: pass,
    })
  for (const url of CROSS_ORIGIN)
    app.route({ method: 'OPTIONS', url, config: { authority: 'public' }, handler: pass })
}

/** Headers that would let a request say where it came from (RFC 7239 and its forerunners), and of a body that is made anew. */
const NOT_KEPT = new Set(['host', 'forwarded', 'x-real-ip', 'content-length', 'transfer-encoding'])
const isKept = (name: string) =>
  !NOT_KEPT.has(name) && !name.startsWith('x-forwarded-') && !name.startsWith('x-original-')

/** What every request says of its origin, whatever it said itself. */
function originHeaders(baseUrl: string): Record<string, string> {
  const { host, protocol } = new URL(baseUrl)
  return { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host }
}

function headersOf({ raw, id }: FastifyRequest, origin: Record<string, string>): IncomingMessage['headers'] {
  const headers: IncomingMessage['headers'] = { ...origin, 'x-request-id': id }
  for (const name in raw.headers) if (!(name in headers) && isKept(name)) headers[name] = raw.headers[name]
  return headers
}

/** A form of known length for /token, or a request without a body: the library reads it as it is. */
function isPlain({ raw, method }: FastifyRequest, url: string): boolean {
  if (!raw.url?.startsWith('/')) return false
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = raw.headers
  if (encoding !== undefined) return false
  if (method === 'GET') return length === undefined
  return url === '/token' && method === 'POST' && Number(length) <= BODY_LIMIT && FORM.test(type ?? '')
}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** The request itself, with what it may not say taken out. */
function cleaned(request: FastifyRequest, origin: Record<string, string>): IncomingMessage {
  const { raw } = request
  const { 'content-length': length } = raw.headers
  raw.headers = headersOf(request, origin)
  if (length !== undefined) raw.headers['content-length'] = length
  return raw
}

function innerRequest(
  request: FastifyRequest,
  baseUrl: string,
  origin: Record<string, string>,
): IncomingMessage {
  const { raw } = request
  const inner = new IncomingMessage(raw.socket)
  inner.method = raw.method ?? 'GET'
  // An absolute-form target (RFC 9112 section 3.2.2) names a host as well.
  inner.url = raw.url?.startsWith('/') ? raw.url : targetOf(raw.url ?? '/', baseUrl)
  inner.httpVersion = raw.httpVersion
  inner.httpVersionMajor = raw.httpVersionMajor
  inner.httpVersionMinor = raw.httpVersionMinor
  const headers = headersOf(request, origin)
  const body = bodyOf(request)
  if (body !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded'
    headers['content-length'] = String(Buffer.byteLength(body))
    inner.push(body)
  }
  inner.headers = headers
  inner.push(null)
  inner.complete = true // else its end would be taken for a broken request, and the connection cut
  return inner
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body }: PublicDocument,
): FastifyReply {
  reply.headers({ vary: 'Origin', 'access-control-allow-origin': request.headers.origin ?? '*' })
  return reply.type(type).send(body)
}

function targetOf(absolute: string, baseUrl: string): string {
  const { pathname, search } = new URL(absolute, baseUrl)
  return pathname + search
}

/** The body as a form, whatever it came as. Only texts are taken from JSON: a number or an object is no OAuth parameter. */
function bodyOf({ body, url }: FastifyRequest): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const asksOfToken = /^\/token\/(introspection|revocation)\b/.test(url)
  const form: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(body)) {
    // A parameter given twice comes as a list; the library refuses it.
    const values = [value].flat()
    if (values.every((each) => typeof each === 'string'))
      form[name] = asksOfToken && name === 'token' ? values.map(handleOf) : values
  }
  return stringify(form)
}

/** Refused here, a person gets the form again and the device its refusal: the form's new token and the refusal are kept. */
const FORM_ROUTES = new Set(['code_verification', 'device_resume'])

/** Around everything the library does in a request (its documented pre- and post-middleware). */
export function wrapRequests(provider: Provider, storage: Storage, render: Render): void {
  provider.use(async (koa, next) => {
    const ctx = koa as unknown as KoaContextWithOIDC
    try {
      await inTransactionContext(storage.db, async (context) => {
        startBatch(context)
        await next()
        await afterwards(ctx, context)
        keepDocument(provider, ctx)
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

async function afterwards(ctx: KoaContextWithOIDC, context: TransactionContext): Promise<void> {
  if (!ctx.oidc) return
  const body = ctx.body as { refresh_token?: string } | undefined
  // A repeat gets the successor the first use was given, not the used token back.
  if (ctx.status === 200 && body?.refresh_token && isRepeat(ctx))
    body.refresh_token = ctx.oidc.entities.RefreshToken?.jti ?? body.refresh_token
  const { session } = ctx.oidc
  if (
    ctx.oidc.route === 'end_session_confirm' &&
    ctx.oidc.params?.logout &&
    ctx.status < 400 &&
    session?.uid
  ) {
    await endSessions(await context.write(), actorOf(ctx), { browserUid: session.uid }, 'logout')
  }
}

/**
 * A query or the commit failed: nothing happened, and the caller should try again. What is thrown where the library answers no
 * more may be the caller's own fault (a character that can't be stored in a session). Anything else is a fault of ours.
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
  const away = failureOf(cause)?.code === 'unavailable'
  if (!away) render.log.error({ err: cause }, 'protocol error')
  ctx.status = away ? 503 : 500
  renderError(render, ctx, {
    error: away ? 'temporarily_unavailable' : 'server_error',
    error_description: away
      ? 'the service can not answer at the moment, try again soon'
      : 'something went wrong on our side',
  })
}
