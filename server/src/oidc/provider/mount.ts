/**
 * The routes of the protocol library in Fastify, and its instance for the current signing keys, which is
 * replaced when they change. The library receives the origin of BASE_URL instead of the request's, and JSON
 * bodies as forms.
 */
import { IncomingMessage, type RequestListener } from 'node:http'
import { stringify } from 'node:querystring'
import formbody from '@fastify/formbody'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { AnonymousWrites } from '../../authentication/anonymous-writes.ts'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { isSameOrigin } from '../../http/forms-and-cookies.ts'
import type { Shares } from '../../http/limits/shares.ts'
import { isRead } from '../../http/methods.ts'
import { keepOpener } from '../../http/opener.ts'
import { failureOfRequest, logFailure } from '../../http/problems.ts'
import { isBrowserForm } from '../../http/shown.ts'
import { ensureSigningKeys, loadSigningKeys, type SigningKey } from '../keys/signing-keys.ts'
import { createTokenVerifier, handleOf, type TokenVerifier } from '../keys/token-verifier.ts'
import { limitAnonymousRows } from '../storage/anonymous-rows.ts'
import { EXPOSED } from './cross-origin.ts'
import { createProvider, type Documents, type PublicDocument } from './provider.ts'
import type { Render } from './render.ts'
import { signInSharer, tenantOf, visitorIn } from './sharers.ts'

/**
 * How often a process reads the keys to see whether their state has changed, in ms. New keys
 * are published far longer ahead.
 */
const KEY_CHECK_MS = 10_000
/** An unknown key is searched for at most this often, in ms. */
const KEY_SEARCH_MS = 1_000

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
  writes,
  render,
  log,
}: {
  db: Db
  seal: Seal
  config: Config
  writes: AnonymousWrites
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
  const rows = limitAnonymousRows(writes)
  const build = () => {
    const storage = { db, seal, config, tokens }
    const documents: Documents = new Map()
    const provider = createProvider(storage, keys, render, { documents, rows })
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

/** The paths of the library that are served: those of OpenID Connect and of its standard extensions. */
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

/** Called by browsers from other origins; the library answers the preflight. */
const CROSS_ORIGIN = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/jwks',
  '/token',
  '/me',
  '/token/revocation',
  '/token/introspection',
  '/device/auth',
  '/request',
])

/** Requests of applications, of which each client has a share. */
const SHARED = new Set(['/token', '/me', '/token/introspection', '/token/revocation'])

/** Each client has a share of them, and each browser a share of that. Other requests are of a browser. */
const SIGN_IN = '/auth'

/** 16 kB; the largest regular body is that of /token. */
const BODY_LIMIT = 16_384

/**
 * Endpoints that accept their parameters as a form too (OpenID Connect Core section 3.1.2.1, RP-Initiated
 * Logout section 2). A form of another site is sent without our cookies (SameSite=Lax): it is redirected to
 * the same endpoint with the parameters in the query.
 */
const ALSO_FORMS = new Set(['/auth', '/session/end'])
/** In characters, a limit of our own: with the cookies, a request must remain below 16 kB of headers. */
const QUERY_MAX = 8_000

/** Forms of the library that are accepted from our own pages only; it checks a CSRF token as well. */
const OWN_FORMS = new Set(['/session/end/confirm', '/device'])

/**
 * Documents that verifiers can cache for 5 minutes; signing keys are published
 * longer than that before they sign.
 */
const PUBLIC_DOCUMENTS = new Set([
  '/jwks',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])
const PUBLIC_HEADERS = [
  ['cache-control', 'public, max-age=300'],
  ['cross-origin-resource-policy', 'cross-origin'],
] as const

/**
 * The library's pages post a form to the application by a script, whose hash it adds here.
 * Our pages set their own policy.
 */
const LIBRARY_CSP = "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'"

type Mounted = {
  parts: { config: Config; seal: Seal }
  protocol: Protocol
  render: Render
  shares: Shares
  signInShares: Shares
  visitShares: Shares
}

export async function mountProtocol(
  app: FastifyInstance,
  { parts, protocol, render, ...sharing }: Mounted,
): Promise<void> {
  const { config } = parts
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendProtocolError(render, error, request, reply),
  )
  const origin = originHeaders(config.BASE_URL)
  const handle = (reply: FastifyReply, request: IncomingMessage) => {
    reply.hijack()
    protocol.handle(request, reply.raw)
  }
  const turnOf = async (request: FastifyRequest, { raw }: FastifyReply): Promise<unknown> => {
    const { method, routeOptions } = request
    if (SHARED.has(routeOptions.url ?? '')) {
      const client = await tenantOf(protocol.tokens, request)
      return client && sharing.shares.take(client, raw)
    }
    const client = method === 'GET' && routeOptions.url === SIGN_IN ? signInSharer(parts, request) : undefined
    return client
      ? sharing.signInShares.take(client, raw)
      : sharing.visitShares.take(visitorIn(parts, request), raw)
  }
  const share = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) =>
    void turnOf(request, reply).then(() => done(), done)
  const isShared = ({ method, routeOptions: { url = '' } }: FastifyRequest) =>
    method !== 'OPTIONS' && !PUBLIC_DOCUMENTS.has(url)
  app.addHook('onRequest', (request, reply, done) => {
    if (isShared(request) && isPlain(request, request.routeOptions.url ?? '')) share(request, reply, done)
    else done()
  })
  app.addHook('preValidation', (request, reply, done) => {
    if (isShared(request)) share(request, reply, done)
    else done()
  })
  // Before the body is read: a body that the library can parse is not parsed twice.
  app.addHook('onRequest', (request, reply, done) => {
    const url = request.routeOptions.url ?? ''
    keepOpener(reply.raw)
    reply.raw.setHeader('content-security-policy', LIBRARY_CSP)
    reply.raw.setHeader('referrer-policy', 'same-origin') // else a browser sends no origin with our own forms
    if (PUBLIC_DOCUMENTS.has(url)) {
      for (const [name, value] of PUBLIC_HEADERS) reply.raw.setHeader(name, value)
      const document = isRead(request) && protocol.documentAt(request.url)
      if (document) return void sendDocument(request, reply, document)
    }
    if (isPlain(request, url)) handle(reply, withOwnHeaders(request, origin))
    else done()
  })
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    const url = request.routeOptions.url ?? ''
    const isForm = request.method === 'POST'
    if (isForm && ALSO_FORMS.has(url)) return reply.redirect(withQuery(url, bodyOf(request)), 303)
    const isOwnForm = isForm && OWN_FORMS.has(url)
    if (isOwnForm && !isSameOrigin(request, config.BASE_URL)) throw new Failure('csrf_rejected')
    return handle(reply, innerRequest(request, config.BASE_URL, origin))
  }
  const options = { config: { authority: 'public' }, handler } as const
  for (const [method, url] of ROUTES) app.route({ method, url, bodyLimit: BODY_LIMIT, ...options })
  for (const url of CROSS_ORIGIN) app.route({ method: 'OPTIONS', url, ...options })
}

