/** Requests to the server: calls of the admin API with a service token, or with the token of a user. */
import type { FailureCode } from './api.ts'
import { type Call, fetchOk, jsonOf, type Method, requestOf, type ToError } from './operations.ts'

/** Timeout of a request, in ms. */
const TIMEOUT = 15_000

export type Options = {
  /** `BASE_URL` of the server, equal to `iss`. */
  issuer: string
  /** Client id of your system. Tokens issued to other clients are rejected. */
  clientId: string
  /** Required for `follow` and `admin`. The system needs `allowClientCredentials`. */
  clientSecret?: string
}

/**
 * A request to Tenantry that failed or was not answered. It has no `statusCode`, so that a handler that
 * throws it responds with 500 and not with the status of Tenantry.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  /**
   * A code of docs/errors.md, an OAuth error such as `invalid_client`, or `unreachable` without a response.
   */
  readonly code: FailureCode | 'unreachable' | (string & {})
  /** HTTP status of the response; 0 without a response. */
  readonly httpStatus: number
  /** Body of the response: problem+json (RFC 9457) with `detail`, `errors` and `requestId`. */
  readonly problem: Record<string, unknown>
  /** `Retry-After` of the response, in seconds. */
  readonly retryAfter: number | undefined
  /**
   * The `max_age` of an error `insufficient_user_authentication` (RFC 9470): sign the user in again with it,
   * and repeat the call with the new token.
   */
  readonly maxAge: number | undefined

  constructor(
    httpStatus: number,
    problem: Record<string, unknown>,
    options: ErrorOptions & { retryAfter?: number; maxAge?: number } = {},
  ) {
    const code = String(
      problem.code ?? problem.error ?? (httpStatus === 0 ? 'unreachable' : 'unexpected_answer'),
    )
    const reason = problem.detail ?? problem.error_description ?? problem.title ?? 'No response.'
    super(`${httpStatus} ${code}: ${reason}`, options)
    this.code = code
    this.httpStatus = httpStatus
    this.problem = problem
    this.retryAfter = options.retryAfter
    this.maxAge = options.maxAge
  }
}

const toError: ToError = (status, problem, options) => new ApiError(status, problem, options)

export type Connection = ReturnType<typeof connect>
type ServiceToken = { token: string; staleAt: number }

/** Sends requests with a service token, which is requested on first use and renewed before it expires. */
export function connect({ issuer, clientId, clientSecret }: Options) {
  let cached: { token: Promise<ServiceToken>; staleAt: number } | undefined

  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetchOk(issuer + path, { redirect: 'error', ...init }, toError)

  async function newToken(): Promise<ServiceToken> {
    if (!clientSecret)
      throw new TypeError('`clientSecret` is required to follow events and to call the admin API.')
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    const response = await send('/token', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const { access_token, expires_in } = (await jsonOf(response, toError)) as {
      access_token: string
      expires_in: number
    }
    return { token: access_token, staleAt: Date.now() + (expires_in - Math.min(30, expires_in / 5)) * 1_000 }
  }

  /**
   * The cached token, shared by concurrent calls. `rejected` is a token that the server no longer accepts.
   */
  async function serviceToken(rejected?: string): Promise<ServiceToken> {
    if (cached && rejected !== undefined && (await cached.token).token === rejected) cached = undefined
    if (cached && Date.now() < cached.staleAt) return cached.token
    const next = { token: newToken(), staleAt: Number.POSITIVE_INFINITY }
    cached = next
    try {
      next.staleAt = (await next.token).staleAt
    } catch (error) {
      if (cached === next) cached = undefined
      throw error
    }
    return next.token
  }

  async function authorized(path: string, init: RequestInit, { token }: { token: string }) {
    return send(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } })
  }

  /** Calls with the service token, which is renewed once if the server no longer accepts it. */
  async function asService(path: string, init: RequestInit): Promise<Response> {
    const service = await serviceToken()
    return authorized(path, init, service).catch(async (error) => {
      if (!(error instanceof ApiError) || error.httpStatus !== 401) throw error
      return authorized(path, init, await serviceToken(service.token))
    })
  }

  /** Calls with `userToken`, if it is given, instead of the service token. */
  async function request(method: Method, template: string, call: Call = {}, userToken?: string) {
    const { address, init } = requestOf(method, template, call)
    return withTimeout(call.signal, async (signal) => {
      const response =
        userToken === undefined
          ? await asService(address, { ...init, signal })
          : await authorized(address, { ...init, signal }, { token: userToken })
      return jsonOf(response, toError)
    })
  }

  return { request, serviceToken, authorized }
}

/**
 * Passes a signal that aborts with the caller's signal or after the timeout. Not `AbortSignal.any`: in Node
 * 20 its signal can be garbage-collected before it aborts, and the request then waits forever.
 */
async function withTimeout<T>(given: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>) {
  const controller = new AbortController()
  const abort = () => controller.abort(given?.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('Timeout', 'TimeoutError')), TIMEOUT)
  given?.addEventListener('abort', abort)
  if (given?.aborted) abort()
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    given?.removeEventListener('abort', abort)
  }
}
