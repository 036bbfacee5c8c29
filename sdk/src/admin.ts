/** What is said to the server: calls of the admin API, typed by docs/openapi.json, with a service token. */
import type { FailureCode, paths } from './api.ts'

/** 15 s, in ms. */
const ANSWER_MAX = 15_000

export type Options = {
  /** `BASE_URL` of the server, as in `iss`. */
  issuer: string
  /** Of your system. Tokens for any other are refused. */
  clientId: string
  /** For `follow` and `admin`; the system needs `allowClientCredentials`. */
  clientSecret?: string
}

/**
 * A call to Tenantry that was refused or had no answer. It has no `statusCode`, so that thrown in a handler it is your
 * 500, not your user's 401.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  /** As docs/errors.md lists them; `invalid_client` and the like from /token; `unreachable` without an answer. */
  readonly code: FailureCode | 'unreachable' | (string & {})
  /** Of the answer; 0 without one. */
  readonly httpStatus: number
  /** The answer as it came: problem+json (RFC 9457) with `detail`, `errors` and `requestId`. */
  readonly problem: Record<string, unknown>
  /** In s, when the server has said when to ask again. */
  readonly retryAfter: number | undefined

  constructor(
    httpStatus: number,
    problem: Record<string, unknown>,
    options: ErrorOptions & { retryAfter?: number } = {},
  ) {
    const code = String(
      problem.code ?? problem.error ?? (httpStatus === 0 ? 'unreachable' : 'unexpected_answer'),
    )
    super(
      `${httpStatus} ${code}: ${problem.detail ?? problem.error_description ?? problem.title ?? 'Tenantry did not answer.'}`,
      options,
    )
    this.code = code
    this.httpStatus = httpStatus
    this.problem = problem
    this.retryAfter = options.retryAfter
  }
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]
type AdminPath<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths]
type Content<T> = T extends { content: infer C } ? C[keyof C] : undefined
type Field<Name extends string, T> = undefined extends T ? { [K in Name]?: T } : { [K in Name]: T }
type Given<O> = O extends { parameters: { path?: unknown; query?: unknown }; requestBody?: unknown }
  ? Field<'path', O['parameters']['path']> &
      Field<'query', O['parameters']['query']> &
      Field<'body', Content<O['requestBody']>> & { headers?: Record<string, string>; signal?: AbortSignal }
  : never
type Answer<O> = O extends { responses: infer R } ? Content<R[keyof R & (200 | 201 | 202 | 204)]> : never
type Arguments<O> = Record<string, never> extends Given<O> ? [given?: Given<O>] : [given: Given<O>]

/** Every operation of the admin API: `admin.get(path, { path, query, body, headers })`, typed by docs/openapi.json. */
export type Admin = {
  [M in Method]: <P extends AdminPath<M>>(
    path: P,
    ...given: Arguments<paths[P][M]>
  ) => Promise<Answer<paths[P][M]>>
}

export type Call = {
  path?: object
  query?: object
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}
export type Connection = ReturnType<typeof connect>
type ServiceToken = { token: string; staleAt: number }

/** What is said to the server, with a service token that is asked for when it is needed and renewed before it expires. */
export function connect({ issuer, clientId, clientSecret }: Options) {
  let held: { answer: Promise<ServiceToken>; staleAt: number } | undefined

  async function ask(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(issuer + path, { redirect: 'error', ...init }).catch((cause) => {
      throw new ApiError(0, {}, { cause })
    })
    if (response.ok) return response
    const problem = await response.json().catch(() => ({}))
    const retryAfter = Number(response.headers.get('retry-after'))
    throw new ApiError(response.status, Object(problem), retryAfter > 0 ? { retryAfter } : {})
  }

  /** The body may be cut, or be a proxy's. */
  async function bodyOf(response: Response): Promise<unknown> {
    return response.json().catch((cause) => {
      throw new ApiError(cause instanceof SyntaxError ? response.status : 0, {}, { cause })
    })
  }

  async function newToken(): Promise<ServiceToken> {
    if (!clientSecret)
      throw new TypeError('`clientSecret` is needed to follow events and to call the admin API.')
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    const response = await ask('/token', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(ANSWER_MAX),
    })
    const { access_token, expires_in } = (await bodyOf(response)) as {
      access_token: string
      expires_in: number
    }
    return { token: access_token, staleAt: Date.now() + (expires_in - Math.min(30, expires_in / 5)) * 1_000 }
  }

  /** The same for everybody who asks meanwhile; `refused` is one that the server does not take any more. */
  async function serviceToken(refused?: string): Promise<ServiceToken> {
    if (held && refused !== undefined && (await held.answer).token === refused) held = undefined
    if (held && Date.now() < held.staleAt) return held.answer
    const next = { answer: newToken(), staleAt: Number.POSITIVE_INFINITY }
    held = next
    try {
      next.staleAt = (await next.answer).staleAt
    } catch (error) {
      if (held === next) held = undefined
      throw error
    }
    return next.answer
  }

  async function authorized(path: string, init: RequestInit, service: ServiceToken): Promise<Response> {
    return ask(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${service.token}` } })
  }

  async function request(
    method: Method,
    template: string,
    { path = {}, query = {}, body, headers, signal }: Call = {},
  ) {
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      segment(name, (path as Record<string, unknown>)[name]),
    )
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    )
    const search = new URLSearchParams(pairs.filter(([, value]) => value !== 'undefined'))
    const late = AbortSignal.timeout(ANSWER_MAX)
    const init = {
      method: method.toUpperCase(),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, late]) : late,
    }
    const address = `${filled}${search.size > 0 ? `?${search}` : ''}`
    const service = await serviceToken()
    const response = await authorized(address, init, service).catch(async (error) => {
      if (!(error instanceof ApiError) || error.httpStatus !== 401) throw error
      return authorized(address, init, await serviceToken(service.token))
    })
    return response.status === 204 ? undefined : bodyOf(response)
  }

  return { request, serviceToken, authorized }
}

/** An id as a part of an address; one that would lead to another address is refused. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`\`${name}\` is no id.`)
  return encodeURIComponent(value)
}