/**
 * Requests that do not reach the library are refused in its format (RFC 6749 section 5.2), and forms of
 * browsers on a page.
 */
function sendProtocolError(
  render: Render,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = failureOfRequest(error)
  logFailure(request, error, failure, 'protocol')
  const { url = '' } = request.routeOptions
  if (isBrowserForm(request) && (OWN_FORMS.has(url) || ALSO_FORMS.has(url))) {
    const { code, status, retryAfter, detail: description } = failure
    const shown = {
      error: code,
      status,
      ...(description && { description }),
      ...(retryAfter && { retryAfter }),
    }
    request.actor?.refusalNote?.noteStatus(status)
    const purpose = url.startsWith('/session/end') ? ('logout' as const) : ('signIn' as const)
    return reply.redirect(render.errorAt({ ...shown, requestId: request.id, purpose }, {}), 303)
  }
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  const { origin } = request.headers
  // The library answers a refusal so before it knows the client.
  if (origin !== undefined && CROSS_ORIGIN.has(request.routeOptions.url ?? ''))
    reply.headers({
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    })
  const code =
    failure.status >= 500 ? 'server_error' : failure.status === 403 ? 'access_denied' : 'invalid_request'
  return reply.code(failure.status).send({ error: code, error_description: failure.message })
}

/**
 * Headers by which a request could name its origin (RFC 7239 and its predecessors), and
 * those of a body that is rewritten.
 */
const DROPPED = new Set(['host', 'forwarded', 'x-real-ip', 'content-length', 'transfer-encoding'])
const isKept = (name: string) =>
  !DROPPED.has(name) && !name.startsWith('x-forwarded-') && !name.startsWith('x-original-')

/** The headers that name the origin, for every request. */
function originHeaders(baseUrl: string): Record<string, string> {
  const { host, protocol } = new URL(baseUrl)
  return { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host }
}

function headersOf(
  { raw, id, ip }: FastifyRequest,
  origin: Record<string, string>,
): IncomingMessage['headers'] {
  const headers: IncomingMessage['headers'] = { ...origin, 'x-request-id': id, 'x-forwarded-for': ip }
  for (const name in raw.headers) if (!(name in headers) && isKept(name)) headers[name] = raw.headers[name]
  return headers
}

/** A form of known length for /token, or a request without a body: the library parses it itself. */
function isPlain(request: FastifyRequest, url: string): boolean {
  const { raw, method } = request
  if (!raw.url?.startsWith('/')) return false
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = raw.headers
  if (encoding !== undefined) return false
  if (isRead(request)) return length === undefined
  // Without the header, the body names the client whose share of the slots the request takes.
  if (request.headers.authorization === undefined) return false
  return url === '/token' && method === 'POST' && Number(length) <= BODY_LIMIT && FORM.test(type ?? '')
}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** The request itself, with its headers replaced. */
function withOwnHeaders(request: FastifyRequest, origin: Record<string, string>): IncomingMessage {
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
  inner.complete = true // else its end is taken for an aborted request, and the connection is closed
  return inner
}

/** Throws `invalid_request` if the parameters are too long for a query. */
function withQuery(url: string, query = ''): string {
  if (query.length <= QUERY_MAX) return `${url}?${query}`
  const detail = `The parameters have more than ${QUERY_MAX} characters; push them to /request (RFC 9126).`
  throw new Failure('invalid_request', { detail })
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body }: PublicDocument,
): FastifyReply {
  reply.headers({
    vary: 'Origin',
    'access-control-allow-origin': request.headers.origin ?? '*',
    'access-control-expose-headers': EXPOSED,
  })
  return reply.type(type).send(body)
}

function targetOf(absolute: string, baseUrl: string): string {
  const { pathname, search } = new URL(absolute, baseUrl)
  return pathname + search
}

/** The body as a form. Of JSON only strings are accepted: a number or an object is no OAuth parameter. */
function bodyOf({ body, url }: FastifyRequest): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const isAboutToken = /^\/token\/(introspection|revocation)\b/.test(url)
  const form: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(body)) {
    // A parameter that occurs twice is a list; the library refuses it.
    const values = [value].flat()
    if (values.every((each) => typeof each === 'string'))
      form[name] = isAboutToken && name === 'token' ? values.map(handleOf) : values
  }
  return stringify(form)
}
