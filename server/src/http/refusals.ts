/**
 * The log of refused requests: one line for each, with the request id and a reason of a closed set. A refusal
 * is noted by the request id where it is decided, and written when the request is answered. Lines have no
 * secret, token, email address or network address: those of a user are in the audit log, by the request id.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { FAILURES, type Failure, type FailureCode, rootOf } from '../errors.ts'
import { counter } from '../measurements.ts'
import type { Caller } from './authority.ts'
import { masked } from './sent-values.ts'

/** Why a sign-in is refused: `changes.reason` of its audit entry, or the credential that was wrong. */
export const SIGN_IN_REASONS = [
  'password',
  'unknown',
  'disabled',
  'expired',
  'passkey',
  'second_factor',
  'mailed_code',
  'wrong_credential',
  'throttled',
  'provider',
  'pending',
  'blocked',
  'none',
  'foreign',
  'factor',
  'consent',
] as const
export type SignInReason = (typeof SIGN_IN_REASONS)[number]

/** OAuth and OpenID Connect error codes. */
export const PROTOCOL_REASONS = [
  'access_denied',
  'account_selection_required',
  'authorization_pending',
  'consent_required',
  'expired_token',
  'insufficient_scope',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_dpop_proof',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'slow_down',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_grant_type',
  'unsupported_response_mode',
  'unsupported_response_type',
  'unsupported_token_type',
  'use_dpop_nonce',
] as const

type Decided =
  | { kind: 'request' | 'sign_in' | 'protocol'; reason: FailureCode }
  | { kind: 'sign_in'; reason: SignInReason }
  | { kind: 'protocol'; reason: string }

/** `kind`: an operation or a page, a credential or a rule of a sign-in, or an endpoint of the protocol. */
export type Refusal = Decided & {
  systemId?: string | null | undefined
  clientId?: string
  /** What the response does not say. */
  detail?: string
  /** The error of the database, or of another server. */
  fault?: { code?: string; message: string }
  /** The redirect URI of a request, if it is not a registered one. */
  sent?: string
  registered?: string[]
}

/** How a refused request was answered. `route` is the pattern, without the values of a path. */
type Answer = { reqId: string; method: string; route: string; status: number }

const SIGN_IN: ReadonlySet<string> = new Set(SIGN_IN_REASONS)
const PROTOCOL: ReadonlySet<string> = new Set(PROTOCOL_REASONS)

function closedReason({ kind, reason }: Decided): string {
  if (Object.hasOwn(FAILURES, reason)) return reason
  if (reason === 'temporarily_unavailable') return 'unavailable' // as guardFaults answers
  return (kind === 'sign_in' ? SIGN_IN : PROTOCOL).has(reason) ? reason : 'other'
}

/** Requests in progress whose refusal is noted. No LRUCache: it clears its arrays when it becomes empty. */
const noted = new Map<string, Refusal>()
/** A note outlives its request only if the answer was written before the refusal was decided. */
const NOTED_MAX = 10_000

/** Notes why a request is refused. The first reason is the cause of the others, except of a fault. */
export function noteRefusal(requestId: string | null, refusal: Refusal): void {
  if (requestId === null) return
  const before = noted.get(requestId)
  const [oldest] = noted.size < NOTED_MAX ? [] : noted.keys()
  if (oldest !== undefined) noted.delete(oldest)
  if (!before || refusal.fault) noted.set(requestId, refusal)
  else noted.set(requestId, { ...refusal, ...before, systemId: before.systemId ?? refusal.systemId })
}

/** Removes the note of a request that is repeated or not refused after all. */
export function takeRefusal(requestId: string): Refusal | undefined {
  const refusal = noted.get(requestId)
  if (refusal) noted.delete(requestId)
  return refusal
}

export function noteFailure(requestId: string, failure: Failure, kind: Decided['kind']): void {
  const { code, detail, cause } = failure
  noteRefusal(requestId, {
    kind,
    reason: code,
    ...(detail !== undefined && { detail: masked(detail) }),
    ...(cause !== undefined && { fault: faultOf(cause) }),
  })
}

function faultOf(cause: unknown): { code?: string; message: string } {
  const code = codeOf(cause)
  return { ...(code !== undefined && { code }), message: masked(rootOf(cause)) }
}

