/**
 * The protocol library behind our own front door. Each request it sees is made anew: its origin is BASE_URL's whatever
 * the request said, JSON bodies become forms, and one unit of work holds everything it writes.
 */

import { IncomingMessage, type RequestListener } from 'node:http'
import { stringify } from 'node:querystring'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../config.ts'
import { type Db, inUnitOfWork } from '../db.ts'
import { Failure, failureOf } from '../errors.ts'
import { failureOfRequest } from '../problems.ts'
import { isSameOrigin } from '../same-origin.ts'
import { endSessions } from '../sessions/end.ts'
import { actorOf, setSender } from './actor.ts'
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
const PUBLIC_DOCUMENTS = new Set(['/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
const PUBLIC_HEADERS = { 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' }

/** Its own pages post a form to the application by a script it adds the hash of; ours set their own policy. */
const LIBRARY_CSP = "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'"

export async function mountProtocol(
  app: FastifyInstance,
  { handle, config }: { handle: RequestListener; config: Config },
): Promise<void> {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  // What never reaches the library is refused in its words (RFC 6749 section 5.2).
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOfRequest(error)
    if (failure.status >= 500) request.log.error({ err: error }, failure.code)
    const refusal = failure.status >= 500 ? 'server_error' : failure.status === 403 ? 'access_denied' : 'invalid_request'
    return reply.code(failure.status).send({ error: refusal, error_description: failure.message })
  })
  const pass = (request: FastifyRequest, reply: FastifyReply) => {
    if (OWN_FORMS.has(request.routeOptions.url ?? '') && request.method === 'POST' && !isSameOrigin(request, config.BASE_URL))
      throw new Failure('csrf_rejected')
    reply.hijack()
    reply.header('content-security-policy', LIBRARY_CSP)
    reply.header('referrer-policy', 'same-origin') // else a browser hides the origin of our own forms
    if (PUBLIC_DOCUMENTS.has(request.routeOptions.url ?? '')) reply.headers(PUBLIC_HEADERS)
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value)
    const inner = innerRequest(request, config.BASE_URL)
    setSender(inner, request.actor)
    handle(inner, reply.raw)
  }
  for (const [method, url] of ROUTES)
    app.route({ method, url, bodyLimit: BODY_LIMIT, exposeHeadRoute: false, config: { authority: 'public' }, handler: pass })
  for (const url of CROSS_ORIGIN) app.route({ method: 'OPTIONS', url, config: { authority: 'public' }, handler: pass })
}

/** Headers that would let a request say where it came from; RFC 7239 and its forerunners. */
const ORIGIN_HEADERS = /^(host|forwarded|x-forwarded-.*|x-real-ip|x-original-.*)$/

function innerRequest(request: FastifyRequest, baseUrl: string): IncomingMessage {
  const { raw } = request
  const inner = new IncomingMessage(raw.socket)
  const base = new URL(baseUrl)
  inner.method = raw.method ?? 'GET'
  // An absolute-form target (RFC 9112 section 3.2.2) names a host as well.
  inner.url = raw.url?.startsWith('/') ? raw.url : targetOf(raw.url ?? '/', baseUrl)
  inner.httpVersion = raw.httpVersion
  inner.httpVersionMajor = raw.httpVersionMajor
  inner.httpVersionMinor = raw.httpVersionMinor
  const kept = Object.entries(raw.headers).filter(
    ([name]) => !ORIGIN_HEADERS.test(name) && name !== 'content-length' && name !== 'transfer-encoding',
  )
  const body = bodyOf(request)
  inner.headers = {
    ...Object.fromEntries(kept),
    host: base.host,
    'x-forwarded-proto': base.protocol.slice(0, -1),
    'x-forwarded-host': base.host,
    'x-request-id': request.id,
    ...(body !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    }),
  }
  if (body !== undefined) inner.push(body)
  inner.push(null)
  inner.complete = true // else its end would be taken for a broken request, and the connection cut
  return inner
}

function targetOf(absolute: string, baseUrl: string): string {
  const { pathname, search } = new URL(absolute, baseUrl)
  return pathname + search
}

/** The body as a form, whatever it came as. Only texts are taken from JSON: a number or an object is no OAuth parameter. */
function bodyOf({ body, url }: FastifyRequest): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const asksOfToken = /^\/token\/(introspection|revocation)\b/.test(url)
  // A parameter given twice comes as a list; the library refuses it.
  const texts = Object.entries(body)
    .map(([name, value]) => [name, [value].flat()] as const)
    .filter(([, values]) => values.every((value) => typeof value === 'string'))
  return stringify(
    Object.fromEntries(texts.map(([name, values]) => [name, asksOfToken && name === 'token' ? values.map(handleOf) : values])),
  )
}

/** Refused here, a person gets the form again and the device its refusal: the form's new token and the refusal are kept. */
const FORM_ROUTES = new Set(['code_verification', 'device_resume'])

/** Around everything the library does in a request (its documented pre- and post-middleware). */
export function wrapRequests(provider: Provider, db: Db, render: Render): void {
  provider.use(async (koa, next) => {
    const ctx = koa as unknown as KoaContextWithOIDC
    await inUnitOfWork(db, async (unit) => {
      try {
        await next()
        await afterwards(ctx, unit.write)
        const refused = ctx.status >= 400 && !unit.kept && !(ctx.status < 500 && FORM_ROUTES.has(ctx.oidc?.route ?? ''))
        await unit.finish(unit.failure || refused ? 'rollback' : 'commit')
      } catch (error) {
        unit.fail(error)
        await unit.finish('rollback').catch(() => {}) // the connection may be gone; `error` says so
      }
      if (unit.failure) answerFailure(render, ctx, unit.failure)
    })
  })
}

async function afterwards(ctx: KoaContextWithOIDC, write: () => Promise<Db>): Promise<void> {
  if (!ctx.oidc) return
  const body = ctx.body as { refresh_token?: string } | undefined
  // A repeat gets the successor the first use was given, not the used token back.
  if (ctx.status === 200 && body?.refresh_token && isRepeat(ctx))
    body.refresh_token = ctx.oidc.entities.RefreshToken?.jti ?? body.refresh_token
  const { session } = ctx.oidc
  if (ctx.oidc.route === 'end_session_confirm' && ctx.oidc.params?.logout && ctx.status < 400 && session?.uid) {
    await endSessions(await write(), actorOf(ctx), { browserUid: session.uid }, 'logout')
  }
}

/** A query or the commit failed: nothing happened, and the caller should try again. Anything else is a fault of ours. */
function answerFailure(render: Render, ctx: KoaContextWithOIDC, cause: unknown): void {
  const away = failureOf(cause)?.code === 'unavailable'
  if (!away) render.log.error({ err: cause }, 'protocol error')
  ctx.status = away ? 503 : 500
  ctx.remove('location')
  ctx.remove('set-cookie')
  renderError(render, ctx, {
    error: away ? 'temporarily_unavailable' : 'server_error',
    error_description: away ? 'the service can not answer at the moment, try again soon' : 'something went wrong on our side',
  })
}
