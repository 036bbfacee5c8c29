/**
 * What an answer means, for the delivery and for its webhook.
 *
 * | what was answered             | the delivery                                   | the webhook                       |
 * |-------------------------------|------------------------------------------------|-----------------------------------|
 * | 2xx                           | delivered                                      | works                             |
 * | 410                           | waits as the schedule says                     | disabled: gone                    |
 * | anything else, also nothing   | waits as the schedule says, failed at its end  | DOWN in a row: tried with one     |
 * | with Retry-After              | waits so long at least                         | waits so long                     |
 */
import type { Answer, Fault } from '../../http/outbound.ts'

/** Failures in a row after which a receiver counts as down: one delivery at a time finds out whether it is back. */
export const DOWN = 8
/** 1 minute, in seconds: the longest wait between two such tries. */
const DOWN_PAUSE_MAX = 60
/** 1 hour, in seconds: what a receiver may ask for by Retry-After. */
const RETRY_AFTER_MAX = 3_600
/** Bytes of an answer that are kept. */
const ANSWER_MAX = 1_024

export type Outcome = {
  delivered: boolean
  /** None when nothing was answered. */
  status: number | null
  error: string | null
  answer: string | null
  /** In seconds. */
  retryAfter: number
}

/** `now` in ms since 1970, for a Retry-After that is a date. */
export function outcomeOf(answered: Answer | Fault, now: number): Outcome {
  if ('fault' in answered)
    return {
      delivered: false,
      status: null,
      error: `${answered.fault}: ${answered.reason}`,
      answer: null,
      retryAfter: 0,
    }
  const { status, headers, body } = answered
  const delivered = status >= 200 && status < 300
  return {
    delivered,
    status,
    error: delivered ? null : `status ${status}`,
    // PostgreSQL stores no NUL in a text.
    answer: body.subarray(0, ANSWER_MAX).toString('utf8').replaceAll('\0', ''),
    retryAfter: delivered ? 0 : secondsOf(headers['retry-after'], now),
  }
}

/** RFC 9110 section 10.2.3. */
function secondsOf(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(Math.ceil(seconds), 0), RETRY_AFTER_MAX)
}

export type Verdict = { status: 'pending' | 'delivered' | 'failed'; wait: number }

/** What becomes of a delivery after so many attempts, the last included. `wait` and the schedule are in seconds. */
export function verdictOn(outcome: Outcome, attempts: number, schedule: readonly number[]): Verdict {
  if (outcome.delivered) return { status: 'delivered', wait: 0 }
  const wait = schedule[attempts]
  return wait === undefined
    ? { status: 'failed', wait: 0 }
    : { status: 'pending', wait: Math.max(wait, outcome.retryAfter) }
}

export type Health = {
  /** In a row, the newest attempt last. */
  failures: number
  succeeded: boolean
  /** It was down and is no longer: what waits for it need not wait on. */
  recovered: boolean
  gone: boolean
  /** Nothing is sent for so long, in seconds. */
  pause: number
}

/** How a receiver fares after these attempts, in the order in which they ended. */
export function healthAfter(before: number, outcomes: Outcome[]): Health {
  const health: Health = { failures: before, succeeded: false, recovered: false, gone: false, pause: 0 }
  for (const { delivered, status, retryAfter } of outcomes) {
    if (delivered) {
      health.recovered ||= health.failures >= DOWN
      health.succeeded = true
      health.failures = 0
    } else {
      health.failures += 1
      health.gone ||= status === 410
      health.pause = Math.max(health.pause, retryAfter)
    }
  }
  // What was under way when it went down found out together.
  if (before < DOWN) health.failures = Math.min(health.failures, DOWN)
  if (health.failures >= DOWN)
    health.pause = Math.max(health.pause, Math.min(2 ** Math.min(health.failures - DOWN, 10), DOWN_PAUSE_MAX))
  return health
}
