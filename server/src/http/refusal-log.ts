/**
 * The log of refused requests: one line for each, with the request id and a reason of a closed set. Lines
 * have no secret, token, email address or network address: those of a user are in the audit log, by the
 * request id.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { FAILURES } from '../errors.ts'
import { counter } from '../measurements.ts'
import type { Caller } from './authority.ts'
import {
  type Decided,
  PROTOCOL_REASONS,
  REASON_OF_STATUS,
  type Refusal,
  SIGN_IN_REASONS,
} from './refusals.ts'

/** How a refused request was answered. `route` is the pattern, without the values of a path. */
type Answer = { reqId: string; method: string; route: string; status: number }

const SIGN_IN: ReadonlySet<string> = new Set(SIGN_IN_REASONS)
const PROTOCOL: ReadonlySet<string> = new Set(PROTOCOL_REASONS)

function closedReason({ kind, reason }: Decided): string {
  if (Object.hasOwn(FAILURES, reason)) return reason
  if (reason === 'temporarily_unavailable') return 'unavailable' // as guardFaults answers
  return (kind === 'sign_in' ? SIGN_IN : PROTOCOL).has(reason) ? reason : 'other'
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
const REFUSALS_COUNTED_MAX = 1_000

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
    const isFirst = lines < FIRST && perMinute > 0 && window.lines.size < REFUSALS_COUNTED_MAX
    if (isFirst || (window.written < perMinute && lines < perReason)) {
      window.written += 1
      add(window.lines, key)
      return true
    }
    add(window.suppressed, name)
    if (system && (window.systems.has(system) || window.systems.size < REFUSALS_COUNTED_MAX))
      add(window.systems, system)
    timer ??= setTimeout(close, Math.max(1, window.until - performance.now())).unref()
    return false
  }

  return {
    close,
    write({ reqId, ...answer }, refusal) {
      const { kind, systemId, clientId, detail, fault, sent, registered } = refusal
      const reason = closedReason(refusal)
      countRefusal({ kind, reason })
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

/** Writes the refused requests of all routes, except those that the protocol library answers. */
export function logRefusals(app: FastifyInstance, refusals: RefusalLog): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const note = request.actor?.refusalNote
    const refusal = note?.take() ?? (note?.isHushed ? undefined : REASON_OF_STATUS[reply.statusCode])
    if (refusal) {
      const { id: reqId, method, routeOptions } = request
      const systemId = refusal.systemId ?? (request.caller as Caller | undefined)?.systemId
      const status = note?.shownStatus ?? reply.statusCode
      const answer = { reqId, method, route: routeOptions.url ?? 'none', status }
      refusals.write(answer, { ...refusal, systemId })
    }
    done(null, payload)
  })
  app.addHook('onClose', async () => refusals.close())
}
