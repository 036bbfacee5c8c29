/**
 * The effect of a response on its delivery and on its webhook.
 *
 * | response               | delivery                                   | webhook                      |
 * |------------------------|--------------------------------------------|------------------------------|
 * | 2xx                    | delivered                                  | working                      |
 * | 410                    | retried by the schedule                    | disabled: gone               |
 * | any other, or none     | retried by the schedule, failed at its end | one at a time after DOWN      |
 * | with Retry-After       | retried after that time at the earliest    | paused for that time         |
 */
import type { Answer, Fault } from '../../http/outbound.ts'

/** Consecutive failures after which a receiver is down. It is then sent one delivery at a time. */
export const DOWN = 8
/** 1 minute, in seconds: the longest pause between two of those. */
const DOWN_PAUSE_MAX = 60
/** 1 hour, in seconds: the longest Retry-After that is honoured. */
const RETRY_AFTER_MAX = 3_600
/** Bytes of a response body that are stored. */
const ANSWER_MAX = 1_024

export type DeliveryOutcome = {
  delivered: boolean
  /** Null without a response. */
  status: number | null
  error: string | null
  answer: string | null
  /** In seconds. */
  retryAfter: number
}

/** `now` in ms since 1970, for a Retry-After that is a date. */
export function outcomeOf(answered: Answer | Fault, now: number): DeliveryOutcome {
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
    // PostgreSQL cannot store NUL in text.
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

export type DeliveryVerdict = { status: 'pending' | 'delivered' | 'failed'; wait: number }

/**
 * The state of a delivery after `attempts` attempts, this one included. `wait` and the schedule are in
 * seconds.
 */
export function verdictOn(
  outcome: DeliveryOutcome,
  attempts: number,
  schedule: readonly number[],
): DeliveryVerdict {
  if (outcome.delivered) return { status: 'delivered', wait: 0 }
  const wait = schedule[attempts]
  return wait === undefined
    ? { status: 'failed', wait: 0 }
    : { status: 'pending', wait: Math.max(wait, outcome.retryAfter) }
}

export type Health = {
  /** Consecutive, up to the last attempt. */
  failures: number
  succeeded: boolean
  /** It was down and is working again: pending deliveries are due at once. */
  recovered: boolean
  gone: boolean
  /** In seconds: how long nothing is sent. */
  pause: number
}

/** The state of a receiver after these attempts, in the order in which they ended. */
export function healthAfter(before: number, outcomes: DeliveryOutcome[]): Health {
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
  // Concurrent attempts that failed when it went down count as one.
  if (before < DOWN) health.failures = Math.min(health.failures, DOWN)
  if (health.failures >= DOWN)
    health.pause = Math.max(health.pause, Math.min(2 ** Math.min(health.failures - DOWN, 10), DOWN_PAUSE_MAX))
  return health
}