/** The SQLSTATE or the error code of Node, of the innermost error that has one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { cause, code } = error as NodeJS.ErrnoException
  return codeOf(cause) ?? (typeof code === 'string' ? code : undefined)
}

const countRefusal = counter(
  'tenantry_refusals_total',
  'Refused requests, by kind and reason as in the log.',
  ['kind', 'reason'],
)

export type RefusalLog = {
  /** Writes the line of a request that is refused, unless this minute has had too many. */
  write(answer: Answer, refusal: Refusal): void
  close(): void
}

/** 1 minute, in ms. */
const WINDOW = 60_000
/** Part of the lines of a minute that one reason at one system can have. */
const SHARE = 10
/** Lines of one reason at one system that are written also when a minute has had its lines. */
const FIRST = 3
/** Systems that a summary names. */
const NAMED_MAX = 3
/** Systems, and reasons at a system, that a minute counts. */
const COUNTED_MAX = 1_000

const newWindow = () => ({
  until: performance.now() + WINDOW,
  written: 0,
  /** Lines by kind, reason and system. */
  lines: new Map<string, number>(),
  /** Refusals without a line, by kind and reason. */
  suppressed: new Map<string, number>(),
  systems: new Map<string, number>(),
})

const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

/**
 * Writes at most `perMinute` lines in a minute, and a tenth of them for one reason at one system, so that a
 * flood does not fill the disk. The first three of each reason at each system are written in any case, so
 * that a flood does not hide the others. The last line of the minute has the number of those without a line.
 */
export function createRefusalLog(log: FastifyBaseLogger, perMinute: number): RefusalLog {
  const perReason = Math.ceil(perMinute / SHARE)
  let window = newWindow()
  let timer: NodeJS.Timeout | undefined

  function close(): void {
    clearTimeout(timer)
    timer = undefined
    const { suppressed, systems } = window
    window = newWindow()
    if (suppressed.size === 0) return
    const most = [...systems].sort(([, a], [, b]) => b - a).slice(0, NAMED_MAX)
    const counts = { suppressed: Object.fromEntries(suppressed), systems: Object.fromEntries(most) }
    log.warn(counts, 'refused requests without a line of their own')
  }

  /** Whether the refusal gets a line. */
  function admit(name: string, system: string | undefined): boolean {
    if (performance.now() >= window.until) close()
    const key = `${name} ${system ?? ''}`
    const lines = window.lines.get(key) ?? 0
    const isFirst = lines < FIRST && perMinute > 0 && window.lines.size < COUNTED_MAX
    if (isFirst || (window.written < perMinute && lines < perReason)) {
      window.written += 1
      add(window.lines, key)
      return true
    }
    add(window.suppressed, name)
    if (system && (window.systems.has(system) || window.systems.size < COUNTED_MAX))
      add(window.systems, system)
    timer ??= setTimeout(close, Math.max(1, window.until - performance.now())).unref()
    return false
  }

  return {
    close,
    write({ reqId, ...answer }, refusal) {
      const { kind, systemId, clientId, detail, fault, sent, registered } = refusal
      const reason = closedReason(refusal)
      countRefusal(kind, reason)
      if (!admit(`${kind} ${reason}`, systemId ?? undefined)) return
      const line = {
        reqId,
        kind,
        reason,
        ...answer,
        ...(systemId && { systemId }),
        ...(clientId !== undefined && { clientId }),
        ...(detail && { detail }),
        ...(fault && { fault }),
        ...(sent !== undefined && { sent, registered }),
      }
      const isOurs = fault !== undefined && reason === 'unavailable'
      log[isOurs ? 'error' : answer.status === 503 ? 'warn' : 'info'](line, 'request refused')
    },
  }
}

/** Answers that are refusals also if no reason was noted. */
const REASON_OF_STATUS: Record<number, Refusal> = {
  401: { kind: 'sign_in', reason: 'wrong_credential' },
  403: { kind: 'request', reason: 'insufficient_authority' },
  429: { kind: 'request', reason: 'too_many_requests' },
}

/** Writes the refused requests of all routes, except those that the protocol library answers. */
export function logRefusals(app: FastifyInstance, refusals: RefusalLog): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const refusal = takeRefusal(request.id) ?? REASON_OF_STATUS[reply.statusCode]
    if (refusal) {
      const { id: reqId, method, routeOptions } = request
      const systemId = refusal.systemId ?? (request.caller as Caller | undefined)?.systemId
      const answer = { reqId, method, route: routeOptions.url ?? 'none', status: reply.statusCode }
      refusals.write(answer, { ...refusal, systemId })
    }
    done(null, payload)
  })
  app.addHook('onClose', async () => refusals.close())
}
